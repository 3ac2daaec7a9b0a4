"""The cost of a call: itemised traffic and work.

Accounting rules (those of TileOPs' roofline document, citation R3): every input is read once and
every output written once, intermediates are free unless the variant names their passes; an add, a
multiply, a maximum or a transcendental is 1 FLOP, a multiply-add of a matrix product 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Literal

from bookcode.ledger.errors import LedgerError
from bookcode.ledger.protocol import Number, measured

Direction = Literal["read", "write"]
Channel = Literal["hbm", "link"]
Pipe = Literal["tensor", "vector"]


@dataclass(frozen=True)
class Traffic:
    """Bytes of one tensor that move over one channel in one direction."""

    tensor: str
    direction: Direction
    bytes: Number
    channel: Channel = "hbm"


@dataclass(frozen=True)
class Work:
    """FLOPs of one kind."""

    what: str
    flops: Number


def read(tensor: str, size: Number, channel: Channel = "hbm") -> Traffic:
    """``size`` bytes of ``tensor`` are read."""
    return Traffic(tensor, "read", size, channel)


def write(tensor: str, size: Number, channel: Channel = "hbm") -> Traffic:
    """``size`` bytes of ``tensor`` are written."""
    return Traffic(tensor, "write", size, channel)


def total(values: Iterable[Number]) -> Number:
    """The sum in the order given; 0 for none."""
    items = list(values)
    return reduce(add, items) if items else Fraction(0)


@dataclass(frozen=True)
class Cost:
    """What a call moves and computes.

    Attributes:
        traffic: bytes by tensor, direction and channel.
        work: FLOPs by kind.
        pipe: the unit that bounds the work: "tensor" (tensor cores, peak per dtype) or "vector"
            (CUDA cores in fp32). One pipe per cost: softmax inside attention is booked on the
            tensor pipe with its matrix products, as the counting rules do.
    """

    traffic: tuple[Traffic, ...]
    work: tuple[Work, ...] = ()
    pipe: Pipe = "vector"

    @property
    def flops(self) -> Number:
        """All work. Unit: FLOP."""
        return measured(total(w.flops for w in self.work), "FLOP")

    @property
    def bytes(self) -> Number:
        """All traffic, over every channel. Unit: B."""
        return total(t.bytes for t in self.traffic)

    @property
    def intensity(self) -> Number:
        """Arithmetic intensity, flops / bytes. Unit: FLOP/B."""
        return self.flops / self.bytes

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that carry traffic, in order of first use."""
        return tuple(dict.fromkeys(t.channel for t in self.traffic))

    def bytes_on(self, channel: Channel) -> Number:
        """Traffic over one channel. Unit: B."""
        return total(t.bytes for t in self.traffic if t.channel == channel)

    def bytes_of(self, *tensors: str) -> Number:
        """Traffic of the named tensors only, so that a partial figure is a sum over named terms.

        Raises:
            LedgerError: for a tensor that this cost does not move.
        """
        known = {t.tensor for t in self.traffic}
        if missing := [name for name in tensors if name not in known]:
            raise LedgerError(f"no traffic of {missing[0]!r}; this cost moves {sorted(known)}")
        return total(t.bytes for t in self.traffic if t.tensor in tensors)

    def reads_on(self, channel: Channel) -> Number:
        """Bytes read over one channel. Unit: B."""
        return total(t.bytes for t in self.traffic if (t.direction, t.channel) == ("read", channel))

    def times(self, count: Number) -> Cost:
        """``count`` such calls."""
        return replace(
            self,
            traffic=tuple(replace(t, bytes=count * t.bytes) for t in self.traffic),
            work=tuple(replace(w, flops=count * w.flops) for w in self.work),
        )

    def __add__(self, other: Cost) -> Cost:
        """Both calls, one after the other."""
        if self.pipe != other.pipe:
            raise LedgerError(
                f"costs on two pipes ({self.pipe}, {other.pipe}) have no common bound"
            )
        return Cost(self.traffic + other.traffic, self.work + other.work, self.pipe)
