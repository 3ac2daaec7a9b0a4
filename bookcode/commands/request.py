"""``request``: prefill and decode of an inference request."""

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
from bookcode.commands._times import (
    COSTS,
    REGIME,
    TIMES,
    program_cells,
    roof_note,
    timed_cells,
    whole,
)
from bookcode.ledger import (
    Cost,
    LatentModel,
    Program,
    Timed,
    TimedProgram,
    decode,
    decode_operators,
    forward,
    generation,
    latent_decode_operators,
    latent_prefill_operators,
    prefill_operators,
)

RATE = Column("tokens_per_second", "expected rate", "tokens/s", "sig4")
COLUMNS = [Column("phase", "phase"), Column("bytes_of", "bytes of"), *COSTS, *TIMES, REGIME, RATE]


@click.command("request")
@machine_option()
@options("roof", "model")
@click.option(
    "--seq-len", type=size, metavar="N", default="4096", show_default=True, help="Prompt length."
)
@click.option(
    "--kv-len",
    type=size,
    metavar="N",
    help="Cached positions of a decoding step (default: prompt).",
)
@click.option("--new-tokens", type=size, metavar="N", help="Tokens to generate after the prompt.")
@options("batch", "dtype", "cache-dtype", "causal", "lm-head")
@click.option("--operators", is_flag=True, help="List every operator of both phases.")
@options("json")
@clear_errors
def request_command(
    machine: str,
    roof: str | None,
    model: str,
    seq_len: Fraction,
    kv_len: Fraction | None,
    new_tokens: Fraction | None,
    batch: Fraction | None,
    dtype: str | None,
    cache_dtype: str | None,
    causal: bool,
    head: str,
    operators: bool,
    as_json: bool,
) -> None:
    """Prefill of a prompt and a step of decoding, in two conventions of counting bytes."""
    chosen, kind, shape = machine_of(machine, roof), dtype_of(dtype), model_of(model)
    common: dict[str, Any] = {"model": shape, "dtype": kind, "batch": batch, "head": head}
    cached = {**common, "cache": dtype_of(cache_dtype) if cache_dtype else None}
    keys = kv_len or seq_len
    phases = f"prefill, S = {whole(seq_len)}", f"decode, T = {whole(keys)}"
    latent = isinstance(shape, LatentModel)
    prefill = latent_prefill_operators if latent else prefill_operators
    step = latent_decode_operators if latent else decode_operators
    programs = prefill(seq_len, causal=causal, **common), step(keys, **cached)
    costs: dict[str, Cost] = {}
    if not latent:
        streams = forward(seq_len, causal=causal, **common), decode(keys, **cached)
        costs = dict(zip(phases, streams, strict=True))
        if new_tokens is not None:
            costs[f"{whole(new_tokens)} tokens"] = generation(seq_len, new_tokens, **cached)
    timed = {
        phase: (program, program.on(chosen, kind))
        for phase, program in zip(phases, programs, strict=True)
    }
    rows = _rows({name: Timed(cost, chosen, kind) for name, cost in costs.items()}, timed)
    for row in rows:
        _add_rate(row, batch)
    title = f"Request: {shape.title}, {chosen.title}"
    reports = [Report("request", title, COLUMNS, rows, [roof_note(chosen)])]
    if operators:
        reports += [_by_operator(phase, calls) for phase, (_, calls) in timed.items()]
    show(reports, as_json=as_json)


def _rows(
    costs: dict[str, Timed], programs: dict[str, tuple[Program, TimedProgram]]
) -> list[dict[str, Cell]]:
    """First weights and streams only, then the sum over operators."""
    streams: list[dict[str, Cell]] = [
        {"phase": phase, "bytes_of": "weights and streams", **timed_cells(timed)}
        for phase, timed in costs.items()
    ]
    summed: list[dict[str, Cell]] = [
        {"phase": phase, "bytes_of": "every operator", **program_cells(program, timed)}
        for phase, (program, timed) in programs.items()
    ]
    return streams + summed


def _add_rate(row: dict[str, Cell], batch: Fraction | None) -> None:
    expected = row["expected"]
    if str(row["phase"]).startswith("decode") and isinstance(expected, Fraction):
        row["tokens_per_second"] = (batch or 1) / expected


def _sum(calls: list[Timed], field: str) -> Fraction:
    return sum((getattr(call, field) for call in calls), Fraction(0))


def _regimes(calls: list[Timed]) -> str:
    return " and ".join(dict.fromkeys(call.regime for call in calls))


def _by_operator(name: str, timed: TimedProgram) -> Report:
    """Every operator of a program; those of one name together."""
    grouped: dict[str, list[Timed]] = {}
    for called, call in timed.calls:
        grouped.setdefault(called, []).append(call)
    rows: list[dict[str, Cell]] = [
        {
            "operator": called,
            "flops": _sum(calls, "flops"),
            "bytes": _sum(calls, "bytes"),
            "bound": known(lambda calls=calls: sum((c.bound for c in calls), Fraction(0))),
            "expected": known(lambda calls=calls: sum((c.expected for c in calls), Fraction(0))),
            "share": known(lambda called=called: timed.share(called)),
            "regime": known(
                lambda calls=calls: " and ".join(dict.fromkeys(c.regime for c in calls))
            ),
        }
        for called, calls in grouped.items()
    ]
    columns = [Column("operator", "operator"), *COSTS[:2], *TIMES]
    return Report(
        name=name,
        title=f"Operators of {name}, all layers",
        columns=[*columns, Column("share", "share", "1", "pct1"), REGIME],
        rows=rows,
    )
