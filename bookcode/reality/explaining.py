"""Why rows beat the bound: a class for each, with the evidence for the class.

A rule looks at the rows of a group that are still open and says which of them it explains. Rules
are tried in the order of :data:`RULES`; what none explains is listed as unexplained. A rule may
only claim a row when the reading that it proposes brings the row back under a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bookcode.ledger import Machine
from bookcode.reality.bounds import Bounds, beats, bounds, times
from bookcode.reality.covering import Group, cost
from bookcode.reality.evidence import Evidence, Statement, statement
from bookcode.reality.operators import Operators
from bookcode.reality.specs import CACHE, OTHER_DEVICES, OWN_DEVICE, of_device
from bookcode.reality.tables import SYSTEMS

Mask = NDArray[np.bool_]

CLASSES: Final = {
    "nothing ran": "kernel that does less than the operator: the time is that of an empty launch",
    "wrong precision": "wrong label: the rows were measured in another precision",
    "other device": "wrong label: the rows were measured on another product than the folder names",
    "keys only": "kernel that does less than the operator: the pool holds keys and no values",
    "added in the switch": "kernel that does less than the operator: the switch adds, not the ring",
    "warm cache": "the operands fit the L2 cache and were there already",
}
"""Class to what it means. "Unit" and "causality" explain no row here, because the reader counts
elements and skips masked scores from the start; :mod:`.counterfactual` says what happens else."""


@dataclass(frozen=True)
class Finding:
    """Some rows of a group that a rule explains.

    Attributes:
        kind: a key of :data:`CLASSES`.
        rows: which rows of the group.
        evidence: what speaks for the class, with its figures.
        reading: the bound under the reading that the class proposes; later rules go by it.
        concerned: how many rows of the group the class concerns, whether or not they beat the
            bound.
    """

    kind: str
    rows: Mask
    evidence: Evidence
    reading: Bounds | None = None
    concerned: int = 0


@dataclass(frozen=True)
class Case:
    """A group against its bound, as the rules see it.

    Attributes:
        siblings: the other groups of the same file, by label.
        open: rows that beat the bound and are not explained yet.
    """

    group: Group
    machine: Machine
    ops: Operators
    bound: Bounds
    siblings: Mapping[str, Group]
    open: Mask

    def under(self, other: Bounds) -> Mask:
        """Open rows that do not beat ``other``."""
        return self.open & ~beats(other.time / self.group.seconds)


Rule = Callable[[Case], Finding | None]
CALLS_OF_ONE_DEVICE: Final = ("gemm", "prefill", "decode")
BAND_GAP: Final = 1.5
BAND_SHARE: Final = 0.25
BAND_RANGE: Final = 1000.0


def empty_band(group: Group, bound: Bounds) -> tuple[Mask, Statement] | None:
    """Rows whose time does not depend on their work, and the evidence that it does not.

    They lie in a band at the shortest times, followed by a gap; the band holds a good part of the
    rows, and the work inside it spans orders of magnitude.
    """
    order = np.sort(group.seconds)
    near = order[order <= 10 * order[0]]
    following = order[1 : len(near) + 1]
    if not len(following):
        return None
    ratios = following / near[: len(following)]
    edge = int(np.argmax(ratios))
    band = group.seconds <= near[edge]
    spread = bound.time[band].max() / bound.time[band].min()
    if ratios[edge] < BAND_GAP or band.mean() < BAND_SHARE or spread < BAND_RANGE:
        return None
    return band, statement(
        "band",
        inside=int(band.sum()),
        rows=len(group),
        first=f"{near[0] * 1e6:.2f}",
        last=f"{near[edge] * 1e6:.2f}",
        middle=f"{float(np.median(group.seconds[band])) * 1e6:.2f}",
        spread=f"{spread:.3g}",
        following=f"{following[edge] * 1e6:.1f}",
    )


def nothing_ran(case: Case) -> Finding | None:
    """The times are those of a launch that did nothing."""
    if case.group.operator not in CALLS_OF_ONE_DEVICE:
        return None  # a collective's shortest times are those of its hand-shake
    found = empty_band(case.group, case.bound)
    if found is None:
        return None
    band, evidence = found
    return Finding("nothing ran", case.open & band, (evidence,), concerned=int(band.sum()))


SAME_MEDIAN, SAME_SPREAD = 0.01, 0.05
MOST: Final = (0.1, 0.9)
"""The quantiles between which the spread is taken."""


def same_times(group: Group, other: Group) -> Statement | None:
    """Evidence that two labels of one file were measured with the same kernel, if there is any."""
    shapes = {shape: i for i, shape in enumerate(zip(*other.sizes.values(), strict=True))}
    pairs = [
        (i, shapes[shape])
        for i, shape in enumerate(zip(*group.sizes.values(), strict=True))
        if shape in shapes
    ]
    if len(pairs) < len(group) / 2:
        return None
    mine, theirs = np.array(pairs).T
    ratios = group.seconds[mine] / other.seconds[theirs]
    low, middle, high = np.quantile(ratios, [MOST[0], 0.5, MOST[1]])
    if abs(middle - 1) > SAME_MEDIAN or max(high - 1, 1 - low) > SAME_SPREAD:
        return None
    return statement(
        "same times",
        label=other.label,
        middle=f"{middle:.3f}",
        below=f"{MOST[0] * 100:g} %",
        above=f"{MOST[1] * 100:g} %",
        low=f"{low:.3f}",
        high=f"{high:.3f}",
        pairs=len(pairs),
    )


def wrong_precision(case: Case) -> Finding | None:
    """The kernel computed in 8 bits whatever the label says."""
    group = case.group
    if group.operator != "gemm" or group.label in ("fp8", "sq", "fp8_block", "nvfp4"):
        return None
    evidence, label = None, "fp8"
    if label in case.siblings:
        evidence = same_times(group, case.siblings[label])
    if evidence is None and group.label == "int8_wo":
        best = float((case.bound.compute / group.seconds).max())
        if best > 1:
            label = "sq"
            evidence = statement("out of reach", best=f"{best:.3f}")
    if evidence is None:
        return None
    again = bounds(group, case.machine, case.ops, label)
    rows = case.under(again)
    return Finding("wrong precision", rows, (evidence, _left(case, rows)), again, len(group))


def _left(case: Case, rows: Mask) -> Statement:
    """How many open rows the reading leaves."""
    return statement("beaten too", count=int((case.open & ~rows).sum()))


def other_device(case: Case) -> Finding | None:
    """The file's own column names another product."""
    group = case.group
    if group.device in ("", OWN_DEVICE[SYSTEMS[group.table.system]]):
        return None
    if group.device not in OTHER_DEVICES:
        return None
    again = bounds(group, of_device(case.machine, group.device), case.ops)
    rows = case.under(again)
    named = OTHER_DEVICES[group.device]
    told = statement(
        "device",
        device=group.device,
        bandwidth=f"{float(named.bandwidth) / 1e12:.2f}",
        source=named.source,
    )
    return Finding("other device", rows, (told, _left(case, rows)), again, len(group))


