"""What a typed number is worth, and which published value it repeats."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.prose import PublishedIndex, parse_quantity
from bookcode.prose._units import unit_of

INDEX = PublishedIndex(
    [
        ("num", "gemm.time", 188.4872e-6, "s", "188.5 µs"),
        ("num", "gemm.flops", 137438953472, "FLOP", "137.4 GFLOP"),
        ("num", "gemm.intensity", 4096 / 3, "FLOP/B", "1,365 FLOP/B"),
        ("num", "add.intensity", 1 / 6, "FLOP/B", "1/6 FLOP/B"),
        ("num", "step.share", 0.27911, "", "27.9 %"),
        ("num", "step.ratio", 3.02, "1", "3.0 ×"),
        ("num", "weights", 14495514624, "B", "14.5 GB"),
        ("num", "delta", -0.031, "", "−3.1 %"),
        ("num", "tiles", 512, "tile", "512 tiles"),
        ("fact", "h200.bandwidth", 4.8e12, "B/s", "4.8 TB/s"),
        ("holds", "gemm.regime", math.nan, "", "compute-bound"),
    ]
)


@pytest.mark.parametrize(
    ("text", "value", "step", "dimension"),
    [
        ("188.5 µs", Fraction("0.0001885"), Fraction(1, 10**7), "s"),
        ("6.58GB", 6_580_000_000, 10**7, "B"),
        ("27.9 %", Fraction(279, 1000), Fraction(1, 1000), ""),
        ("1,365", 1365, 1, ""),
        ("8 030 261 248", 8030261248, 1, ""),
        ("1.5 × 10⁹ FLOP", 15 * 10**8, 10**8, "FLOP"),
        ("1.5 x 10^-3 s", Fraction(15, 10**4), Fraction(1, 10**4), "s"),
        ("989.4e12 FLOP/s", 9894 * 10**11, 10**11, "FLOP/s"),
        ("989.4 TFLOPS", 9894 * 10**11, 10**11, "FLOP/s"),
        ("16 FLOP per byte", 16, 1, "FLOP/B"),
        ("26 B/parameter", 26, 1, "B/parameter"),
        ("4096³", 4096**3, 0, ""),
        ("2^53", 2**53, 0, ""),
        ("1/6", Fraction(1, 6), 0, ""),
        ("−3 %", Fraction(-3, 100), Fraction(1, 100), ""),
        ("×2", 2, 1, ""),
        ("2x", 2, 1, ""),
        ("10-fold", 10, 1, ""),
        ("three times", 3, 1, ""),
        ("ten percent", Fraction(1, 10), Fraction(1, 100), ""),
        ("twice", 2, 1, ""),
        ("half", Fraction(1, 2), 0, ""),
        ("三倍", 3, 1, ""),
        ("3 个百分点", Fraction(3, 100), Fraction(1, 100), ""),
        ("1.2 万", 12000, 1000, ""),
        ("8.03 billion", 8_030_000_000, 10**7, ""),
        ("１２８字节", 128, 1, "B"),
        ("two orders of magnitude", 2, 1, "order"),
        ("162 KiB", 162 * 1024, 1024, "B"),
    ],
)
def test_a_typed_number_is_worth(
    text: str, value: Fraction, step: Fraction, dimension: str
) -> None:
    quantity = parse_quantity(text)
    assert quantity is not None
    assert (quantity.value, quantity.step, quantity.dimension) == (value, step, dimension)


@pytest.mark.parametrize(
    "text",
    [
        *("", "fast", "tens", "seventeen", "1 to 3", "3–5", "12 parrots", "1 FLOP/parrot"),
        *("1/0", "0^-1", "1e999999999", "10^99999", "9" * 5000),
    ],
)
def test_what_is_no_single_number_has_no_value(text: str) -> None:
    assert parse_quantity(text) is None


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("188.5 µs", ["gemm.time"]),
        ("188 µs", ["gemm.time"]),
        ("0.19 ms", ["gemm.time"]),
        ("188.5", ["gemm.time"]),
        ("187 µs", []),
        ("188.4 µs", []),
        ("188.5 ms", []),
        ("188.5 GB", []),
        ("137 GFLOP", ["gemm.flops"]),
        ("137.4 GFLOPs", ["gemm.flops"]),
        ("137 GFLOP/s", []),
        ("1365", ["gemm.intensity"]),
        ("1365.3 FLOP per byte", ["gemm.intensity"]),
        ("1/6", ["add.intensity"]),
        ("28%", ["step.share"]),
        ("27.9 percent", ["step.share"]),
        ("0.279", ["step.share"]),
        ("three times", ["step.ratio"]),
        ("三倍", ["step.ratio"]),
        ("3.0x", ["step.ratio"]),
        ("13.5 GiB", ["weights"]),
        ("14,496 MB", ["weights"]),
        ("−3 %", ["delta"]),
        ("3 %", []),
        ("512", ["tiles"]),
        ("51", []),
        ("4800 GB/s", ["h200.bandwidth"]),
        ("Compute-bound", ["gemm.regime"]),
        ("memory-bound", []),
    ],
)
def test_the_published_value_a_text_repeats(text: str, keys: list[str]) -> None:
    assert [key for _, key, _ in INDEX.same_value(text, "en")] == keys


def test_role_and_shown_text_come_along() -> None:
    assert INDEX.same_value("4.8 TB/s", "zh_CN") == [("fact", "h200.bandwidth", "4.8 TB/s")]


def test_the_text_as_shown_comes_before_what_only_rounds_to_it() -> None:
    index = PublishedIndex(
        [
            ("num", "plain", 2.0, "", "2.0"),
            ("num", "rounded", 2.04e-6, "s", "2.04 µs"),
            ("num", "shown", 1.96e-6, "s", "2.0 µs"),
        ]
    )
    assert [key for _, key, _ in index.same_value("2.0 µs", "en")] == ["shown", "rounded"]
    assert [key for _, key, _ in index.same_value("2.0", "en")] == ["plain", "shown"]


def test_one_key_is_suggested_once() -> None:
    index = PublishedIndex([("num", "a", 2.0, "", "2"), ("num", "a", 2.0, "", "2")])
    assert index.same_value("2", "en") == [("num", "a", "2")]


def test_half_is_rounded_up_as_the_book_shows_it() -> None:
    index = PublishedIndex([("num", "a", 2.5, "", "2.5")])
    assert index.same_value("3 ×", "en") == [("num", "a", "2.5")]
    assert index.same_value("2 ×", "en") == []


@given(
    value=st.floats(1e-3, 1e15),
    decimals=st.integers(0, 4),
    unit=st.sampled_from(["s", "B", "FLOP/s", "FLOP/B", ""]),
)
def test_a_value_is_found_by_what_it_rounds_to(value: float, decimals: int, unit: str) -> None:
    scaled = math.floor(Fraction(value) * 10**decimals + Fraction(1, 2))
    typed = f"{scaled // 10**decimals}"
    if decimals:
        typed += f".{scaled % 10**decimals:0{decimals}d}"
    index = PublishedIndex([("num", "key", value, unit, "something else")])
    if scaled:
        assert index.same_value(f"{typed} {unit}".strip(), "en") == [
            ("num", "key", "something else")
        ]


@given(st.text())
def test_any_text_can_be_looked_up(text: str) -> None:
    assert isinstance(INDEX.same_value(text, "en"), list)


def test_compound_units_multiply_out() -> None:
    unit = unit_of("GB/ms")
    assert unit is not None
    assert unit == (Fraction(10**12), "B/s")
    assert unit_of("B per cycle") == unit_of("B/cycle")
    assert unit_of("parrot") is None
