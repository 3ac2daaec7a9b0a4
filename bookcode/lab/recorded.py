"""The record as the book's cells read it: a ledger function whose value is a recorded result."""

from __future__ import annotations

import os
from pathlib import Path

from bookcode.lab.errors import LabError
from bookcode.lab.record import RECORD, read
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured


def record_path() -> Path:
    """The record in the project that is being built."""
    return Path(os.environ.get("BOOKCODE_ROOT", ".")) / RECORD


@operator
def recorded(result: str) -> Number:
    """A number of the lab's record: measured once, confirmed by ``nox -s lab``, not computed here.

    Raises:
        LabError: for a result that the record does not have, or that is in words.
    """
    found = read(record_path())[result]
    if not found.value:
        raise LabError(f"the result {result!r} is in words; it is no number")
    return measured(found.number, found.unit)
