"""What the live server says on its terminal: a line for each build, progress while one runs."""

from __future__ import annotations

from typing import IO, Any

from bookcode.live.protocol import Message

_CLEAR = "\r\x1b[K"
_SHOWN_FILES = 3


class Terminal:
    """Lines for a person; on a terminal also a passing one that shows how far a build is."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._passing = False

    def say(self, message: Message) -> None:
        """Put a message of the builder into words."""
        kind = message["kind"]
        if kind == "progress":
            self._pass(message)
        elif kind == "page" and message["shown"]:
            self.line(f"{message['page']} shown after {message['seconds']:.2f} s")
        elif kind == "built":
            self._built(message)
        elif kind == "restart":
            self.line(message["why"])
        elif kind == "broken":
            self._problems([message["problem"]])

    def line(self, text: str) -> None:
        """Write a line that stays."""
        if self._passing:
            self._stream.write(_CLEAR)
            self._passing = False
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def _pass(self, message: Message) -> None:
        if self._stream.isatty():
            where = f"{message['page']} ({message['done'] + 1} of {message['total']})"
            self._stream.write(f"{_CLEAR}{message['what']} {where}")
            self._stream.flush()
            self._passing = True

    def _built(self, message: Message) -> None:
        pages = [name for name in message["changed"] if name.endswith(".html")]
        shown = ", ".join(pages[:_SHOWN_FILES])
        more = f" and {len(pages) - _SHOWN_FILES} more" if len(pages) > _SHOWN_FILES else ""
        what = f": {shown}{more}" if pages else ", no page differs"
        read = "1 page" if message["read"] == 1 else f"{message['read']} pages"
        self.line(f"read {read} in {message['seconds']:.2f} s{what}")
        self._problems(message["problems"])

    def _problems(self, problems: list[dict[str, Any]]) -> None:
        for problem in problems:
            line = f":{problem['line']}" if problem["line"] else ""
            place = f"{problem['path']}{line}: " if problem["path"] else ""
            self.line(f"{place}{problem['level'].upper()}: {problem['text']}")
