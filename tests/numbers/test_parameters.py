"""Chapter parameters: declared once, checked, and tried at the same points every time."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, MACHINES
from bookcode.numbers.parameters import (
    Choice,
    ParameterError,
    Quantity,
    points,
    python_value,
)


def quantity(**changes: Any) -> Quantity:
    given: dict[str, Any] = {
        "name": "seq_len",
        "title": "sequence length",
        "unit": "tokens",
        "default": 4096,
        "minimum": 128,
        "maximum": 131_072,
        "step": 128,
    }
    return Quantity(**{**given, **changes})


def test_describes_itself_for_the_page() -> None:
    assert quantity().describe() == {
        "kind": "quantity",
        "name": "seq_len",
        "title": "sequence length",
        "unit": "tokens",
        "default": 4096,
        "minimum": 128,
        "maximum": 131_072,
        "step": 128,
    }
    dtype = Choice("dtype", "type", "fp16", {name: DTYPES[name] for name in ("fp16", "fp8")})
    assert dtype.describe() == {
        "kind": "choice",
        "name": "dtype",
        "title": "type",
        "default": "fp16",
        "options": {"fp16": "fp16", "fp8": "fp8"},
    }
    machine = Choice("machine", "machine", "h200", {"h200": MACHINES["h200"]})
    assert machine.describe()["options"]["h200"] == MACHINES["h200"].title


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"minimum": 0}, "0 < minimum <= default"),
        ({"default": 64}, "0 < minimum <= default"),
        ({"maximum": 2048}, "0 < minimum <= default"),
        ({"step": 0}, "step >= 1"),
        ({"default": 4097}, "default 4097 is not minimum 128 plus a multiple of 128"),
        ({"maximum": 131_000}, "maximum 131000 is not minimum"),
        ({"name": "Seq"}, "use lower case"),
        ({"name": "seq len"}, "use lower case"),
        ({"name": "class"}, "use lower case"),
        ({"name": ""}, "use lower case"),
        ({"unit": "tokns"}, "unknown unit 'tokns'; nearest: tokens"),
    ],
)
def test_bad_declarations(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        quantity(**changes)


def test_the_default_of_a_choice_is_one_of_its_rows() -> None:
    with pytest.raises(ParameterError, match=r"no option 'fp61'; did you mean fp64 or fp16"):
        Choice("dtype", "type", "fp61", dict(DTYPES))


@given(st.integers(1, 1000), st.integers(1, 500), st.integers(0, 40), st.integers(0, 60))
def test_every_point_is_one_that_a_reader_could_set(
    minimum: int, step: int, steps: int, index: int
) -> None:
    maximum = minimum + steps * step
    parameter = quantity(minimum=minimum, default=minimum, maximum=maximum, step=step)
    value = parameter.point(index)
    assert minimum <= value <= maximum
    assert (value - minimum) % step == 0


def test_the_ends_come_first_and_the_rest_is_spread() -> None:
    values = [quantity().point(index) for index in range(60)]
    assert values[:2] == [128, 131_072]
    assert len(set(values)) > 40
    assert sum(value < 4096 for value in values) > 15  # evenly on a logarithmic scale
    names = [Choice("dtype", "", "fp16", dict(DTYPES)).point(index) for index in range(60)]
    assert names[:2] == list(DTYPES)[:2]
    assert len(set(names)) > 8


def test_points_are_the_same_in_every_process() -> None:
    script = (
        "from bookcode.numbers.parameters import *\n"
        "p = {'seq': Quantity('seq', '', 'tokens', 4, 1, 10**6)}\n"
        "print([point['seq'] for point in points(p, 9)])"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    parameters = {"seq": Quantity("seq", "", "tokens", 4, 1, 10**6)}
    assert shown == {f"{[point['seq'] for point in points(parameters, 9)]}\n"}


def test_a_point_does_not_depend_on_the_other_parameters() -> None:
    seq, dtype = quantity(), Choice("dtype", "", "fp16", dict(DTYPES))
    alone = [point["seq_len"] for point in points({"seq_len": seq}, 12)]
    both = [point["seq_len"] for point in points({"dtype": dtype, "seq_len": seq}, 12)]
    assert alone == both


def test_a_ledger_gets_a_fraction_or_a_row() -> None:
    assert python_value(quantity(), 256) == Fraction(256)
    assert isinstance(python_value(quantity(), 256), Fraction)
    assert python_value(Choice("dtype", "", "fp16", dict(DTYPES)), "fp8") is DTYPES["fp8"]
