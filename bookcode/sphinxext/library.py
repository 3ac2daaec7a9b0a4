"""Everything published in the book, and how a page shows it. No Sphinx in here.

One place answers "what does this role show?", for pages, captions, alt texts, tables, the drift
report and the lint. An unknown key is an error with the nearest keys; nothing is ever left blank.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.formats import default_spec, format_value
from bookcode.numbers.records import (
    NO_OPERAND,
    AliasRecord,
    ClaimRecord,
    FigureRecord,
    FormulaText,
    NumberRecord,
    Record,
)
from bookcode.sources.model import Fact
from bookcode.sources.registry import Registry
from bookcode.sphinxext.citing import Cited, cited, fact_hint, others_of
from bookcode.sphinxext.wording import say
from bookcode.words import short

PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9.-]*)(?::([^{}]+))?\}")
WORDS: dict[str, dict[str, str]] = {
    "compute": {"en": "compute-bound", "zh": "compute-bound"},
    "memory": {"en": "memory-bound", "zh": "memory-bound"},
    "link": {"en": "link-bound", "zh": "link-bound"},
}
"""How a published word is shown, per language."""


_PUBLISHED = "published number "
"""How the meaning of a letter begins that stands for a published number, its key follows."""

T = TypeVar("T", bound=Record)


class UnresolvedError(NumbersError):
    """Something a page refers to that is not there, or not usable so."""


@dataclass(frozen=True)
class Shown:
    """A shown number, fact or word.

    Attributes:
        role: "num" or "fact".
        key, spec: what was asked for.
        text: what the reader sees.
        value, unit: for machines; ``value`` is None for a word.
        hint: one line on where it comes from.
        disputed: another source says otherwise; the hint says which and what.
    """

    role: str
    key: str
    spec: str
    text: str
    value: Fraction | None
    unit: str
    hint: str
    disputed: bool = False


Part = str | Shown


@dataclass
class Library:
    """The published records of all pages and the registry of facts."""

    registry: Registry | None = None
    numbers: dict[str, NumberRecord] = field(default_factory=dict)
    claims: dict[str, ClaimRecord] = field(default_factory=dict)
    figures: dict[str, FigureRecord] = field(default_factory=dict)
    aliases: dict[str, AliasRecord] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        records: Iterable[Record],
        registry: Registry | None,
        texts: Mapping[str, str] | None = None,
    ) -> Library:
        """A library of ``records``; of two with one key the first stays (the build reports it).

        ``texts`` says what texts of data are in the edition's language.
        """
        library = cls(registry, texts=texts or {})
        for record in records:
            if isinstance(record, NumberRecord):
                library.numbers.setdefault(record.key, record)
            elif isinstance(record, ClaimRecord):
                library.claims.setdefault(record.key, record)
            elif isinstance(record, FigureRecord):
                library.figures.setdefault(record.key, record)
            elif isinstance(record, AliasRecord):
                library.aliases.setdefault(record.key, record)
        return library

    # numbers and facts ------------------------------------------------------------------------
    def number(self, key: str, spec: str, language: str) -> Shown:
        """A published number as a page shows it; ``spec`` may be empty."""
        record = self._find("number", key, self.numbers)
        if record.number is None:
            if spec:
                raise UnresolvedError(f"{key} is a word and takes no format {spec!r}")
            words = WORDS.get(record.value, {})
            text = words.get(short(language)) or self.data(record.value)
            return Shown("num", key, "word", text, None, "word", self._hint(record, language))
        used, hint = spec or record.spec, self._hint(record, language)
        text = format_value(record.number, record.unit, used, language=language)
        return Shown("num", key, used, text, record.number, record.unit, hint)

    def _hint(self, record: NumberRecord, language: str) -> str:
        if record.function:
            inputs = ", ".join(f"{name} = {value}" for name, value in record.inputs.items())
            return f"{record.key}: {record.function.rsplit('.', 1)[-1]}({inputs})"
        return say("hint-composed", language, key=record.key)

    def explanation(self, key: str, language: str) -> str:
        """The operands of a verdict with their values."""
        told = self.claims[key].explanation
        return say("no-operand", language) if told == NO_OPERAND else told

    def data(self, text: str) -> str:
        """A text of data, such as what a symbol means, in the edition's language."""
        return self.texts.get(text, text)

    def meaning(self, text: str, language: str) -> str:
        """What a letter of a formula means, in the edition's language."""
        if text.startswith(_PUBLISHED):
            return say("published-number", language, key=text.removeprefix(_PUBLISHED))
        return self.data(text)

    def fact(self, key: str, spec: str, language: str) -> Shown:
        """A fact of the registry as a page shows it."""
        fact = self.fact_record(key)
        used = spec or default_spec(fact.unit)
        text = format_value(fact.exact, fact.unit, used, language=language)
        assert self.registry is not None  # it gave the fact
        hint = fact_hint(self.registry, fact, language)
        disputed = bool(fact.disputed or others_of(self.registry, fact))
        return Shown("fact", key, used, text, fact.exact, fact.unit, hint, disputed)

    def fact_record(self, key: str) -> Fact:
        """The registry's fact."""
        facts = self.registry.facts if self.registry else {}
        if key not in facts:
            raise UnresolvedError(f"no fact {key!r}{did_you_mean(key, facts)}")
        return facts[key]

    def citation(self, key: str, language: str) -> Cited:
        """A citation of the registry as a page shows it."""
        return cited(self.registry, key, language)

    # claims -----------------------------------------------------------------------------------
    def claim(self, key: str, words: str, language: str) -> list[Part]:
        """A verdict's wording; ``words`` empty takes the first one declared.

        Raises:
            UnresolvedError: unknown claim, no wording at all, or words it does not own.
        """
        record = self._find("claim", key, self.claims)
        # What nobody translated is said in English; so are texts of a page around a verdict.
        named = {short(language), "en"} & set(record.wordings)
        order = sorted(named, key=lambda name: name == "en" != short(language))
        wordings = [wording for name in order for wording in record.wordings[name]]
        if not wordings:
            raise UnresolvedError(f"claim {key} has no wording for language {language!r}")
        rendered = [self.text(wording, language) for wording in wordings]
        if not words:
            return rendered[0]
        for wording, parts in zip(wordings, rendered, strict=True):
            if _same(words, wording) or _same(words, plain(parts)):
                return _with_case_of(words, parts)
        owned = "; ".join(dict.fromkeys(repr(plain(parts)) for parts in rendered))
        raise UnresolvedError(f"claim {key} does not own the words {words!r}; it says {owned}")

    # figures, formulas, texts -----------------------------------------------------------------
    def figure(self, key: str) -> FigureRecord:
        """A published figure."""
        return self._find("figure", key, self.figures)

    def formula(self, key: str) -> FormulaText:
        """The printed formula of a published number."""
        record = self._find("number", key, self.numbers)
        if record.formula is None:
            raise UnresolvedError(f"{key} is a word; it has no formula")
        return record.formula

    def formulas(self) -> Iterator[tuple[str, str]]:
        """(key, LaTeX) of every published formula, for the lint."""
        for key, record in self.numbers.items():
            if record.formula is not None:
                yield key, record.formula.symbolic

    def text(self, template: str, language: str) -> list[Part]:
        """A template's text with ``{key}`` and ``{key:spec}`` replaced by numbers or facts."""
        parts: list[Part] = []
        position = 0
        for match in PLACEHOLDER.finditer(template):
            if match.start() > position:
                parts.append(template[position : match.start()])
            key, spec = match[1], match[2] or ""
            facts = self.registry.facts if self.registry else {}
            in_facts = key in facts and key not in self.numbers
            parts.append((self.fact if in_facts else self.number)(key, spec, language))
            position = match.end()
        if position < len(template):
            parts.append(template[position:])
        return parts

    def _find(self, kind: str, key: str, known: Mapping[str, T]) -> T:
        if key in known:
            return known[key]
        if key in self.aliases:
            alias = self.aliases[key]
            raise UnresolvedError(f"{kind} {key!r} is now called {alias.target!r}: {alias.why}")
        raise UnresolvedError(f"no {kind} {key!r}{did_you_mean(key, known)}")

    def published(
        self, keys: Collection[str] | None = None, language: str = "en"
    ) -> Iterator[tuple[str, str, float, str, str]]:
        """(role, key, value, unit, shown) of all numbers and facts, or of the numbers ``keys``."""
        asked = self.numbers if keys is None else keys  # a book has many more than a figure uses
        for key, record in ((key, self.numbers[key]) for key in asked if key in self.numbers):
            if record.number is not None:
                spec = record.spec
                shown = format_value(record.number, record.unit, spec, language=language)
                yield "num", key, float(record.number), record.unit, shown
        for key, fact in (self.registry.facts if self.registry and keys is None else {}).items():
            if fact.unit in _SHOWABLE:
                spec = default_spec(fact.unit)
                shown = format_value(fact.exact, fact.unit, spec, language=language)
                yield "fact", key, float(fact.exact), fact.unit, shown


_SHOWABLE = ("1", "B", "B/s", "FLOP", "FLOP/B", "FLOP/s", "Hz", "W", "s")


def plain(parts: Iterable[Part]) -> str:
    """The parts as one text."""
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def _same(words: str, wording: str) -> bool:
    return _fold(words) == _fold(wording)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _with_case_of(words: str, parts: list[Part]) -> list[Part]:
    """The parts, with a capital where the author wrote one (the start of a sentence)."""
    first = parts[0]
    if words[:1].isupper() and isinstance(first, str):
        return [first[:1].upper() + first[1:], *parts[1:]]
    return parts
