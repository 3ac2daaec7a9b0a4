"""Servers under measurement: started, asked for pages, left to rest, weighed and ended."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 120.0


class BenchmarkError(Exception):
    """A server failed, or a page never showed what it must."""


@dataclass
class Server:
    """A running server and how to ask it."""

    name: str
    process: subprocess.Popen[str]
    address: str
    log: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    start: float = 0.0

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.log.append(line)

    def get(self, page: str) -> str:
        """A page, empty while it is not there."""
        # a server that writes over the files it serves breaks off now and then
        broken = (urllib.error.URLError, ConnectionError, http.client.HTTPException)
        url = f"{self.address}/{page}"
        with contextlib.suppress(*broken), urllib.request.urlopen(url, timeout=30) as answer:
            text: str = answer.read().decode()
            return text
        if self.process.poll() is not None:
            raise BenchmarkError(f"{self.name} ended:\n{''.join(self.log[-20:])}")
        return ""

    def until(self, pages: list[str], holds: Callable[[str], bool]) -> float:
        """Wait until all pages are so; when that was (``time.perf_counter``)."""
        deadline = time.perf_counter() + PATIENCE
        for page in pages:
            while not holds(self.get(page)):
                if time.perf_counter() > deadline:
                    said = "".join(self.log[-20:])
                    raise BenchmarkError(f"{self.name}: {page} never showed it:\n{said}")
                time.sleep(0.005)
        return time.perf_counter()

    def rest(self) -> None:
        """Wait until it has nothing left to do: the next edit is not to be charged for this one."""
        quiet = 0
        while quiet < 5:
            time.sleep(0.1)
            family = _family(self.process.pid)
            before = sum(_busy(process) for process in family)
            time.sleep(0.1)
            quiet = quiet + 1 if sum(map(_busy, family)) - before < 0.02 else 0

    def mebibytes(self) -> float:
        """The memory of the server with all that it started; what they share counts once."""
        total = 0
        for process in _family(self.process.pid):
            with contextlib.suppress(psutil.Error):
                total += process.memory_full_info().pss
        return total / 2**20

    def end(self) -> None:
        """End it with all that it started."""
        family = _family(self.process.pid)
        self.process.terminate()
        _, left = psutil.wait_procs(family, timeout=10)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()


def _family(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def _busy(process: psutil.Process) -> float:
    with contextlib.suppress(psutil.Error):
        used = process.cpu_times()
        return float(used.user + used.system)
    return 0.0


@contextlib.contextmanager
def serving(name: str, command: list[str], folder: Path, pages: list[str]) -> Iterator[Server]:
    """A server, from when it shows the pages."""
    port = _free_port()
    began = time.perf_counter()
    env = {**os.environ, "PYTHONPATH": str(folder if (folder / "bookcode").is_dir() else ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", *command, "--port", str(port)],
        cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    server = Server(name, process, f"http://127.0.0.1:{port}")
    try:
        server.until(pages, lambda text: "<main" in text or "<article" in text)
        server.start = time.perf_counter() - began
        server.rest()
        yield server
    finally:
        server.end()


def live(folder: Path, pages: list[str]) -> contextlib.AbstractContextManager[Server]:
    """Our server."""
    return serving("live", ["bookcode", "live", "--no-open"], folder, pages)


def autobuild(folder: Path, pages: list[str]) -> contextlib.AbstractContextManager[Server]:
    """The peer, with the least delay that it offers."""
    out = folder.parent / "html"
    command = ["sphinx_autobuild", "--delay", "0", str(folder), str(out)]
    return serving("sphinx-autobuild", command, folder, pages)


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port
