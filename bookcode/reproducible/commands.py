"""The command ``reproducible``."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from bookcode.cli import project_root
from bookcode.reproducible.errors import ReproducibleError
from bookcode.reproducible.twice import Outcome, build_twice, untracked_files
from bookcode.reproducible.ways import other_locale, two_ways
from bookcode.translation.editions import LANGUAGES


@click.command("reproducible")
@click.option(
    "--edition", "--lang", type=click.Choice(list(LANGUAGES)), help="One edition instead of all."
)
@click.option("--keep", type=click.Path(path_type=Path), help="Work in this new folder; keep it.")
def reproducible_command(edition: str | None, keep: Path | None) -> None:
    """Build twice, as differently as can be, and compare the sites byte for byte.

    The builds lie in different folders and have another number of processes, time zone, locale and
    seed of hashes. Exit status: 0 no file differs; 1 one does, or a build failed.
    """
    root = project_root()
    editions = [edition] if edition else list(LANGUAGES)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    try:
        if keep is None:
            with tempfile.TemporaryDirectory(prefix="twice-") as scratch:
                sys.exit(run(root, Path(scratch), editions, console))
        keep.mkdir(parents=True)
        sys.exit(run(root, keep.resolve(), editions, console))
    except FileExistsError:
        raise click.ClickException(f"{keep} exists: name a folder to make") from None
    except ReproducibleError as error:
        raise click.ClickException(str(error)) from None


def run(root: Path, scratch: Path, editions: Sequence[str], console: Console) -> int:
    """Build twice and report; the exit status."""
    other = other_locale()
    if other is None:
        console.print("no locale but C is installed here: the second build has plain C, in ASCII")
    if left_out := untracked_files(root):
        console.print(f"left out, since git does not track them: {', '.join(left_out)}")
    ways = two_ways(other)
    for number, way in enumerate(ways, 1):
        console.print(f"{number}: {way}")
    began = time.monotonic()
    outcome = build_twice(root, scratch, ways, editions, console.print)
    report(outcome, time.monotonic() - began, console)
    return 1 if outcome.differences or not outcome.files else 0


def report(outcome: Outcome, seconds: float, console: Console) -> None:
    """Every file that differs, then the verdict."""
    for difference in outcome.differences:
        console.print(str(difference))
    count = len(outcome.differences)
    verdict = f"{count} differ" if count else "all alike" if outcome.files else "nothing to compare"
    console.print(f"reproducible: {outcome.files} files of two builds, {verdict} ({seconds:.0f} s)")
