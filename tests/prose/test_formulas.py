"""Typed math is recognised as a published formula, however it is written."""

from __future__ import annotations

import pytest
from docutils import nodes
from docutils.utils import new_document
from hypothesis import given
from hypothesis import strategies as st

from bookcode.prose import FormulaIndex, TypedMath, find_math
from bookcode.prose._formulas import normal_form

FORMULAS = {
    "gemm": "2 M N K",
    "ring": r"\frac{2 \left(R - 1\right)}{R} P b",
    "attention": r"H \left(4 S^{2} d + 5 S^{2}\right)",
    "balance": r"\frac{\pi}{\beta}",
    "gemm.intensity": r"\frac{2 M N K}{M K b + K N b + M N b}",
    "adamw": "b_{g} + 3 b_{s} + 3 b_{s}",
    "heads": r"H_{\mathrm{kv}}",
    "size": "n",
    "constant": "15",
    "again": "2 M N K",
}
INDEX = FormulaIndex(FORMULAS.items())


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("2MNK", "gemm"),
        ("2NMK", "gemm"),
        (r"2\,M\,N\,K", "gemm"),
        (r"2 \cdot M \cdot N \times K", "gemm"),
        (r"F = 2MNK.", "gemm"),
        (r"F &= 2MNK \\ G &= 3", "gemm"),
        (r"2MNK \approx x", "gemm"),
        (r"2 (R-1) P b / R", "ring"),
        (r"\dfrac{2(R-1)}{R}Pb", "ring"),
        (r"H(5S^2 + 4S^2d)", "attention"),
        (r"H\bigl(4S^{2}d+5S^2\bigr)", "attention"),
        (r"\pi/\beta", "balance"),
        ("π/β", "balance"),
        (r"2MNK/(MKb+KNb+MNb)", "gemm.intensity"),
        (r"3b_s + b_g + 3b_{s}", "adamw"),
    ],
)
def test_another_writing_of_the_same_formula(typed: str, key: str) -> None:
    assert INDEX.same_formula(typed)[0] == key


@pytest.mark.parametrize(
    "typed",
    ["3MNK", "2MN", "2M^2NK", r"\beta/\pi", "n", "15", r"H_{\mathrm{kv}}", "", "x = y",
     r"2(R+1)Pb/R", r"H(4S^2d - 5S^2)", "{", "^", "_", "/", r"\frac", r"\frac{a}"],
)  # fmt: skip
def test_another_formula_or_a_letter_alone(typed: str) -> None:
    assert INDEX.same_formula(typed) == []


def test_all_keys_of_a_formula_are_named_once() -> None:
    assert INDEX.same_formula("2MNK = 2NMK") == ["gemm", "again"]


@pytest.mark.parametrize("latex", FORMULAS.values())
def test_a_formula_is_itself(latex: str) -> None:
    assert normal_form(latex) == normal_form(f" {latex} ")


@given(st.permutations(["2", "M", "N^{2}", r"\left(a + b\right)", r"K_{\mathrm{x}}"]))
def test_the_order_of_factors_does_not_count(factors: list[str]) -> None:
    assert normal_form(" ".join(factors)) == normal_form(r"2 M N^2 (b+a) K_{\mathrm{x}}")


@given(st.text(alphabet=r"ab2+-/^_{}()[]\ =."))
def test_any_text_has_a_normal_form(text: str) -> None:
    assert isinstance(normal_form(text), str)
    assert INDEX.same_formula(text) is not None


def test_math_of_a_page_with_its_place_and_without_what_was_made() -> None:
    source = "One\n\nwith $2MNK$ and\n\n$$\nx\n$$\n"
    document = new_document("page.md")
    paragraph = nodes.paragraph("", "", nodes.Text("with "), nodes.math("", "2MNK"))
    block = nodes.math_block("", "x")
    paragraph.line, block.line = 3, 5
    made = nodes.container("", nodes.math_block("", "y"), bookcode="formula")
    document += [paragraph, block, made, nodes.math("", "z", bookcode="formula")]
    assert find_math(document, source) == [TypedMath(3, 7, "2MNK"), TypedMath(6, 1, "x")]
