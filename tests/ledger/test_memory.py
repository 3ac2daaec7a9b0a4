"""Does it fit? State per parameter, activations, caches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, MACHINES, MODELS, MissingFactError, UnknownNameError
from bookcode.ledger.latent_models import LATENT_MODELS
from bookcode.ledger.memory import (
    activations,
    cache_per_token,
    fits,
    inference_memory,
    latent_inference_memory,
    training_state,
)

MODEL = MODELS["8b-class"]


def test_state_of_the_8b_class() -> None:
    held = training_state(8_030_000_000)
    assert held.total == 16 * 8_030_000_000
    assert round(held.total / 10**9) == 128
    assert round((held.gradient + held.state) / 10**9) == 112


@pytest.mark.parametrize(
    ("zero", "per_parameter"),
    [("none", "16"), ("1", "5.5"), ("2", "3.75"), ("3", "2")],
)
def test_zero_divides_state_then_gradient_then_weights(zero: Any, per_parameter: str) -> None:
    assert training_state(1000, zero=zero, ranks=8).total == 1000 * Fraction(per_parameter)


def test_wrong_stages() -> None:
    wrong: Any = "4"
    with pytest.raises(UnknownNameError, match="ZeRO stage '4'"):
        training_state(1000, zero=wrong)
    with pytest.raises(UnknownNameError, match="ranks="):
        training_state(1000, zero="2")


@given(seq=st.integers(1, 10**5), batch=st.integers(1, 16))
def test_checkpointing_keeps_less_and_logits_the_same(seq: int, batch: int) -> None:
    plain = activations(seq, model=MODEL, batch=batch)
    again = activations(seq, model=MODEL, batch=batch, checkpointing=True)
    assert again.total < plain.total
    assert again.logits == plain.logits == batch * seq * MODEL.vocab * 2
    assert plain.total == batch * activations(seq, model=MODEL).total


def test_activations_are_counted_by_tensor() -> None:
    kept = 4 * 4096 + (2 * 32 + 2 * 8) * 128 + 3 * 14336
    assert activations(1, model=MODEL).layers == 32 * (kept * 2 + 32 * 4)
    assert activations(1, model=MODEL).working is None
    again = activations(1, model=MODEL, checkpointing=True)
    assert again.layers == 32 * 4096 * 2
    assert again.working == kept * 2 + 32 * 4


def test_inference_holds_weights_and_caches() -> None:
    held = inference_memory(4096, model=MODEL, batch=16, cache=DTYPES["fp8"])
    assert held.weights == 8_030_261_248 * 2
    assert held.cache == 16 * 4096 * cache_per_token(model=MODEL, dtype=DTYPES["fp8"])
    assert held.total == held.weights + held.cache
    deepseek = latent_inference_memory(4096, model=LATENT_MODELS["deepseek-v3"])
    assert deepseek.cache == 4096 * 61 * 576 * 2


def test_fits() -> None:
    h100, h200 = MACHINES["h100"], MACHINES["h200"]
    state = training_state(8_030_000_000).total
    assert not fits(state, h100)
    assert fits(state, h200)
    assert fits(h100.capacity("hbm"), h100)
    with pytest.raises(MissingFactError, match="a capacity of h20-3e named 'hbm'"):
        fits(state, MACHINES["h20-3e"])
