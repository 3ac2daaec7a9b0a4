"""Other people's counters: every difference explained exactly, and an unexplained one noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from bookcode.reality.counters import COUNTERS, Comparison, Difference
from bookcode.reality.operators import LEDGER
from bookcode.sources.members import Members


@pytest.fixture(scope="module")
def comparisons(artifacts: dict[str, Members]) -> list[Comparison]:
    return [one for name, members in artifacts.items() for one in COUNTERS[name][1](members)]


def test_nothing_is_left_unexplained(comparisons: list[Comparison]) -> None:
    assert [(c.place, c.inputs) for c in comparisons if c.left(LEDGER) != 0] == []


def test_every_counter_is_compared_on_many_inputs(comparisons: list[Comparison]) -> None:
    found = Counter(one.counter for one in comparisons)
    assert set(found) == {"NVIDIA", "TileOPs", "torch"}
    assert min(found.values()) >= 12
    assert {one.operator for one in comparisons} >= {
        *("gemm", "gemm_backward", "gemm_block_scaled", "grouped_gemm", "gemm_ridge_edge"),
        *("attention_prefill", "attention_decode", "attention_backward", "kv_append"),
        *("all_reduce", "all_gather", "reduce_scatter", "all_to_all"),
    }


def test_a_difference_of_one_flop_is_noticed(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        assert replace(one, theirs=one.theirs + 1).left(LEDGER) == -1
        more = (*one.differences, Difference("another reason", Fraction(1)))
        assert replace(one, differences=more).left(LEDGER) == -1


def test_differences_are_never_empty_words(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        assert all(d.amount != 0 and len(d.why) > 10 for d in one.differences)


def test_figures_are_exact_and_positive(comparisons: list[Comparison]) -> None:
    for one in comparisons:
        assert isinstance(one.theirs, (int, Fraction))
        assert one.theirs > 0


def test_known_figures_come_out(comparisons: list[Comparison]) -> None:
    torch = {(c.operator, c.inputs): c for c in comparisons if c.counter == "torch"}
    one = torch["gemm", "m = 4096, n = 4096, k = 4096"]
    assert one.theirs == 2 * 4096**3
    layernorm = [c for c in comparisons if c.operator == "layernorm"]
    assert [c.theirs for c in layernorm] == [7 * 2048 * 4096]
    assert [c.ledger(LEDGER) for c in layernorm] == [8 * 2048 * 4096]
