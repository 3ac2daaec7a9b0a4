"""Records: what a chapter's cells publish and everything else reads.

A record travels in a cell's output under :data:`MIME` as plain JSON. This module knows neither the
ledger nor Sphinx.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar

from bookcode.numbers.errors import NumbersError

NO_OPERAND = "no published number in it"
"""What explains a verdict that compares facts alone."""
MIME = "application/vnd.bookcode.records+json"


class RecordError(NumbersError):
    """A record that does not have the shape it should have."""


@dataclass(frozen=True)
class FormulaText:
    """A formula as LaTeX: with symbols, with values, and what its letters stand for."""

    symbolic: str
    substituted: str
    where: list[list[str]] = field(default_factory=list)
    symbols: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Record:
    """What all records have.

    Attributes:
        key: unique in the book.
        line: line in the cell that published it; the build turns it into a line of the chapter.
    """

    kind: ClassVar[str]
    key: str
    line: int

    def to_json(self) -> dict[str, Any]:
        """The record as JSON data; its lists and mappings are the record's own, not copies."""
        data: dict[str, Any] = {"kind": self.kind}
        for each in fields(self):
            value = getattr(self, each.name)
            data[each.name] = asdict(value) if isinstance(value, FormulaText) else value
        return data


@dataclass(frozen=True)
class NumberRecord(Record):
    """A published number, or a published word such as a regime.

    Attributes:
        value: exact fraction "n/d" or "n", or the word if ``unit`` is "word".
        unit, spec: unit and the format it is shown in unless a page asks for another.
        formula: how it is computed, None for words.
        javascript: the traced expression is in the chapter's module under this key.
        parameters: chapter parameters it depends on.
        function: the ledger function ("module.name"), "" for a composed number or a fact.
        place: that function's file and line in the project, "" if none.
        inputs: the call's arguments as text.
        facts: keys of facts it uses.
        reached: ledger functions the calculation ran through, with a hash of each one's code.
        rows: table rows the calculation used ("machine h200"), with a hash of each one's values.
        grounds: by row, the keys of the facts behind the values that it holds of that row.
        uses: keys of the published numbers it is composed of.
        words: what a word may turn into when a parameter changes.
        samples: exact values at the check points, when the build asked for them.
        hard: (point, exact value) where the number decides something, when asked for.
    """

    kind: ClassVar[str] = "number"
    value: str
    unit: str
    spec: str
    formula: FormulaText | None = None
    parameters: list[str] = field(default_factory=list)
    function: str = ""
    place: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    reached: dict[str, str] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    grounds: dict[str, list[str]] = field(default_factory=dict)
    uses: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    hard: list[list[Any]] = field(default_factory=list)

    @property
    def number(self) -> Fraction | None:
        """The exact value; None for a word."""
        return None if self.unit == "word" else Fraction(self.value)


@dataclass(frozen=True)
class ClaimRecord(Record):
    """A verdict with the words that may state it.

    Attributes:
        holds: whether the predicate is true at the book's values.
        wordings: per language the allowed wordings; ``{key}`` or ``{key:spec}`` in one is a number.
        explanation: the operands with their values, for messages.
        predicate: what is compared, in terms of published keys; the lock keeps it.
        uses: keys of the published numbers it compares.
    """

    kind: ClassVar[str] = "claim"
    holds: bool
    wordings: dict[str, list[str]]
    explanation: str
    predicate: str = ""
    uses: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)
    samples: list[str] = field(default_factory=list)
    hard: list[list[Any]] = field(default_factory=list)


@dataclass(frozen=True)
class FigureRecord(Record):
    """A figure with caption and alt text per language; ``{key}`` in a text is a number.

    ``follow`` says how marks move with the parameters: ``axes`` (see
    :mod:`bookcode.figures.following`), and for ``marks`` and ``roofs`` the ids in the drawing with
    the keys of their two values in the chapter's module.
    """

    kind: ClassVar[str] = "figure"
    svg: str
    captions: dict[str, str]
    alts: dict[str, str]
    uses: list[str] = field(default_factory=list)
    follow: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ParameterRecord(Record):
    """A chapter parameter's description for the page, in the edition's language.

    ``titles`` are per language; the English one is what translators translate.
    """

    kind: ClassVar[str] = "parameter"
    description: dict[str, Any]
    titles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PresetRecord(Record):
    """A named setting of parameters that a reader can pick; the titles are per language."""

    kind: ClassVar[str] = "preset"
    titles: dict[str, str]
    values: dict[str, Any]


@dataclass(frozen=True)
class MessageRecord(Record):
    """Words that a cell puts into a figure, per language; ``{name}`` in them is filled in."""

    kind: ClassVar[str] = "message"
    texts: dict[str, str]


@dataclass(frozen=True)
class AliasRecord(Record):
    """A key that was renamed: pages that use the old one are told the new one."""

    kind: ClassVar[str] = "alias"
    target: str
    why: str


PARAMETERS_LINE = "export const parameters"
"""So begins the line of a module that describes the parameters in words."""


@dataclass(frozen=True)
class ModuleRecord(Record):
    """The chapter's JavaScript module; the last one of a chapter holds everything."""

    kind: ClassVar[str] = "module"
    javascript: str
    points: list[dict[str, Any]] = field(default_factory=list)


KINDS: dict[str, type[Record]] = {
    cls.kind: cls
    for cls in (
        NumberRecord,
        ClaimRecord,
        FigureRecord,
        ParameterRecord,
        PresetRecord,
        MessageRecord,
        AliasRecord,
        ModuleRecord,
    )
}


def from_json(data: Mapping[str, Any]) -> Record:
    """Read a record.

    Raises:
        RecordError: for an unknown kind or fields that do not fit.
    """
    values = dict(data)
    kind = values.pop("kind", None)
    if kind not in KINDS:
        raise RecordError(f"unknown kind of record {kind!r}")
    if kind == "number" and values.get("formula"):
        values["formula"] = FormulaText(**values["formula"])
    try:
        return KINDS[kind](**values)
    except TypeError as error:
        raise RecordError(f"record {values.get('key')!r} of kind {kind}: {error}") from None


def dump(records: Iterable[Record]) -> dict[str, Any]:
    """The data of a cell output."""
    return {"records": [record.to_json() for record in records]}


def load(data: Mapping[str, Any] | str) -> list[Record]:
    """The records of a cell output."""
    parsed = json.loads(data) if isinstance(data, str) else data
    return [from_json(entry) for entry in parsed["records"]]


def exact_text(value: Fraction) -> str:
    """An exact value as text: "n" or "n/d"."""
    return str(value)
