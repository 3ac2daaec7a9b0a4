"""Values changed a little: always to another value of the same kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.mutants._values import altered, nudged


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ("4800e9", "4801e9"),
        ("0.7370", "0.7371"),
        ("0.9", "0.8"),
        ("9", "8"),
        ("19", "10"),
        ("85899345920", "85899345921"),
        ("-5", "-6"),
        ("1E3", "2E3"),
        ("989.5e12", "989.6e12"),
        ("8/3", "8/4"),
    ],
)
def test_the_last_digit_changes(value: str, changed: str) -> None:
    assert nudged(value) == changed


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0))
def test_a_number_stays_a_positive_number_and_changes(value: Any) -> None:
    text = str(value)
    assert Fraction(nudged(text)) != Fraction(text)
    assert Fraction(nudged(text)) > 0


@pytest.mark.parametrize(
    "value", [True, False, 0, 7, "", "text", "12", "-3/4", [], ["a"], {}, {"a": 1}, None]
)
def test_every_value_of_a_lock_becomes_another(value: Any) -> None:
    assert altered(value) != value
    if value is not None:
        assert type(altered(value)) is type(value)


def test_what_no_lock_holds_is_refused() -> None:
    with pytest.raises(TypeError, match="a lock holds no float"):
        altered(0.5)
