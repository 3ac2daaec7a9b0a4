"""``step``: the stages of a training step, their times and shares."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import click

from bookcode.commands._options import (
    clear_errors,
    dtype_of,
    link_of,
    machine_of,
    machine_option,
    options,
    plain_model_of,
    sizes,
)
from bookcode.commands._report import Cell, Column, Missing, Report, known, show
from bookcode.commands._times import COSTS, REGIME, TIMES, roof_note, timed_cells, whole
from bookcode.ledger import Step, training_step

STAGES = ("forward", "backward", "optimizer", "communication")
SHARE = Column("share", "share", "1", "pct1")


@click.command("step")
@machine_option()
@options("roof", "model")
@click.option(
    "--seq-len",
    type=sizes,
    metavar="N,...",
    default="4096",
    show_default=True,
    help="Length, or several: 512,4096.",
)
@options("batch", "dtype", "params", "ranks")
@click.option(
    "--link",
    default="nvlink",
    show_default=True,
    help='Link of the exchange; "hbm" books it on HBM, an error of an older version.',
)
@options("causal", "lm-head", "checkpointing", "zero")
@click.option(
    "--backward",
    "rule",
    type=click.Choice(["double", "flash"]),
    default="double",
    show_default=True,
    help="Backward of attention: twice the forward, or five products.",
)
@click.option("--in-switch", is_flag=True, help="All-reduce in the switch instead of a ring.")
@click.option("--overlap", is_flag=True, help="Exchange the gradient beside the backward pass.")
@options("json")
@clear_errors
def step_command(
    machine: str,
    roof: str | None,
    model: str,
    seq_len: Sequence[Fraction],
    dtype: str | None,
    params: Fraction | None,
    link: str,
    in_switch: bool,
    overlap: bool,
    rule: str,
    as_json: bool,
    **rest: Any,
) -> None:
    """Forward, backward, optimizer and exchange of the gradient of one step."""
    chosen = machine_of(machine, roof)
    over_hbm = link == "hbm"
    arguments: dict[str, Any] = {
        "model": plain_model_of(model, "training step"),
        "machine": chosen,
        "link": None if over_hbm else link_of(link),
        "over": "hbm" if over_hbm else "link",
        "dtype": dtype_of(dtype),
        "parameters": params,
        "attention_rule": rule,
        "algorithm": "in-switch" if in_switch else "ring",
        "overlap": "backward" if overlap else "none",
        **rest,
    }
    ranks = arguments.pop("ranks")
    steps = {seq: training_step(seq, ranks, **arguments) for seq in seq_len}
    title = f"{arguments['model'].title}, {whole(ranks)} ranks, {link}, {chosen.title}"
    reports = [_stages(seq, step, title) for seq, step in steps.items()]
    if len(steps) > 1:
        reports = [_shares(steps, title), _absolute(steps, title)]
    reports[-1] = Report(**{**vars(reports[-1]), "notes": [roof_note(chosen)]})
    show(reports, as_json=as_json)


def _share(step: Step, stage: str) -> Cell:
    return known(lambda: getattr(step, stage).expected / step.expected)


def _stages(seq: Fraction, step: Step, title: str) -> Report:
    rows: list[dict[str, Cell]] = [
        {"stage": stage, **timed_cells(getattr(step, stage)), "share": _share(step, stage)}
        for stage in STAGES
    ]
    rows.append(
        {
            "stage": "step" if step.overlap == "none" else "step, with overlap",
            "bound": known(getattr, step, "bound"),
            "expected": known(getattr, step, "expected"),
        }
    )
    return Report(
        name=f"step {whole(seq)}",
        title=f"Training step, S = {whole(seq)}: {title}",
        columns=[Column("stage", "stage"), *COSTS, *TIMES, SHARE, REGIME],
        rows=rows,
    )


def _lengths(steps: dict[Fraction, Step]) -> list[dict[str, Cell]]:
    return [{"seq_len": seq} for seq in steps]


def _shares(steps: dict[Fraction, Step], title: str) -> Report:
    rows = [
        {**row, **{stage: _share(step, stage) for stage in STAGES}}
        for row, step in zip(_lengths(steps), steps.values(), strict=True)
    ]
    return Report(
        name="shares",
        title=f"Shares of the expected time: {title}",
        columns=[
            Column("seq_len", "S", "1", "int"),
            *(Column(stage, stage, "1", "pct1") for stage in STAGES),
        ],
        rows=rows,
        notes=_fastest(rows),
    )


def _fastest(rows: Sequence[dict[str, Cell]]) -> list[str]:
    """Which share falls or rises by the largest factor from the first length to the last."""
    factors = {}
    for stage in STAGES:
        first, last = rows[0][stage], rows[-1][stage]
        if isinstance(first, Missing | str) or isinstance(last, Missing | str):
            return []
        factors[stage] = max(first / last, last / first)
    largest = max(factors.values())
    named = " and ".join(stage for stage, factor in factors.items() if factor == largest)
    return [f"The share that changes by the largest factor: {named} ({float(largest):.3g} times)."]


def _absolute(steps: dict[Fraction, Step], title: str) -> Report:
    rows = [
        {
            **row,
            **{stage: known(getattr, getattr(step, stage), "expected") for stage in STAGES},
            "step": known(getattr, step, "expected"),
            "bound": known(getattr, step, "bound"),
        }
        for row, step in zip(_lengths(steps), steps.values(), strict=True)
    ]
    return Report(
        name="times",
        title=f"Expected times: {title}",
        columns=[
            Column("seq_len", "S", "1", "int"),
            *(Column(stage, stage, "s", "sig4") for stage in STAGES),
            Column("step", "step", "s", "sig4"),
            Column("bound", "bound of the step", "s", "sig4"),
        ],
        rows=rows,
    )
