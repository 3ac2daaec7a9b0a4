"""What PyTorch's FLOP counter counts on meta tensors: shapes without data. Needs PyTorch.

Meta tensors run every operator and compute nothing, so a block of a real model is counted in no
time on any machine. Attention takes the plain path there, whose products the counter knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
import torch.nn.functional as F  # noqa: N812 (PyTorch's own name for it)
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from bookcode.lab.record import Measured
from bookcode.lab.shapes import BLOCK, GROUPED, HEADS, PRODUCT

WEIGHTS: Final = ("q", "k", "v", "o", "gate", "up", "down")


def flops(call: Callable[[], Any]) -> int:
    """What PyTorch's own counter counts for a call."""
    with FlopCounterMode(display=False) as counter:
        call()
    return int(counter.get_total_flops())


def leaf(*shape: int) -> torch.Tensor:
    """A tensor without data that wants a gradient."""
    return torch.empty(shape, device="meta", requires_grad=True)


def both_ways(call: Callable[[], torch.Tensor]) -> tuple[int, int]:
    """Counts of the forward pass and of the backward pass alone."""
    forward = flops(call)
    return forward, flops(lambda: call().sum().backward()) - forward


def product(sizes: Mapping[str, int]) -> torch.Tensor:
    """A product of two matrices."""
    m, n, k = sizes["m"], sizes["n"], sizes["k"]
    return leaf(m, k) @ leaf(k, n)


def attention(sizes: Mapping[str, int], *, causal: bool = False) -> torch.Tensor:
    """Attention of a prompt to itself."""
    batch, seq, width = sizes["batch"], sizes["seq"], sizes["head_dim"]
    query = leaf(batch, sizes["heads"], seq, width)
    keys, values = (leaf(batch, sizes["kv_heads"], seq, width) for _ in range(2))
    grouped = sizes["kv_heads"] != sizes["heads"]
    return _scaled(query, keys, values, causal=causal, grouped=grouped)


def _scaled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, **how: bool) -> torch.Tensor:
    options = {"is_causal": how["causal"], "enable_gqa": how["grouped"]}
    return F.scaled_dot_product_attention(q, k, v, **options)


def block(sizes: Mapping[str, int]) -> torch.Tensor:
    """One block of a model: attention and a gated MLP, each after a norm and added to its input."""
    batch, seq, hidden = sizes["batch"], sizes["seq"], sizes["hidden"]
    queries, cached = (sizes[name] * sizes["head_dim"] for name in ("heads", "kv_heads"))
    outs = (queries, cached, cached, hidden, sizes["ffn"], sizes["ffn"], hidden)
    ins = (hidden, hidden, hidden, queries, hidden, hidden, sizes["ffn"])
    shapes = zip(WEIGHTS, outs, ins, strict=True)
    weights = {name: leaf(outer, inner) for name, outer, inner in shapes}
    x = leaf(batch, seq, hidden)

    def heads(name: str, normed: torch.Tensor, count: int) -> torch.Tensor:
        made = F.linear(normed, weights[name]).view(batch, seq, count, sizes["head_dim"])
        return made.transpose(1, 2)

    normed = F.rms_norm(x, (hidden,))
    q = heads("q", normed, sizes["heads"])
    k, v = (heads(name, normed, sizes["kv_heads"]) for name in ("k", "v"))
    mixed = _scaled(rotated(q), rotated(k), v, causal=True, grouped=True)
    x = x + F.linear(mixed.transpose(1, 2).reshape(batch, seq, queries), weights["o"])
    normed = F.rms_norm(x, (hidden,))
    gated = F.silu(F.linear(normed, weights["gate"])) * F.linear(normed, weights["up"])
    return x + F.linear(gated, weights["down"])


def rotated(x: torch.Tensor) -> torch.Tensor:
    """Rotary position embedding of queries or keys."""
    angle = torch.empty(x.shape[-2], x.shape[-1] // 2, device="meta")
    first, second = x.chunk(2, dim=-1)
    turned = (
        first * angle.cos() - second * angle.sin(),
        first * angle.sin() + second * angle.cos(),
    )
    return torch.cat(turned, dim=-1)


CALLS: Final[Mapping[str, tuple[str, Callable[[], torch.Tensor]]]] = {
    "product": ("a matrix product", lambda: product(PRODUCT)),
    "attention": ("attention, plain kernels", lambda: attention(HEADS)),
    "attention-causal": ("the same with a causal mask", lambda: attention(HEADS, causal=True)),
    "attention-grouped": ("three heads sharing keys and values", lambda: attention(GROUPED)),
    "block": ("a block of the shape of Llama 3 8B", lambda: block(BLOCK)),
}
"""Name to what is counted."""


def counted_on_meta() -> dict[str, Measured]:
    """Every call forward and backward."""
    found: dict[str, Measured] = {}
    with sdpa_kernel(SDPBackend.MATH):
        for name, (what, call) in CALLS.items():
            forward, backward = both_ways(call)
            for way, count in (("forward", forward), ("backward", backward)):
                said = f"{what}, on meta tensors, {way}"
                found[f"meta.{name}.{way}"] = Measured(said, "equal", str(count), "FLOP")
    return found
