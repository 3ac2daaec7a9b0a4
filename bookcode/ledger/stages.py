"""A training step and an inference request as stages of one model."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.machines import Link, Machine
from bookcode.ledger.models import Model
from bookcode.ledger.operator import operator
from bookcode.ledger.ops import adamw, all_reduce, attention_backward, attention_decode
from bookcode.ledger.ops.attention import attention_prefill
from bookcode.ledger.ops.optimizer import State
from bookcode.ledger.protocol import Number
from bookcode.ledger.roofline import Timed
from bookcode.ledger.symbols import Keys, Ranks, Seq
from bookcode.ledger.tables import DTYPES, DType

BF16 = DTYPES["bf16"]


@operator
def forward(seq: Seq, *, model: Model, dtype: DType = BF16, causal: bool = False) -> Cost:
    """All layers on S tokens: matrix products and attention.

    Bytes follow the streams-only convention: the weights once, and per layer and token three
    streams of width h (residual in, residual out, block output) and three of width f (gate, up,
    down).
    Embedding, lm_head and norms are left out.
    """
    weights = model.linear_parameters
    attention = attention_prefill(model.heads, model.head_dim, seq, dtype=dtype, causal=causal)
    streams = seq * (3 * model.hidden + 3 * model.ffn)
    return Cost(
        (
            read("weights", weights * dtype.bytes),
            write("residual and MLP streams", model.layers * streams * dtype.bytes),
        ),
        (
            Work("matrix products", 2 * seq * weights),
            *attention.times(model.layers).work,
        ),
        pipe="tensor",
    )


@operator
def backward(
    seq: Seq,
    *,
    model: Model,
    dtype: DType = BF16,
    causal: bool = False,
    attention: Literal["double", "flash"] = "double",
) -> Cost:
    """The gradients of :func:`forward`.

    "double" books twice the forward for everything (exact for matrix products, fact F-3X); "flash"
    books attention's own backward, which computes the scores again (fact F-BWD-tileops). Bytes are
    twice the forward's in both.

    Raises:
        UnknownNameError: for another rule.
    """
    twice = forward(seq, model=model, dtype=dtype, causal=causal).times(Fraction(2))
    if attention == "double":
        return twice
    if attention != "flash":
        raise UnknownNameError("backward rule of attention", attention, ["double", "flash"])
    own = attention_backward(model.heads, model.head_dim, seq, dtype=dtype, causal=causal)
    return Cost(
        twice.traffic,
        (
            Work("matrix products", 4 * seq * model.linear_parameters),
            *own.times(model.layers).work,
        ),
        pipe="tensor",
    )


@operator
def decode(keys: Keys, *, model: Model, dtype: DType = BF16) -> Cost:
    """One token through all layers against a cache of T positions: all weights, the whole cache."""
    weights = model.linear_parameters
    attention = attention_decode(
        model.heads, model.head_dim, keys, kv_heads=model.kv_heads, dtype=dtype
    )
    cache = 2 * model.kv_heads * keys * model.head_dim
    return Cost(
        (
            read("weights", weights * dtype.bytes),
            read("KV cache", model.layers * cache * dtype.bytes),
        ),
        (Work("matrix products", 2 * weights), *attention.times(model.layers).work),
        pipe="tensor",
    )


@dataclass(frozen=True)
class Step:
    """The stages of a training step, one after the other.

    Attributes:
        forward, backward, optimizer, communication: each stage's cost on the machine.
    """

    forward: Timed
    backward: Timed
    optimizer: Timed
    communication: Timed

    @property
    def expected(self) -> Number:
        """The stages' expected times, added: nothing overlaps. Unit: s."""
        return (
            self.forward.expected
            + self.backward.expected
            + self.optimizer.expected
            + self.communication.expected
        )

    @property
    def bound(self) -> Number:
        """The stages' bounds, added. Unit: s."""
        return (
            self.forward.bound
            + self.backward.bound
            + self.optimizer.bound
            + self.communication.bound
        )


@operator
def training_step(
    seq: Seq,
    ranks: Ranks,
    *,
    model: Model,
    machine: Machine,
    link: Link | None = None,
    dtype: DType = BF16,
    state: State = DTYPES["fp32"],
    causal: bool = False,
    attention_rule: Literal["double", "flash"] = "double",
    over: Literal["link", "hbm"] = "link",
) -> Step:
    """Forward, backward, AdamW (16-bit gradient, fp32 state), ring all-reduce of the gradient."""
    costs = (
        forward(seq, model=model, dtype=dtype, causal=causal),
        backward(seq, model=model, dtype=dtype, causal=causal, attention=attention_rule),
        adamw(model.parameters, grad=dtype, state=state),
        all_reduce(model.parameters, ranks, dtype=dtype, over=over),
    )
    return Step(*(Timed(cost, machine, dtype, link) for cost in costs))
