"""The change log of numbers: which accepted changes, when and why. Verify writes it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from bookcode.numbers.errors import NumbersError

CHANGES = Path("references") / "numbers" / "changes.toml"
FIELDS = ("date", "why", "new", "gone", "changed")


class ChangeLogError(NumbersError):
    """A change log that cannot be read."""


def read_changes(root: Path) -> list[dict[str, Any]]:
    """The changes of the project at ``root``, oldest first; none if there is no log.

    Each has date, why, new (a count), gone (keys), changed (key and change).

    Raises:
        ChangeLogError: for a file that is not a change log, with what is wrong.
    """
    path = root / CHANGES
    if not path.exists():
        return []
    try:
        changes: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8")).get("change", [])
    except tomllib.TOMLDecodeError as error:
        raise ChangeLogError(f"{CHANGES.as_posix()}: not TOML: {error}") from None
    for number, change in enumerate(changes, 1):
        if missing := [name for name in FIELDS if name not in change]:
            raise ChangeLogError(f"{CHANGES.as_posix()}: change {number} lacks {missing[0]!r}")
    return changes
