"""The editions held against each other: catalogues, what is published and shown, built pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path

from bookcode.translation.book import book_messages
from bookcode.translation.checking import check_catalogues
from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.translation.errors import PendingError
from bookcode.translation.extraction import Message
from bookcode.translation.pending import PATH, PendingList
from bookcode.translation.same import differences
from bookcode.verify.builds import Build, Layout
from bookcode.verify.result import Result

_DATA: Mapping[str, str] = {"data-key": "data-spec", "data-claim": ""}
"""Attribute of what a page shows to the one with its format."""


def check_translations(layout: Layout, builds: Sequence[Build]) -> list[Result]:
    """The catalogues and the editions; what needs an edition that was not built is unchecked."""
    built = {build.edition: build for build in builds}
    results = []
    for edition, language in LANGUAGES.items():
        if edition == SOURCE:
            continue
        name = f"translation {edition}"
        if SOURCE not in built:
            results.append(Result(name, unchecked=[f"the edition {SOURCE} was not built"]))
            continue
        english = book_messages(layout.root, built[SOURCE].exported)
        results.append(check_language(layout.root, name, language, english))
        result = Result(f"same as {SOURCE}: {edition}", 0, "keys")
        if edition in built:
            _compare(layout, built[SOURCE], built[edition], result)
        else:
            result.unchecked.append(f"the edition {edition} was not built")
        results.append(result)
    return results


def check_language(
    root: Path, name: str, language: str, english: Mapping[str, Sequence[Message]]
) -> Result:
    """The catalogues of one language as a check."""
    result = Result(name, sum(map(len, english.values())), "messages")
    try:
        pending = PendingList.load(root)
    except PendingError as error:
        result.problems.append(str(error))
        pending = PendingList()
    result.problems += map(str, check_catalogues(root, language, english, pending))
    count = sum(entry.language == language for entry in pending.entries)
    if count:
        result.note = f"{count} pending, see {PATH.as_posix()}"
    return result


def _compare(layout: Layout, source: Build, other: Build, result: Result) -> None:
    pages = source.exported["pages"]
    result.checked = sum(len(page["records"]) + len(page["uses"]) for page in pages.values())
    result.problems += differences(source.exported, other.exported)
    for docname, page in sorted(pages.items()):
        paths = [layout.html(b.edition) / f"{docname}.html" for b in (source, other)]
        if all(path.is_file() for path in paths):
            for problem in page_differences(*(path.read_text("utf-8") for path in paths)):
                where = paths[1].relative_to(layout.site).as_posix()
                result.problems.append(f"{page['source']}:1: {where}: {problem}")


class _Page(HTMLParser):
    """Collects the ids of a page, and the keys of what it shows.

    Ids inside a drawing are of its strokes, which go where the words leave room: nothing links
    there.
    """

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.shown: set[tuple[str, str, str]] = set()
        self._drawings = 0
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self._drawings += tag == "svg"
        if "id" in found and not self._drawings:
            self.ids.add(found["id"])
        for name, spec in _DATA.items():
            if name in found:
                self.shown.add((name, found[name], found.get(spec, "")))

    def handle_endtag(self, tag: str) -> None:
        self._drawings -= tag == "svg"


def page_differences(source: str, other: str) -> Iterator[str]:
    """What the page of another edition lacks or has beside the source's: anchors and keys."""
    ours, theirs = _Page(source), _Page(other)
    for name in sorted(ours.ids - theirs.ids):
        yield f"no element with id {name!r}: links to it from the other edition lead nowhere"
    for name in sorted(theirs.ids - ours.ids):
        yield f"an element with id {name!r} that the page in {SOURCE} does not have"
    for _, key, spec in sorted(ours.shown - theirs.shown):
        yield f"{key}{':' * bool(spec)}{spec} is not shown"
    for _, key, spec in sorted(theirs.shown - ours.shown):
        yield f"{key}{':' * bool(spec)}{spec} is shown in this edition only"
