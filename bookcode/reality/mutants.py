"""The ledger with one mistake in it, against the outside checks only.

Which check catches a mistake is found by running all of them on the changed functions. None of them
knows the ledger's own figures: they know measured times, other people's formulas, and published
numbers. Mistakes that none catches are the frontier of what the outside can see.

The bound test has two sides. A mistake that makes the bound too high makes measured rows beat it.
One that makes it too low is caught by *tightness*: the ledger claims that some kernel comes near
the bound, so in each stratum of shapes the best measured row must reach a stated share of it.
Strata are cut by the sizes alone, so that each term of a cost dominates in one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bookcode.ledger import Machine
from bookcode.reality.bounds import beats, bounds
from bookcode.reality.columns import Array
from bookcode.reality.counters import COUNTERS, Comparison
from bookcode.reality.covering import Group, groups
from bookcode.reality.explaining import IN_SWITCH
from bookcode.reality.mutating import Mutant, affected, mutants, run
from bookcode.reality.operators import LEDGER, Operators
from bookcode.reality.published import PublishedRow
from bookcode.reality.specs import spec
from bookcode.reality.tables import DATA, read
from bookcode.sources.members import Members

REFERENCE: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("h200_sxm/trtllm/1.0.0rc3/gemm_perf.txt", "gemm", ("float16", "fp8", "int8_wo", "fp8_block")),
    ("a100_sxm/trtllm/1.0.0/gemm_perf.txt", "gemm", ("float16", "sq")),
    ("h200_sxm/vllm/0.11.0/context_attention_perf.txt", "prefill", ("float16/float16",)),
    ("h200_sxm/vllm/0.11.0/generation_attention_perf.txt", "decode", ("float16/float16",)),
    ("h100_sxm/vllm/0.11.0/generation_attention_perf.txt", "decode", ("float16/float16",)),
    ("a100_sxm/nccl/2.27.3/nccl_perf.txt", "nccl", ("half", "int8")),
    ("h200_sxm/nccl/2.26.2/nccl_perf.txt", "nccl", ("int8",)),
)
"""Files and labels in which no row beats the ledger's bound, whatever the class."""

SWITCHED: Final = "h200_sxm/nccl/2.26.2/nccl_perf.txt"
"""A file whose 16-bit all-reduce is added in the switch."""

TIGHT: Final = 0.55
"""Share of the bound that the best row of a stratum must reach, of what the ledger itself reaches
in the stratum: a bound that falls to half of what it was has lost a term."""

SAMPLE: Final = 400
"""Rows of a group that are tried first, evenly spaced."""


@dataclass(frozen=True)
class Reference:
    """A group that stands for reality, with what is needed to hold a mutant against it.

    Attributes:
        sample: some of its rows, tried first.
        strata: rows by stratum, cut by sizes alone.
        best: bound / measured of the best row of each stratum, by the ledger as it is.
        share: bound / measured of every row, by the ledger as it is.
    """

    group: Group
    sample: Group
    machine: Machine
    strata: Mapping[str, NDArray[np.bool_]]
    best: Mapping[str, float]
    share: Array


@dataclass(frozen=True)
class Outcome:
    """What the outside made of a mutant.

    Attributes:
        caught_by: the checks that caught it; none for the frontier.
        seen: whether any figure that the outside checks look at has changed at all.
    """

    mutant: Mutant
    caught_by: tuple[str, ...]
    seen: bool


@dataclass(frozen=True)
class Outside:
    """The outside checks, prepared once, and what the ledger itself gives in each."""

    references: tuple[Reference, ...]
    comparisons: tuple[Comparison, ...]
    published: tuple[PublishedRow, ...]


def outside(artifacts: Mapping[str, Members], published: tuple[PublishedRow, ...]) -> Outside:
    """Prepare the outside checks; ``artifacts`` are the members by counter."""
    tables = artifacts["NVIDIA"]
    chosen = [
        group
        for member, kind, labels in REFERENCE
        for group in groups(read(DATA + member, kind, tables))
        if group.label in labels
    ]
    chosen += [
        replace(group, label=f"{group.label}, {IN_SWITCH}")
        for group in groups(read(DATA + SWITCHED, "nccl", tables))
        if (group.operator, group.label) == ("all_reduce", "half")
    ]
    references = tuple(_reference(group, spec(group.table.system, tables)) for group in chosen)
    comparisons = tuple(
        comparison
        for name, members in artifacts.items()
        for comparison in COUNTERS[name][1](members)
    )
    return Outside(references, comparisons, published)


