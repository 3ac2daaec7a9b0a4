"""The facts that cells may calculate with: key, exact value, unit.

Reads the registry's data only; what a fact's source says is checked elsewhere.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from bookcode.numbers.errors import NumbersError, did_you_mean


class UnknownFactError(NumbersError):
    """A fact key that the registry does not hold."""


@dataclass(frozen=True)
class FactValue:
    """A fact's exact value and unit."""

    value: Fraction
    unit: str


class FactTable:
    """Facts by key, read from ``facts.toml`` when first asked."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _facts(self) -> dict[str, Any]:
        if not self._path.exists():
            return {}
        facts: dict[str, Any] = tomllib.loads(self._path.read_text("utf-8"))["facts"]
        return facts

    def __getitem__(self, key: str) -> FactValue:
        if key not in self._facts:
            raise UnknownFactError(f"no fact {key!r}{did_you_mean(key, self._facts)}")
        entry = self._facts[key]
        return FactValue(Fraction(entry["value"]), entry["unit"])
