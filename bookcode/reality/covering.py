"""Measured rows as calls of ledger functions.

A :class:`Group` is the rows of one file that share operator, precision and device; its sizes are
columns. What the ledger covers and how is said here, row by label:

* GEMM: operands as labelled, results in 16 bits; weight-only labels have 16-bit activations and run
  on the 16-bit pipe; scales of "fp8_block" as DeepSeek-V3 has them.
* prefill: causal (the kernels skip masked tiles), a prompt without a cached prefix; a cache in 8
  bits is counted as the cheaper read of K and V.
* decode: the cached keys, which every kernel must read; the new token is left out.
* collectives: sizes are elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from bookcode.ledger import Cost
from bookcode.reality.columns import Array, column
from bookcode.reality.errors import TableError, unknown
from bookcode.reality.operators import Operators, mixed
from bookcode.reality.tables import Table

GEMM_LABELS: Final = {
    "float16": ("fp16", "fp16", "fp16"),
    "int8_wo": ("fp16", "fp16", "int8"),
    "int4_wo": ("fp16", "fp16", "int4"),
    "awq": ("fp16", "fp16", "int4"),
    "gptq": ("fp16", "fp16", "int4"),
    "sq": ("int8", "int8", "int8"),
    "fp8": ("fp8", "fp8", "fp8"),
    "fp8_block": ("fp8", "fp8", "fp8"),
    "nvfp4": ("fp4", "fp4", "fp4"),
}
"""Label to the types of the pipe, of A and of B."""

ATTENTION_LABELS: Final = {"float16": "fp16", "fp8": "fp8"}
LINK_LABELS: Final = {"half": "fp16", "float16": "fp16", "int8": "int8"}
COLLECTIVES: Final = {
    "all_reduce": "all_reduce",
    "all_gather": "all_gather",
    "reduce_scatter": "reduce_scatter",
    "alltoall": "all_to_all",
}
BLOCK: Final = 128
"""Elements that share a scale in "fp8_block"."""


@dataclass(frozen=True)
class Group:
    """Rows of one file that share everything but their sizes.

    Attributes:
        table: the file.
        operator: "gemm", "prefill", "decode" or the name of a collective.
        label: the precision as the file names it.
        device: the device as the file names it; empty when the file lacks the column.
        source: which kernel ran, as the file names it.
        pipe: the dtype whose peak bounds the work.
        index: the rows of the file, from 0.
        sizes: columns by name.
        seconds: measured times. Unit: s.
    """

    table: Table
    operator: str
    label: str
    device: str
    source: str
    pipe: str
    index: NDArray[np.intp]
    sizes: dict[str, Array]
    seconds: Array

    def __len__(self) -> int:
        return len(self.index)

    @property
    def name(self) -> str:
        """Where the rows are from, for people."""
        return f"{self.table.data_set} {self.operator} {self.label}"

    def line(self, row: int) -> str:
        """The place of a row: member:line."""
        return f"{self.table.member}:{int(self.index[row]) + 2}"

    def rows(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Group:
        """Some of the rows."""
        return Group(
            self.table,
            self.operator,
            self.label,
            self.device,
            self.source,
            self.pipe,
            self.index[chosen],
            {name: values[chosen] for name, values in self.sizes.items()},
            self.seconds[chosen],
        )


def groups(table: Table) -> Iterator[Group]:
    """The rows of a file by precision, device and kernel, in the order of first occurrence.

    Raises:
        TableError: for a label that is not known, or a shape that the reading does not cover.
    """
    maker = {"gemm": _gemm, "prefill": _attention, "decode": _attention}.get(
        table.kind, _collective
    )
    keys = maker(table)
    device, source = table.text("device"), table.text("kernel_source")
    kinds = np.stack([*keys, device, source], axis=1)
    found, first, which = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    for position in np.argsort(first):
        index = np.flatnonzero(which.ravel() == position)
        *labels, of_device, of_source = map(str, found[position])
        yield _group(table, labels, of_device, of_source, index)


def _group(
    table: Table, labels: list[str], device: str, source: str, index: NDArray[np.intp]
) -> Group:
    sizes = {name: table.number(heading)[index] for name, heading in _SIZES[table.kind].items()}
    if table.kind == "gemm":
        operator, label, pipe = "gemm", labels[0], GEMM_LABELS[labels[0]][0]
    elif table.kind in ("prefill", "decode"):
        operator, label = table.kind, "/".join(labels)
        # Decode rows have no 8-bit arithmetic; prefill rows are labelled with theirs.
        pipe = ATTENTION_LABELS[labels[0]]
    else:
        operator, label, pipe = COLLECTIVES[labels[0]], labels[1], LINK_LABELS[labels[1]]
    seconds = table.seconds[index]
    return Group(table, operator, label, device, source, pipe, index, sizes, seconds)


_ATTENTION_SIZES: Final = {
    "batch": "batch_size",
    "heads": "num_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
}
_SIZES: Final = {
    "gemm": {"m": "m", "n": "n", "k": "k"},
    "prefill": {**_ATTENTION_SIZES, "seq": "isl"},
    "decode": {**_ATTENTION_SIZES, "keys": "step"},
    "nccl": {"elements": "message_size", "ranks": "num_gpus"},
    "all-reduce": {"elements": "message_size", "ranks": "num_gpus"},
}


def _known(table: Table, heading: str, known: Mapping[str, object]) -> NDArray[np.str_]:
    labels = table.text(heading)
    for label in np.unique(labels).tolist():
        if label not in known:
            row = int(np.flatnonzero(labels == label)[0])
            raise TableError(table.member, row + 2, unknown(heading, label, known))
    return labels


def _only(table: Table, heading: str, value: float) -> None:
    if heading not in table.cells:
        return
    if odd := np.flatnonzero(table.number(heading) != value).tolist():
        found = table.cells[heading][odd[0]].decode("ascii", "replace")
        message = f"{heading} = {found}: rows with another value than {value:g} are not covered"
        raise TableError(table.member, odd[0] + 2, message)


def _gemm(table: Table) -> list[NDArray[np.str_]]:
    return [_known(table, "gemm_dtype", GEMM_LABELS)]


def _attention(table: Table) -> list[NDArray[np.str_]]:
    _only(table, "beam_width", 1)
    _only(table, "window_size", 0)
    _only(table, "step" if table.kind == "prefill" else "isl", 0 if table.kind == "prefill" else 1)
    known = ATTENTION_LABELS
    return [_known(table, "attn_dtype", known), _known(table, "kv_cache_dtype", known)]


def _collective(table: Table) -> list[NDArray[np.str_]]:
    heading = "nccl_dtype" if table.kind == "nccl" else "allreduce_dtype"
    return [
        _known(table, "op_name", COLLECTIVES),
        _known(table, heading, LINK_LABELS),
    ]


def cost(group: Group, ops: Operators, label: str | None = None) -> Cost:
    """The ledger's cost of every row at once; ``label`` reads the rows under another label."""
    sizes = {name: column(values) for name, values in group.sizes.items()}
    named = group.label if label is None else label
    if group.operator == "gemm":
        return gemm_cost(sizes, named, ops)
    if group.operator == "prefill":
        return prefill_cost(sizes, named, ops)
    if group.operator == "decode":
        return decode_cost(sizes, named, ops)
    return collective_cost(sizes, group.operator, named, ops)


