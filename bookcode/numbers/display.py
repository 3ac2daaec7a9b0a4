"""Puts the records of a cell into its output: JSON for the build, a table for the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from html import escape
from typing import Any

from bookcode.numbers.formats import format_value
from bookcode.numbers.records import (
    MIME,
    ClaimRecord,
    FigureRecord,
    ModuleRecord,
    NumberRecord,
    Record,
    dump,
)


class Published:
    """Collects records and shows them once, when the running cell ends."""

    def __init__(self, module: Callable[[], ModuleRecord | None]) -> None:
        self._pending: list[Record] = []
        self._module = module
        self._registered = False

    def add(self, record: Record) -> None:
        """Queue a record; outside IPython it stays queued (see :attr:`pending`)."""
        self._pending.append(record)
        if not self._registered:
            self._register()

    @property
    def pending(self) -> list[Record]:
        """Records that no output has carried yet."""
        return list(self._pending)

    def _register(self) -> None:
        try:
            from IPython.core.getipython import get_ipython
        except ImportError:
            return
        shell = get_ipython()
        if shell is not None:
            shell.events.register("post_execute", self.flush)
            self._registered = True

    def flush(self) -> None:
        """Show what is queued as one output."""
        if not self._pending:
            return
        from IPython.display import display

        module = self._module()
        records = [*self._pending, *([module] if module else [])]
        self._pending.clear()
        bundle: dict[str, Any] = {MIME: dump(records)}
        if rows := _rows(records):
            bundle["text/plain"] = "\n".join("  ".join(row) for row in rows)
            bundle["text/html"] = records_html(records)
        display(bundle, raw=True)  # type: ignore[no-untyped-call]


def _row(record: Record) -> tuple[str, str] | None:
    if isinstance(record, NumberRecord):
        if record.number is None:
            return record.key, record.value
        return record.key, format_value(Fraction(record.value), record.unit, record.spec)
    if isinstance(record, ClaimRecord):
        return record.key, "holds" if record.holds else "DOES NOT HOLD"
    if isinstance(record, FigureRecord):
        return record.key, "figure"
    return None


def _rows(records: Iterable[Record]) -> list[tuple[str, str]]:
    return [row for record in records if (row := _row(record))]


def records_html(records: Iterable[Record]) -> str:
    """The table of a cell's records; "" when there is nothing to show."""
    rows = _rows(records)
    if not rows:
        return ""
    body = "".join(
        f"<tr><td><code>{escape(key)}</code></td><td>{escape(shown)}</td></tr>"
        for key, shown in rows
    )
    return f'<table class="bookcode-published"><tbody>{body}</tbody></table>'
