"""The foot of a page: how to cite it, how to report an error in it, which edition it is."""

from __future__ import annotations

import datetime
import os
import re
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from bookcode.sphinxext.reader_words import tell

ISSUE_TEMPLATE = "error.yml"


class ColophonError(ValueError):
    """A setting of the book that cannot be used."""


@dataclass(frozen=True)
class Repository:
    """Where the book's source lives.

    Attributes:
        url: its address, "" if it has none.
        revision: the commit or tag that this build was made of, "" if unknown.
    """

    url: str
    revision: str = ""

    def __post_init__(self) -> None:
        if self.url and not re.fullmatch(r"https://[^\s?#]+[^\s?#/]", self.url):
            raise ColophonError(
                f"repository {self.url!r}: give an address like https://host/owner/name, "
                "without a slash at its end"
            )

    def line(self, place: str) -> str | None:
        """The address of "path:line" of the project; None without a repository or a revision.

        Every link of the site into the project's own source is made here.
        """
        if not self.url or not self.revision:
            return None
        path, _, line = place.partition(":")
        anchor = f"#L{line}" if line else ""
        return f"{self.url}/blob/{quote(self.revision, safe='')}/{quote(path)}{anchor}"

    def report(self, page: str, key: str = "", shown: str = "") -> str | None:
        """The address of a new issue about a page, a key and what is shown; None without one."""
        if not self.url:
            return None
        fields = {"template": ISSUE_TEMPLATE, "page": page, "key": key, "shown": shown}
        return f"{self.url}/issues/new?{urlencode({k: v for k, v in fields.items() if v})}"


def build_date(environment: str | None = None) -> datetime.date | None:
    """The date of the build from SOURCE_DATE_EPOCH (s); None without one.

    The clock is not asked: two builds of one source must give the same bytes. Zero, which stands
    for "no date", counts as none.

    Raises:
        ColophonError: for a value that is no number of seconds.
    """
    text = os.environ.get("SOURCE_DATE_EPOCH", "") if environment is None else environment
    if not text or text == "0":
        return None
    if not text.isascii() or not text.isdigit():
        raise ColophonError(f"SOURCE_DATE_EPOCH {text!r} is not a number of seconds")
    return datetime.datetime.fromtimestamp(int(text), datetime.UTC).date()


def edition_text(edition: str, date: datetime.date | None, language: str) -> str:
    """ "Edition 0.1, built on 2026-11-29"."""
    built = tell("built", language, date=date) if date else tell("undated", language)
    return tell(
        "colophon", language, edition=tell("edition", language, edition=edition), built=built
    )


def citation_text(
    *, author: str, title: str, book: str, edition: str, date: datetime.date | None, url: str
) -> str:
    """How to cite a page, as one line."""
    year = f" ({date.year})" if date else ""
    chapter = f"“{title}”. In: " if title and title != book else ""
    where = f". {url}" if url else ""
    return f"{author}{year}. {chapter}{book}, edition {edition}{where}"


def bibtex(
    *, author: str, title: str, book: str, edition: str, date: datetime.date | None, url: str
) -> str:
    """The same as a BibTeX entry."""
    name = re.sub(r"[^a-z0-9]+", "-", (title or book).lower()).strip("-") or "book"
    kind = "incollection" if title and title != book else "book"
    fields = {
        "author": f"{{{author}}}",
        "title": title or book,
        "booktitle": book if kind == "incollection" else "",
        "edition": edition,
        "year": str(date.year) if date else "",
        "url": url,
    }
    lines = [f"  {key} = {{{value}}}," for key, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{name},", *lines, "}"])
