"""Handles: expressions that a cell goes on calculating with, and cannot take a bare value from."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from bookcode.ledger import DTYPES, ops
from bookcode.ledger.protocol import ceil, log10, maximum, minimum, named, orders_above, select
from bookcode.numbers.book import Book
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.graph import (
    CallNode,
    FactNode,
    OperationNode,
    ParameterNode,
    below,
    calls,
    constants,
    is_allowed_constant,
    rests_on_something,
)
from bookcode.numbers.handles import Handle, HandleError, field_names, node_of
from bookcode.numbers.records import NumberRecord

Record = Callable[[Book, str], NumberRecord]


@pytest.fixture
def gemm(book: Book) -> Handle:
    return book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=512, n=512, k=512)


def value(handle: Handle) -> Any:
    return handle._value


def test_arithmetic_is_that_of_exact_numbers(gemm: Handle) -> None:
    flops, moved = Fraction(2 * 512**3), Fraction(3 * 2 * 512**2)
    f, b = gemm.flops, gemm.bytes
    for handle, expected in [
        (f + 1, flops + 1),
        (1 + f, 1 + flops),
        (f - 1, flops - 1),
        (1 - f, 1 - flops),
        (f * 2, 2 * flops),
        (2 * f, 2 * flops),
        (f / b, flops / moved),
        (1 / b, 1 / moved),
        (b**2, moved**2),
        (f > b, True),
        (f >= f, True),
        (f < b, False),
        (f <= b, False),
        (f == f + 0 * b, True),
        (f != b, True),
        ((f > b) & (f < b), False),
        ((f > b) | (f < b), True),
        (f.between(b, 10 * f), True),
        (f.orders_above(f / 100), 2),
        (gemm.bound_regime == "memory", True),
        (gemm.regime == gemm.bound_regime, False),
    ]:
        assert value(handle) == expected


def test_the_protocol_works_on_handles(gemm: Handle) -> None:
    f, b = gemm.flops, gemm.bytes
    ratio = value(f) / value(b)
    assert value(maximum(f / b, 1)) == ratio
    assert value(minimum(1, f / b)) == 1
    assert value(ceil(f / b)) == -(-ratio // 1)
    assert value(log10(f / f)) == 0
    assert value(orders_above(10 * f, f)) == 1
    assert value(select(f > b, f, b)) == value(f)
    assert value(named("W", f, "work")) == value(f)


def test_a_name_given_in_a_cell_is_explained_below(book: Book, record: Record) -> None:
    gemm = book.call(ops.gemm, m=8, n=8, k=8)
    book.publish("twice", 2 * named("W", gemm.flops, "the work"))
    formula = record(book, "twice").formula
    assert formula is not None
    assert (formula.symbolic, formula.where) == ("2 W", [["W", "2 M N K", "the work"]])


def test_a_misspelt_field_names_the_valid_ones(gemm: Handle) -> None:
    with pytest.raises(
        AttributeError, match=r"Timed has no field 'expcted'; did you mean expected"
    ):
        gemm.expcted  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"Timed has no field 'zzz'; known: bound, bound_regime"
    ):
        gemm.zzz  # noqa: B018
    with pytest.raises(AttributeError, match="Fraction has no field 'byte'"):
        gemm.flops.byte  # noqa: B018


def test_fields_and_methods_of_a_result(gemm: Handle) -> None:
    assert value(gemm.cost.bytes_of("A", "B")) == 2 * 2 * 512**2
    assert value(gemm.machine.name) == "h200"
    with pytest.raises(HandleError, match="is not a method"):
        gemm.flops("A")


def test_no_bare_value_comes_out(gemm: Handle) -> None:
    ways: list[Callable[[Any], Any]] = [
        *(bool, float, int, str, hash),
        lambda h: f"{h}",
        lambda h: f"{h:.2f}",
        lambda h: 1 if h else 2,
    ]
    for way in ways:
        with pytest.raises(HandleError, match=r"no bare value in a cell.*book\.claim\(\)"):
            way(gemm.flops)
    with pytest.raises(HandleError):
        max(gemm.flops, gemm.bytes)
    assert repr(gemm.flops) == "<handle of Fraction>"
    assert issubclass(HandleError, NumbersError)


def test_what_an_exact_number_cannot_do_a_handle_cannot(gemm: Handle) -> None:
    for way in (lambda h: h // 2, lambda h: h % 2, lambda h: 2**h, round, abs, len, list):
        with pytest.raises(TypeError):
            way(gemm.flops)


def test_field_names_are_those_that_can_be_published() -> None:
    cost = ops.gemm(1, 1, 1)
    assert set(field_names(cost)) == {
        "bytes", "channels", "flops", "intensity", "pipe", "traffic", "work",
    }  # fmt: skip
    assert field_names(DTYPES["fp16"]) == ["bytes", "name"]


# the graph ------------------------------------------------------------------------------------
@pytest.mark.parametrize("constant", [1, 2, 10, 1000, 10**12, Fraction(2), True, "compute"])
def test_allowed_constants(constant: Any) -> None:
    assert is_allowed_constant(constant)


@pytest.mark.parametrize(
    "constant", [0, 3, 20, 2000, 11, 101, -1, 0.5, 1e3, Fraction(1, 2), 731.5, None, 10**12 + 1]
)
def test_other_constants(constant: Any) -> None:
    assert not is_allowed_constant(constant)


def test_constants_are_those_of_the_cell_and_not_of_calls(book: Book, gemm: Handle) -> None:
    assert constants(node_of(gemm.flops * 3 + 7)) == [3, 7]
    assert constants(node_of(book.call(ops.gemm, m=3, n=7, k=5).flops * 2)) == [2]


def test_what_a_number_rests_on(book: Book, gemm: Handle) -> None:
    seq = book.parameter("seq", default=2, minimum=1, maximum=4, unit="tokens")
    fact = book.fact("h200.spec.bandwidth")
    node = node_of(gemm.flops * seq / fact + gemm.flops)
    kinds = [type(n) for n in below(node)]
    assert kinds[0] is OperationNode
    assert kinds.count(FactNode) == kinds.count(ParameterNode) == 1
    assert kinds.count(CallNode) == 2  # the operator and its timing, each once
    assert [call.function.__name__ for call in calls(node)] == ["timed", "gemm"]
    assert rests_on_something(node)
    assert not rests_on_something(OperationNode(max, (1, 2)))


def test_sharing_does_not_grow(book: Book) -> None:
    handle = book.call(ops.gemm, m=1, n=1, k=1).flops
    for _ in range(60):  # 2**60 paths, 60 nodes
        handle = handle + handle
    assert value(handle) == 2**61
    assert len(list(below(node_of(handle)))) < 70
    assert constants(node_of(handle)) == []
