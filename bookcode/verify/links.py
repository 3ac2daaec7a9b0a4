"""Links inside the built site: every one leads to a file, every fragment to an id."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from bookcode.verify.result import Result

_ATTRIBUTES: Final = r"""(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*/?>"""
_MARKUP: Final = re.compile(
    rf"""<!--.*?-->|<(?P<raw>script|style)(?P<given>{_ATTRIBUTES}).*?</(?P=raw)\s*>"""
    rf"""|<(?P<tag>[a-z][^\s/>]*)(?P<attributes>{_ATTRIBUTES})"""
    r"""|<(?P<odd>[a-z?]|!(?!doctype [^<>"']*>)|/(?![a-z][a-z0-9:-]*\s*>))""",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, scripts with what is in them, other tags, and what looks like one of these."""
_ATTRIBUTE: Final = re.compile(r"""\s([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""")
_TELLING: Final = re.compile(r"\b(?:id|name|href|src)\s*=", re.IGNORECASE)
_REFERENCES: Final = ("href", "src", "xlink:href")


@dataclass
class Page:
    """What a page has that links can lead to, and where its own lead, with their lines."""

    ids: set[str] = field(default_factory=set)
    references: list[tuple[str, int]] = field(default_factory=list)

    def take(self, tag: str, name: str, value: str, line: int) -> None:
        """Note an attribute, if it is one of those."""
        if name == "id" or (tag == "a" and name == "name"):
            self.ids.add(value)
        elif name in _REFERENCES:
            self.references.append((value, line))


def read_page(text: str) -> Page:
    """The ids and references of a page.

    A pattern reads ten times as fast as a parser, and a site has half a million tags; a page that
    it does not understand in full is given to the parser.
    """
    page = Page()
    line, at = 1, 0
    for match in _MARKUP.finditer(text):
        if match["odd"]:
            return parse_page(text)
        tag = match["tag"] or match["raw"]
        attributes = match["attributes"] or match["given"]
        if not attributes or not _TELLING.search(attributes):
            continue
        line += text.count("\n", at, match.start())
        at = match.start()
        for name, *values in _ATTRIBUTE.findall(attributes):
            value = next(filter(None, values), "")
            page.take(tag.lower(), name.lower(), unescape(value), line)
    return page


class _Parser(HTMLParser):
    """Reads a page as a browser would."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is not None:
                self.page.take(tag, name, value, self.getpos()[0])


def parse_page(text: str) -> Page:
    """The same as :func:`read_page`, slower."""
    parser = _Parser()
    parser.feed(text)
    return parser.page


def check_links(folder: Path, editions: Collection[str] = ()) -> Result:
    """Every reference inside the site leads to a file, every fragment to an id.

    Links to one of ``editions`` that is not there count as not checked.
    """
    folder = folder.resolve()
    absent = [edition for edition in editions if not (folder / edition).is_dir()]
    result = Result("links inside the site", 0, "links")
    pages = {path: read_page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    lead = cache(_lead)  # most links stand on every page, in the list of all pages
    for path, page in pages.items():
        for reference, line in page.references:
            target = urlsplit(reference)
            if target.scheme or target.netloc or reference.startswith("data:"):
                continue
            base = folder if target.path.startswith("/") else path.parent
            led, exists = lead(base, target.path) if target.path else (path, True)
            if edition := _edition(folder, led, absent):
                result.unchecked.append(f"the edition {edition} was not built")
                continue
            result.checked += 1
            for problem in _broken(led, exists, target.fragment, pages):
                place = f"{path.relative_to(folder)}:{line}"
                result.problems.append(f"{place}: link {reference!r}: {problem}")
    return result


def _lead(base: Path, target: str) -> tuple[Path, bool]:
    """The file that a path in a reference leads to, and whether it is there."""
    path = (base / unquote(target).lstrip("/")).resolve()
    if path.is_dir():
        path /= "index.html"
    return path, path.exists()


def _edition(folder: Path, path: Path, editions: Collection[str]) -> str | None:
    """Which of some editions a file is of."""
    if not editions or not path.is_relative_to(folder):
        return None
    first = next(iter(path.relative_to(folder).parts), "")
    return first if first in editions else None


def _broken(path: Path, exists: bool, fragment: str, pages: Mapping[Path, Page]) -> Iterator[str]:
    if not exists:
        yield "no such file"
    elif fragment and path in pages and unquote(fragment) not in pages[path].ids:
        yield f"no element with id {fragment!r} on that page"
