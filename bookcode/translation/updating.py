"""Brings a catalogue up to date with the English messages; translations are kept.

The output depends on its input alone: a second update changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import polib

from bookcode.translation.catalogue import Catalogue, Entry
from bookcode.translation.extraction import Message

WIDTH: Final = 78
LIKENESS: Final = 0.6
"""From this share of equal text on, a message is taken for another one that was edited."""
HEAD: Final = "The Simplified Chinese edition of this book. Text CC BY 4.0."


@dataclass
class Update:
    """What an update does to a catalogue.

    Attributes:
        text: the new file, "" where no message is left.
        new: messages that are not translated yet.
        changed: (old, new) English text of messages whose translation is to be looked at.
        stale: English text and translation of messages that are gone.
    """

    text: str = ""
    new: list[str] = field(default_factory=list)
    changed: list[tuple[str, str]] = field(default_factory=list)
    stale: list[tuple[str, str]] = field(default_factory=list)


def updated(catalogue: Catalogue | None, messages: Sequence[Message], language: str) -> Update:
    """The catalogue for ``messages``, in their order.

    A message that is much like one that is gone takes over its translation, marked fuzzy, with the
    old text as the previous one. One that is again what a fuzzy translation was made for is fuzzy
    no more.
    """
    known = catalogue.by_message if catalogue else {}
    wanted = {message.text for message in messages}
    gone = [entry for text, entry in known.items() if text not in wanted]
    missing = [message.text for message in messages if message.text not in known]
    taken = _successors(missing, gone)
    result = Update()
    file = polib.POFile(wrapwidth=WIDTH)
    file.header = HEAD
    file.metadata = _metadata(language)
    for message in messages:
        entry = known.get(message.text)
        old = taken.get(message.text)
        file.append(_made(message, entry, old))
        if entry is None and old is None:
            result.new.append(message.text)
        elif old is not None and old.previous != message.text:
            result.changed.append((old.msgid, message.text))
    used = {entry.msgid for entry in taken.values()}
    result.stale = [(e.msgid, e.msgstr) for e in gone if e.msgid not in used]
    result.text = f"{file}" if messages else ""
    return result


def _made(message: Message, entry: Entry | None, old: Entry | None) -> polib.POEntry:
    made = polib.POEntry(
        msgid=message.text,
        msgstr=(entry or old).msgstr if entry or old else "",  # type: ignore[union-attr]
        comment=message.comment,
        occurrences=[(message.path, "")],
    )
    if entry is not None and entry.fuzzy:
        made.flags.append("fuzzy")
        made.previous_msgid = entry.previous or None
    elif entry is None and old is not None:
        was = (old.previous or None) if old.fuzzy else old.msgid
        if was != message.text:
            made.flags.append("fuzzy")
            made.previous_msgid = was
    return made


def _successors(missing: Iterable[str], gone: Sequence[Entry]) -> dict[str, Entry]:
    """New text to the entry whose translation it takes over; each entry serves one text."""
    rated = []
    for text in missing:
        for entry in gone:
            if not entry.msgstr:
                continue
            if entry.fuzzy and entry.previous == text:
                rated.append((2.0, text, entry.msgid, entry))
                continue
            matcher = difflib.SequenceMatcher(None, entry.msgid, text, autojunk=False)
            if matcher.real_quick_ratio() < LIKENESS or matcher.quick_ratio() < LIKENESS:
                continue
            likeness = matcher.ratio()
            if likeness >= LIKENESS:
                rated.append((likeness, text, entry.msgid, entry))
    found: dict[str, Entry] = {}
    used: set[str] = set()
    for _, text, old, entry in sorted(rated, key=lambda one: (-one[0], one[1], one[2])):
        if text not in found and old not in used:
            found[text] = entry
            used.add(old)
    return found


def _metadata(language: str) -> dict[str, str]:
    """A head without dates and names, which would change with every run."""
    return {
        "Project-Id-Version": "Operators and kernels",
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": "nplurals=1; plural=0;",
    }
