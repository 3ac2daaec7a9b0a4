"""Runs a chapter's cells, forked and in-process, and knows what they read.

The seam to myst-nb is :mod:`bookcode.execution.client`; nothing here imports Sphinx.
"""

from __future__ import annotations

from bookcode.execution.errors import (
    DisplayError,
    ExecutionError,
    ForkError,
    LimitError,
    SeamError,
)
from bookcode.execution.fingerprint import Fingerprint, changed, fingerprint
from bookcode.execution.model import Cell, Dependencies, Failure, FailureKind, Limits, RunResult
from bookcode.execution.runner import PRELOAD, can_fork, preload, run_cells

__all__ = [
    "PRELOAD",
    "Cell",
    "Dependencies",
    "DisplayError",
    "ExecutionError",
    "Failure",
    "FailureKind",
    "Fingerprint",
    "ForkError",
    "LimitError",
    "Limits",
    "RunResult",
    "SeamError",
    "can_fork",
    "changed",
    "fingerprint",
    "preload",
    "run_cells",
]
