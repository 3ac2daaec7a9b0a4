"""The lab: what PyTorch itself says about the book's claims, on any CPU.

``python -m bookcode.lab`` runs the experiments (:mod:`bookcode.lab.experiments`, which needs the
extra ``lab``) and compares them with the record in ``references/measurements/lab.json``. The book
is built from that record and needs no PyTorch; :func:`recorded` reads it.
"""

from bookcode.lab.errors import LabError
from bookcode.lab.record import RECORD, Difference, Measured, Record, compare, read, write
from bookcode.lab.recorded import recorded

__all__ = [
    "RECORD",
    "Difference",
    "LabError",
    "Measured",
    "Record",
    "compare",
    "read",
    "recorded",
    "write",
]
