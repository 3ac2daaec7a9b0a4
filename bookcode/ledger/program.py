"""A program: named calls that run one after another, and their times on a machine.

Costs on two pipes have no common bound, so a program keeps its calls apart and adds their times:
every call reads its inputs from memory and writes its outputs back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from bookcode.ledger.cost import Cost, total
from bookcode.ledger.machines import Link, Machine
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.roofline import Timed
from bookcode.ledger.tables import DType


@dataclass(frozen=True)
class Call:
    """One operator of a program.

    Attributes:
        name: what it does there.
        cost: the cost of all its runs together.
    """

    name: str
    cost: Cost


@dataclass(frozen=True)
class Program:
    """Calls in order."""

    calls: tuple[Call, ...]

    @property
    def flops(self) -> Number:
        """All work. Unit: FLOP."""
        return measured(total(c.cost.flops for c in self.calls if c.cost.work), "FLOP")

    @property
    def bytes(self) -> Number:
        """All traffic. Unit: B."""
        return total(call.cost.bytes for call in self.calls)

    @property
    def intensity(self) -> Number:
        """Arithmetic intensity of the whole. Unit: FLOP/B."""
        return self.flops / self.bytes

    def bytes_of(self, *names: str) -> Number:
        """Traffic of the named calls. Unit: B."""
        return total(call.cost.bytes for call in self.calls if call.name in names)

    def times(self, count: Number) -> Program:
        """The program, ``count`` times."""
        return Program(tuple(Call(call.name, call.cost.times(count)) for call in self.calls))

    def __add__(self, other: Program) -> Program:
        """This program, then the other."""
        return Program(self.calls + other.calls)

    def on(self, machine: Machine, dtype: DType, link: Link | None = None) -> TimedProgram:
        """The program on a machine."""
        calls = [(call.name, Timed(call.cost, machine, dtype, link)) for call in self.calls]
        return TimedProgram(tuple(calls))


def program(calls: Iterable[tuple[str, Cost]]) -> Program:
    """A program of named costs."""
    return Program(tuple(Call(name, cost) for name, cost in calls))


@dataclass(frozen=True)
class TimedProgram:
    """A program on a machine: its calls by name, each with its times."""

    calls: tuple[tuple[str, Timed], ...]

    @property
    def bound(self) -> Number:
        """Sum of the calls' bounds: nothing that runs call by call beats it. Unit: s."""
        return total(timed.bound for _, timed in self.calls)

    @property
    def expected(self) -> Number:
        """Sum of the calls' expected times. Unit: s."""
        return total(timed.expected for _, timed in self.calls)

    def share(self, name: str) -> Number:
        """The part of the expected time that the calls of this name take. Unit: 1."""
        own = total(timed.expected for called, timed in self.calls if called == name)
        return own / self.expected if own else Fraction(0)
