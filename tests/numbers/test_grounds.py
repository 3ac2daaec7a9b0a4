"""Which facts a number rests on through the rows of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.ledger import LINKS, MACHINES, ops
from bookcode.numbers.book import Book
from bookcode.numbers.records import NumberRecord

ROOT = Path(__file__).parents[2]
H200 = "machine h200"


@pytest.fixture
def book() -> Book:
    return Book(root=str(ROOT))


def record(book: Book, key: str) -> NumberRecord:
    found = book._records[key]
    assert isinstance(found, NumberRecord)
    return found


def test_only_the_values_that_stand_in_the_formula_count(book: Book) -> None:
    row = book.ledger(machine=book.choice("machine", MACHINES, default="h200"), dtype="fp16")
    row("gemm", ops.gemm, m=64, n=64, k=64)
    assert record(book, "gemm.flops").grounds == {}
    assert record(book, "gemm.bound").grounds == {
        H200: ["h200.spec.bandwidth", "h200.spec.fp16-dense"]
    }
    assert record(book, "gemm.expected").grounds == {
        H200: [
            "h200.recorded.burst",
            "h200.recorded.hbm",
            "h200.spec.bandwidth",
            "h200.spec.fp16-dense",
        ]
    }


def test_a_word_rests_on_what_it_compares(book: Book) -> None:
    book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=64, n=64, k=64)
    assert record(book, "gemm.bound-regime").formula is None
    assert record(book, "gemm.bound-regime").grounds == record(book, "gemm.bound").grounds


def test_of_two_types_with_one_peak_the_one_asked_for_is_named(book: Book) -> None:
    for dtype in ("fp16", "bf16"):
        row = book.ledger(machine="h200", dtype=dtype)
        row(dtype, ops.gemm, m=64, n=64, k=64)
        keys = record(book, f"{dtype}.bound").grounds[H200]
        assert f"h200.spec.{dtype}-dense" in keys
        assert len(keys) == 2


def test_a_parameter_s_own_row_counts(book: Book) -> None:
    machine = book.choice("machine", MACHINES, default="h200")
    book.publish("balance", machine.balance("fp16"))
    assert record(book, "balance").grounds == {
        H200: ["h200.spec.bandwidth", "h200.spec.fp16-dense"]
    }


def test_a_link_is_named_by_its_kind(book: Book) -> None:
    row = book.ledger(machine="h200", dtype="bf16", link=LINKS["nic"])
    row("reduce", ops.all_reduce, elements=1024, ranks=8)
    assert record(book, "reduce.bound").grounds[H200] == ["link.ndr400.one-way"]


def test_what_published_operands_rest_on_is_theirs(book: Book) -> None:
    row = book.ledger(machine="h200", dtype="fp16")
    first = row("first", ops.gemm, m=64, n=64, k=64)
    second = row("second", ops.gemm, m=32, n=32, k=32)
    total = book.publish("sum", first.bound + second.bound)
    book.publish("share", first.bound / total)
    assert record(book, "sum").grounds == {}
    assert record(book, "sum").uses == ["first.bound", "second.bound"]
    assert record(book, "share").uses == ["first.bound", "sum", "second.bound"]
    assert record(book, "first.bound").uses == []
