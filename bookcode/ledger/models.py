"""Transformer shapes and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bookcode.ledger.protocol import Number, measured, named
from bookcode.ledger.symbols import quantity
from bookcode.ledger.tables import TABLES, Table


@dataclass(frozen=True)
class Model:
    """The shape of a decoder with grouped-query attention and a gated MLP.

    Attributes:
        layers, hidden, ffn, heads, kv_heads, head_dim: the shape.
        parameters: parameters that the optimizer and the all-reduce see, as published.
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


def _shape(name: str, title: str, **sizes: int) -> Model:
    return Model(name, title, **{field: Fraction(size) for field, size in sizes.items()})


MODELS: Table[Model] = Table(
    "model",
    [
        _shape(
            "8b-class",
            "8B-class decoder",
            layers=32,
            hidden=4096,
            ffn=14336,
            heads=32,
            kv_heads=8,
            head_dim=128,
            parameters=8_030_000_000,
        )
    ],
)
TABLES[Model] = MODELS
