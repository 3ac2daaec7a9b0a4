"""The lock: what the book's numbers were when somebody last said that they are right.

One JSON file per chapter, sorted and stable, made to be reviewed. It holds no line numbers, so that
an edit of prose alone leaves it as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from bookcode.numbers.errors import NumbersError
from bookcode.prose import drawn_numerals
from bookcode.words import short

FORMAT = 1
SECTIONS = ("numbers", "facts", "claims", "citations", "figures")
Entry = dict[str, Any]


class LockError(NumbersError):
    """A lock file that cannot be read."""


@dataclass
class Lock:
    """The accepted state of one chapter.

    Attributes:
        chapter: its name.
        numbers, facts, claims, citations, figures: entry by key.
        functions, rows: hashes of the ledger code and table rows that the numbers ran through.
        literals: how many texts are marked as typed on purpose, by kind.
    """

    chapter: str
    numbers: dict[str, Entry] = field(default_factory=dict)
    facts: dict[str, Entry] = field(default_factory=dict)
    claims: dict[str, Entry] = field(default_factory=dict)
    citations: dict[str, Entry] = field(default_factory=dict)
    figures: dict[str, Entry] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    literals: dict[str, int] = field(default_factory=dict)

    def text(self) -> str:
        """The file's content."""
        data = {"format": FORMAT, **vars(self)}
        return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def section(self, name: str) -> dict[str, Entry]:
        """The entries of one of :data:`SECTIONS`."""
        entries: dict[str, Entry] = getattr(self, name)
        return entries

    def keys(self) -> set[str]:
        """All keys of all sections."""
        return {key for name in SECTIONS for key in self.section(name)}


