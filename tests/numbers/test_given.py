"""Sizes of examples, read off the ledger calls that they were given to."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.ledger import ops
from bookcode.numbers.book import Book, BookError
from bookcode.numbers.records import NumberRecord

ROOT = Path(__file__).parents[2]


@pytest.fixture
def book() -> Book:
    return Book(root=str(ROOT))


def record(book: Book, key: str) -> NumberRecord:
    found = book._records[key]
    assert isinstance(found, NumberRecord)
    return found


def test_a_size_is_the_one_the_call_was_given(book: Book) -> None:
    cost = book.call(ops.gemm, m=512, n=1024, k=2048)
    book.publish("gemm.k", book.given(cost, "k"), spec="int")
    published = record(book, "gemm.k")
    assert (published.value, published.unit, published.parameters) == ("2048", "1", [])
    assert published.formula is not None
    assert published.formula.symbolic == "K"
    assert published.place.startswith("bookcode/ledger/ops/gemm.py:")


def test_a_size_that_is_a_parameter_follows_it(book: Book) -> None:
    seq = book.parameter("seq_len", default=4096, minimum=512, maximum=8192, unit="tokens")
    cost = book.call(ops.attention_prefill, heads=32, head_dim=128, seq=seq)
    book.publish("attention.seq", book.given(cost, "seq"))
    assert record(book, "attention.seq").parameters == ["seq_len"]


def test_a_row_knows_the_sizes_of_its_operator(book: Book) -> None:
    gemm = book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=8, n=16, k=32)
    book.publish("gemm.n", book.given(gemm, "n"))
    assert record(book, "gemm.n").value == "16"


@pytest.mark.parametrize("name", ["kk", "dtype", "out"])
def test_what_is_no_given_size_is_an_error(book: Book, name: str) -> None:
    cost = book.call(ops.gemm, m=512, n=512, k=512, dtype="bf16")
    with pytest.raises(BookError, match=f"no size '{name}'"):
        book.given(cost, name)
