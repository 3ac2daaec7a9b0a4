"""Classes of size: how long the bound says that a call takes at least."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from bookcode.numbers.formats import format_value

EDGES: Final[Mapping[str, tuple[float, float]]] = {
    "below-1us": (0.0, 1e-6),
    "1us": (1e-6, 1e-5),
    "10us": (1e-5, 1e-4),
    "100us": (1e-4, 1e-3),
    "above-1ms": (1e-3, float("inf")),
}
"""Name of a class to the bounds that belong to it, in s, the lower end included."""


def ends(name: str, language: str) -> tuple[str, str]:
    """The lower and the upper end of a class as a page shows them; "" for one that is open."""
    low, high = EDGES[name]
    return _text(low, language) if low else "", _text(high, language) if high < 1 else ""


def _text(seconds: float, language: str) -> str:
    return format_value(Fraction(str(seconds)), "s", "sig1", language=language)
