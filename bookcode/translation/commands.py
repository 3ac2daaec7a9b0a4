"""The command ``i18n``: brings the catalogues up to date with the English book.

It exits with 0 when every message is translated or listed as pending, else with 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click

from bookcode.cli import project_root
from bookcode.numbers.errors import NumbersError
from bookcode.sources.errors import SourcesError
from bookcode.translation.book import Updates, book_messages, list_pending, update_catalogues
from bookcode.translation.checking import check_catalogues
from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.translation.errors import TranslationError
from bookcode.translation.findings import beginning
from bookcode.translation.pending import PATH, PendingList
from bookcode.translation.updating import Update

RECORDS: Final = "bookcode-records.json"
_TAIL: Final = 2000


@click.command("i18n")
@click.option("--pending", is_flag=True, help=f"List what is not translated in {PATH.as_posix()}.")
@click.option("--why", default="", help="With --pending: why it is not translated yet.")
def i18n_command(pending: bool, why: str) -> None:
    """Update the catalogues of translations from the English pages, cells and data."""
    root = project_root().resolve()
    try:
        click.echo("reading the English book ...")
        messages = book_messages(root, read_book(root))
        problems = 0
        for edition, language in LANGUAGES.items():
            if edition == SOURCE:
                continue
            for line in told(update_catalogues(root, language, messages)):
                click.echo(line)
            if pending:
                added, dropped = list_pending(root, language, messages, why)
                changed = f"{len(added)} added, {len(dropped)} no longer needed"
                click.echo(f"{PATH.as_posix()}: {changed}")
            found = check_catalogues(root, language, messages, PendingList.load(root))
            for finding in found:
                click.echo(str(finding))
            problems += len(found)
    except (TranslationError, NumbersError, SourcesError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"i18n: {problems or 'no'} problems")
    sys.exit(1 if problems else 0)


def read_book(root: Path) -> dict[str, Any]:
    """The records of the English edition, read by a build that writes no pages.

    Raises:
        TranslationError: when the build dies, with the end of what it said.
    """
    out = root / "_build" / "i18n"
    records = out / "doctrees" / RECORDS
    records.unlink(missing_ok=True)
    command = [
        *(sys.executable, "-m", "sphinx", "-q", "-b", "dummy", "-j", "auto", "-c", str(root)),
        *("-D", f"language={LANGUAGES[SOURCE]}", "-D", "suppress_warnings=mystnb.mime_priority"),
        *("-d", str(out / "doctrees"), str(root / "book"), str(out / "dummy")),
    ]
    environment = dict(os.environ, NO_COLOR="1")
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    if not records.exists():
        said = done.stderr.strip()[-_TAIL:] or "it said nothing"
        raise TranslationError(f"the English book cannot be read: {said}")
    exported: dict[str, Any] = json.loads(records.read_text("utf-8"))
    return exported


def told(updates: Updates) -> Iterator[str]:
    """What an update did, in lines."""
    for name in updates.written:
        yield f"wrote {name}.po{_counts(updates.changes[name])}"
    for name, update in updates.changes.items():
        for old, new in update.changed:
            yield f"{name}: changed\n    old: {old}\n    new: {new}"
        yield from _stale(name, update)
    for name, update in updates.removed.items():
        yield f"removed {name}.po: no page or cell has such messages"
        yield from _stale(name, update)
    yield f"{len(updates.changes)} catalogues, {len(updates.written)} of them rewritten"


def _counts(update: Update) -> str:
    parts: Iterable[tuple[int, str]] = (
        (len(update.new), "new"),
        (len(update.changed), "changed"),
        (len(update.stale), "gone"),
    )
    said = ", ".join(f"{count} {what}" for count, what in parts if count)
    return f" ({said})" if said else ""


def _stale(name: str, update: Update) -> Iterator[str]:
    for text, translation in update.stale:
        if translation:
            yield f"{name}: gone: {beginning(text)}\n    its translation was: {translation}"
