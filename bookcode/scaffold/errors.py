"""What may be wrong with a beginning."""

from __future__ import annotations

from bookcode.numbers.errors import NumbersError


class ScaffoldError(NumbersError):
    """A name that cannot be used, or a file that is not as it must be; nothing was written."""
