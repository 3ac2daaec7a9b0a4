"""Models: each size is its fact, and the parts add up."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from bookcode.ledger import MODELS, LedgerError, UnknownNameError
from bookcode.ledger.latent_models import LATENT_MODELS, LatentModel
from bookcode.ledger.models import Model, _shape

FACTS = tomllib.loads((Path(__file__).parents[2] / "references" / "facts.toml").read_text("utf-8"))[
    "facts"
]
EVERY: list[Model | LatentModel] = [*MODELS.values(), *LATENT_MODELS.values()]
by_name = pytest.mark.parametrize("model", EVERY, ids=lambda model: model.name)


@by_name
def test_every_size_is_its_fact(model: Model | LatentModel) -> None:
    assert len(model.facts) >= 6
    for name, key in model.facts.items():
        assert getattr(model, name) == Fraction(FACTS[key]["value"]), name


@by_name
def test_parts_add_up(model: Model | LatentModel) -> None:
    assert sum(model.parts().values()) == model.counted_parameters
    assert all(isinstance(part, Fraction) and part > 0 for part in model.parts().values())


def test_the_parts_of_the_8b_shape() -> None:
    model = MODELS["8b-class"]
    assert model.linear_parameters == 6_979_321_856
    assert model.vocabulary_parameters == 525_336_576
    assert model.norm_parameters == 266_240
    assert model.counted_parameters == 8_030_261_248
    assert model.parameters == 8_030_000_000


def test_the_8b_class_has_the_shape_of_llama_3_8b() -> None:
    book, published = MODELS["8b-class"], MODELS["llama-3-8b"]
    for name in ("layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab"):
        assert getattr(book, name) == getattr(published, name)


def test_a_latent_cache_is_smaller_than_its_heads_would_be() -> None:
    model = LATENT_MODELS["deepseek-v3"]
    assert model.cached_elements == 61 * 576
    per_head = 2 * model.layers * model.heads * model.value_dim
    assert per_head / model.cached_elements > 50


def test_active_parameters_are_a_small_part() -> None:
    model = LATENT_MODELS["deepseek-v3"]
    idle = model.counted_parameters - model.active_parameters
    assert idle == 58 * 248 * 3 * 7168 * 2048


def test_unknown_models_name_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'llama-3-70b'"):
        MODELS["llama-70b"]
    with pytest.raises(UnknownNameError, match="did you mean 'deepseek-v3'"):
        LATENT_MODELS["deepseek"]


def test_a_shape_of_zero_is_refused() -> None:
    sizes = {"layers": 0, "hidden": 64, "ffn": 64, "heads": 4, "kv_heads": 4, "vocab": 10}
    with pytest.raises(LedgerError, match="x: layers = 0 must be positive"):
        _shape("x", "X", "x", **sizes)
