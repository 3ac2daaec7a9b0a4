"""One comparison of the ledger with somebody's formula, and the sizes on which all are compared.

The sizes are not square, not powers of two and not divisible by each other where they need not be,
so that no two mistakes cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from bookcode.reality.operators import Operators

Value = Callable[[Operators], Any]
Sizes = Mapping[str, int]

GEMMS: Final[tuple[Sizes, ...]] = (
    {"m": 4096, "n": 4096, "k": 4096},
    {"m": 1, "n": 14336, "k": 4096},
    {"m": 333, "n": 5120, "k": 1792},
)
PREFILLS: Final[tuple[Sizes, ...]] = (
    {"batch": 1, "heads": 32, "kv_heads": 32, "head_dim": 128, "seq": 4096},
    {"batch": 3, "heads": 64, "kv_heads": 8, "head_dim": 128, "seq": 1531},
    {"batch": 2, "heads": 12, "kv_heads": 4, "head_dim": 64, "seq": 77},
)
DECODES: Final[tuple[Sizes, ...]] = (
    {"batch": 1, "heads": 32, "kv_heads": 32, "head_dim": 128, "keys": 32767},
    {"batch": 7, "heads": 64, "kv_heads": 8, "head_dim": 128, "keys": 1000},
)
MESSAGES: Final[tuple[Sizes, ...]] = (
    {"elements": 268435456, "ranks": 8},
    {"elements": 1000003, "ranks": 3},
)
CONTINUED: Final[tuple[Sizes, ...]] = (
    {"batch": 2, "heads": 24, "kv_heads": 6, "head_dim": 128, "seq": 96, "keys": 1000},
    {"batch": 1, "heads": 32, "kv_heads": 8, "head_dim": 64, "seq": 257, "keys": 413},
)
"""Prompts of ``seq`` tokens that continue a cache: ``keys`` positions in all."""
WINDOWS: Final = (50, 128)
"""Positions that a query sees; shorter than every length that they are tried on."""
SOFTMAX: Final = "5 FLOP per score of the softmax"


@dataclass(frozen=True)
class Difference:
    """One reason why two counters differ.

    Attributes:
        amount: what it adds to the ledger's figure over theirs; in the comparison's unit.
    """

    why: str
    amount: Fraction


@dataclass(frozen=True)
class Comparison:
    """The ledger and somebody else on the same inputs.

    Attributes:
        counter: whose formula it is.
        place: where it stands: member and function.
        operator: the ledger's function.
        unit: "FLOP" or "B".
        inputs: the sizes in full.
        ledger: the ledger's figure, as a function of its operators.
        differences: computed from the inputs alone; ``ledger - theirs`` must be their sum.
    """

    counter: str
    place: str
    operator: str
    unit: str
    inputs: str
    ledger: Value
    theirs: Fraction
    differences: tuple[Difference, ...] = ()

    def left(self, ops: Operators) -> Fraction:
        """What of the difference is not explained; 0 when all of it is."""
        explained = sum((d.amount for d in self.differences), Fraction(0))
        return Fraction(self.ledger(ops)) - self.theirs - explained


def inputs(sizes: Sizes, *more: str) -> str:
    """The sizes in words."""
    return ", ".join([*(f"{name} = {size}" for name, size in sizes.items()), *more])


def differ(*pairs: tuple[str, Fraction | int]) -> tuple[Difference, ...]:
    """Differences from pairs of reason and amount; those of 0 are left out."""
    return tuple(Difference(why, Fraction(amount)) for why, amount in pairs if amount)


def figure(field: str, make: Callable[..., Any], *arguments: Any) -> Value:
    """The value "field of make(*arguments, operators)"."""

    def value(ops: Operators) -> Any:
        return getattr(make(*arguments, ops), field)

    return value


def flops_of(name: str, *shape: Any, times: int = 1, **options: Any) -> Value:
    """The value "FLOPs of so many calls of the ledger function ``name``"."""
    return _of("flops", name, times, shape, options)


def bytes_of(name: str, *shape: Any, times: int = 1, **options: Any) -> Value:
    """The value "bytes of so many calls of the ledger function ``name``"."""
    return _of("bytes", name, times, shape, options)


def _of(field: str, name: str, times: int, shape: Any, options: Any) -> Value:
    def value(ops: Operators) -> Any:
        return times * getattr(getattr(ops, name)(*shape, **options), field)

    return value
