"""What may go wrong before there is anything to compare."""

from __future__ import annotations

from bookcode.numbers.errors import NumbersError


class ReproducibleError(NumbersError):
    """The book could not be copied or built."""
