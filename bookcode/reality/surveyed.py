"""The record as the book's cells read it: ledger functions whose values are recorded results."""

from __future__ import annotations

import os
from pathlib import Path

from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, measured
from bookcode.reality.record import RECORD, PageRecord, read


def page_record() -> PageRecord:
    """The record of the project that is being built.

    Raises:
        RealityError: when it is not there or not readable.
    """
    return read(Path(os.environ.get("BOOKCODE_ROOT", ".")) / RECORD)


@operator
def surveyed(result: str) -> Number:
    """A number of the survey of measured tables: counted there, compared anew by ``verify``.

    Raises:
        RealityError: for a result that the record does not have.
    """
    found = page_record().result(result)
    return measured(found.number, found.unit)
