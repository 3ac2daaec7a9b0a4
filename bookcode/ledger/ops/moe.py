"""Mixture of experts: router, dispatch, experts, combine.

t tokens of h elements; each goes to E_a of E experts, gated MLPs of width f. Work: 2 FLOP per
multiply-add, 6 per element of SwiGLU; the combination multiplies and adds, 2 FLOP per element and
route (TileOPs 0.1.0, _perf/formulas.py). Dispatch and combine inside one device move bytes through
HBM; between ranks they are an all-to-all (:mod:`.communication`).
"""

from __future__ import annotations

from typing import Annotated

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import LedgerError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, is_symbolic, minimum
from bookcode.ledger.symbols import Active, Experts, Ffn, Hidden, Subscript, Tokens
from bookcode.ledger.tables import DTYPES, DType

Weight = Annotated[DType, Subscript("w")]


def _check_active(active: Number, experts: Number) -> None:
    if not is_symbolic(active) and not is_symbolic(experts) and active > experts:
        raise LedgerError(f"{active} active experts of {experts}: at most all of them")


@operator
def moe_router(
    tokens: Tokens,
    hidden: Hidden,
    experts: Experts,
    active: Active,
    *,
    dtype: DType = DTYPES["bf16"],
    weight: Weight = DTYPES["fp32"],
) -> Cost:
    """Scores of all experts, a softmax over them, and the E_a best with their weights.

    Work: the product, per score 3 for the softmax and E_a comparisons, and two per kept weight to
    renormalize (TileOPs 0.1.0, manifest/spec/moe.yaml, FusedTopKFwdOp).

    Raises:
        LedgerError: for more active experts than experts.
    """
    _check_active(active, experts)
    return Cost(
        (
            read("tokens", tokens * hidden * dtype.bytes),
            read("router matrix", hidden * experts * dtype.bytes),
            write("weights of the routes", tokens * active * weight.bytes),
            write("experts of the routes", tokens * active * weight.bytes),
        ),
        (
            Work("product", 2 * tokens * experts * hidden),
            Work("softmax and choice", tokens * experts * (3 + active)),
            Work("renormalization", 2 * tokens * active),
        ),
        pipe="tensor",
    )


@operator
def moe_dispatch(
    tokens: Tokens, hidden: Hidden, active: Active, *, dtype: DType = DTYPES["bf16"]
) -> Cost:
    """Each token is copied once for every expert that works on it, sorted by expert."""
    return Cost(
        (
            read("tokens", tokens * hidden * dtype.bytes),
            write("tokens by expert", active * tokens * hidden * dtype.bytes),
        )
    )


@operator
def moe_experts(
    tokens: Tokens,
    hidden: Hidden,
    ffn: Ffn,
    experts: Experts,
    active: Active,
    *,
    dtype: DType = DTYPES["bf16"],
    weight: Weight | None = None,
) -> Cost:
    """Gate, up and down of every expert on its tokens, with SwiGLU between, as one fused kernel.

    Weights are read for every expert that has a token: with balanced routing, the smaller of E and
    the number of routes.

    Raises:
        LedgerError: for more active experts than experts.
    """
    _check_active(active, experts)
    stored = dtype if weight is None else weight
    routes = active * tokens
    touched = minimum(experts, routes)
    return Cost(
        (
            read("tokens by expert", routes * hidden * dtype.bytes),
            read("expert weights", touched * (3 * hidden * ffn) * stored.bytes),
            write("outputs by expert", routes * hidden * dtype.bytes),
        ),
        (
            Work("multiply-adds", 2 * routes * (3 * hidden * ffn)),
            Work("SwiGLU", 6 * routes * ffn),
        ),
        pipe="tensor",
    )


@operator
def moe_combine(
    tokens: Tokens,
    hidden: Hidden,
    active: Active,
    *,
    dtype: DType = DTYPES["bf16"],
    weight: Weight = DTYPES["fp32"],
) -> Cost:
    """Each token's outputs, weighted and added."""
    return Cost(
        (
            read("outputs by expert", active * tokens * hidden * dtype.bytes),
            read("weights of the routes", tokens * active * weight.bytes),
            write("tokens", tokens * hidden * dtype.bytes),
        ),
        (Work("weighted sum", 2 * active * tokens * hidden),),
    )
