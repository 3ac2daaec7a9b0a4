"""What each measured device can do on paper, beyond what the ledger's profiles say.

The ledger's profile of the folder's machine is the bound. Peaks that it lacks (8-bit integers on
Hopper, 4 bits on Blackwell) are read out of NVIDIA's own files in the same wheel. Devices that
share a folder with another product are listed here with what their makers claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from bookcode.ledger import MACHINES, Machine
from bookcode.reality.errors import TableError
from bookcode.reality.tables import SYSTEMS
from bookcode.sources.members import Members

SYSTEM_FILE: Final = "aiconfigurator/systems/{system}.yaml"
COMMON_FILE: Final = "aiconfigurator/sdk/common.py"
FP4: Final = re.compile(r"^    nvfp4 = QuantMapping\(0\.5, (\d+), \"nvfp4\"\)", re.M)


@dataclass(frozen=True)
class Device:
    """A product that a file names and that is not the folder's machine.

    Attributes:
        bandwidth: HBM bandwidth as claimed. B/s.
        peak, peak_8: dense peak in 16 and in 8 bits as claimed. FLOP/s.
        source: where the two were read, and on which date.
    """

    bandwidth: Fraction
    peak: Fraction
    peak_8: Fraction
    source: str


OTHER_DEVICES: Final = {
    "NVIDIA H100 NVL": Device(
        Fraction("3.93e12"),
        Fraction("989.4e12"),
        Fraction("1978.9e12"),
        "bandwidth: third-party page on part 900-21010-0120, recorded 2026-11-29; peaks: half of"
        " what lightning-fabric 2.6.6, throughput.py:325, states for the pair",
    ),
    "NVIDIA H100 PCIe": Device(
        Fraction("2.0e12"),
        Fraction("756e12"),
        Fraction("1513e12"),
        "bandwidth: product brief PB-11133-001_v02, recorded 2026-11-29; peaks: lightning-fabric"
        " 2.6.6, throughput.py:341",
    ),
    "NVIDIA H200 NVL": Device(
        Fraction("4.8e12"),
        Fraction("850e12"),
        Fraction("1650e12"),
        "bandwidth: that of the H200; peaks: half of what lightning-fabric 2.6.6,"
        " throughput.py:316, states with sparsity",
    ),
}
"""Product names as the measurements' own column gives them."""

OWN_DEVICE: Final = {
    "a100": "NVIDIA A100-SXM4-80GB",
    "b200": "NVIDIA B200",
    "h100": "NVIDIA H100 80GB HBM3",
    "h200": "NVIDIA H200",
}
"""Machine to the product that its folder is about."""

CACHE: Final = {
    "a100": (Fraction(41943040), "fact a100.l2.capacity"),
    "h100": (Fraction(52428800), "fact h100.l2.capacity"),
    "h200": (Fraction(52428800), "fact h100.l2.capacity: the same generation, sm_90a"),
    "b200": (
        Fraction(126_000_000),
        "126 MB, chipsandcheese.com on the B200 and others, recorded 2026-11-29; the pinned table"
        " copies the H100's figure",
    ),
}
"""Machine to the capacity of its L2 cache in B, and who says so."""


def spec(system: str, members: Members) -> Machine:
    """The ledger's machine for a folder, with the peaks that only NVIDIA's files state.

    Raises:
        TableError: when the wheel's files do not state them.
    """
    machine = MACHINES[SYSTEMS[system]]
    peaks = dict(machine.peaks)
    own = SYSTEM_FILE.format(system=system)
    text = members.read(own).text
    if "int8" not in peaks:
        peaks["int8"] = _stated(own, text, r"^  int8_tc_flops: (\d+)")
    if system == "b200_sxm" and "fp4" not in peaks:
        times = FP4.search(members.read(COMMON_FILE).text)
        if times is None:
            raise TableError(COMMON_FILE, 0, "no rate of nvfp4")
        peaks["fp4"] = int(times[1]) * _stated(own, text, r"^  float16_tc_flops: (\d+)")
    return replace(machine, peaks=peaks)


def _stated(member: str, text: str, pattern: str) -> Fraction:
    found = re.search(pattern, text, re.M)
    if found is None:
        raise TableError(member, 0, f"nothing matches {pattern}")
    return Fraction(found[1])


def of_device(machine: Machine, device: str) -> Machine:
    """``machine`` with the bandwidth and the peaks of one of :data:`OTHER_DEVICES`."""
    other = OTHER_DEVICES[device]
    return replace(
        machine,
        bandwidth=other.bandwidth,
        peaks={
            **machine.peaks,
            **dict.fromkeys(("fp16", "bf16"), other.peak),
            **dict.fromkeys(("fp8", "int8"), other.peak_8),
        },
    )
