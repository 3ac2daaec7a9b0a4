"""The numbers that are no numbers: names, versions, ordinals, dates, addresses.

One table of rules; each has a name by which the tests can say that it is needed. What a rule
matches is not read by the number lint. A rule that ends in a number yields where a unit follows:
"CUDA 12.9" is a name, "CUDA 12.9 ms" is not.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from ._errors import VocabularyError
from ._patterns import LETTER
from ._text import Language
from ._units import RATIO, UNIT


class Rule(NamedTuple):
    """A named pattern; `languages` are those whose text it is for."""

    name: str
    pattern: str
    languages: tuple[Language, ...] = ("en", "zh")


_WORD: Final = rf"{LETTER}0-9_"
_NO_UNIT: Final = rf"(?!\s?(?:{UNIT}|{RATIO}|[万亿]))"
_VERSION: Final = rf"(?>\d{{1,4}}(?:\.(?:\d+|x))*+)(?!\d|[.,]\d){_NO_UNIT}"
# "2.3", "4b", "02": up to three digits, else it is a quantity that follows a common word.
# "stages 64 deep" is a quantity too.
_ORDINAL: Final = (
    rf"(?>\d{{1,3}}(?:\.\d{{1,3}})*[a-e]?)(?![{_WORD}^⁰-⁹²³¹]|[.,]\d){_NO_UNIT}"
    r"(?!\s(?:deep|wide|long|high|tall|thick)\b)"
)
_AND: Final = r"(?:,\s?(?:and\s|or\s)?|\s?[-–—/]\s?|\s(?:and|or|to|through)\s)"
_STRUCTURE: Final = (
    r"(?:sub)?section|sec\.|chapter|ch\.|figure|fig\.|table|tab\.|step|rule|exercise|equation|eq\."
    r"|appendix|part|item|question|problem|listing|note|phase|stage|level|tier|rank|case|option"
    r"|column|row|page|example|algorithm|theorem|lemma|definition|answer|hint|tip|version|release"
    r"|revision|edition|volume|vol\.|issue|task|goal|objective|principle|law|no\.|nr\.|№|§"
    r"|lane|warp|thread|worker|layer|consumer|producer|argument|microbatch"
)
# "To answer 64 users": a verb and how many of what, unlike "back to answer 64".
_DONE_TO_SOME: Final = (
    r"(?<=to\s)(?:answer|issue|note|page|question|rank|release|stage)\s\d+\s[a-z]+s\b"
)
_STRUCTURES: Final = (
    r"(?:sub)?sections|secs\.|chapters|chs\.|figures|figs\.|tables|tabs\.|steps|rules|exercises"
    r"|equations|eqs\.|appendices|parts|items|questions|problems|listings|stages|levels|ranks"
    r"|cases|columns|rows|pages|examples|versions|releases|nos\.|§§"
    r"|lanes|warps|threads|workers|layers|consumers|producers|arguments|microbatches"
)
_YEAR: Final = r"(?:19[5-9]\d|20[0-3]\d)"
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
# Prefixes that make a quantity of what follows the hyphen ("sub-10"), not a name.
_NO_NAME: Final = (
    r"(?!(?i:sub|near|over|under|about|nearly|roughly|some|than|by|to|at|up|plus|minus|around"
    r"|only|from|of|is|circa|approximately|factor)-\d)"
)
_CHINESE_STRUCTURE: Final = (
    r"(?<!试)(?<!意)图|(?<!代)(?<!列)(?<!发)表|(?<!形)(?<!方)(?<!模)式|公式|步骤|规则|习题|附录"
    r"|算法|阶段|(?<!比)例|练习|问题|清单|版本|章节|自测|目标|选项"
)


def _listed(key: str) -> str:
    """The alternation of one list of names.toml, longest name first."""
    file = resources.files(__package__).joinpath("names.toml")
    names = tomllib.loads(file.read_text(encoding="utf-8")).get(key)
    if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
        raise VocabularyError("names.toml", key, "must be a list of names")
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_ADDRESSES: Final = (
    Rule("url", r"(?i:https?://|www\.)[^\s<>\"'，。；、）]+"),
    Rule("doi", r"(?i:\bdoi[:\s]\s?)?\b10\.\d{4,9}/[^\s<>\"'，。；、）]+"),
    Rule("arxiv", r"(?i:arxiv[:\s]\s?)\d{4}\.\d{4,5}(?:v\d+)?"),
    Rule("email", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    Rule(
        "path", r"(?<![\w/.])(?:\.{0,2}/)?(?:[\w.-]+/)+[\w.-]*[A-Za-z]\w*\.[a-z]{1,5}(?:\.\d+)*\b"
    ),
    Rule("slug", r"(?<![\w.])\d{2}-[a-z]{2,}(?:-[a-z0-9]+)+\b"),
    Rule("hash", r"\b(?=[0-9a-f]*[a-f][0-9a-f]*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}(?:…|\b)"),
)
_NAMES: Final = (
    Rule("whole-name", rf"(?<![{_WORD}])(?:{_listed('whole')})(?![{_WORD}])"),
    Rule(
        "versioned",
        rf"(?<![{_WORD}-])(?:{_listed('followed_by_version')})"
        rf"\s?(?:(?:[<>=~]=|[≥≤])\s?)?[v/\s]?{_VERSION}"
        rf"(?:(?:/|\s?[-–]\s?|,\s|\s(?:and|or|to)\s|\s?[和、至到]\s?){_VERSION})*"
        rf"(?:[-\s]\d+(?:\.\d+)?[BM]\b|\sx\d{{1,2}}\b)?[+{LETTER}]*",
    ),
    Rule(
        "numbered",
        rf"(?<![{_WORD}-])(?:{_listed('followed_by_number')})\s(?>\d{{1,5}})(?![.,]?\d){_NO_UNIT}",
    ),
    Rule("version", rf"(?<![{_WORD}.])(?:[vV]\d+(?:\.\d+)*|\d+\.\d+\.\d+(?:\.\d+)*)[\w+]*"),
    Rule("open-version", r"(?<![\w.])\d+(?:\.\d+)*\.x(?![\w.]\w)"),
    Rule("early-version", r"(?<![\w.])\d+(?:\.\d+)+\.?(?:dev|rc|post|alpha|beta)\d*[\w+.]*"),
    Rule("experts", r"(?<![\w.,])\d+(?:\.\d+)?B-A\d+(?:\.\d+)?B\b"),
    Rule("bits", r"(?<![\d.,])(?:1|2|4|8|16|32|64)-?bit\b"),
    Rule(
        "bits-of-a-type",
        r"(?<![\d.,])(?:1|2|4|8|16|32|64)\s?位(?!数|小数|置|移|于|有效|以)",
        languages=("zh",),
    ),
    Rule("based", r"(?<![\w.,])[01]-(?:based|indexed)\b"),
    Rule("dimensions", r"(?<![\w.,])[0-6]-?[Dd]\b"),
)
_ORDINALS: Final = (
    Rule("ordinal", r"(?<![\w.,])\d*(?:1st|2nd|3rd|[04-9]th|1[1-3]th)\b"),
    Rule(
        "structure",
        rf"(?i:(?<![{_WORD}])(?!{_DONE_TO_SOME})(?:{_STRUCTURE})\s?)\(?{_ORDINAL}\)?",
    ),
    Rule(
        "structures",
        rf"(?i:(?<![{_WORD}])(?:{_STRUCTURES})\s?){_ORDINAL}(?:{_AND}{_ORDINAL})*",
    ),
    Rule("hash-sign", rf"(?<![\w#])#(?:{_ORDINAL}|\d{{4,6}}\b)"),
    Rule("label", rf"(?!\A\(\d\)\s*\Z)(?<![^\s:;,，：；、。])\(\d\)(?=\s?[{LETTER}`一-鿿]|\Z)"),
    Rule("inner-label", r"(?<=\s)\d{1,2}\.\)(?=\s)"),
    Rule("list-label", r"\A\s*(?:\(?\d{1,2}\)|\d{1,2}[.、](?!\d))(?=\s|[一-鿿])"),
    Rule(
        "heading-number",
        rf"\A\s*(?:0\d|\d{{1,2}}(?:\.\d{{1,2}})+\.?)\s+(?!{UNIT}|{RATIO}|个|[层颗张块台]\s*\Z)(?=[A-Z]|[一-鿿])",
    ),
    Rule("reference-mark", r"\[\^?[1-9]\d?\]"),
)
_DATES: Final = (
    Rule("iso-date", rf"(?<![\d.,-]){_YEAR}-[01]\d(?:-[0-3]\d)?(?![\d.,-]\d)"),
    Rule(
        "date",
        rf"(?<![\d.,])(?:\d{{1,2}}\s)?{_MONTH}\s(?:\d{{1,2}},?\s)?{_YEAR}\b(?!\s?{UNIT})",
    ),
    Rule("day", rf"(?<![\d.,])(?:\b{_MONTH}\s\d{{1,2}}|\d{{1,2}}\s{_MONTH})\b{_NO_UNIT}"),
    Rule(
        "year",
        rf"(?i:\b(?:in|since|by|until|before|after|from|of|during|early|late|mid|©|year)\s)"
        rf"{_YEAR}(?:\s?[-–]\s?{_YEAR})?\b(?!\s?{UNIT}|[.,:/]\d|\s[a-z]+s\b)",
    ),
    Rule("copyright", rf"(?i:©|\(c\))\s?{_YEAR}(?:\s?[-–,]\s?{_YEAR})*\b"),
    Rule("year-month", rf"(?<![\d./,]){_YEAR}/[01]\d(?:/[0-3]\d)?(?![\d./,]\d)"),
    Rule("years", rf"(?i:between\s){_YEAR}\sand\s{_YEAR}\b|\bQ[1-4]\s{_YEAR}\b"),
    Rule(
        "cited-year",
        rf"(?:\(|(?:[A-Z][a-z]+|al\.?),?\s\(?){_YEAR}[a-z]?(?:\)|(?=[,;.](?!\d)|\Z))",
    ),
    Rule("decade", r"\b(?:19[5-9]|20[0-3])0s\b"),
    Rule(
        "year-of",
        rf"\b{_YEAR}\s(?:paper|report|blog|datasheet|edition|article|study|talk|survey|book)\b",
    ),
    Rule("time-of-day", r"(?<![\d:.])\d{1,2}(?::\d{2}){1,2}\s?(?:UTC|GMT|[ap]\.?m\.?)\b"),
)
_IDENTIFIERS: Final = (
    Rule(
        "name",
        rf"(?<![{_WORD}.]){_NO_NAME}(?!x\d+(?:\.\d+)?(?![{_WORD}-]))[{LETTER}_]++"
        rf"(?:(?:\+\+|[-._])[{LETTER}_]++){{0,6}}+"
        rf"(?:\+\+\d|\.\d|(?<=[{LETTER}_][{LETTER}_])-\d|(?<=[-._][{LETTER}])-\d|\d)[{_WORD}]*+"
        rf"(?:[-.+][{_WORD}]++)*+",
    ),
)
_CHINESE: Final = (
    Rule("zh-ordinal", r"第\s?(?>\d+(?:\.\d+)*)(?:\s?[-–—~～、至到和]\s?\d+(?:\.\d+)*)?", ("zh",)),
    Rule(
        "zh-structure",
        rf"(?:{_CHINESE_STRUCTURE})\s?{_ORDINAL}(?:\s?[-–—、至到和]\s?{_ORDINAL})*",
        ("zh",),
    ),
    Rule(
        "zh-date",
        rf"(?<!\d){_YEAR}\s?年(?!间)(?:\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?[日号])?)?"
        rf"|(?<!\d)\d{{1,2}}\s?月\s?\d{{1,2}}\s?[日号]|(?<!\d)\d{{1,2}}\s?世纪(?:\s?\d0\s?年代)?",
        ("zh",),
    ),
    Rule("zh-version", r"(?<![\d.])\d+(?:\.\d+)*\s?版(?!本数)", ("zh",)),
)
# Where two rules fit at one place the first wins: whole dates before parts, identifiers last.
_RULES: Final = (*_ADDRESSES, *_NAMES, *_ORDINALS, *_DATES, *_IDENTIFIERS, *_CHINESE)


@cache
def rules(language: Language) -> tuple[Rule, ...]:
    """The rules that hold for text in `language`."""
    return tuple(rule for rule in _RULES if language in rule.languages)


@cache
def _scanner(language: Language) -> tuple[re.Pattern[str], tuple[str, ...]]:
    chosen = rules(language)
    parts = [f"(?P<r{index}>{rule.pattern})" for index, rule in enumerate(chosen)]
    return re.compile("|".join(parts), re.ASCII), tuple(rule.name for rule in chosen)


def names_in(text: str, language: Language) -> Iterator[tuple[int, int, str]]:
    """Each span of `text` that is a name or an ordinal, with the name of its rule."""
    pattern, names = _scanner(language)
    for found in pattern.finditer(text):
        yield found.start(), found.end(), names[int(str(found.lastgroup)[1:])]
