"""Every kind of formula that is printed can be set."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bookcode.ledger import DTYPES, MACHINES, ops
from bookcode.ledger.protocol import between, ceil, log10, maximum, minimum, select
from bookcode.numbers.book import Book
from bookcode.numbers.errors import EngineError
from bookcode.numbers.expr import Expr
from bookcode.numbers.latex import print_formula
from bookcode.numbers.records import NumberRecord
from bookcode.numbers.stand_ins import symbol_leaf
from bookcode.sphinxext.mathml import to_mathml

A, B = (symbol_leaf(name, "1", name, Fraction(7 * 10**9)) for name in ("a", r"H_{\mathrm{kv}}"))


@pytest.mark.parametrize(
    "expr",
    [
        (A + B) * A**2 / B - -A,
        maximum(A, B) + minimum(A, B) + ceil(A / B) + log10(A),
        select((A < B) & (A >= B) | ~(A == B), A, B),
        between(A, 1, B),
        Expr("number", "step.share_of-all", Fraction(1, 3)) * A,
    ],
)
def test_what_the_printer_prints_can_be_set(expr: Any) -> None:
    printed = print_formula(expr)
    for latex in (printed.symbolic, printed.substituted):
        for display in (True, False):
            math = to_mathml(latex, display)
            assert math.startswith("<math ")
            assert math.endswith("</math>")
            assert "merror" not in math


def test_what_the_ledger_prints_can_be_set() -> None:
    book = Book()
    machine = book.choice("machine", MACHINES, default="h200")
    dtype = book.choice("dtype", DTYPES, default="fp16")
    row = book.ledger(machine=machine, dtype=dtype)
    row("causal", ops.attention_prefill, heads=32, head_dim=128, seq=4096, causal=True, window=64)
    row("paged", ops.attention_decode, heads=32, head_dim=128, keys=4096, kv_heads=8, page=16)
    row("adamw", ops.adamw, parameters=7_000_000_000)
    found = [r for r in book._published.pending if isinstance(r, NumberRecord) and r.formula]
    assert len(found) == 15
    for record in found:
        assert record.formula is not None
        texts = [record.formula.symbolic, record.formula.substituted]
        texts += [part for entry in record.formula.where for part in entry[:2]]
        texts += [entry[0] for entry in record.formula.symbols]
        for latex in texts:
            assert "merror" not in to_mathml(latex, False)


def test_what_cannot_be_set_is_an_error() -> None:
    with pytest.raises(EngineError, match="KaTeX parse error"):
        to_mathml(r"\frac{1", False)
