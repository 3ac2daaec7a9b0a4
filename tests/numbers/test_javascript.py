"""The page's JavaScript gives what the ledger gives, in a real engine."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bookcode.ledger import DTYPES, MACHINES, Machine, MissingFactError, ops, timed
from bookcode.ledger.protocol import ceil, log10, maximum, minimum, named, select
from bookcode.numbers.book import Book
from bookcode.numbers.engine import Engine
from bookcode.numbers.expr import Expr, evaluate, lift, walk
from bookcode.numbers.handles import Handle, node_of
from bookcode.numbers.javascript import Module, literal
from bookcode.numbers.parameters import points
from bookcode.numbers.runs import Plain, Traced
from bookcode.numbers.stand_ins import look_up, parameter_leaf

from .conftest import module

Compute = Callable[[Mapping[str, Expr], Sequence[Mapping[str, Any]]], list[dict[str, Any]]]
Point = dict[str, Any]
MISSING = "NaN"  # as the engine writes it


def agrees(value: Any, answer: Any) -> bool:
    """Whether the engine's answer is the exact value, to 1e-12, or the same word or verdict."""
    if isinstance(value, bool | str):
        return type(answer) is type(value) and bool(answer == value)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    return abs(Fraction(answer) - value) <= Fraction(1, 10**12) * abs(value)


def check(handles: Mapping[str, Handle], wanted: Iterable[Point], compute: Compute) -> list[Point]:
    """Compare every handle at every point with the re-run function; the values."""
    at = list(wanted)
    traced = Traced()
    expressions = {key: lift(traced(node_of(handle))) for key, handle in handles.items()}
    values = []
    for point, answers in zip(at, compute(expressions, at), strict=True):
        plain, row = Plain(point), {}
        for key, handle in handles.items():
            try:
                row[key] = plain(node_of(handle))
            except MissingFactError:
                row[key] = MISSING
            assert agrees(row[key], answers[key]), f"{key} at {point}: {answers[key]}, {row[key]}"
        values.append(row)
    return values


def fields(book: Book, cost: Handle, machine: Any, dtype: Any) -> dict[str, Handle]:
    """Everything that is published of a cost on a machine."""
    both = book.call(timed, cost=cost, machine=machine, dtype=dtype)
    names = ("flops", "bytes", "intensity", "bound", "expected", "regime", "bound_regime")
    return {name: getattr(both, name) for name in names}


def roof(**changes: Any) -> Machine:
    """A machine whose balance is 1000 FLOP/B, whose calibration keeps it."""
    given: dict[str, Any] = {
        "name": "roof",
        "title": "a roof",
        "peaks": {"fp16": Fraction(3_350_000_000_000_000), "vector": Fraction(3_350_000_000_000)},
        "bandwidth": Fraction(3_350_000_000_000),
        **{name: {} for name in ("links", "levels", "fma", "rates")},
        "peak_factors": {"fp16": Fraction(7, 10), "vector": Fraction(7, 10)},
        "bandwidth_factors": dict.fromkeys(("write", "copy", "triad", "read"), Fraction(7, 10)),
    }
    return Machine(**{**given, **changes})


# the ledger -----------------------------------------------------------------------------------
def test_operators_at_hundreds_of_points(book: Book, compute: Compute) -> None:
    machine = book.choice("machine", MACHINES, default="h200")
    dtype = book.choice("dtype", DTYPES, default="fp16")
    seq = book.parameter("seq", default=4096, minimum=128, maximum=131_072, step=128, unit="tokens")
    edge = book.parameter("edge", default=4096, minimum=1, maximum=65_536, unit="elements")
    handles: dict[str, Handle] = {}
    for name, cost in {
        "gemm": book.call(ops.gemm, m=edge, n=edge, k=seq, dtype=dtype),
        "flash": book.call(ops.attention_prefill, heads=32, head_dim=128, seq=seq, dtype=dtype),
        "windowed": book.call(
            ops.attention_prefill, heads=32, head_dim=128, seq=seq, causal=True, window=edge
        ),
        "paged": book.call(ops.attention_decode, heads=32, head_dim=128, keys=seq, page=edge),
        "adamw": book.call(ops.adamw, parameters=edge, grad=dtype),
    }.items():
        for field, handle in fields(book, cost, machine, dtype).items():
            handles[f"{name}.{field}"] = handle
    handles["faster"] = handles["flash.bound"] < handles["gemm.bound"]
    handles["orders"] = handles["gemm.bytes"].orders_above(handles["adamw.bytes"])
    wanted = list(points(book._parameters, 300))
    values = check(handles, wanted, compute)
    seen = {row["gemm.regime"] for row in values}
    assert seen == {"compute", "memory", MISSING}
    assert {row["faster"] for row in values} == {True, False, MISSING}


