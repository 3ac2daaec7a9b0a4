"""Mutants of claims: every comparison flipped and shifted, operands swapped, thresholds moved."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final

from bookcode.ledger import protocol
from bookcode.mutants._baseline import Baseline
from bookcode.mutants._model import Mutant, Red
from bookcode.mutants._warm import Published, Warm
from bookcode.numbers.graph import CallNode, OperationNode, PublishedNode
from bookcode.numbers.predicates import written
from bookcode.numbers.runs import Plain

_OTHER: Final[dict[Callable[..., Any], tuple[Callable[..., Any], ...]]] = {
    operator.lt: (operator.le, operator.ge),
    operator.le: (operator.lt, operator.gt),
    operator.gt: (operator.ge, operator.le),
    operator.ge: (operator.gt, operator.lt),
    operator.eq: (operator.ne,),
    operator.ne: (operator.eq,),
    operator.and_: (operator.or_,),
    operator.or_: (operator.and_,),
    operator.add: (operator.sub,),
    operator.sub: (operator.add,),
    operator.mul: (operator.truediv,),
    operator.truediv: (operator.mul,),
}
_SWAPPED: Final = (
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.sub,
    operator.truediv,
    protocol.between,
)


def claim_mutants(baseline: Baseline, warm: Warm) -> Iterator[Mutant]:
    """Every predicate of the book's claims, changed in every way of one table."""
    lines = {r.key: (d, r.line) for d, records in baseline.records.items() for r in records}
    for one in warm.published:
        if not isinstance(one.expected, bool):
            continue
        before = written(one.node)
        docname, line = lines[one.key]
        source = baseline.source(docname)
        for number, changed in enumerate(_variants(one.node), start=1):
            what = f"{before} → {written(changed)}"
            identity = f"claim {one.key}: {what} #{number}"
            yield Mutant("claim", identity, source, line, 1, what, (one, changed))


def _variants(node: Any) -> Iterator[Any]:
    """The node with one thing changed; what is published is somebody else's."""
    if isinstance(node, PublishedNode | CallNode):
        return
    if isinstance(node, OperationNode):
        for other in _OTHER.get(node.function, ()):
            yield OperationNode(other, node.operands)
        if node.function in _SWAPPED:
            yield OperationNode(node.function, tuple(reversed(node.operands)))
        for index, operand in enumerate(node.operands):
            for changed in _variants(operand):
                operands = (*node.operands[:index], changed, *node.operands[index + 1 :])
                yield OperationNode(node.function, operands)
    elif isinstance(node, int | Fraction) and not isinstance(node, bool):
        yield node * 10
        yield node + 1
    elif isinstance(node, str):
        yield "compute" if node == "memory" else "memory"


class ClaimJudge:
    """Evaluates a changed predicate and compares it with the lock. It leaves nothing behind."""

    def __init__(self, baseline: Baseline) -> None:
        self._predicates = {
            key: entry["predicate"]
            for lock in baseline.locked.values()
            for key, entry in lock.claims.items()
        }

    def __call__(self, mutant: Mutant) -> Red | None:
        one: Published
        one, changed = mutant.data
        try:
            holds = Plain()(changed)
        except Exception as error:
            return Red("build", f"{one.key}: {type(error).__name__}: {error}")
        if not holds:
            return Red("claim", f"claim {one.key!r} does not hold")
        predicate = written(changed)
        if predicate != self._predicates[one.key]:
            return Red("lock", f"predicate: {self._predicates[one.key]} → {predicate}")
        return None
