"""What a page's scripts get: hints of everything shown, and only that; what follows, and where."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bookcode.ledger import MACHINES, ops
from bookcode.numbers.book import Book
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.records import ParameterRecord, Record
from bookcode.sources.registry import Registry
from bookcode.sphinxext.library import Library
from bookcode.sphinxext.page_data import Collector, PageData, shown_on
from bookcode.sphinxext.provenance import Explainer, exact_text, parameter_text
from bookcode.sphinxext.state import Use

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    book = Book(root=str(ROOT))
    machine = book.choice("machine", MACHINES, default="h200-spec", options=["h200-spec", "a100"])
    edge = book.parameter("edge", unit="elements", default=64, minimum=8, maximum=128, step=8)
    row = book.ledger(machine=machine, dtype="fp16")
    gemm = row("gemm", ops.gemm, m=edge, n=edge, k=edge)
    peak, bandwidth = book.fact("h200.spec.fp16-dense"), book.fact("h200.spec.bandwidth")
    book.publish("fixed", ops.gemm_ridge_edge, balance=peak / bandwidth)
    book.publish("ratio", gemm.bound / gemm.expected)
    wordings = {"en": "fast at {gemm.flops:sig2}", "zh": "快"}
    book.claim("gemm.fast", gemm.bound < gemm.expected + gemm.bound, says=wordings)
    book.preset({"en": "Small", "zh": "小"}, edge=8)
    return book._published.pending


def explainer(records: list[Record], language: str = "en") -> Explainer:
    own = {r.description["name"]: r for r in records if isinstance(r, ParameterRecord)}
    return Explainer(
        library=Library.of(records, Registry.load(ROOT / "references")),
        parameters={record.key: own for record in records},
        language=language,
        set_math=lambda latex: f"<m>{latex}</m>",
        link_of=lambda place: f"at {place}",
    )


def collected(records: list[Record], *uses: tuple[str, str, str], language: str = "en") -> PageData:
    collector = Collector(
        explainer(records, language), records, {r.key: "own.js" for r in records}, "own.js"
    )
    return collector.collect(Use(role, key, spec, 1, "body") for role, key, spec in uses)


def text_of(hint: dict[str, Any]) -> str:
    return json.dumps(hint, ensure_ascii=False)


def test_a_number_has_formula_letters_value_parameters_place_and_facts(
    records: list[Record],
) -> None:
    hint = explainer(records).explain("num", "gemm.bound").to_json()
    assert hint["title"] == "gemm.bound"
    assert hint["math"][0][0] == "formula"
    assert r"\max" in hint["math"][0][1]
    assert hint["math"][-1][0] == "with the book's values"
    assert ["<m>M</m>", "rows of A and of C", "<m>64</m>"] in hint["letters"]
    rows = {row[0]: row[1:] for row in hint["rows"]}
    assert rows["unit"] == ["s"]
    assert rows["edge, the book's value"] == ["64\u202felements"]
    assert rows["machine, the book's value"] == ["H200 SXM, vendor specification"]
    assert rows["computed by"][0].startswith("ledger.ops.gemm.gemm(")
    place, link = rows["ledger line"]
    assert place.startswith("bookcode/ledger/ops/gemm.py:")
    assert link == f"at {place}"
    assert "h200.spec.bandwidth" in hint["facts"]


def test_a_composed_number_names_its_parts(records: list[Record]) -> None:
    hint = explainer(records).explain("num", "ratio").to_json()
    names = [row[0] for row in hint["rows"]]
    assert {"gemm.bound", "gemm.expected"} <= set(names)
    assert "arithmetic on published numbers" in text_of(hint)


def test_a_word_has_no_formula_and_no_unit(records: list[Record]) -> None:
    hint = explainer(records).explain("num", "gemm.regime").to_json()
    assert "math" not in hint
    assert "unit" not in [row[0] for row in hint["rows"]]


def test_facts_and_sources_say_everything_with_a_link(records: list[Record]) -> None:
    fact = text_of(explainer(records).explain("fact", "h200.spec.bandwidth").to_json())
    for part in ("vendor specification", "conditions", "evidence: pinned", "tileops"):
        assert part in fact
    known = Registry.load(ROOT / "references")
    linked = next(key for key, one in known.citations.items() if known.link(one))
    source = explainer(records).explain("src", linked).to_json()
    assert source["rows"][0][2] == known.link(known.citations[linked])


def test_a_verdict_names_what_it_compares(records: list[Record]) -> None:
    rows = explainer(records).explain("holds", "gemm.fast").to_json()["rows"]
    assert rows[0][0] == "holds because"
    assert "gemm.bound" in [row[0] for row in rows]


def test_only_what_is_shown_has_a_hint_numbers_in_wordings_and_facts_included(
    records: list[Record],
) -> None:
    data = collected(records, ("holds", "gemm.fast", ""), ("num", "fixed", ""))
    assert {"holds:gemm.fast", "num:gemm.flops", "num:fixed"} <= set(data.hints)
    assert "fact:h200.spec.bandwidth" in data.hints  # behind num:fixed
    assert "num:gemm.bytes" not in data.hints


def test_what_cannot_be_shown_is_left_to_the_builds_errors(records: list[Record]) -> None:
    uses = [(role, "nothing", "") for role in ("num", "fact", "src", "holds", "figure")]
    uses += [("holds", "gemm.fast", "slow"), ("formula", "gemm.regime", "")]
    assert collected(records, *uses).hints == {}
    with pytest.raises(NumbersError, match="nothing"):
        explainer(records).explain("fact", "nothing")


def test_what_follows_is_told_and_what_is_constant_only_if_a_verdict_needs_it(
    records: list[Record],
) -> None:
    data = collected(records, ("num", "gemm.flops", ""), ("num", "fixed", ""))
    assert data.numbers["gemm.flops"] == ["FLOP", "sig4", 0]
    assert "fixed" not in data.numbers
    assert data.modules == ["own.js"]
    assert data.claims == {}
    with_claim = collected(records, ("holds", "gemm.fast", ""))
    assert with_claim.claims["gemm.fast"]["module"] == 0
    assert "gemm.bound" in with_claim.claims["gemm.fast"]["uses"]


def test_another_pages_numbers_bring_its_module_and_the_parameters_they_need(
    records: list[Record],
) -> None:
    collector = Collector(explainer(records), [], {r.key: "far.js" for r in records}, "")
    data = collector.collect([Use("num", "gemm.flops", "", 1, "body")])
    assert data.modules == ["far.js"]
    assert data.depends == [["edge"]]
    assert data.presets == []


def test_presets_and_words_are_in_the_pages_language(records: list[Record]) -> None:
    assert collected(records).presets == [{"title": "Small", "values": {"edge": 8}}]
    chinese = collected(records, language="zh_CN")
    assert chinese.presets == [{"title": "小", "values": {"edge": 8}}]
    assert chinese.words["memory"]


def test_texts_of_values_and_parameters(records: list[Record]) -> None:
    numbers = Library.of(records, None).numbers
    assert exact_text(numbers["gemm.flops"], "en") == "524,288\u202fFLOP"
    assert exact_text(numbers["ratio"], "en").startswith(("1", "0"))
    own = {r.description["name"]: r.description for r in records if isinstance(r, ParameterRecord)}
    assert parameter_text(own["edge"], "en", 8) == "8\u202felements"
    assert parameter_text(own["machine"], "en", "a100").startswith("A100")


MARKUP = """
<span class="bk-shown" data-key="a.b" data-role="num" data-spec="sig3" title="x &gt; y">1</span>
<span aria-describedby="n" class="bk-shown" data-key="f" data-role="fact" tabindex="0">2</span>
<a class="bk-source" data-key="R&amp;1" data-role="src" href="u">s</a>
<span class="bk-verdict" data-claim="c">big <span class="bk-shown" data-key="a.b" data-role="num">
1</span></span>
<div class="bk-math-block" data-formula="a.b" data-view="full"><math></math></div>
<span class="bk-math">plain</span> <span class="other" data-key="no" data-role="num">3</span>
"""


def test_what_a_page_shows_is_read_off_its_markup_once_each() -> None:
    assert shown_on(MARKUP) == [
        ("num", "a.b"),
        ("fact", "f"),
        ("src", "R&1"),
        ("holds", "c"),
        ("formula", "a.b"),
    ]
    assert shown_on("<p>nothing</p>") == []


def test_what_generated_tables_show_is_explained_too(records: list[Record]) -> None:
    collector = Collector(explainer(records), [], {r.key: "far.js" for r in records}, "")
    data = collector.collect([], [("num", "gemm.flops"), ("holds", "gemm.fast")])
    assert {"num:gemm.flops", "holds:gemm.fast"} <= set(data.hints)
    assert data.numbers["gemm.flops"][2] == 0
