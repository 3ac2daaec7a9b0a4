"""The command ``mutants``."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from bookcode.cli import project_root
from bookcode.mutants._changed import Changed, has_revision
from bookcode.mutants._model import MutantsError, Verdict
from bookcode.mutants._report import (
    print_report,
    summary,
    survivors,
    write_record,
    write_survivors,
)
from bookcode.mutants._run import KINDS, Request, run
from bookcode.numbers.errors import NumbersError

LAST: Final = "HEAD~1"


@click.command("mutants")
@click.option("--all", "everything", is_flag=True, help="Every mutant (the default).")
@click.option(
    "--changed",
    metavar="[REV]",
    is_flag=False,
    flag_value=LAST,
    help=f"Only those on lines that changed since REV (default: {LAST}).",
)
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only mutants of this kind."
)
@click.option("--seconds", type=float, help="Begin no mutant after so many seconds.")
@click.option("--record", is_flag=True, help="Keep the counts of this whole run as the record.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def mutants_command(
    everything: bool,
    changed: str | None,
    kinds: tuple[str, ...],
    seconds: float | None,
    record: bool,
    as_json: bool,
) -> None:
    """Change the ledger, the facts, the lock, the claims and the text, and see that it is noticed.

    Exit status: 0 every mutant was killed or is listed as equivalent; 1 one survived, or the book
    is not green to begin with; 3 some were not run for lack of time.
    """
    if everything and changed:
        raise click.UsageError("--all and --changed exclude each other")
    root = project_root()
    partial = bool(changed or kinds or seconds)
    if record and partial:
        raise click.UsageError("a record is of a whole run: leave --changed, --kind and --seconds")
    console = Console(stderr=as_json)
    started = time.monotonic()
    try:
        since = _since(root, changed, lambda text: _say(console, text))
        request = Request(kinds or KINDS, since, seconds)
        verdicts = run(root, root / "_build" / "mutants", request, lambda text: _say(console, text))
    except NumbersError as error:
        raise click.ClickException(str(error)) from None
    sys.exit(_finish(root, verdicts, time.monotonic() - started, console, record, as_json))


def _since(root: Path, changed: str | None, say: Callable[[str], None]) -> Changed | None:
    if changed == LAST and not has_revision(root, LAST):
        say("there is no earlier commit to compare with: everything counts as changed")
        return None
    return Changed.since(root, changed) if changed else None


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _finish(
    root: Path,
    verdicts: list[Verdict],
    seconds: float,
    console: Console,
    record: bool,
    as_json: bool,
) -> int:
    counts = summary(verdicts, seconds)
    write_survivors(root / "_build", verdicts, counts)
    if as_json:
        found = {**counts, "mutants": [verdict.to_json() for verdict in verdicts]}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        print_report(verdicts, counts, console)
    if survivors(verdicts):
        return 1
    if record:
        write_record(root, counts, revision_of(root))
    return 3 if counts["total"]["not run"] else 0


def revision_of(root: Path) -> str:
    """The commit that is checked out.

    Raises:
        MutantsError: when it cannot be known.
    """
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise MutantsError(f"no revision to name in the record: {done.stderr.strip()}")
    return done.stdout.strip()
