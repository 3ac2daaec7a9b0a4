"""The ledger: bytes, FLOPs, bounds and expectations of operators, in plain exact arithmetic.

Standard library only, ordinary functions; usable without the book::

    from bookcode.ledger import MACHINES, DTYPES, Timed, ops

    cost = ops.gemm(4096, 4096, 4096)
    Timed(cost, MACHINES["h200"], DTYPES["fp16"]).bound
"""

from bookcode.ledger import ops
from bookcode.ledger.cost import Cost, Traffic, Work
from bookcode.ledger.errors import LedgerError, MissingFactError, UnknownNameError
from bookcode.ledger.machines import LINKS, MACHINES, Link, Machine
from bookcode.ledger.models import MODELS, Model
from bookcode.ledger.roofline import Timed, timed
from bookcode.ledger.stages import Step, backward, decode, forward, training_step
from bookcode.ledger.tables import DTYPES, DType

__all__ = [
    "DTYPES",
    "LINKS",
    "MACHINES",
    "MODELS",
    "Cost",
    "DType",
    "LedgerError",
    "Link",
    "Machine",
    "MissingFactError",
    "Model",
    "Step",
    "Timed",
    "Traffic",
    "UnknownNameError",
    "Work",
    "backward",
    "decode",
    "forward",
    "ops",
    "timed",
    "training_step",
]
