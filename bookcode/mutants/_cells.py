"""Runs a page's cells and compares what they publish with the lock, up to the first difference."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bookcode.mutants._baseline import Baseline, CodeCell
from bookcode.mutants._model import Red
from bookcode.numbers.lock import Lock

SECTIONS = {"number": "numbers", "claim": "claims", "figure": "figures"}


class _FirstRed(BaseException):
    """Ends the run of the cells; no cell can catch it by mistake."""

    def __init__(self, red: Red) -> None:
        super().__init__(red)
        self.red = red


def run_page(baseline: Baseline, docname: str) -> Red | None:
    """Run a page's cells in this process; the first check that turns red."""
    expected = expected_entries(baseline.locked, baseline.records[docname])
    cells = baseline.cells(docname)
    if not cells:
        return None
    try:
        seen = _run(baseline, docname, cells, expected)
    except _FirstRed as stop:
        return stop.red
    gone = sorted(set(expected) - seen)
    return Red("lock", f"{gone[0]} is gone") if gone else None


def expected_entries(locked: Mapping[str, Lock], records: Sequence[Any]) -> dict[str, Any]:
    """The locked entries of a page's records by key, without the pages they are shown on."""
    keys = {record.key for record in records}
    return {
        key: _without_pages(entry)
        for lock in locked.values()
        for section in SECTIONS.values()
        for key, entry in lock.section(section).items()
        if key in keys
    }


def _without_pages(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "pages"}


def _run(
    baseline: Baseline, docname: str, cells: Sequence[CodeCell], expected: Mapping[str, Any]
) -> set[str]:
    """The keys that were published.

    Raises:
        _FirstRed: at the first record that is not as the lock says, or cell that fails.
    """
    os.environ.update(BOOKCODE_ROOT=str(baseline.root), BOOKCODE_CHECK_POINTS="0")
    os.environ["MPLBACKEND"] = "agg"
    os.chdir((baseline.root / baseline.source(docname)).parent)
    seen: set[str] = set()
    source = baseline.source(docname)
    with _watched(seen, expected, source):
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for number, cell in enumerate(cells):
            try:
                exec(compile(cell.code, f"<cell-{number}>", "exec"), namespace)
            except Exception as error:
                said = f"{source}:{cell.line}: {type(error).__name__}: {error}"
                raise _FirstRed(Red("build", said)) from None
    return seen


class _watched:  # noqa: N801 (a context manager)
    """Inside, every record that is published is compared at once."""

    def __init__(self, seen: set[str], expected: Mapping[str, Any], source: str) -> None:
        self._seen, self._expected, self._source = seen, expected, source
        self._book: Any = None
        self._original: Any = None

    def __enter__(self) -> None:
        from bookcode.numbers.book import Book

        self._book, self._original = Book, Book._add

        def add(book: Any, record: Any) -> None:
            self._original(book, record)
            self._compare(record)

        self._book._add = add

    def __exit__(self, *_: object) -> None:
        self._book._add = self._original

    def _compare(self, record: Any) -> None:
        if record.kind not in SECTIONS:
            return
        self._seen.add(record.key)
        for red in differences(record, self._expected, self._source):
            raise _FirstRed(red)


def differences(record: Any, expected: Mapping[str, Any], source: str) -> Iterator[Red]:
    """What verify says of a record that is not as it was accepted."""
    key = record.key
    if record.kind == "claim" and not record.holds:
        yield Red("claim", f"{source}: claim {key!r} does not hold: {record.explanation}")
    now = entry_of(record)
    before = expected.get(key)
    if before is not None and record.kind == "claim":  # cells speak one language
        said = before["wordings"]
        before = {**before, "wordings": {n: said[n] for n in now["wordings"] if n in said}}
    if now != before:
        fields = [name for name in now if before is None or now[name] != before.get(name)]
        changes = [f"{name}: {(before or {}).get(name)} → {now[name]}" for name in fields]
        yield Red("lock", f"{record.kind} {key} changed: {'; '.join(changes)}")


def entry_of(record: Any) -> dict[str, Any]:
    """The entry that a record would have in the lock, without the pages it is shown on."""
    from bookcode.numbers.formats import format_value
    from bookcode.numbers.lock import locks_of

    data = record.to_json()
    if record.kind == "number":
        word = record.number is None
        data["shown"] = (
            record.value if word else format_value(record.number, record.unit, record.spec)
        )
    lock = locks_of({"pages": {"x/x": {"source": "", "records": [data], "uses": []}}})["x"]
    return _without_pages(lock.section(SECTIONS[record.kind])[record.key])
