"""Draws: calculations that are fresh for each reader, and that the page can mark. No Sphinx here.

A draw names a published number of the page and the parameters to vary; the page's own module
computes the answer, so nothing is typed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from bookcode.numbers.errors import FormatError, NumbersError, did_you_mean
from bookcode.numbers.formats import format_value
from bookcode.numbers.records import NumberRecord

PERCENT: Final = "%"
LARGEST_TOLERANCE: Final = Fraction(1, 5)

_DRAW = re.compile(r"(?P<key>\S+)(?:\s+with\s+(?P<vary>.+))?", re.DOTALL)
_RANGE = re.compile(r"(?P<low>\d+)\s*\.\.\s*(?P<high>\d+)(?:\s+step\s+(?P<step>\d+))?")
_PERCENT = re.compile(r"(?P<percent>\d+(?:\.\d+)?)\s*%")


class ExerciseError(NumbersError):
    """An exercise or a question that is not as it must be."""


@dataclass(frozen=True)
class Span:
    """Values from ``low`` to ``high``; a step of 0 stands for the parameter's own."""

    low: int
    high: int
    step: int = 0


Values = Span | tuple[str, ...] | None
"""What a parameter may become: a span, one of some values, or (None) all that it may be."""


@dataclass(frozen=True)
class Draw:
    """A calculation that the page can mark.

    Attributes:
        key: the published number that is the answer.
        vary: the parameters drawn afresh; none means that the book's values are asked for.
        tolerance: relative error that still counts as right.
        scale: the unit that the reader is asked for ("MB", "ms"); "" is the number's own.
    """

    key: str
    vary: Mapping[str, Values]
    tolerance: Fraction
    scale: str = ""


def read_draw(draw: str, tolerance: str, scale: str) -> Draw:
    """``KEY with PARAMETER = 512..8192 step 512; OTHER = h100, h200`` as a draw.

    Raises:
        ExerciseError: saying how it is written.
    """
    match = _DRAW.fullmatch(draw.strip())
    if not match:
        raise ExerciseError(f"draw {draw!r}: write `KEY with PARAMETER = LOW..HIGH step STEP`")
    vary = dict(_varied(part) for part in (match["vary"] or "").split(";") if part.strip())
    return Draw(match["key"], vary, read_tolerance(tolerance), scale.strip())


def _varied(text: str) -> tuple[str, Values]:
    name, equals, values = (part.strip() for part in text.partition("="))
    if not name.isidentifier() or (equals and not values):
        raise ExerciseError(f"draw: {text.strip()!r} is not `PARAMETER = VALUES`")
    if not equals:
        return name, None
    if match := _RANGE.fullmatch(values):
        return name, Span(int(match["low"]), int(match["high"]), int(match["step"] or 0))
    return name, tuple(value.strip() for value in values.split(","))


def read_tolerance(text: str) -> Fraction:
    """``1 %`` as a fraction.

    Raises:
        ExerciseError: for a missing, negative or careless tolerance.
    """
    match = _PERCENT.fullmatch(text.strip())
    if not match:
        raise ExerciseError(f"tolerance {text!r}: write a share such as `1 %`")
    tolerance = Fraction(match["percent"]) / 100
    if not 0 < tolerance <= LARGEST_TOLERANCE:
        raise ExerciseError(f"tolerance {text}: from above 0 to {float(LARGEST_TOLERANCE):.0%}")
    return tolerance


# draws against the page's numbers and parameters ------------------------------------------------
@dataclass(frozen=True)
class Around:
    """What stands around a draw.

    Attributes:
        asks: keys of the numbers that the question shows.
        answers: keys of the numbers that the answer shows.
        fixed: keys of formulas shown with the book's values, which a draw would belie.
        numbers: the page's published numbers by key.
        parameters: descriptions of the page's parameters by name.
    """

    asks: Collection[str]
    answers: Collection[str]
    fixed: Collection[str]
    numbers: Mapping[str, NumberRecord]
    parameters: Mapping[str, Mapping[str, Any]]


def draw_problems(draw: Draw, around: Around) -> Iterator[str]:
    """What is wrong with a draw on a page."""
    numbers, parameters = around.numbers, around.parameters
    if draw.key not in numbers:
        yield f"draw: this page publishes no {draw.key!r}{did_you_mean(draw.key, numbers)}"
        return
    record = numbers[draw.key]
    if record.number is None:
        yield f"draw: {draw.key} is a word, which cannot be marked"
    else:
        yield from _scale_problems(draw, record)
    if draw.key not in around.answers:
        yield f"draw: the answer does not show {draw.key}"
    if draw.key in around.asks:
        yield f"draw: the question shows {draw.key}, which it asks for"
    for key in around.fixed if draw.vary else ():
        yield f"draw: the formula of {key} is shown with the book's values, not the drawn ones"
    for name, values in draw.vary.items():
        if name not in parameters:
            yield f"draw: this page has no parameter {name!r}{did_you_mean(name, parameters)}"
            continue
        if name not in record.parameters:
            yield f"draw: {draw.key} does not depend on {name}"
        if not any(name in numbers[key].parameters for key in around.asks if key in numbers):
            yield f"draw: the question shows no number from which a reader could tell {name}"
        yield from _range_problems(name, values, parameters[name])


def _scale_problems(draw: Draw, record: NumberRecord) -> Iterator[str]:
    if draw.scale == PERCENT:
        if record.unit != "1":
            yield f"in %: {draw.key} is in {record.unit}"
    elif draw.scale:
        try:
            format_value(Fraction(record.value), record.unit, f"sig4:{draw.scale}")
        except FormatError as error:
            yield f"in {draw.scale}: {error}"


def _range_problems(name: str, values: Values, described: Mapping[str, Any]) -> Iterator[str]:
    if described["kind"] == "choice":
        known = described["options"]
        if isinstance(values, Span):
            yield f"draw: {name} is one of some names, not a range{did_you_mean('', known)}"
        elif values is not None:
            for value in values:
                if value not in known:
                    yield f"draw: {name} = {value!r} is not on offer{did_you_mean(value, known)}"
        return
    low, high, step = described["minimum"], described["maximum"], described["step"]
    for value in _ends(values):
        if not value.isdigit():
            yield f"draw: {name} = {value!r} is not a whole number"
        elif not low <= int(value) <= high or (int(value) - low) % step:
            yield f"draw: {name} = {value} is not among {low}..{high} in steps of {step}"
    if isinstance(values, Span) and (values.low >= values.high or values.step % step):
        yield f"draw: {name}: from low to high, in steps that are multiples of {step}"


def _ends(values: Values) -> tuple[str, ...]:
    if isinstance(values, Span):
        return str(values.low), str(values.high)
    return values or ()


def drawn_from(values: Values, described: Mapping[str, Any]) -> dict[str, Any]:
    """What the page's script needs to draw one parameter."""
    if described["kind"] == "choice":
        return {"values": list(values if isinstance(values, tuple) else described["options"])}
    if isinstance(values, tuple):
        return {"values": [int(value) for value in values]}
    span = values or Span(described["minimum"], described["maximum"])
    return {"low": span.low, "high": span.high, "step": span.step or described["step"]}


def draw_data(draw: Draw, parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A draw as the page's script reads it; parameters that the page lacks are left out."""
    return {
        "key": draw.key,
        "vary": {
            name: drawn_from(values, parameters[name])
            for name, values in draw.vary.items()
            if name in parameters
        },
        "tolerance": float(draw.tolerance),
        "scale": draw.scale,
    }
