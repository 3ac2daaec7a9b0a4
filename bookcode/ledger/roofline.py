"""From a cost and a machine to times: the bound, the expectation, and what limits each.

*bound* divides by the vendor's spec: nothing may beat it (compulsory bytes, cold cache, perfect
overlap). *expected* divides by a calibrated roof under its stated conditions: a good kernel can
beat it. The regime says which of compute and the channels takes longest; a tie is "compute".
"""

from __future__ import annotations

from dataclasses import dataclass

from bookcode.ledger.cost import Channel, Cost
from bookcode.ledger.errors import LedgerError
from bookcode.ledger.machines import Link, Machine
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number, maximum, select
from bookcode.ledger.tables import DType

REGIME_OF: dict[Channel, str] = {"hbm": "memory", "link": "link"}


@dataclass(frozen=True)
class Timed:
    """A cost on a machine.

    Attributes:
        cost: what is moved and computed.
        machine: the machine and its roof.
        dtype: the type that selects the tensor pipe's peak.
        link: the link that carries traffic of channel "link"; needed only if there is such traffic.
    """

    cost: Cost
    machine: Machine
    dtype: DType
    link: Link | None = None

    @property
    def flops(self) -> Number:
        """Work. Unit: FLOP."""
        return self.cost.flops

    @property
    def bytes(self) -> Number:
        """Traffic. Unit: B."""
        return self.cost.bytes

    @property
    def intensity(self) -> Number:
        """Arithmetic intensity. Unit: FLOP/B."""
        return self.cost.intensity

    @property
    def bound(self) -> Number:
        """Lower bound of the time at the vendor's spec. Unit: s."""
        return maximum(*self._times(calibrated=False))

    @property
    def expected(self) -> Number:
        """Time at the calibrated roof under its conditions; can be beaten. Unit: s."""
        return maximum(*self._times(calibrated=True))

    @property
    def regime(self) -> str:
        """What limits the expectation at the calibrated roof: "compute", "memory" or "link"."""
        return self._regime(calibrated=True)

    @property
    def bound_regime(self) -> str:
        """What limits the bound at the vendor's spec: "compute", "memory" or "link"."""
        return self._regime(calibrated=False)

    def _times(self, *, calibrated: bool) -> list[Number]:
        work = [self._compute_time(calibrated)] if self.cost.work else []
        return work + [self._channel_time(c, calibrated) for c in self.cost.channels]

    def _compute_time(self, calibrated: bool) -> Number:
        rate = self.machine.reachable_peak if calibrated else self.machine.peak
        return self.cost.flops / rate(self.dtype, self.cost.pipe)

    def _channel_time(self, channel: Channel, calibrated: bool) -> Number:
        moved = self.cost.bytes_on(channel)
        if channel == "link":
            if self.link is None:
                raise LedgerError("this cost moves bytes over a link: say which (link=...)")
            return moved / self.machine.link(self.link)
        if not calibrated:
            return moved / self.machine.bandwidth
        return moved / self.machine.reachable_bandwidth(self.cost.reads_on(channel) / moved)

    def _regime(self, *, calibrated: bool) -> str:
        names = ["compute"] if self.cost.work else []
        names += [REGIME_OF[channel] for channel in self.cost.channels]
        times = self._times(calibrated=calibrated)
        slowest, regime = times[0], names[0]
        for time, name in zip(times[1:], names[1:], strict=True):
            regime = select(time > slowest, name, regime)
            slowest = maximum(slowest, time)
        return regime


@operator
def timed(cost: Cost, *, machine: Machine, dtype: DType, link: Link | None = None) -> Timed:
    """A cost on a machine; names of machine, dtype and link are resolved."""
    return Timed(cost, machine, dtype, link)
