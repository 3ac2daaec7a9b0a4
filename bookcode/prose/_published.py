"""Finds the published number a typed one repeats, so that the lint can say what to write."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, Protocol

from ._quantity import Quantity, parse_quantity
from ._text import plain
from ._units import unit_of


class Published(Protocol):
    """Whatever knows the numbers and verdicts that are published."""

    def same_value(self, text: str, language: str) -> list[tuple[str, str, str]]:
        """Role, key and shown text of each published thing that `text` may stand for."""
        ...


class _Entry(NamedTuple):
    role: str
    key: str
    shown: str
    folded: str
    value: float
    scale: Fraction | None
    dimension: str


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", plain(text)).strip().casefold()


class PublishedIndex:
    """Published values, looked up by what a typed text rounds to.

    Built from (role, key, value, unit, shown); `value` is in `unit`, NaN for what has no value
    (a verdict), whose shown text alone is compared.
    """

    def __init__(self, records: Iterable[tuple[str, str, float, str, str]]) -> None:
        self._entries = [self._entry(*record) for record in records]

    @staticmethod
    def _entry(role: str, key: str, value: float, unit: str, shown: str) -> _Entry:
        known = unit_of("" if unit == "1" else unit)
        return _Entry(
            role=role,
            key=key,
            shown=shown,
            folded=_folded(shown),
            value=value,
            scale=known.scale if known else None,
            dimension=known.dimension if known else unit,
        )

    def same_value(self, text: str, language: str) -> list[tuple[str, str, str]]:
        """Those shown with the same text first, then those of the same value and unit.

        A number typed without a unit is compared with the value in the published unit and with
        the number as it is shown ("188.5" for "188.5 µs"). The language makes no difference here:
        units and number words of all languages are read.
        """
        folded = _folded(text)
        typed = parse_quantity(text)
        bounds = typed.bounds() if typed else (0.0, 0.0)
        ranked = [
            (rank, entry)
            for entry in self._entries
            if (rank := _rank(entry, folded, typed, bounds)) < 3
        ]
        ranked.sort(key=lambda pair: pair[0])
        return list(dict.fromkeys((e.role, e.key, e.shown) for _, e in ranked))


def _rank(entry: _Entry, folded: str, typed: Quantity | None, bounds: tuple[float, float]) -> int:
    """0: shown alike; 1: same value and unit; 2: same number, no unit typed; 3: another value."""
    if folded == entry.folded:
        return 0
    if typed is None or not math.isfinite(entry.value):
        return 3
    if (
        entry.scale is not None
        and typed.dimension == entry.dimension
        and bounds[0] <= entry.value * float(entry.scale) <= bounds[1]
        and typed.shows(Fraction(entry.value) * entry.scale)
    ):
        return 1
    if typed.has_unit:
        return 3
    near = bounds[0] <= entry.value <= bounds[1]
    return (
        2 if _begins(folded, entry.folded) or (near and typed.shows(Fraction(entry.value))) else 3
    )


def _begins(number: str, shown: str) -> bool:
    """Whether `shown` is `number` with something after it that does not belong to the number."""
    return shown.startswith(number) and re.match(r"[\d.,]*\d", shown[len(number) :]) is None
