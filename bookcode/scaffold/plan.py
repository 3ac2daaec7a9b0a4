"""What a beginning writes: new files, and lines put into files that are there."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bookcode.numbers.files import write_atomic
from bookcode.scaffold.errors import ScaffoldError


@dataclass(frozen=True)
class Edit:
    """A file's text before and after."""

    before: str
    after: str


@dataclass(frozen=True)
class Plan:
    """All that is to be written; paths are relative to the project's root.

    Attributes:
        new: texts of files that must not be there yet.
        edits: what becomes of files that are there.
        steps: what to do next, a line each.
    """

    new: Mapping[str, str] = field(default_factory=dict)
    edits: Mapping[str, Edit] = field(default_factory=dict)
    steps: Sequence[str] = ()


def read(root: Path, name: str) -> str:
    """The text of a file of the project.

    Raises:
        ScaffoldError: when it cannot be read.
    """
    try:
        return (root / name).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScaffoldError(f"{name} cannot be read: {error}") from None


def carry_out(root: Path, plan: Plan) -> list[str]:
    """Write everything, or nothing if a new file is there or another one has changed.

    Returns what was done, a line for each file.

    Raises:
        ScaffoldError: when nothing may be written.
    """
    for name in plan.new:
        if os.path.lexists(root / name):
            raise ScaffoldError(f"{name} is there already: nothing was written")
    for name, edit in plan.edits.items():
        if read(root, name) != edit.before:
            raise ScaffoldError(f"{name} has changed meanwhile: nothing was written")
    for name, text in plan.new.items():
        _write_new(root / name, text)
    for name, edit in plan.edits.items():
        write_atomic(root / name, edit.after)
    return [*(f"wrote {name}" for name in plan.new), *(f"added to {name}" for name in plan.edits)]


def _write_new(path: Path, text: str) -> None:
    """Write a whole file under a name that nothing has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        Path(name).chmod(0o644)
        path.hardlink_to(name)  # unlike a rename, this fails where there is a file
    except FileExistsError:
        raise ScaffoldError(f"{path} has come to be meanwhile") from None
    finally:
        Path(name).unlink(missing_ok=True)
