"""The lab: what PyTorch itself says about the book's claims, on any CPU.

``python -m bookcode.lab`` runs the experiments (:mod:`bookcode.lab.experiments`, which needs the
extra ``lab``) and compares them with the record in ``references/measurements/lab.json``. The book
is built from that record and needs no PyTorch; cells read it with
:func:`bookcode.lab.recorded.recorded`. This package does not import it, for it needs the ledger,
which the process that builds the pages must not load.
"""

from bookcode.lab.errors import LabError
from bookcode.lab.record import RECORD, Difference, Measured, Record, compare, read, write

__all__ = [
    "RECORD",
    "Difference",
    "LabError",
    "Measured",
    "Record",
    "compare",
    "read",
    "write",
]
