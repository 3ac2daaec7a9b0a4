"""Published numbers recomputed from their own inputs, with the rounding of whoever printed them.

The file ``references/published-tables.toml`` holds the inputs in full and a formula; formulas are
interpreted (:mod:`.reading`) on exact numbers and on the ledger's functions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any, Final

from bookcode.ledger import MODELS
from bookcode.reality.errors import PublishedError, unknown
from bookcode.reality.operators import Operators
from bookcode.reality.reading import expression

FILE: Final = Path("references") / "published-tables.toml"
TABLE_FIELDS: Final = {
    *("id", "title", "authors", "kind", "source", "date", "evidence"),
    *("note", "inputs", "rows"),
}
ROW_FIELDS: Final = {
    *("what", "inputs", "formula", "printed", "unit"),
    *("rounding", "rounded", "follows", "recomputed", "why"),
}
ROUNDINGS: Final = ("nearest", "down")


@dataclass(frozen=True)
class PublishedRow:
    """One printed number.

    Attributes:
        inputs: what it is computed from; exact.
        formula: how.
        printed: the number as printed.
        rounding: "nearest" (half up) or "down", to the printed digits.
        loose: by how much inputs that the source itself has rounded may be off, by name.
        follows: whether the printed number follows from its inputs.
        recomputed: what follows instead, rounded likewise.
        why: what happened, when it does not follow.
    """

    table: str
    what: str
    inputs: Mapping[str, Fraction]
    formula: str
    printed: str
    unit: str
    rounding: str = "nearest"
    loose: Mapping[str, Fraction] = field(default_factory=dict)
    follows: bool = True
    recomputed: str = ""
    why: str = ""

    def value(self, ops: Operators, side: int = 0) -> Fraction:
        """The number, recomputed exactly; ``side`` -1 or 1 moves the rounded inputs that way."""
        place = f"{FILE.name}: {self.table}: {self.what}"
        moved = {name: self.inputs[name] + side * by for name, by in self.loose.items()}
        return Fraction(expression(self.formula, place, {**names(ops), **self.inputs, **moved}))

    def shown(self, ops: Operators) -> str:
        """The number, rounded as the printed one."""
        return rounded(self.value(ops), self.printed, self.rounding)

    def problem(self, ops: Operators) -> str | None:
        """What is wrong with the row, if anything is."""
        found = self.shown(ops)
        wanted = self.printed if self.follows else self.recomputed
        where = f"{FILE}: {self.table}: {self.what}"
        ends = [rounded(self.value(ops, side), self.printed, self.rounding) for side in (-1, 0, 1)]
        if not min(map(Decimal, ends)) <= Decimal(wanted) <= max(map(Decimal, ends)):
            said = "printed" if self.follows else "recomputed"
            return f"{where}: {said} {wanted} {self.unit}, but {found} follows from the inputs"
        if not self.follows and Decimal(found) == Decimal(self.printed):
            return f"{where}: said not to follow, but it does"
        return None


@dataclass(frozen=True)
class PublishedTable:
    """Numbers of one source.

    Attributes:
        source, date, evidence: where and when they were read, and how that can be checked.
    """

    id: str
    title: str
    authors: str
    kind: str
    source: str
    date: str
    evidence: str
    note: str = ""
    rows: tuple[PublishedRow, ...] = field(default=())


def names(ops: Operators) -> dict[str, Any]:
    """The ledger's functions that a formula may use."""

    def products(heads: Fraction, head_dim: Fraction, seq: Fraction) -> Fraction:
        whole = ops.attention_prefill(heads, head_dim, seq).flops
        return Fraction(whole - 5 * heads * seq**2)

    def kv_bytes(kv_heads: Fraction, head_dim: Fraction, tokens: Fraction, dtype: str) -> Fraction:
        cost = ops.attention_decode(kv_heads, head_dim, tokens, dtype=dtype)
        return Fraction(cost.bytes_of("K cache", "V cache"))

    def model(name: str) -> Fraction:
        return Fraction(MODELS[name].counted_parameters)

    return {
        "gemm_flops": lambda m, n, k: Fraction(ops.gemm(m, n, k).flops),
        "attention_products": products,
        "kv_bytes": kv_bytes,
        "parameters": model,
    }


