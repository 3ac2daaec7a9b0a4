"""The whole server, started and used as an author does."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bookcode.live.commands import listen
from bookcode.live.errors import LiveError, PortTakenError

from .conftest import PACKAGES, CleanBuilds, SmallBook, differences, tree

PATIENCE = 60


class Live:
    """A running ``python -m bookcode live``."""

    def __init__(self, root: Path, *options: str) -> None:
        self.root = root
        self.lines: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bookcode", "live", "--no-open", "--port", "0", *options],
            cwd=root,
            env={**os.environ, "PYTHONPATH": PACKAGES, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        self.address = re.findall(r"http://\S+", self.line(r"serving"))[0]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._queue.put(line)
        self._queue.put(None)

    def line(self, pattern: str, seconds: float = PATIENCE) -> str:
        """Wait for a line of its terminal."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._queue.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line {pattern!r} after {self.lines[-5:]}") from None
            assert line is not None, f"it ended after {self.lines[-5:]}"
            self.lines.append(line)
            if re.search(pattern, line):
                return line

    def drain(self, seconds: float) -> list[str]:
        """What it says from now on."""
        time.sleep(seconds)
        found = []
        with contextlib.suppress(queue.Empty):
            while (line := self._queue.get_nowait()) is not None:
                found.append(line)
        return found

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            text: str = answer.read().decode()
            return text

    def until(self, path: str, holds: Callable[[str], bool], seconds: float = PATIENCE) -> str:
        """Wait for a page to be so."""
        deadline = time.monotonic() + seconds
        text = ""
        while time.monotonic() < deadline:
            with contextlib.suppress(urllib.error.HTTPError):
                text = self.get(path)
                if holds(text):
                    return text
            time.sleep(0.02)
        raise AssertionError(f"{path} did not become so: {text[:2000]}")

    def event(self, page: str) -> dict[str, Any]:
        """What a browser is told first."""
        with urllib.request.urlopen(f"{self.address}-/events?page={page}", timeout=10) as stream:
            found: dict[str, Any] = json.loads(stream.readline().removeprefix(b"data: "))
            return found

    def family(self) -> list[psutil.Process]:
        process = psutil.Process(self.process.pid)
        return [process, *process.children(recursive=True)]

    def end(self, number: signal.Signals = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(15)
        finally:
            self.process.kill()


@pytest.fixture
def live(book: SmallBook) -> Iterator[Live]:
    made = Live(book.root)
    made.line(r"^read ")
    yield made
    made.end()


def shows(words: str) -> Callable[[str], bool]:
    return lambda text: words in text


@pytest.mark.slow
def test_edit_and_see(live: Live, book: SmallBook) -> None:
    assert "Words: some." in live.get("one.html")
    assert '<script type="module" src="/-/live.js"></script></body>' in live.get("one.html")
    book.replace("book/one.md", "Words: some.", "Words: others.")
    live.until("one.html", shows("Words: others."))
    # a file that only cells import, two modules deep, and a page that has none of its own
    book.replace("tally/inner.py", "return 2", "return 4")
    live.until("two.html", lambda text: re.search(r'key="one.product"[^>]*>60', text) is not None)
    built = tree(book.root / "_build/live/en/html")
    assert not [name for name, data in built.items() if b"/-/live.js" in data]
    assert not (book.root / "_build/html").exists()
    assert not (book.root / "book/jupyter_execute").exists()


@pytest.mark.slow
def test_a_burst_is_one_build_and_builds_wake_nobody(live: Live, book: SmallBook) -> None:
    # a cell that writes beside its page, and a module whose byte code is new
    text = book.read("book/one.md").replace('"many")', '"many")\nPath("made.txt").write_text("x")')
    book.write("book/one.md", text)
    live.line(r"^read ")
    assert live.drain(1.0) == []
    for i in range(8):
        book.write("book/two.md", f"# Two\n\n(target)=\n## Section\n\nTake {'a' * i}.\n")
        book.write("book/note.txt", f"Note {'b' * i}.\n")
        time.sleep(0.015)
    live.line(r"^read ")
    assert "aaaaaaa." in live.get("two.html")
    assert [line for line in live.drain(1.0) if line.startswith("read")] == []


@pytest.mark.slow
def test_errors_are_told_with_their_place_and_the_last_good_page_stays(
    live: Live, book: SmallBook
) -> None:
    good = live.get("one.html")
    book.replace("book/one.md", 'print("rows', 'nothing("rows')
    live.line(r"book/one\.md:\d+: ERROR: code cell 2 of 2 failed")
    told = live.event("one.html")
    line = 1 + book.read("book/one.md").splitlines().index('nothing("rows are", "many")')
    assert [(p["path"], p["line"], p["page"]) for p in told["problems"]] == [
        ("book/one.md", line, "one.html")
    ]
    assert told["held"] == ["one.html"]
    assert live.get("one.html") == good
    # another page goes on, and this one comes back
    book.replace("book/three.md", "Words: some.", "Words: others.")
    live.until("three.html", shows("Words: others."))
    assert live.get("one.html") == good
    book.replace("book/one.md", 'nothing("rows are", "many")', 'print("rows", "are back")')
    live.until("one.html", shows("rows are back"))
    assert live.event("one.html")["problems"] == []


@pytest.mark.slow
def test_an_edit_of_conf_builds_anew_and_a_broken_one_is_told(live: Live, book: SmallBook) -> None:
    book.replace("conf.py", 'html_title = "Tally"', 'html_title = "Score"')
    live.line(r"conf\.py changed")
    live.until("one.html", shows("Score"))
    book.replace("conf.py", 'html_title = "Score"', 'html_title = ("Score"')
    live.line(r"conf\.py:\d+: ERROR: ConfigError")
    told = live.event("one.html")
    assert told["problems"][0]["path"] == "conf.py"
    assert told["problems"][0]["line"] > 0
    assert "Score" in live.get("one.html")
    book.replace("conf.py", 'html_title = ("Score"', 'html_title = "Count"')
    live.until("one.html", shows("Count"))
    # the page is there a moment before what is said of it
    deadline = time.monotonic() + 30
    while problems := live.event("one.html")["problems"]:
        assert time.monotonic() < deadline, problems


@pytest.mark.slow
def test_the_page_at_hand_comes_before_the_rest(live: Live, book: SmallBook) -> None:
    with urllib.request.urlopen(f"{live.address}-/events?page=three.html", timeout=30) as stream:
        json.loads(stream.readline().removeprefix(b"data: "))
        stream.readline()
        # all pages with cells read this module; the open one is shown first
        book.write("tally/outer.py", book.read("tally/outer.py") + "\n\nEXTRA = 1\n")
        book.write("book/three.md", book.read("book/three.md") + "\nMore text.\n")
        changed = json.loads(stream.readline().removeprefix(b"data: "))["changed"]
        assert changed == ["three.html"]


# the process --------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_with_everything_it_started(
    live: Live, book: SmallBook, number: signal.Signals
) -> None:
    family = live.family()
    assert len(family) >= 2
    with urllib.request.urlopen(f"{live.address}-/events?page=one.html", timeout=10) as stream:
        stream.readline()  # a browser that stays must not keep it
        book.replace("tally/inner.py", "return 2", "import time; time.sleep(30); return 2")
        time.sleep(0.5)  # in the middle of a run
        started = time.monotonic()
        assert live.end(number) == 0
        assert time.monotonic() - started < 10
    live.line("^ended")
    _, alive = psutil.wait_procs(family, timeout=5)
    assert alive == []


