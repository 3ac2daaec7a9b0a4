"""AdamW as an operator."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import exact
from bookcode.ledger.symbols import Parameters, Subscript
from bookcode.ledger.tables import DTYPES, DType

ADAMW_FLOPS = {"textbook": 15, "torch": 14, "fused": 17}
"""FLOP per parameter: the textbook update with both bias corrections; torch's algebra in plain
tensor operations (fact F-ADAMW-py); torch's fused kernel as written, a fused multiply-add as 2
(fact F-ADAMW-cuda)."""

Grad = Annotated[DType, Subscript("g")]
State = Annotated[DType, Subscript("s")]
Form = Literal["textbook", "torch", "fused"]


@operator
def adamw_per_parameter(
    *,
    grad: Grad = DTYPES["bf16"],
    state: State = DTYPES["fp32"],
    form: Form = "textbook",
) -> Cost:
    """One parameter's share of an AdamW step.

    Reads the gradient, the parameter and both moments, writes the parameter and both moments.
    Parameter and moments share ``state``; the 16-bit working copy that mixed-precision training
    also writes is not in it.

    Raises:
        UnknownNameError: for an unknown form.
    """
    if form not in ADAMW_FLOPS:
        raise UnknownNameError("form of AdamW", form, ADAMW_FLOPS)
    return Cost(
        (
            read("gradient", grad.bytes),
            read("parameter, m, v", 3 * state.bytes),
            write("parameter, m, v", 3 * state.bytes),
        ),
        (Work(form, exact(ADAMW_FLOPS[form])),),
    )


@operator
def adamw(
    parameters: Parameters,
    *,
    grad: Grad = DTYPES["bf16"],
    state: State = DTYPES["fp32"],
    form: Form = "textbook",
) -> Cost:
    """An AdamW step over P parameters; see :func:`adamw_per_parameter`."""
    each = adamw_per_parameter(grad=grad, state=state, form=form)
    work = (Work(form, ADAMW_FLOPS[form] * parameters),)
    return replace(each.times(parameters), work=work)
