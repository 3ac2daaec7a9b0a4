"""The ledger functions that reality is held against, as one value that a mutant can replace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bookcode.ledger import Cost, ops


@dataclass(frozen=True)
class Operators:
    """Ledger functions by name; looked up as attributes.

    Attributes:
        functions: name to function.
    """

    functions: Mapping[str, Callable[..., Any]]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            return self.functions[name]
        except KeyError:
            raise AttributeError(f"no ledger function {name!r}") from None


LEDGER = Operators({name: getattr(ops, name) for name in ops.__all__})
"""The ledger as it is."""


def mixed(cost: Cost, other: Cost, *tensors: str) -> Cost:
    """``cost`` with the traffic of some tensors taken from ``other`` (an operand of another type).

    The work and everything else stay those of ``cost``.
    """
    replaced = {t.tensor: t for t in other.traffic if t.tensor in tensors}
    missing = set(tensors) - set(replaced)
    if missing:
        raise KeyError(f"no traffic of {sorted(missing)} in the other cost")
    return Cost(tuple(replaced.get(t.tensor, t) for t in cost.traffic), cost.work, cost.pipe)