def test_an_exact_tie_is_compute(book: Book, mini: ModuleType, compute: Compute) -> None:
    edge = book.parameter("edge", default=3000, minimum=1, maximum=100_000, unit="elements")
    machine = book.choice("machine", {"roof": roof()}, default="roof")
    gemm = book.call(ops.gemm, m=edge, n=edge, k=edge)
    at = [{"edge": n, "machine": "roof"} for n in (1, 2998, 2999, 3000, 3001, 3002, 100_000)]
    values = check(fields(book, gemm, machine, "fp16"), at, compute)
    words = ["memory", "memory", "memory", "compute", "compute", "compute", "compute"]
    assert [row["regime"] for row in values] == words
    assert [row["bound_regime"] for row in values] == words


def test_a_point_on_the_ridge_of_a_real_machine(book: Book, compute: Compute) -> None:
    edges = book.parameter("edge", default=1, minimum=1, maximum=10**7, unit="elements")
    for name in ("h200", "h100", "a100", "b200"):
        real = MACHINES[name]
        balance = real.peaks["fp16"] / real.bandwidth
        # sizes m = n = k, scaled until the ridge is a whole number
        scaled = roof(
            peaks={"fp16": real.bandwidth * round(balance * 3) / 3, "vector": Fraction(1)},
            bandwidth=real.bandwidth,
        )
        machine = book.choice(f"m_{name}", {"on": scaled}, default="on")
        on = round(balance * 3)
        gemm = book.call(ops.gemm, m=edges, n=edges, k=edges)
        at = [{"edge": n, f"m_{name}": "on"} for n in (on - 1, on, on + 1)]
        values = check(fields(book, gemm, machine, "fp16"), at, compute)
        assert [row["bound_regime"] for row in values] == ["memory", "compute", "compute"]


def test_ties_between_access_mixes_take_the_lower_factor(
    book: Book, mini: ModuleType, compute: Compute
) -> None:
    falling = [Fraction(9, 10), Fraction(8, 10), Fraction(7, 10), Fraction(6, 10)]
    names = ("write", "copy", "triad", "read")
    rows = {
        "up": roof(bandwidth_factors=dict(zip(names, reversed(falling), strict=True))),
        "down": roof(bandwidth_factors=dict(zip(names, falling, strict=True))),
    }
    machine = book.choice("machine", rows, default="up")
    reads = book.parameter("reads", default=1, minimum=1, maximum=10**6, unit="elements")
    writes = book.parameter("writes", default=1, minimum=1, maximum=10**6, unit="elements")
    handles = fields(book, book.call(mini.mixed, m=reads, n=writes), machine, "fp16")
    ties = {(1, 3): (0, 1), (7, 5): (1, 2), (5, 1): (2, 3)}
    for scale, row in itertools.product((1, 1000), rows):
        for (r, w), (lower, upper) in ties.items():
            around = ((r, w), (r * 1000 + 1, w * 1000), (r * 1000 - 1, w * 1000))
            at = [{"machine": row, "reads": scale * a, "writes": scale * b} for a, b in around]
            values = check({k: handles[k] for k in ("expected", "regime")}, at, compute)
            factors = rows[row].bandwidth_factors
            factor = min(factors[names[lower]], factors[names[upper]])
            moved = 2 * scale * (r + w)
            assert values[0]["expected"] == moved / (factor * rows[row].bandwidth)


