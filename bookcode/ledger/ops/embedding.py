"""Embedding: a row of the table for each token, no arithmetic."""

from __future__ import annotations

from typing import Annotated

from bookcode.ledger.cost import Cost, Work, read, write
from bookcode.ledger.operator import operator
from bookcode.ledger.symbols import Hidden, Subscript, Tokens
from bookcode.ledger.tables import DTYPES, DType

Index = Annotated[DType, Subscript("i")]


@operator
def embedding(
    tokens: Tokens,
    hidden: Hidden,
    *,
    dtype: DType = DTYPES["bf16"],
    index: Index = DTYPES["int64"],
) -> Cost:
    """t rows of the table are read and written; a row that two tokens share is read twice."""
    return Cost(
        (
            read("token numbers", tokens * index.bytes),
            read("rows of the table", tokens * hidden * dtype.bytes),
            write("activations", tokens * hidden * dtype.bytes),
        )
    )


@operator
def embedding_backward(
    tokens: Tokens,
    hidden: Hidden,
    *,
    dtype: DType = DTYPES["bf16"],
    index: Index = DTYPES["int64"],
) -> Cost:
    """The gradient of each token is added to its row: the row is read and written, 1 FLOP."""
    return Cost(
        (
            read("token numbers", tokens * index.bytes),
            read("gradient", tokens * hidden * dtype.bytes),
            read("rows of the table's gradient", tokens * hidden * dtype.bytes),
            write("rows of the table's gradient", tokens * hidden * dtype.bytes),
        ),
        (Work("additions", tokens * hidden),),
    )
