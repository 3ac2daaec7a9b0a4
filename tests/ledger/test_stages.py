"""Stages of a model: shares by medium, batches, heads, ZeRO, overlap, checkpointing, requests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, MACHINES, MODELS, LedgerError, Step, UnknownNameError, stages
from bookcode.ledger.latent_layers import latent_decode_operators, latent_prefill_operators
from bookcode.ledger.latent_models import LATENT_MODELS
from bookcode.ledger.layers import decode_operators, prefill_operators

MODEL = MODELS["8b-class"]
DEEPSEEK = LATENT_MODELS["deepseek-v3"]
H200, BF16 = MACHINES["h200"], DTYPES["bf16"]
STAGES = ("forward", "backward", "optimizer", "communication")
LENGTHS = st.integers(1, 10**5)


def step(seq: int = 4096, ranks: int = 8, link: Any = "nvlink", **changed: Any) -> Step:
    return stages.training_step(seq, ranks, model=MODEL, machine=H200, link=link, **changed)


# --- training --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seq", "link", "shares"),
    [
        (4096, "nvlink", "23.8 47.6 12.2 16.4"),
        (4096, "nic", "10.3 20.6 5.3 63.9"),
        (512, "nvlink", "7.2 14.4 33.4 45.0"),
    ],
)
def test_shares_with_the_right_medium(seq: int, link: str, shares: str) -> None:
    timed = step(seq, link=link)
    for stage, printed in zip(STAGES, shares.split(), strict=True):
        share = 100 * getattr(timed, stage).expected / timed.expected
        assert abs(share - Fraction(printed)) <= Fraction("0.05"), stage


@given(seq=LENGTHS)
def test_bound_is_at_most_expected(seq: int) -> None:
    timed = step(seq)
    assert timed.bound <= timed.expected
    for stage in STAGES:
        assert getattr(timed, stage).bound <= getattr(timed, stage).expected


@given(seq=st.integers(1, 10**4))
def test_optimizer_and_communication_do_not_depend_on_the_length(seq: int) -> None:
    short, long = step(seq), step(2 * seq)
    assert short.optimizer.expected == long.optimizer.expected
    assert short.communication.expected == long.communication.expected
    assert short.forward.expected < long.forward.expected


def test_overlap_hides_the_shorter_of_backward_and_communication() -> None:
    apart, beside = step(), step(overlap="backward")
    assert apart.expected - beside.expected == min(
        apart.backward.expected, apart.communication.expected
    )
    assert beside.bound < apart.bound


def test_checkpointing_runs_the_forward_again() -> None:
    plain, again = step(), step(checkpointing=True)
    assert again.backward.flops == plain.backward.flops + plain.forward.flops
    assert again.backward.bytes == plain.backward.bytes + plain.forward.bytes


@pytest.mark.parametrize(("zero", "rounds"), [("none", 2), ("1", 2), ("2", 2), ("3", 3)])
def test_zero_sends_two_or_three_rounds_and_shards_the_update(zero: Any, rounds: int) -> None:
    timed = step(zero=zero)
    assert timed.communication.bytes == rounds * Fraction(7, 8) * MODEL.parameters * 2
    share = 1 if zero == "none" else 8
    assert timed.optimizer.bytes * share == 26 * MODEL.parameters


@pytest.mark.parametrize("option", [{"over": "hbm"}, {"algorithm": "in-switch"}])
def test_zero_has_one_way_of_sending(option: dict[str, Any]) -> None:
    with pytest.raises(LedgerError, match="in a ring"):
        step(zero="2", **option)


def test_other_parameters_and_the_switch() -> None:
    large = step(ranks=64, parameters=70 * 10**9)
    assert large.communication.bytes == Fraction(2 * 63, 64) * 70 * 10**9 * 2
    assert large.optimizer.bytes == 26 * 70 * 10**9
    assert step(algorithm="in-switch").communication.bytes == MODEL.parameters * 2


@pytest.mark.parametrize(
    ("argument", "nearest"),
    [("zero", "none"), ("overlap", "backward"), ("head", "last"), ("algorithm", "ring")],
)
def test_unknown_options_name_the_nearest(argument: str, nearest: str) -> None:
    wrong: dict[str, Any] = {argument: nearest[:-1] + "x"}
    with pytest.raises(UnknownNameError, match=f"did you mean .*'{nearest}'"):
        step(**wrong)


@given(seq=LENGTHS, batch=st.integers(1, 64))
def test_a_batch_reads_the_weights_once(seq: int, batch: int) -> None:
    one = stages.forward(seq, model=MODEL)
    many = stages.forward(seq, model=MODEL, batch=batch)
    assert many.flops == batch * one.flops
    assert many.bytes_of("weights") == one.bytes_of("weights")
    assert many.bytes - many.bytes_of("weights") == batch * (one.bytes - one.bytes_of("weights"))
    back = stages.backward(seq, model=MODEL, batch=batch, attention="flash")
    assert back.flops == batch * stages.backward(seq, model=MODEL, attention="flash").flops


def test_the_lm_head() -> None:
    bare, last, every = (
        stages.forward(4096, model=MODEL, head=head) for head in ("none", "last", "all")
    )
    assert round((every.flops - bare.flops) / 10**12, 2) == Fraction("4.30")
    assert round(100 * (every.flops - bare.flops) / bare.flops, 1) == Fraction("6.5")
    assert round((every.bytes - bare.bytes) / 10**9, 2) == Fraction("1.05")
    assert last.flops - bare.flops == 2 * MODEL.vocabulary_parameters
    assert last.bytes == every.bytes


@given(seq=LENGTHS)
def test_the_model_is_causal_or_not(seq: int) -> None:
    full, half = (stages.forward(seq, model=MODEL, causal=c) for c in (False, True))
    assert half.flops <= full.flops
    attention = {w.what: w.flops for w in half.work}["products and softmax"]
    whole = {w.what: w.flops for w in full.work}["products and softmax"]
    assert attention / whole == Fraction(seq + 1, 2 * seq)


# --- inference -------------------------------------------------------------------------------


@given(keys=LENGTHS, batch=st.integers(1, 64))
def test_decoding_a_batch(keys: int, batch: int) -> None:
    one, many = stages.decode(keys, model=MODEL), stages.decode(keys, model=MODEL, batch=batch)
    assert many.flops == batch * one.flops
    assert many.bytes_of("weights") == one.bytes_of("weights")
    assert many.bytes_of("KV cache") == batch * one.bytes_of("KV cache")
    half = stages.decode(keys, model=MODEL, cache=DTYPES["fp8"])
    assert 2 * half.bytes_of("KV cache") == one.bytes_of("KV cache")


@given(seq=st.integers(1, 200), new=st.integers(1, 30))
def test_generation_is_the_sum_of_its_steps(seq: int, new: int) -> None:
    whole = stages.generation(seq, new, model=MODEL)
    steps = [stages.decode(seq + i, model=MODEL) for i in range(1, new + 1)]
    assert whole.bytes == sum(s.bytes for s in steps)
    assert whole.flops == sum(s.flops for s in steps)


def test_forward_and_decoded_token_move_as_many_bytes_by_coincidence() -> None:
    forward = stages.forward(4096, model=MODEL)
    activations = forward.bytes - forward.bytes_of("weights")
    assert activations == stages.decode(4096, model=MODEL).bytes == 14_495_514_624


# --- operator by operator --------------------------------------------------------------------


def test_the_sum_over_operators() -> None:
    summed = prefill_operators(4096, model=MODEL)
    weights = MODEL.linear_parameters * 2
    per_token_and_layer = (summed.bytes - weights) / (4096 * 32 * 2)
    assert per_token_and_layer == 174_080
    assert round(summed.bytes / 10**9, 1) == Fraction("59.6")
    assert round(summed.on(H200, BF16).expected * 1000, 1) == Fraction("96.1")
    matrices = stages.forward(4096, model=MODEL).flops
    assert round(matrices / summed.bytes) == 1108


@given(seq=LENGTHS)
def test_the_sum_over_operators_is_at_least_the_streams(seq: int) -> None:
    streams, summed = stages.forward(seq, model=MODEL), prefill_operators(seq, model=MODEL)
    assert summed.bytes >= streams.bytes
    assert summed.flops >= streams.flops
    timed = summed.on(H200, BF16)
    assert timed.bound <= timed.expected


def test_shares_of_a_program_add_up() -> None:
    timed = prefill_operators(4096, model=MODEL, head="all").on(H200, BF16)
    names = dict.fromkeys(name for name, _ in timed.calls)
    assert sum(timed.share(name) for name in names) == 1
    assert timed.share("no such call") == 0


@pytest.mark.parametrize("head", ["none", "last", "all"])
@pytest.mark.parametrize("batch", [None, 4])
def test_programs_of_both_kinds_of_model(head: Any, batch: int | None) -> None:
    options: dict[str, Any] = {"head": head, "batch": batch}
    for program in (
        prefill_operators(256, model=MODEL, causal=True, **options),
        decode_operators(256, model=MODEL, cache=DTYPES["fp8"], **options),
        latent_prefill_operators(256, model=DEEPSEEK, causal=True, **options),
        latent_decode_operators(256, model=DEEPSEEK, cache=DTYPES["fp8"], **options),
    ):
        names = [call.name for call in program.calls]
        assert ("lm_head" in names) == (head != "none")
        assert program.bytes == sum(call.cost.bytes for call in program.calls)
        assert isinstance(program.flops, Fraction)
        logits = program.bytes_of("lm_head")
        assert (logits > 0) == (head != "none")


def test_decode_of_the_latent_model_reads_the_active_experts_only() -> None:
    one = latent_decode_operators(4096, model=DEEPSEEK)
    experts = 58 * 8 * 3 * 7168 * 2048 * 2
    assert experts < one.bytes_of("experts") < experts * 1.001
    many = latent_decode_operators(4096, model=DEEPSEEK, batch=256)
    assert many.bytes_of("experts") > 30 * one.bytes_of("experts")


def test_latent_attention_is_compute_bound_where_grouped_queries_are_not() -> None:
    def regime(program: Any) -> str:
        calls = dict(program.on(H200, BF16).calls)
        return str(calls["attention"].regime)

    assert regime(latent_decode_operators(32768, model=DEEPSEEK)) == "compute"
    assert regime(decode_operators(32768, model=MODEL)) == "memory"
