"""Mistakes in the ledger: made mechanically, and caught from outside."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bookcode.ledger import ops
from bookcode.reality import published
from bookcode.reality.check import recorded
from bookcode.reality.mutants import Outcome, Outside, outside, summary, try_all
from bookcode.reality.mutating import Mutant, affected, mutants, run
from bookcode.sources.members import Members

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def everything() -> list[Mutant]:
    return mutants()


@pytest.fixture(scope="module")
def prepared(artifacts: dict[str, Members]) -> Outside:
    return outside(artifacts, tuple(published.rows(published.load(ROOT))))


def pick(everything: list[Mutant], words: str) -> Mutant:
    [mutant] = [m for m in everything if m.words == words]
    return mutant


def caught(prepared: Outside, mutant: Mutant) -> set[str]:
    [outcome] = try_all(prepared, [mutant])
    return {check.split(":")[0] for check in outcome.caught_by}


def test_every_kind_of_mistake_is_made(everything: list[Mutant]) -> None:
    changes = " | ".join(m.change for m in everything)
    for kind in ("becomes 4", "becomes /", "becomes -", "left out", "term left out", "kv_heads"):
        assert kind in changes
    assert {m.module for m in everything} == {"gemm", "attention", "_scores", "communication"}
    assert len({m.words for m in everything}) == len(everything) > 800


def test_a_mistake_changes_one_function_and_leaves_the_ledger_alone(
    everything: list[Mutant],
) -> None:
    before = ops.gemm(3, 5, 7).flops
    changed = run(pick(everything, "gemm.gemm: 2 becomes 4"))
    assert changed.gemm(3, 5, 7).flops == 2 * before
    assert changed.grouped_gemm(3, 5, 7, 2).flops == ops.grouped_gemm(3, 5, 7, 2).flops
    assert ops.gemm(3, 5, 7).flops == before


def test_a_mistake_in_what_attention_shares_reaches_attention(everything: list[Mutant]) -> None:
    words = "_scores.queries: self.heads * seq * self.head_dim * dtype.bytes: dtype.bytes left out"
    changed = run(pick(everything, words))
    right, wrong = (o.attention_prefill(8, 64, 100).bytes_of("Q") for o in (ops, changed))
    assert (right, wrong) == (102400, 51200)
    assert changed.gemm is ops.gemm


def test_a_mistake_is_tried_on_what_it_may_change_only() -> None:
    assert affected("gemm") >= {"gemm", "gemm_backward"}
    assert "attention_prefill" in affected("_scores")
    assert "gemm" not in affected("_scores")


@pytest.mark.parametrize(
    ("words", "checks"),
    [
        ("gemm.gemm: 2 becomes 4", {"counter NVIDIA", "measured gemm", "published tables"}),
        ("gemm.gemm: term left out: read('B', k * n * dtype.bytes)", {"measured gemm"}),
        ("_scores.keys: kv_heads becomes heads", {"counter NVIDIA"}),
        ("_scores.visible_scores: 2 becomes 4 (2)", {"counter NVIDIA", "measured prefill"}),
        ("attention.attention_decode: 4 becomes 8", {"counter TileOPs"}),
        ("attention.attention_backward: 10 becomes 11", {"counter torch", "counter TileOPs"}),
        ("communication._one_round: ranks becomes elements", set()),
    ],
)
def test_a_wrong_coefficient_is_caught_from_outside(
    everything: list[Mutant], prepared: Outside, words: str, checks: set[str]
) -> None:
    found = [m for m in everything if m.words == words]
    if not checks:
        assert found == []  # sizes of different kinds are not taken for each other
        return
    assert caught(prepared, found[0]) >= checks


def test_the_ring_of_an_all_reduce_is_caught_by_measured_times(
    everything: list[Mutant], prepared: Outside
) -> None:
    ring = [m for m in everything if m.function == "all_reduce" and "2 becomes" in m.change]
    assert ring
    for mutant in ring:
        assert caught(prepared, mutant) >= {"NCCL", "counter NVIDIA"}


def test_most_mistakes_are_caught(everything: list[Mutant], prepared: Outside) -> None:
    outcomes = try_all(prepared, everything[::37])
    caught_ones = [outcome for outcome in outcomes if outcome.caught_by]
    assert len(caught_ones) > 0.75 * len(outcomes)
    assert not any(outcome.seen for outcome in outcomes if not outcome.caught_by)


def test_the_record_adds_up() -> None:
    known = recorded()["mutants"]
    assert known["caught"] + len(known["frontier"]) == known["mutants"] > 800
    assert len(set(known["frontier"])) == len(known["frontier"])


def test_what_the_frontier_holds_has_no_outside_figure() -> None:
    frontier = recorded()["mutants"]["frontier"]
    functions = Counter(words.partition(":")[0].partition(".")[2] for words in frontier)
    assert "gemm" not in functions
    assert "_one_round" not in functions
    assert functions["keys_read_by_blocks"] > 20


def test_the_ledger_itself_passes_every_outside_check(prepared: Outside) -> None:
    from bookcode.reality.bounds import beats
    from bookcode.reality.operators import LEDGER

    assert all(not comparison.left(LEDGER) for comparison in prepared.comparisons)
    assert all(row.problem(LEDGER) is None for row in prepared.published)
    assert all(not beats(reference.share).any() for reference in prepared.references)


def test_a_summary_counts_what_one_check_alone_catches(everything: list[Mutant]) -> None:
    outcomes = [
        Outcome(everything[0], ("measured gemm: beaten", "measured gemm: out of reach"), True),
        Outcome(everything[1], ("counter torch", "published tables"), True),
        Outcome(everything[2], (), True),
        Outcome(everything[3], (), False),
    ]
    found = summary(outcomes)
    assert (found["mutants"], found["caught"]) == (4, 2)
    assert found["caught by one kind of check alone"] == {"measured gemm": 1}
    assert len(found["tolerated"]) == len(found["not looked at"]) == 1
