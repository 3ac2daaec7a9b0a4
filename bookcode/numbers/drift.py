"""Compares what a build shows with the lock and says what drifted, why, and where it shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from bookcode.numbers.lock import SECTIONS, Entry, Lock

_ROLES: Final = {
    "numbers": "num",
    "facts": "fact",
    "claims": "holds",
    "citations": "src",
    "figures": "figure",
}
_LONG: Final = 200
_AROUND: Final = 40
"""So many characters of a text are shown whole, and around what differs in a longer one."""
_SHOWN_ONLY: Final = ("facts", "citations")
"""What pages show without publishing it."""


@dataclass(frozen=True)
class Place:
    """Where something is shown: "path:line (context)"."""

    source: str
    line: int
    context: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line} ({self.context})"


@dataclass(frozen=True)
class Drift:
    """One key that is not as the lock says.

    Attributes:
        key, section: what drifted.
        change: "changed", "is new", "is gone" or "says more": what was accepted holds, but there is
            more to accept, a wording in another language say.
        details: one line per field that differs.
        causes: code and table rows that changed since the lock was accepted.
        published: where it is published (a fact: where it is first shown), "" if it no longer is.
        places: everywhere it is shown.
    """

    key: str
    section: str
    change: str
    details: tuple[str, ...]
    causes: tuple[str, ...]
    published: str
    places: tuple[Place, ...]

    def __str__(self) -> str:
        what = f"{self.section.removesuffix('s')} {self.key}"
        absent = f"no longer {'shown' if self.section in _SHOWN_ONLY else 'published'}"
        lines = [f"{self.published or absent}: {what} {self.change}"]
        lines += [f"    {detail}" for detail in self.details]
        lines += [f"    because {cause} changed" for cause in self.causes]
        lines += [f"    shown at {place}" for place in self.places]
        return "\n".join(lines)


def compare(
    locked: Mapping[str, Lock], built: Mapping[str, Lock], exports: Iterable[Mapping[str, Any]]
) -> list[Drift]:
    """Every difference between the locks and a build, in the order of chapter, section, key.

    ``exports`` are the exported records of every language; the first is the source language.
    """
    languages = list(exports)
    index = _Index(languages)
    drifts = []
    for chapter in sorted({*locked, *built}):
        old, new = locked.get(chapter, Lock(chapter)), built.get(chapter, Lock(chapter))
        for section in SECTIONS:
            before, after = old.section(section), new.section(section)
            for key in sorted({*before, *after}):
                if before.get(key) != after.get(key):
                    drifts.append(_drift(key, section, before.get(key), after.get(key), old, index))
        for kind in sorted({*old.literals, *new.literals}):
            counts = old.literals.get(kind, 0), new.literals.get(kind, 0)
            if counts[0] != counts[1]:
                detail = f"texts marked as typed on purpose: {counts[0]} → {counts[1]}"
                places = index.places.get(("lit", kind), ())
                drifts.append(
                    Drift(f"lit:{kind}", "literals", "changed", (detail,), (), chapter, places)
                )
    return drifts


class _Index:
    """Where every key is published and shown, and what its calculation ran through."""

    def __init__(self, exports: list[Mapping[str, Any]]) -> None:
        self.published: dict[str, str] = {}
        self.records: dict[str, Mapping[str, Any]] = {}
        self.places: dict[tuple[str, str], tuple[Place, ...]] = {}
        for export in exports:
            for page in export["pages"].values():
                self._read(page, export is exports[0])

    def _read(self, page: Mapping[str, Any], source_language: bool) -> None:
        figures = {r["key"]: r for r in page["records"] if r["kind"] == "figure"}
        for record in page["records"] if source_language else ():
            self.published[record["key"]] = f"{page['source']}:{record['line']}"
            self.records[record["key"]] = record
        for use in page["uses"]:
            source = use.get("source") or page["source"]
            place = Place(source, use["line"], use["context"])
            role = "num" if use["role"] == "formula" else use["role"]
            self._add((role, use["key"]), place)
            if use["role"] == "figure" and use["key"] in figures:
                for inner, context in texts_of(figures[use["key"]]):
                    self._add(("num", inner), Place(source, use["line"], context))

    def _add(self, key: tuple[str, str], place: Place) -> None:
        known = self.places.get(key, ())
        if place not in known:
            self.places[key] = (*known, place)


def texts_of(figure: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, context) of the numbers in a figure: drawn, in its caption, in its alt text."""
    for key in figure["uses"]:
        yield key, f"drawn in figure {figure['key']}"
    for field, context in (("captions", "caption"), ("alts", "alt text")):
        for text in figure[field].values():
            for key in _placeholders(text):
                yield key, f"{context} of figure {figure['key']}"


