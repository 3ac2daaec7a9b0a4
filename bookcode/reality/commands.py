"""The commands ``reality`` and ``measure``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bookcode.cli import project_root
from bookcode.lab.errors import LabError
from bookcode.numbers.files import write_atomic
from bookcode.reality import page, published
from bookcode.reality import record as page_record
from bookcode.reality.calibrate import calibrate
from bookcode.reality.check import (
    MEASURED,
    RECORD,
    comparisons_of,
    counts,
    open_artifacts,
    recorded,
)
from bookcode.reality.counters import COUNTERS, RUN
from bookcode.reality.errors import RealityError
from bookcode.reality.evidence import evidence_text
from bookcode.reality.explaining import CLASSES
from bookcode.reality.machine_record import paths_of, record, write_profile
from bookcode.reality.mutants import outside, summary, try_all
from bookcode.reality.operators import LEDGER
from bookcode.reality.survey import UNSTATED, Survey, survey
from bookcode.reality.utilization import utilization
from bookcode.sources import ArtifactError, Store, default_folder
from bookcode.sources.members import Members

console = Console(highlight=False, soft_wrap=True)


@click.command("reality")
@click.option("--mutants", "mutated", is_flag=True, help="Try every mistake against the outside.")
@click.option("--json", "as_json", is_flag=True, help="Print the records instead of tables.")
@click.option("--write", is_flag=True, help="Write the counts as the new record.")
def reality_command(mutated: bool, as_json: bool, write: bool) -> None:
    """Hold the ledger against measured times, other counters and published tables."""
    root = project_root()
    try:
        artifacts, missing = open_artifacts(root, Store(default_folder(root)))
        if missing:
            raise RealityError("; ".join(missing.values()))
        data = _everything(root, artifacts, mutated)
    except (RealityError, ArtifactError) as error:
        raise click.ClickException(str(error)) from None
    if write:
        _write(data)
        _write_page(root, artifacts, data)
    if as_json:
        click.echo(json.dumps({k: v for k, v in data.items() if k != "survey"}, indent=1))
        return
    _print_measured(data["survey"])
    _print_counters(artifacts)
    _print_published(root)
    if mutated:
        _print_mutants(data["mutants"])


def _everything(root: Path, artifacts: dict[str, Members], mutated: bool) -> dict[str, Any]:
    found = survey(artifacts["NVIDIA"])
    data: dict[str, Any] = {"survey": found, "measured": found.record(), "counts": counts(found)}
    if mutated:
        rows = tuple(published.rows(published.load(root)))
        outcomes = try_all(outside(artifacts, rows))
        frontier = [o.mutant.words for o in outcomes if not o.caught_by]
        data["mutants"] = {**summary(outcomes), "frontier": frontier}
        data["caught"] = page.mutated(outcomes)
    return data


def _write(data: dict[str, Any]) -> None:
    try:
        known = recorded()
    except RealityError:
        known = {}
    known["measured"] = data["counts"]
    if "mutants" in data:
        kept = ("mutants", "caught", "by check", "frontier")
        known["mutants"] = {key: data["mutants"][key] for key in kept}
    write_atomic(RECORD, json.dumps(known, indent=1) + "\n")
    click.echo(f"wrote {RECORD.name}", err=True)


def _write_page(root: Path, artifacts: dict[str, Members], data: dict[str, Any]) -> None:
    """Write what the pages show; without --mutants the former list of these is kept."""
    path = root / page_record.RECORD
    try:
        caught = data.get("caught") or page_record.read(path).parts["mutants"]
        parts = {
            **page.surveyed_parts(data["survey"]),
            "counters": {
                name: page.counters(comparisons_of(root, name, artifacts))
                for name in (*artifacts, RUN)
            },
            "published": page.published(published.load(root)),
            "mutants": caught,
        }
    except (RealityError, LabError) as error:
        raise click.ClickException(str(error)) from None
    page_record.write(path, page_record.PageRecord(COUNTERS[MEASURED][0], parts))
    click.echo(f"wrote {page_record.RECORD.name}", err=True)


def _print_measured(found: Survey) -> None:
    table = Table(box=None, title="Measured times against the bound")
    table.add_column("rows that beat the bound", overflow="fold")
    for heading in ("rows", "beat", "most", "best below", "unexplained"):
        table.add_column(heading, justify="right")
    table.add_column("why")
    for group in found.groups:
        if group.beaten:
            why = ", ".join(f"{count} {name}" for name, count in group.classes.items())
            figures = (group.rows, group.beaten, group.most, group.best, group.unexplained or "")
            name = f"{group.data_set} {group.operator} {group.label}"
            table.add_row(name, *map(str, figures), why)
    console.print(table)
    console.print(f"{found.rows} rows, {found.beaten} beat the bound, {found.unexplained} open")
    for name, count in found.classes.items():
        console.print(f"  {count:6d} {name}: {CLASSES[name]}")
    for group in found.groups:
        for kind, evidence in group.evidence.items():
            place = f"{group.data_set} {group.operator} {group.label}"
            console.print(f"  {place}: {kind}: {evidence_text(evidence)}", markup=False)
    for name, (pairs, middle, most) in found.again.items():
        console.print(
            f"  {name}: {pairs:.0f} shapes twice, times differ by {middle}, at most {most}"
        )
    console.print(f"  not stated by the tables: {', '.join(UNSTATED)}")
    for place in (place for group in found.groups for place in group.places):
        console.print(f"  unexplained: {place}", markup=False)


def _print_counters(artifacts: dict[str, Members]) -> None:
    table = Table("theirs", "operator", "inputs", box=None, title="Other people's counters")
    for heading in ("unit", "ledger", "theirs", "why they differ"):
        table.add_column(heading, justify="left" if "why" in heading else "right")
    for name, members in artifacts.items():
        for one in COUNTERS[name][1](members):
            why = "; ".join(f"{float(d.amount):+.6g} {d.why}" for d in one.differences)
            ours = f"{float(one.ledger(LEDGER)):.12g}"
            figures = (one.unit, ours, f"{float(one.theirs):.12g}", why)
            table.add_row(one.counter, one.operator, one.inputs, *figures)
    console.print(table)


def _print_published(root: Path) -> None:
    table = Table("source", "what", box=None, title="Published tables")
    for heading in ("printed", "recomputed", "unit", "remark"):
        table.add_column(heading, justify="left" if heading in ("unit", "remark") else "right")
    for source in published.load(root):
        for row in source.rows:
            remark = row.why or ("" if row.problem(LEDGER) is None else "DOES NOT FOLLOW")
            shown = row.shown(LEDGER)
            table.add_row(source.authors, row.what, row.printed, shown, row.unit, remark)
    console.print(table)


def _print_mutants(data: dict[str, Any]) -> None:
    console.print(f"{data['caught']} of {data['mutants']} mistakes are caught from outside")
    for check, count in data["by check"].items():
        console.print(f"  {count:4d} {check}")
    console.print(f"frontier: {len(data['frontier'])} mistakes that nothing outside catches")
    for name in data["frontier"]:
        console.print(f"  {name}", markup=False)


@click.command("measure")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--name", default="here", help="Name of the profile.")
@click.option("--seconds", default=10.0, help="About how long the measurement may take.")
@click.option("--force", is_flag=True, help="Overwrite what an earlier run wrote.")
def measure_command(folder: Path, name: str, seconds: float, force: bool) -> None:
    """Calibrate this machine: a profile and a record of it, written into FOLDER."""
    try:
        paths_of(folder, name, force=force)
        found = calibrate(seconds)
        tried = utilization(found, name)
        paths = write_profile(found, folder, name, tried, force=force)
    except RealityError as error:
        raise click.ClickException(str(error)) from None
    for line in record(found, name)["summary"]:
        click.echo(line)
    for one in tried:
        click.echo(one.line)
    if not tried:
        click.echo("operators are tried with numpy only: not on a GPU")
    for path in paths:
        click.echo(f"wrote {path}")
    sys.exit(1 if found.disturbed else 0)
