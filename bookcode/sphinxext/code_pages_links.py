"""Which definitions made which published numbers, and where these are shown. No Sphinx here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bookcode.numbers.records import NumberRecord
from bookcode.sphinxext.code_pages_source import CodeFile, Definition
from bookcode.sphinxext.state import Page
from bookcode.sphinxext.survey import Spot, Survey


@dataclass
class Made:
    """What a definition has to do with published numbers.

    Attributes:
        here: keys of the numbers it is asked for, by the section that shows them first.
        through: pages, with how many of their numbers it takes part in besides.
    """

    here: dict[Spot, list[str]] = field(default_factory=dict)
    through: dict[str, int] = field(default_factory=dict)


Makers = dict[tuple[str, str], Made]
"""By path and qualified name."""


def named_files(pages: Mapping[str, Page]) -> set[str]:
    """The files that records name as having made something."""
    found = set()
    for _, record in _numbers(pages):
        found |= {mark.partition("::")[0] for mark in record.reached}
        if record.place:
            found.add(record.place.rpartition(":")[0])
    return found


def makers_of(files: Mapping[str, CodeFile], pages: Mapping[str, Page], survey: Survey) -> Makers:
    """What every definition made, pages in order."""
    makers: Makers = {}
    for docname, record in _numbers(pages):
        direct = _made_directly(files, record)
        if direct is not None:
            path, definition = direct
            made = makers.setdefault((path, definition.name), Made())
            made.here.setdefault(spot_of(survey, docname, record.key), []).append(record.key)
        for mark in record.reached:
            path, _, name = mark.partition("::")
            if direct is None or (path, name) != (direct[0], direct[1].name):
                through = makers.setdefault((path, name), Made()).through
                through[docname] = through.get(docname, 0) + 1
    return makers


def spot_of(survey: Survey, docname: str, key: str) -> Spot:
    """Where a number is shown first, preferably on the page that publishes it."""
    spots = list(survey.spots("num", key))
    own = [spot for spot in spots if spot.docname == docname]
    return next(iter([*own, *spots]), Spot(docname, "", ""))


def _numbers(pages: Mapping[str, Page]) -> Iterator[tuple[str, NumberRecord]]:
    for docname, page in sorted(pages.items()):
        for placed in page.records:
            if isinstance(placed.record, NumberRecord):
                yield docname, placed.record


def _made_directly(
    files: Mapping[str, CodeFile], record: NumberRecord
) -> tuple[str, Definition] | None:
    """The definition whose result, or a field of it, the number is."""
    path, _, line = record.place.rpartition(":")
    definition = files[path].at(int(line)) if path in files else None
    return None if definition is None else (path, definition)
