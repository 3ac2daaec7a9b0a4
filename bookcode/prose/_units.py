"""Units as people type them in prose: the patterns that find them, and what they are worth.

A unit is worth a scale and a dimension: "GB/s" is 10^9 of "B/s", "µs" a millionth of "s", "%" a
hundredth of "". The lint compares a typed number with a published one through these two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """A scale, and the name of what it scales ("" for a plain ratio)."""

    scale: Fraction
    dimension: str


_DECIMAL: Final = {
    "": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
    "m": -3, "µ": -6, "μ": -6, "u": -6, "n": -9, "p": -12,
}  # fmt: skip
_BINARY: Final = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5}

# Symbol -> dimension, prefixes. The order of a tuple does not matter; spellings are exact.
_SYMBOLS: Final[tuple[tuple[tuple[str, ...], str, str], ...]] = (
    (("B",), "B", "kKMGTPE"),
    (("bit", "bits", "bps"), "bit", "kKMGT"),
    (("FLOP", "FLOPs", "flop", "flops"), "FLOP", "kKMGTPE"),
    (("FLOPS",), "FLOP/s", "kKMGTPE"),
    (("OPS",), "OP/s", "MGTP"),
    (("OP", "OPs", "MAC", "MACs"), "OP", "MGTP"),
    (("FMA", "FMAs"), "FMA", "MGTP"),
    (("s",), "s", "mµμunp"),
    (("Hz",), "Hz", "kMGT"),
    (("W",), "W", "mkMG"),
    (("J",), "J", "mµkMnp"),
    (("V",), "V", "m"),
)
_PLAIN_SYMBOLS: Final[dict[str, Unit]] = {
    "kb": Unit(Fraction(1000), "B"),
    "mb": Unit(Fraction(10**6), "B"),
    "gb": Unit(Fraction(10**9), "B"),
    "tb": Unit(Fraction(10**12), "B"),
    "Kb": Unit(Fraction(1000), "bit"),
    "Mb": Unit(Fraction(10**6), "bit"),
    "Gb": Unit(Fraction(10**9), "bit"),
    "Tb": Unit(Fraction(10**12), "bit"),
    "min": Unit(Fraction(60), "s"),
    "nm": Unit(Fraction(1, 10**9), "m"),
    "µm": Unit(Fraction(1, 10**6), "m"),
    "mm": Unit(Fraction(1, 1000), "m"),
    "cm": Unit(Fraction(1, 100), "m"),
    "km": Unit(Fraction(1000), "m"),
    "kg": Unit(Fraction(1), "kg"),
    "°C": Unit(Fraction(1), "°C"),
    "dB": Unit(Fraction(1), "dB"),
    "pp": Unit(Fraction(1, 100), ""),
    "cycles": Unit(Fraction(1), "cycle"),
    "cycle": Unit(Fraction(1), "cycle"),
}
# Stem of an English word -> scale and dimension; all take a prefix word and a plural.
_WORD_STEMS: Final[dict[str, Unit]] = {
    "byte": Unit(Fraction(1), "B"),
    "bit": Unit(Fraction(1), "bit"),
    "second": Unit(Fraction(1), "s"),
    "minute": Unit(Fraction(60), "s"),
    "hour": Unit(Fraction(3600), "s"),
    "watt": Unit(Fraction(1), "W"),
    "joule": Unit(Fraction(1), "J"),
    "hertz": Unit(Fraction(1), "Hz"),
    "flop": Unit(Fraction(1), "FLOP"),
}
_WORD_PREFIXES: Final = {
    "": 0, "kilo": 3, "mega": 6, "giga": 9, "tera": 12, "peta": 15, "exa": 18,
    "milli": -3, "micro": -6, "nano": -9, "pico": -12,
}  # fmt: skip
_PER_WORDS: Final = (
    *("cycle", "clock", "token", "parameter", "element", "layer", "step", "core", "SM", "GPU"),
    *("CTA", "block", "rank", "request", "row", "head", "score", "launch", "thread", "warp"),
)
_CHINESE: Final[dict[str, Unit]] = {
    "千字节": Unit(Fraction(10**3), "B"),
    "兆字节": Unit(Fraction(10**6), "B"),
    "字节": Unit(Fraction(1), "B"),
    "比特": Unit(Fraction(1), "bit"),
    "毫秒": Unit(Fraction(1, 10**3), "s"),
    "微秒": Unit(Fraction(1, 10**6), "s"),
    "纳秒": Unit(Fraction(1, 10**9), "s"),
    "秒": Unit(Fraction(1), "s"),
    "分钟": Unit(Fraction(60), "s"),
    "小时": Unit(Fraction(3600), "s"),
    "瓦": Unit(Fraction(1), "W"),
    "赫兹": Unit(Fraction(1), "Hz"),
    "时钟周期": Unit(Fraction(1), "cycle"),
    "周期": Unit(Fraction(1), "cycle"),
    "百分点": Unit(Fraction(1, 100), ""),
    "数量级": Unit(Fraction(1), "order"),
    "倍": Unit(Fraction(1), ""),
}
_RATIOS: Final[dict[str, Unit]] = {
    "%": Unit(Fraction(1, 100), ""),
    "‰": Unit(Fraction(1, 1000), ""),
    "percent": Unit(Fraction(1, 100), ""),
    "per cent": Unit(Fraction(1, 100), ""),
    "percentage point": Unit(Fraction(1, 100), ""),
    "percentage points": Unit(Fraction(1, 100), ""),
    "×": Unit(Fraction(1), ""),
    "x": Unit(Fraction(1), ""),
    "X": Unit(Fraction(1), ""),
    "times": Unit(Fraction(1), ""),
    "fold": Unit(Fraction(1), ""),
    "order of magnitude": Unit(Fraction(1), "order"),
    "orders of magnitude": Unit(Fraction(1), "order"),
}


def _symbols() -> dict[str, Unit]:
    table = dict(_PLAIN_SYMBOLS)
    for spellings, dimension, prefixes in _SYMBOLS:
        for spelling in spellings:
            for prefix in ("", *prefixes):
                table[prefix + spelling] = Unit(Fraction(10) ** _DECIMAL[prefix], dimension)
    for prefix, power in _BINARY.items():
        table[prefix + "B"] = Unit(Fraction(1024) ** power, "B")
    return table


def _words() -> dict[str, Unit]:
    table = {}
    for stem, unit in _WORD_STEMS.items():
        for prefix, power in _WORD_PREFIXES.items():
            scaled = Unit(unit.scale * Fraction(10) ** power, unit.dimension)
            table[prefix + stem] = table[prefix + stem + "s"] = scaled
    return table


_SYMBOL_UNITS: Final = _symbols()
_WORD_UNITS: Final = _words()
_KNOWN: Final = _SYMBOL_UNITS | _WORD_UNITS | _CHINESE | _RATIOS


def _either(names: Iterable[str]) -> str:
    """An alternation of fixed texts, the longest first, so that none hides a longer one."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_END: Final = r"(?![A-Za-z0-9_])"


