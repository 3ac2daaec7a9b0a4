"""What is wrong with the texts that cells publish: captions, alt texts, wordings, drawings."""

from __future__ import annotations

from collections.abc import Iterator

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.records import ClaimRecord, FigureRecord, PresetRecord, Record
from bookcode.prose import PublishedIndex, find_drawn, find_judgements, find_numbers
from bookcode.sphinxext.library import Library, plain

Problem = tuple[str, str]
"""A tag ("prose" for what is typed, "text" for what cannot be shown), and what is wrong."""


def text_problems(library: Library, record: Record, language: str) -> Iterator[Problem]:
    """Typed numbers and verdicts in the texts of a record, and placeholders that lead nowhere."""
    if isinstance(record, ClaimRecord):
        for tongue, wordings in record.wordings.items():
            for text in wordings:
                yield from _problems(library, record.key, text, tongue, judged=False)
    elif isinstance(record, FigureRecord):
        for tongue, text in (*record.captions.items(), *record.alts.items()):
            yield from _problems(library, record.key, text, tongue)
        yield from drawn_problems(library, record, language)
    elif isinstance(record, PresetRecord):
        for tongue, text in record.titles.items():
            yield from _problems(library, record.key, text, tongue)


def _problems(
    library: Library, key: str, text: str, language: str, *, judged: bool = True
) -> Iterator[Problem]:
    """``judged``: a verdict's own wordings pass verdicts, other texts do not."""
    try:
        parts = library.text(text, language)
    except NumbersError as error:
        yield "text", f"in a text of {key!r}: {error}"
        return
    typed = " ".join(part for part in parts if isinstance(part, str))
    short = language.split("_")[0]
    for match in find_numbers(typed, context="paragraph", language=short):
        yield (
            "prose",
            f"{match.text!r} in a text of {key!r}: {match.reason}; write {{key}} of a published "
            f"number in its place (the text reads {plain(parts)!r})",
        )
    for match in find_judgements(typed, short) if judged else ():
        yield (
            "prose",
            f"{match.text!r} in a text of {key!r}: {match.reason}; say it in the page with a claim "
            f"(the text reads {plain(parts)!r})",
        )


def drawn_problems(library: Library, record: FigureRecord, language: str) -> Iterator[Problem]:
    """What is drawn as text must be published numbers and words, or labels of ticks."""
    known = {key: library.numbers[key] for key in record.uses if key in library.numbers}
    words = {r.value for r in known.values() if r.number is None}
    words |= {library.number(key, "", language).text for key, r in known.items() if not r.number}
    index = PublishedIndex(library.published(known, language))
    try:
        found = list(
            find_drawn(record.svg, published=index, words=words, language=language.split("_")[0])
        )
    except ValueError as error:
        yield "text", f"figure {record.key!r}: {error}"
        return
    if not found:
        return
    everything = PublishedIndex(library.published())
    for text, match in found:
        near = [
            f"{key} (= {shown})" for _, key, shown in everything.same_value(match.text, language)
        ]
        hint = f"; did you mean {' or '.join(near[:3])}" if near else ""
        yield (
            "prose",
            f"{match.text!r} drawn in figure {record.key!r} ({text!r}): {match.reason}; draw "
            f"book.text() of a published number and name it in uses{hint}",
        )
