"""Formulas out of somebody's source: interpreted exactly, and nothing but arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from bookcode.reality.errors import FormulaError
from bookcode.reality.reading import Given, Source, expression, source
from bookcode.sources.members import Members

MakeWheel = Callable[[Mapping[str, str]], Members]
MEMBER = "systems/formulas.py"
TEXT = '''
"""Formulas."""
import os
from enum import Enum


class Mode(Enum):
    """Modes."""

    half = Mapping(2, 1, "half")
    four = Mapping(0.5, 4, "four")


def helper(a, b=2):
    """A product."""
    return a * b


class Table:
    def query(self, m):
        def inner(m: int, scale: int) -> tuple[float, float]:
            """Both."""
            total = 0
            total += m / scale
            if m > 10 and not scale == 0:
                extra: int = helper(m)
            else:
                extra = -1
            first, second = total, extra
            return max(first, second), self.spec["rate"] * second

        return inner(m, 3)


def looping(n):
    total = rows = 0
    for i in range(n):
        if i % 2 == 0:
            total += i
            rows += 1
    assert rows >= 0
    return total, rows


def sums(call):
    return sum(call.bytes(t) for t in call.tensors if t in ("a", "b")), call.shape[1:]


def evil():
    return os.system("true")


def lambdas():
    return (lambda: 1)()


def unending():
    while True:
        pass


def keyword():
    return max(1, 2, key=None)


def hidden(x):
    return x.__class__
'''


@pytest.fixture
def formulas(wheel: MakeWheel) -> Source:
    return source(wheel({MEMBER: TEXT}), MEMBER)


def test_a_nested_function_is_found_and_exact(formulas: Source) -> None:
    given = {"self": Given(spec={"rate": 5})}
    found = formulas.call("Table.query.inner", 20, 3, given=given)
    assert found == (40, 200)
    assert formulas.call("Table.query.inner", 1, 3, given=given) == (Fraction(1, 3), -5)


def test_loops_and_chained_assignments_are_followed(formulas: Source) -> None:
    assert formulas.call("looping", 7) == (12, 4)


def test_given_objects_answer_what_is_asked(formulas: Source) -> None:
    sizes = {"a": 1, "b": 2, "c": 4}
    call = Given(tensors=sizes, bytes=sizes.__getitem__, shape=(7, 8, 9))
    assert formulas.call("sums", call) == (3, (8, 9))


def test_an_enum_gives_its_literals(formulas: Source) -> None:
    assert formulas.members_of("Mode") == {
        "half": (2, 1, "half"),
        "four": (Fraction(1, 2), 4, "four"),
    }


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        ("evil", (), "os"),
        ("lambdas", (), "Lambda"),
        ("unending", (), "While"),
        ("keyword", (), "keywords"),
        ("hidden", (1,), "__class__"),
    ],
)
def test_what_is_not_arithmetic_is_refused_with_its_line(
    formulas: Source, function: str, args: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(FormulaError, match=message) as caught:
        formulas.call(function, *args)
    line = TEXT.split("\n").index(f"def {function}({'x' if args else ''}):") + 1
    assert caught.value.place.startswith(f"{MEMBER}:")
    assert line <= int(caught.value.place.rpartition(":")[2]) <= line + 2


def test_a_function_that_does_not_exist_names_the_nearest(formulas: Source) -> None:
    with pytest.raises(FormulaError, match="helper"):
        formulas.call("helpr", 1)


def test_a_missing_value_is_named(formulas: Source) -> None:
    with pytest.raises(FormulaError, match="'n'"):
        formulas.call("looping")


def test_text_that_is_not_python_is_refused(wheel: MakeWheel) -> None:
    with pytest.raises(FormulaError, match="not Python"):
        source(wheel({MEMBER: "def :"}), MEMBER)


def test_an_expression_is_exact_and_knows_its_names() -> None:
    assert expression("a / 3 + 0.1", "here", {"a": 1}) == Fraction(13, 30)
    assert expression("[*s, 2]", "here", {"s": (7, 8)}) == (7, 8, 2)
    with pytest.raises(FormulaError, match="did you mean width"):
        expression("widht * 2", "here", {"width": 1})
    with pytest.raises(FormulaError, match="not an expression"):
        expression("a +", "here", {})
