"""What the ledger's commands have in common: options, and how their texts become ledger values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar

import click

from bookcode.ledger import (
    DTYPES,
    LATENT_MODELS,
    LINKS,
    MODELS,
    DType,
    LatentModel,
    LedgerError,
    Link,
    Machine,
    Model,
    UnknownNameError,
)
from bookcode.ledger.machines import find_machine

R = TypeVar("R")
Command = Callable[..., Any]


def clear_errors(function: Callable[..., R]) -> Callable[..., R]:
    """Turn what the ledger refuses into a message without a traceback."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> R:
        try:
            return function(*args, **kwargs)
        except UnknownNameError as error:
            raise click.UsageError(str(error)) from None
        except LedgerError as error:
            raise click.ClickException(str(error)) from None

    return wrapped


def size(text: str) -> Fraction:
    """The type of an option that takes a positive exact number: 4096, 70e9."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if value <= 0:
        raise click.BadParameter(f"{text!r} is not a positive number such as 4096 or 70e9")
    return value


def sizes(text: str) -> tuple[Fraction, ...]:
    """The type of an option that takes one or more numbers: 512,4096."""
    return tuple(size(part.strip()) for part in text.split(","))


def machine_option(multiple: bool = False) -> Callable[[Command], Command]:
    """``--machine``, once or as often as wanted."""
    return click.option(
        "--machine",
        "machines" if multiple else "machine",
        default=["h200"] if multiple else "h200",
        multiple=multiple,
        show_default=True,
        help="Machine profile; `machines` lists them." + (" Repeatable." if multiple else ""),
    )


def options(*names: str) -> Callable[[Command], Command]:
    """The common options of these names, in this order."""

    def decorate(function: Command) -> Command:
        for name in reversed(names):
            function = OPTIONS[name](function)
        return function

    return decorate


def _flag(name: str, text: str) -> Callable[[Command], Command]:
    return click.option(name, is_flag=True, help=text)


OPTIONS: dict[str, Callable[[Command], Command]] = {
    "roof": click.option("--roof", help="Calibrated roof of the profile (default: its own)."),
    "dtype": click.option("--dtype", help="Type of weights and activations (default: bf16)."),
    "cache-dtype": click.option("--cache-dtype", help="Type of the KV cache (default: --dtype)."),
    "model": click.option("--model", default="8b-class", show_default=True, help="Model shape."),
    "batch": click.option(
        "--batch", type=size, metavar="N", help="Sequences in the batch (default: one)."
    ),
    "params": click.option(
        "--params",
        type=size,
        metavar="N",
        help="Parameters for optimizer and exchange (default: the model's).",
    ),
    "ranks": click.option(
        "--ranks", type=size, metavar="N", default="8", show_default=True, help="Ranks."
    ),
    "causal": _flag("--causal", "Count only the scores that a causal mask leaves."),
    "checkpointing": _flag("--checkpointing", "Keep layer inputs only and run the forward again."),
    "lm-head": click.option(
        "--lm-head",
        "head",
        type=click.Choice(["none", "last", "all"]),
        default="none",
        show_default=True,
        help="Positions whose logits are computed.",
    ),
    "zero": click.option(
        "--zero",
        type=click.Choice(["none", "1", "2", "3"]),
        default="none",
        show_default=True,
        help="ZeRO stage.",
    ),
    "json": click.option("--json", "as_json", is_flag=True, help="Print JSON."),
}


def machine_of(name: str, roof: str | None) -> Machine:
    """The machine of a name and a roof."""
    return find_machine(name, roof)


def dtype_of(name: str | None, default: str = "bf16") -> DType:
    """The dtype of a name."""
    return DTYPES[name or default]


def link_of(name: str) -> Link:
    """The link of a name."""
    return LINKS[name]


def model_of(name: str) -> Model | LatentModel:
    """The model of a name, of either kind.

    Raises:
        UnknownNameError: naming the nearest of both kinds.
    """
    if name in LATENT_MODELS:
        return LATENT_MODELS[name]
    if name in MODELS:
        return MODELS[name]
    raise UnknownNameError("model", name, [*MODELS, *LATENT_MODELS])


def plain_model_of(name: str, what: str) -> Model:
    """A model with grouped-query attention.

    Raises:
        LedgerError: for one with latent attention, for which there is no ``what``.
    """
    model = model_of(name)
    if isinstance(model, LatentModel):
        raise LedgerError(f"no {what} of {name}: choose one of {', '.join(MODELS)}")
    return model
