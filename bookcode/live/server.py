"""Serves the pages to this machine's browsers, with the script that reloads them.

It is no file server: it answers with files of the built site and nothing else, on the loopback
address and under its own names only.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from importlib import resources
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from bookcode.live.supervisor import State

NAMES: Final = ("127.0.0.1", "localhost")
"""The names under which it answers: a page elsewhere must not reach it under a name of its own."""

SCRIPT: Final = "/-/live.js"
EVENTS: Final = "/-/events"
_TAG: Final = f'<script type="module" src="{SCRIPT}"></script>'.encode()
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_WAITING: Final = (
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    "<title>Building</title>\n</head>\n<body>\n<p>The book is being built for the first time.</p>\n"
    "</body>\n</html>\n"
)


def inject(page: bytes) -> bytes:
    """The page with the live script, which is never part of the built site."""
    head, mark, rest = page.rpartition(b"</body>")
    return head + _TAG + mark + rest if mark else page + _TAG


def locate(site: Path, path: str) -> Path | None:
    """The file of the site for the path of a request, None where there is none to give.

    Folders give their ``index.html``; nothing is listed, nothing hidden is given, and no way leads
    out of the site, be it by ``..``, by a backslash or by a symbolic link.
    """
    parts = [part for part in path.split("/") if part]
    if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    try:
        root = site.resolve()
        found = root.joinpath(*parts).resolve()
        if found.is_dir():
            found /= "index.html"
        return found if found.is_relative_to(root) and found.is_file() else None
    except OSError:  # a name longer than any file's
        return None


class Site:
    """The answers.

    Args:
        site: the folder to serve.
        state: what browsers are told.
    """

    def __init__(self, site: Path, state: State) -> None:
        self._site = site
        self._state = state
        self._script = resources.files("bookcode.live").joinpath("live.js").read_bytes()

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route(SCRIPT, self.script),
                Route(EVENTS, self.events),
                Route("/{path:path}", self.page),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=NAMES, www_redirect=False)],
        )

    async def script(self, request: Request) -> Response:
        """The script that reloads pages and shows problems."""
        return Response(self._script, media_type="text/javascript", headers=_HEADERS)

    async def events(self, request: Request) -> Response:
        """What happens, as server-sent events; ``?page=`` is what the browser shows."""
        page = request.query_params.get("page", "")
        stream = self._stream(page)
        return StreamingResponse(stream, media_type="text/event-stream", headers=_HEADERS)

    async def _stream(self, page: str) -> AsyncIterator[str]:
        queue = self._state.join(page)
        try:
            while True:
                yield f"data: {json.dumps(await queue.get(), ensure_ascii=False)}\n\n"
        finally:
            self._state.leave(queue)

    async def page(self, request: Request) -> Response:
        """A file of the site."""
        path = request.path_params["path"]
        # until the first build is done, nobody knows what lies there
        found = locate(self._site, path) if self._state.ready else None
        if found is None:
            return self._missing()
        if found.name == "index.html" and path and not path.endswith(("/", "index.html")):
            # relative links count from the folder
            return RedirectResponse(f"/{path.strip('/')}/", 307, headers=_HEADERS)
        if found.suffix == ".html":
            return Response(inject(_read(found)), media_type="text/html", headers=_HEADERS)
        return FileResponse(found, headers=_HEADERS)

    def _missing(self) -> Response:
        if self._state.ready:
            text = "<!doctype html>\n<html><body><h1>No such page</h1></body></html>\n"
            status = 404
        else:
            text, status = _WAITING, 503
        body = inject(text.encode())
        return Response(body, status, media_type="text/html", headers=_HEADERS)


def _read(path: Path) -> bytes:
    with open(os.fspath(path), "rb") as stream:
        return stream.read()
