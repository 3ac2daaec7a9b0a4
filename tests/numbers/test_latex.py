"""Formulas exactly as a textbook prints them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from bookcode.ledger import ops
from bookcode.ledger.protocol import between, ceil, log10, maximum, minimum, named, select
from bookcode.numbers.book import Book
from bookcode.numbers.expr import Expr, lift
from bookcode.numbers.latex import FormulaError, number_latex, print_formula
from bookcode.numbers.records import FormulaText, NumberRecord
from bookcode.numbers.stand_ins import parameter_leaf, symbol_leaf

Record = Callable[[Book, str], NumberRecord]


def symbol(latex: str, value: int = 7, meaning: str = "") -> Expr:
    return symbol_leaf(latex, "1", meaning or f"the letter {latex}", Fraction(value))


A, B, C = symbol("a", 2), symbol("b", 3), symbol("c", 4)


def formula(record: NumberRecord) -> FormulaText:
    assert record.formula is not None
    return record.formula


# of the ledger -------------------------------------------------------------------------------
def test_gemm_reads_2mnk_and_not_2kmn(book: Book, record: Record) -> None:
    gemm = book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=512, n=1024, k=2048)
    flops = formula(record(book, "gemm.flops"))
    assert flops.symbolic == "2 M N K"
    assert flops.substituted == r"2 \cdot 512 \cdot 1024 \cdot 2048"
    assert [entry[0] for entry in flops.symbols] == ["M", "N", "K"]
    assert [entry[2] for entry in flops.symbols] == ["512", "1024", "2048"]
    assert formula(record(book, "gemm.bytes")).symbolic == "M K b + K N b + M N b"
    assert formula(record(book, "gemm.intensity")).symbolic == (
        r"\frac{2 M N K}{M K b + K N b + M N b}"
    )
    book.publish("gemm.written", gemm.cost.bytes_of("C"))
    assert formula(record(book, "gemm.written")).symbolic == "M N b"


def test_attention_keeps_its_brackets(book: Book, record: Record) -> None:
    cost = book.call(ops.attention_prefill, heads=32, head_dim=128, seq=4096)
    book.publish("attention.flops", cost.flops)
    printed = formula(record(book, "attention.flops"))
    assert printed.symbolic == r"H \left(4 S^{2} d + 5 S^{2}\right)"
    assert printed.substituted == (r"32 \left(4 \cdot 4096^{2} \cdot 128 + 5 \cdot 4096^{2}\right)")


def test_adamw_does_not_fold_its_terms(book: Book, record: Record) -> None:
    book.publish("adamw.bytes", book.call(ops.adamw_per_parameter).bytes)
    published = record(book, "adamw.bytes")
    assert formula(published).symbolic == "b_{g} + 3 b_{s} + 3 b_{s}"
    assert formula(published).substituted == r"2 + 3 \cdot 4 + 3 \cdot 4"
    assert (published.value, published.unit) == ("26", "B")


def test_a_named_intermediate_is_explained_below(
    book: Book, mini: ModuleType, record: Record
) -> None:
    book.publish("halves", mini.halves, n=9)
    printed = formula(record(book, "halves"))
    assert printed.symbolic == "W + W"
    assert printed.where == [["W", r"\frac{N \left(N + 1\right)}{2}", "pairs"]]
    assert printed.substituted == (
        r"\frac{9 \left(9 + 1\right)}{2} + \frac{9 \left(9 + 1\right)}{2}"
    )


def test_a_constant_count_has_a_unit(book: Book, record: Record) -> None:
    book.publish("adamw.flops", book.call(ops.adamw_per_parameter).flops)
    published = record(book, "adamw.flops")
    assert (formula(published).symbolic, published.unit) == ("15", "FLOP")


def test_the_bound_shows_peak_and_bandwidth(book: Book, record: Record) -> None:
    book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=8, n=8, k=8)
    bound = formula(record(book, "gemm.bound"))
    assert bound.symbolic.startswith(r"\max\left(\frac{")
    letters = {entry[0]: entry[2] for entry in bound.symbols}
    assert letters[r"\pi"] == r"989.5 \cdot 10^{12}"
    assert letters[r"\beta"] == r"4.8 \cdot 10^{12}"


def test_composed_numbers_appear_under_their_keys(book: Book, record: Record) -> None:
    row = book.ledger(machine="h200", dtype="fp16")
    small, big = row("a.small", ops.gemm, m=8, n=8, k=8), row("big", ops.gemm, m=16, n=16, k=16)
    book.publish("ratio", big.flops / small.flops)
    printed = formula(record(book, "ratio"))
    assert printed.symbolic == r"\frac{\text{big.flops}}{\text{a.small.flops}}"
    assert printed.substituted == r"\frac{8192}{1024}"
    assert printed.symbols[0][1] == "published number big.flops"


def test_one_letter_for_two_things_is_an_error(book: Book, mini: ModuleType) -> None:
    first = book.call(mini.product, m=1, n=2, k=3)
    second = book.call(mini.product, m=4, n=2, k=3)
    with pytest.raises(
        FormulaError, match=r"'sum': the letter M would stand for .*'1'.* and .*'4'"
    ):
        book.publish("sum", first + second)
    one, two = book.publish("one", first), book.publish("two", second)
    assert book.value(book.publish("sum", one + two)) == 60


def test_two_meanings_of_one_letter_are_an_error() -> None:
    batch, size = symbol("b", 4, "sequences in a batch"), symbol("b", 4, "bytes of one element")
    with pytest.raises(
        FormulaError, match=r"letter b .*sequences in a batch.*bytes of one element"
    ):
        print_formula(batch * size)


def test_a_letter_is_not_also_an_intermediate() -> None:
    with pytest.raises(FormulaError, match="both a size and an intermediate"):
        print_formula(named("a", B + 1, "more") * A)


def test_an_intermediate_has_one_definition() -> None:
    with pytest.raises(FormulaError, match="letter W"):
        print_formula(named("W", A + B, "w") * named("W", A + C, "w"))


# of any expression ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expr", "symbolic", "substituted"),
    [
        (A + B + C, "a + b + c", "2 + 3 + 4"),
        (A + (B + C), "a + b + c", "2 + 3 + 4"),
        (A - (B - C), r"a - \left(b - c\right)", r"2 - \left(3 - 4\right)"),
        (A - B - C, "a - b - c", "2 - 3 - 4"),
        (A - (B + C), r"a - \left(b + c\right)", r"2 - \left(3 + 4\right)"),
        (A + B - C, "a + b - c", "2 + 3 - 4"),
        (A * B * C, "a b c", r"2 \cdot 3 \cdot 4"),
        (A * (B * C), r"a \left(b c\right)", r"2 \left(3 \cdot 4\right)"),
        (A * 2, r"a \cdot 2", r"2 \cdot 2"),
        (2 * A, "2 a", r"2 \cdot 2"),
        ((A + B) * C, r"\left(a + b\right) c", r"\left(2 + 3\right) \cdot 4"),
        (A / B, r"\frac{a}{b}", r"\frac{2}{3}"),
        ((A + B) / (B - C), r"\frac{a + b}{b - c}", r"\frac{2 + 3}{3 - 4}"),
        (A / B / C, r"\frac{\frac{a}{b}}{c}", r"\frac{\frac{2}{3}}{4}"),
        (2 * (A / B), r"2 \cdot \frac{a}{b}", r"2 \cdot \frac{2}{3}"),
        (A**2, "a^{2}", "2^{2}"),
        ((A + B) ** 2, r"\left(a + b\right)^{2}", r"\left(2 + 3\right)^{2}"),
        ((A * B) ** 2, r"\left(a b\right)^{2}", r"\left(2 \cdot 3\right)^{2}"),
        ((A**2) ** 3, r"\left(a^{2}\right)^{3}", r"\left(2^{2}\right)^{3}"),
        (2 * A**2 * B, "2 a^{2} b", r"2 \cdot 2^{2} \cdot 3"),
        (-A + B, "-a + b", "-2 + 3"),
        (A * -B, r"a \left(-b\right)", r"2 \left(-3\right)"),
        (-(A + B), r"-\left(a + b\right)", r"-\left(2 + 3\right)"),
        (-A * B, r"\left(-a\right) b", r"\left(-2\right) \cdot 3"),
        ((A / B) ** 2, r"\left(\frac{a}{b}\right)^{2}", r"\left(\frac{2}{3}\right)^{2}"),
        (maximum(A, B + 1), r"\max\left(a,\; b + 1\right)", r"\max\left(2,\; 3 + 1\right)"),
        (minimum(A, B), r"\min\left(a,\; b\right)", r"\min\left(2,\; 3\right)"),
        (2 * maximum(A, B), r"2 \max\left(a,\; b\right)", r"2 \max\left(2,\; 3\right)"),
        (ceil(A / B), r"\left\lceil\frac{a}{b}\right\rceil", r"\left\lceil\frac{2}{3}\right\rceil"),
        (
            ceil(A / B) ** 2,
            r"\left\lceil\frac{a}{b}\right\rceil^{2}",
            r"\left\lceil\frac{2}{3}\right\rceil^{2}",
        ),
        (log10(A), r"\log_{10}\left(a\right)", r"\log_{10}\left(2\right)"),
        (A < B, "a < b", "2 < 3"),
        (A >= B + 1, r"a \ge b + 1", r"2 \ge 3 + 1"),
        ((A == B) & (B != C), r"\left(a = b\right) \wedge \left(b \ne c\right)", None),
        ((A <= B) | (B > C), r"\left(a \le b\right) \vee \left(b > c\right)", None),
        (~(A < B), r"\neg \left(a < b\right)", r"\neg \left(2 < 3\right)"),
        (between(A, 1, B), r"1 \le a \le b", r"1 \le 2 \le 3"),
        (
            select(A < B, A, B + 1),
            r"\begin{cases}a & a < b \\ b + 1 & \text{otherwise}\end{cases}",
            r"\begin{cases}2 & 2 < 3 \\ 3 + 1 & \text{otherwise}\end{cases}",
        ),
    ],
)
def test_grouping(expr: Expr, symbolic: str, substituted: str | None) -> None:
    printed = print_formula(expr)
    assert printed.symbolic == symbolic
    if substituted is not None:
        assert printed.substituted == substituted


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4096, "4096"),
        (9999, "9999"),
        (10_000, r"10\,000"),
        (131_072, r"131\,072"),
        (989_500_000_000_000, r"989.5 \cdot 10^{12}"),
        (4_800_000_000_000, r"4.8 \cdot 10^{12}"),
        (1_000_000, "10^{6}"),
        (7_000_000, r"7 \cdot 10^{6}"),
        (1_234_567, r"1\,234\,567"),
        (Fraction(737, 1000), "0.737"),
        (Fraction(1, 2), "0.5"),
        (Fraction(15, 2), "7.5"),
        (Fraction(1, 3), r"\frac{1}{3}"),
        (-3, "-3"),
        (Fraction(-1, 3), r"-\frac{1}{3}"),
        ("fp16", r"\text{fp16}"),
    ],
)
def test_numbers_in_formulas(value: Any, shown: str) -> None:
    assert number_latex(value) == shown


@pytest.mark.parametrize(
    ("expr", "shown"),
    [
        (A - lift(-3), r"2 - \left(-3\right)"),
        (A + lift(-3), r"2 + \left(-3\right)"),
        (A + -B, r"2 + \left(-3\right)"),
        (A * lift(-3), r"2 \left(-3\right)"),
        (lift(-3) + A, "-3 + 2"),
        (lift(-3) ** 2, r"\left(-3\right)^{2}"),
        (lift(10**9) ** 2, r"\left(10^{9}\right)^{2}"),
        (lift(Fraction(1, 3)) ** 2, r"\left(\frac{1}{3}\right)^{2}"),
        (lift(Fraction(-1, 3)) * A, r"\left(-\frac{1}{3}\right) \cdot 2"),
        (symbol("x", 7 * 10**9) ** 2, r"\left(7 \cdot 10^{9}\right)^{2}"),
        (2 * symbol("x", 7 * 10**9), r"2 \cdot 7 \cdot 10^{9}"),
        (symbol("x", 1) / symbol("y", 3) * A, r"\frac{1}{3} \cdot 2"),
        (2 * lift(Fraction(1, 3)), r"2 \cdot \frac{1}{3}"),
    ],
)
def test_numbers_keep_their_brackets(expr: Expr, shown: str) -> None:
    assert print_formula(expr).substituted == shown


def test_the_text_of_a_key_is_safe_in_latex() -> None:
    leaf = Expr("number", "step.share_of-all", Fraction(3))
    assert print_formula(leaf).symbolic == r"\text{step.share\_of-all}"


def test_a_variable_is_no_letter() -> None:
    with pytest.raises(FormulaError, match="'var'"):
        print_formula(parameter_leaf("seq") * A)
