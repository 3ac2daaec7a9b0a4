"""A machine under one roof, and the links between machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from bookcode.ledger.cost import Pipe
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.protocol import Number, lookup, measured, nearest
from bookcode.ledger.symbols import quantity
from bookcode.ledger.tables import TABLES, DType, Table

MIXES = {"write": Fraction(0), "copy": Fraction(1, 2), "triad": Fraction(2, 3), "read": Fraction(1)}
"""Share of reads in the access mixes for which a calibration may give a factor of its own."""


@dataclass(frozen=True)
class Link:
    """A kind of link between ranks; its bandwidth counts one direction.

    Attributes:
        topology: what it connects, and how.
    """

    name: str
    title: str
    topology: str


LINKS: Table[Link] = Table(
    "link",
    [
        Link("nvlink", "NVLink", "the ranks of one node, each to all through a switch"),
        Link(
            "nvlink-nccl",
            "NVLink as NCCL counts it",
            "the ranks of one node, as the library rates it",
        ),
        Link("nic", "network interface", "nodes, one interface per rank"),
        Link("pcie", "PCIe", "a rank and its host"),
    ],
)

LEVELS = {
    "hbm": "main memory",
    "l2": "L2 cache",
    "shared": "shared memory of one SM",
    "shared-block": "shared memory of one CTA",
    "registers": "registers of one SM",
}
"""The levels of the hierarchy for which a profile may state a capacity."""


@dataclass(frozen=True)
class Machine:
    """A machine under one roof.

    Attributes:
        name: "profile" or "profile:roof"; the bare profile is its default roof.
        title: what a reader sees.
        peaks: dense vendor-spec peak per dtype of the tensor pipe, and under "vector" that of the
            CUDA cores in fp32. FLOP/s.
        bandwidth: vendor-spec HBM bandwidth. B/s.
        links: one-way bandwidth per rank and kind of link. B/s.
        levels: capacity of the levels of the memory hierarchy. B.
        fma: multiply-adds per cycle and SM, per dtype and "vector".
        rates: what a level delivers per cycle and SM. B/cycle.
        peak_factors: reachable share of each peak under this roof.
        bandwidth_factors: reachable share of the HBM bandwidth per access mix.
        conditions: under which conditions the factors were measured.
        facts: the fact key behind each value, by dotted field name.
        profile, roof: the two parts of the name; a profile without roofs has the roof "spec".
    """

    name: str
    title: str
    peaks: Mapping[str, Number] = quantity(r"\pi", "FLOP/s", "peak of the pipe, vendor spec")
    bandwidth: Number = quantity(r"\beta", "B/s", "HBM bandwidth, vendor spec")
    links: Mapping[str, Number] = quantity(
        r"\lambda", "B/s", "bandwidth of the link, one way, per rank"
    )
    levels: Mapping[str, Number] = quantity(r"\kappa", "B", "capacity of the memory level")
    fma: Mapping[str, Number] = quantity(r"\phi", "1/cycle", "multiply-adds per cycle and SM")
    rates: Mapping[str, Number] = quantity(
        r"\sigma", "B/cycle", "bytes that the level delivers per cycle and SM"
    )
    peak_factors: Mapping[str, Number] = quantity(r"\eta", "1", "calibrated share of the peak")
    bandwidth_factors: Mapping[str, Number] = quantity(
        r"\varepsilon", "1", "calibrated share of the bandwidth"
    )
    conditions: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    profile: str = ""
    roof: str = "spec"

    def peak(self, dtype: DType, pipe: Pipe) -> Number:
        """Vendor-spec peak of a pipe. Unit: FLOP/s.

        Raises:
            MissingFactError: when the profile has no such peak.
        """
        key = dtype if pipe == "tensor" else "vector"
        return lookup(self.peaks, key, f"the peak of {self.name} for")

    def reachable_peak(self, dtype: DType, pipe: Pipe) -> Number:
        """Calibrated peak of a pipe under this roof. Unit: FLOP/s."""
        key = dtype if pipe == "tensor" else "vector"
        factor = lookup(self.peak_factors, key, f"the calibration of {self.name} for")
        return factor * self.peak(dtype, pipe)

    def reachable_bandwidth(self, read_share: Number) -> Number:
        """Calibrated HBM bandwidth for traffic of which ``read_share`` is reads. Unit: B/s.

        Of the calibrated mixes the one nearest to the traffic's share of reads; a tie goes to the
        lower factor.
        """
        what = f"the access mix of {self.name}"
        return nearest(self.bandwidth_factors, MIXES, read_share, what) * self.bandwidth

    def link(self, link: Link) -> Number:
        """One-way bandwidth of a link. Unit: B/s.

        Raises:
            MissingFactError: when the machine has no such link.
        """
        return lookup(self.links, link, f"a link of {self.name} named")

    def capacity(self, level: str) -> Number:
        """Capacity of a level of :data:`LEVELS`. Unit: B.

        Raises:
            UnknownNameError: for another level.
            MissingFactError: when the profile does not state it.
        """
        if level not in LEVELS:
            raise UnknownNameError("memory level", level, LEVELS)
        return lookup(self.levels, level, f"a capacity of {self.name} named")

    def shared_balance(self, dtype: DType, pipe: Pipe = "tensor") -> Number:
        """FLOPs that a SM can do while its shared memory delivers a byte. Unit: FLOP/B.

        Both rates are per cycle and SM, so the clock and the number of SMs do not matter.

        Raises:
            MissingFactError: when the profile lacks one of the rates.
        """
        key = dtype if pipe == "tensor" else "vector"
        rate = lookup(self.fma, key, f"multiply-adds per cycle of {self.name} for")
        delivered = lookup(self.rates, "shared", f"a rate per cycle of {self.name} named")
        return measured(Fraction(2), "FLOP") * rate / delivered

    def balance(self, dtype: DType, pipe: Pipe = "tensor") -> Number:
        """Vendor-spec machine balance, peak / bandwidth. Unit: FLOP/B."""
        return self.peak(dtype, pipe) / self.bandwidth

    def reachable_balance(self, dtype: DType, pipe: Pipe = "tensor") -> Number:
        """Calibrated machine balance for pure reads. Unit: FLOP/B."""
        return self.reachable_peak(dtype, pipe) / self.reachable_bandwidth(MIXES["read"])


TABLES[Link] = LINKS
