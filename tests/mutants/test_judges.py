"""What the judges notice, and what they do not, on a little book of numbers and a claim."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document

from bookcode.ledger import ops
from bookcode.mutants import Mutant
from bookcode.mutants._baseline import Baseline
from bookcode.mutants._cells import differences, entry_of, expected_entries
from bookcode.mutants._claims import ClaimJudge, claim_mutants
from bookcode.mutants._locks import LockJudge, first_drift, lock_mutants
from bookcode.mutants._text import (
    TextJudge,
    key_mutants,
    nearest,
    number_mutants,
    verdict_mutants,
)
from bookcode.mutants._warm import Published, Warm
from bookcode.numbers.book import Book
from bookcode.numbers.formats import format_value
from bookcode.numbers.handles import node_of
from bookcode.numbers.lock import locks_of
from bookcode.numbers.records import ClaimRecord, FigureRecord, NumberRecord
from bookcode.sources.registry import Registry
from bookcode.sphinxext.nodes import pending_shown

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def warm() -> Warm:
    book = Book()
    row = book.ledger(machine="h200", dtype="fp16")
    gemm = row("gemm.4096", ops.gemm, m=4096, n=4096, k=4096)
    less = row("gemm.512", ops.gemm, m=512, n=512, k=512)
    claim = gemm.flops > less.flops * 100
    book.claim("gemm.order", claim, says=["memory-bound", "more than {gemm.512.flops}"])
    published = [Published("gemm.order", node_of(claim), True, frozenset())]
    for name, handle in (("gemm.4096.flops", gemm.flops), ("gemm.512.flops", less.flops)):
        record = book._records[name]
        assert isinstance(record, NumberRecord)
        published.append(Published(name, node_of(handle), record.number, frozenset(record.reached)))
    warm = Warm(published)
    warm.tests = {record.key: record for record in book._records.values()}
    return warm


def use(role: str, key: str, line: int, shown: str, spec: str = "") -> dict[str, Any]:
    return {
        "role": role, "key": key, "spec": spec, "line": line, "context": "body", "shown": shown,
        "anchor": "", "section": "",
    }  # fmt: skip


@pytest.fixture(scope="module")
def baseline(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    folder = tmp_path_factory.mktemp("book")
    (folder / "book" / "02-x").mkdir(parents=True)
    source = (
        "It does {num}`gemm.4096.flops` and {num}`gemm.512.flops`, so it is {holds}`gemm.order`."
    )
    (folder / "book" / "02-x" / "index.md").write_text(source, "utf-8")
    records = []
    for record in warm.tests.values():
        data = {**record.to_json(), "line": 3}
        if isinstance(record, NumberRecord):
            word = record.number is None
            data["shown"] = (
                record.value if word else format_value(record.number, record.unit, record.spec)  # type: ignore[arg-type]
            )
        records.append(data)
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>137.4 TFLOP</text></svg>'
    figure = FigureRecord(
        "roof", 3, svg.replace("T", "G"), {"en": "Of {gemm.4096.flops}."}, {"en": "A plot."},
        ["gemm.4096.flops"],
    )  # fmt: skip
    records.append(figure.to_json())
    uses = [
        use("num", "gemm.4096.flops", 1, "137.4 GFLOP"),
        use("num", "gemm.512.flops", 1, "268.4 MFLOP"),
        use("holds", "gemm.order", 1, "memory-bound"),
        use("figure", "roof", 1, ""),
    ]
    page = {
        "source": "book/02-x/index.md",
        "words": 9,
        "records": records,
        "module": None,
        "exercises": [],
        "uses": uses,
    }
    exported = {"language": "en", "pages": {"02-x/index": page}}
    made = Baseline(folder, folder / "doctrees", exported, locks_of(exported))
    made.__dict__["registry"] = Registry.load(ROOT / "references")
    tree = new_document("index")
    paragraph = nodes.paragraph("", "It does ")
    for key in ("gemm.4096.flops", "gemm.512.flops"):
        node = pending_shown("", "", bookcode="num", key=key, spec="")
        node.line = 1
        paragraph += [node, nodes.Text(" and ")]
    section = nodes.section("", nodes.title("", "Title"), paragraph)
    tree += section
    path = folder / "doctrees" / "02-x"
    path.mkdir(parents=True)
    tree.reporter = None  # type: ignore[assignment]
    (path / "index.doctree").write_bytes(pickle.dumps(tree))
    return made


def judged(mutants: list[Mutant], judge: Any) -> dict[str, str]:
    return {m.name: (red.check if (red := judge(m)) else "SURVIVED") for m in mutants}


def test_every_value_of_a_lock_is_noticed_but_hashes(baseline: Baseline) -> None:
    found = judged(list(lock_mutants(baseline)), LockJudge(baseline))
    survivors = [name for name, check in found.items() if check == "SURVIVED"]
    assert len(found) > 100
    assert survivors
    assert all(": functions" in name or ": rows" in name for name in survivors)


def test_an_unchanged_build_does_not_drift(baseline: Baseline) -> None:
    assert first_drift(baseline.locked, baseline.exported, {"gemm.4096.flops"}) == ""


def test_every_change_of_a_predicate_is_noticed(baseline: Baseline, warm: Warm) -> None:
    mutants = list(claim_mutants(baseline, warm))
    found = judged(mutants, ClaimJudge(baseline))
    assert set(found.values()) == {"claim", "lock"}
    texts = [mutant.what.partition(" → ")[2] for mutant in mutants]
    for expected in (
        "(gemm.4096.flops >= (gemm.512.flops * 100))",
        "(gemm.4096.flops <= (gemm.512.flops * 100))",
        "((gemm.512.flops * 100) > gemm.4096.flops)",
        "(gemm.4096.flops > (gemm.512.flops / 100))",
        "(gemm.4096.flops > (gemm.512.flops * 1000))",
        "(gemm.4096.flops > (gemm.512.flops * 101))",
    ):
        assert expected in texts


def test_an_unchanged_predicate_is_not_noticed(baseline: Baseline, warm: Warm) -> None:
    one = warm.published[0]
    same = Mutant("claim", "same", "x.md", 1, 1, "", (one, one.node))
    assert ClaimJudge(baseline)(same) is None


def test_typed_numbers_are_noticed_in_the_text_and_in_the_figure(baseline: Baseline) -> None:
    found = judged(list(number_mutants(baseline)), TextJudge(baseline).number)
    assert set(found.values()) == {"lint"}
    joined = " ".join(found)
    for place in ("in body", "the caption of roof", "a wording of gemm.order", "drawn in roof"):
        assert place in joined


@pytest.mark.parametrize("text", ["H200", "stage 3"])
def test_a_name_drawn_otherwise_is_noticed_by_the_lock(baseline: Baseline, text: str) -> None:
    (figure,) = (r for r in baseline.records["02-x/index"] if isinstance(r, FigureRecord))
    drawn = figure.svg.replace("</svg>", f"<text>{text}</text></svg>")
    named = copy.deepcopy(baseline.exported)
    named["pages"]["02-x/index"]["records"][-1]["svg"] = drawn
    changed = dataclasses.replace(baseline, exported=named, locked=locks_of(named))
    changed.__dict__["registry"] = baseline.registry
    mutants = [m for m in number_mutants(changed) if repr(text) in m.what]
    found = judged(mutants, TextJudge(changed).number)
    assert list(found.values()) == ["lock"]


def test_a_finding_beside_the_number_does_not_count(baseline: Baseline) -> None:
    judge = TextJudge(baseline)
    tree = judge._tree("02-x/index")
    paragraph = next(iter(tree.findall(nodes.paragraph)))
    paragraph += nodes.Text(" in 12 ms")
    (mutant, *_) = number_mutants(baseline)
    assert judge.number(mutant) is None


def test_verdicts_turned_round_are_refused(baseline: Baseline) -> None:
    mutants = list(verdict_mutants(baseline))
    found = judged(mutants, TextJudge(baseline).verdict)
    assert set(found.values()) == {"wording", "lint", "lock"}
    whats = " ".join(mutant.what for mutant in mutants)
    for part in (
        "→ 'compute-bound'",
        "→ 'not memory-bound'",
        "'memory-bound' typed",
        "claim gemm.order says",
    ):
        assert part in whats


def test_the_verdict_as_it_is_is_not_refused(baseline: Baseline) -> None:
    words = ("holds", {"key": "gemm.order"}, "memory-bound")
    assert TextJudge(baseline).verdict(Mutant("verdict", "x", "x", 1, 1, "", words)) is None


def test_keys_of_neighbours_are_noticed(baseline: Baseline) -> None:
    mutants = list(key_mutants(baseline))
    found = judged(mutants, TextJudge(baseline).key)
    assert len(found) == 2  # there is one claim and one figure: they have no neighbour
    assert set(found.values()) <= {"lock", "build"}


def test_the_nearest_key() -> None:
    assert (
        nearest("gemm.512.flops", ("gemm.512.flops", "other", "gemm.512.bytes")) == "gemm.512.bytes"
    )
    assert nearest("a", ("a",)) is None


PO = """\
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "It does {num}`gemm.4096.flops` and {num}`gemm.512.flops`, so it is {holds}`gemm.order`."
msgstr ""
"它做 {num}`gemm.4096.flops` 和 {num}`gemm.512.flops`，"
"所以是 {holds}`访存受限 <gemm.order>`。"
"""


# the other edition ---------------------------------------------------------------------------
@pytest.fixture(scope="module")
def translated(baseline: Baseline, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    """The little book in Chinese, and the lock that knows both."""
    folder = tmp_path_factory.mktemp("trees")
    exported = copy.deepcopy({**baseline.exported, "language": "zh_CN"})
    page = exported["pages"]["02-x/index"]
    for record in page["records"]:
        if record["kind"] == "claim":
            record["wordings"]["zh"] = ["访存受限", "多于 {gemm.512.flops}"]
        elif record["kind"] == "figure":
            record["captions"]["zh"] = "共 {gemm.4096.flops}。"
            record["alts"]["zh"] = "一幅图。"
    for one in page["uses"][:3]:
        one["source"] = "book/02-x/index.po"
        one["line"] = 5
    (baseline.root / "book" / "02-x" / "index.po").write_text(PO, "utf-8")
    page["uses"][2]["shown"] = "访存受限"
    tree = new_document("index")
    paragraph = nodes.paragraph("", "它做 ", said_at="book/locale/x.po:7")
    for key in ("gemm.4096.flops", "gemm.512.flops"):
        paragraph += [pending_shown("", "", bookcode="num", key=key, spec=""), nodes.Text(" 和 ")]
    tree += nodes.section("", nodes.title("", "标题"), paragraph)
    tree.reporter = None  # type: ignore[assignment]
    (folder / "02-x").mkdir()
    (folder / "02-x" / "index.doctree").write_bytes(pickle.dumps(tree))
    locked = locks_of(baseline.exported, exported)
    made = Baseline(baseline.root, folder, exported, locked, "zh-cn")
    made.__dict__["registry"] = baseline.registry
    return made


def test_numbers_typed_in_the_other_edition_are_noticed(translated: Baseline) -> None:
    mutants = list(number_mutants(translated))
    found = judged(mutants, TextJudge(translated).number)
    assert set(found.values()) == {"lint"}
    joined = " ".join(found)
    for place in ("in body", "the caption of roof", "a wording of gemm.order"):
        assert place in joined
    assert all(name.startswith("book/02-x/index.md in zh-cn: ") for name in found)
    assert "drawn" not in joined  # drawings are the same in all editions
    assert (mutants[0].path, mutants[0].line) == ("book/locale/x.po", 7)
    assert mutants[-1].path == "book/locale/zh_CN/LC_MESSAGES/cells/02-x/index.po"


def test_verdicts_turned_round_in_the_other_edition_are_refused(
    baseline: Baseline, translated: Baseline
) -> None:
    mutants = list(verdict_mutants(translated))
    found = judged(mutants, TextJudge(translated, baseline).verdict)
    assert set(found.values()) == {"wording", "lint", "lock"}
    whats = " ".join(mutant.what for mutant in mutants)
    assert "→ '并非访存受限'" in whats
    assert "→ '计算受限'" in whats
    assert "claim gemm.order says '访存受限'" in whats
    assert "memory-bound" not in whats


def test_keys_of_neighbours_in_the_other_edition_are_noticed(
    baseline: Baseline, translated: Baseline
) -> None:
    judge = TextJudge(translated, baseline)
    mutants = list(key_mutants(translated))
    assert {mutant.path for mutant in mutants} == {"book/02-x/index.po"}  # no figure: no text's
    assert set(judged(mutants, judge.key).values()) == {"translation"}
    elsewhere = [dataclasses.replace(mutant, name=mutant.name + "x") for mutant in mutants]
    for mutant in elsewhere:
        translated.exported["pages"]["02-x/index"]["uses"][mutant.data[1]]["line"] = 99
    assert set(judged(elsewhere, judge.key).values()) == {"editions"}
    same = Mutant("key", "x", "x", 1, 1, "", ("02-x/index", 0, "gemm.4096.flops"))
    assert judge.key(same) is None


def test_every_accepted_wording_is_noticed(baseline: Baseline, translated: Baseline) -> None:
    both = dataclasses.replace(baseline, locked=translated.locked, others=(translated,))
    found = judged(list(lock_mutants(both)), LockJudge(both))
    wordings = {name: check for name, check in found.items() if "/wordings/zh/" in name}
    assert len(wordings) == 2
    assert set(wordings.values()) == {"lock"}
    survivors = [name for name, check in found.items() if check == "SURVIVED"]
    assert all(": functions" in name or ": rows" in name for name in survivors)


# pages --------------------------------------------------------------------------------------
def test_a_record_as_it_was_accepted_makes_no_difference(baseline: Baseline) -> None:
    records = baseline.records["02-x/index"]
    expected = expected_entries(baseline.locked, records)
    for record in records:
        if record.kind in ("number", "claim", "figure"):
            assert entry_of(record) == expected[record.key]
            assert list(differences(record, expected, "x.md")) == []


def test_what_differs_is_said_by_the_check_that_says_it(baseline: Baseline) -> None:
    records = {record.key: record for record in baseline.records["02-x/index"]}
    expected = expected_entries(baseline.locked, list(records.values()))
    number = dataclasses.replace(records["gemm.4096.flops"], value="1")
    [red] = differences(number, expected, "x.md")
    assert (red.check, "value: 137438953472 → 1" in red.said) == ("lock", True)
    claim = dataclasses.replace(records["gemm.order"], holds=False)
    assert isinstance(claim, ClaimRecord)
    assert [red.check for red in differences(claim, expected, "x.md")] == ["claim", "lock"]


def test_evaluating_published_numbers(warm: Warm) -> None:
    assert warm.numbers(None) is None
    key = next(iter(warm.published[1].runs))
    assert warm.numbers(key) is None
    wrong = Warm([Published("x", warm.published[1].node, Fraction(1), frozenset())])
    red = wrong.numbers(None)
    assert red is not None
    assert (red.check, red.said) == ("lock", "x: 1 → 1.37439e+11")
    false = Warm([Published("c", warm.published[0].node, False, frozenset())])
    red = false.numbers(None)
    assert red is not None
    assert red.check == "claim"
