"""What a typed number looks like: tables of rules, for English, for Chinese and for math.

In a table the first rule that fits at a place wins. Each rule says what it found (`reason`). The
text they are run on is plain (`_text.plain`), its names and ordinals are masked (`_names`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ._units import RATIO, UNIT

LETTER: Final = "A-Za-zÀ-ÖØ-öø-ɏͰ-Ͽ"
"""Letters a name is made of (no Chinese: there a name ends where the sentence goes on)."""


class NumberRule(NamedTuple):
    """A pattern of numbers, and what it is that it finds."""

    name: str
    reason: str
    pattern: str


# A number: grouped ("1,365", "8 030 261 248"), decimal, with an exponent or a power.
_NUMBER: Final = r"(?:\d{1,3}(?:[,_' ]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|\.\d+)"
_POWER: Final = r"(?:\s?\^\s?\{?[-−]?\d+\}?|\*\*\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[eE][-+−]?\d+)"
_SIGN: Final = r"(?:(?<![\w)\]])[-−+±])?"
_VALUE: Final = rf"{_SIGN}{_NUMBER}{_POWER}?"
_LINK: Final = r"(?:\s?(?:[–—…/×·*]|\.\.\.)\s?|[-:~xX]|\s?[xX]\s?|\s(?:to|-|~)\s)"
_CHAIN: Final = rf"{_VALUE}(?:{_LINK}{_VALUE})*"
_ZH_CHAIN: Final = rf"{_VALUE}(?:(?:{_LINK}|\s?[到至比]\s?){_VALUE})*"
_START: Final = rf"(?:[×✕]\s?|(?<![{LETTER}0-9_])x|(?<![{LETTER}0-9_])(?<!\d[.,]))"
_MULTIPLE: Final = r"(?:\s?(?:thousand|million|billion|trillion)\b|[kKMGT](?![\w]))"
_ZH_MULTIPLE: Final = r"(?:\s?(?:多|余)?[十百千]?[万亿千百])"
_TENTHS: Final = r"成(?=左右|以上|以下|多|的|[，。；、]|\Z)"
_TAIL: Final = rf"(?:\s?-?(?:{UNIT}|{RATIO}))"
_ZH_TAIL: Final = rf"(?:\s?(?:多|余)?个?\s?{UNIT}|{_TAIL}|\s?{_TENTHS})"
# "6ND", "4x4x": letters that follow at once belong to what was typed.
_LETTERS: Final = rf"[{LETTER}][{LETTER}0-9]*"

_SMALL: Final = "(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_TEENS: Final = "(?:thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"
_TENS: Final = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_BIG: Final = "(?:hundreds?|thousands?|millions?|billions?|trillions?|dozens?)"
_CARDINAL: Final = (
    rf"(?:(?:{_TENS}(?:[- ]{_SMALL})?|{_TEENS}|{_SMALL})"
    rf"(?:[- ]{_BIG}(?:\sand\s(?:{_SMALL}|{_TENS}))?)*)"
)
_PART: Final = "(?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|sixteenth)s?"
_SMALL_PART: Final = "(?:hundredth|thousandth|millionth)s?"

# fmt: off
ENGLISH: Final = (
    NumberRule(
        "words-with-unit", "a typed quantity, in words",
        rf"(?i:\b(?:{_CARDINAL}|half a|a half|a quarter)[- ](?:and a half[- ])?)"
        rf"(?:{UNIT}|(?i:per\s?cent|percentage points?)\b)",
    ),
    NumberRule(
        "words-of-magnitude", "a typed quantity, in words",
        rf"(?i:\b{_CARDINAL}(?: and a half)?[- ](?:full )?orders? of magnitude\b)",
    ),
    NumberRule(
        "words-as-factor", "a typed factor, in words",
        rf"(?i:\b(?:{_CARDINAL}|(?:an? )?{_BIG})(?: and a half)?(?:[- ]times\b|-?fold\b))",
    ),
    NumberRule(
        "words-as-part", "a typed fraction, in words",
        rf"(?i:\b(?:(?:an? )(?:{_PART}|{_SMALL_PART})(?= of\b)"
        rf"|(?:one|two|three|four|five|seven)[- ](?:{_PART}|{_SMALL_PART}))\b)",
    ),
    NumberRule(
        "large-words", "a typed number, in words",
        rf"(?i:\b(?:(?:an? |several )?{_BIG}|{_CARDINAL}[- ]{_BIG}"
        rf"|{_TENS}(?:[- ]{_SMALL})?|{_TEENS})\b)",
    ),
)
"""Numbers written in words. Small ones before a plain noun ("two budgets") are determiners."""

DIGITS: Final = (
    NumberRule("vulgar-fraction", "a typed fraction", r"\d*[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅑⅒]"),
    NumberRule(
        "number-with-unit", "a typed quantity",
        rf"{_START}{_CHAIN}{_MULTIPLE}?{_TAIL}",
    ),
    NumberRule(
        "number", "a typed number",
        rf"{_START}{_CHAIN}(?:{_MULTIPLE}|{_LETTERS})?",
    ),
)
"""Numbers written in digits, in any language."""

_NUMERAL: Final = "[〇零一二两三四五六七八九十百千万亿]"
_ZH_VALUE: Final = rf"(?:{_NUMERAL}+(?:点{_NUMERAL}+)?)"
CHINESE: Final = (
    NumberRule(
        "zh-part", "a typed fraction, in words",
        rf"(?:百|千|万|{_ZH_VALUE})分之(?:{_ZH_VALUE}|{_NUMBER})"
        rf"|{_NUMERAL}+比{_NUMERAL}+",
    ),
    NumberRule(
        "zh-words-with-unit", "a typed quantity, in words",
        rf"[几数]?{_ZH_VALUE}(?:多|余)?\s?个?\s?(?:半\s?)?{UNIT}",
    ),
    NumberRule("zh-tenths", "a typed fraction, in words", rf"[一二三四五六七八九两]{_TENTHS}"),
    NumberRule(
        "zh-large-words", "a typed number, in words",
        rf"(?:[二三四五六七八九]十|十[三四五六七八九](?!{_NUMERAL})"
        rf"|[一二两三四五六七八九几数][百千万亿]|[几数]十|[十百千][万亿]|上[百千万亿](?=个|次|条|行|张|种))[几多余]?{_NUMERAL}*",
    ),
    NumberRule(
        "zh-number-with-unit", "a typed quantity",
        rf"{_START}{_ZH_CHAIN}{_ZH_MULTIPLE}?{_ZH_TAIL}",
    ),
    NumberRule("zh-number", "a typed number", rf"{_START}{_ZH_CHAIN}{_ZH_MULTIPLE}"),
)
"""Chinese numerals, and digits before Chinese units. 两种 and 三个阶段 are determiners."""

MATH: Final = (
    NumberRule(
        "coefficient", "a typed coefficient",
        rf"(?<![\d.])(?:\d{{1,3}}(?:\{{,\}}\d{{3}})+(?:\.\d+)?|{_NUMBER})"
        rf"(?:\s?(?:\\times|\\cdot|×)\s?10\s?{_POWER}|{_POWER})?",
    ),
)
"""Numbers in LaTeX whose exponents, indices, text groups and layout are masked."""
# fmt: on

WITH_UNIT: Final = frozenset({"number-with-unit", "zh-number-with-unit", "words-with-unit"})
"""The rules whose finding has a unit or a ratio sign."""

# Idioms in which a Chinese numeral counts nothing, ordinals and dates.
CHINESE_IDIOM: Final = re.compile(
    rf"第{_NUMERAL}+|{_NUMERAL}+(?=世纪|年代|[月日号])|[〇零一二三四五六七八九]{{4}}(?=年)"
    r"|千万(?=别|不要|不可|要|记)|万一|百分百|成千上万|千方百计|一一|百科|千差万别|[一两三](?=成不变)"
    rf"|(?<!{_NUMERAL})一个"  # an article, as in English "a byte"
)

# What stands in math without being a coefficient: layout, exponents and indices.
_GROUP: Final = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_ARGUMENT: Final = rf"(?:{_GROUP}|\\[A-Za-z]+|[^\s\\])"
_LAYOUT: Final = "hspace|vspace|label|tag|color|textcolor|colorbox|href|url|begin|end|ref|eqref"
MATH_FREE: Final = re.compile(
    rf"\\begin\{{array\}}\s*{_GROUP}|\\(?:{_LAYOUT})\*?\s*{_GROUP}|\\\\\s*\[[^\]]*\]"
    rf"|\\m?kern\s*[-\d.]+\w*|(?<!\d)(?<!\d\s)\^\s*{_ARGUMENT}|_\s*{_ARGUMENT}",
    re.ASCII,
)
MATH_TEXT: Final = re.compile(
    rf"\\(?:text|textrm|textbf|textit|texttt|mathrm|mathtt|mathsf|operatorname\*?)\s*({_GROUP})",
    re.ASCII,
)
FREE_IN_MATH: Final = frozenset({"0", "1", "2"})

# In code "16B" is a coefficient and "n %2" a remainder; "16 B" and "27.9 %" are quantities.
CODE_FREE: Final = re.compile(r"\d[BWVJ]\b|\d\s*%\s*[\w(]|\d[xX]\b", re.ASCII)
CODE_IN_TEXT: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
