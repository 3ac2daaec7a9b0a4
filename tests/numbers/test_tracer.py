"""The tracer: what it keeps, and that it refuses what it could not follow, with the line."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bookcode.ledger import protocol
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.expr import Expr, TraceError, evaluate, lift, variables_of, walk
from bookcode.numbers.stand_ins import parameter_leaf, symbol_leaf
from bookcode.numbers.units import UnitError, parse_unit

SEQ = parameter_leaf("seq")


def symbol(latex: str, unit: str = "1", value: int = 7) -> Expr:
    return symbol_leaf(latex, unit, f"the letter {latex}", Fraction(value))


REFUSALS: list[tuple[str, Callable[[Any], Any], str]] = [
    ("if", lambda x: 1 if x > 2 else 0, "select()"),
    ("if in a comprehension", lambda x: [1 for _ in "a" if x], "select()"),
    ("and", lambda x: (x > 1) and (x < 3), "select()"),
    ("not", lambda x: not (x > 1), "select()"),
    ("min", lambda x: min(x, 2), "maximum()"),
    ("max", lambda x: max(2, x), "maximum()"),
    ("sorted", lambda x: sorted([x, 2]), "maximum()"),
    ("chained comparison", lambda x: 1 < x < 3, "between()"),
    ("membership", lambda x: x in [1, 2], "select()"),
    ("range", lambda x: range(x), "ceil()"),
    ("int()", lambda x: int(x), "ceil()"),
    ("index", lambda x: [1, 2][x], "ceil()"),
    ("math.trunc", lambda x: math.trunc(x), "ceil()"),
    ("float()", lambda x: float(x), "protocol"),
    ("math.sqrt", lambda x: math.sqrt(x), "protocol"),
    ("math.log2", lambda x: math.log2(x), "protocol"),
    ("//", lambda x: x // 2, "ceil()"),
    ("reflected //", lambda x: 7 // x, "ceil()"),
    ("%", lambda x: x % 2, "ceil()"),
    ("reflected %", lambda x: 7 % x, "ceil()"),
    ("divmod", lambda x: divmod(x, 2), "ceil()"),
    ("power of a constant", lambda x: 2**x, "ceil()"),
    ("round()", lambda x: round(x), "an exact value"),
    ("round() to digits", lambda x: round(x, 2), "an exact value"),
    ("math.floor", lambda x: math.floor(x), "an exact value"),
    ("math.ceil", lambda x: math.ceil(x), "an exact value"),
    ("abs()", lambda x: abs(x - 3), "maximum()"),
    ("f-string", lambda x: f"{x}", "numbers, not texts"),
    ("f-string with a format", lambda x: f"{x:.2f}", "numbers, not texts"),
    ("str()", lambda x: str(x), "numbers, not texts"),
    ("percent format", lambda x: "%s" % x, "numbers, not texts"),  # noqa: UP031
    ("dict key", lambda x: {4096: 1}[x], "lookup()"),
    ("set", lambda x: {x}, "lookup()"),
    ("iteration", lambda x: list(x), "fixed number"),
    ("unpacking", lambda x: [*x], "fixed number"),
    ("len()", lambda x: len(x), "a size"),
    ("numpy ufunc", lambda x: np.sqrt(x), "protocol"),
    ("numpy scalar", lambda x: np.float64(2.0) * x, "protocol"),
    ("numpy reduction", lambda x: np.maximum(x, 2), "protocol"),
    ("fractional exponent", lambda x: x ** Fraction(1, 2), "whole constant exponent"),
    ("symbolic exponent", lambda x: x**x, "whole constant exponent"),
    ("true as exponent", lambda x: x**True, "whole constant exponent"),
]


@pytest.mark.parametrize(
    ("refused", "advice"), [r[1:] for r in REFUSALS], ids=[r[0] for r in REFUSALS]
)
def test_refuses_with_the_line_and_what_to_use(refused: Callable[[Any], Any], advice: str) -> None:
    line = refused.__code__.co_firstlineno
    with pytest.raises(TraceError) as caught:
        refused(SEQ)
    assert str(caught.value).startswith(f"numbers/test_tracer.py:{line} in <")
    assert advice in str(caught.value)


@pytest.mark.parametrize("value", [0.5, None, 1.0, [1], 2 + 0j, math.nan])
def test_inexact_operands_are_refused_with_the_line(value: Any) -> None:
    def ledger(size: Any) -> Any:
        return size * value

    line = inspect.getsourcelines(ledger)[1] + 1
    with pytest.raises(
        TraceError, match=rf"numbers/test_tracer.py:{line} in ledger: .*not an exact"
    ):
        ledger(SEQ)


def test_words_and_verdicts_take_no_part_in_arithmetic() -> None:
    for value in ("fp16", True):
        with pytest.raises(TraceError, match=f"arithmetic on {value!r}"):
            SEQ + value


def test_a_word_and_its_unit_are_errors_of_one_tree() -> None:
    assert issubclass(TraceError, NumbersError)
    assert issubclass(UnitError, NumbersError)


# what is kept ------------------------------------------------------------------------------------
def test_keeps_order_and_grouping() -> None:
    x = 2 * (SEQ + 3) - SEQ / 4
    assert repr(x) == (
        "Expr('sub', Expr('mul', Expr('const', Fraction(2, 1)), Expr('add', Expr('var', 'seq'), "
        "Expr('const', Fraction(3, 1)))), Expr('div', Expr('var', 'seq'), Expr('const', "
        "Fraction(4, 1))))"
    )


def test_walk_gives_each_node_once_and_operands_first() -> None:
    shared = SEQ * 2
    tree = shared + shared**2
    nodes = list(walk(tree))
    assert len({id(n) for n in nodes}) == len(nodes) == 5
    assert nodes[-1] is tree
    assert [n.op for n in nodes] == ["var", "const", "mul", "pow", "add"]


def test_a_deep_expression_does_not_overflow_the_stack() -> None:
    total = SEQ
    for _ in range(20_000):
        total = total + 1
    assert evaluate(total, {"seq": Fraction(1)}) == 20_001


def test_variables_in_order_of_first_use() -> None:
    other = parameter_leaf("ranks")
    assert variables_of(other * SEQ + other) == ["ranks", "seq"]
    assert variables_of(lift(3)) == []


def test_the_protocol_is_followed() -> None:
    def run(x: Any) -> list[Any]:
        return [
            protocol.maximum(x, 2, x / 3),
            protocol.minimum(x, 5),
            protocol.ceil(x / 7),
            protocol.log10(x),
            protocol.named("W", x + 1, "one more"),
            protocol.measured(x, "FLOP"),
            protocol.orders_above(x, 10),
            protocol.select(x > 4, x, 4),
            protocol.select((x > 4) & (x <= 100), 1, 2),
            protocol.select((x > 4) | (x == 1), 1, 2),
            protocol.select(~(x != 8), 1, 2),
            protocol.between(x, 3, 9),
            protocol.select(True & (x > 4), 1, 2),
            protocol.select(False | (x > 4), 1, 2),
            -x + 0 - x,
            1 - x / 2 + x**3,
        ]

    plain = run  # the same function, on numbers
    for value in (1, 3, 4, 8, 9, 100, 1000):
        number = Fraction(value)
        expected = plain(number)[:8]
        traced = [evaluate(lift(e), {"seq": number}) for e in run(SEQ)]
        assert traced[:8] == expected
        assert traced[8] == (1 if 4 < value <= 100 else 2)
        assert traced[9] == (1 if value > 4 or value == 1 else 2)
        assert traced[10] == (1 if value == 8 else 2)
        assert traced[11] is (3 <= value <= 9)
        assert traced[12:14] == [1 if value > 4 else 2] * 2
        assert traced[14:] == [-2 * number, 1 - number / 2 + number**3]


def test_a_choice_between_equals_is_no_choice() -> None:
    assert protocol.select(SEQ > 1, SEQ, SEQ) is SEQ
    assert protocol.select(SEQ > 1, lift("memory"), lift("memory")).op == "const"


def test_evaluation_says_what_is_missing() -> None:
    with pytest.raises(TraceError, match="parameter 'seq' has no value"):
        evaluate(SEQ + 1, {})


# units -------------------------------------------------------------------------------------------
def line_of(function: Callable[..., Any]) -> int:
    return inspect.getsourcelines(function)[1] + 1


def bytes_and_flops(b: Any, f: Any) -> Any:
    return b + f


def bytes_less_time(b: Any, t: Any) -> Any:
    return b - t


def time_below_bytes(t: Any, b: Any) -> Any:
    return t < b


def slower(t: Any, b: Any) -> Any:
    return protocol.maximum(t, b)


def chosen(t: Any, b: Any) -> Any:
    return protocol.select(t > 0, t, b)


def orders_of_bytes(b: Any) -> Any:
    return protocol.log10(b)


def time_as_bytes(t: Any) -> Any:
    return protocol.measured(t, "B")


def count_as_bytes(count: Any) -> Any:
    return protocol.measured(count, "B")


def within(t: Any, b: Any) -> Any:
    return protocol.between(t, b, 2 * b)


B, F, T, C = symbol("b", "B"), symbol("f", "FLOP"), symbol("t", "s"), symbol("n")


@pytest.mark.parametrize(
    ("function", "operands", "message"),
    [
        (bytes_and_flops, (B, F), "sum of B and FLOP"),
        (bytes_and_flops, (B, C), "sum of B and 1"),
        (bytes_and_flops, (B, 3), "sum of B and 1"),
        (bytes_less_time, (B, T), "difference of B and s"),
        (time_below_bytes, (T, B), "comparison of s and B"),
        (within, (T, B), "comparison of s and B"),
        (slower, (T, B), "maximum of s and B"),
        (chosen, (T, B), "choice of s and B"),
        (orders_of_bytes, (B,), "log10 of a quantity in B"),
        (time_as_bytes, (T,), "a quantity in s is declared as B"),
        (count_as_bytes, (C,), "a quantity in 1 is declared as B"),
    ],
)
def test_units_that_do_not_go_together(
    function: Callable[..., Any], operands: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(UnitError) as caught:
        function(*operands)
    where = f"numbers/test_tracer.py:{line_of(function)} in {function.__name__}"
    assert str(caught.value) == f"{where}: {message}"


def test_units_follow_the_calculation() -> None:
    assert str((F / B).unit) == "FLOP/B"
    assert str((B / (B / T)).unit) == "s"
    assert str((B**2 / B).unit) == "B"
    assert str((-B).unit) == "B"
    assert str(protocol.ceil(T / 2).unit) == "s"
    assert str(protocol.measured(C * 2, "FLOP").unit) == "FLOP"
    assert str(protocol.orders_above(B, 2 * B).unit) == "1"


def test_zero_is_of_every_unit() -> None:
    assert str((B + 0).unit) == str((0 + B).unit) == "B"
    assert (T > 0).op == "gt"


def test_a_noun_stays_only_where_all_have_it() -> None:
    tokens, ranks = symbol("t", "tokens"), symbol("R", "ranks")
    assert str((tokens + tokens).unit) == "tokens"
    assert str((tokens + ranks).unit) == "1"


def test_parameters_have_no_unit_to_track() -> None:
    assert not (SEQ * B).unit.tracked
    assert (SEQ + B).unit == (B + SEQ).unit
    assert parse_unit("B").same_dimension((SEQ + B).unit)
