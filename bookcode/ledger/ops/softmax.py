"""Softmax over rows, and the loss that contains it: cross entropy of logits.

r rows of c elements, or t tokens with a logit for each of V entries of the vocabulary.
"""

from __future__ import annotations

from typing import Annotated, Literal

from bookcode.ledger.cost import Cost, Traffic, Work, read, write
from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import Columns, Rows, Subscript, Tokens, Vocab
from bookcode.ledger.tables import DTYPES, DType

Loss = Annotated[DType, Subscript("l")]
Index = Annotated[DType, Subscript("i")]


@operator
def softmax(
    rows: Rows,
    columns: Columns,
    *,
    dtype: DType = DTYPES["fp16"],
    variant: Literal["fused", "online", "three-pass"] = "fused",
    convention: Literal["tileops", "thop", "calflops"] = "tileops",
) -> Cost:
    """Softmax of each row.

    Fused holds a row on chip: one read, one write. Online finds maximum and sum in one pass and
    reads again to normalize; three-pass reads for the maximum, for the sum and to normalize.
    Work per element: "tileops" counts maximum, subtraction, exponential, sum and division (5;
    TileOPs 0.1.0, manifest/spec/reduction.yaml); "thop" 3 less one addition per row (citation
    F-MAC-thop); "calflops" 1 (citation F-CALF-LIN).

    Raises:
        UnknownNameError: for an unknown variant or counting convention.
    """
    x = rows * columns * dtype.bytes
    reads: dict[str, tuple[Traffic, ...]] = {
        "fused": (read("x", x),),
        "online": (read("x for maximum and sum", x), read("x to normalize", x)),
        "three-pass": (
            read("x for the maximum", x),
            read("x for the sum", x),
            read("x to normalize", x),
        ),
    }
    if variant not in reads:
        raise UnknownNameError("softmax variant", variant, reads)
    work: dict[str, Number] = {
        "tileops": 5 * rows * columns,
        "thop": 3 * rows * columns - rows,
        "calflops": rows * columns,
    }
    if convention not in work:
        raise UnknownNameError("softmax convention", convention, work)
    return Cost((*reads[variant], write("y", x)), (Work(convention, work[convention]),))


@operator
def cross_entropy(
    tokens: Tokens,
    vocab: Vocab,
    *,
    dtype: DType = DTYPES["bf16"],
    loss: Loss = DTYPES["fp32"],
    labels: Index = DTYPES["int64"],
    variant: Literal["fused", "eager"] = "fused",
) -> Cost:
    """-log softmax(logits)[label] per token.

    Work per logit: maximum, subtraction, exponential, sum (4); per token the logarithm and the last
    subtraction (2). Fused reads the logits once. Eager casts them to the type of the loss, writes
    their log-softmax (one more subtraction per logit) and picks the label's entry from that.

    Raises:
        UnknownNameError: for another variant.
    """
    logits, wide = tokens * vocab * dtype.bytes, tokens * vocab * loss.bytes
    cast = write("logits, cast", wide), read("logits, cast", wide)
    traffic: dict[str, tuple[Traffic, ...]] = {
        "fused": (read("logits", logits),),
        "eager": (read("logits", logits), *cast, write("log-softmax", wide)),
    }
    if variant not in traffic:
        raise UnknownNameError("variant of cross entropy", variant, traffic)
    per_logit = 4 if variant == "fused" else 5
    ends = read("labels", tokens * labels.bytes), write("loss", tokens * loss.bytes)
    return Cost(
        (*traffic[variant], *ends),
        (
            Work("maximum, subtraction, exponential, sum", per_logit * tokens * vocab),
            Work("logarithm and label", 2 * tokens),
        ),
    )


@operator
def cross_entropy_backward(
    tokens: Tokens,
    vocab: Vocab,
    *,
    dtype: DType = DTYPES["bf16"],
    labels: Index = DTYPES["int64"],
) -> Cost:
    """Gradient of the logits: (softmax - one-hot) times the incoming gradient.

    The probabilities are computed again from the logits: subtraction, exponential and product per
    logit (3), a subtraction at the label. The row statistics are left out of the traffic.
    """
    logits = tokens * vocab * dtype.bytes
    return Cost(
        (
            read("logits", logits),
            read("labels", tokens * labels.bytes),
            write("gradient of the logits", logits),
        ),
        (Work("probabilities and product", 3 * tokens * vocab), Work("labels", tokens)),
    )
