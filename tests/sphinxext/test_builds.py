"""Ordinary second builds show what is true now, run no more than they must, and hide nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def tree_of(built: Any) -> dict[str, bytes]:
    files: dict[str, bytes] = built.tree()
    return files


def texts(problems: list[Any]) -> list[str]:
    return list(map(str, problems))


def test_nothing_changed_nothing_runs(shop: Any) -> None:
    first = shop.build()
    assert (first.status, first.problems) == (0, [])
    assert sorted(shop.noted("runs")) == ["attention", "gemm"]
    assert len(shop.noted("reads")) == 6
    before = tree_of(first)
    again = shop.build()
    assert (again.status, again.problems) == (0, [])
    assert shop.noted("runs") == shop.noted("reads") == []
    assert tree_of(again) == before


def test_an_edit_of_the_ledger_reaches_every_page_that_shows_it(shop: Any) -> None:
    first = shop.build()
    assert "It has 128 scores." in first.text("attention")
    untouched = (first.out / "gemm.html").stat().st_mtime_ns
    shop.noted("runs"), shop.noted("reads")
    shop.edit("tiny_ledger/scores.py", "heads * seq**2", "heads * seq**3")
    second = shop.build()
    assert (second.status, second.problems) == (0, [])
    assert "It has 1,024 scores." in second.text("attention")
    assert "There are 1,024 scores, many, in" in second.text("summary")
    assert "scores of attention 1,024" in second.text("summary")
    assert "H S^{3}" in second.raw("late")
    assert shop.noted("runs") == ["attention"]
    assert shop.noted("reads") == ["attention"]
    assert (second.out / "gemm.html").stat().st_mtime_ns == untouched
    assert tree_of(second) == tree_of(shop.build(out="clean"))


def test_an_incremental_tree_is_that_of_a_clean_build(shop: Any) -> None:
    shop.build()
    shop.edit("book/words.md", "Only words.", "Other words.")
    shop.edit("tiny_ledger/matrix.py", "return measured(2 * m * n * k", "return measured(m * n * k")
    shop.build()
    shop.edit("book/gemm.md", "m=8, n=8", "m=8, n=16")
    shop.edit("book/attention.md", "seq=8", "seq=16")
    shop.write("book/more.md", "# More\n\nAgain {num}`gemm.flops`.\n")
    shop.edit("book/index.md", "late\n", "late\nmore\n")
    shop.build()
    shop.edit("tiny_ledger/scores.py", "heads * seq**2", "seq**2 * heads")
    last = shop.build()
    clean = shop.build(out="clean")
    assert (last.status, last.problems) == (clean.status, clean.problems) == (0, [])
    assert tree_of(last) == tree_of(clean)


def test_a_page_that_is_gone_takes_its_numbers_along(shop: Any) -> None:
    shop.build()
    (shop.root / "book/attention.md").unlink()
    shop.edit("book/index.md", "attention\n", "")
    built = shop.build()
    assert built.status == 1
    found = [problem for problem in built.problems if "[bookcode." in problem.text]
    assert {problem.place for problem in found} == {
        "book/summary.md:3",
        "book/summary.md:8",
        "book/late.md:3",
    }
    assert "⟦attention.scores: no number" in built.text("summary")


def test_a_failed_cell_is_tried_again(shop: Any) -> None:
    switch = shop.root.parent / "switch"  # outside the project: nobody sees that it changes
    cell = f"open({str(switch)!r}).close()\nbook = Book"
    shop.edit("book/attention.md", "book = Book", cell)
    failed = shop.build()
    assert failed.status == 1
    first = failed.problems[0]
    assert first.place == "book/attention.md:23"
    assert (
        "code cell 2 of 2 failed (error) at book/attention.md:23: FileNotFoundError" in first.text
    )
    assert "⟦attention.scores: no number" in failed.text("summary")
    shop.noted("runs")
    switch.touch()
    mended = shop.build()
    assert (mended.status, mended.problems) == (0, [])
    assert shop.noted("runs") == ["attention"]
    assert "There are 128 scores" in mended.text("summary")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_error_in_the_text_is_reported_until_it_is_gone(shop: Any, jobs: str) -> None:
    shop.write("book/words.md", "# Words\n\n:::{number-table}\n:columns: many\n:::\n\n{nmu}`x`\n")
    for number in range(3):
        shop.write(f"book/page{number}.md", "---\norphan: true\n---\n# Page\n")
    first = shop.build("-j", jobs)
    second = shop.build("-j", jobs)
    assert texts(second.problems) == texts(first.problems)
    assert {problem.place for problem in first.problems} == {"book/words.md:3", "book/words.md:7"}
    assert (first.status, second.status) == (1, 1)
    shop.write("book/words.md", "# Words\n")
    mended = shop.build("-j", jobs)
    assert (mended.status, mended.problems) == (0, [])


def test_findings_are_reported_until_they_are_gone(shop: Any) -> None:
    shop.edit("book/words.md", "Only words.", "Only 731.5 TFLOPS.")
    shop.edit("book/summary.md", "{holds}`attention.many`", "{holds}`attention.few`")
    shop.write("book/second.md", "# Second\n\nAgain {num}`gemm.flop`.\n")
    shop.edit("book/index.md", "late\n", "late\nsecond\n")
    first = shop.build()
    wanted = {"book/words.md:3:6", "book/summary.md:3", "book/second.md:3"}
    assert {problem.place for problem in first.problems} == wanted
    shop.noted("reads")
    second = shop.build()
    assert texts(second.problems) == texts(first.problems)
    assert (first.status, second.status) == (1, 1)
    assert shop.noted("reads") == []
    shop.edit("book/words.md", "Only 731.5 TFLOPS.", "Only words.")
    third = shop.build()
    assert {problem.place for problem in third.problems} == wanted - {"book/words.md:3:6"}


def test_a_fallen_claim_is_reported_where_it_is_stated(shop: Any) -> None:
    shop.build()
    shop.edit("tiny_ledger/scores.py", "heads * seq**2", "heads * seq")
    built = shop.build()
    assert built.status == 1
    (problem,) = built.problems
    assert problem.place == "book/attention.md:25"
    assert "claim 'attention.many' does not hold: attention.scores = 16 1" in problem.text
    assert "stated at book/summary.md:3" in problem.text


def test_the_build_never_imports_a_ledger(shop: Any) -> None:
    assert shop.build().status == 0
    assert (shop.root.parent / "modules").exists()
    assert shop.noted("modules") == []


def test_two_readers_give_the_same_pages_as_one(make_shop: Callable[[str], Any]) -> None:
    built = []
    for name, jobs in (("one", "1"), ("two", "2")):
        shop = make_shop(name)
        for number in range(8):  # Sphinx reads in parallel only from six pages on
            page = "# Page x\n\nAgain {num}`gemm.flops`, {num}`attention.scores`.\n"
            shop.write(f"book/page{number}.md", page)
        shop.edit("book/words.md", "Only words.", "Only 731.5 TFLOPS.")
        built.append(shop.build("-j", jobs))
        assert sorted(shop.noted("runs")) == ["attention", "gemm"]
    one, two = built
    assert sorted(texts(one.problems)) == sorted(texts(two.problems))
    assert (one.status, two.status) == (1, 1)
    assert tree_of(one) == tree_of(two)


def test_the_path_of_a_project_leaves_no_trace(make_shop: Callable[[str], Any]) -> None:
    trees = []
    for name in ("here", "elsewhere/and/deeper"):
        shop = make_shop(name)
        trees.append(tree_of(shop.build()))
        assert not any(str(shop.root).encode() in content for content in trees[-1].values())
    assert trees[0] == trees[1]


def test_labels_and_captions_can_be_translated(shop: Any) -> None:
    built = shop.build(builder="gettext", out="gettext")
    assert (built.status, built.problems) == (0, [])
    catalogue = (built.out / "summary.pot").read_text("utf-8")
    for message in (
        "What is there",
        "of what",
        "how many",
        "scores of **attention**",
        "There are {num}`attention.scores:int` scores, {holds}`attention.many`, in",
    ):
        assert f'msgid "{message}"' in catalogue


def test_what_a_build_leaves_for_verify(shop: Any) -> None:
    built = shop.build()
    trees = shop.root.parent / "html-trees"
    exported = json.loads((trees / "bookcode-records.json").read_text("utf-8"))
    assert exported["language"] == "en"
    summary, gemm = exported["pages"]["summary"], exported["pages"]["gemm"]
    assert summary["source"] == "book/summary.md"
    uses = [(u["role"], u["key"], u["line"], u["context"], u["shown"]) for u in summary["uses"]]
    assert uses == [
        ("num", "attention.scores", 3, "body", "128"),
        ("holds", "attention.many", 3, "body", "many"),
        ("num", "attention.scores", 8, "table", "128"),
    ]
    number = next(record for record in gemm["records"] if record["kind"] == "number")
    assert (number["key"], number["line"], number["value"]) == ("gemm.flops", 25, "1024")
    assert number["shown"].replace("\u202f", " ") == "1.024 kFLOP"
    assert number["place"].startswith("tiny_ledger/matrix.py:")
    assert gemm["module"]["kind"] == "module"
    assert summary["module"] is None
    module = (built.out / "_static/bookcode/gemm.js").read_text("utf-8")
    assert module == gemm["module"]["javascript"]
    assert not (built.out / "_static/bookcode/summary.js").exists()


def test_nothing_is_left_in_the_source_tree(shop: Any) -> None:
    before = {path for path in shop.root.rglob("*") if "__pycache__" not in path.parts}
    shop.build()
    after = {path for path in shop.root.rglob("*") if "__pycache__" not in path.parts}
    assert after == before
    assert not (shop.root.parent / "jupyter_execute").exists()


@pytest.mark.parametrize("builder", ["text", "latex"])
def test_other_builders_show_the_same_numbers(shop: Any, builder: str) -> None:
    built = shop.build(builder=builder, out=builder)
    assert built.status == 0
    suffix = {"text": "attention.txt", "latex": "tiny.tex"}[builder]
    shown = Path(built.out / suffix).read_text("utf-8")
    assert "It has 128 scores" in shown
    assert "⟦" not in shown
    assert "attention.many" in shown  # the output of its cell, as text
