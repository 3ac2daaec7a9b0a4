"""The columns that every table of timed costs has."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bookcode.commands._report import Cell, Column, known
from bookcode.ledger import Machine, Timed

COSTS = [
    Column("flops", "work", "FLOP", "sig3"),
    Column("bytes", "traffic", "B", "sig4"),
    Column("intensity", "intensity", "FLOP/B", "sig4"),
]
TIMES = [
    Column("bound", "bound", "s", "sig4"),
    Column("expected", "expected", "s", "sig4"),
]
REGIME = Column("regime", "limited by")


def timed_cells(timed: Timed) -> dict[str, Cell]:
    """A timed cost's cells; what lacks a fact says which."""
    return {
        "flops": timed.flops,
        "bytes": timed.bytes,
        "intensity": timed.intensity,
        "bound": known(getattr, timed, "bound"),
        "expected": known(getattr, timed, "expected"),
        "regime": known(getattr, timed, "regime"),
    }


def program_cells(cost: Any, timed: Any) -> dict[str, Cell]:
    """A program's cells: its times are sums over its calls, so there is no one regime."""
    return {
        "flops": cost.flops,
        "bytes": cost.bytes,
        "intensity": cost.intensity,
        "bound": known(getattr, timed, "bound"),
        "expected": known(getattr, timed, "expected"),
        "regime": "sum",
    }


def roof_note(machine: Machine) -> str:
    """What a reader must know of the machine's times."""
    return (
        "bound: at the vendor's specification; nothing may beat it. expected: under the roof "
        f"{machine.roof!r} ({machine.conditions}); a good kernel can beat it."
    )


def whole(value: Fraction) -> str:
    """A size in a title: digits, no unit."""
    return str(value) if value.denominator == 1 else f"{float(value):g}"
