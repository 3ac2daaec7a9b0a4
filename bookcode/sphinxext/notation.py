"""Tables of notation: the letters of all formulas, units, prefixes, and ways to show a number.

Letters come from the published formulas, everything else from the one table of formats.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from docutils import nodes

from bookcode.numbers.format_table import TABLE
from bookcode.numbers.formats import format_value, unit_name
from bookcode.sphinxext.cells import cell, code, listed, row
from bookcode.sphinxext.notation_symbols import Letter, declared, letters, shared
from bookcode.sphinxext.tables import KINDS, Kind, Setting
from bookcode.sphinxext.wording import said, say
from bookcode.words import Words

WORDS: Final[Words] = {
    "pure": {"en": "a pure number", "zh": "纯数"},
    "follows": {"en": "follows from its definition", "zh": "由定义得出"},
    "unit": {"en": "set upright, a unit", "zh": "正体时为单位"},
    "none-shared": {
        "en": "no letter stands for two things",
        "zh": "没有字母代表两种含义",
    },
    "no-prefix": {"en": "none", "zh": "无"},
    "on-request": {
        "en": "{prefixes}; when asked for: {binary}",
        "zh": "{prefixes}；指定时：{binary}",
    },
    "decimal": {"en": "decimal, the default", "zh": "十进制，默认"},
    "binary": {
        "en": "binary, only when asked for, only for bytes",
        "zh": "二进制，仅在指定时用于字节",
    },
    "sig": {
        "en": "significant digits, zeros kept, prefix chosen",
        "zh": "有效数字，保留零，自动选择前缀",
    },
    "fix": {"en": "digits after the point", "zh": "小数位数"},
    "pct": {"en": "a share in percent", "zh": "百分比"},
    "ratio": {"en": "a factor", "zh": "倍数"},
    "sci": {"en": "a power of ten", "zh": "科学计数法"},
    "bin": {"en": "bytes with binary prefixes", "zh": "带二进制前缀的字节"},
    "int": {"en": "a whole number, every digit", "zh": "整数，显示所有数位"},
    "frac": {"en": "a fraction in lowest terms", "zh": "最简分数"},
    "plain": {
        "en": "the exact decimal, refused where it does not end",
        "zh": "精确小数；无限小数则拒绝",
    },
}  # fmt: skip
SPECIMEN: Final = Fraction(123_456_789)
"""What the examples of units show, so that digits, grouping and prefix can be told apart."""
SPECIMENS: Final[Mapping[str, tuple[str, str, Fraction]]] = {
    "sig": ("sig3", "FLOP", SPECIMEN),
    "fix": ("fix1:MB", "B", SPECIMEN),
    "pct": ("pct1", "1", Fraction(2, 3)),
    "ratio": ("ratio3", "1", Fraction(8, 3)),
    "sci": ("sci3", "1", SPECIMEN),
    "bin": ("bin3", "B", SPECIMEN),
    "int": ("int", "1", SPECIMEN),
    "frac": ("frac", "1", Fraction(4, 6)),
    "plain": ("plain", "1", Fraction(5, 8)),
}
"""For each kind of format: a spec, a unit and a value."""


_say = functools.partial(said, WORDS)


def _math(latex: str) -> nodes.math:
    return nodes.math(latex, latex, bookcode="formula")


# letters ------------------------------------------------------------------------------------------
def _letters(setting: Setting) -> list[Letter]:
    return letters(setting.library.numbers.values(), declared())


def symbols(setting: Setting) -> list[nodes.row]:
    """Every letter of every published formula: symbol, meaning, unit, number of formulas."""
    return [
        row(
            cell(_math(one.latex)),
            _meaning(setting, one),
            _unit(setting, one),
            cell(str(one.formulas), classes=["bk-number-cell"]),
        )
        for one in _letters(setting)
    ]


def _meaning(setting: Setting, one: Letter) -> list[nodes.Node]:
    meaning = setting.library.meaning(one.meaning, setting.language)
    if not one.definition:
        return [nodes.Text(meaning)]
    head = setting.say("headed", text=meaning)
    return [nodes.Text(head), _math(f"{one.latex} = {one.definition}")]


def _unit(setting: Setting, one: Letter) -> str:
    if one.definition:
        return _say("follows", setting.language)
    pure = _say("pure", setting.language)
    return pure if one.unit == "1" else unit_name(one.unit, language=setting.language)


def shared_symbols(setting: Setting) -> list[nodes.row]:
    """Letters with more than one meaning, or one row that says that there are none.

    A letter that is also the sign of a unit has that as a further meaning.
    """
    found = _letters(setting)
    meanings = shared(found)
    for one in found:
        if one.latex in TABLE["units"]:
            meanings.setdefault(one.latex, [one])
    if not meanings:
        return [row("–", _say("none-shared", setting.language))]
    return [
        row(cell(_math(letter)), _each(setting, letter, ones))
        for letter, ones in sorted(meanings.items())
    ]


def _each(setting: Setting, letter: str, ones: list[Letter]) -> list[nodes.Node]:
    """ "d: elements of one head; d_c: ..." """
    parts: list[nodes.Node] = []
    for one in ones:
        meaning = setting.library.meaning(one.meaning, setting.language)
        text = nodes.Text(setting.say("headed", text="") + meaning)
        parts.append(nodes.inline("", "", _math(one.latex), text))
    if letter in TABLE["units"]:
        parts.append(nodes.Text(_say("unit", setting.language)))
    return listed(parts, setting.say("join"))


# units, prefixes, formats -------------------------------------------------------------------------
def units(setting: Setting) -> list[nodes.row]:
    """Every unit: its prefixes, the format it has unless a page asks for another, an example."""
    language = setting.language
    rows = []
    for name, unit in TABLE["units"].items():
        spec = unit["default"]
        shown = _say("pure", language) if name == "1" else unit_name(name, language=language)
        example = format_value(SPECIMEN, name, spec, language=language)
        rows.append(row(shown, _prefixes(unit, language), cell(code(spec)), example))
    return rows


def _prefixes(unit: Mapping[str, Any], language: str) -> str:
    decimal = _named(TABLE["ladders"][unit["ladder"]]["steps"])
    joint = say("comma", language)
    text = joint.join(decimal) or _say("no-prefix", language)
    if not unit.get("binary"):
        return text
    return _say("on-request", language, prefixes=text, binary=joint.join(_named(TABLE["binary"])))


def _named(steps: Iterable[list[Any]]) -> list[str]:
    return [prefix for prefix, _ in steps if prefix]


def prefixes(setting: Setting) -> list[nodes.row]:
    """Every prefix, and what it is worth."""
    powers = {
        prefix: power
        for ladder in TABLE["ladders"].values()
        for prefix, power in ladder["steps"]
        if prefix
    }
    kinds = [("decimal", 10, powers), ("binary", 2, {p: bits for p, bits in TABLE["binary"] if p})]
    return [
        row(prefix, cell(_math(f"{base}^{{{power}}}")), _say(kind, setting.language))
        for kind, base, steps in kinds
        for prefix, power in sorted(steps.items(), key=lambda step: step[1])
    ]


def formats(setting: Setting) -> list[nodes.row]:
    """Every way to show a number, with an example."""
    rows = []
    for kind in TABLE["kinds"]:
        spec, unit, value = SPECIMENS[kind]
        example = format_value(value, unit, spec, language=setting.language)
        rows.append(row(cell(code(spec)), _say(kind, setting.language), example))
    return rows


KINDS["symbols-table"] = Kind(("Symbol", "Meaning", "Unit", "Formulas"), symbols)
KINDS["shared-symbols"] = Kind(("Symbol", "Meanings"), shared_symbols)
KINDS["units-table"] = Kind(("Unit", "Prefixes", "Shown as", "Example"), units)
KINDS["prefixes-table"] = Kind(("Prefix", "Worth", "Kind"), prefixes)
KINDS["formats-table"] = Kind(("Format", "Meaning", "Example"), formats)
