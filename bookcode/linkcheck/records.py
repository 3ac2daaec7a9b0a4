"""What the link builder reports of a link, and what a second look at it brought."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class LinkcheckError(Exception):
    """Root of what can go wrong with the checking of links."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as Sphinx's link builder reports it.

    Attributes:
        file, line: where it stands first.
        status: working, redirected, broken, timeout, ignored, rate-limited or unchecked.
        info: what the builder says about it.
    """

    uri: str
    file: str
    line: int
    status: str
    info: str = ""

    @property
    def external(self) -> bool:
        """Whether it leads to another host."""
        return self.uri.startswith(("http://", "https://"))

    @property
    def host(self) -> str:
        """The host it leads to, with the port where one is given."""
        return urlsplit(self.uri).netloc

    @property
    def place(self) -> str:
        """ "file:line"."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host answered to a request.

    Attributes:
        headers: names in lower case.
        body: the beginning of the content, as text.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


def read_report(path: Path) -> list[Link]:
    """The links in the builder's ``output.json``, one JSON object a line.

    Raises:
        LinkcheckError: for a file that is missing or holds something else, with its line.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        raise LinkcheckError(f"the link builder left no report at {path}") from None
    links = []
    for number, line in enumerate(lines, 1):
        try:
            entry: dict[str, Any] = json.loads(line)
            link = Link(
                entry["uri"], entry["filename"], entry["lineno"], entry["status"], entry["info"]
            )
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise LinkcheckError(f"{path}:{number}: not an entry of a report: {error}") from None
        links.append(link)
    return links
