"""The command ``linkcheck``: builds the list of links, has them checked, and says what is dead.

Exit status: 0 all links were reached and are well; 1 a link is dead; 3 nothing is dead but some
links could not be settled, or there was no network.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from bookcode.cli import project_root

from .judge import FAILING, Judgement, Look, Verdict, judge
from .look import SecondLook
from .records import Link, LinkcheckError, read_report
from .rules import Rules

REPORT: Final = "output.json"
DEAD: Final = 1
UNSETTLED: Final = 3
NO_NETWORK: Final = "not checked: no network"


@click.command("linkcheck", context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def linkcheck_command(options: tuple[str, ...]) -> None:
    """Check the links that leave the site. OPTIONS go to sphinx-build."""
    root = project_root()
    out = root / "_build" / "linkcheck"
    try:
        links = build(root, out, options)
        rules = Rules.load()
        judgements = judge_all(links, rules, SecondLook(rules))
        sys.exit(report(judgements, Console(highlight=False)))
    except LinkcheckError as error:
        raise click.ClickException(str(error)) from None


def build(root: Path, out: Path, options: Sequence[str] = ()) -> list[Link]:
    """Run the link builder over the book.

    Raises:
        LinkcheckError: when the build itself fails.
    """
    path = out / REPORT
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "linkcheck", "-c", str(root)]
    command += ["-D", "suppress_warnings=mystnb.mime_priority"]  # this builder writes no pages
    command += ["-d", str(out / "doctrees"), *options, str(root / "book"), str(out)]
    done = subprocess.run(command, cwd=root, check=False)
    if done.returncode and not path.exists():
        raise LinkcheckError(f"sphinx-build ended with status {done.returncode}")
    return read_report(path)


def judge_all(links: Sequence[Link], rules: Rules, second: Look) -> list[Judgement]:
    """The verdicts on all links, in the order of their places."""
    ordered = sorted(links, key=lambda link: (link.file, link.line, link.uri))
    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(lambda link: judge(link, rules, second), ordered))


def no_network(judgements: Sequence[Judgement]) -> bool:
    """Whether there are links to other hosts and not one of these hosts answered."""
    silent = (Verdict.UNREACHABLE, Verdict.SKIPPED, Verdict.IMPOSSIBLE_LINES)
    asked = [j for j in judgements if j.link.external and j.verdict is not Verdict.SKIPPED]
    return any(j.verdict is Verdict.UNREACHABLE for j in asked) and all(
        j.verdict in silent for j in asked
    )


def report(judgements: Sequence[Judgement], console: Console) -> int:
    """Print what is dead and what is unsettled, then the counts; returns the exit status."""
    offline = no_network(judgements)
    for judgement in judgements:
        silent = offline and judgement.verdict is Verdict.UNREACHABLE
        moved = judgement.verdict is Verdict.MOVED
        if (moved or judgement.fails or not judgement.settled) and not silent:
            console.print(str(judgement), markup=False, soft_wrap=True)
    counts = Counter(judgement.verdict for judgement in judgements)
    table = Table("links", "verdict", "fails", box=None)
    for verdict in Verdict:
        if counts[verdict]:
            table.add_row(str(counts[verdict]), verdict.value, "yes" if verdict in FAILING else "")
    console.print(table)
    if any(judgement.fails for judgement in judgements):
        return DEAD
    if offline:
        console.print(NO_NETWORK)
    return UNSETTLED if not all(judgement.settled for judgement in judgements) else 0
