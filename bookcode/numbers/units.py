"""Units of published numbers: a small algebra that keeps bytes, FLOPs and seconds apart.

A byte and a FLOP are dimensions of their own here, so that adding them is an error; counts
(parameters, tokens, ranks) are dimensionless and keep their noun only while nothing is done to
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from bookcode.numbers.errors import NumbersError

DIMENSIONS = ("B", "FLOP", "s", "W", "Hz", "cycle")
NOUNS = ("parameters", "elements", "tokens", "layers", "ranks", "heads")
_SINGULAR = ("parameter", "element", "token", "layer", "rank", "head")
_SPELT_OUT = {"byte": "B", "second": "s", "sec": "s", "watt": "W", "hertz": "Hz"}


class UnitError(NumbersError):
    """Quantities of different dimensions were added, compared or declared as each other."""


@dataclass(frozen=True)
class Unit:
    """A product of dimensions with whole exponents.

    Attributes:
        exponents: dimension to exponent, zeros left out, sorted.
        label: how the unit is written where it was declared ("parameters", "B/parameter");
            empty when it follows from a calculation.
        tracked: False for a value whose unit is not followed (JavaScript needs none).
    """

    exponents: tuple[tuple[str, int], ...] = ()
    label: str = ""
    tracked: bool = True

    def __str__(self) -> str:
        if self.label:
            return self.label
        over = [f"{n}^{e}" if e > 1 else n for n, e in self.exponents if e > 0]
        under = [f"{n}^{-e}" if e < -1 else n for n, e in self.exponents if e < 0]
        return "*".join(over or ["1"]) + "".join(f"/{name}" for name in under)

    @property
    def dimensionless(self) -> bool:
        """Whether the unit is a pure number or a count."""
        return not self.exponents

    def same_dimension(self, other: Unit) -> bool:
        """Whether both measure the same thing."""
        return self.exponents == other.exponents or not (self.tracked and other.tracked)

    def __mul__(self, other: Unit) -> Unit:
        if not (self.tracked and other.tracked):
            return UNTRACKED
        if not other.exponents:
            return Unit(self.exponents)
        if not self.exponents:
            return Unit(other.exponents)
        return _unit(dict(self.exponents), other, 1)

    def __truediv__(self, other: Unit) -> Unit:
        if not (self.tracked and other.tracked):
            return UNTRACKED
        return (
            Unit(self.exponents) if not other.exponents else _unit(dict(self.exponents), other, -1)
        )

    def __pow__(self, exponent: int) -> Unit:
        if not self.tracked:
            return UNTRACKED
        return Unit(tuple((n, e * exponent) for n, e in self.exponents if exponent))


def _unit(exponents: dict[str, int], other: Unit, sign: int) -> Unit:
    for name, exponent in other.exponents:
        exponents[name] = exponents.get(name, 0) + sign * exponent
    return Unit(_sorted(exponents))


def _sorted(exponents: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    order = DIMENSIONS.index
    return tuple((n, e) for n, e in sorted(exponents.items(), key=lambda i: order(i[0])) if e)


ONE = Unit()
UNTRACKED = Unit(tracked=False)


def parse_unit(text: str) -> Unit:
    """Read "B", "FLOP/B", "B/parameter", "parameters", "1", "B^2*s/W", ....

    Raises:
        UnitError: for anything else, naming the nearest unit.
    """
    exponents: dict[str, int] = {}
    first, *under = text.split("/")
    factors = [(factor, 1) for factor in first.split("*") if first != "1"]
    for factor, sign in factors + [(part, -1) for part in under]:
        name, power = _factor(text, factor)
        if name in DIMENSIONS:
            exponents[name] = exponents.get(name, 0) + sign * power
    return Unit(_sorted(exponents), "" if text == "1" else text)


def _factor(text: str, factor: str) -> tuple[str, int]:
    match = re.fullmatch(r"([A-Za-z]+)(?:\^([1-9]))?", factor)
    name = match[1] if match else factor
    if match and name in (*DIMENSIONS, *NOUNS, *_SINGULAR):
        return name, int(match[2] or 1)
    known = {**{unit: unit for unit in (*DIMENSIONS, *NOUNS)}, **_SPELT_OUT}
    folded = {spelling.casefold(): unit for spelling, unit in known.items()}
    near = [folded[n] for n in get_close_matches(name.casefold(), folded, n=2, cutoff=0.5)]
    hint = " or ".join(dict.fromkeys(near)) or ", ".join((*DIMENSIONS, *NOUNS))
    raise UnitError(f"unknown unit {text!r}; nearest: {hint}")