def test_values_above_two_to_the_53(book: Book, mini: ModuleType, compute: Compute) -> None:
    edge = book.parameter("edge", default=1, minimum=1, maximum=2**30, unit="elements")
    handle = book.call(mini.product, m=edge, n=edge, k=edge)
    sizes = [2**17, 2**18 + 1, 2**26 - 3, 2**30]
    values = check({"flops": handle}, [{"edge": n} for n in sizes], compute)
    assert min(row["flops"] for row in values[1:]) > 2**53


def test_a_pair_without_a_fact_gives_no_number_word_or_verdict(
    book: Book, compute: Compute
) -> None:
    rows = {"both": roof(), "no-fp16": roof(peaks={"vector": Fraction(1)})}
    machine = book.choice("machine", rows, default="both")
    dtype = book.choice("dtype", DTYPES, default="fp16", options=["fp16", "fp8"])
    edge = book.parameter("edge", default=64, minimum=1, maximum=10**5, unit="elements")
    handles = fields(book, book.call(ops.gemm, m=edge, n=edge, k=edge), machine, dtype)
    handles["quick"] = handles["bound"] < handles["expected"]
    handles["slow"] = handles["bound"] >= handles["expected"]
    handles["other"] = handles["regime"] != "compute"
    handles["both"] = handles["quick"] & handles["slow"]
    at = [
        {"machine": m, "dtype": d, "edge": 4096}
        for m, d in itertools.product(rows, ("fp16", "fp8"))
    ]
    values = check(handles, at, compute)
    rests = set(handles) - {"flops", "bytes", "intensity"}
    assert all(values[0][key] != MISSING for key in handles)
    for row in values[1:]:
        assert {key for key in handles if row[key] == MISSING} == rests


def test_log10_of_powers_of_ten_is_whole(compute: Compute) -> None:
    x = parameter_leaf("x")
    powers = [10**n for n in range(16)]
    answers = compute({"log": log10(x)}, [{"x": power} for power in powers])
    assert [row["log"] for row in answers] == list(range(16))


# random expressions ---------------------------------------------------------------------------
NAMES = ("a", "b")
leaves = st.one_of(
    st.sampled_from(NAMES), st.integers(1, 64), st.fractions(Fraction(1, 9), 64, max_denominator=9)
)
POSITIVE = ("add", "mul", "div", "max", "min", "ceil", "square", "select", "named")


def trees(operations: Sequence[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves,
        lambda inner: st.tuples(st.sampled_from(operations), inner, inner, inner),
        max_leaves=14,
    )


def run(tree: Any, given: Mapping[str, Any]) -> Any:
    """The tree as a ledger function would compute it, on numbers or symbols."""
    if not isinstance(tree, tuple):
        return given[tree] if isinstance(tree, str) else Fraction(tree)
    a, b, c = (run(branch, given) for branch in tree[1:])
    return {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "neg": lambda: -a,
        "mul": lambda: a * b,
        "div": lambda: a / b,
        "max": lambda: maximum(a, b, c),
        "min": lambda: minimum(a, b),
        "ceil": lambda: ceil(a),
        "square": lambda: a**2,
        "select": lambda: select((a < b) | (b == c), a, c),
        "named": lambda: named("W", a, "w") + b,
    }[tree[0]]()


sizes = st.fixed_dictionaries({name: st.integers(1, 10**5) for name in NAMES})


def variables(point: Mapping[str, int]) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in point.items()}


SYMBOLS = {name: parameter_leaf(name) for name in NAMES}


@given(trees([*POSITIVE, "sub", "neg"]), st.lists(sizes, min_size=1, max_size=3))
def test_a_trace_evaluates_to_what_the_function_gives(tree: Any, at: list[dict[str, int]]) -> None:
    try:
        expected = [run(tree, variables(point)) for point in at]
    except ZeroDivisionError:
        assume(False)
    traced = lift(run(tree, SYMBOLS))
    assert [evaluate(traced, variables(point)) for point in at] == expected


