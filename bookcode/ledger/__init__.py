"""The ledger: bytes, FLOPs, bounds and expectations of operators, in plain exact arithmetic.

Standard library only, ordinary functions; usable without the book::

    from bookcode.ledger import MACHINES, DTYPES, Timed, ops

    cost = ops.gemm(4096, 4096, 4096)
    Timed(cost, MACHINES["h200"], DTYPES["fp16"]).bound
"""

from bookcode.ledger import layers, memory, ops, stages, tiling
from bookcode.ledger.cost import Cost, Traffic, Work
from bookcode.ledger.errors import LedgerError, MissingFactError, UnknownNameError
from bookcode.ledger.latent_layers import latent_decode_operators, latent_prefill_operators
from bookcode.ledger.latent_models import LATENT_MODELS, LatentModel
from bookcode.ledger.layers import decode_operators, prefill_operators
from bookcode.ledger.machines import LEVELS, LINKS, MACHINES, Link, Machine
from bookcode.ledger.models import MODELS, Model
from bookcode.ledger.program import Program, TimedProgram
from bookcode.ledger.roofline import Timed, timed
from bookcode.ledger.stages import Step, backward, decode, forward, generation, training_step
from bookcode.ledger.tables import DTYPES, DType

__all__ = [
    "DTYPES",
    "LATENT_MODELS",
    "LEVELS",
    "LINKS",
    "MACHINES",
    "MODELS",
    "Cost",
    "DType",
    "LatentModel",
    "LedgerError",
    "Link",
    "Machine",
    "MissingFactError",
    "Model",
    "Program",
    "Step",
    "Timed",
    "TimedProgram",
    "Traffic",
    "UnknownNameError",
    "Work",
    "backward",
    "decode",
    "decode_operators",
    "forward",
    "generation",
    "latent_decode_operators",
    "latent_prefill_operators",
    "layers",
    "memory",
    "ops",
    "prefill_operators",
    "stages",
    "tiling",
    "timed",
    "training_step",
]
