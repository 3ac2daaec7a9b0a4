"""Attention: masks counted score by score, re-reads block by block, and the caches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import LedgerError, ops
from bookcode.ledger.ops._scores import SCORE_PASSES, keys_read_by_blocks, visible_scores

SIZES = st.integers(1, 40)


def brute_scores(seq: int, keys: int, causal: bool, window: int | None) -> int:
    """Count the scores that a mask leaves, aligned at the last query and the last key."""
    seen = 0
    for query in range(seq):
        last = keys - seq + query
        for key in range(keys):
            inside = window is None or key > last - window
            seen += not causal or (key <= last and inside)
    return seen


@given(seq=SIZES, keys=SIZES)
def test_the_causal_triangle_is_exact_for_any_lengths(seq: int, keys: int) -> None:
    counted = visible_scores(Fraction(seq), Fraction(keys), causal=True)
    assert counted == brute_scores(seq, keys, True, None)


@given(seq=SIZES, keys=SIZES, window=SIZES)
def test_the_window_is_exact_for_any_lengths(seq: int, keys: int, window: int) -> None:
    counted = visible_scores(Fraction(seq), Fraction(keys), causal=True, window=Fraction(window))
    assert counted == brute_scores(seq, keys, True, window)


@given(seq=SIZES, window=SIZES)
def test_a_prompt_of_its_own_needs_no_key_length(seq: int, window: int) -> None:
    size = Fraction(seq)
    assert visible_scores(size, None, causal=False) == visible_scores(size, size, causal=False)
    assert visible_scores(size, None, causal=True) == visible_scores(size, size, causal=True)
    assert visible_scores(size, None, causal=True, window=Fraction(window)) == brute_scores(
        seq, seq, True, window
    )


@given(seq=SIZES, more=st.integers(0, 40), block=SIZES, causal=st.booleans())
def test_keys_read_by_query_blocks(seq: int, more: int, block: int, causal: bool) -> None:
    keys = seq + more
    read = 0
    for first in range(0, seq, block):
        last = min(first + block, seq) - 1
        read += keys - seq + last + 1 if causal else keys
    sizes = [Fraction(n) for n in (seq, keys, block)]
    assert keys_read_by_blocks(*sizes, causal=causal) == read


@given(seq=SIZES, heads=st.sampled_from([4, 8]), kv_heads=st.sampled_from([1, 2, 4]))
def test_variants_are_ordered(seq: int, heads: int, kv_heads: int) -> None:
    costs = {
        variant: ops.attention_prefill(heads, 16, seq, kv_heads=kv_heads, variant=variant)
        for variant in SCORE_PASSES
    }
    assert (
        costs["flash"].bytes
        < costs["materialized-2"].bytes
        < costs["materialized-4"].bytes
        < costs["materialized-6"].bytes
    )
    assert len({cost.flops for cost in costs.values()}) == 1


@given(seq=SIZES, keys=SIZES)
def test_causal_is_at_most_full_and_only_for_kernels_that_skip(seq: int, keys: int) -> None:
    full = ops.attention_prefill(2, 8, seq, keys=keys)
    assert ops.attention_prefill(2, 8, seq, keys=keys, causal=True).flops <= full.flops
    assert (
        ops.attention_prefill(2, 8, seq, causal=True).bytes
        == ops.attention_prefill(2, 8, seq).bytes
    )
    kept = ops.attention_prefill(2, 8, seq, variant="materialized-6", causal=True)
    assert kept == ops.attention_prefill(2, 8, seq, variant="materialized-6")


@given(keys=SIZES)
def test_gqa_lies_between_mqa_and_mha(keys: int) -> None:
    moved = [ops.attention_decode(32, 128, keys, kv_heads=n).bytes for n in (1, 8, 32)]
    assert moved[0] < moved[1] < moved[2]
    prefill = [ops.attention_prefill(32, 128, keys, kv_heads=n) for n in (1, 8, 32)]
    assert prefill[0].bytes < prefill[1].bytes < prefill[2].bytes
    assert prefill[0].flops == prefill[2].flops


@given(seq=SIZES, block=SIZES, causal=st.booleans())
def test_flash_without_rereads_moves_least(seq: int, block: int, causal: bool) -> None:
    once = ops.attention_prefill(4, 16, seq, causal=causal)
    again = ops.attention_prefill(4, 16, seq, causal=causal, query_block=block)
    assert once.bytes <= again.bytes
    assert once.flops == again.flops


@given(seq=SIZES, window=SIZES)
def test_a_window_does_at_most_the_triangle(seq: int, window: int) -> None:
    whole = ops.attention_prefill(2, 8, seq, causal=True)
    part = ops.attention_prefill(2, 8, seq, causal=True, window=window)
    assert part.flops <= whole.flops
    assert part.bytes == whole.bytes  # every key is seen by some query
    if window >= seq:
        assert part.flops == whole.flops


def test_keys_out_of_every_window_are_not_read() -> None:
    cost = ops.attention_prefill(1, 8, 4, keys=100, causal=True, window=16)
    assert cost.bytes_of("K") == (4 + 16 - 1) * 8 * 2


def test_query_blocks_of_128_read_three_times_less_than_materialized() -> None:
    blocks = ops.attention_prefill(32, 128, 4096, query_block=128)
    assert blocks.bytes_of("K", "V") == 2 * 32 * 32 * 4096 * 128 * 2
    assert round(blocks.bytes / 10**9, 2) == Fraction("2.21")
    six = ops.attention_prefill(32, 128, 4096, variant="materialized-6")
    assert round(six.bytes / blocks.bytes, 1) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"window": 8}, "causal=True"),
        ({"query_block": 8, "variant": "materialized-4"}, "query blocks are for flash"),
        ({"query_block": 8, "window": 8, "causal": True}, "query blocks are for flash"),
        ({"query_block": 8, "keys": 8}, "as many keys as queries, not 8 for 16"),
    ],
)
def test_combinations_without_a_meaning(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(LedgerError, match=message):
        ops.attention_prefill(2, 8, 16, **arguments)


@pytest.mark.parametrize(
    ("heads", "kv_heads", "intensity"),
    [(32, 32, "1.01"), (32, 8, "4.04"), (64, 8, "8.08"), (32, 1, "32.3")],
)
def test_decode_intensity_is_about_the_query_heads_per_kv_head(
    heads: int, kv_heads: int, intensity: str
) -> None:
    cost = ops.attention_decode(heads, 128, 32768, kv_heads=kv_heads)
    over_the_cache = cost.flops / cost.bytes_of("K cache", "V cache")
    assert float(over_the_cache) == pytest.approx(float(intensity), abs=0.05)


def test_decode_options() -> None:
    plain = ops.attention_decode(32, 128, 1000, kv_heads=8)
    small: Any = "fp8"
    assert ops.attention_decode(32, 128, 1000, kv_heads=8, cache=small).bytes_of("K cache") * 2 == (
        plain.bytes_of("K cache")
    )
    paged = ops.attention_decode(32, 128, 1000, kv_heads=8, page=64)
    assert paged.bytes - plain.bytes == paged.bytes_of("block table") == 16 * 4
    window = ops.attention_decode(32, 128, 1000, kv_heads=8, window=250)
    assert window.flops * 4 == plain.flops
    assert ops.attention_decode(32, 128, 100, window=250) == ops.attention_decode(32, 128, 100)
    six = ops.attention_decode(32, 128, 1000, kv_heads=8, variant="materialized-6")
    assert six.bytes - plain.bytes == 6 * 32 * 1000 * 2


def test_backward_is_five_products_or_four() -> None:
    forward = 4 * 32 * 4096**2 * 128
    work = {w.what: w.flops for w in ops.attention_backward(32, 128, 4096).work}
    assert work["five products"] == Fraction(5, 2) * forward
    saved = ops.attention_backward(32, 128, 4096, rule="saved")
    assert {w.what: w.flops for w in saved.work}["four products"] == 2 * forward
    assert saved.bytes_of("P") == 32 * 4096**2 * 2


def test_backward_skips_masked_scores_only_if_it_computes_them_anew() -> None:
    full, half = (ops.attention_backward(4, 64, 999, causal=c).work[0].flops for c in (False, True))
    assert half / full == Fraction(1000, 2 * 999)
    saved = [ops.attention_backward(4, 64, 999, causal=c, rule="saved") for c in (False, True)]
    assert saved[0] == saved[1]


def test_kv_append_moves_each_element_in_and_out() -> None:
    cost = ops.kv_append(8, 128, 1)
    assert cost.bytes == 2 * (2 * 8 * 128 * 2) + 8
    assert cost.work == ()
