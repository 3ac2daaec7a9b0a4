"""The experiments. This module needs PyTorch (the extra ``lab``) and a C++ compiler, no GPU.

On a CPU an eager operator is one pass over its tensors, as a kernel is on a GPU; TorchInductor
writes C++ here where it would write Triton there, after the same fusion.
"""

from __future__ import annotations

import logging
import platform
import re
import statistics
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import torch
import torch._dynamo
import torch._inductor.config
import torch._inductor.metrics as inductor_metrics
import torch.nn.functional as F  # noqa: N812 (PyTorch's own name for it)
from functorch.compile import make_boxed_func
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.compile_fx import inductor_metrics_log
from torch._inductor.utils import run_and_get_code
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import sdpa_backward_flop_count

from bookcode.lab.counting import counted_on_meta, flops
from bookcode.lab.record import Measured, Record, Rule

EDGE = 1024
"""Edge of the square tensors, in fp32."""

GEMM = (256, 384, 512)
"""M, N, K of the product."""

ATTENTION = (1, 4, 256, 64)
"""Batch, heads, positions and elements of a head."""

REPETITIONS = 30
Function = Callable[[torch.Tensor], torch.Tensor]


def sin_cos(x: torch.Tensor) -> torch.Tensor:
    """The chapter's chain of two operations."""
    return torch.sin(torch.cos(x))


def sin_break_cos(x: torch.Tensor) -> torch.Tensor:
    """The same with a graph break between the two."""
    between = torch.cos(x)
    torch._dynamo.graph_break()
    return torch.sin(between)


def normalize(x: torch.Tensor) -> torch.Tensor:
    """LayerNorm without weight and bias, operator by operator."""
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return centred * torch.rsqrt(variance + 1e-5)


