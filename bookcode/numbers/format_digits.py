"""The digits of a shown number: the double, its guard digits, and rounding half up."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from fractions import Fraction
from typing import Final, SupportsFloat

from bookcode.numbers.errors import FormatError
from bookcode.numbers.format_table import SYMBOLS, TABLE, UNSCALED, Scale

_DIGITS: Final[int] = TABLE["guard_digits"]
_GUARD: Final = Context(prec=_DIGITS, rounding=ROUND_HALF_UP)


def number_of(value: SupportsFloat) -> tuple[float, Fraction | None]:
    """The double that is shown, and the exact value where there is one."""
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "shape", ()) == ():  # a numpy scalar
        value = item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise FormatError(f"{value!r} is not a number that can be shown")
    exact = None
    if isinstance(value, numbers.Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
    try:
        double = float(value)
    except OverflowError:
        raise FormatError("a number beyond the range of a double cannot be shown") from None
    if not math.isfinite(double):
        raise FormatError(f"{double!r} cannot be shown")
    return double, exact


@dataclass(frozen=True, slots=True)
class Digits:
    """A magnitude: 15 significant digits, the first one worth ten to the ``exponent``."""

    digits: str
    exponent: int

    @classmethod
    def of(cls, double: float, scale: Scale = UNSCALED) -> Digits:
        """The digits of a double's magnitude, in a scaled unit."""
        # Division by a power of two is exact.
        rounded = _GUARD.create_decimal_from_float(abs(double) / 2**scale.bits)
        digits = "".join(map(str, rounded.as_tuple().digits)).ljust(_DIGITS, "0")
        return cls(digits[:_DIGITS], rounded.adjusted() - scale.power)

    def at(self, place: int) -> str:
        """The whole number of ten to the ``place``, rounded half up."""
        keep = self.exponent - place + 1
        if keep < 0:
            return "0"
        if keep >= len(self.digits):
            return self.digits.ljust(keep, "0")
        return str(int(self.digits[:keep] or "0") + (self.digits[keep] >= "5"))

    def significant(self, count: int) -> Digits:
        """``count`` digits of it; 9.99 may carry into 10."""
        digits = self.at(self.exponent - count + 1)
        return Digits(digits[:count], self.exponent + len(digits) - count)

    def shifted(self, power: int) -> Digits:
        """The same digits, worth ten to the ``power`` less."""
        return Digits(self.digits, self.exponent - power)

    def positional(self) -> str:
        """Written out: "0.00137"."""
        return positional(self.digits, self.exponent - len(self.digits) + 1)

    def scientific(self) -> str:
        """With a power of ten: "1.37 × 10⁻³"."""
        power = "".join(SYMBOLS["superscripts"][int(digit)] for digit in str(abs(self.exponent)))
        if self.exponent < 0:
            power = SYMBOLS["superscript_minus"] + power
        mantissa = Digits(self.digits, 0).positional()
        return f"{mantissa}{SYMBOLS['space']}{SYMBOLS['times']}{SYMBOLS['space']}10{power}"


def positional(coefficient: str, place: int) -> str:
    """Digits with their point, the last one worth ten to the ``place``."""
    if place >= 0:
        return group(coefficient + "0" * place)
    padded = coefficient.rjust(1 - place, "0")
    return group(padded[:place]) + SYMBOLS["point"] + padded[place:]


def group(whole: str, least: int = TABLE["group_from"]) -> str:
    """A whole number with its thousands apart, from ``least`` digits on."""
    return f"{int(whole):,}".replace(",", SYMBOLS["group"]) if len(whole) >= least else whole
