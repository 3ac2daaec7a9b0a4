"""Predicates written out: every way to weaken one changes the text."""

from __future__ import annotations

from typing import Any

import pytest

from bookcode.ledger import MACHINES, ops
from bookcode.numbers.book import Book
from bookcode.numbers.handles import node_of
from bookcode.numbers.predicates import written


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    book = Book()
    machine = book.choice("machine", MACHINES, default="h200")
    size = book.parameter("size", default=64, minimum=32, maximum=128, unit="1")
    row = book.ledger(machine=machine, dtype="fp16")
    big = row("big", ops.gemm, m=4096, n=4096, k=4096)
    call = book.call(ops.gemm, m=1, n=2, k=3, dtype="fp8")
    return {"book": book, "machine": machine, "size": size, "big": big, "call": call}


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        ("big.flops > 1000", "(big.flops > 1000)"),
        ("big.flops >= 1000", "(big.flops >= 1000)"),
        ("1000 > big.flops", "(big.flops < 1000)"),
        ("big.regime == 'compute'", "(big.regime == 'compute')"),
        ("big.regime != 'compute'", "(big.regime != 'compute')"),
        ("2 * (big.flops + big.flops) < 1", "((2 * (big.flops + big.flops)) < 1)"),
        ("2 * big.flops + big.flops < 1", "(((2 * big.flops) + big.flops) < 1)"),
        ("big.flops - 1 < big.bytes / 10", "((big.flops - 1) < (big.bytes / 10))"),
        (
            "(big.flops <= 1) & (big.bytes == 2) | (big.bytes < 1)",
            "(((big.flops <= 1) & (big.bytes == 2)) | (big.bytes < 1))",
        ),
        ("big.flops.between(1, 10)", "between(big.flops, 1, 10)"),
        ("big.flops ** 3 > 1", "(power(big.flops, 3) > 1)"),
        ("big.flops.orders_above(big.bytes) > 2", "(log10((big.flops / big.bytes)) > 2)"),
        ("call.flops > big.flops", "(gemm(m=1, n=2, k=3, dtype='fp8').flops > big.flops)"),
        ("call.bytes_of('A') < size", "(gemm(m=1, n=2, k=3, dtype='fp8').bytes_of('A') < size)"),
        ("machine.bandwidth > 1", "(machine.bandwidth > 1)"),
        ("book.given(call, 'k') > 2", "(gemm(m=1, n=2, k=3, dtype='fp8')[k] > 2)"),
        ("book.fact('h200.spec.bandwidth') > 1", "(h200.spec.bandwidth > 1)"),
    ],
)
def test_a_predicate_as_text(things: dict[str, Any], predicate: str, text: str) -> None:
    assert written(node_of(eval(predicate, dict(things)))) == text


def test_a_row_of_a_table_goes_by_its_name() -> None:
    assert written(MACHINES["h200"]) == "h200"
    assert written(True) == "True"


def test_a_claim_carries_its_predicate(things: dict[str, Any]) -> None:
    book = things["book"]
    book.claim("big.claim", things["big"].regime == "compute", says="compute-bound")
    assert book._records["big.claim"].predicate == "(big.regime == 'compute')"
