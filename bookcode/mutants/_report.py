"""What a run found, for people, for programs, and for the record that the site shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bookcode.mutants._model import Verdict, counted
from bookcode.numbers.files import write_atomic

RECORD: Final = Path("references/measurements/mutants.json")
SURVIVORS: Final = "mutants.json"
_OUTCOMES: Final = ("killed", "survived", "equivalent", "not run")


def survivors(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The mutants that nothing noticed and that nobody listed."""
    return [verdict for verdict in verdicts if verdict.outcome == "survived"]


def summary(verdicts: Sequence[Verdict], seconds: float) -> dict[str, Any]:
    """The counts of a run: by kind, and altogether."""
    kinds = counted(verdicts)
    total = {name: sum(row[name] for row in kinds.values()) for name in ("mutants", *_OUTCOMES)}
    return {"total": total, "kinds": kinds, "seconds": round(seconds)}


def write_survivors(out: Path, verdicts: Sequence[Verdict], counts: Mapping[str, Any]) -> Path:
    """Write what survived, what is equivalent and the counts; returns the file."""
    listed = [v.to_json() for v in verdicts if v.outcome in ("survived", "equivalent")]
    path = out / SURVIVORS
    data = {
        **counts,
        "mutants": sorted(listed, key=lambda m: (m["outcome"] != "survived", m["name"])),
    }
    write_atomic(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return path


def write_record(root: Path, counts: Mapping[str, Any], revision: str) -> None:
    """Write the record of a whole run; the time it took is the machine's, and stays out of it."""
    data = {name: value for name, value in counts.items() if name != "seconds"}
    text = json.dumps({"revision": revision, **data}, indent=1, ensure_ascii=False)
    write_atomic(root / RECORD, text + "\n")


def print_report(verdicts: Sequence[Verdict], counts: Mapping[str, Any], console: Console) -> None:
    """All survivors, then a table by kind with the checks that killed."""
    for verdict in survivors(verdicts):
        line = f"survived: {verdict.mutant.kind}: {verdict.mutant}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("mutants of")
    for name in ("mutants", *_OUTCOMES):
        table.add_column(name, justify="right")
    table.add_column("killed by")
    for kind, row in {**counts["kinds"], "all": counts["total"]}.items():
        by = ", ".join(f"{check} {count}" for check, count in row.get("killed by", {}).items())
        table.add_row(kind, *(str(row[name] or "") for name in ("mutants", *_OUTCOMES)), by)
    console.print(table)
    total = counts["total"]
    state = "RED" if total["survived"] else "green"
    left = f", {total['not run']} not run for lack of time" if total["not run"] else ""
    console.print(f"mutants: {state}: {total['survived']} survived{left}, in {counts['seconds']} s")