@pytest.mark.slow
def test_it_listens_on_the_loopback_address_alone(live: Live) -> None:
    listening = []
    for process in live.family():
        with contextlib.suppress(psutil.NoSuchProcess):  # what served the build may be gone
            found = process.net_connections()
            listening += [c.laddr.ip for c in found if c.status == psutil.CONN_LISTEN]
    assert listening == ["127.0.0.1"]
    request = urllib.request.Request(f"{live.address}one.html", headers={"Host": "evil.test"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(request, timeout=10)
    port = int(live.address.rstrip("/").rpartition(":")[2])
    for path in ("/../lock", "/..%2flock", "/%2e%2e/lock", "/_static/", "/.buildinfo"):
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            )
            answer = raw.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 404"), path


def test_a_taken_port_is_named_with_another_one(book: SmallBook) -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError) as caught:
            listen(port)
        assert caught.value.port == port
        done = subprocess.run(
            [sys.executable, "-m", "bookcode", "live", "--no-open", "--port", str(port)],
            cwd=book.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    said = re.fullmatch(
        rf"Error: port {port} is taken by another program; choose another: --port (\d+), "
        r"or --port 0 for any that is free\n",
        done.stderr,
    )
    assert said is not None, done.stderr
    listen(int(said[1])).close()


def test_a_port_that_the_system_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise PermissionError

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(LiveError, match="keeps port 80 to itself; choose one above 1023"):
        listen(80)


def test_it_wants_a_book_and_a_known_language(tmp_path: Path, book: SmallBook) -> None:
    for folder, options, said in (
        (tmp_path, [], "no folder with conf.py and book/ above"),
        (book.root, ["--lang", "tlh"], "'tlh' is not"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "bookcode", "live", "--no-open", *options],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode != 0
        assert said in done.stderr


@pytest.mark.slow
def test_killed_at_any_moment_the_next_start_serves_right_pages(
    book: SmallBook, clean: CleanBuilds
) -> None:
    moments = random.Random(20)
    for turn in range(20):
        live = Live(book.root)
        time.sleep(moments.uniform(0, 1.5))
        book.write("book/data.csv", f"{turn % 9 + 1}\n")
        book.replace("book/two.md", "Words: ", "Words: more, ")
        time.sleep(moments.uniform(0, 0.7))
        victims = live.family()
        # the server alone, the builder alone, or both
        for victim in moments.choice([victims[:1], victims[1:2] or victims, victims]):
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
        live.end(signal.SIGKILL)
    live = Live(book.root)
    try:
        live.line(r"^read ")
        html = live.get("two.html")
        assert "Words: more, more," in html
        assert re.search(rf'key="one.product"[^>]*>{(19 % 9 + 1) * 2 * 5}', html)
        _, wanted = clean.build(book.root, "en")
        assert differences(tree(book.root / "_build/live/en/site"), wanted) == []
    finally:
        live.end()
