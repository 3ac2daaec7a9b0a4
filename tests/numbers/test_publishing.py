"""Publishing: what a record holds, and what may not be published."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bookcode.ledger import DTYPES, MACHINES, Machine, ops
from bookcode.ledger.errors import LedgerError
from bookcode.ledger.operator import operator
from bookcode.ledger.protocol import Number
from bookcode.ledger.symbols import M
from bookcode.numbers.book import Book, BookError
from bookcode.numbers.errors import FormatError, NumbersError
from bookcode.numbers.expr import TraceError
from bookcode.numbers.publishing import PublishError
from bookcode.numbers.records import FormulaText, NumberRecord
from bookcode.numbers.units import UnitError

Record = Callable[[Book, str], NumberRecord]
ROOT = Path(__file__).parents[2]
MINI = "mini_ledger/__init__.py"


def at_points(monkeypatch: pytest.MonkeyPatch, count: int) -> Book:
    """A book that keeps its samples, as verify asks for."""
    monkeypatch.setenv("BOOKCODE_CHECK_POINTS", str(count))
    return Book(root=str(ROOT), packages=("mini_ledger", "bookcode.ledger"))


# what a record holds --------------------------------------------------------------------------
def test_a_number_of_a_call(book: Book, record: Record) -> None:
    gemm = book.call(ops.gemm, m=4096, n=4096, k=4096, dtype="bf16")
    book.publish("gemm.flops", gemm.flops)
    published = record(book, "gemm.flops")
    assert published.value == str(2 * 4096**3)
    assert published.number == Fraction(2 * 4096**3)
    assert (published.unit, published.spec) == ("FLOP", "sig4")
    assert published.function == "bookcode.ledger.ops.gemm.gemm"
    assert published.place.startswith("bookcode/ledger/ops/gemm.py:")
    assert published.inputs == {"m": "4096", "n": "4096", "k": "4096", "dtype": "bf16"}
    assert published.rows.keys() == {"dtype bf16"}
    assert "bookcode/ledger/ops/gemm.py::gemm" in published.reached
    assert (published.parameters, published.samples, published.facts) == ([], [], [])


def test_the_place_is_the_line_of_the_function(book: Book, record: Record) -> None:
    book.publish("flops", book.call(ops.gemm, m=1, n=1, k=1).flops)
    path, _, line = record(book, "flops").place.partition(":")
    lines = (ROOT / path).read_text("utf-8").splitlines()
    assert "def gemm(" in "\n".join(lines[int(line) - 1 : int(line) + 1])


def test_a_composed_number_rests_on_all_its_parts(book: Book, record: Record) -> None:
    row = book.ledger(machine="h200", dtype="fp16")
    gemm, flash = (
        row("gemm", ops.gemm, m=8, n=8, k=8),
        row("flash", ops.attention_prefill, heads=1, head_dim=8, seq=8),
    )
    book.publish("ratio", gemm.bound / flash.bound)
    published = record(book, "ratio")
    assert (published.function, published.place, published.inputs) == ("", "", {})
    assert (published.unit, published.uses) == ("1", ["gemm.bound", "flash.bound"])
    assert published.rows.keys() == {"dtype fp16", "machine h200"}
    assert "bookcode/ledger/roofline.py::Timed.bound" in published.reached
    assert "bookcode/ledger/ops/gemm.py::gemm" in published.reached
    assert "bookcode/ledger/ops/attention.py::attention_prefill" in published.reached


def test_a_word(book: Book, record: Record) -> None:
    book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=8192, n=8192, k=8192)
    published = record(book, "gemm.regime")
    assert (published.value, published.unit, published.spec) == ("compute", "word", "word")
    assert (published.formula, published.number) == (None, None)
    assert published.words == []  # it stays what it is


def test_a_word_names_what_it_may_turn_into(book: Book, record: Record) -> None:
    edge = book.parameter("edge", default=64, minimum=1, maximum=8192, unit="1")
    book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=edge, n=edge, k=edge)
    assert record(book, "gemm.regime").words == ["compute", "memory"]


def test_a_fact_and_a_parameter(book: Book, record: Record) -> None:
    book.publish("bandwidth", book.fact("h200.spec.bandwidth"))
    fact = record(book, "bandwidth")
    assert (fact.facts, fact.unit) == (["h200.spec.bandwidth"], "B/s")
    assert fact.formula == FormulaText(
        r"\text{h200.spec.bandwidth}",
        r"4.8 \cdot 10^{12}",
        [],
        [
            [
                r"\text{h200.spec.bandwidth}",
                "published number h200.spec.bandwidth",
                r"4.8 \cdot 10^{12}",
            ]
        ],
    )
    seq = book.parameter("seq", default=128, minimum=1, maximum=4096, unit="tokens")
    book.publish("seq", seq)
    assert (record(book, "seq").unit, record(book, "seq").parameters) == ("tokens", ["seq"])


def test_a_format_of_its_own(book: Book, record: Record) -> None:
    flops = book.call(ops.gemm, m=10, n=10, k=10).flops
    book.publish("exact", flops, spec="int")
    assert record(book, "exact").spec == "int"
    with pytest.raises(FormatError, match="sgi3"):
        book.publish("wrong", flops, spec="sgi3")
    with pytest.raises(FormatError):
        book.publish("percent.of.flops", flops, spec="pct1")


def test_samples_at_the_check_points(
    monkeypatch: pytest.MonkeyPatch, mini: ModuleType, record: Record
) -> None:
    book = at_points(monkeypatch, 12)
    seq = book.parameter("seq", default=7, minimum=1, maximum=4096, unit="tokens")
    book.publish("stepped", mini.stepped, seq=seq, n=64)
    book.publish("class", mini.size_class, seq=seq, n=64)
    book.publish("fixed", mini.stepped, seq=7, n=64)
    module = book._module()
    assert module is not None
    sizes = [point["seq"] for point in module.points]
    assert len(sizes) == 12
    expected = [str(64 - n if n < 64 else n) for n in sizes]
    assert record(book, "stepped").samples == expected
    assert record(book, "class").samples == ["short" if n <= 64 else "long" for n in sizes]
    assert record(book, "fixed").samples == []


def test_a_pair_without_a_fact_is_marked(
    monkeypatch: pytest.MonkeyPatch, record: Record, mini: ModuleType
) -> None:
    book = at_points(monkeypatch, 40)
    machine = book.choice("machine", MACHINES, default="h200", options=["h200", "a100"])
    dtype = book.choice("dtype", DTYPES, default="fp16", options=["fp16", "fp8"])
    book.ledger(machine=machine, dtype=dtype)("gemm", ops.gemm, m=64, n=64, k=64)
    module = book._module()
    assert module is not None
    lacking = [p == {"machine": "a100", "dtype": "fp8"} for p in module.points]
    assert any(lacking)
    assert [s == "missing" for s in record(book, "gemm.bound").samples] == lacking
    assert [s == "missing" for s in record(book, "gemm.bound-regime").samples] == lacking
    assert "missing" not in record(book, "gemm.bytes").samples


def test_without_a_wish_no_samples_are_kept(book: Book, mini: ModuleType, record: Record) -> None:
    seq = book.parameter("seq", default=7, minimum=1, maximum=4096, unit="tokens")
    book.publish("stepped", mini.stepped, seq=seq, n=64)
    assert record(book, "stepped").samples == []
    module = book._module()
    assert module is not None
    assert module.points == []


# what may not be published --------------------------------------------------------------------
@pytest.mark.parametrize("value", [731.5, 7, Fraction(1, 3), "compute", None, True, [1]])
def test_bare_values(book: Book, value: Any) -> None:
    with pytest.raises(PublishError, match=r"'x'.*no ledger function, fact or parameter"):
        book.publish("x", value)


def test_literals_in_expressions(book: Book) -> None:
    flops = book.call(ops.gemm, m=8, n=8, k=8).flops
    for way in (lambda f: f * 3, lambda f: 731.5 * f, lambda f: (f + f) / 7, lambda f: f - 0.5):
        with pytest.raises(PublishError, match=r"'x': the literal (3|731\.5|7|0\.5) .*\(1, 2 and"):
            book.publish("x", way(flops))
    book.publish("billions", 2 * flops / 10**9)


def test_functions_that_are_no_ledger(book: Book, mini: ModuleType) -> None:
    @operator
    def elsewhere(m: M) -> Number:
        """Decorated, but not in a ledger."""
        return m

    for function, name in (
        (lambda: 731.5, "<lambda>"),
        (mini.undecorated, "undecorated"),
        (elsewhere, "elsewhere"),
        (max, "max"),
        (Machine, "Machine"),
    ):
        with pytest.raises(
            PublishError, match=rf"{name}'? is not a ledger function; put it into mini"
        ):
            book.publish("x", function)
        with pytest.raises(PublishError, match="is not a ledger function"):
            book.call(function)


@pytest.mark.parametrize(
    ("result", "fields"),
    [
        (lambda b: b.call(ops.gemm, m=8, n=8, k=8), "bytes, channels, flops, intensity, pipe"),
        (lambda b: b.ledger(machine="h200", dtype="fp16")("g", ops.gemm, m=8, n=8, k=8), "bound"),
        (lambda b: b.choice("dtype", DTYPES, default="fp16"), "bytes, name"),
    ],
)
def test_results_that_are_not_one_number_name_their_fields(
    book: Book, result: Callable[[Book], Any], fields: str
) -> None:
    with pytest.raises(PublishError, match=f"not a number; publish one of its fields: .*{fields}"):
        book.publish("x", result(book))


def test_a_verdict_is_a_claim(book: Book) -> None:
    flops = book.call(ops.gemm, m=8, n=8, k=8).flops
    with pytest.raises(PublishError, match=r"'x': the result is a bool, a verdict.*book\.claim"):
        book.publish("x", flops > 1)


def test_a_method_is_no_number(book: Book) -> None:
    cost = book.call(ops.gemm, m=8, n=8, k=8)
    with pytest.raises(PublishError, match="the result is a method, not an exact number"):
        book.publish("x", cost.bytes_of)


def test_an_unknown_argument_names_the_nearest(book: Book) -> None:
    with pytest.raises(BookError, match=r"gemm\(\) has no argument 'dtyp'; did you mean dtype"):
        book.publish("x", ops.gemm, m=8, n=8, k=8, dtyp="fp16")


def test_arguments_beside_a_handle(book: Book) -> None:
    flops = book.call(ops.gemm, m=8, n=8, k=8).flops
    with pytest.raises(PublishError, match="arguments belong to a ledger function"):
        book.publish("x", flops, m=8)


def test_a_size_without_a_symbol(book: Book, mini: ModuleType) -> None:
    with pytest.raises(BookError, match=r"undeclared\(\): the size 'n' has no symbol"):
        book.publish("x", mini.undeclared, n=3, m=4)


def test_wrong_use_of_the_ledger_stays_its_own_error(book: Book) -> None:
    with pytest.raises(LedgerError, match="k = 0 must be positive"):
        book.call(ops.gemm, m=8, n=8, k=0)
    with pytest.raises(LedgerError, match="unknown dtype 'fp61'"):
        book.call(ops.gemm, m=8, n=8, k=8, dtype="fp61")


def test_units_in_an_expression(book: Book) -> None:
    gemm = book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=8, n=8, k=8)
    with pytest.raises(UnitError, match=r"'x': .*sum of FLOP and B"):
        book.publish("x", gemm.flops + gemm.bytes)
    with pytest.raises(UnitError, match=r"'x': .*log10 of a quantity in B"):
        book.publish("x", gemm.bytes.orders_above(1))


# what the trace does not show -----------------------------------------------------------------
@pytest.mark.parametrize("name", ["asks_for_a_type", "swallows", "depends_on_history"])
def test_a_trace_that_lies_is_caught_by_the_re_run(book: Book, mini: ModuleType, name: str) -> None:
    seq = book.parameter("seq", default=8192, minimum=1, maximum=2**20, unit="tokens")
    with pytest.raises(
        PublishError, match=r"'x': the traced expression gives .* at \{'seq': \d+\}"
    ):
        book.publish("x", getattr(mini, name), seq=seq)


def test_a_trace_that_lies_elsewhere_only_is_caught_too(book: Book, mini: ModuleType) -> None:
    seq = book.parameter("seq", default=16, minimum=1, maximum=2**20, unit="tokens")
    with pytest.raises(PublishError, match=r"traced expression gives \d+ but the function gives"):
        book.publish("x", mini.swallows, seq=seq)  # right at the default


@pytest.mark.parametrize("name", ["asks_for_a_type", "swallows"])
def test_a_formula_that_lies_is_caught(book: Book, mini: ModuleType, name: str) -> None:
    with pytest.raises(PublishError, match=r"'x': the printed formula gives .* but the function"):
        book.publish("x", getattr(mini, name), seq=8192)


def test_what_a_symbol_lacks_is_reported_with_the_ledger_line(book: Book, mini: ModuleType) -> None:
    with pytest.raises(TraceError) as caught:
        book.publish("x", mini.roundabout, seq=8)
    lines = Path(str(mini.__file__)).read_text("utf-8").splitlines()
    line = 1 + next(i for i, text in enumerate(lines) if "seq.denominator" in text)
    assert str(caught.value).startswith(f"'x': {MINI}:{line} in roundabout: cannot follow")
    assert isinstance(caught.value, NumbersError)


def test_a_point_that_the_ledger_refuses_is_reported(book: Book) -> None:
    kv = book.parameter("kv", default=8, minimum=1, maximum=32, unit="heads")
    cost = book.call(ops.attention_prefill, heads=32, head_dim=8, seq=8, kv_heads=kv)
    with pytest.raises(PublishError, match=r"'x': the ledger refuses \{'kv': \d+\}: .*divisible"):
        book.publish("x", cost.bytes)
