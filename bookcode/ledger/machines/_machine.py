"""A machine under one roof, and the links between machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from bookcode.ledger.cost import Pipe
from bookcode.ledger.protocol import Number, lookup, nearest
from bookcode.ledger.symbols import quantity
from bookcode.ledger.tables import TABLES, DType, Table

MIXES = {"write": Fraction(0), "copy": Fraction(1, 2), "triad": Fraction(2, 3), "read": Fraction(1)}
"""Share of reads in the access mixes for which a calibration may give a factor of its own."""


@dataclass(frozen=True)
class Link:
    """A kind of link between ranks."""

    name: str
    title: str


LINKS: Table[Link] = Table(
    "link", [Link("nvlink", "NVLink inside a node"), Link("nic", "network interface between nodes")]
)


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
        peak_factors: reachable share of each peak under this roof.
        bandwidth_factors: reachable share of the HBM bandwidth per access mix.
        conditions: under which conditions the factors were measured.
        facts: the fact key behind each value, by dotted field name.
    """

    name: str
    title: str
    peaks: Mapping[str, Number] = quantity(r"\pi", "FLOP/s", "peak of the pipe, vendor spec")
    bandwidth: Number = quantity(r"\beta", "B/s", "HBM bandwidth, vendor spec")
    links: Mapping[str, Number] = quantity(
        r"\lambda", "B/s", "bandwidth of the link, one way, per rank"
    )
    peak_factors: Mapping[str, Number] = quantity(r"\eta", "1", "calibrated share of the peak")
    bandwidth_factors: Mapping[str, Number] = quantity(
        r"\varepsilon", "1", "calibrated share of the bandwidth"
    )
    conditions: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

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

    def balance(self, dtype: DType, pipe: Pipe = "tensor") -> Number:
        """Vendor-spec machine balance, peak / bandwidth. Unit: FLOP/B."""
        return self.peak(dtype, pipe) / self.bandwidth

    def reachable_balance(self, dtype: DType, pipe: Pipe = "tensor") -> Number:
        """Calibrated machine balance for pure reads. Unit: FLOP/B."""
        return self.reachable_peak(dtype, pipe) / self.reachable_bandwidth(MIXES["read"])


TABLES[Link] = LINKS
