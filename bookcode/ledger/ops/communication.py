"""Collectives between ranks."""

from __future__ import annotations

from typing import Literal

from bookcode.ledger.cost import Channel, Cost, write
from bookcode.ledger.errors import LedgerError, UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import is_symbolic
from bookcode.ledger.symbols import Parameters, Ranks
from bookcode.ledger.tables import DTYPES, DType


@operator
def all_reduce(
    elements: Parameters,
    ranks: Ranks,
    *,
    dtype: DType = DTYPES["bf16"],
    over: Literal["link", "hbm"] = "link",
) -> Cost:
    """Ring all-reduce: each rank sends 2(R-1)/R of the tensor (fact F-RING-torch).

    The bytes go over a link, one way. ``over="hbm"`` books them on HBM instead, as an older version
    of the book did; it is kept to show that error. The additions, (R-1)/R per element and rank, are
    not booked as work.

    Raises:
        LedgerError: for fewer than two ranks or a fraction of one.
        UnknownNameError: for a medium other than "link" and "hbm".
    """
    channels: dict[str, Channel] = {"link": "link", "hbm": "hbm"}
    if over not in channels:
        raise UnknownNameError("medium of an all-reduce", over, channels)
    if not is_symbolic(ranks) and (ranks < 2 or ranks.denominator != 1):
        raise LedgerError(
            f"all_reduce: ranks = {ranks}; an all-reduce needs two or more whole ranks"
        )
    moved = 2 * (ranks - 1) / ranks * elements * dtype.bytes
    return Cost((write("gradient shards sent", moved, channels[over]),))
