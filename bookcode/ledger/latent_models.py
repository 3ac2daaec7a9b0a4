"""A shape with latent attention and experts: DeepSeek-V3 (facts ``deepseek-v3.*``).

Sizes without a fact of their own (widths of the MLPs, dense layers, shared expert, vocabulary) are
those of the same published configuration. The extra layer that predicts a second token is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from bookcode.ledger.operator import check_row
from bookcode.ledger.protocol import Number, measured
from bookcode.ledger.symbols import quantity
from bookcode.ledger.tables import TABLES, Table


@dataclass(frozen=True)
class LatentModel:
    """The shape of a decoder with latent attention; its last layers have experts.

    Attributes:
        layers, dense_layers: all layers, and the first ones, which have a plain gated MLP.
        hidden, ffn, expert_ffn: hidden size, widths of the plain MLP and of an expert.
        experts, shared_experts, active: routed experts, experts that see every token, and routed
            experts that work on one token.
        heads, nope_dim, rope_dim, value_dim: query heads and the parts of a head.
        latent, query_latent: compressed keys and values, compressed queries.
        vocab: entries of the vocabulary.
        facts: the fact key behind each size, by field name.
    """

    name: str
    title: str
    layers: Number = quantity("L", "1", "layers")
    dense_layers: Number = quantity(r"L_{\mathrm{d}}", "1", "layers with a plain MLP")
    hidden: Number = quantity("h", "1", "hidden size")
    ffn: Number = quantity("f", "1", "width of the plain MLP")
    expert_ffn: Number = quantity(r"f_{\mathrm{e}}", "1", "width of an expert")
    experts: Number = quantity("E", "1", "experts of a layer")
    shared_experts: Number = quantity(r"E_{\mathrm{s}}", "1", "experts that see every token")
    active: Number = quantity(r"E_{\mathrm{a}}", "1", "experts that work on one token")
    heads: Number = quantity("H", "1", "query heads")
    nope_dim: Number = quantity(r"d_{\mathrm{n}}", "1", "elements of a head's key without rotation")
    rope_dim: Number = quantity(r"d_{\mathrm{r}}", "1", "elements of a rotary key, shared by heads")
    value_dim: Number = quantity(r"d_{\mathrm{v}}", "1", "elements of a head's value")
    latent: Number = quantity(r"d_{\mathrm{c}}", "1", "elements of the compressed keys and values")
    query_latent: Number = quantity(r"d_{\mathrm{q}}", "1", "elements of the compressed queries")
    vocab: Number = quantity("V", "1", "entries of the vocabulary")
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def attention_weights(self) -> Number:
        """Elements of one layer's attention matrices: queries down and up, keys and values down
        and up, output."""
        return (
            self.hidden * self.query_latent
            + self.query_latent * self.heads * (self.nope_dim + self.rope_dim)
            + self.hidden * (self.latent + self.rope_dim)
            + self.latent * self.heads * (self.nope_dim + self.value_dim)
            + self.heads * self.value_dim * self.hidden
        )

    @property
    def expert_weights(self) -> Number:
        """Elements of one expert: gate, up, down."""
        return 3 * self.hidden * self.expert_ffn

    @property
    def cached_elements(self) -> Number:
        """Elements that the cache keeps of one token, over all layers: latent and rotary key."""
        return self.layers * (self.latent + self.rope_dim)

    def parts(self) -> dict[str, Number]:
        """Parameters by part: matrices, routers with their bias, norms."""
        sparse = self.layers - self.dense_layers
        norms = 2 * self.hidden + self.query_latent + self.latent
        return {
            "attention": self.layers * self.attention_weights,
            "plain MLP": self.dense_layers * (3 * self.hidden * self.ffn),
            "routed experts": sparse * (self.experts * self.expert_weights),
            "shared experts": sparse * (self.shared_experts * self.expert_weights),
            "routers": sparse * (self.hidden * self.experts + self.experts),
            "norms": self.layers * norms + self.hidden,
            "embedding": self.vocab * self.hidden,
            "lm_head": self.vocab * self.hidden,
        }

    @property
    def counted_parameters(self) -> Number:
        """All parameters, counted."""
        first, *rest = self.parts().values()
        for part in rest:
            first = first + part
        return measured(first, "parameters")

    @property
    def parameters(self) -> Number:
        """Parameters that an optimizer would see: all that are counted."""
        return self.counted_parameters

    @property
    def active_parameters(self) -> Number:
        """Parameters that work on one token: all but the experts it is not sent to."""
        sparse = self.layers - self.dense_layers
        idle = sparse * ((self.experts - self.active) * self.expert_weights)
        return self.counted_parameters - measured(idle, "parameters")


DEEPSEEK_FACTS = {
    "hidden": "hidden",
    "heads": "heads",
    "latent": "kv-lora-rank",
    "query_latent": "q-lora-rank",
    "nope_dim": "nope-dim",
    "rope_dim": "rope-dim",
    "value_dim": "v-dim",
    "layers": "layers",
    "experts": "experts",
    "active": "experts-per-token",
}


def _deepseek_v3() -> LatentModel:
    sizes = {
        "layers": 61,
        "dense_layers": 3,
        "hidden": 7168,
        "ffn": 18432,
        "expert_ffn": 2048,
        "experts": 256,
        "shared_experts": 1,
        "active": 8,
        "heads": 128,
        "nope_dim": 128,
        "rope_dim": 64,
        "value_dim": 128,
        "latent": 512,
        "query_latent": 1536,
        "vocab": 129280,
    }
    exact = {name: Fraction(size) for name, size in sizes.items()}
    facts = {name: f"deepseek-v3.{fact}" for name, fact in DEEPSEEK_FACTS.items()}
    model = LatentModel("deepseek-v3", "DeepSeek-V3", **exact, facts=facts)
    check_row(model)
    return model


LATENT_MODELS: Table[LatentModel] = Table("model with latent attention", [_deepseek_v3()])
TABLES[LatentModel] = LATENT_MODELS