def gemm_cost(sizes: Mapping[str, Any], label: str, ops: Operators) -> Cost:
    """A product under one of :data:`GEMM_LABELS`."""
    shape = (sizes["m"], sizes["n"], sizes["k"])
    _, left, right = GEMM_LABELS[label]
    if label == "fp8_block":
        return cast(Cost, ops.gemm_block_scaled(*shape, BLOCK, dtype=left, blocks="square"))
    product: Cost = ops.gemm(*shape, dtype=left, out="fp16")
    return product if left == right else mixed(product, ops.gemm(*shape, dtype=right), "B")


def prefill_cost(sizes: Mapping[str, Any], label: str, ops: Operators, causal: bool = True) -> Cost:
    """Attention of a prompt to itself; the label is "arithmetic/cache"."""
    arithmetic, cache = (ATTENTION_LABELS[part] for part in label.split("/"))
    shape = (sizes["heads"], sizes["head_dim"], sizes["seq"])
    options = {"kv_heads": sizes["kv_heads"], "causal": causal}
    one: Cost = ops.attention_prefill(*shape, dtype=arithmetic, **options)
    if cache != arithmetic:
        one = mixed(one, ops.attention_prefill(*shape, dtype=cache, **options), "K", "V")
    return one.times(sizes["batch"])


def decode_cost(sizes: Mapping[str, Any], label: str, ops: Operators) -> Cost:
    """One new token of every sequence against its cache; the label is "arithmetic/cache"."""
    arithmetic, cache = (ATTENTION_LABELS[part] for part in label.split("/"))
    shape = (sizes["heads"], sizes["head_dim"], sizes["keys"])
    options = {"kv_heads": sizes["kv_heads"], "cache": cache}
    one: Cost = ops.attention_decode(*shape, dtype=arithmetic, **options)
    return one.times(sizes["batch"])


def collective_cost(sizes: Mapping[str, Any], operator: str, label: str, ops: Operators) -> Cost:
    """A collective; an all-reduce as a ring, unless the label is "type, algorithm"."""
    function = getattr(ops, operator)
    name, _, algorithm = label.partition(", ")
    options = {"algorithm": algorithm} if algorithm else {}
    sent = function(sizes["elements"], sizes["ranks"], dtype=LINK_LABELS[name], **options)
    return cast(Cost, sent)
