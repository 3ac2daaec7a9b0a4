"""The command group ``new``: begins a chapter, an operator, a fact or an exercise."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

import click

from bookcode.cli import project_root
from bookcode.scaffold.chapters import chapter
from bookcode.scaffold.errors import ScaffoldError
from bookcode.scaffold.exercises import KINDS, exercise
from bookcode.scaffold.facts import NewCitation, NewFact, fact, registry_of
from bookcode.scaffold.operators import operator
from bookcode.scaffold.plan import Plan, carry_out
from bookcode.sources import Evidence
from bookcode.sources.model import UNITS, Kind

FACT_KINDS = [kind.value for kind in Kind if kind is not Kind.DERIVATION]
EVIDENCE = [evidence.value for evidence in Evidence]


@click.group("new")
def new_command() -> None:
    """Begin a chapter, an operator, a fact or an exercise, so that the book still builds green.

    No file is ever overwritten.
    """


def _done(plan: Callable[[], Plan]) -> None:
    """Make a plan, carry it out, and say what was written and what comes next."""
    try:
        made = plan()
        for line in carry_out(project_root(), made):
            click.echo(line)
    except ScaffoldError as error:
        raise click.ClickException(str(error)) from None
    click.echo("next:")
    for step in made.steps:
        click.echo(f"  {step}")


@new_command.command("chapter")
@click.argument("name")
@click.option("--title", default="", help="Its heading; the words of NAME where left out.")
def chapter_command(name: str, title: str) -> None:
    """Begin a chapter after the last one; NAME is such as mixed-precision."""
    _done(lambda: chapter(project_root(), name, title))


@new_command.command("operator")
@click.argument("name")
def operator_command(name: str) -> None:
    """Begin an operator of the ledger; NAME is such as layer_scale."""
    _done(lambda: operator(project_root(), name))


@new_command.command("exercise")
@click.argument("name", metavar="TITLE")
@click.option("--chapter", "in_chapter", required=True, help="Its chapter: 02, or the folder.")
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True)
def exercise_command(name: str, in_chapter: str, kind: str) -> None:
    """Begin an exercise at the end of a chapter's exercises."""
    _done(lambda: exercise(project_root(), name, in_chapter, kind))


@new_command.command("fact")
@click.argument("name", metavar="KEY")
@click.option("--value", prompt=True, help="An exact decimal, such as 4800e9.")
@click.option("--unit", prompt=True, type=click.Choice(UNITS))
@click.option("--kind", prompt=True, type=click.Choice(FACT_KINDS))
@click.option("--conditions", default="", prompt="When does it hold (may be empty)")
@click.option("--citation", prompt="Key of the citation, one that is there or a new one")
@click.option("--evidence", type=click.Choice(EVIDENCE), help="Of a new citation.")
@click.option("--claim", help="Of a new citation: what the place says, in our words.")
@click.option("--source", help="Of a new citation: an id of sources.toml.")
@click.option("--path", default="", help="Of a new citation: the file in the source.")
@click.option("--lines", default="", metavar="FIRST-LAST", help="Of a new citation.")
@click.option("--anchor", "anchors", multiple=True, help="Of a new citation: a regular expression.")
@click.option("--date", default="", help="Of a new citation: when it was read; today if left out.")
@click.option("--read", default=None, help="Pinned: a pattern with one group, or a dotted path.")
@click.option("--scale", default="", help="What one unit of the source is worth, such as 1e9.")
def fact_command(
    name: str,
    value: str,
    unit: str,
    kind: str,
    conditions: str,
    citation: str,
    evidence: str | None,
    claim: str | None,
    source: str | None,
    path: str,
    lines: str,
    anchors: tuple[str, ...],
    date: str,
    read: str | None,
    scale: str,
) -> None:
    """Begin a fact; what is not given is asked for.

    It rests on a citation: one that is there, or a new one, whose evidence is asked for too.
    """

    def plan() -> Plan:
        root = project_root()
        known = registry_of(root).citations
        if citation in known:
            pinned, cited = known[citation].evidence is Evidence.PINNED, None
        else:
            near = get_close_matches(citation, known)
            hint = f" (there are {', '.join(near)})" if near else ""
            click.echo(f"{citation} is a new citation{hint}")
            cited = _asked(evidence, claim, source, path, lines, anchors, date)
            pinned = cited.evidence is Evidence.PINNED
        how = read
        if pinned and how is None:
            how = click.prompt("How is it read: a pattern with one group, or a dotted path")
        written = NewFact(name, value, unit, citation, kind, conditions, how or "", scale)
        return fact(root, written, cited)

    _done(plan)


def _asked(
    evidence: str | None,
    claim: str | None,
    source: str | None,
    path: str,
    lines: str,
    anchors: tuple[str, ...],
    date: str,
) -> NewCitation:
    """A new citation of what was given, and of what is asked for."""
    if evidence is None:
        evidence = click.prompt("Its evidence", type=click.Choice(EVIDENCE))
    backed = Evidence(evidence)
    if claim is None:
        claim = click.prompt("What does the place say, in our words")
    if source is None and backed is not Evidence.AUTHOR_NOTE:
        source = click.prompt("Its source, an id of sources.toml")
    if backed is Evidence.PINNED:
        path = path or click.prompt("The file in the source")
        lines = lines or click.prompt("First and last line, such as 12-14")
        anchors = anchors or (click.prompt("A regular expression that the lines must match"),)
    return NewCitation(backed, claim, source or "", path, _span(lines), anchors, date)


def _span(text: str) -> tuple[int, int] | None:
    """The lines meant by "12-14", or by "12" alone.

    Raises:
        ScaffoldError: when they are none.
    """
    if not text:
        return None
    first, _, last = text.partition("-")
    try:
        return int(first), int(last or first)
    except ValueError:
        raise ScaffoldError(f"lines are such as 12-14, not {text!r}") from None
