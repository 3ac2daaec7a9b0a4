"""The publisher of a chapter: keys, rows, claims, figures, parameters, and what a cell shows."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from matplotlib.figure import Figure

from bookcode.ledger import DTYPES, MACHINES, LedgerError, ops, timed
from bookcode.numbers.book import Book, BookError
from bookcode.numbers.fact_table import FactTable, UnknownFactError
from bookcode.numbers.formats import format_value
from bookcode.numbers.handles import Handle
from bookcode.numbers.parameters import ParameterError
from bookcode.numbers.publishing import PublishError
from bookcode.numbers.records import MIME, ClaimRecord, FigureRecord, NumberRecord, Record, load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def gemm(book: Book) -> Handle:
    return book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=8192, n=8192, k=8192)


def find(book: Book, key: str) -> Record:
    return next(r for r in book._published.pending if r.key == key)


def claim(book: Book, key: str) -> ClaimRecord:
    found = find(book, key)
    assert isinstance(found, ClaimRecord)
    return found


# keys -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "key", ["a", "x.flops", "gemm.4096.bound-regime", "a-b.c-d.0", "h200-tileops.x"]
)
def test_good_keys(book: Book, gemm: Handle, key: str) -> None:
    assert book.value(book.publish(key, gemm.flops)) == 2 * 8192**3


@pytest.mark.parametrize(
    "key",
    [
        "",
        "Gemm",
        "gemm_flops",
        "gemm..flops",
        ".gemm",
        "gemm.",
        "-a",
        "a-",
        "a--b",
        "a b",
        "é",
        "a:b",
    ],
)
def test_bad_keys(book: Book, gemm: Handle, key: str) -> None:
    for publish in (
        lambda: book.publish(key, gemm.flops),
        lambda: book.claim(key, gemm.flops > 1, says="so"),
        lambda: book.alias(key, "gemm.flops", "renamed"),
        lambda: book.figure(key, Figure(), caption="c", alt="a"),
    ):
        with pytest.raises(BookError, match="use dotted lower case"):
            publish()


def test_one_key_for_two_things(book: Book, gemm: Handle) -> None:
    for publish in (
        lambda: book.publish("gemm.flops", gemm.bytes),
        lambda: book.claim("gemm.flops", gemm.flops > 1, says="so"),
        lambda: book.alias("gemm.flops", "gemm.bytes", "renamed"),
        lambda: book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=1, n=1, k=1),
    ):
        with pytest.raises(BookError, match=r"'gemm\.flops' was already published"):
            publish()


# rows -----------------------------------------------------------------------------------------
def test_a_row_publishes_a_cost_and_its_times(book: Book, gemm: Handle) -> None:
    published = [r.key for r in book._published.pending]
    assert published == [
        f"gemm.{name}"
        for name in ("flops", "bytes", "intensity", "bound", "bound-regime", "expected", "regime")
    ]
    assert book.value(gemm.bound) < book.value(gemm.expected)
    again = book.publish("again", gemm.bound_regime)
    assert isinstance(again, Handle)


def test_common_arguments_go_where_they_are_taken(book: Book) -> None:
    row = book.ledger(machine="h200", dtype="bf16", link="nvlink")
    row("adamw", ops.adamw, parameters=10**9, grad="fp16")
    found = find(book, "adamw.flops")
    assert isinstance(found, NumberRecord)
    assert found.inputs == {"parameters": "1000000000", "grad": "fp16"}
    with pytest.raises(LedgerError, match=r"unknown machine 'h20'.*h200"):
        row("other", ops.gemm, m=1, n=1, k=1, machine="h20")
    row("a100", ops.gemm, m=1, n=1, k=1, machine="a100")
    bound = find(book, "a100.bound")
    assert isinstance(bound, NumberRecord)
    assert bound.rows.keys() == {"dtype bf16", "link nvlink", "machine a100"}
    with pytest.raises(BookError, match=r"has no argument 'machin'"):
        row("typo", ops.gemm, m=1, n=1, k=1, machin="a100")


def test_a_row_of_a_timed_cost(book: Book, mini: ModuleType) -> None:
    cost = book.call(mini.square, n=64)
    both = book.call(timed, cost=cost, machine="h200", dtype="fp16")
    book.ledger()("square", both)
    assert find(book, "square.flops").key == "square.flops"


# parameters -----------------------------------------------------------------------------------
def test_parameters_are_declared_once(book: Book) -> None:
    book.choice("dtype", DTYPES, default="fp16")
    with pytest.raises(BookError, match="parameter 'dtype' is declared twice"):
        book.parameter("dtype", default=1, minimum=1, maximum=2, unit="1")


def test_a_choice_of_some_rows(book: Book) -> None:
    book.choice("machine", MACHINES, default="h200", options=["h200", "a100"])
    assert list(find(book, "parameter:machine").description["options"]) == ["h200", "a100"]  # type: ignore[attr-defined]
    with pytest.raises(LedgerError, match="unknown dtype 'fp61'"):
        book.choice("dtype", DTYPES, default="fp16", options=["fp61"])
    with pytest.raises(ParameterError, match="no option 'fp8'"):
        book.choice("dtype", DTYPES, default="fp8", options=["fp16", "bf16"])


def test_a_number_follows_its_parameters(book: Book) -> None:
    seq = book.parameter("seq_len", default=4096, minimum=128, maximum=8192, unit="tokens")
    machine = book.choice("machine", MACHINES, default="h200")
    row = book.ledger(machine=machine, dtype="fp16")
    row("flash", ops.attention_prefill, heads=32, head_dim=128, seq=seq)
    found = find(book, "flash.bound")
    assert isinstance(found, NumberRecord)
    assert sorted(found.parameters) == ["machine", "seq_len"]
    module = book._module()
    assert module is not None
    assert '"flash.bound"' in module.javascript


def test_without_parameters_there_is_no_module(book: Book, gemm: Handle) -> None:
    assert book._module() is None


# claims ---------------------------------------------------------------------------------------
def test_a_claim(book: Book, gemm: Handle) -> None:
    book.claim(
        "gemm.compute-bound",
        (gemm.regime == "compute") & (gemm.flops > gemm.bytes),
        says={"en": ["compute-bound", "bound by compute at {gemm.flops:sig3}"], "zh": "计算受限"},
    )
    found = claim(book, "gemm.compute-bound")
    assert found.holds is True
    assert found.wordings == {
        "en": ["compute-bound", "bound by compute at {gemm.flops:sig3}"],
        "zh": ["计算受限"],
    }
    assert found.uses == ["gemm.regime", "gemm.flops", "gemm.bytes"]
    assert found.explanation == (
        "gemm.regime = compute, gemm.flops = 1.09951e+12 FLOP, gemm.bytes = 4.02653e+08 B"
    )
    assert found.rows.keys() == {"dtype fp16", "machine h200"}


def test_a_false_claim_is_recorded_for_the_build_to_report(book: Book, gemm: Handle) -> None:
    book.claim("small", gemm.flops < gemm.bytes, says="small")
    assert claim(book, "small").holds is False


def test_a_claim_follows_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKCODE_CHECK_POINTS", "10")
    book = Book(root=str(ROOT))
    edge = book.parameter("edge", default=64, minimum=1, maximum=100_000, unit="elements")
    gemm = book.ledger(machine="h200", dtype="fp16")("gemm", ops.gemm, m=edge, n=edge, k=edge)
    book.claim("bound", gemm.regime == "compute", says="compute-bound")
    found = claim(book, "bound")
    assert found.parameters == ["edge"]
    assert found.samples[:2] == ["false", "true"]
    assert len(found.samples) == 10


@pytest.mark.parametrize("predicate", [True, 1, "yes", None])
def test_a_claim_needs_a_comparison(book: Book, predicate: Any) -> None:
    with pytest.raises(BookError, match="the predicate must be a comparison of handles"):
        book.claim("so", predicate, says="so")


def test_a_claim_about_a_number_is_no_comparison(book: Book, gemm: Handle) -> None:
    with pytest.raises(BookError, match="must be a comparison"):
        book.claim("so", gemm.flops, says="so")


def test_a_claim_has_no_literals_of_its_own(book: Book, gemm: Handle) -> None:
    with pytest.raises(PublishError, match="the literal 200 "):
        book.claim("so", gemm.intensity > 200, says="so")
    book.claim("ten.times", gemm.flops > 10 * gemm.bytes, says="more than ten times")


@pytest.mark.parametrize(
    "says", ["", [], {"en": []}, {"en": ["so", ""]}, {"en": "so", "zh": ""}, {"zh": "so"}, {}]
)
def test_a_claim_needs_words(book: Book, gemm: Handle, says: Any) -> None:
    with pytest.raises(BookError, match="claim 'so': a wording is empty or not there in English"):
        book.claim("so", gemm.flops > 1, says=says)


# figures and texts ----------------------------------------------------------------------------
def test_a_figure_travels_with_its_texts(book: Book, gemm: Handle) -> None:
    figure = Figure()
    figure.subplots().plot([1, 2], [1, 2])
    book.figure(
        "roofline",
        figure,
        caption="""A roof
            at {gemm.flops}.""",
        alt={"en": "A line", "zh": "一条线"},
        uses=[gemm.flops, gemm.intensity],
    )
    found = find(book, "roofline")
    assert isinstance(found, FigureRecord)
    assert found.captions == {"en": "A roof at {gemm.flops}."}
    assert found.alts == {"en": "A line", "zh": "一条线"}
    assert found.uses == ["gemm.flops", "gemm.intensity"]
    assert found.svg.startswith("<svg")


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ({"caption": "", "alt": "a"}, "caption"),
        ({"caption": "c", "alt": "  "}, "alt"),
        ({"caption": {"en": "c", "zh": ""}, "alt": "a"}, "caption"),
        ({"caption": {"zh": "标题"}, "alt": "a"}, "caption"),
        ({"caption": {}, "alt": "a"}, "caption"),
    ],
)
def test_a_figure_needs_both_texts_in_english_at_least(
    book: Book, texts: dict[str, Any], what: str
) -> None:
    with pytest.raises(BookError, match=f"figure 'roofline': .*{what}"):
        book.figure("roofline", Figure(), **texts)


def test_a_figure_is_a_figure(book: Book) -> None:
    with pytest.raises(TypeError, match="not a matplotlib figure"):
        book.figure("roofline", "a drawing", caption="c", alt="a")


def test_values_and_texts_for_drawing(book: Book, gemm: Handle) -> None:
    assert book.value(gemm.flops) == float(2 * 8192**3)
    assert book.text(gemm.flops) == format_value(Fraction(2 * 8192**3), "FLOP", "sig4")
    assert book.text(gemm.flops, "int") == format_value(Fraction(2 * 8192**3), "FLOP", "int")
    assert book.text(gemm.regime) == "compute"
    with pytest.raises(BookError, match="is not a number that can be drawn"):
        book.value(gemm.regime)
    with pytest.raises(BookError, match="publish it first"):
        book.text(gemm.flops / gemm.bytes)


# facts ----------------------------------------------------------------------------------------
def test_an_unknown_fact_names_the_nearest(book: Book) -> None:
    with pytest.raises(
        UnknownFactError, match=r"no fact 'h200\.spec\.bandwith'; did you mean h200"
    ):
        book.fact("h200.spec.bandwith")


def test_a_table_of_facts(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    with pytest.raises(UnknownFactError, match="no fact 'x'"):
        FactTable(path)["x"]  # a project without a registry
    path.write_text('[facts."x.y"]\nvalue = "0.7370"\nunit = "1"\n', "utf-8")
    fact = FactTable(path)["x.y"]
    assert (fact.value, fact.unit) == (Fraction(737, 1000), "1")


# in a cell ------------------------------------------------------------------------------------
def test_records_know_the_line_of_their_cell(book: Book, gemm: Handle) -> None:
    cell = "\n\n\nbook.publish(\n    'x',\n    gemm.flops,\n)\n\n"
    source = f"{cell}book.claim('y', gemm.flops > 1, says='so')"
    exec(compile(source, "<cell>", "exec"), {"book": book, "gemm": gemm, "__name__": "__main__"})
    assert (find(book, "x").line, find(book, "y").line) == (4, 9)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is displayed, as bundles of MIME types."""
    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_a_cell_shows_its_records_once(
    book: Book, gemm: Handle, shown: list[dict[str, Any]]
) -> None:
    book.claim("gemm.big", gemm.flops > gemm.bytes, says="big")
    book.claim("gemm.small", gemm.flops < gemm.bytes, says="small")
    book.figure("drawn", Figure(), caption="c", alt="a")
    pending = book._published.pending
    book._published.flush()
    book._published.flush()
    (bundle,) = shown
    assert load(json.dumps(bundle[MIME])) == pending
    assert "gemm.flops  1.100\u202fTFLOP\n" in bundle["text/plain"]
    assert "gemm.regime  compute\n" in bundle["text/plain"]
    assert "gemm.big  holds\n" in bundle["text/plain"]
    assert "gemm.small  DOES NOT HOLD\n" in bundle["text/plain"]
    assert "drawn  figure" in bundle["text/plain"]
    assert "<td><code>gemm.flops</code></td><td>1.100\u202fTFLOP</td>" in bundle["text/html"]
    assert book._published.pending == []


def test_the_module_comes_with_every_cell_that_adds_to_it(
    book: Book, mini: ModuleType, shown: list[dict[str, Any]]
) -> None:
    seq = book.parameter("seq", default=7, minimum=1, maximum=64, unit="tokens")
    book._published.flush()
    book.publish("stepped", mini.stepped, seq=seq, n=8)
    book._published.flush()
    kinds: list[list[str]] = [[r["kind"] for r in bundle[MIME]["records"]] for bundle in shown]
    assert kinds == [["parameter"], ["number", "module"]]
    assert "text/html" not in shown[0]  # nothing for a reader to see
