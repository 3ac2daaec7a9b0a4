"""Puts one more table into a TOML file, and leaves every other byte as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from bookcode.scaffold.errors import ScaffoldError
from bookcode.sources.tomltext import places

Value = str | Sequence[int] | Sequence[str]
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def entry(group: str, name: str, fields: Mapping[str, Value], *, dates: Sequence[str] = ()) -> str:
    """A table of a TOML file; empty fields are left out, those in ``dates`` have no quotes.

    Raises:
        ScaffoldError: for a text of more than one line, and for what is no date.
    """
    key = name if _BARE.fullmatch(name) else quoted(name)
    lines = [f"[{group}.{key}]"]
    for field, value in fields.items():
        if not value:
            continue
        if field in dates:
            if not isinstance(value, str) or not _DATE.fullmatch(value):
                raise ScaffoldError(f"{field} is a date such as 2026-01-31, not {value!r}")
            lines.append(f"{field} = {value}")
        else:
            lines.append(f"{field} = {_written(value)}")
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A text in quotes; in single ones where it holds backslashes, as patterns do.

    Raises:
        ScaffoldError: for a text of more than one line.
    """
    if _CONTROL.search(text):
        raise ScaffoldError(f"{text!r} has more than one line, or signs that are no text")
    if ("\\" in text or '"' in text) and "'" not in text:
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False)


def _written(value: Value) -> str:
    if isinstance(value, str):
        return quoted(value)
    items = [quoted(item) if isinstance(item, str) else str(item) for item in value]
    return f"[{', '.join(items)}]"


def inserted(text: str, group: str, new: str, related: Callable[[str], bool]) -> str:
    """The file with ``new`` behind the last table of ``group`` that is related to it.

    Where none is, it comes at the end. Comments that head the next table stay with that.

    Args:
        related: asked with the name of each table of the group.
    """
    lines = text.split("\n")
    headers = [place for place in places(text) if place.key is None]
    last = None
    for number, place in enumerate(headers):
        if len(place.table) == 2 and place.table[0] == group and related(place.table[1]):
            last = number
    if last is None or last + 1 == len(headers):
        return f"{text.rstrip()}\n\n{new}"
    end = headers[last + 1].line - 1  # the index of the next header's line
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return "\n".join([*lines[:end], "", *new.rstrip("\n").split("\n"), *lines[end:]])
