"""The table of formats: symbols, units, prefixes and kinds; and the same for the page.

``formats.json`` is the one source. The page imports it as the printed module ``format-table.js``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bookcode.numbers.errors import FormatError, did_you_mean
from bookcode.numbers.files import write_atomic
from bookcode.words import short

TABLE_PATH: Final = Path(__file__).with_name("formats.json")
MODULE_PATH: Final = Path(__file__).parents[1] / "site" / "js" / "format-table.js"
TABLE: Final[dict[str, Any]] = json.loads(TABLE_PATH.read_text(encoding="utf-8"))
SYMBOLS: Final[dict[str, str]] = TABLE["symbols"]


@dataclass(frozen=True, slots=True)
class Scale:
    """A prefix, worth ten to the ``power`` times two to the ``bits``."""

    prefix: str
    power: int = 0
    bits: int = 0


UNSCALED: Final = Scale("")
"""The unit itself."""
BINARY: Final = tuple(Scale(prefix, bits=bits) for prefix, bits in TABLE["binary"])


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its default spec, its ladder of prefixes, and its words per language, one and many.

    From ten to the ``below`` on a number is shown with a power of ten instead of a prefix.
    """

    name: str
    default: str
    binary: bool
    steps: tuple[Scale, ...]
    below: int
    text: Mapping[str, tuple[str, str]]

    def scales(self) -> dict[str, Scale]:
        """The scaled units a spec may name, such as ``GB`` and ``GiB`` of ``B``."""
        every = self.steps + (BINARY if self.binary else ())
        return {scale.prefix + self.name: scale for scale in every}


def _read_unit(name: str, row: Mapping[str, Any]) -> Unit:
    ladder = TABLE["ladders"][row["ladder"]]
    steps = tuple(Scale(prefix, power) for prefix, power in ladder["steps"])
    text = dict.fromkeys(TABLE["languages"], (name, name))
    text |= {language: (one, many) for language, (one, many) in row.get("text", {}).items()}
    return Unit(name, row["default"], row.get("binary", False), steps, ladder["below"], text)


UNITS: Final = {name: _read_unit(name, row) for name, row in TABLE["units"].items()}
SCALES: Final = tuple(dict.fromkeys(name for unit in UNITS.values() for name in unit.scales()))


def unit_of(name: str) -> Unit:
    """A unit by name. Raises FormatError: no such unit, with the nearest."""
    if name not in UNITS:
        raise FormatError(f"no unit {name!r}{did_you_mean(name, UNITS)}")
    return UNITS[name]


def language_of(tag: str) -> str:
    """The table's language for a tag such as ``zh_CN`` or ``zh-Hans``."""
    language = short(tag)
    if language not in TABLE["languages"]:
        raise FormatError(f"no language {tag!r}{did_you_mean(tag, TABLE['languages'])}")
    return language


def format_table_module() -> str:
    """The table as the ES module that the page imports."""
    table = json.dumps(TABLE, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    return (
        "// Printed from bookcode/numbers/formats.json by write_format_table(); edit that file.\n"
        f"export const TABLE = {table};\n"
    )


def write_format_table(path: Path = MODULE_PATH) -> Path:
    """Write ``format-table.js`` anew."""
    write_atomic(path, format_table_module())
    return path