# instruments ------------------------------------------------------------------------------------
class Operators(TorchDispatchMode):
    """Notes the ATen operators that run, and the bytes of the tensors that they take and give."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.bytes = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        self.names.append(str(function))
        tensors = [t for t in [*args, result] if isinstance(t, torch.Tensor)]
        # A tensor that is given twice, as in x * x, is read once.
        self.bytes += sum({id(t): t.nbytes for t in tensors}.values())
        return result


def operators(function: Function, x: torch.Tensor) -> Operators:
    """What a function runs eagerly."""
    with Operators() as seen:
        function(x)
    return seen


@contextmanager
def fresh() -> Iterator[None]:
    """Compile anew, without caches, and let Inductor count the bytes of what it generates."""
    torch._dynamo.reset()
    inductor_metrics.reset()
    # Inductor counts bytes only where its log would show them.
    level, inductor_metrics_log.propagate = inductor_metrics_log.level, False
    inductor_metrics_log.setLevel(logging.INFO)
    try:
        with torch._inductor.config.patch(force_disable_caches=True), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="dynamo_pgo force disabled")
            yield
    finally:
        inductor_metrics_log.setLevel(level)
        torch._dynamo.reset()


def compiled(function: Function, x: torch.Tensor) -> tuple[list[str], int]:
    """The kernels that Inductor generates for a function, by name, and the bytes they move."""
    with fresh():
        _, sources = run_and_get_code(torch.compile(function), x)
        names = [n for text in sources for n in re.findall(r"^(cpp_fused\w*) = ", text, re.M)]
        return names, inductor_metrics.num_bytes_accessed


def seconds(call: Callable[[], Any]) -> Fraction:
    """The median time of a call, after a few to warm up."""
    times = []
    for index in range(REPETITIONS + 3):
        start = time.perf_counter_ns()
        call()
        if index >= 3:
            times.append(time.perf_counter_ns() - start)
    return Fraction(int(statistics.median(times)), 10**9)


# experiments ------------------------------------------------------------------------------------
def number(what: str, value: int | Fraction, unit: str = "1", rule: Rule = "equal") -> Measured:
    """A result in numbers."""
    return Measured(what, rule, str(value), unit)


def words(what: str, lines: list[str]) -> Measured:
    """A result in words."""
    return Measured(what, "equal", lines=tuple(lines))


def fusion(x: torch.Tensor) -> dict[str, Measured]:
    """Operators before, kernels after, and the bytes of both."""
    results: dict[str, Measured] = {}
    for name, function in {"sincos": sin_cos, "layernorm": normalize}.items():
        eager = operators(function, x)
        kernels, moved = compiled(function, x)
        results |= {
            f"{name}.elements": number("elements of the tensor, fp32", x.numel()),
            f"{name}.eager.operators": words("ATen operators run eagerly", eager.names),
            f"{name}.eager.kernels": number("operators run eagerly", len(eager.names)),
            f"{name}.eager.bytes": number("bytes of what they take and give", eager.bytes, "B"),
            f"{name}.compiled.names": words("kernels that TorchInductor generates", kernels),
            f"{name}.compiled.kernels": number("generated kernels", len(kernels)),
            f"{name}.compiled.bytes": number("bytes they move, by Inductor's count", moved, "B"),
        }
    return results


def graph_break(x: torch.Tensor) -> dict[str, Measured]:
    """Two graphs instead of one, nothing fused across, and an error where none is allowed."""
    torch._dynamo.reset()
    told = torch._dynamo.explain(sin_break_cos)(x)
    kernels, moved = compiled(sin_break_cos, x)
    with fresh():
        try:
            torch.compile(sin_break_cos, fullgraph=True)(x)
        except Exception as error:
            name = f"{type(error).__module__}.{type(error).__qualname__}"
            refused = [name, str(error).strip().splitlines()[0]]
        else:
            refused = ["no error"]
    return {
        "break.graphs": number("graphs that Dynamo captures", told.graph_count),
        "break.breaks": number("graph breaks that it reports", told.graph_break_count),
        "break.compiled.names": words("kernels that TorchInductor generates", kernels),
        "break.compiled.kernels": number("generated kernels", len(kernels)),
        "break.compiled.bytes": number("bytes they move, by Inductor's count", moved, "B"),
        "break.fullgraph": words("what fullgraph=True raises: its type and first line", refused),
    }


def graphs(x: torch.Tensor) -> dict[str, Measured]:
    """What a graph holds after Dynamo, and what after AOTAutograd."""
    seen: dict[str, list[str]] = {}

    def keep(name: str, target: Callable[[Any], str]) -> Callable[..., Any]:
        def backend(module: Any, _: Any) -> Any:
            nodes = [n for n in module.graph.nodes if n.op == "call_function"]
            seen[name] = [target(node.target) for node in nodes]
            return module.forward

        return backend

    def aten(name: str) -> Callable[..., Any]:
        made = keep(name, str)
        return lambda module, inputs: make_boxed_func(made(module, inputs))

    torch._dynamo.reset()
    torch.compile(sin_cos, backend=keep("dynamo", lambda t: f"torch.{t.__name__}"))(x)
    torch._dynamo.reset()
    both = aot_autograd(fw_compiler=aten("forward"), bw_compiler=aten("backward"))
    torch.compile(sin_cos, backend=both)(x.clone().requires_grad_()).sum().backward()
    torch._dynamo.reset()
    return {
        "graph.dynamo": words("calls in Dynamo's graph", seen["dynamo"]),
        "graph.forward": words("calls in AOTAutograd's forward graph", seen["forward"]),
        "graph.backward": words("calls in AOTAutograd's backward graph", seen["backward"]),
    }


def gradients(x: torch.Tensor) -> dict[str, Measured]:
    """Gradients through a graph break, against those of eager mode."""
    found = []
    with fresh():
        for function in (torch.compile(sin_break_cos), sin_cos):
            leaf = x.clone().requires_grad_()
            function(leaf).sum().backward()
            assert leaf.grad is not None
            found.append(leaf.grad)
    agree = torch.isclose(*found, rtol=1e-4, atol=1e-6)
    return {
        "gradients.elements": number("elements of the input", x.numel()),
        "gradients.agreeing": number("gradients that agree with eager mode's", int(agree.sum())),
        "gradients.nonzero": number("of them not zero", int((found[0] != 0).sum()), rule="varies"),
    }


def counted() -> dict[str, Measured]:
    """FLOPs by PyTorch's own counter."""
    m, n, k = GEMM
    a, b = torch.randn(m, k), torch.randn(k, n)
    q, keys, values = (torch.randn(ATTENTION, requires_grad=True) for _ in range(3))

    def attention(**how: Any) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, keys, values, **how)

    with sdpa_kernel(SDPBackend.MATH):
        there = flops(attention)
        causal = flops(lambda: attention(is_causal=True))
        both = flops(lambda: attention().sum().backward())
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        fused = flops(attention)
    flash = sdpa_backward_flop_count(ATTENTION, ATTENTION, ATTENTION, ATTENTION)
    return {
        "flops.matmul": number("a product of two matrices", flops(lambda: a @ b), "FLOP"),
        "flops.attention": number("attention, plain kernels", there, "FLOP"),
        "flops.attention.causal": number("the same with a causal mask", causal, "FLOP"),
        "flops.attention.backward": number("its backward, plain kernels", both - there, "FLOP"),
        "flops.attention.flash-backward": number("backward, flash formula", flash, "FLOP"),
        "flops.attention.cpu-flash": number("attention, the CPU's flash kernel", fused, "FLOP"),
    }


def timed(x: torch.Tensor) -> dict[str, Measured]:
    """How long the chain takes on this CPU; another machine gives other times."""
    torch._dynamo.reset()
    quick = torch.compile(sin_cos)
    quick(x)
    return {
        "sincos.eager.time": number("median time", seconds(lambda: sin_cos(x)), "s", "varies"),
        "sincos.compiled.time": number("median time", seconds(lambda: quick(x)), "s", "varies"),
    }


def versions() -> dict[str, str]:
    """Of everything that takes part. The local part of PyTorch's version only says its build."""
    compiler = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True)
    return {
        "torch": torch.__version__.partition("+")[0],
        "python": platform.python_version(),
        "g++": compiler.stdout.strip() or "none",
        "processor": platform.machine(),
    }


def run(date: str) -> Record:
    """Run everything; takes about a minute."""
    torch.manual_seed(0)
    x = torch.randn(EDGE, EDGE)
    results: dict[str, Measured] = {}
    for experiment in (fusion, graph_break, graphs, gradients, timed):
        results |= experiment(x)
    return Record(date, versions(), results | counted() | counted_on_meta())
