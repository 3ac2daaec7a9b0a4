"""Reads what a typed number is worth: "6.58 GB" is 6.58e9 B, known to 0.01 GB."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ._text import plain
from ._units import unit_of

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_MULTIPLES: Final = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "千": 10**3, "万": 10**4, "百万": 10**6, "千万": 10**7, "亿": 10**8, "万亿": 10**12,
    "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
}  # fmt: skip
_NUMBER_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "a hundred": 100,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "十": 10, "百": 100,
}  # fmt: skip
_WHOLE_WORDS: Final = {"twice": "2 ×", "half": "1/2", "一半": "1/2", "a third": "1/3"}

_READ: Final = re.compile(
    r"(?P<times>×\s?)?(?P<sign>[-−+±]?)(?P<number>\d[\d,_' ]*(?:\.\d+)?|\.\d+)"
    r"(?:[eE](?P<e>[-+−]?\d+)|\s?[×x·]\s?10(?:\^\{?(?P<ten>[-−]?\d+)\}?|(?P<sup>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))"
    r"|\s?\^\s?\{?(?P<power>-?\d+)\}?|\*\*(?P<pow>\d+)|(?P<up>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|\s?/\s?(?P<below>\d+(?:\.\d+)?))?"
    rf"\s?(?:(?P<multiple>{'|'.join(sorted(_MULTIPLES, key=len, reverse=True))})(?![A-Za-z/]))?"
    r"\s?-?(?P<unit>.*)",
    re.DOTALL,
)
_WORD: Final = re.compile(
    rf"(?i:({'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))}))"
    r"(?:[- ]|(?![A-Za-z])|(?=fold))"
)
_LONGEST: Final = 80
"""A longer text is no number that anyone has published."""
_LARGEST_EXPONENT: Final = 100
"""Beyond this nothing is published; and what is read stays within the range of floats."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in its base unit (B, s, FLOP/s, "" for a ratio) and the step it was typed to.

    A step of 0 means that the value was typed exactly ("1/6", "2^53").
    """

    value: Fraction
    step: Fraction
    dimension: str
    has_unit: bool

    def bounds(self) -> tuple[float, float]:
        """A little more than the values this can show: a quick test before `shows`."""
        reach = float(self.step) + 1e-9 * abs(float(self.value))
        return float(self.value) - reach, float(self.value) + reach

    def shows(self, value: Fraction) -> bool:
        """Whether `value`, in the same base unit, would be written like this (half rounds up)."""
        if self.step == 0:
            return abs(self.value - value) <= abs(value) / 10**9
        rounded = (abs(value) / self.step + Fraction(1, 2)).__floor__() * self.step
        return rounded == abs(self.value) and (value < 0) == (self.value < 0)


def _exponent(text: str | None) -> int:
    return int((text or "0").translate(_SUPERSCRIPTS).replace("−", "-"))


def _magnitude(found: re.Match[str]) -> tuple[Fraction, Fraction] | None:
    """Value and step of the number, without its unit; None if it is out of all proportion."""
    digits = re.sub(r"[,_' ]", "", found["number"])
    mantissa = Fraction(digits if digits[0] != "." else "0" + digits)
    step = Fraction(1, 10 ** len(digits.partition(".")[2]))
    if found["below"]:
        below = Fraction(found["below"])
        return (mantissa / below, Fraction(0)) if below else None
    ten = _exponent(found["e"] or found["ten"] or found["sup"])
    power = _exponent(found["power"] or found["pow"] or found["up"])
    if max(abs(ten), abs(power) * len(digits)) > _LARGEST_EXPONENT:
        return None
    if power:
        return (mantissa**power, Fraction(0)) if mantissa else None
    return mantissa * Fraction(10) ** ten, step * Fraction(10) ** ten


def _in_digits(text: str) -> str:
    """ "three times" as "3 times", so that words and digits are read alike."""
    whole = _WHOLE_WORDS.get(text.lower())
    if whole is not None:
        return whole
    found = _WORD.match(text)
    if found is None:
        return text
    return f"{_NUMBER_WORDS[found[1].lower()]} {text[found.end() :]}"


def parse_quantity(text: str) -> Quantity | None:
    """What a typed number is worth, or None if it is no single number with a known unit."""
    found = _READ.fullmatch(_in_digits(plain(text).strip()))
    if found is None or len(text) > _LONGEST:
        return None
    unit = unit_of(found["unit"])
    magnitude = _magnitude(found)
    if unit is None or magnitude is None:
        return None
    sign = -1 if found["sign"] in ("-", "−") else 1
    scale = unit.scale * _MULTIPLES.get(found["multiple"] or "", 1)
    return Quantity(
        value=sign * magnitude[0] * scale,
        step=magnitude[1] * scale,
        dimension=unit.dimension,
        has_unit=bool(found["unit"].strip() or found["times"]),
    )
