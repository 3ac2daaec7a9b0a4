"""Checks the catalogues of a language against the English messages and the pending list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bookcode.translation import keys, typography
from bookcode.translation.catalogue import Catalogue, Entry, read_catalogue
from bookcode.translation.editions import catalogues_folder
from bookcode.translation.errors import CatalogueError
from bookcode.translation.extraction import Message
from bookcode.translation.findings import Finding
from bookcode.translation.pending import PATH, PendingList
from bookcode.words import short

INTERFACE: Final = "sphinx"
"""The catalogue of the theme's words; its messages are not the book's."""
_UPDATE: Final = "run `nox -s i18n`"
_TRANSLATE: Final = 'translate it, or list it: `nox -s i18n -- --pending --why "…"`'


def check_catalogues(
    root: Path,
    language: str,
    messages: Mapping[str, Sequence[Message]],
    pending: PendingList,
) -> list[Finding | CatalogueError]:
    """Everything that is wrong with the catalogues of ``language`` ("zh_CN").

    ``messages`` are the English ones, by catalogue. A catalogue that cannot be read is a problem
    among the others.
    """
    folder = catalogues_folder(root, language)
    there = {p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.po")}
    found: list[Finding | CatalogueError] = []
    needed: set[tuple[str, str, str]] = set()
    for name in sorted(there | set(messages)):
        try:
            catalogue = read_catalogue(folder / f"{name}.po", root)
        except CatalogueError as error:
            found.append(error)
            continue
        english = None if name == INTERFACE else messages.get(name, ())
        found += _check(catalogue, name, language, english, pending, needed)
    for entry in pending.entries:
        if entry.language == language and entry.place not in needed:
            problem, advice = "it is translated, or no page has it", f"no longer listed: {_UPDATE}"
            found.append(Finding(PATH.as_posix(), entry.line, entry.message, problem, advice))
    return found


def _check(
    catalogue: Catalogue,
    name: str,
    language: str,
    english: Sequence[Message] | None,
    pending: PendingList,
    needed: set[tuple[str, str, str]],
) -> Iterator[Finding]:
    known = None if english is None else {message.text for message in english}
    for message in english or ():
        if message.text not in catalogue.by_message:
            if pending.find(language, name, message.text):
                needed.add((language, name, message.text))
            problem = f"is not in {catalogue.path}"
            yield Finding(message.path, message.line, message.text, problem, _UPDATE)
    seen: dict[str, int] = {}
    for entry in catalogue.entries:
        at = (catalogue.path, entry.line, entry.msgid)
        if entry.msgid in seen and not entry.obsolete:
            problem = f"stands at line {seen[entry.msgid]} already"
            yield Finding(*at, problem, f"keep one of the two, or {_UPDATE}")
            continue
        if not entry.obsolete:
            seen[entry.msgid] = entry.line
        if entry.obsolete:
            yield Finding(*at, "obsolete", f"the page no longer has it; {_UPDATE}")
        elif known is not None and entry.msgid not in known:
            yield Finding(*at, "the English book does not say this (any more)", _UPDATE)
        elif not entry.shown:
            needed.add((language, name, entry.msgid))
            if not pending.find(language, name, entry.msgid):
                yield Finding(*at, *_why_not_shown(entry))
        else:
            yield from check_entry(entry, language)


def _why_not_shown(entry: Entry) -> tuple[str, str]:
    if entry.fuzzy:
        return "fuzzy: the English text has changed since", f"bring it up to date, or {_TRANSLATE}"
    return ("translated by blanks only" if entry.msgstr else "untranslated"), _TRANSLATE


def check_entry(entry: Entry, language: str) -> Iterator[Finding]:
    """What is wrong with one translation."""
    for problem, advice in keys.problems(entry.msgid, entry.msgstr):
        yield Finding(entry.path, entry.said, entry.msgid, problem, advice)
    if short(language) == "zh":
        for problem, advice in typography.problems(entry.msgstr):
            yield Finding(entry.path, entry.said, entry.msgid, problem, advice)
