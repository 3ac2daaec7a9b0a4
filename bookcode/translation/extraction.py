"""Which English messages the book has: those of pages, and those that cells give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

CELLS: Final = "cells/"
"""Before the name of a page: the catalogue of what its cells say."""


@dataclass(frozen=True, slots=True)
class Message:
    """An English text that other editions translate.

    Attributes:
        text: the text, which is its key in the catalogue.
        path, line: where it is written, relative to the project.
        comment: what it is ("claim: key"), "" for a text of a page.
    """

    text: str
    path: str
    line: int
    comment: str = ""


def messages_of(exported: Mapping[str, Any]) -> dict[str, list[Message]]:
    """Name of a catalogue to its messages, in the order of the source, each text once.

    ``exported`` are the records that a build of any edition left.
    """
    found: dict[str, list[Message]] = {}
    for docname, page in exported["pages"].items():
        source = page["source"]
        texts = [Message(text, source, line) for text, line in page.get("messages", [])]
        said = [message for record in page["records"] for message in texts_of(record, source)]
        for name, messages in ((docname, texts), (f"{CELLS}{docname}", said)):
            if messages:
                found[name] = once(messages)
    return found


def texts_of(record: Mapping[str, Any], source: str) -> Iterator[Message]:
    """The English texts that a cell gave with a record."""
    kind, key, line = record["kind"], record["key"], record["line"]
    texts: list[tuple[str, str]] = []
    if kind == "claim":
        texts = [("claim", text) for text in record["wordings"].get("en", [])]
    elif kind == "figure":
        texts = [
            ("caption", record["captions"].get("en", "")),
            ("alt", record["alts"].get("en", "")),
        ]
    elif kind == "preset":
        texts = [("preset", record["titles"].get("en", ""))]
    elif kind == "parameter":
        texts = [("parameter", record["description"].get("title", ""))]
    elif kind == "message":
        texts = [("in a figure", record["texts"].get("en", ""))]
    for what, text in texts:
        if text:
            yield Message(text, source, line, what if kind == "message" else f"{what}: {key}")


def once(messages: Iterable[Message]) -> list[Message]:
    """The first message of each text."""
    first: dict[str, Message] = {}
    for message in messages:
        first.setdefault(message.text, message)
    return list(first.values())
