"""Tables of ledger values for a terminal, and the same tables as JSON.

A cell holds an exact value, a word, or :class:`Missing`: a value for which there is no fact. A
missing value is never a blank: the table marks it and the reason stands below.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import click
from rich import box
from rich.console import Console
from rich.table import Table

from bookcode.ledger.errors import MissingFactError
from bookcode.numbers.formats import format_value, plain_text

WIDTH_OF_FILES = 150


@dataclass(frozen=True)
class Missing:
    """A value for which there is no fact."""

    why: str


Cell: TypeAlias = Fraction | str | Missing


def known(compute: Callable[..., Any], *arguments: Any) -> Cell:
    """The value that ``compute`` gives for the arguments, or why there is none."""
    try:
        value: Fraction | str = compute(*arguments)
    except MissingFactError as error:
        return Missing(str(error))
    return value


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        key: its name in JSON.
        title: its heading.
        unit: of its values; empty for words.
        spec: how its values are shown (default: as the unit's).
    """

    key: str
    title: str
    unit: str = ""
    spec: str | None = None


@dataclass(frozen=True)
class Report:
    """A table with a title and, below, what its reader should know."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Cell]]
    notes: Sequence[str] = ()


def shown(value: Fraction, column: Column) -> str:
    """A value as the table shows it."""
    return plain_text(format_value(value, column.unit, column.spec))


def show(reports: Sequence[Report], *, as_json: bool) -> None:
    """Print the reports to standard output."""
    if as_json:
        described = [_described(report) for report in reports]
        click.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    width = None if Console().is_terminal else WIDTH_OF_FILES
    console = Console(width=width, markup=False, emoji=False, highlight=False)
    for report in reports:
        _print(report, console)


def _print(report: Report, console: Console) -> None:
    table = Table(title=report.title, title_justify="left", box=box.SIMPLE_HEAD)
    for column in report.columns:
        table.add_column(column.title, justify="right" if column.unit else "left")
    reasons: list[str] = []
    for row in report.rows:
        table.add_row(*(_text(row.get(c.key, ""), c, reasons) for c in report.columns))
    console.print(table)
    for number, reason in enumerate(reasons, 1):
        click.echo(f"[{number}] {reason}")
    for note in report.notes:
        click.echo(note)


def _text(cell: Cell, column: Column, reasons: list[str]) -> str:
    if isinstance(cell, Missing):
        if cell.why not in reasons:
            reasons.append(cell.why)
        return f"no fact [{reasons.index(cell.why) + 1}]"
    return cell if isinstance(cell, str) else shown(cell, column)


def _described(report: Report) -> dict[str, Any]:
    return {
        "report": report.name,
        "title": report.title,
        "units": {column.key: column.unit for column in report.columns if column.unit},
        "rows": [
            {c.key: _plain(row[c.key]) for c in report.columns if c.key in row}
            for row in report.rows
        ],
        "notes": list(report.notes),
    }


def _plain(cell: Cell) -> Any:
    """Whole numbers as they are, other fractions as the nearest double; a reason if missing."""
    if isinstance(cell, Missing):
        return {"missing": cell.why}
    if isinstance(cell, str):
        return cell
    return int(cell) if cell.denominator == 1 else float(cell)
