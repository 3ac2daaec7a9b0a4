"""Checks of published numbers against what stands outside the book: figures and facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

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
