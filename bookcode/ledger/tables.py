"""Tables of named rows (dtypes, machines, links, models) and the dtypes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from bookcode.ledger.errors import UnknownNameError
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import quantity


class Named(Protocol):
    """A row of a table."""

    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Named)


class Table(Mapping[str, Row], Generic[Row]):
    """Rows by name; an unknown name is an error that names the nearest ones."""

    def __init__(self, kind: str, rows: Iterable[Row]) -> None:
        self.kind = kind
        self._rows = {row.name: row for row in rows}

    def __getitem__(self, name: str) -> Row:
        try:
            return self._rows[name]
        except KeyError:
            raise UnknownNameError(self.kind, name, self._rows) from None

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True)
class DType:
    """A storage type of tensor elements, of scales ("e8m0" holds powers of two) or of indices."""

    name: str
    bytes: Number = quantity("b", "B", "bytes of one element")


DTYPES: Table[DType] = Table(
    "dtype",
    [
        DType("fp64", Fraction(8)),
        DType("fp32", Fraction(4)),
        DType("tf32", Fraction(4)),
        DType("fp16", Fraction(2)),
        DType("bf16", Fraction(2)),
        DType("fp8", Fraction(1)),
        DType("int8", Fraction(1)),
        DType("fp4", Fraction(1, 2)),
        DType("int4", Fraction(1, 2)),
        DType("e8m0", Fraction(1)),
        DType("int32", Fraction(4)),
        DType("int64", Fraction(8)),
    ],
)

TABLES: dict[type, Table[Any]] = {DType: DTYPES}
"""Which table the rows of a class come from; machines, links and models add theirs."""
