"""A digest of everything that one page's HTML may take from the other pages.

Titles, tables of contents, section numbers, targets of references, published numbers: whatever the
environment holds, but for what concerns reading alone. While it stays as it is, a page needs to be
written only when it was read. A value it does not know makes it differ, which costs time and is
never wrong.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Set
from enum import Enum
from pathlib import PurePath
from typing import Any

from docutils import nodes


def digest(value: Any) -> str:
    """A digest that depends on what a value holds, and not on order in dicts and sets.

    Document nodes count as they print: their line numbers do not matter.
    """
    result = hashlib.sha256()
    for text in _parts(value, ()):
        result.update(text.encode("utf-8", "surrogatepass"))
        result.update(b"\0")
    return result.hexdigest()


def _parts(value: Any, above: tuple[int, ...]) -> Iterator[str]:
    if value is None or isinstance(value, str | int | float | bytes | PurePath):
        yield f"{type(value).__name__} {value!r}"
        return
    if id(value) in above:
        yield "again"
        return
    above = (*above, id(value))
    if isinstance(value, nodes.Node):
        yield f"node {value.pformat()}"
    elif isinstance(value, Enum):
        yield f"enum {value}"
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}"
        for key in sorted(value, key=repr):
            yield from _parts(key, above)
            yield from _parts(value[key], above)
    elif isinstance(value, Set):
        yield f"set {len(value)}"
        for item in sorted(value, key=repr):
            yield from _parts(item, above)
    elif isinstance(value, list | tuple):
        yield f"list {len(value)}"
        for item in value:
            yield from _parts(item, above)
    else:
        yield from _object_parts(value, above)


def _object_parts(value: Any, above: tuple[int, ...]) -> Iterator[str]:
    yield f"object {type(value).__qualname__}"
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield field.name
            yield from _parts(getattr(value, field.name), above)
    elif hasattr(value, "__dict__"):
        yield from _parts(vars(value), above)
    else:
        yield repr(value)