def _one() -> str:
    """The pattern of one simple unit, built by prefix: listing all takes long to compile."""
    symbols = [f"[{prefixes}]?(?:{_either(names)})" for names, _, prefixes in _SYMBOLS]
    symbols += [f"(?:{_either(_BINARY)})B", _either(_PLAIN_SYMBOLS)]
    words = f"(?:{_either(filter(None, _WORD_PREFIXES))})?(?:{_either(_WORD_STEMS)})s?"
    return rf"(?:(?:{'|'.join(symbols)}|(?i:{words})){_END}|{_either(_CHINESE)})"


_ONE: Final = _one()
_PER: Final = rf"(?:\s?(?:/|per\b|每)\s?(?:{_ONE}|(?:{_either(_PER_WORDS)})s?{_END}))"

UNIT: Final = rf"(?:{_ONE}{_PER}*)"
"""A unit of a quantity, compound ones included: "µs", "GB/s", "FLOP per byte", 字节."""

RATIO: Final = (
    r"(?:[%‰]|(?i:per\s?cent|percentage points?|orders? of magnitude)\b"
    r"|×(?!\s?\d)|[xX](?!\s?\d|[A-Za-z_])|(?i:-?fold|[- ]times)\b)"
)
"""What turns a number into a ratio: "%", "×", "2x", "times", "-fold"."""


def unit_of(text: str) -> Unit | None:
    """What a typed unit is worth, or None if it is none that is known; "" is a plain number."""
    cleaned = re.sub(r"\s*(?:/|\bper(?! ?cent)\b|每)\s*", "/", text.strip().lstrip("-"))
    cleaned = re.sub(r"\s+", " ", cleaned).removeprefix("个").strip()
    if not cleaned:
        return Unit(Fraction(1), "")
    scale, dimensions = Fraction(1), []
    for index, part in enumerate(cleaned.split("/")):
        unit = _KNOWN.get(part) or _KNOWN.get(part.lower())
        if unit is None:
            if index == 0 or part.rstrip("s") not in _PER_WORDS:
                return None
            unit = Unit(Fraction(1), part.rstrip("s"))
        scale = scale / unit.scale if index else scale * unit.scale
        dimensions.append(unit.dimension)
    return Unit(scale, "/".join(dimensions))
