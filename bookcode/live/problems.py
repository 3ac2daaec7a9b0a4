"""What went wrong in a build: read off Sphinx's messages, or off an exception."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_MESSAGE = re.compile(
    r"^(?:(?P<path>.+?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?: )?"
    r"(?P<level>WARNING|ERROR|CRITICAL|SEVERE): (?P<text>.*)$",
    re.DOTALL,
)
_TAG = re.compile(r"(?: \[(?P<tag>[\w.-]+)\])+$")  # myst-nb and Sphinx both add it
_DRAFT = frozenset({"bookcode.prose"})
"""Findings about what the page says, which is all there: an author at work wants to see it."""


@dataclass(frozen=True)
class Problem:
    """One message of a build.

    Attributes:
        path: the file, relative to the project's root; empty where there is none.
        line: 1-based, 0 where there is none.
        level: "warning" or "error".
        tag: what Sphinx calls the type of the message, "bookcode.prose" say.
    """

    path: str
    line: int
    level: str
    text: str
    tag: str = ""

    @property
    def spoils(self) -> bool:
        """Whether a page with it is worse than the last good one."""
        return self.level == "error" and self.tag not in _DRAFT

    def to_json(self) -> dict[str, Any]:
        """For a message."""
        return asdict(self)


def parse(text: str, root: Path) -> list[Problem]:
    """The problems in what Sphinx wrote on its stream of warnings."""
    found: list[list[str]] = []
    for line in _ANSI.sub("", text).splitlines():
        if _MESSAGE.match(line) or not found:
            found.append([line])
        else:
            found[-1].append(line)
    texts = ("\n".join(lines).rstrip() for lines in found)
    problems = [_problem(text, root) for text in texts if text]
    return list(dict.fromkeys(problems))


def _problem(text: str, root: Path) -> Problem:
    match = _MESSAGE.match(text)
    if match is None:
        return Problem("", 0, "warning", text)
    first, *more = match["text"].split("\n")
    tag = _TAG.search(first)
    if tag is None and more:  # Sphinx puts it behind the last line
        tag = _TAG.search(more[-1])
        more[-1] = _TAG.sub("", more[-1])
    said = "\n".join([_TAG.sub("", first), *more]).replace(f"{root}/", "")
    level = "warning" if match["level"] == "WARNING" else "error"
    path = (match["path"] or "").removeprefix(f"{root}/")
    return Problem(path, int(match["line"] or 0), level, said, tag["tag"] if tag else "")


def from_exception(error: BaseException, root: Path) -> Problem:
    """An exception that ended the builder, at the deepest place of the project it came from."""
    place = ("", 0)
    for frame in _frames(error):
        path = Path(frame.filename)
        if path.is_relative_to(root) and path.is_file():
            place = (path.relative_to(root).as_posix(), frame.lineno or 0)
    for cause in _causes(error):
        if isinstance(cause, SyntaxError) and cause.filename:
            place = (cause.filename.removeprefix(f"{root}/"), cause.lineno or 0)
    said = str(error).replace(f"{root}/", "").strip() or "no message"
    return Problem(*place, "error", f"{type(error).__name__}: {said}", "builder")


def _frames(error: BaseException) -> Iterable[traceback.FrameSummary]:
    """All frames, those of the causes last: they are where it went wrong."""
    for cause in _causes(error):
        yield from traceback.extract_tb(cause.__traceback__)


def _causes(error: BaseException) -> Iterable[BaseException]:
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__
