"""The one table of symbols: what each letter of a formula means, and its unit.

A ledger function annotates its sizes with these (``m: M``); an unannotated size cannot be
published.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, NamedTuple

from bookcode.ledger.protocol import Number


class Symbol(NamedTuple):
    """A quantity's symbol (LaTeX), its unit, and what it means."""

    latex: str
    unit: str
    meaning: str


class Subscript(NamedTuple):
    """Marks a second dtype, machine, ... of one function, so that its symbols differ: b_g, b_s."""

    latex: str


def quantity(latex: str, unit: str, meaning: str) -> Any:
    """A dataclass field that is a quantity (or a mapping of names to such quantities)."""
    return field(metadata={"symbol": Symbol(latex, unit, meaning)})


M = Annotated[Number, Symbol("M", "1", "rows of A and of C")]
N = Annotated[Number, Symbol("N", "1", "columns of B and of C")]
K = Annotated[Number, Symbol("K", "1", "columns of A, rows of B")]
Elements = Annotated[Number, Symbol("n", "1", "elements of a tensor")]
Rows = Annotated[Number, Symbol("r", "1", "rows, each normalized by itself")]
Columns = Annotated[Number, Symbol("c", "1", "elements of a row")]
Kernels = Annotated[Number, Symbol("k", "1", "elementwise operations in a chain")]
OpFlops = Annotated[Number, Symbol("w", "1", "FLOP per element of one operation")]
Seq = Annotated[Number, Symbol("S", "1", "query positions (sequence length)")]
Keys = Annotated[Number, Symbol("T", "1", "key and value positions (length of the KV cache)")]
Heads = Annotated[Number, Symbol("H", "1", "query heads")]
KVHeads = Annotated[Number, Symbol(r"H_{\mathrm{kv}}", "1", "key and value heads")]
HeadDim = Annotated[Number, Symbol("d", "1", "elements of one head")]
Batch = Annotated[Number, Symbol("B", "1", "sequences in a batch")]
Parameters = Annotated[Number, Symbol("P", "1", "parameters of the model")]
Ranks = Annotated[Number, Symbol("R", "1", "ranks that take part")]
Balance = Annotated[Number, Symbol(r"\rho", "FLOP/B", "balance of the machine, peak / bandwidth")]
Queries = Annotated[Number, Symbol("q", "1", "query positions of one decoding step")]
Window = Annotated[
    Number, Symbol(r"\omega", "1", "key positions that a query sees, itself included")
]
QueryBlock = Annotated[Number, Symbol(r"s", "1", "query positions that share one read of the keys")]
Page = Annotated[Number, Symbol("p", "1", "positions of one page of the KV cache")]
Latent = Annotated[
    Number, Symbol(r"d_{\mathrm{c}}", "1", "elements of the compressed keys and values")
]
RopeDim = Annotated[
    Number, Symbol(r"d_{\mathrm{r}}", "1", "elements of a rotary key, shared by heads")
]
NopeDim = Annotated[
    Number, Symbol(r"d_{\mathrm{n}}", "1", "elements of a head's key without rotation")
]
ValueDim = Annotated[Number, Symbol(r"d_{\mathrm{v}}", "1", "elements of a head's value")]
Tokens = Annotated[Number, Symbol("t", "1", "tokens")]
Hidden = Annotated[Number, Symbol("h", "1", "hidden size")]
Ffn = Annotated[Number, Symbol("f", "1", "width of the MLP")]
Vocab = Annotated[Number, Symbol("V", "1", "entries of the vocabulary")]
Experts = Annotated[Number, Symbol("E", "1", "experts of a layer")]
Active = Annotated[Number, Symbol(r"E_{\mathrm{a}}", "1", "experts that work on one token")]
Groups = Annotated[Number, Symbol("G", "1", "matrices B, one for each group of rows")]
ScaleGroup = Annotated[Number, Symbol("g", "1", "elements that share one scale")]
TileM = Annotated[Number, Symbol(r"t_{\mathrm{m}}", "1", "rows of a tile of C")]
TileN = Annotated[Number, Symbol(r"t_{\mathrm{n}}", "1", "columns of a tile of C")]
TileK = Annotated[Number, Symbol(r"t_{\mathrm{k}}", "1", "columns of A that a stage holds")]
PipelineStages = Annotated[Number, Symbol("z", "1", "stages of the pipeline")]
Processors = Annotated[Number, Symbol("u", "1", "multiprocessors (SMs) of the machine")]
Capacity = Annotated[Number, Symbol(r"\kappa", "B", "capacity of the memory level")]
Fma = Annotated[Number, Symbol(r"\phi", "1/cycle", "multiply-adds per cycle and SM")]
Clock = Annotated[Number, Symbol(r"\nu", "cycle/s", "clock at which the peak is stated")]
Peak = Annotated[Number, Symbol(r"\pi", "FLOP/s", "peak of the pipe, vendor spec")]
