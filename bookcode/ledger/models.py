"""Transformer shapes, their parameters by part, and what they keep of each token.

Two kinds: :class:`Model`, a decoder with grouped-query attention and a gated MLP, and
:class:`LatentModel`, one with latent attention and experts (:mod:`.latent_models`). Shapes are
those of published configurations (facts ``llama-8b.*`` and so on; citations F-L8B, F-SHAPE-70B,
F-SHAPE-405B, F-SHAPE-Qwen3-8B); parameters are counted from them, except for the 8B-class model of
the book, which keeps the rounded figure that its optimizer and all-reduce see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from bookcode.ledger.operator import check_row
from bookcode.ledger.protocol import Number, measured, named
from bookcode.ledger.symbols import quantity
from bookcode.ledger.tables import TABLES, Table


@dataclass(frozen=True)
class Model:
    """The shape of a decoder with grouped-query attention and a gated MLP.

    Attributes:
        layers, hidden, ffn, heads, kv_heads, head_dim: the shape.
        parameters: parameters that the optimizer and the all-reduce see, as published.
        vocab: entries of the vocabulary; embedding and lm_head are two matrices of V x h.
        layer_norms: elements of one layer's norm weights: 2 h, and 2 d where queries and keys are
            normalized too.
        facts: the fact key behind each size, by field name.
    """

    name: str
    title: str
    layers: Number = quantity("L", "1", "layers")
    hidden: Number = quantity("h", "1", "hidden size")
    ffn: Number = quantity("f", "1", "width of the MLP")
    heads: Number = quantity("H", "1", "query heads")
    kv_heads: Number = quantity(r"H_{\mathrm{kv}}", "1", "key and value heads")
    head_dim: Number = quantity("d", "1", "elements of one head")
    parameters: Number = quantity("P", "1", "parameters of the model")
    vocab: Number = quantity("V", "1", "entries of the vocabulary")
    layer_norms: Number = quantity(r"n_{\gamma}", "1", "elements of one layer's norm weights")
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def layer_weights(self) -> Number:
        """Elements of one layer's matrices: Q, K and V, O, and gate, up, down."""
        return (
            self.hidden * self.heads * self.head_dim
            + 2 * self.hidden * self.kv_heads * self.head_dim
            + self.heads * self.head_dim * self.hidden
            + 3 * self.hidden * self.ffn
        )

    @property
    def linear_parameters(self) -> Number:
        """Elements of all layers' matrices; embedding, lm_head and norms are left out."""
        weights = self.layers * self.layer_weights
        return measured(named("W", weights, "elements of the layers' matrices"), "parameters")

    @property
    def vocabulary_parameters(self) -> Number:
        """Elements of the embedding, and as many again of the lm_head."""
        return measured(self.vocab * self.hidden, "parameters")

    @property
    def norm_parameters(self) -> Number:
        """Elements of the norms of all layers and of the last one."""
        return measured(self.layers * self.layer_norms + self.hidden, "parameters")

    @property
    def counted_parameters(self) -> Number:
        """All parameters, counted: matrices, embedding and lm_head, norms."""
        return self.linear_parameters + 2 * self.vocabulary_parameters + self.norm_parameters

    @property
    def cached_elements(self) -> Number:
        """Elements that the KV cache keeps of one token, over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim

    def parts(self) -> dict[str, Number]:
        """Parameters by part; they add up to :attr:`counted_parameters`."""
        attention = self.layer_weights - 3 * self.hidden * self.ffn
        return {
            "attention": self.layers * attention,
            "MLP": self.layers * (3 * self.hidden * self.ffn),
            "norms": self.norm_parameters,
            "embedding": self.vocabulary_parameters,
            "lm_head": self.vocabulary_parameters,
        }


def _shape(name: str, title: str, source: str, **sizes: int) -> Model:
    """A model from the sizes of its published configuration; what that leaves out follows from it.

    The head size is hidden / heads and the norms are two of the hidden size, unless given.
    """
    published = {"layers", "hidden", "ffn", "heads", "kv_heads", "vocab"}
    published |= {"head_dim"} & set(sizes)
    facts = {field: f"{source}.{field.replace('_', '-')}" for field in sorted(published)}
    given = {"head_dim": sizes["hidden"] // sizes["heads"], "layer_norms": 2 * sizes["hidden"]}
    exact = {field: Fraction(size) for field, size in {**given, "parameters": 1, **sizes}.items()}
    model = Model(name, title, **exact, facts=facts)
    if "parameters" not in sizes:
        model = replace(model, parameters=model.counted_parameters)
    check_row(model)
    return model


LLAMA_8B = {
    "layers": 32,
    "hidden": 4096,
    "ffn": 14336,
    "heads": 32,
    "kv_heads": 8,
    "vocab": 128256,
}

MODELS: Table[Model] = Table(
    "model",
    [
        _shape("8b-class", "8B-class decoder", "llama-8b", **LLAMA_8B, parameters=8_030_000_000),
        _shape("llama-3-8b", "Llama 3 8B", "llama-8b", **LLAMA_8B),
        _shape(
            "llama-3-70b",
            "Llama 3 70B",
            "llama-70b",
            layers=80,
            hidden=8192,
            ffn=28672,
            heads=64,
            kv_heads=8,
            vocab=128256,
        ),
        _shape(
            "llama-3-405b",
            "Llama 3 405B",
            "llama-405b",
            layers=126,
            hidden=16384,
            ffn=53248,
            heads=128,
            kv_heads=8,
            vocab=128256,
        ),
        _shape(
            "qwen3-8b",
            "Qwen3 8B",
            "qwen3-8b",
            layers=36,
            hidden=4096,
            ffn=12288,
            heads=32,
            kv_heads=8,
            head_dim=128,
            vocab=151936,
            layer_norms=2 * 4096 + 2 * 128,
        ),
    ],
)
TABLES[Model] = MODELS
