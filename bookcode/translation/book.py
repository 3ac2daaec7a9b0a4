"""All English messages of the book and the state of its catalogues on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bookcode.numbers.files import write_atomic
from bookcode.translation.catalogue import read_catalogue
from bookcode.translation.checking import INTERFACE
from bookcode.translation.editions import catalogues_folder
from bookcode.translation.errors import PendingError
from bookcode.translation.extraction import Message, messages_of
from bookcode.translation.pending import Pending, PendingList
from bookcode.translation.updating import Update, updated

DATA: Final = "data"
"""The catalogue of texts that stand in data."""


def book_messages(root: Path, exported: Mapping[str, Any]) -> dict[str, list[Message]]:
    """The messages by catalogue: of pages, of what cells say, and of data.

    ``exported`` are the records of the English edition.
    """
    from bookcode.numbers.data_messages import data_messages  # needs the ledger

    found = messages_of(exported)
    said = [Message(m.text, m.path, m.line, m.comment) for m in data_messages(root)]
    return found | ({DATA: said} if said else {})


@dataclass
class Updates:
    """What an update of a language did, by catalogue.

    Attributes:
        changes: the updates of catalogues that exist now.
        written: catalogues whose file changed.
        removed: catalogues of pages that are gone, with what they held.
    """

    changes: dict[str, Update] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    removed: dict[str, Update] = field(default_factory=dict)


def update_catalogues(
    root: Path, language: str, messages: Mapping[str, Sequence[Message]]
) -> Updates:
    """Bring all catalogues of a language up to date; a second time changes nothing.

    Raises:
        CatalogueError: for a catalogue that cannot be read.
    """
    folder = catalogues_folder(root, language)
    there = {p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.po")}
    result = Updates()
    for name in sorted((there | set(messages)) - {INTERFACE}):
        path = folder / f"{name}.po"
        old = read_catalogue(path, root) if path.exists() else None
        update = updated(old, messages.get(name, ()), language)
        if not update.text:
            path.unlink()
            result.removed[name] = update
            continue
        if not path.exists() or path.read_text("utf-8") != update.text:
            write_atomic(path, update.text)
            result.written.append(name)
        result.changes[name] = update
    return result


def list_pending(
    root: Path, language: str, messages: Mapping[str, Sequence[Message]], why: str
) -> tuple[list[Pending], list[Pending]]:
    """Write the list of what is not translated; returns what was added, and what was dropped.

    Entries that are still needed keep their reason.

    Raises:
        PendingError: when something new has to be listed and there is no reason for it.
    """
    known = PendingList.load(root)
    folder = catalogues_folder(root, language)
    needed: list[Pending] = []
    for name, wanted in sorted(messages.items()):
        entries = read_catalogue(folder / f"{name}.po", root).by_message
        for message in wanted:
            entry = entries.get(message.text)
            if entry is None or not entry.shown:
                listed = known.find(language, name, message.text)
                needed.append(listed or Pending(language, name, message.text, why))
    added = [entry for entry in needed if known.find(*entry.place) is None]
    if added and not why.strip():
        raise PendingError(f'say why {len(added)} messages stay untranslated: --why "…"')
    places = {entry.place for entry in needed}
    dropped = [e for e in known.entries if e.language == language and e.place not in places]
    others = [entry for entry in known.entries if entry.language != language]
    PendingList([*others, *needed]).write(root)
    return added, dropped
