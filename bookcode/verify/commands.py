"""The commands ``build`` and ``verify``."""

from __future__ import annotations

import sys

import click
from rich.console import Console

from bookcode.cli import project_root
from bookcode.numbers.errors import NumbersError
from bookcode.sources import FetchSet
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.builds import build_all
from bookcode.verify.progress import Progress
from bookcode.verify.result import exit_status, print_summary
from bookcode.verify.run import CHECK_POINTS, Request, layout_of, verify

EDITION = click.option(
    "--edition", "--lang", type=click.Choice(list(LANGUAGES)), help="One edition instead of all."
)


@click.command("build")
@EDITION
@click.option("--clean", is_flag=True, help="Remove what an earlier build left first.")
def build_command(edition: str | None, clean: bool) -> None:
    """Build the site into _build/html."""
    layout = layout_of(project_root())
    console = Console()
    editions = [edition] if edition else list(LANGUAGES)
    with Progress(console, editions) as progress:
        built = build_all(layout, editions, clean=clean, watch_of=progress.watch_of)
    results = [result for b in built for result in b.results()]
    print_summary(results, console)
    sys.exit(exit_status(results))


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[CHAPTER]... [KEY]...")
@EDITION
@click.option("--accept", "accepting", is_flag=True, help="Accept drift: of the KEYs, or all.")
@click.option("--why", default="", help="The reason, for the change log of numbers.")
@click.option(
    "--sources",
    type=click.Choice(["none", "core", "full"]),
    default="full",
    help="Which pinned sources to fetch; what is not there counts as not checked.",
)
@click.option(
    "--points",
    type=click.IntRange(min=2),
    default=CHECK_POINTS,
    show_default=True,
    help="At how many parameter points values, traces and JavaScript are compared.",
)
def verify_command(
    names: tuple[str, ...],
    edition: str | None,
    accepting: bool,
    why: str,
    sources: str,
    points: int,
) -> None:
    """Rebuild from clean and check everything.

    Names are chapters ("02"), or with --accept the keys to accept. Exit status: 0 green, 1 red,
    3 nothing red but something that should be checkable was not checked.
    """
    chapters, keys = ((), names) if accepting else (names, ())
    request = Request(chapters, accepting, keys, why, FetchSet(sources), points, edition)
    try:
        if accepting and not why.strip():
            raise NumbersError('say why the numbers changed: --why "..."')
        if accepting and edition:
            raise NumbersError("accepting needs all editions: leave out --edition")
        sys.exit(verify(layout_of(project_root()), request, Console()))
    except NumbersError as error:
        raise click.ClickException(str(error)) from None