def hardly_differ(expr: Expr, point: Mapping[str, int]) -> bool:
    """Whether a comparison or a ceil hangs on less than doubles can tell."""
    given = variables(point)
    for node in walk(expr):
        if node.op in ("lt", "eq"):
            a, b = (Fraction(evaluate(side, given)) for side in node.args)
            if a != b and abs(a - b) <= Fraction(1, 10**9) * max(abs(a), abs(b)):
                return True
        if node.op == "ceil":
            value = Fraction(evaluate(node.args[0], given))
            off = abs(value - round(value))
            if off and off <= Fraction(1, 10**9) * value:
                return True
    return False


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(trees(POSITIVE), min_size=4, max_size=8), st.lists(sizes, min_size=2, max_size=4))
def test_javascript_of_a_trace_gives_what_the_function_gives(
    compute: Compute, many: list[Any], at: list[dict[str, int]]
) -> None:
    expressions = {f"tree{n}": lift(run(tree, SYMBOLS)) for n, tree in enumerate(many)}
    answers = compute(expressions, at)
    for point, row in zip(at, answers, strict=True):
        for n, tree in enumerate(many):
            if not hardly_differ(expressions[f"tree{n}"], point):
                assert agrees(run(tree, variables(point)), row[f"tree{n}"]), (tree, point)


# the module's text ----------------------------------------------------------------------------
def test_the_module_says_what_the_parameters_are() -> None:
    text = module({"x": lift(1)}, {"seq": {"title": "Länge", "default": 4}})
    assert '"title": "Länge"' in text
    source = {"page.js": text, "see.js": 'import * as m from "./page.js"; export default () => m;'}
    with Engine(source) as engine:
        assert engine.call("see.js", None)["parameters"] == {
            "seq": {"title": "Länge", "default": 4}
        }


def test_what_is_shared_is_computed_once() -> None:
    x = parameter_leaf("x")
    cube = (x + 1) * (x + 1) * (x + 1)
    text = module({"a": cube, "b": cube / 2, "c": x}, {})
    assert text.count("(p.x + 1)") == 1
    assert '"c": p.x' in text


def test_equal_tables_are_printed_once() -> None:
    row = {("a",): Fraction(1), ("b",): Fraction(1, 3)}
    which = parameter_leaf("which")
    first, second = look_up(row, [which]), look_up(dict(row), [which])
    text = module({"x": first, "y": second + 1}, {})
    assert text.count("const table") == 1
    assert '{"a": 1, "b": 0.3333333333333333}' in text


def test_a_constant_true_is_not_the_number_one(compute: Compute) -> None:
    x = parameter_leaf("x")
    shown = compute({"yes": lift(True), "one": lift(1), "both": select(x > 0, x, 1)}, [{"x": 0}])
    assert shown == [{"yes": True, "one": 1, "both": 1}]


def test_the_text_is_the_same_every_time() -> None:
    def build() -> str:
        x = parameter_leaf("x")
        return module({"a": maximum(x / 3, 2 * x), "b": x**2 + x / 3}, {"x": {}})

    assert build() == build()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(4), "4"),
        (Fraction(1, 2), "0.5"),
        (Fraction(2**53), "9007199254740992.0"),
        (Fraction(10**30), "1e+30"),
        (Fraction(-3), "-3"),
        ("fp16", '"fp16"'),
        ('say "x"', '"say \\"x\\""'),
        (True, "true"),
    ],
)
def test_literals(value: Any, text: str) -> None:
    assert literal(value) == text
    assert json.loads(text) == (value if isinstance(value, str | bool) else float(value))


def test_negative_bases_and_exponents(compute: Compute) -> None:
    x = parameter_leaf("x")
    made = {"square": (-x) ** 2, "inverse": x**-2, "none": x**0, "less": x - -x}
    assert compute(made, [{"x": 4}]) == [{"square": 16, "inverse": 1 / 16, "none": 1, "less": 8}]


def test_a_module_that_grows_is_the_one_made_at_once() -> None:
    x = parameter_leaf("x")
    expressions = {"a": x * x + 1, "b": lift(4), "c": (x * x + 1) / 2}
    growing = Module()
    for key, expr in expressions.items():
        growing.add(key, expr)
        growing.text({"x": {}})  # every cell shows what there is so far
    assert growing.text({"x": {}}) == module(expressions, {"x": {}})


def test_a_module_knows_whether_it_computes_anything() -> None:
    made = Module()
    made.add("fixed", lift(4))
    assert not made.computes
    made.add("moving", parameter_leaf("x") + 1)
    assert made.computes
