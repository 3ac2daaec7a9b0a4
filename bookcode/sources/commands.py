"""The command group `sources`: fetch, list, show, check, relocate, look for newer versions.

Exit status: 0 all green; 1 something is wrong; 2 wrong use; 3 something could not be checked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final, NoReturn

import click
from rich.console import Console

from . import _tables
from .accept import accept, choose
from .check import check
from .errors import RegistryError, SourcesError
from .extract import plain
from .fetch import download_release, newest
from .model import Citation, FetchSet
from .outdated import outlook
from .registry import Registry
from .relocate import relocate
from .store import Store, default_folder

NOT_CHECKED: Final = 3
REFERENCES: Final = "references"
console = Console(highlight=False, soft_wrap=True)


def _reported(command: Callable[..., None]) -> Callable[..., None]:
    """Errors of this package end a command with a message and status 1, without a traceback."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except RegistryError as error:
            for problem in error.problems:
                click.echo(str(problem), err=True)
            _leave(1, f"{len(error.problems)} problems in the registry")
        except SourcesError as error:
            _leave(1, str(error))

    return run


def _leave(status: int, message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(status)


def _registry(context: click.Context) -> Registry:
    return Registry.load(context.obj["references"])


def _store(context: click.Context) -> Store:
    store = context.obj["store"]
    return Store(Path(store) if store else default_folder(context.obj["references"].parent))


@click.group()
@click.option(
    "--references",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=REFERENCES,
    show_default=True,
    help="Folder of sources.toml, citations.toml and facts.toml.",
)
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the artifacts; default: BOOKCODE_SOURCES, else .sources beside references.",
)
@click.pass_context
def sources(context: click.Context, references: Path, store: Path | None) -> None:
    """Sources, citations and facts: fetch, check, relocate."""
    context.obj = {"references": references, "store": store}


@sources.command()
@click.option("--set", "wanted", type=click.Choice(["core", "full"]), default="full")
@click.pass_context
@_reported
def sync(context: click.Context, wanted: str) -> None:
    """Fetch the pinned artifacts that are not in the store yet."""
    store = _store(context)
    result = store.sync(_registry(context).artifacts.values(), FetchSet(wanted), click.echo)
    click.echo(
        f"{len(result.present)} present, {len(result.fetched)} fetched,"
        f" {len(result.failed)} failed; {result.bytes / 1e6:.1f} MB in {store.folder}"
    )
    for error in result.failed:
        click.echo(str(error), err=True)
    raise SystemExit(result.exit_status)


@sources.command("list")
@click.argument("what", type=click.Choice(["sources", "citations", "facts"]), default="citations")
@click.option("--match", default="", help="Only rows whose id or key contains this text.")
@click.pass_context
@_reported
def list_(context: click.Context, what: str, match: str) -> None:
    """List what the registry holds."""
    registry = _registry(context)
    store = _store(context)
    console.print(_tables.listing(registry, store, what, match))


@sources.command()
@click.argument("key")
@click.pass_context
@_reported
def show(context: click.Context, key: str) -> None:
    """Show one source, citation or fact with all its fields."""
    registry = _registry(context)
    item = registry.find(key)
    if not isinstance(item, Citation):
        console.print(_tables.record(item))
        return
    console.print(_tables.record(item, link=registry.link(item)))
    for fact in registry.facts_of(key):
        click.echo(f"fact {fact.key} = {plain(fact.exact)} {fact.unit}")


@sources.command("check")
@click.argument("keys", nargs=-1)
@click.option("--contradictions", is_flag=True, help="List facts that contradict each other.")
@click.pass_context
@_reported
def check_(context: click.Context, keys: tuple[str, ...], contradictions: bool) -> None:
    """Compare citations and facts (all, or KEYS) with the pinned bytes."""
    report = check(_registry(context), _store(context), keys or None)
    for line in _tables.problems(report):
        click.echo(line)
    console.print(_tables.summary(report))
    if contradictions:
        console.print(_tables.contradictions(report))
    raise SystemExit(report.exit_status)


@sources.command("relocate")
@click.argument("old")
@click.argument("new")
@click.option("--accept", "accepted", multiple=True, metavar="ID|all", help="Write these.")
@click.pass_context
@_reported
def relocate_(context: click.Context, old: str, new: str, accepted: tuple[str, ...]) -> None:
    """Propose where the citations of OLD stand in NEW; both are ids of sources.toml."""
    registry = _registry(context)
    store = _store(context)
    before, after = registry.artifact(old), registry.artifact(new)
    members = store.open(after)
    proposals = relocate(registry, (before, store.open(before)), (after, members))
    console.print(_tables.proposals(proposals))
    if accepted:
        chosen = choose(proposals, None if "all" in accepted else accepted)
        path = accept(registry, chosen, members)
        click.echo(f"{len(chosen)} of {len(proposals)} written to {path.name}")
        left = [p for p in proposals if p not in chosen]
    else:
        left = [p for p in proposals if not p.proven]
    raise SystemExit(1 if left else 0)


@sources.command()
@click.argument("keys", nargs=-1)
@click.option(
    "--fetch", is_flag=True, help="Download newer releases, to look citations up in them."
)
@click.pass_context
@_reported
def outdated(context: click.Context, keys: tuple[str, ...], fetch: bool) -> None:
    """Ask the index for newer releases of the fetched artifacts (all, or KEYS).

    Also says what relocation would propose for those in the store, or for all with --fetch.
    """
    registry = _registry(context)
    store = _store(context)
    chosen = [registry.artifact(key) for key in keys] or [
        a for a in registry.artifacts.values() if a.within(FetchSet.FULL)
    ]
    download = download_release if fetch else None
    unanswered = 0
    for artifact in chosen:
        found = outlook(registry, store, artifact, newest, download)
        unanswered += not found.version
        for line in found.lines():
            click.echo(line)
    raise SystemExit(NOT_CHECKED if unanswered else 0)
