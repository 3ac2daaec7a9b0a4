"""Readers of the measured times inside the pinned ``aiconfigurator`` wheel.

The files are comma-separated text named by system, framework and version. Members are read by name
from the store; nothing is extracted. What the files do not state (clocks, power, state of the
caches, seeds, repetitions) is unknown here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bookcode.reality.columns import Array
from bookcode.reality.errors import TableError, unknown
from bookcode.sources.members import Members

ARTIFACT: Final = "aiconfigurator==0.4.0"
DATA: Final = "aiconfigurator/systems/data/"
SYSTEMS: Final = {"a100_sxm": "a100", "b200_sxm": "b200", "h100_sxm": "h100", "h200_sxm": "h200"}
"""Folder of a system to the ledger's machine. The folder says what its makers use the rows for,
not on which device each row was measured: that is a column."""

REQUIRED: Final = {
    "gemm": ("gemm_dtype", "m", "n", "k"),
    "prefill": (
        *("attn_dtype", "kv_cache_dtype", "batch_size", "isl", "num_heads"),
        *("num_key_value_heads", "head_dim", "beam_width", "step"),
    ),
    "decode": (
        *("attn_dtype", "kv_cache_dtype", "batch_size", "isl", "num_heads"),
        *("num_key_value_heads", "head_dim", "beam_width", "step"),
    ),
    "nccl": ("nccl_dtype", "op_name", "num_gpus", "message_size"),
    "all-reduce": ("allreduce_dtype", "op_name", "num_gpus", "message_size"),
}
FILES: Final = {
    "gemm": "gemm_perf.txt",
    "prefill": "context_attention_perf.txt",
    "decode": "generation_attention_perf.txt",
    "nccl": "nccl_perf.txt",
    "all-reduce": "custom_allreduce_perf.txt",
}


@dataclass(frozen=True)
class Table:
    """One file of measurements.

    Attributes:
        member: its name inside the wheel.
        kind: a key of :data:`FILES`.
        system, set: the folder of the system, and "framework/version" below it.
        cells: the text of each column by its heading.
    """

    member: str
    kind: str
    system: str
    set: str
    cells: dict[str, Sequence[bytes]]
    _numbers: dict[str, Array] = field(default_factory=dict, repr=False)

    @property
    def data_set(self) -> str:
        """System, framework and version."""
        return f"{self.system}/{self.set}"

    def __len__(self) -> int:
        return len(self.cells["latency"])

    def number(self, name: str) -> Array:
        """A column as doubles.

        Raises:
            TableError: for a cell that is not a number.
        """
        if name not in self._numbers:
            self._numbers[name] = self._parse(name)
        return self._numbers[name]

    def _parse(self, name: str) -> Array:
        cells = self.cells[name]
        try:
            return np.array(cells, dtype="S").astype(np.float64)
        except ValueError:
            for index, cell in enumerate(cells):
                try:
                    float(cell)
                except ValueError:
                    raise TableError(self.member, index + 2, f"{name} = {cell!r}") from None
            raise

    def text(self, name: str, missing: str = "") -> NDArray[np.str_]:
        """A column as text; ``missing`` in every row when the file lacks it."""
        if name not in self.cells:
            return np.full(len(self), missing)
        return np.array(self.cells[name], dtype="S").astype(np.str_)

    @property
    def seconds(self) -> Array:
        """Measured times. Unit: s."""
        return self.number("latency") * 1e-3


def members_of(kind: str, members: Members) -> list[str]:
    """The wheel's files of a kind for the systems that the ledger knows, sorted by name."""
    return sorted(
        name
        for name in members.names
        if name.startswith(DATA)
        and name.endswith("/" + FILES[kind])
        and name.removeprefix(DATA).split("/")[0] in SYSTEMS
    )


def read(member: str, kind: str, members: Members) -> Table:
    """Read one file, every row of it.

    Raises:
        TableError: with the line, for a row that does not fit its heading, a missing column, or a
            time that is not positive.
    """
    content = members.read(member).content.replace(b"\r\n", b"\n")
    if b'"' in content:
        raise TableError(member, 0, "quoted cells are not expected")
    head, _, body = content.partition(b"\n")
    names = head.decode("ascii").split(",")
    if missing := [n for n in (*REQUIRED[kind], "latency") if n not in names]:
        raise TableError(member, 1, f"{unknown('column', missing[0], names)}")
    lines = body.rstrip(b"\n").split(b"\n")
    for number, line in enumerate(lines, 2):
        if line.count(b",") != len(names) - 1:
            raise TableError(member, number, f"{line.count(b',') + 1} cells for {len(names)}")
    cells = b",".join(lines).split(b",")
    system, _, rest = member.removeprefix(DATA).partition("/")
    columns: dict[str, Sequence[bytes]] = {
        name: cells[index :: len(names)] for index, name in enumerate(names)
    }
    table = Table(member, kind, system, rest.rpartition("/")[0], columns)
    times = table.seconds
    if bad := np.flatnonzero(~(times > 0) | ~np.isfinite(times)).tolist():
        raise TableError(member, bad[0] + 2, f"latency = {table.cells['latency'][bad[0]]!r}")
    return table


def read_all(kind: str, members: Members) -> Iterator[Table]:
    """Every file of a kind, one after the other."""
    for member in members_of(kind, members):
        yield read(member, kind, members)