KEYS_ONLY: Final = statement(
    "collector",
    repository="ai-dynamo/aiconfigurator",
    file="collector/trtllm/collect_attn.py",
    commit="05656140d613",
    date="2026-11-29",
    quoted="KVCacheManager(kv_cache_type=CacheType.SELFKONLY)",
)


def keys_only(case: Case) -> Finding | None:
    """TensorRT-LLM's decode rows were measured on a pool that holds keys and no values."""
    group = case.group
    if group.operator != "decode" or not group.table.set.startswith("trtllm/"):
        return None
    whole = cost(group, case.ops)
    keys = type(whole)(
        tuple(t for t in whole.traffic if t.tensor != "V cache"), whole.work, whole.pipe
    )
    again = times(keys, case.machine, group.pipe, len(group))
    best = float((again.time / group.seconds).max())
    told = (KEYS_ONLY, statement("counted once", best=f"{best:.3f}"))
    return Finding("keys only", case.under(again), told, again, len(group))


IN_SWITCH: Final = "in-switch"


def added_in_switch(case: Case) -> Finding | None:
    """An all-reduce whose additions the switch does sends each tensor once."""
    group = case.group
    if group.operator != "all_reduce" or SYSTEMS[group.table.system] == "a100":
        return None
    again = bounds(group, case.machine, case.ops, f"{group.label}, {IN_SWITCH}")
    rows = case.under(again)
    ranks = sorted({int(r) for r in group.sizes["ranks"][rows]})
    best = float((again.time / group.seconds).max())
    told = (statement("ranks", ranks=ranks), statement("sent once", best=f"{best:.3f}"))
    return Finding("added in the switch", rows, told)


def warm_cache(case: Case) -> Finding | None:
    """Everything the call moves fits L2, and only the memory side was beaten."""
    if case.group.operator not in CALLS_OF_ONE_DEVICE:
        return None
    capacity, source = CACHE[SYSTEMS[case.group.table.system]]
    fits = case.bound.moved <= float(capacity)
    rows = case.open & fits & ~beats(case.bound.compute / case.group.seconds)
    if not rows.any():
        return None
    low, high = case.bound.moved[rows].min() / 1e6, case.bound.moved[rows].max() / 1e6
    told = statement(
        "fits",
        low=f"{low:.1f}",
        high=f"{high:.1f}",
        capacity=f"{float(capacity) / 1e6:.1f}",
        source=source,
    )
    return Finding("warm cache", rows, (told,))


RULES: Final[tuple[Rule, ...]] = (
    nothing_ran,
    wrong_precision,
    other_device,
    keys_only,
    added_in_switch,
    warm_cache,
)


@dataclass(frozen=True)
class Verdict:
    """A group against its bound.

    Attributes:
        share: bound / measured, row by row.
        findings: why rows beat the bound.
        unexplained: rows for which no rule speaks.
    """

    group: Group
    bound: Bounds
    share: NDArray[np.float64]
    findings: tuple[Finding, ...]
    unexplained: Mask

    @property
    def beaten(self) -> int:
        """How many rows beat the bound."""
        return int(beats(self.share).sum())


def judge(
    group: Group,
    machine: Machine,
    ops: Operators,
    siblings: Mapping[str, Group] | None = None,
) -> Verdict:
    """Hold a group against the bound and explain what beats it."""
    bound = bounds(group, machine, ops)
    share = bound.time / group.seconds
    still, reading = beats(share), bound
    findings = []
    for rule in RULES:
        if not still.any():
            break
        case = Case(group, machine, ops, reading, siblings or {}, still)
        finding = rule(case)
        if finding is not None and finding.rows.any():
            findings.append(finding)
            still = still & ~finding.rows
            reading = finding.reading or reading
    return Verdict(group, bound, share, tuple(findings), still)
