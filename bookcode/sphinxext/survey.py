"""Where the book shows what, and which citations a chapter rests on. No Sphinx in here.

Everything is read off what the pages published and show; nothing of it is typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bookcode.numbers.lock import chapter_of
from bookcode.numbers.records import ClaimRecord, FigureRecord, NumberRecord
from bookcode.sources.model import Fact
from bookcode.sources.registry import Registry
from bookcode.sphinxext.library import PLACEHOLDER
from bookcode.sphinxext.state import Page, Use


@dataclass(frozen=True)
class Spot:
    """A section of a page in which something is shown."""

    docname: str
    anchor: str
    title: str


Spots = dict[Spot, int]
"""Sections with how often something is shown in each, in the order of the book."""


@dataclass
class Reliance:
    """What a chapter uses a citation for.

    Attributes:
        spots: where it is cited, by itself or through a fact.
        facts: keys of its facts that the chapter shows or calculates with.
        numbers: keys of the chapter's numbers that rest on these facts.
    """

    spots: Spots = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)


class Survey:
    """The pages of the book, looked through once."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._pages = dict(sorted(pages.items()))
        self._spots: dict[tuple[str, str], Spots] = {}
        records = [p.record for page in self._pages.values() for p in page.records]
        self._claims = {r.key: r for r in records if isinstance(r, ClaimRecord)}
        self._figures = {r.key: r for r in records if isinstance(r, FigureRecord)}
        for docname, page in self._pages.items():
            for use in page.uses:
                spot = Spot(docname, use.anchor, use.section)
                for role, key in self._shown_by(use):
                    counts = self._spots.setdefault((role, key), {})
                    counts[spot] = counts.get(spot, 0) + 1

    def _shown_by(self, use: Use) -> Iterator[tuple[str, str]]:
        """What one use shows: itself, and what its verdict or figure is made of."""
        yield ("num" if use.role == "formula" else use.role), use.key
        texts: list[str] = []
        inner: list[str] = []
        if use.role == "holds" and use.key in self._claims:
            claim = self._claims[use.key]
            inner, texts = claim.uses, [t for ts in claim.wordings.values() for t in ts]
        elif use.role == "figure" and use.key in self._figures:
            figure = self._figures[use.key]
            inner, texts = figure.uses, [*figure.captions.values(), *figure.alts.values()]
        named = [match[1] for text in texts for match in PLACEHOLDER.finditer(text)]
        for key in dict.fromkeys([*inner, *named]):
            yield "num", key
            yield "fact", key

    def uses(self) -> Iterator[Use]:
        """Every place that shows something, in the order of the pages."""
        for page in self._pages.values():
            yield from page.uses

    def chapters(self) -> list[str]:
        """The chapters, in order."""
        return list(dict.fromkeys(map(chapter_of, self._pages)))

    def spots(self, role: str, key: str) -> Spots:
        """Where something is shown; a number also where its formula, verdict or figure stands."""
        return self._spots.get((role, key), {})

    def numbers(self, chapter: str) -> list[NumberRecord]:
        """The numbers that a chapter publishes, in its order."""
        return [record for _, records in self.by_page(chapter) for record in records]

    def by_page(self, chapter: str) -> Iterator[tuple[str, list[NumberRecord]]]:
        """The pages of a chapter that publish numbers, with these."""
        for docname, page in self._pages.items():
            records = [p.record for p in page.records if isinstance(p.record, NumberRecord)]
            if records and chapter_of(docname) == chapter:
                yield docname, records

    def relied_on(self, chapter: str, registry: Registry) -> dict[str, Reliance]:
        """The citations that a chapter rests on, by id, in the registry's order.

        Through ``src``, through the facts it shows, and through the facts that its numbers use by
        themselves or through the rows of their machine or model.
        """
        found: dict[str, Reliance] = {}
        for (role, key), spots in self._spots.items():
            mine = {s: n for s, n in spots.items() if chapter_of(s.docname) == chapter}
            if mine and role == "src" and key in registry.citations:
                _merge(found.setdefault(key, Reliance()).spots, mine)
            elif mine and role == "fact" and key in registry.facts:
                fact = registry.facts[key]
                _merge(_of_fact(found, fact).spots, mine)
        for record in self.numbers(chapter):
            for key in facts_behind(record):
                if key in registry.facts:
                    _of_fact(found, registry.facts[key]).numbers.add(record.key)
        return {key: found[key] for key in registry.citations if key in found}


def facts_behind(record: NumberRecord) -> list[str]:
    """The facts that a number uses by itself or through its rows, each once."""
    through_rows = [key for keys in record.grounds.values() for key in keys]
    return list(dict.fromkeys([*record.facts, *through_rows]))


def _of_fact(found: dict[str, Reliance], fact: Fact) -> Reliance:
    reliance = found.setdefault(fact.citation, Reliance())
    if fact.key not in reliance.facts:
        reliance.facts.append(fact.key)
    return reliance


def _merge(into: Spots, more: Spots) -> None:
    for spot, count in more.items():
        into[spot] = into.get(spot, 0) + count
