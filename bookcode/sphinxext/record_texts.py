"""What is wrong with the texts that cells publish: captions, alt texts, wordings, drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.records import ClaimRecord, FigureRecord, PresetRecord, Record
from bookcode.prose import Match, PublishedIndex, find_drawn, find_judgements, find_numbers
from bookcode.sphinxext.library import Library, plain
from bookcode.words import short

_PART = re.compile("[十百千万]分之一")
"""A Chinese part of a whole that English has one word for ("a hundredth")."""


class Problem(NamedTuple):
    """What is wrong with a text.

    Attributes:
        tag: "prose" for what is typed, "text" for what cannot be shown.
        words: what is wrong.
        english: the text that it translates, "" for an English one.
    """

    tag: str
    words: str
    english: str = ""


def text_problems(library: Library, record: Record, language: str) -> Iterator[Problem]:
    """Typed numbers and verdicts in the texts of a record, and placeholders that lead nowhere."""
    for texts, judged in _texts(record):
        source = texts.get("en", [])
        for spoken, said in texts.items():
            if spoken not in ("en", short(language)):
                continue  # read where it is shown
            for number, text in enumerate(said):
                english = source[number] if spoken != "en" and number < len(source) else ""
                found = _problems(library, record.key, text, spoken, judged=judged)
                yield from (problem._replace(english=english) for problem in found)
    if isinstance(record, FigureRecord):
        yield from drawn_problems(library, record, language)


def _texts(record: Record) -> Iterator[tuple[Mapping[str, Sequence[str]], bool]]:
    """Texts by language, and whether they are read for verdicts: a claim's own pass verdicts."""
    if isinstance(record, ClaimRecord):
        yield record.wordings, False
    elif isinstance(record, FigureRecord):
        for told in (record.captions, record.alts):
            yield {language: [text] for language, text in told.items()}, True
    elif isinstance(record, PresetRecord):
        yield {language: [text] for language, text in record.titles.items()}, True


def _problems(
    library: Library, key: str, text: str, language: str, *, judged: bool
) -> Iterator[Problem]:
    """What is wrong with one text in ``language`` ("en", "zh")."""
    try:
        parts = library.text(text, language)
    except NumbersError as error:
        yield Problem("text", f"in a text of {key!r}: {error}")
        return
    typed = " ".join(part for part in parts if isinstance(part, str))
    verdicts = list(find_judgements(typed, language))
    for match in find_numbers(typed, context="paragraph", language=language):
        said = _PART.fullmatch(match.text) or _is_within(match, verdicts)
        if not judged and said and not any(map(str.isdecimal, match.text)):
            continue  # words of the verdict, which its predicate checks
        yield Problem(
            "prose",
            f"{match.text!r} in a text of {key!r}: {match.reason}; write {{key}} of a published "
            f"number in its place (the text reads {plain(parts)!r})",
        )
    for match in verdicts if judged else ():
        yield Problem(
            "prose",
            f"{match.text!r} in a text of {key!r}: {match.reason}; say it in the page with a claim "
            f"(the text reads {plain(parts)!r})",
        )


def _is_within(match: Match, others: Iterable[Match]) -> bool:
    return any(other.start <= match.start and match.end <= other.end for other in others)


def drawn_problems(library: Library, record: FigureRecord, language: str) -> Iterator[Problem]:
    """What is drawn as text must be published numbers and words, or labels of ticks."""
    known = {key: library.numbers[key] for key in record.uses if key in library.numbers}
    words = {r.value for r in known.values() if r.number is None}
    words |= {library.number(key, "", language).text for key, r in known.items() if not r.number}
    index = PublishedIndex(library.published(known, language))
    try:
        found = list(find_drawn(record.svg, published=index, words=words, language=short(language)))
    except ValueError as error:
        yield Problem("text", f"figure {record.key!r}: {error}")
        return
    if not found:
        return
    everything = PublishedIndex(library.published())
    for text, match in found:
        near = [
            f"{key} (= {shown})" for _, key, shown in everything.same_value(match.text, language)
        ]
        hint = f"; did you mean {' or '.join(near[:3])}" if near else ""
        yield Problem(
            "prose",
            f"{match.text!r} drawn in figure {record.key!r} ({text!r}): {match.reason}; draw "
            f"book.text() of a published number and name it in uses{hint}",
        )
