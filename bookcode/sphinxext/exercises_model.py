"""What an exercise or a question is made of, and what is wrong with one. No Sphinx in here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from bookcode.numbers.errors import did_you_mean
from bookcode.sphinxext.exercises_draws import ExerciseError, read_draw

EXERCISE_KINDS: Final = ("concept", "calculation", "code-reading", "hands-on")
DIFFICULTIES: Final = ("1", "2", "3")
HARDWARE: Final = ("none", "computer", "nvidia-gpu", "ascend-npu")
QUESTION_KINDS: Final = ("choice", "number")
PARTS: Final = ("hint", "answer", "mistakes")
VERDICTS: Final = ("right", "wrong")

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


@dataclass(frozen=True)
class Option:
    """One answer to choose: whether it is right, and whether it has a text and an explanation."""

    line: int
    verdict: str
    complete: bool


@dataclass(frozen=True)
class Entry:
    """An exercise or a question as the page has it, before anything was judged.

    Attributes:
        what: "exercise" or "question".
        name: its id, unique in the book.
        difficulty, needs: as written; empty for a question.
        draw, tolerance, scale: the options as written.
        parts: lines of the parts it has, by the part's name; empty ones are left out.
        options: the answers to choose from.
        asks: keys of the numbers that the question shows.
        answers: keys of the numbers that the answer shows.
        fixed: keys of formulas shown with the book's values, which a draw would belie.
    """

    what: str
    name: str
    line: int
    kind: str
    difficulty: str = ""
    needs: str = ""
    draw: str = ""
    tolerance: str = ""
    scale: str = ""
    asked: bool = True
    parts: Mapping[str, list[int]] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    asks: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What the page calls it: "E5" for the id "02-e5"."""
        return label_of(self.name)


def label_of(name: str) -> str:
    """The last part of an id, in capitals."""
    return name.rpartition("-")[2].upper()


# what is wrong with an entry --------------------------------------------------------------------
def problems(entry: Entry) -> Iterator[tuple[int, str]]:
    """Line and message of everything that is wrong with an entry by itself."""
    say = f"{entry.what} {entry.name!r}: "
    if not _ID.fullmatch(entry.name):
        yield entry.line, f"{say}an id is lower case with hyphens, such as 02-e5"
    if not entry.asked:
        yield entry.line, f"{say}asks nothing; write the question before its parts"
    vocabulary = _vocabulary(entry)
    for option, (value, known) in vocabulary.items():
        if value not in known:
            missing = f"{option} {value!r}" if value else option
            yield entry.line, f"{say}no {missing}{did_you_mean(value, known)}"
    for part in _required(entry):
        lines = entry.parts.get(part, [])
        if not lines:
            yield entry.line, f"{say}has no {part}"
        for line in lines[1:]:
            yield line, f"{say}has a second {part}; the first is on line {lines[0]}"
    if entry.kind == "choice":
        yield from _option_problems(entry, say)
    elif entry.kind == "number" and not entry.draw:
        yield entry.line, f"{say}a number to give needs `:draw: KEY` (and what to vary)"
    if entry.draw:
        try:
            read_draw(entry.draw, entry.tolerance, entry.scale)
        except ExerciseError as error:
            yield entry.line, f"{say}{error}"


def _vocabulary(entry: Entry) -> dict[str, tuple[str, tuple[str, ...]]]:
    if entry.what == "question":
        return {"kind": (entry.kind, QUESTION_KINDS)}
    return {
        "kind": (entry.kind, EXERCISE_KINDS),
        "difficulty": (entry.difficulty, DIFFICULTIES),
        "hardware need": (entry.needs, HARDWARE),
    }


def _required(entry: Entry) -> tuple[str, ...]:
    if entry.what == "exercise":
        return PARTS
    return ("answer",) if entry.kind == "number" else ()


def _option_problems(entry: Entry, say: str) -> Iterator[tuple[int, str]]:
    for option in entry.options:
        if option.verdict not in VERDICTS:
            near = did_you_mean(option.verdict, VERDICTS)
            yield option.line, f"{say}a choice is right or wrong, not {option.verdict!r}{near}"
        if not option.complete:
            yield option.line, f"{say}a choice has no explanation; write it as a second paragraph"
    for verdict in VERDICTS:
        if all(option.verdict != verdict for option in entry.options):
            yield entry.line, f"{say}none of its choices is {verdict}"


def duplicates(entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, str]]:
    """Place and message of ids that the book has twice; ``entries`` are (source path, entry)."""
    first: dict[str, str] = {}
    for source, entry in entries:
        place = f"{source}:{entry.line}"
        if entry.name in first:
            yield place, f"{entry.what} {entry.name!r} is already at {first[entry.name]}"
        first.setdefault(entry.name, place)
