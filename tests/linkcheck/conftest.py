"""A local server with one path for each way in which a host can behave."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

PAGE = '<html><title>A page</title><body><h1 id="there">There</h1></body></html>'
WALL = "<html><title>Just a moment...</title><body>Checking your browser</body></html>"

Behaviour = Callable[["Handler"], None]


def plain(status: int, body: str = "", **headers: str) -> Behaviour:
    """Always the same answer."""

    def behave(handler: Handler) -> None:
        handler.answer(status, body, **headers)

    return behave


def recovering(handler: Handler) -> None:
    """Too many requests at first, with a short wait; then a page."""
    if handler.server.asked["/busy-once"] <= 1:
        handler.answer(429, retry_after="0")
    else:
        handler.answer(200, PAGE)


def no_head(handler: Handler) -> None:
    """Refuses HEAD, as some hosts do, and answers GET."""
    handler.answer(405 if handler.command == "HEAD" else 200, PAGE)


def dropped(handler: Handler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True


def flaky(handler: Handler) -> None:
    """An error of the server at the first request (HEAD and GET), then a page."""
    handler.answer(500 if handler.server.asked["/flaky"] <= 2 else 200, PAGE)


BEHAVIOURS: dict[str, Behaviour] = {
    "/page": plain(200, PAGE),
    "/moved": plain(301, location="/page"),
    "/gone": plain(410),
    "/forbidden": plain(403, "no"),
    "/busy": plain(429, retry_after="3600"),
    "/always-busy": plain(429, retry_after="0"),
    "/busy-once": recovering,
    "/down": plain(503),
    "/broken": plain(500),
    "/flaky": flaky,
    "/wall": plain(403, WALL),
    "/wall-header": plain(403, "no", cf_mitigated="challenge"),
    "/wall-open": plain(200, WALL),
    "/wall-down": plain(503, WALL),
    "/no-head": no_head,
    "/dropped": dropped,
    "/file": plain(200, PAGE),
}


class Server(ThreadingHTTPServer):
    """Counts the requests for each path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: Counter[str] = Counter()
        self.lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    """Looks its behaviour up by the path; an unknown path is not found."""

    server: Server

    def answer(self, status: int, body: str = "", **headers: str) -> None:
        content = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.asked[self.path] += 1
        BEHAVIOURS.get(self.path, plain(404))(self)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@dataclass
class Site:
    """The address of the server, and what was asked of it."""

    server: Server
    asked: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.asked = self.server.asked

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"

    def __call__(self, path: str) -> str:
        return f"http://{self.host}{path}"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Site(server)
    server.shutdown()
    thread.join()
    server.server_close()
