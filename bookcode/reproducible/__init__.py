"""Builds the book twice, as differently as can be, and compares the sites byte for byte."""

from __future__ import annotations

from .errors import ReproducibleError
from .trees import Difference, compare
from .twice import Outcome, build_twice
from .ways import Way, two_ways

__all__ = [
    "Difference",
    "Outcome",
    "ReproducibleError",
    "Way",
    "build_twice",
    "compare",
    "two_ways",
]
