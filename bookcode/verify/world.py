"""Checks of published numbers against what stands outside the book: figures, facts, links."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from bookcode.sources.registry import Registry
from bookcode.verify.result import Result

TOLERANCE = Fraction(1, 10**12)


def check_expected(exported: Mapping[str, Any], path: Path) -> Result:
    """Published numbers whose key stands in ``expected-figures.json`` have its value."""
    result = Result("expected figures", 0, "numbers")
    if not path.exists():
        return result
    expected = {f["key"]: f for f in json.loads(path.read_text("utf-8"))["figures"]}
    for page in exported.get("pages", {}).values():
        for record in page["records"]:
            figure = expected.get(record["key"])
            if figure is None or record["kind"] != "number":
                continue
            result.checked += 1
            value, wanted = Fraction(record["value"]), Fraction(figure["value"])
            if abs(value - wanted) > TOLERANCE * abs(wanted):
                result.problems.append(
                    f"{page['source']}:{record['line']}: {record['key']} = {float(value)!r}, "
                    f"expected {figure['value']!r} ({path.name})"
                )
    result.note = f"of {len(expected)} in {path.name}"
    return result


def check_profiles(registry: Registry) -> Result:
    """Every value of every machine profile equals the fact it names."""
    from bookcode.ledger import MACHINES

    result = Result("machine profiles", 0, "values")
    for machine in MACHINES.values():
        for field, key in machine.facts.items():
            result.checked += 1
            value = _field(machine, field)
            if key not in registry.facts:
                result.problems.append(f"machine {machine.name}: {field} names no fact {key!r}")
            elif registry.facts[key].exact != value:
                result.problems.append(
                    f"machine {machine.name}: {field} = {float(value):g} but fact {key} = "
                    f"{float(registry.facts[key].exact):g} ({registry.facts[key].at})"
                )
    return result


def _field(machine: Any, field: str) -> Fraction:
    name, _, entry = field.partition(".")
    value = getattr(machine, name)
    return Fraction(value[entry] if entry else value)


class _Page(HTMLParser):
    """Collects the ids and the references of an HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.references: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif name in ("href", "src", "xlink:href"):
                self.references.append((value, self.getpos()[0]))


def check_links(folder: Path, editions: Collection[str] = ()) -> Result:
    """Every reference inside the site leads to a file, every fragment to an id.

    Links to one of ``editions`` that is not there count as not checked.
    """
    absent = [edition for edition in editions if not (folder / edition).is_dir()]
    result = Result("links inside the site", 0, "links")
    pages = {path: _parse(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for reference, line in page.references:
            target = urlsplit(reference)
            if target.scheme or target.netloc or reference.startswith("data:"):
                continue
            if edition := _leads_to(folder, path, target.path, absent):
                result.unchecked.append(f"the edition {edition} was not built")
                continue
            result.checked += 1
            for problem in _broken(folder, path, target.path, target.fragment, pages):
                place = f"{path.relative_to(folder)}:{line}"
                result.problems.append(f"{place}: link {reference!r}: {problem}")
    return result


def _leads_to(folder: Path, page: Path, target: str, editions: Collection[str]) -> str | None:
    """Which of some editions a reference leads to."""
    path = ((folder if target.startswith("/") else page.parent) / target.lstrip("/")).resolve()
    inside = (
        path.relative_to(folder.resolve()).parts if path.is_relative_to(folder.resolve()) else ()
    )
    return inside[0] if inside and inside[0] in editions else None


def _parse(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def _broken(
    folder: Path, page: Path, target: str, fragment: str, pages: Mapping[Path, _Page]
) -> Iterator[str]:
    base = folder if target.startswith("/") else page.parent
    path = (base / unquote(target).lstrip("/")).resolve() if target else page
    if path.is_dir():
        path /= "index.html"
    if not path.exists():
        yield "no such file"
    elif fragment and path in pages and unquote(fragment) not in pages[path].ids:
        yield f"no element with id {fragment!r} on that page"
