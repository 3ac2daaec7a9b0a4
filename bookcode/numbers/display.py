"""Puts the records of a cell into its output: JSON for the build, a table for the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from html import escape
from typing import Any, Final

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
from bookcode.words import in_language

WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "holds": {"en": "holds", "zh": "成立"},
    "fails": {"en": "DOES NOT HOLD", "zh": "不成立"},
    "figure": {"en": "figure", "zh": "图"},
}
"""The words of the table, by key and language."""
Say = Callable[[str], str]


class Published:
    """Collects records and shows them once, when the running cell ends."""

    def __init__(
        self,
        module: Callable[[], ModuleRecord | None],
        language: str = "en",
        say: Say = str,
    ) -> None:
        self._language, self._say = language, say
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
        if rows := _rows(records, self._language, self._say):
            bundle["text/plain"] = "\n".join("  ".join(row) for row in rows)
            bundle["text/html"] = records_html(records, self._language, self._say)
        display(bundle, raw=True)  # type: ignore[no-untyped-call]


def _row(record: Record, language: str, say: Say) -> tuple[str, str] | None:
    if isinstance(record, NumberRecord):
        if record.number is None:
            return record.key, say(record.value)
        value = Fraction(record.value)
        return record.key, format_value(value, record.unit, record.spec, language=language)
    if isinstance(record, ClaimRecord):
        return record.key, _word("holds" if record.holds else "fails", language)
    if isinstance(record, FigureRecord):
        return record.key, _word("figure", language)
    return None


def _word(key: str, language: str) -> str:
    return in_language(WORDS[key], language)


def _rows(records: Iterable[Record], language: str, say: Say) -> list[tuple[str, str]]:
    return [row for record in records if (row := _row(record, language, say))]


def records_html(records: Iterable[Record], language: str = "en", say: Say = str) -> str:
    """The table of a cell's records; "" when there is nothing to show.

    ``say`` gives a published word in the language.
    """
    rows = _rows(records, language, say)
    if not rows:
        return ""
    body = "".join(
        f"<tr><td><code>{escape(key)}</code></td><td>{escape(shown)}</td></tr>"
        for key, shown in rows
    )
    return f'<table class="bookcode-published"><tbody>{body}</tbody></table>'
