"""Beginnings: a chapter, an operator, a fact or an exercise that builds green as it is written."""

from __future__ import annotations

from .chapters import chapter
from .errors import ScaffoldError
from .exercises import exercise
from .facts import NewCitation, NewFact, fact
from .operators import operator
from .plan import Plan, carry_out

__all__ = [
    "NewCitation",
    "NewFact",
    "Plan",
    "ScaffoldError",
    "carry_out",
    "chapter",
    "exercise",
    "fact",
    "operator",
]