def read_lock(path: Path) -> Lock:
    """Read a lock; a missing file is an empty lock.

    Raises:
        LockError: for a file that is not a lock, with file and line where JSON tells them.
    """
    chapter = path.name.removesuffix(".lock.json")
    if not path.exists():
        return Lock(chapter)
    try:
        data = json.loads(path.read_text("utf-8"))
    except json.JSONDecodeError as error:
        raise LockError(f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    version = data.pop("format", None) if isinstance(data, dict) else None
    if version != FORMAT:
        raise LockError(f"{path}:1: format {version!r}, expected {FORMAT}")
    try:
        lock = Lock(**data)
    except TypeError as error:
        raise LockError(f"{path}:1: {error}") from None
    if lock.chapter != chapter:
        raise LockError(f"{path}:1: the file says that it is of chapter {lock.chapter!r}")
    for name in (*SECTIONS, "functions", "rows", "literals"):
        if not isinstance(getattr(lock, name), dict):
            raise LockError(f"{path}:1: {name!r} is not an object")
    _check_entries(path, lock)
    return lock


def _check_entries(path: Path, lock: Lock) -> None:
    """Refuse entries of the wrong kind here, where the file can be named."""
    kinds: dict[str, tuple[type, str]] = dict.fromkeys(SECTIONS, (dict, "an object"))
    kinds |= {"functions": (str, "a text"), "rows": (str, "a text"), "literals": (int, "a count")}
    for name, (kind, what) in kinds.items():
        for key, entry in getattr(lock, name).items():
            if not isinstance(entry, kind):
                lines = path.read_text("utf-8").splitlines()
                line = next((n for n, text in enumerate(lines, 1) if f'"{key}":' in text), 1)
                raise LockError(f"{path}:{line}: {name}: {key!r} is not {what}")


def chapter_of(docname: str) -> str:
    """The chapter a page belongs to: its folder, or "front" for the top level."""
    return docname.partition("/")[0] if "/" in docname else "front"


def locks_of(exported: Mapping[str, Any], *others: Mapping[str, Any]) -> dict[str, Lock]:
    """The locks that would say what a build published (its exported records).

    Of the other editions' records only the wordings of claims are read: everything else is the
    same in all of them, which :mod:`bookcode.translation.same` checks.
    """
    locks: dict[str, Lock] = {}
    shown = _times_shown(exported)
    translated = _wordings(others)
    for docname, page in exported["pages"].items():
        lock = locks.setdefault(chapter_of(docname), Lock(chapter_of(docname)))
        for record in page["records"]:
            _add_record(lock, record, page, shown)
            if record["kind"] == "claim":
                lock.claims[record["key"]]["wordings"] |= translated.get(record["key"], {})
        for use in page["uses"]:
            if use["role"] == "lit":
                lock.literals[use["key"]] = lock.literals.get(use["key"], 0) + 1
            elif use["role"] in ("fact", "src"):
                entry = {"pages": shown[(use["role"], use["key"])], "shown": use["shown"]}
                (lock.facts if use["role"] == "fact" else lock.citations)[use["key"]] = entry
    return locks


def _wordings(exports: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """What claims say in each export's own language."""
    said: dict[str, dict[str, list[str]]] = {}
    for exported in exports:
        language = short(exported["language"])
        for page in exported["pages"].values():
            for record in page["records"]:
                if record["kind"] == "claim" and language in record["wordings"]:
                    said.setdefault(record["key"], {})[language] = record["wordings"][language]
    return said


def keep_unbuilt_wordings(
    built: Mapping[str, Lock], locked: Mapping[str, Lock], languages: set[str]
) -> None:
    """Give claims the accepted wordings of languages that were not built."""
    for chapter, lock in built.items():
        for key, entry in lock.claims.items():
            before = locked.get(chapter, Lock(chapter)).claims.get(key, {}).get("wordings", {})
            kept = {name: said for name, said in before.items() if name not in languages}
            entry["wordings"] = {**kept, **entry["wordings"]}


def _add_record(
    lock: Lock, record: Mapping[str, Any], page: Mapping[str, Any], shown: Mapping[Any, Any]
) -> None:
    key, kind = record["key"], record["kind"]
    if kind == "number":
        lock.numbers[key] = _number_entry(record, page, shown)
        lock.functions.update(record["reached"])
        lock.rows.update(record["rows"])
    elif kind == "claim":
        lock.claims[key] = {
            "holds": record["holds"],
            "pages": shown.get(("holds", key), {}),
            "predicate": record["predicate"],
            "wordings": dict(record["wordings"]),
        }
        lock.rows.update(record["rows"])
    elif kind == "figure":
        # Caption and alt text are prose, the drawing is as the library draws it. What it says in
        # figures may be names, which the lint lets pass, or one published number for another.
        lock.figures[key] = {
            "drawn": drawn_numerals(record["svg"]),
            "pages": shown.get(("figure", key), {}),
            "uses": record["uses"],
        }


def _number_entry(
    record: Mapping[str, Any], page: Mapping[str, Any], shown: Mapping[Any, Any]
) -> Entry:
    formula = record["formula"] or {}
    return {
        "facts": record["facts"],
        "formula": formula.get("symbolic", ""),
        "function": record["function"],
        "inputs": record["inputs"],
        "pages": shown.get(("num", record["key"]), {}),
        "parameters": record["parameters"],
        "shown": record["shown"],
        "unit": record["unit"],
        "value": record["value"],
        "where": [entry[:2] for entry in formula.get("where", [])],
    }


def _times_shown(exported: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, int]]:
    """(role, key) to page to how often; formulas of a number count as showing it."""
    times: dict[tuple[str, str], dict[str, int]] = {}
    for docname, page in exported["pages"].items():
        for use in page["uses"]:
            role = "num" if use["role"] == "formula" else use["role"]
            counts = times.setdefault((role, use["key"]), {})
            counts[docname] = counts.get(docname, 0) + 1
    return times


def merged(old: Lock, new: Lock, keys: Iterable[str] | None) -> Lock:
    """The lock after accepting ``keys`` (None: everything) of what the build shows.

    "lit:kind" accepts how many texts of a kind are typed on purpose. As long as something is not
    accepted the marks of code and rows stay, or its drift would no longer say what caused it.
    """
    if keys is None:
        return new
    wanted = set(keys)
    result = Lock(old.chapter)
    for name in SECTIONS:
        setattr(result, name, _chosen(old.section(name), new.section(name), wanted))
    kinds = {key.removeprefix("lit:") for key in wanted if key.startswith("lit:")}
    result.literals = _chosen(old.literals, new.literals, kinds)
    open_drift = any(result.section(name) != new.section(name) for name in SECTIONS)
    result.functions = {**new.functions, **old.functions} if open_drift else new.functions
    result.rows = {**new.rows, **old.rows} if open_drift else new.rows
    return result


T = TypeVar("T")


def _chosen(old: Mapping[str, T], new: Mapping[str, T], wanted: set[str]) -> dict[str, T]:
    kept = {key: entry for key, entry in old.items() if key not in wanted}
    return kept | {key: entry for key, entry in new.items() if key in wanted}