def _placeholders(text: str) -> list[str]:
    return re.findall(r"\{([a-z][a-z0-9.-]*)(?::[^{}]+)?\}", text)


def _drift(
    key: str, section: str, before: Entry | None, after: Entry | None, old: Lock, index: _Index
) -> Drift:
    change = "is gone" if not after else "is new" if not before else "changed"
    if before and after and _says_more(before, after):
        change = "says more"
    role = _ROLES[section]
    places = index.places.get((role, key), ())
    return Drift(
        key=key,
        section=section,
        change=change,
        details=tuple(_details(before or {}, after or {})),
        causes=tuple(_causes(index.records.get(key), old)) if before and after else (),
        published=_first(places) if section in _SHOWN_ONLY else index.published.get(key, ""),
        places=places,
    )


def _says_more(before: Entry, after: Entry) -> bool:
    """Whether an entry only has fields, or a claim wordings of languages, that it had not."""
    ours, theirs = before.get("wordings", {}), after.get("wordings", {})
    kept = all(theirs.get(language) == said for language, said in ours.items())
    fields = [name for name in before if name != "wordings"]
    return kept and all(name in after and before[name] == after[name] for name in fields)


def _first(places: tuple[Place, ...]) -> str:
    return f"{places[0].source}:{places[0].line}" if places else ""


def _details(before: Entry, after: Entry) -> Iterator[str]:
    fields = sorted({*before, *after}, key=lambda f: (f not in ("shown", "value"), f))
    for field in fields:
        old, new = before.get(field), after.get(field)
        if old == new:
            continue
        if field == "value" and old is not None and new is not None:
            yield f"value: {old} → {new}{_relative(old, new)}"
        elif not before or not after:
            if field in ("shown", "holds"):
                yield f"{field}: {_text(old) if before else _text(new)}"
        elif field == "wordings" and old and new:
            yield f"wordings: {_text(_unlike(old, new))} → {_text(_unlike(new, old))}"
        elif field == "drawn":
            yield f"drawn: {_text(_only(old, new))} → {_text(_only(new, old))}"
        else:
            yield f"{field}: {' → '.join(_where_unlike(_text(old), _text(new)))}"


def _where_unlike(old: str, new: str) -> tuple[str, str]:
    """Two texts; of long ones the part that differs, with some words around it."""
    if max(len(old), len(new)) <= _LONG:
        return old, new
    first, last = _alike(old, new), _alike(old[::-1], new[::-1])
    last = min(last, len(old) - first, len(new) - first)
    first, last = max(first - _AROUND, 0), max(last - _AROUND, 0)
    return _cut(old, first, len(old) - last), _cut(new, first, len(new) - last)


def _alike(old: str, new: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(old), len(new)))


def _cut(text: str, start: int, end: int) -> str:
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def _unlike(said: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The wordings of those languages that are not the same in both."""
    return {language: texts for language, texts in said.items() if other.get(language) != texts}


def _only(texts: list[str] | None, others: list[str] | None) -> list[str]:
    """The texts that are not among the others, each as many times more; all if only order differs.

    A drawing says many things, of which few change.
    """
    more = Counter(texts) - Counter(others)
    same = not more and len(texts or ()) == len(others or ())
    return list(more.elements()) if not same else list(texts or ())


def _relative(old: str, new: str) -> str:
    try:
        before, after = Fraction(old), Fraction(new)
    except ValueError:
        return ""
    return f" ({float((after - before) / abs(before)):+.4g} relative)" if before else ""


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text(entry)}" for key, entry in value.items()) or "nothing"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return "nothing" if value in (None, "") else str(value)


def _causes(record: Mapping[str, Any] | None, old: Lock) -> Iterator[str]:
    if record is None:
        return
    for function, mark in record.get("reached", {}).items():
        if old.functions.get(function) != mark:
            path, _, name = function.partition("::")
            yield f"{name}() in {path}"
    for row, mark in record.get("rows", {}).items():
        if old.rows.get(row) != mark:
            yield f"the table row {row!r}"
