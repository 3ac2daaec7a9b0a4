"""AdamW as an operator: what one step moves and computes per parameter.

Reads gradient, parameter, first and second moment; writes parameter and moments. Bytes by dtype:
the gradient's, the state's (moments), the parameter's (default: as the state), and that of a 16-bit
working copy if one is written. So bf16 gradient and fp32 state are 26 bytes; with a bf16 copy 28;
all in fp32 also 28, another configuration; torch's mixed form, fp32 parameter and gradient with
bf16 moments, 20 (fact F-ADAMW-mixed).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
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
Parameter = Annotated[DType, Subscript("p")]
Copy = Annotated[DType, Subscript("c")]
Form = Literal["textbook", "torch", "fused"]


@operator
def adamw_per_parameter(
    *,
    grad: Grad = DTYPES["bf16"],
    state: State = DTYPES["fp32"],
    parameter: Parameter | None = None,
    copy: Copy | None = None,
    form: Form = "textbook",
) -> Cost:
    """One parameter's share of an AdamW step.

    Parameter and moments share ``state`` unless ``parameter`` gives the parameter a type of its
    own; the 16-bit working copy that mixed-precision training also writes counts only with
    ``copy``.

    Raises:
        UnknownNameError: for an unknown form.
    """
    if form not in ADAMW_FLOPS:
        raise UnknownNameError("form of AdamW", form, ADAMW_FLOPS)
    if parameter is None:
        kept = [
            read("parameter, m, v", 3 * state.bytes),
            write("parameter, m, v", 3 * state.bytes),
        ]
    else:
        kept = [
            *_updated("parameter", parameter.bytes),
            *_updated("m, v", 2 * state.bytes),
        ]
    written = [] if copy is None else [write("working copy", copy.bytes)]
    return Cost(
        (read("gradient", grad.bytes), *kept, *written),
        (Work(form, exact(ADAMW_FLOPS[form])),),
    )


def _updated(tensor: str, size: Parameters) -> list[Traffic]:
    return [read(tensor, size), write(tensor, size)]


@operator
def adamw(
    parameters: Parameters,
    *,
    grad: Grad = DTYPES["bf16"],
    state: State = DTYPES["fp32"],
    parameter: Parameter | None = None,
    copy: Copy | None = None,
    form: Form = "textbook",
) -> Cost:
    """An AdamW step over P parameters; see :func:`adamw_per_parameter`."""
    each = adamw_per_parameter(grad=grad, state=state, parameter=parameter, copy=copy, form=form)
    work = (Work(form, ADAMW_FLOPS[form] * parameters),)
    return replace(each.times(parameters), work=work)