def _reference(group: Group, machine: Machine) -> Reference:
    share = _shares(group, machine, LEDGER)
    strata = _strata(group)
    best = {name: float(share[rows].max()) for name, rows in strata.items()}
    sample = group.rows(np.arange(0, len(group), max(len(group) // SAMPLE, 1)))
    return Reference(group, sample, machine, strata, best, share)


def _strata(group: Group) -> dict[str, NDArray[np.bool_]]:
    sizes = group.sizes
    if group.operator == "gemm":
        m, n, k = sizes["m"], sizes["n"], sizes["k"]
        work = m * n * k > 2.0**36
        cut = {
            "large": work & (np.minimum(np.minimum(m, n), k) >= 1024),
            "few rows": (m <= 16) & (n * k > 2.0**26),
            "few columns": (n <= 128) & (m * k > 2.0**24),
            "short sums": (k <= 128) & (m * n > 2.0**26),
        }
    elif group.operator == "prefill":
        seq, share = sizes["seq"], sizes["kv_heads"] / sizes["heads"]
        many = sizes["batch"] * sizes["heads"] >= 32
        cut = {
            "long": (seq >= 4096) & many,
            "long, few KV heads": (seq >= 4096) & many & (share <= 0.25),
            "short": (seq <= 256) & (sizes["batch"] * seq >= 8192),
        }
    elif group.operator == "decode":
        cached = sizes["batch"] * sizes["kv_heads"] * sizes["keys"]
        few = sizes["kv_heads"] * 4 <= sizes["heads"]
        cut = {"long": cached >= 2.0**20, "long, few KV heads": (cached >= 2.0**20) & few}
    else:
        sent = sizes["elements"] >= 2.0**26
        cut = {f"{ranks:.0f} ranks": sent & (sizes["ranks"] == ranks) for ranks in (2, 4, 8)}
    return {name: rows for name, rows in cut.items() if rows.any()}


def try_all(prepared: Outside, chosen: Sequence[Mutant] | None = None) -> list[Outcome]:
    """Hold every mutant against every outside check that can see its module."""
    everything = mutants() if chosen is None else chosen
    return [_try(mutant, prepared) for mutant in everything]


def _shares(group: Group, machine: Machine, ops: Operators) -> Array:
    return np.asarray(bounds(group, machine, ops).time / group.seconds)


OPERATOR_OF: Final = {"prefill": "attention_prefill", "decode": "attention_decode"}
USED: Final = {
    "gemm_flops": "gemm",
    "attention_products": "attention_prefill",
    "kv_bytes": "attention_decode",
}
"""The ledger's function behind a function of the published tables' formulas."""


def _try(mutant: Mutant, prepared: Outside) -> Outcome:
    touched, ops = affected(mutant.module), run(mutant)
    caught: set[str] = set()
    seen = False
    for comparison in prepared.comparisons:
        check = f"counter {comparison.counter}"
        if check in caught or comparison.operator not in touched:
            continue
        if _fails(partial(_unexplained, comparison, ops)):
            caught.add(check)
    for row in prepared.published:
        used = any(name in row.formula and of in touched for name, of in USED.items())
        if used and _fails(partial(_wrong, row, ops)):
            caught.add("published tables")
            break
    for reference in prepared.references:
        operator = reference.group.operator
        if OPERATOR_OF.get(operator, operator) not in touched:
            continue
        found, changed = _measured(reference, ops)
        caught |= found
        seen = seen or changed
    return Outcome(mutant, tuple(sorted(caught)), seen or bool(caught))


def _unexplained(comparison: Comparison, ops: Operators) -> bool:
    return bool(comparison.left(ops))


def _wrong(row: PublishedRow, ops: Operators) -> bool:
    return row.problem(ops) is not None


def _fails(check: Callable[[], bool]) -> bool:
    """Whether a check fails; a mutant that raises has been noticed too."""
    try:
        return check()
    except Exception:
        return True


def _measured(reference: Reference, ops: Operators) -> tuple[set[str], bool]:
    """Which sides of the bound test fail, and whether any bound has changed."""
    group, machine = reference.group, reference.machine
    kind = "NCCL" if group.table.kind == "nccl" else f"measured {group.operator}"
    try:
        if beats(_shares(reference.sample, machine, ops)).any():
            return {f"{kind}: beaten"}, True
        share = _shares(group, machine, ops)
    except Exception:
        return {f"{kind}: beaten"}, True
    found = set()
    if beats(share).any() or not np.isfinite(share).all():
        found.add(f"{kind}: beaten")
    out_of_reach = (
        share[rows].max() < TIGHT * reference.best[name] for name, rows in reference.strata.items()
    )
    if any(out_of_reach):
        found.add(f"{kind}: out of reach")
    return found, not np.array_equal(share, reference.share)


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Counts by check, and the frontier: what is tolerated, and what nothing outside looks at."""
    by_check: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for outcome in outcomes:
        by_check.update(outcome.caught_by)
        families = {check.split(":")[0] for check in outcome.caught_by}
        if len(families) == 1:
            alone.update(families)
    left = [outcome for outcome in outcomes if not outcome.caught_by]
    unseen: dict[str, int] = Counter(o.mutant.function for o in left if not o.seen)
    return {
        "mutants": len(outcomes),
        "caught": len(outcomes) - len(left),
        "by check": dict(sorted(by_check.items())),
        "caught by one kind of check alone": dict(sorted(alone.items())),
        "tolerated": [f"{o.mutant.place}: {o.mutant.change}" for o in left if o.seen],
        "not looked at, by function": dict(sorted(unseen.items())),
        "not looked at": [f"{o.mutant.place}: {o.mutant.change}" for o in left if not o.seen],
    }