def rounded(value: Fraction, printed: str, rounding: str) -> str:
    """``value`` with the digits that ``printed`` shows."""
    step = last_digit(printed)
    count = floor(value / step + (Fraction(1, 2) if rounding == "nearest" else 0))
    digits = max(-_exponent(printed), 0)
    return f"{Decimal(count).scaleb(_exponent(printed)):.{digits}f}"


def last_digit(text: str) -> Fraction:
    """The value of a 1 in the last digit of a number as written."""
    return Fraction(10) ** _exponent(text)


def _exponent(text: str) -> int:
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def load(root: Path) -> list[PublishedTable]:
    """The published tables of the project.

    Raises:
        PublishedError: for a file that is missing, or a table or row that does not hold together.
    """
    try:
        data = tomllib.loads((root / FILE).read_text("utf-8"))
    except OSError as error:
        raise PublishedError(f"{FILE}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise PublishedError(f"{FILE}: {error}") from None
    tables = [_table(entry) for entry in data.get("tables", [])]
    seen: set[str] = set()
    for table in tables:
        if table.id in seen:
            raise PublishedError(f"{FILE}: two tables are called {table.id!r}")
        seen.add(table.id)
    return tables


def _table(entry: Mapping[str, Any]) -> PublishedTable:
    name = str(entry.get("id", "a table without id"))
    _fields(name, entry, TABLE_FIELDS, ("id", "title", "authors", "source", "date", "evidence"))
    if entry["evidence"] != "recorded":
        raise PublishedError(
            f"{FILE}: {name}: {unknown('evidence', entry['evidence'], ['recorded'])}"
        )
    common = _inputs(name, entry.get("inputs", {}))
    rows = tuple(_row(name, common, row) for row in entry.get("rows", []))
    if not rows:
        raise PublishedError(f"{FILE}: {name}: no rows")
    return PublishedTable(
        *(name, entry["title"], entry["authors"], entry["kind"], entry["source"]),
        *(str(entry["date"]), entry["evidence"], entry.get("note", ""), rows),
    )


def _row(table: str, common: Mapping[str, Fraction], row: Mapping[str, Any]) -> PublishedRow:
    name = f"{table}: {row.get('what', 'a row')}"
    _fields(name, row, ROW_FIELDS, ("what", "formula", "printed", "unit"))
    rounding = row.get("rounding", "nearest")
    if rounding not in ROUNDINGS:
        raise PublishedError(f"{FILE}: {name}: {unknown('rounding', rounding, ROUNDINGS)}")
    follows = row.get("follows", True)
    if not follows and not (row.get("recomputed") and row.get("why")):
        raise PublishedError(f"{FILE}: {name}: does not follow, but recomputed or why is missing")
    given = row.get("inputs", {})
    inputs = {**common, **_inputs(name, given)}
    loose = {}
    for key in row.get("rounded", []):
        if key not in given:
            raise PublishedError(f"{FILE}: {name}: {unknown('rounded input', key, given)}")
        loose[key] = last_digit(given[key]) / 2
    return PublishedRow(
        *(table, row["what"], inputs, row["formula"], row["printed"], row["unit"]),
        *(rounding, loose, follows, row.get("recomputed", ""), row.get("why", "")),
    )


def _fields(name: str, entry: Mapping[str, Any], known: set[str], needed: tuple[str, ...]) -> None:
    for key in entry:
        if key not in known:
            raise PublishedError(f"{FILE}: {name}: {unknown('field', key, known)}")
    if missing := [key for key in needed if not entry.get(key)]:
        raise PublishedError(f"{FILE}: {name}: no {missing[0]}")


def _inputs(name: str, given: Mapping[str, Any]) -> dict[str, Fraction]:
    inputs = {}
    for key, text in given.items():
        if not isinstance(text, str):
            raise PublishedError(f"{FILE}: {name}: write {key} as text, so that it stays exact")
        inputs[key] = Fraction(text)
    return inputs


def rows(tables: list[PublishedTable]) -> Iterator[PublishedRow]:
    """All rows of all tables."""
    for table in tables:
        yield from table.rows
