"""``explain KEY``: where a published number comes from, out of the last built book."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from bookcode.numbers.errors import did_you_mean

RECORDS = Path("_build") / "doctrees" / "en" / "bookcode-records.json"


@dataclass(frozen=True)
class Found:
    """A record with the page that published it, and every place that shows it."""

    record: Mapping[str, Any]
    source: str
    places: tuple[str, ...]


def find(exported: Mapping[str, Any], key: str) -> Found:
    """The number or claim with this key.

    Raises:
        click.ClickException: for an unknown key, with the nearest ones.
    """
    known: dict[str, tuple[Mapping[str, Any], str]] = {}
    places = []
    for page in exported["pages"].values():
        for record in page["records"]:
            if record["kind"] in ("number", "claim"):
                known[record["key"]] = record, page["source"]
        roles = ("num", "formula", "holds")
        uses = [u for u in page["uses"] if u["key"] == key and u["role"] in roles]
        places += [f"{page['source']}:{u['line']} ({u['context']})" for u in uses]
    if key not in known:
        raise click.ClickException(f"no number or claim {key!r}{did_you_mean(key, known)}")
    record, source = known[key]
    return Found(record, source, tuple(dict.fromkeys(places)))


def lines(found: Found) -> Iterator[tuple[str, str]]:
    """(what, text) rows of the explanation."""
    record = found.record
    yield "published at", f"{found.source}:{record['line']}"
    if record["kind"] == "claim":
        yield "holds", "yes" if record["holds"] else "NO"
        yield "because", record["explanation"]
        yield "says", "; ".join(w for wordings in record["wordings"].values() for w in wordings)
    else:
        yield "value", f"{record['value']} {record['unit']}, shown as {record['shown']}"
        if record["formula"]:
            yield "formula", record["formula"]["symbolic"]
            yield "with values", record["formula"]["substituted"]
            for latex, definition, meaning in record["formula"]["where"]:
                yield "where", f"{latex} = {definition} ({meaning})"
            for latex, meaning, value in record["formula"]["symbols"]:
                yield "symbol", f"{latex}: {meaning}" + (f", here {value}" if value else "")
        yield "ledger", f"{record['function']} ({record['place']})" if record["function"] else "-"
        for function in record["reached"]:
            yield "ran through", function
        yield "table rows", ", ".join(record["rows"]) or "-"
        yield "facts", ", ".join(record["facts"]) or "-"
    yield "parameters", ", ".join(record["parameters"]) or "-"
    for place in found.places:
        yield "shown at", place


@click.command("explain")
@click.argument("key")
@click.option("--json", "as_json", is_flag=True, help="The record as JSON.")
def explain_command(key: str, as_json: bool) -> None:
    """Say where the number or claim KEY of the built book comes from and where it is shown."""
    from bookcode.cli import project_root

    path = project_root() / RECORDS
    if not path.exists():
        raise click.ClickException(
            "no built book: run `nox -s html` (or `python -m bookcode build`)"
        )
    found = find(json.loads(path.read_text("utf-8")), key)
    if as_json:
        data = {**found.record, "source": found.source, "places": list(found.places)}
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
        return
    table = Table(show_header=False, box=None, title=key, title_justify="left")
    for what, text in lines(found):
        table.add_row(what, text.replace("[", r"\["))
    Console().print(table)
