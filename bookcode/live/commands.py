"""The command ``live``."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import click
import uvicorn

from bookcode.cli import project_root
from bookcode.live.errors import LiveError, PortTakenError
from bookcode.live.project import Project
from bookcode.live.server import Site
from bookcode.live.supervisor import Supervisor
from bookcode.live.terminal import Terminal
from bookcode.live.watch import Watcher
from bookcode.translation.editions import LANGUAGES, SOURCE

HOST = "127.0.0.1"
PORT = 8000


@click.command("live")
@click.option(
    "--lang", "--edition", type=click.Choice(list(LANGUAGES)), default=SOURCE, show_default=True,
    help="The edition to serve.",
)  # fmt: skip
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True,
    help="Where to listen; 0 takes any port that is free.",
)  # fmt: skip
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def live_command(lang: str, port: int, no_open: bool) -> None:
    """Serve the book and rebuild what changes while you edit; Ctrl-C ends it."""
    project = Project(project_root().resolve(), lang, LANGUAGES[lang])
    try:
        listening = listen(port)
    except LiveError as error:
        raise click.ClickException(str(error)) from None
    with listening:
        asyncio.run(serve(project, listening, opens=not no_open))


def listen(port: int) -> socket.socket:
    """A socket on the loopback address alone.

    Raises:
        PortTakenError: when another program has the port.
        LiveError: when the system does not give it for another reason.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(128)
    except PermissionError:
        listening.close()
        raise LiveError(f"this system keeps port {port} to itself; choose one above 1023") from None
    except OSError:
        listening.close()
        raise PortTakenError(port, _free_port()) from None
    return listening


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.bind((HOST, 0))
        port: int = trial.getsockname()[1]
        return port


async def serve(project: Project, listening: socket.socket, *, opens: bool) -> None:
    """Serve until interrupted."""
    clear(project.served)
    terminal = Terminal(sys.stdout)
    supervisor = Supervisor(project, terminal.say)
    config = uvicorn.Config(
        Site(project.served, supervisor.state).application(),
        log_level="error",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    address = f"http://{HOST}:{listening.getsockname()[1]}/"
    terminal.line(f"serving {project.edition} at {address} (Ctrl-C ends it)")
    async with Watcher(project.root) as watcher:
        tasks = [
            asyncio.create_task(supervisor.run()),
            asyncio.create_task(_pass_on(watcher, supervisor)),
        ]
        with server.ending_on_signals():
            if opens:
                asyncio.get_running_loop().run_in_executor(None, webbrowser.open, address)
            await server.serve(sockets=[listening])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    terminal.line("ended")


def clear(folder: Path) -> None:
    """Serve nothing of an earlier run: nobody knows whether it was finished."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)


async def _pass_on(watcher: Watcher, supervisor: Supervisor) -> None:
    async for paths in watcher.bursts():
        supervisor.changed(paths)


class Server(uvicorn.Server):
    """A server that ends its endless answers when it is told to end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to :meth:`ending_on_signals`, which does not raise them again."""
        yield

    @contextlib.contextmanager
    def ending_on_signals(self) -> Iterator[None]:
        """End on Ctrl-C and on a request to terminate."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    def _end(self) -> None:
        self.force_exit = self.should_exit  # the second time without waiting
        self.should_exit = True
