"""A training step and an inference request as stages of one model.

Bytes follow the streams-only convention: the weights once, and per layer and token three streams of
width h (residual in, residual out, block output) and three of width f (gate, up, down). The sum
over operators, which counts every tensor between two kernels, is in :mod:`.layers`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.layers import Head, check_head
from bookcode.ledger.machines import Link, Machine
from bookcode.ledger.models import Model
from bookcode.ledger.operator import operator
from bookcode.ledger.ops import adamw, all_reduce, attention_backward, attention_decode
from bookcode.ledger.ops.attention import attention_prefill
from bookcode.ledger.ops.communication import Algorithm
from bookcode.ledger.ops.optimizer import State
from bookcode.ledger.protocol import Number, maximum
from bookcode.ledger.roofline import Timed
from bookcode.ledger.symbols import Batch, Keys, Parameters, Ranks, Seq, Subscript
from bookcode.ledger.tables import DTYPES, DType

BF16 = DTYPES["bf16"]
Cache = Annotated[DType, Subscript("c")]
Zero = Literal["none", "1", "2", "3"]
Rule = Literal["double", "flash"]
ZERO_STAGES: dict[str, int] = {"none": 2, "1": 2, "2": 2, "3": 3}
"""Rounds of (R-1)/R of the parameters by ZeRO stage (citation X4): gradient and parameters once
each; stage 3 gathers the parameters for forward and backward."""


@operator
def forward(
    seq: Seq,
    *,
    model: Model,
    dtype: DType = BF16,
    causal: bool = False,
    batch: Batch | None = None,
    head: Head = "none",
) -> Cost:
    """All layers on S tokens (of each sequence of a batch): matrix products and attention.

    Bytes are weights and streams only. Norms are left out; so are embedding and lm_head, unless
    ``head`` asks for the logits of the last position or of all: the matrix is then read too.

    Raises:
        UnknownNameError: for another ``head``.
    """
    check_head(head)
    weights = model.linear_parameters
    one = attention_prefill(model.heads, model.head_dim, seq, dtype=dtype, causal=causal)
    attention = (one if batch is None else one.times(batch)).times(model.layers)
    tokens = seq if batch is None else batch * seq
    streams = tokens * (3 * model.hidden + 3 * model.ffn)
    ends = tokens if head == "all" else Fraction(1) if batch is None else batch
    last = _lm_head(ends, model, dtype) if head != "none" else NOTHING
    return Cost(
        (
            read("weights", weights * dtype.bytes),
            write("residual and MLP streams", model.layers * streams * dtype.bytes),
            *last.traffic,
        ),
        (Work("matrix products", 2 * tokens * weights), *attention.work, *last.work),
        pipe="tensor",
    )


NOTHING = Cost((), pipe="tensor")


def _lm_head(positions: Number, model: Model, dtype: DType) -> Cost:
    return Cost(
        (read("lm_head", model.vocabulary_parameters * dtype.bytes),),
        (Work("lm_head", 2 * positions * model.vocabulary_parameters),),
        pipe="tensor",
    )


@operator
def backward(
    seq: Seq,
    *,
    model: Model,
    dtype: DType = BF16,
    causal: bool = False,
    attention: Rule = "double",
    batch: Batch | None = None,
    head: Head = "none",
    checkpointing: bool = False,
) -> Cost:
    """The gradients of :func:`forward`.

    "double" books twice the forward for everything (exact for matrix products, fact F-3X); "flash"
    books attention's own backward, which computes the scores again (fact F-BWD-tileops). Bytes are
    twice the forward's in both. ``checkpointing`` keeps only the layers' inputs and runs the
    forward again first.

    Raises:
        UnknownNameError: for another rule or ``head``.
    """
    once = forward(seq, model=model, dtype=dtype, causal=causal, batch=batch, head=head)
    twice = once.times(Fraction(2))
    if attention not in ("double", "flash"):
        raise UnknownNameError("backward rule of attention", attention, ["double", "flash"])
    if attention == "flash":
        one = attention_backward(model.heads, model.head_dim, seq, dtype=dtype, causal=causal)
        own = (one if batch is None else one.times(batch)).times(model.layers)
        tokens = seq if batch is None else batch * seq
        products = Work("matrix products", 4 * tokens * model.linear_parameters)
        last = [work for work in twice.work if work.what == "lm_head"]
        twice = replace(twice, work=(products, *own.work, *last))
    return once + twice if checkpointing else twice


@operator
def decode(
    keys: Keys,
    *,
    model: Model,
    dtype: DType = BF16,
    cache: Cache | None = None,
    batch: Batch | None = None,
    head: Head = "none",
) -> Cost:
    """One token through all layers against a cache of T positions: all weights, the whole cache.

    A batch reads the weights once and a cache for each sequence. ``cache`` is the type of the
    cached elements (default: ``dtype``).

    Raises:
        UnknownNameError: for another ``head``; "last" and "all" are the same here.
    """
    check_head(head)
    weights = model.linear_parameters
    stored = dtype if cache is None else cache
    one = attention_decode(model.heads, model.head_dim, keys, kv_heads=model.kv_heads, dtype=dtype)
    attention = (one if batch is None else one.times(batch)).times(model.layers)
    positions = 2 * model.kv_heads * keys * model.head_dim
    cached = model.layers * positions if batch is None else batch * (model.layers * positions)
    products = 2 * weights if batch is None else 2 * batch * weights
    ends = Fraction(1) if batch is None else batch
    last = _lm_head(ends, model, dtype) if head != "none" else NOTHING
    return Cost(
        (
            read("weights", weights * dtype.bytes),
            read("KV cache", cached * stored.bytes),
            *last.traffic,
        ),
        (Work("matrix products", products), *attention.work, *last.work),
        pipe="tensor",
    )


@operator
def generation(
    seq: Seq,
    new: Keys,
    *,
    model: Model,
    dtype: DType = BF16,
    cache: Cache | None = None,
    batch: Batch | None = None,
    head: Head = "none",
) -> Cost:
    """All decoding steps of T new tokens after a prompt of S: step i reads S + i positions.

    A step's cost grows linearly with its positions, so T steps cost T times the middle one.
    """
    middle = seq + (new + 1) / 2
    one = decode(middle, model=model, dtype=dtype, cache=cache, batch=batch, head=head)
    return one.times(new)


@dataclass(frozen=True)
class Step:
    """The stages of a training step, one after the other.

    Attributes:
        forward, backward, optimizer, communication: each stage's cost on the machine.
        overlap: "none", or "backward": the communication runs beside the backward pass.
    """

    forward: Timed
    backward: Timed
    optimizer: Timed
    communication: Timed
    overlap: Literal["none", "backward"] = "none"

    @property
    def expected(self) -> Number:
        """The stages' expected times, added; what overlaps counts once. Unit: s."""
        forward, backward = self.forward.expected, self.backward.expected
        return self._sum(forward, backward, self.optimizer.expected, self.communication.expected)

    @property
    def bound(self) -> Number:
        """The stages' bounds, added; what overlaps counts once. Unit: s."""
        forward, backward = self.forward.bound, self.backward.bound
        return self._sum(forward, backward, self.optimizer.bound, self.communication.bound)

    def _sum(
        self, forward: Number, backward: Number, optimizer: Number, communication: Number
    ) -> Number:
        if self.overlap == "backward":
            return forward + maximum(backward, communication) + optimizer
        return forward + backward + optimizer + communication


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
    attention_rule: Rule = "double",
    over: Literal["link", "hbm"] = "link",
    algorithm: Algorithm = "ring",
    parameters: Parameters | None = None,
    batch: Batch | None = None,
    head: Head = "none",
    checkpointing: bool = False,
    zero: Zero = "none",
    overlap: Literal["none", "backward"] = "none",
) -> Step:
    """Forward, backward, AdamW (16-bit gradient, fp32 state), exchange of the gradient.

    ``parameters`` (default: the model's) is what optimizer and exchange see. ``zero`` shards as
    ZeRO does: from stage 1 on each rank updates 1/R of the parameters. ``overlap`` lets the
    exchange run beside the backward pass.

    Raises:
        UnknownNameError: for an unknown variant.
        LedgerError: for fewer than two ranks, or ZeRO with another way of sending.
    """
    if overlap not in ("none", "backward"):
        raise UnknownNameError("overlap of the communication", overlap, ["none", "backward"])
    held = model.parameters if parameters is None else parameters
    exchange = all_reduce(held, ranks, dtype=dtype, over=over, algorithm=algorithm)
    if zero != "none":
        if (over, algorithm) != ("link", "ring"):
            raise LedgerError(f"ZeRO sends shards over the link in a ring, not {over}, {algorithm}")
        exchange = sharded_exchange(held, ranks, zero, dtype)
    shape = {"causal": causal, "batch": batch, "head": head}
    again = {"attention": attention_rule, "checkpointing": checkpointing}
    there = forward(seq, model=model, dtype=dtype, **shape)
    back = backward(seq, model=model, dtype=dtype, **again, **shape)
    update = adamw(held if zero == "none" else held / ranks, grad=dtype, state=state)
    return Step(
        Timed(there, machine, dtype, link),
        Timed(back, machine, dtype, link),
        Timed(update, machine, dtype, link),
        Timed(exchange, machine, dtype, link),
        overlap,
    )


def sharded_exchange(parameters: Number, ranks: Number, zero: str, dtype: DType) -> Cost:
    """What a rank sends of gradient and parameters in a ZeRO stage.

    Raises:
        UnknownNameError: for another stage.
    """
    if zero not in ZERO_STAGES:
        raise UnknownNameError("ZeRO stage", zero, ZERO_STAGES)
    sent = ZERO_STAGES[zero] * (ranks - 1) / ranks * parameters * dtype.bytes
    return Cost((write("shards of gradient and parameters sent", sent, "link"),))
