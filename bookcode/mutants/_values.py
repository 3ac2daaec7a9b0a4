"""Values changed a little: the last digit that is written."""

from __future__ import annotations

import re
from typing import Any, Final

_DIGIT: Final = re.compile(r"\d(?=\D*$)")


def nudged(value: str) -> str:
    """A number as text with another last digit; the exponent stays ("4800e9" → "4801e9")."""
    mantissa, mark, exponent = re.fullmatch(r"([^eE]*)([eE]?)(.*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    changed = _DIGIT.sub(lambda digit: str((int(digit[0]) + 1) % 10), mantissa, count=1)
    if changed.strip("-0.") == "":  # 9 would become 0, which is no size
        changed = _DIGIT.sub("8", mantissa, count=1)
    return changed + mark + exponent


def altered(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if re.fullmatch(r"-?\d+(?:/\d+)?", value):
            return nudged(value)
        case str():
            return f"{value}x"
        case list():
            return [*value, "x"]
        case dict():
            return {**value, "x": 1}
        case None:
            return "x"
    raise TypeError(f"a lock holds no {type(value).__name__}")
