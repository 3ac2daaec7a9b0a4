"""Every measured row against its bound, counted: the record behind the page and behind verify.

A :class:`Survey` holds counts and quantiles only, no measurement; it is small, exact and stable, so
that it can be compared with the one recorded before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

import numpy as np

from bookcode.ledger import MACHINES, Machine
from bookcode.reality.bounds import beats, bounds, expected, times
from bookcode.reality.columns import column
from bookcode.reality.covering import Group, groups, prefill_cost
from bookcode.reality.evidence import Evidence
from bookcode.reality.explaining import CALLS_OF_ONE_DEVICE, Verdict, judge
from bookcode.reality.operators import LEDGER, Operators
from bookcode.reality.shares import Pool, Share, figure
from bookcode.reality.specs import spec
from bookcode.reality.tables import FILES, SYSTEMS, Table, read_all
from bookcode.sources.members import Members

UNSTATED: Final = dict.fromkeys(
    ("clocks", "power limit", "state of the caches", "operands", "repetitions", "spread"), "unknown"
)
"""Conditions that the tables do not state."""
SHOWN: Final = 20
"""How many unexplained rows of a group are listed by place."""


@dataclass(frozen=True)
class GroupRecord:
    """What came of one group.

    Attributes:
        rows: how many there are; ``beaten`` of them are faster than the bound.
        best, median: bound / measured of the best row that does not beat it, and of the middle row.
        classes: rows explained, by class; ``evidence`` says by what.
        concerned: rows that a class concerns, whether or not they beat the bound.
        unexplained: how many are left, and ``places`` where (the first of them).
    """

    data_set: str
    operator: str
    label: str
    device: str
    source: str
    rows: int
    beaten: int
    most: float
    best: float
    median: float
    classes: dict[str, int]
    evidence: dict[str, Evidence]
    concerned: dict[str, int]
    unexplained: int
    places: list[str]


@dataclass(frozen=True)
class Expectation:
    """How many rows of a group beat a calibrated roof, and by how much the fastest did."""

    data_set: str
    operator: str
    label: str
    roof: str
    rows: int
    beaten: int
    most: float


@dataclass
class Survey:
    """All of it.

    Attributes:
        repeated: files whose times are those of an earlier file, by name.
        again: groups of prefill rows that hold shapes twice: how many, and the median and the
            largest ratio between the two times; all that the tables say of repeatability.
        counterfactual: what happens when rows are read otherwise.
        pool: the clean groups themselves; no part of :meth:`record`.
    """

    groups: list[GroupRecord] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    repeated: dict[str, str] = field(default_factory=dict)
    again: dict[str, list[float]] = field(default_factory=dict)
    counterfactual: dict[str, Any] = field(default_factory=dict)
    pool: Pool = field(default_factory=Pool, repr=False, compare=False)

    @property
    def rows(self) -> int:
        """Measured rows that the ledger covers."""
        return sum(g.rows for g in self.groups)

    @property
    def beaten(self) -> int:
        """Rows that beat the bound."""
        return sum(g.beaten for g in self.groups)

    @property
    def unexplained(self) -> int:
        """Rows that beat the bound and have no class."""
        return sum(g.unexplained for g in self.groups)

    @property
    def classes(self) -> dict[str, int]:
        """Rows by class."""
        total: Counter[str] = Counter()
        for group in self.groups:
            total.update(group.classes)
        return dict(sorted(total.items()))

    def record(self) -> dict[str, Any]:
        """Plain data, for a file."""
        plain = asdict(replace(self, pool=Pool()))
        del plain["pool"]
        return {
            "rows": self.rows,
            "beaten": self.beaten,
            "unexplained": self.unexplained,
            "classes": self.classes,
            "conditions": UNSTATED,
            **plain,
        }


def survey(members: Members, ops: Operators = LEDGER) -> Survey:
    """Read every table and hold every row to its bound.

    Raises:
        TableError: for a file that its reader does not understand.
    """
    result = Survey()
    seen: dict[str, str] = {}
    for kind in FILES:
        for table in read_all(kind, members):
            _repeats(table, seen, result)
            machine = spec(table.system, members)
            for verdict in verdicts(table, machine, ops):
                result.groups.append(_record(verdict))
                result.expectations += _expectations(verdict.group, ops)
                _measured_again(verdict.group, result)
                result.pool.add(verdict)
                _count_otherwise(verdict.group, machine, ops, result.counterfactual)
    result.shares = result.pool.shares()
    result.counterfactual["collective time, 16-bit over 8-bit, same bytes"] = _unit(members)
    return result


def verdicts(table: Table, machine: Machine, ops: Operators) -> Iterator[Verdict]:
    """The verdict on every group of a table."""
    found = list(groups(table))
    siblings = {group.label: group for group in found}
    for group in found:
        yield judge(group, machine, ops, siblings)


def _record(verdict: Verdict) -> GroupRecord:
    group, share = verdict.group, verdict.share
    under = share[~beats(share)]
    left = np.flatnonzero(verdict.unexplained)
    return GroupRecord(
        data_set=group.table.data_set,
        operator=group.operator,
        label=group.label,
        device=group.device,
        source=group.source.rpartition("/")[2],
        rows=len(group),
        beaten=verdict.beaten,
        most=figure(share.max()),
        best=figure(under.max()),
        median=figure(np.median(share)),
        classes={f.kind: int(f.rows.sum()) for f in verdict.findings},
        evidence={f.kind: f.evidence for f in verdict.findings},
        concerned={f.kind: f.concerned for f in verdict.findings if f.concerned},
        unexplained=len(left),
        places=[group.line(row) for row in left[:SHOWN]],
    )


def _expectations(group: Group, ops: Operators) -> list[Expectation]:
    """The group against each calibrated roof of its machine that knows its precision."""
    if group.operator not in CALLS_OF_ONE_DEVICE:
        return []
    profile, found = SYSTEMS[group.table.system], []
    for name, machine in MACHINES.items():
        calibrated = machine.bandwidth_factors and group.pipe in machine.peak_factors
        if name.split(":")[0].split("-")[0] != profile or not calibrated:
            continue
        if all(factor == 1 for factor in machine.bandwidth_factors.values()):
            continue
        share = expected(group, machine, ops) / group.seconds
        found.append(
            Expectation(
                *(group.table.data_set, group.operator, group.label, name, len(group)),
                *(int(beats(share).sum()), figure(share.max())),
            )
        )
    return found


def _repeats(table: Table, seen: dict[str, str], result: Survey) -> None:
    digest = sha256(b",".join(table.cells["latency"])).hexdigest()
    name = f"{table.data_set} {table.kind}"
    if digest in seen:
        result.repeated[name] = seen[digest]
    seen.setdefault(digest, name)


def _measured_again(group: Group, result: Survey) -> None:
    if group.operator != "prefill":
        return
    shapes = np.stack(list(group.sizes.values()), axis=1)
    _, which, count = np.unique(shapes, axis=0, return_inverse=True, return_counts=True)
    twice = np.flatnonzero(count[which.ravel()] == 2)
    if len(twice):
        pairs = twice[np.argsort(which.ravel()[twice], kind="stable")].reshape(-1, 2)
        ratio = group.seconds[pairs].max(axis=1) / group.seconds[pairs].min(axis=1)
        figures = [figure(np.median(ratio)), figure(ratio.max())]
        result.again[group.name] = [len(pairs), *figures]


def _count_otherwise(group: Group, machine: Machine, ops: Operators, found: dict[str, Any]) -> None:
    """Prefill rows in 16 bits that beat the bound of kernels which do not skip masked scores."""
    if group.operator != "prefill" or group.label != "float16/float16":
        return
    sizes = {name: column(values) for name, values in group.sizes.items()}
    whole = times(prefill_cost(sizes, group.label, ops, False), machine, group.pipe, len(group))
    beaten = int(beats(whole.time / group.seconds).sum())
    causal = int(beats(bounds(group, machine, ops).time / group.seconds).sum())
    entry = found.setdefault("prefill rows beating the bound: causal, not causal", {})
    entry[group.table.data_set] = [len(group), causal, beaten]


def _unit(members: Members) -> dict[str, list[float]]:
    """Median time ratio of messages of the same bytes, 16-bit over 8-bit, in each file.

    Sizes are elements if it is about 1 where nothing is added; were they bytes, the 16-bit rows
    would have to be compared with 8-bit rows of the same size, and that ratio is about 2.
    """
    found = {}
    for table in read_all("nccl", members):
        by_label = {(g.operator, g.label): g for g in groups(table)}
        ratios: list[list[float]] = [[], []]
        for operator in ("all_gather", "all_to_all"):
            half, bytes_ = by_label[operator, "half"], by_label[operator, "int8"]
            times_of = _by_size(bytes_)
            for size, ranks, seconds in _rows(half):
                if size < LARGE:
                    continue
                for ratio, wanted in zip(ratios, (2 * size, size), strict=True):
                    if (wanted, ranks) in times_of:
                        ratio.append(seconds / times_of[wanted, ranks])
        found[table.data_set] = [figure(np.median(ratio)) for ratio in ratios]
    return found


LARGE: Final = 2.0**24
"""Elements from which on a message's time is that of its bytes and not of its hand-shake."""


def _rows(group: Group) -> Iterator[tuple[float, float, float]]:
    columns: Sequence[Any] = (group.sizes["elements"], group.sizes["ranks"], group.seconds)
    return zip(*(values.tolist() for values in columns), strict=True)


def _by_size(group: Group) -> Mapping[tuple[float, float], float]:
    return {(size, ranks): seconds for size, ranks, seconds in _rows(group)}
