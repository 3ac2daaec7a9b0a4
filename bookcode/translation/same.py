"""Compares what two editions publish and show: the words differ, nothing else may."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bookcode.numbers.records import PARAMETERS_LINE
from bookcode.translation.editions import tag

_NUMERAL: Final = re.compile(r"[0-9]+(?:[\u202f.,][0-9]+)*")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "number": ("value", "unit", "spec", "function", "parameters"),
    "claim": ("holds", "predicate", "parameters"),
    "figure": ("uses",),
    "preset": ("values",),
    "alias": ("target",),
}
"""What is the same in every language, by kind of record."""
_DESCRIBED: Final = ("kind", "name", "unit", "default", "minimum", "maximum", "step")


def differences(source: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """What another edition publishes or shows differently, as "path:line: what".

    Both are exported records. A role may stand more often in one edition than in the other, but
    every key, in every format, stands in both, with the same numerals.
    """
    language = tag(other["language"])
    ours, theirs = source["pages"], other["pages"]
    for docname in sorted({*ours, *theirs}):
        if docname not in theirs or docname not in ours:
            page = ours.get(docname) or theirs[docname]
            where = language if docname not in theirs else tag(source["language"])
            yield f"{page['source']}:1: the edition {where} lacks this page"
            continue
        for problem in _of_page(ours[docname], theirs[docname]):
            yield f"{problem} in the edition {language}"


def _of_page(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    yield from _of_records(ours, theirs)
    yield from _of_uses(ours, theirs)
    if _computing(ours) != _computing(theirs):
        yield f"{ours['source']}:1: the JavaScript of the page computes something else"
    names = [[(e["what"], e["name"]) for e in page["exercises"]] for page in (ours, theirs)]
    if names[0] != names[1]:
        for what, name in sorted({*names[0]} ^ {*names[1]}) or [("exercises", "order")]:
            yield f"{ours['source']}:1: {what} {name!r} is not the same"


def _computing(page: Mapping[str, Any]) -> list[str]:
    """The lines of a page's module, without the one that describes parameters in words."""
    module = page["module"] or {"javascript": ""}
    lines = module["javascript"].splitlines()
    return [line for line in lines if not line.startswith(PARAMETERS_LINE)]


def _of_records(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    before = {(r["kind"], r["key"]): r for r in ours["records"]}
    after = {(r["kind"], r["key"]): r for r in theirs["records"]}
    for kind, key in sorted({*before, *after}):
        if kind not in _FIELDS and kind != "parameter":
            continue
        one, other = before.get((kind, key)), after.get((kind, key))
        record = one or other or {}
        place = f"{ours['source']}:{record['line']}: {kind} {key}"
        if one is None or other is None:
            yield f"{place} is not published" if other is None else f"{place} is published only"
            continue
        for field, left, right in _fields(kind, one, other):
            if left != right:
                yield f"{place}: {field} is {right!r} instead of {left!r}"


def _fields(
    kind: str, one: Mapping[str, Any], other: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    if kind == "parameter":
        left, right = one["description"], other["description"]
        for name in _DESCRIBED:
            yield name, left.get(name), right.get(name)
        yield "options", sorted(left.get("options", ())), sorted(right.get("options", ()))
        return
    for name in _FIELDS[kind]:
        yield name, one.get(name), other.get(name)
    if kind == "number":
        left, right = ((record.get("formula") or {}).get("symbolic") for record in (one, other))
        yield "formula", left, right
        yield "shown text", numerals(one.get("shown", "")), numerals(other.get("shown", ""))


def _of_uses(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    before, after = _shown(ours), _shown(theirs)
    for use in sorted({*before, *after}):
        role, key, spec = use
        name = f"{{{role}}}`{key}{':' * bool(spec)}{spec}`"
        if use not in after or use not in before:
            place, _ = before.get(use) or after[use]
            yield f"{place}: {name} is shown {'nowhere' if use in before else 'only'}"
            continue
        (_, left), (place, right) = before[use], after[use]
        if left != right:
            yield f"{place}: {name} shows {' '.join(right)} instead of {' '.join(left)}"


def _shown(page: Mapping[str, Any]) -> dict[tuple[str, str, str], tuple[str, tuple[str, ...]]]:
    """(role, key, format) to the place of its first use and the numerals that it shows."""
    found: dict[tuple[str, str, str], tuple[str, tuple[str, ...]]] = {}
    for use in page["uses"]:
        if use["role"] == "lit":
            continue
        # The words of a verdict or of a citation are translated; they are no format.
        spec = "" if use["role"] in ("holds", "src") else use["spec"]
        place = f"{use.get('source') or page['source']}:{use['line']}"
        shown = numerals(use["shown"]) if use["role"] in ("num", "fact") else ()
        if use["role"] == "fact":  # with its conditions, a sentence whose order is free
            shown = tuple(sorted(shown))
        found.setdefault((use["role"], use["key"], spec), (place, shown))
    return found


def numerals(text: str) -> tuple[str, ...]:
    """The numerals of a shown text, in order.

    >>> numerals("137.4 GFLOP, 33 个头")
    ('137.4', '33')
    """
    return tuple(_NUMERAL.findall(text))
