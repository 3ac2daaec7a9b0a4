"""Chapter parameters: what a reader may change, within which limits."""

from __future__ import annotations

import hashlib
import keyword
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.units import UnitError, parse_unit


class ParameterError(NumbersError):
    """A parameter that is declared badly, or a value outside its declaration."""


@dataclass(frozen=True)
class Quantity:
    """A number that a reader may change.

    Attributes:
        name: identifier, also the variable's name in JavaScript.
        title: what the page calls it.
        unit: what it counts ("tokens", "ranks") or measures.
        default, minimum, maximum: whole numbers.
        step: values are minimum + a multiple of this.
    """

    name: str
    title: str
    unit: str
    default: int
    minimum: int
    maximum: int
    step: int = 1

    def __post_init__(self) -> None:
        _check_name(self.name)
        try:
            parse_unit(self.unit)
        except UnitError as error:
            raise ParameterError(f"parameter {self.name!r}: {error}") from None
        if not 0 < self.minimum <= self.default <= self.maximum or self.step < 1:
            raise ParameterError(
                f"parameter {self.name!r}: needs 0 < minimum <= default <= maximum and step >= 1"
            )
        for what, value in (("default", self.default), ("maximum", self.maximum)):
            if (value - self.minimum) % self.step:
                raise ParameterError(
                    f"parameter {self.name!r}: {what} {value} is not minimum {self.minimum} "
                    f"plus a multiple of {self.step}"
                )

    def describe(self) -> dict[str, Any]:
        """The JSON description for the page."""
        return {"kind": "quantity", **vars(self)}

    def point(self, index: int) -> int:
        """The value at check point ``index``: both ends, then spread evenly on a log scale."""
        if index in (0, 1):
            return (self.minimum, self.maximum)[index]
        low, high = math.log(self.minimum), math.log(self.maximum)
        raw = math.exp(_random(self.name, index).uniform(low, high))
        steps = round((raw - self.minimum) / self.step)
        return min(self.maximum, max(self.minimum, self.minimum + steps * self.step))


@dataclass(frozen=True)
class Choice:
    """A row of a ledger table that a reader may pick.

    Attributes:
        rows: the rows on offer by name, in the order shown.
        default: the name of the row the book uses.
    """

    name: str
    title: str
    default: str
    rows: Mapping[str, Any]

    def __post_init__(self) -> None:
        _check_name(self.name)
        if self.default not in self.rows:
            raise ParameterError(
                f"parameter {self.name!r}: no option {self.default!r}"
                + did_you_mean(self.default, self.rows)
            )

    def describe(self) -> dict[str, Any]:
        """The JSON description for the page."""
        titles = {name: getattr(row, "title", name) for name, row in self.rows.items()}
        return {
            "kind": "choice",
            "name": self.name,
            "title": self.title,
            "default": self.default,
            "options": titles,
        }

    def point(self, index: int) -> str:
        """The option at check point ``index``."""
        names = list(self.rows)
        return names[index % len(names)] if index < 2 else _random(self.name, index).choice(names)


Parameter = Quantity | Choice
Point = dict[str, Any]


def _check_name(name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise ParameterError(f"parameter name {name!r}: use lower case letters, digits and _")


def _random(name: str, index: int) -> random.Random:
    seed = hashlib.sha256(f"{name}/{index}".encode()).digest()
    return random.Random(seed)


def points(parameters: Mapping[str, Parameter], count: int) -> Iterator[Point]:
    """``count`` assignments: the parameters' ends first, then random ones, always the same."""
    for index in range(count):
        yield {name: parameter.point(index) for name, parameter in parameters.items()}


def python_value(parameter: Parameter, value: Any) -> Any:
    """What a ledger function gets for a parameter's value: a fraction or a table row."""
    return Fraction(value) if isinstance(parameter, Quantity) else parameter.rows[value]
