"""Wrong use is an error that says what is wrong and names the nearest right thing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from bookcode.ledger import (
    DTYPES,
    LINKS,
    MACHINES,
    MODELS,
    Cost,
    LedgerError,
    MissingFactError,
    Timed,
    UnknownNameError,
    ops,
    stages,
)
from bookcode.ledger.protocol import exact, log10


@pytest.mark.parametrize(
    ("table", "name", "nearest"),
    [
        (DTYPES, "fp17", "fp16"),
        (DTYPES, "float16", "bf16"),
        (MACHINES, "h200-sxm", "h200-spec"),
        (MACHINES, "h10", "h100"),
        (MODELS, "8b-clas", "8b-class"),
        (LINKS, "nvlinks", "nvlink"),
    ],
)
def test_unknown_names_name_the_nearest(table: Any, name: str, nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean .*'{nearest}'") as caught:
        table[name]
    assert (caught.value.kind, caught.value.name) == (table.kind, name)


def test_unknown_names_without_a_near_one_list_what_exists() -> None:
    with pytest.raises(UnknownNameError, match="known: nvlink, nvlink-nccl, nic"):
        LINKS["!"]


def test_choices_may_be_given_by_name_and_are_checked() -> None:
    named: Any = "bf16"
    assert ops.add(4, dtype=named) == ops.add(4, dtype=DTYPES["bf16"])
    wrong: Any = "bf61"
    with pytest.raises(UnknownNameError, match="did you mean 'bf16'"):
        ops.add(4, dtype=wrong)


@pytest.mark.parametrize("size", [0, -1, Fraction(-1, 2)])
def test_sizes_must_be_positive(size: Any) -> None:
    with pytest.raises(LedgerError, match=r"gemm: n = .* must be positive \(columns of B and of C"):
        ops.gemm(4, size, 4)


@pytest.mark.parametrize(
    "size", [0.1, 4096.5, True, "4096", float("nan"), float("inf"), None.__class__]
)
def test_sizes_must_be_exact(size: Any) -> None:
    with pytest.raises(LedgerError, match="is not an exact number"):
        ops.gemm(4, size, 4)


@pytest.mark.parametrize(("given", "lifted"), [(8e9, 8 * 10**9), (2, 2), (Fraction(1, 3),) * 2])
def test_exact_lifts_to_fractions(given: Any, lifted: Any) -> None:
    assert isinstance(exact(given), Fraction)
    assert exact(given) == lifted


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.attention_prefill(32, 128, 64, kv_heads=5),
        lambda: ops.attention_decode(32, 128, 64, kv_heads=64),
        lambda: ops.attention_backward(32, 128, 64, kv_heads=3),
    ],
)
def test_kv_heads_must_divide_the_heads(call: Callable[[], Cost]) -> None:
    with pytest.raises(LedgerError, match="query heads per KV head: 32 is not divisible by"):
        call()


@pytest.mark.parametrize(
    ("call", "nearest"),
    [
        (lambda v: ops.attention_prefill(8, 64, 64, variant=v), "flash"),
        (lambda v: ops.chain(8, 2, variant=v), "fused"),
        (lambda v: ops.layernorm(8, 8, variant=v), "fused"),
        (lambda v: ops.layernorm(8, 8, convention=v), "tileops"),
        (lambda v: ops.adamw(8, form=v), "fused"),
        (lambda v: ops.all_reduce(8, 2, over=v), "link"),
        (lambda v: stages.backward(8, model=MODELS["8b-class"], attention=v), "flash"),
    ],
)
def test_unknown_variants_name_the_nearest(call: Callable[[Any], Cost], nearest: str) -> None:
    misspelt = nearest[:-1] + "_"
    with pytest.raises(UnknownNameError, match=f"did you mean .*'{nearest}'"):
        call(misspelt)


@pytest.mark.parametrize("ranks", [1, Fraction(5, 2)])
def test_collectives_need_two_or_more_whole_ranks(ranks: Any) -> None:
    with pytest.raises(LedgerError, match="two or more whole ranks"):
        ops.all_reduce(8, ranks)


def test_a_link_must_be_named_and_exist() -> None:
    cost = ops.all_reduce(8, 2)
    with pytest.raises(LedgerError, match="say which"):
        _ = Timed(cost, MACHINES["h200"], DTYPES["bf16"]).bound
    with pytest.raises(MissingFactError, match="link of h20-3e named 'nic'"):
        _ = Timed(cost, MACHINES["h20-3e"], DTYPES["bf16"], LINKS["nic"]).bound


def test_a_peak_without_a_fact_is_an_error() -> None:
    cost = ops.gemm(8, 8, 8)
    with pytest.raises(
        MissingFactError, match="the peak of h100-prelim for 'bf16'; there is one for fp16"
    ):
        _ = Timed(cost, MACHINES["h100-prelim"], DTYPES["bf16"]).bound
    with pytest.raises(MissingFactError, match="the calibration of h200-august for 'fp64'"):
        _ = Timed(cost, MACHINES["h200-august"], DTYPES["fp64"]).expected


def test_a_partial_figure_names_existing_tensors() -> None:
    with pytest.raises(LedgerError, match="no traffic of 'K'; this cost moves"):
        ops.gemm(8, 8, 8).bytes_of("A", "K")


def test_costs_on_two_pipes_have_no_sum() -> None:
    with pytest.raises(LedgerError, match="two pipes"):
        _ = ops.gemm(8, 8, 8) + ops.add(8)


def test_log10_needs_a_positive_number_and_is_exact_for_powers_of_ten() -> None:
    assert log10(Fraction(1000)) == 3
    assert log10(Fraction(1, 100)) == -2
    assert float(log10(Fraction(2))) == pytest.approx(0.30102999566398120)
    with pytest.raises(LedgerError, match="not positive"):
        log10(Fraction(0))
