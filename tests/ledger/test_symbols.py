"""One letter, one meaning, over the whole ledger."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

import pytest

from bookcode.ledger import DType, LatentModel, Machine, Model, symbols
from bookcode.ledger.symbols import Symbol
from bookcode.numbers.units import parse_unit

ARGUMENTS: dict[str, Symbol] = {
    name: value.__metadata__[0]
    for name, value in vars(symbols).items()
    if typing.get_origin(value) is typing.Annotated and isinstance(value.__metadata__[0], Symbol)
}
FIELDS = {
    f"{row.__name__}.{f.name}": f.metadata["symbol"]
    for row in (DType, LatentModel, Machine, Model)
    for f in dataclasses.fields(row)
    if "symbol" in f.metadata
}


def test_the_arguments_of_all_operators_have_different_letters() -> None:
    letters = [symbol.latex for symbol in ARGUMENTS.values()]
    assert len(letters) > 30
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize("name", FIELDS)
def test_a_rows_letter_means_what_the_arguments_letter_means(name: str) -> None:
    field = FIELDS[name]
    same = [s for s in (*ARGUMENTS.values(), *FIELDS.values()) if s.latex == field.latex]
    meanings = {s.meaning.replace("plain MLP", "MLP") for s in same}
    assert len(meanings) == 1, meanings


@pytest.mark.parametrize("symbol", [*ARGUMENTS.values(), *FIELDS.values()])
def test_every_letter_has_a_unit_and_a_meaning(symbol: Any) -> None:
    assert str(parse_unit(symbol.unit))
    assert len(symbol.meaning.split()) >= 1
