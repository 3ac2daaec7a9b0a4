"""``memory``: what a model holds while it trains and while it answers, and whether it fits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from bookcode.commands._options import (
    clear_errors,
    dtype_of,
    machine_of,
    machine_option,
    model_of,
    options,
    size,
)
from bookcode.commands._report import Cell, Column, Report, known, show
from bookcode.commands._times import whole
from bookcode.ledger import LatentModel, Machine, Model, memory

BYTES = Column("bytes", "bytes", "B", "sig4")
BINARY = Column("binary", "in binary units", "B", "bin4")
SHARE = Column("share", "of the memory", "1", "pct1")
FITS = Column("fits", "fits")


@click.command("memory")
@machine_option()
@options("model")
@click.option(
    "--seq-len", type=size, metavar="N", default="4096", show_default=True, help="Length."
)
@options("batch", "dtype", "cache-dtype", "params", "ranks", "zero", "checkpointing", "json")
@clear_errors
def memory_command(
    machine: str,
    model: str,
    seq_len: Fraction,
    batch: Fraction | None,
    dtype: str | None,
    cache_dtype: str | None,
    params: Fraction | None,
    ranks: Fraction,
    zero: str,
    checkpointing: bool,
    as_json: bool,
) -> None:
    """Weights, gradient, optimizer state, activations and KV cache, per rank."""
    chosen, shape, kind = machine_of(machine, None), model_of(model), dtype_of(dtype)
    stage: Any = zero
    state = memory.training_state(
        params or shape.parameters, copy=kind, grad=kind, zero=stage, ranks=ranks
    )
    training = {
        "weights": state.weights,
        "gradient": state.gradient,
        "parameter and moments, fp32": state.state,
    }
    notes = [f"ZeRO stage {zero} over {whole(ranks)} ranks"] if zero != "none" else []
    if isinstance(shape, LatentModel):
        notes.append("activations of a model with latent attention are not counted")
    else:
        kept = memory.activations(
            seq_len, model=shape, dtype=kind, batch=batch, checkpointing=checkpointing
        )
        training |= {"activations": kept.total - kept.logits, "logits": kept.logits}
    cache = dtype_of(cache_dtype) if cache_dtype else None
    held = _inference(shape, seq_len, dtype=kind, batch=batch, cache=cache)
    inference = {"weights": held.weights, "KV cache": held.cache}
    sequences = f"{whole(batch or Fraction(1))} × {whole(seq_len)} tokens"
    title = f"{shape.title}, {sequences}, {chosen.title}"
    parts = [
        Report("parameters", f"Parameters of {shape.title}", _PARTS, _parameters(shape)),
        _held("training", f"Training, per rank: {title}", training, chosen, notes),
        _held("inference", f"Inference: {title}", inference, chosen, []),
    ]
    show(parts, as_json=as_json)


def _inference(
    shape: Model | LatentModel, keys: Fraction, **options: Any
) -> memory.InferenceMemory:
    if isinstance(shape, LatentModel):
        return memory.latent_inference_memory(keys, model=shape, **options)
    return memory.inference_memory(keys, model=shape, **options)


_PARTS = [
    Column("part", "part"),
    Column("parameters", "parameters", "parameters", "int-"),
    Column("share", "share", "1", "pct1"),
]


def _parameters(shape: Model | LatentModel) -> list[dict[str, Cell]]:
    counted = shape.counted_parameters
    rows: list[dict[str, Cell]] = [
        {"part": part, "parameters": size, "share": size / counted}
        for part, size in shape.parts().items()
    ]
    rows.append({"part": "all", "parameters": counted, "share": Fraction(1)})
    if isinstance(shape, LatentModel):
        active = shape.active_parameters
        rows.append({"part": "active for a token", "parameters": active, "share": active / counted})
    return rows


def _held(
    name: str, title: str, parts: dict[str, Fraction], machine: Machine, notes: list[str]
) -> Report:
    whole_of = sum(parts.values(), Fraction(0))
    rows = [_row(part, size, machine) for part, size in [*parts.items(), ("all", whole_of)]]
    rows[-1]["fits"] = known(lambda: "yes" if memory.fits(whole_of, machine) else "no")
    return Report(name, title, [Column("part", "part"), BYTES, BINARY, SHARE, FITS], rows, notes)


def _row(part: str, size: Fraction, machine: Machine) -> dict[str, Cell]:
    share = known(lambda: size / machine.capacity("hbm"))
    return {"part": part, "bytes": size, "binary": size, "share": share}
