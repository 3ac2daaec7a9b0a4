"""Verifies the verifier: changes what the book rests on, and sees that a check turns red.

Mutants are made mechanically, not by choice: of the ledger's code, the machine profiles, the facts,
the lock, the claims, and the text. One that nothing notices is a hole in the checks, unless it
changes nothing that anybody states; those are listed with their reasons in
``references/mutants.toml``.
"""

from bookcode.mutants._equivalents import Equivalent, Equivalents
from bookcode.mutants._model import Mutant, MutantsError, Red, Verdict
from bookcode.mutants._run import KINDS, Request, run

__all__ = [
    "KINDS",
    "Equivalent",
    "Equivalents",
    "Mutant",
    "MutantsError",
    "Red",
    "Request",
    "Verdict",
    "run",
]
