"""How numbers are shown: one table and one rounding rule, for the build and for the page.

``bookcode/site/js/format.js`` is this module again in JavaScript; both read ``formats.json`` (the
page as the printed module ``format-table.js``) and give equal strings for equal values.

The rounding rule: a value becomes a double, the double is rounded half up to 15 significant
digits, and those decimal digits are rounded half up to the digits shown. The first step makes
the last bits of the page's double arithmetic invisible. Ties go away from zero.

A spec is a kind, its digits, a scale where wanted, and ``-`` for the number without its unit:

``sigN``    N significant digits, zeros kept, prefix chosen (``137 GFLOP``); below a thousandth
            of the smallest prefix or far above the largest one as ``sciN``; zero is ``0``
``sigN:GB`` the same at a fixed scale        ``fixN``, ``fixN:ms``  N decimals
``pctN``    a share in percent, N decimals   ``ratioN``  N significant digits and ``×``
``sciN``    ``1.37 × 10¹¹``                  ``binN``    bytes in KiB, MiB or GiB
``int``     a whole number, every digit      ``frac``    ``1/6`` in lowest terms
``plain``   the exact decimal, refused where it does not end within 12 digits
``sig3-``   without unit, hence without a chosen prefix: the number is in the unit itself

Thousands are separated by commas where the integer part has five digits or more; ``int``
separates four as well. Number and unit are joined by a narrow no-break space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, SupportsFloat

from bookcode.numbers.errors import FormatError, did_you_mean
from bookcode.numbers.format_digits import Digits, group, number_of, positional
from bookcode.numbers.format_table import (
    BINARY,
    SCALES,
    SYMBOLS,
    TABLE,
    UNITS,
    UNSCALED,
    Scale,
    Unit,
    language_of,
    unit_of,
)

_SPEC: Final = re.compile(r"([a-z]+)(0|[1-9][0-9]?)?(?::([^\s:]+?))?(-)?")


@dataclass(frozen=True, slots=True)
class Format:
    """A parsed spec; ``str`` gives it back."""

    kind: str
    digits: int
    scale: str | None = None
    bare: bool = False

    def __str__(self) -> str:
        digits = self.digits if TABLE["kinds"][self.kind] else ""
        return f"{self.kind}{digits}{f':{self.scale}' if self.scale else ''}{'-' * self.bare}"


# Specs and names


@lru_cache(maxsize=512)
def parse_spec(spec: str) -> Format:
    """The format that a spec such as ``sig3``, ``fix1:ms`` or ``int-`` stands for.

    Raises FormatError for a spec that is none, with the nearest ones.
    """
    # A Greek mu looks like the micro sign; the table has the latter.
    match = _SPEC.fullmatch(spec.replace("\u03bc", "\u00b5"))
    kind = match[1] if match else ""
    if match is None or kind not in TABLE["kinds"]:
        raise FormatError(f"no format {spec!r}{did_you_mean(spec, _every_spec())}")
    row = TABLE["kinds"][kind]
    low, high = row.get("digits", (0, 0))
    if not row and match[2]:
        raise FormatError(f"format {spec!r}: {kind} takes no digits; did you mean {kind}?")
    if row and not low <= int(match[2] or -1) <= high:
        raise FormatError(f"format {spec!r}: {kind} takes {low} to {high} digits, as in {kind}3")
    scale = match[3]
    if scale and not row.get("scale"):
        raise FormatError(f"format {spec!r}: only sig and fix take a scale, as in sig3:{scale}")
    if scale and scale not in SCALES:
        raise FormatError(f"format {spec!r}: no scale {scale!r}{did_you_mean(scale, SCALES)}")
    if kind == "bin" and match[4]:
        raise FormatError(f"format {spec!r} would hide the prefix; did you mean sig3:GiB-?")
    return Format(kind, int(match[2] or 0), scale, bool(match[4]))


def _every_spec() -> list[str]:
    return [
        f"{kind}{digits}"
        for kind, row in TABLE["kinds"].items()
        for digits in (range(row["digits"][0], row["digits"][1] + 1) if row else [""])
    ]


def _scale_of(unit: Unit, fmt: Format) -> Scale | None:
    if fmt.scale is None:
        return UNSCALED if fmt.bare else None
    scales = unit.scales()
    if fmt.scale not in scales:
        near = did_you_mean(fmt.scale, scales)
        raise FormatError(f"format {str(fmt)!r} does not fit the unit {unit.name!r}{near}")
    return scales[fmt.scale]


# One function a kind: the text of the magnitude and the prefix of the unit


@dataclass(frozen=True, slots=True)
class _Case:
    double: float
    exact: Fraction | None
    unit: Unit
    fmt: Format

    def refuse(self, why: str) -> FormatError:
        value = self.double if self.exact is None else self.exact
        return FormatError(f"{value} {self.unit.name} cannot be shown as {self.fmt}: {why}")


def _sig(case: _Case) -> tuple[str, str]:
    scale = _scale_of(case.unit, case.fmt)
    if case.double == 0:
        return "0", scale.prefix if scale else ""
    shown = Digits.of(case.double, scale or UNSCALED).significant(case.fmt.digits)
    low, high = TABLE["positional_from"], TABLE["positional_below"]
    if scale:
        fits = low <= shown.exponent < high
        return shown.positional() if fits else shown.scientific(), scale.prefix
    steps = case.unit.steps
    if not low + steps[0].power <= shown.exponent < case.unit.below:
        return shown.scientific(), ""
    step = next((s for s in reversed(steps) if s.power <= shown.exponent), steps[0])
    return shown.shifted(step.power).positional(), step.prefix


def _fix(case: _Case) -> tuple[str, str]:
    scale = _scale_of(case.unit, case.fmt) or UNSCALED
    text = positional(Digits.of(case.double, scale).at(-case.fmt.digits), -case.fmt.digits)
    return text, scale.prefix


def _pct(case: _Case) -> tuple[str, str]:
    share = Digits.of(case.double).shifted(-2)
    return positional(share.at(-case.fmt.digits), -case.fmt.digits), ""


def _ratio(case: _Case) -> tuple[str, str]:
    if case.double == 0:
        return "0", ""
    return Digits.of(case.double).significant(case.fmt.digits).positional(), ""


def _sci(case: _Case) -> tuple[str, str]:
    if case.double == 0:
        return "0", ""
    return Digits.of(case.double).significant(case.fmt.digits).scientific(), ""


def _bin(case: _Case) -> tuple[str, str]:
    if not case.unit.binary:
        raise case.refuse("KiB, MiB and GiB are for bytes")
    if case.double == 0:
        return "0", ""
    largest = len(BINARY) - 1
    step = max(sum(abs(case.double) >= 2**scale.bits for scale in BINARY) - 1, 0)
    shown = Digits.of(case.double, BINARY[step]).significant(case.fmt.digits)
    # Rounding may lift it to 1024, which is one of the next prefix.
    if step < largest and shown.exponent == 3 and shown.digits[:4].ljust(4, "0") >= "1024":
        step, shown = step + 1, Digits("1".ljust(case.fmt.digits, "0"), 0)
    if not TABLE["positional_from"] <= shown.exponent < TABLE["positional_below"]:
        return _sci(case)
    return shown.positional(), BINARY[step].prefix


def _whole(case: _Case) -> int | None:
    """The magnitude as an integer; None where it is not one."""
    if case.exact is not None and case.exact.denominator != 1:
        return None
    if not case.double.is_integer():
        near = Digits.of(case.double)
        if near.exponent - len(near.digits.rstrip("0")) + 1 < 0:
            return None
        return int(near.at(0))
    if abs(case.double) > TABLE["largest_whole"]:
        raise case.refuse("from 2**53 on not every digit holds; did you mean sig4 or sci4?")
    return abs(int(case.double))


def _int(case: _Case) -> tuple[str, str]:
    whole = _whole(case)
    if whole is None:
        raise case.refuse("it is not a whole number; did you mean sig3 or fix1?")
    return group(str(whole), 4), ""


def _plain(case: _Case) -> tuple[str, str]:
    whole = _whole(case)
    if whole is not None:
        return group(str(whole)), ""
    near = Digits.of(case.double)
    digits = near.digits.rstrip("0")
    place = near.exponent - len(digits) + 1
    if case.exact is not None and abs(case.exact) != int(digits) * Fraction(10) ** place:
        raise case.refuse("its decimals do not end within 15 digits; did you mean sig4 or frac?")
    if len(digits) > TABLE["plain_digits"] or place < -TABLE["plain_digits"]:
        raise case.refuse(
            f"its decimals do not end within {TABLE['plain_digits']} digits; did you mean sig4?"
        )
    return positional(digits, place), ""


def _frac(case: _Case) -> tuple[str, str]:
    value, bound = abs(case.double), TABLE["largest_fraction_part"]
    found = abs(case.exact) if case.exact is not None else _simplest(value, bound)
    if found is None or max(found.numerator, found.denominator) > bound:
        raise case.refuse(f"numerator and denominator would not both be at most {bound}")
    top = group(str(found.numerator))
    return (top if found.denominator == 1 else f"{top}/{group(str(found.denominator))}"), ""


def _simplest(value: float, bound: int) -> Fraction | None:
    """The fraction with parts up to ``bound`` that the double stands for, by its convergents."""
    rest = Fraction(value)
    top, bottom, last_top, last_bottom = 1, 0, 0, 1
    while True:
        whole = rest.numerator // rest.denominator
        top, last_top = whole * top + last_top, top
        bottom, last_bottom = whole * bottom + last_bottom, bottom
        if max(top, bottom) > bound:
            return None
        if abs(top / bottom - value) <= 1e-14 * value:
            return Fraction(top, bottom)
        rest = 1 / (rest - whole)


_KINDS: Final[Mapping[str, Callable[[_Case], tuple[str, str]]]] = {
    "sig": _sig,
    "fix": _fix,
    "pct": _pct,
    "ratio": _ratio,
    "sci": _sci,
    "bin": _bin,
    "int": _int,
    "frac": _frac,
    "plain": _plain,
}


# The face of the module


def default_spec(unit: str) -> str:
    """The spec a unit is shown with where none is given. Raises FormatError: no such unit."""
    return unit_of(unit).default


def unit_name(unit: str, *, language: str = "en") -> str:
    """A unit by itself, without a number: "elements"; in Chinese without the measure word.

    >>> unit_name("elements", language="zh_CN")
    '元素'
    """
    tongue = language_of(language)
    if tongue == "en" or unit not in UNITS:
        return unit
    return UNITS[unit].text[tongue][1].removeprefix("个").lstrip(SYMBOLS["space"]) or unit


def format_parts(
    value: SupportsFloat, unit: str, spec: str | None = None, *, language: str = "en"
) -> tuple[str, str]:
    """The text of the number and the text of its unit, either with no space around it.

    The unit is empty for dimensionless numbers and for specs that end in ``-``; ``%`` and ``×``
    count as units. ``spec`` None is the unit's default.

    Raises FormatError: unknown unit, spec or language; a value that is not finite or that the
    spec cannot show without saying something else (a fraction as ``int``).
    """
    row = unit_of(unit)
    fmt = parse_spec(row.default if spec is None else spec)
    words = row.text[language_of(language)]
    double, exact = number_of(value)
    case = _Case(double, exact, row, fmt)
    if fmt.kind in ("pct", "ratio") and unit != "1":
        raise case.refuse("only a dimensionless number, of unit '1', has percents and multiples")
    text, prefix = _KINDS[fmt.kind](case)
    if double < 0 and re.search("[1-9]", text):
        text = SYMBOLS["minus"] + text
    if fmt.bare:
        return text, ""
    if fmt.kind in ("pct", "ratio"):
        return text, SYMBOLS["percent" if fmt.kind == "pct" else "times"]
    return text, prefix + words[text != "1"]


def format_value(
    value: SupportsFloat, unit: str, spec: str | None = None, *, language: str = "en"
) -> str:
    """A number as the reader sees it; arguments and errors as in ``format_parts``.

    >>> format_value(137438953472, "FLOP", "sig3").replace("\u202f", " ")
    '137 GFLOP'
    """
    text, unit_text = format_parts(value, unit, spec, language=language)
    joint = "" if unit_text in ("", SYMBOLS["times"]) else SYMBOLS["space"]
    return text + joint + unit_text


def plain_text(shown: str) -> str:
    """A shown number for alt text and terminals: ordinary spaces, ``-``, ``10^11``."""
    power = f"10([{SYMBOLS['superscript_minus']}{SYMBOLS['superscripts']}]+)"
    ordinary = str.maketrans(SYMBOLS["superscripts"] + SYMBOLS["superscript_minus"], "0123456789-")
    shown = re.sub(power, lambda match: "10^" + match[1].translate(ordinary), shown)
    return shown.replace(SYMBOLS["space"], " ").replace(SYMBOLS["minus"], "-")
