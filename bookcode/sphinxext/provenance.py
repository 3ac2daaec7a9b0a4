"""What the page says about a number, fact, verdict or source when a reader asks. No Sphinx here.

One shape for all of them, so that the page has one way of showing it: a title, formulas set as
MathML, and rows of label and text, a row with a link where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bookcode.numbers.errors import FormatError, NumbersError
from bookcode.numbers.formats import format_value, unit_name
from bookcode.numbers.records import NumberRecord, ParameterRecord
from bookcode.sphinxext.citing import citation_hint, fact_hint, label, place
from bookcode.sphinxext.library import Library
from bookcode.sphinxext.reader_words import tell
from bookcode.sphinxext.wording import say

SetMath = Callable[[str], str]
LinkOf = Callable[[str], str | None]
Row = list[str | None]
EXACT_SPECS = ("plain", "sig12")


@dataclass
class Hint:
    """Everything about one shown thing.

    Attributes:
        title: its name: a key, or the label of a source.
        math: formulas as MathML, each with a label: symbols, values, "where".
        letters: the symbols of the formula as [MathML, meaning, MathML of the value].
        rows: [label, text] or [label, text, link].
        facts: keys of the facts behind a number; each is explained on its own.
    """

    title: str
    math: list[list[str]] = field(default_factory=list)
    letters: list[list[str]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As JSON data, without what is empty."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class Explainer:
    """Makes hints.

    Attributes:
        library: what is published.
        parameters: by published key the parameters of its page, by name.
        language: the edition's.
        set_math: LaTeX to MathML.
        link_of: "path:line" in the project to an address; None where there is none.
    """

    library: Library
    parameters: Mapping[str, Mapping[str, ParameterRecord]]
    language: str
    set_math: SetMath
    link_of: LinkOf

    def explain(self, role: str, key: str) -> Hint:
        """The hint of what a role shows.

        Raises:
            NumbersError: for a key that is not there.
        """
        makers = {"num": self.number, "fact": self.fact, "holds": self.verdict, "src": self.source}
        return makers[role](key)

    # numbers ----------------------------------------------------------------------------------
    def number(self, key: str) -> Hint:
        """Formula, values, unit, what it was computed with and by, and the facts it rests on."""
        record = self.library.numbers[key]
        hint = Hint(key)
        if record.number is not None:
            hint.rows.append([self._say("exact"), exact_text(record, self.language)])
            hint.rows.append([self._say("unit"), self._unit(record.unit)])
        if record.formula is not None:
            self._formula(hint, record)
        hint.rows += self._parameters(record.key, record.parameters)
        hint.rows += self._ledger(record)
        hint.rows += [self._value_row(used) for used in record.uses if used != key]
        registry = self.library.registry
        known = registry.facts if registry else {}
        hint.facts = [fact for fact in facts_behind(record) if fact in known]
        return hint

    def _formula(self, hint: Hint, record: NumberRecord) -> None:
        formula = record.formula
        assert formula is not None
        hint.math.append([self._say("formula"), self.set_math(formula.symbolic)])
        for symbol, definition, meaning in formula.where:
            where = self._say("where", meaning=self.library.meaning(meaning, self.language))
            hint.math.append([where, self.set_math(f"{symbol} = {definition}")])
        if formula.substituted != formula.symbolic:
            hint.math.append([self._say("with-values"), self.set_math(formula.substituted)])
        for symbol, meaning, value in formula.symbols:
            told = self.library.meaning(meaning, self.language)
            hint.letters.append([self.set_math(symbol), told, value and self.set_math(value)])

    def _parameters(self, key: str, names: Iterable[str]) -> Iterable[Row]:
        for name in names:
            described = self.parameters[key][name].description
            text = parameter_text(described, self.language)
            yield [self._say("parameter", title=described["title"]), text]

    def _ledger(self, record: NumberRecord) -> Iterable[Row]:
        if not record.function:
            yield [self._say("made"), self._say("composed")]
            return
        inputs = ", ".join(f"{name} = {value}" for name, value in record.inputs.items())
        yield [self._say("made"), f"{record.function.removeprefix('bookcode.')}({inputs})"]
        if record.place:
            yield [self._say("ledger-line"), record.place, self.link_of(record.place)]

    def _value_row(self, key: str) -> Row:
        return [key, self.library.number(key, "", self.language).text]

    def _unit(self, unit: str) -> str:
        return self._say("no-unit") if unit == "1" else unit_name(unit, language=self.language)

    # facts, sources, verdicts ------------------------------------------------------------------
    def _fact_row(self, key: str) -> Iterable[Row]:
        registry = self.library.registry
        fact = self.library.fact_record(key)
        assert registry is not None  # it gave the fact
        link = registry.link(registry.citation(fact.citation))
        yield [key, fact_hint(registry, fact, self.language), link]

    def fact(self, key: str) -> Hint:
        """Value, kind, conditions and who stated them, evidence, source, contradictions."""
        return Hint(key, rows=list(self._fact_row(key)))

    def source(self, key: str) -> Hint:
        """What the citation is cited for, its conditions, evidence and place."""
        registry = self.library.registry
        cited = self.library.citation(key, self.language)
        assert registry is not None  # it gave the citation
        citation = registry.citation(key)
        hint = Hint(label(registry, citation, self.language))
        where = place(registry, citation, self.language)
        hint.rows.append([say("source", self.language), where, cited.link])
        hint.rows.append([key, citation_hint(registry, citation, self.language)])
        return hint

    def verdict(self, key: str) -> Hint:
        """The numbers that the verdict compares, and the parameters it depends on."""
        record = self.library.claims[key]
        hint = Hint(key, rows=[[self._say("judged"), self.library.explanation(key, self.language)]])
        hint.rows += [self._value_row(used) for used in dict.fromkeys(record.uses)]
        hint.rows += self._parameters(record.key, record.parameters)
        return hint

    def _say(self, key: str, **parts: object) -> str:
        return tell(key, self.language, **parts)


def facts_behind(record: NumberRecord) -> list[str]:
    """Keys of the facts that a number uses itself or through the rows of tables, each once."""
    through = [key for keys in record.grounds.values() for key in keys]
    return list(dict.fromkeys([*record.facts, *through]))


def exact_text(record: NumberRecord, language: str) -> str:
    """A number with every digit, or with twelve where the digits do not end."""
    value = record.number
    assert value is not None
    for spec in EXACT_SPECS:
        try:
            return format_value(value, record.unit, spec, language=language)
        except FormatError:
            continue
    raise NumbersError(f"{record.key}: {record.value} {record.unit} cannot be shown")


def parameter_text(described: dict[str, Any], language: str, value: Any = None) -> str:
    """A parameter's value as a reader sees it; the book's own unless another is given."""
    value = described["default"] if value is None else value
    if described["kind"] == "choice":
        return str(described["options"][value])
    return format_value(value, described["unit"], "int", language=language)
