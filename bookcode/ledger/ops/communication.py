"""Collectives between R ranks: what each rank sends over its link, one way.

Sizes are elements of the whole tensor: what every rank holds before an all-reduce, a reduce-scatter
or an all-to-all, and after an all-gather. Additions on the way are not booked as work. The model
has no latency: small messages take longer than their bytes (fact F-RING-time).
"""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Channel, Cost, write
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, is_symbolic
from bookcode.ledger.symbols import Elements, Parameters, Ranks
from bookcode.ledger.tables import DTYPES, DType

Algorithm = Literal["ring", "in-switch"]


def _check_ranks(collective: str, ranks: Number) -> None:
    if not is_symbolic(ranks) and (ranks < 2 or ranks.denominator != 1):
        raise LedgerError(
            f"{collective}: ranks = {ranks}; a collective needs two or more whole ranks"
        )


@operator
def all_reduce(
    elements: Parameters,
    ranks: Ranks,
    *,
    dtype: DType = DTYPES["bf16"],
    over: Literal["link", "hbm"] = "link",
    algorithm: Algorithm = "ring",
) -> Cost:
    """All-reduce of the gradient: the sum of all ranks' tensors, on every rank.

    "ring": each rank sends 2(R-1)/R of the tensor (fact F-RING-torch). "in-switch": the switch adds
    and each rank sends its tensor once. The bytes go over a link, one way. ``over="hbm"`` books
    them on HBM instead, as an older version of the book did; it is kept to show that error. The
    additions, (R-1)/R per element and rank, are not booked as work.

    Raises:
        LedgerError: for fewer than two ranks or a fraction of one.
        UnknownNameError: for a medium other than "link" and "hbm", or another algorithm.
    """
    channels: dict[str, Channel] = {"link": "link", "hbm": "hbm"}
    if over not in channels:
        raise UnknownNameError("medium of an all-reduce", over, channels)
    _check_ranks("all_reduce", ranks)
    sent = {
        "ring": 2 * (ranks - 1) / ranks * elements * dtype.bytes,
        "in-switch": elements * dtype.bytes,
    }
    if algorithm not in sent:
        raise UnknownNameError("algorithm of an all-reduce", algorithm, sent)
    return Cost((write("gradient shards sent", sent[algorithm], channels[over]),))


@operator
def reduce_scatter(elements: Elements, ranks: Ranks, *, dtype: DType = DTYPES["bf16"]) -> Cost:
    """Each rank ends with the sum of its 1/R of the tensor: it sends (R-1)/R.

    Raises:
        LedgerError: for fewer than two ranks or a fraction of one.
    """
    return _one_round("reduce_scatter", "partial sums sent", elements, ranks, dtype)


@operator
def all_gather(elements: Elements, ranks: Ranks, *, dtype: DType = DTYPES["bf16"]) -> Cost:
    """Each rank ends with the whole tensor, of which it held 1/R: it sends (R-1)/R.

    Raises:
        LedgerError: for fewer than two ranks or a fraction of one.
    """
    return _one_round("all_gather", "shards sent", elements, ranks, dtype)


@operator
def all_to_all(elements: Elements, ranks: Ranks, *, dtype: DType = DTYPES["bf16"]) -> Cost:
    """Each rank sends 1/R of its tensor to every other: (R-1)/R of it.

    Raises:
        LedgerError: for fewer than two ranks or a fraction of one.
    """
    return _one_round("all_to_all", "parts sent", elements, ranks, dtype)


def _one_round(collective: str, what: str, elements: Number, ranks: Number, dtype: DType) -> Cost:
    _check_ranks(collective, ranks)
    return Cost((write(what, (ranks - 1) / ranks * elements * dtype.bytes, "link"),))
