"""What is planned, what is refused, and that nothing there is ever overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.scaffold import Plan, ScaffoldError, carry_out, chapter, exercise, operator
from bookcode.scaffold.chapters import entered
from bookcode.scaffold.exercises import KINDS
from bookcode.scaffold.names import chapter_named, next_number, title_of
from bookcode.scaffold.operators import EXPORTS, exported, with_case
from bookcode.scaffold.plan import Edit
from bookcode.scaffold.templates import FOLDER, fill
from bookcode.sphinxext.exercises_model import EXERCISE_KINDS

ROOT = Path(__file__).parents[2]
INDEX = "# Book\n\n```{toctree}\n:maxdepth: 2\n\n01-start/index\n```\n\n```{toctree}\nwords\n```\n"
EXERCISES = "# Exercises\n\n```{code-cell} python\nbook = Book()\n```\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "book/01-start").mkdir(parents=True)
    (tmp_path / "book/01-start/index.md").write_text("# Start\n")
    (tmp_path / "book/01-start/exercises.md").write_text(EXERCISES)
    (tmp_path / "book/index.md").write_text(INDEX)
    return tmp_path


def everything(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


# --- writing ----------------------------------------------------------------------------------


def test_a_file_that_is_there_stops_everything(project: Path) -> None:
    (project / "b").write_text("mine")
    before = everything(project)
    plan = Plan({"a": "new", "b": "new"}, {"book/index.md": Edit(INDEX, "other")})
    with pytest.raises(ScaffoldError, match="b is there already: nothing was written"):
        carry_out(project, plan)
    assert everything(project) == before


def test_a_dangling_link_counts_as_a_file(project: Path) -> None:
    (project / "a").symlink_to("nowhere")
    with pytest.raises(ScaffoldError, match="there already"):
        carry_out(project, Plan({"a": "new"}))
    assert not (project / "nowhere").exists()


def test_a_file_that_comes_to_be_meanwhile_is_left_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a").write_text("mine")
    monkeypatch.setattr("os.path.lexists", lambda path: False)
    with pytest.raises(ScaffoldError, match="come to be meanwhile"):
        carry_out(project, Plan({"a": "new"}))
    assert (project / "a").read_text() == "mine"
    assert [p.name for p in project.iterdir()] != []
    assert not list(project.glob(".a.*"))


def test_an_edit_of_a_file_that_has_changed_stops_everything(project: Path) -> None:
    before = everything(project)
    plan = Plan({"a": "new"}, {"book/index.md": Edit("what was", "what will be")})
    with pytest.raises(ScaffoldError, match=r"book/index\.md has changed meanwhile"):
        carry_out(project, plan)
    assert everything(project) == before


def test_a_plan_is_carried_out_and_told(project: Path) -> None:
    told = carry_out(project, Plan({"new/a.md": "text"}, {"book/index.md": Edit(INDEX, "other")}))
    assert told == ["wrote new/a.md", "added to book/index.md"]
    assert (project / "new/a.md").read_text() == "text"
    assert (project / "new/a.md").stat().st_mode & 0o777 == 0o644
    assert (project / "book/index.md").read_text() == "other"


def test_a_template_leaves_no_name_unfilled() -> None:
    with pytest.raises(KeyError):
        fill("operator", name="x")
    for path in FOLDER.glob("*.txt"):
        values = dict.fromkeys(("name", "title", "key", "number", "parameter", "label"), "x")
        assert "<<" not in fill(path.stem, kind="x", plain_number="1", **values)


# --- chapters ---------------------------------------------------------------------------------


def test_a_chapter_comes_after_the_last_and_into_the_contents(project: Path) -> None:
    plan = chapter(project, "mixed-precision")
    assert sorted(plan.new) == [
        f"book/02-mixed-precision/{page}.md"
        for page in ("01-first-section", "exercises", "index", "numbers", "self-test")
    ]
    assert plan.new["book/02-mixed-precision/index.md"].startswith("# Mixed precision\n")
    after = plan.edits["book/index.md"].after
    assert after == INDEX.replace("01-start/index\n", "01-start/index\n02-mixed-precision/index\n")
    carry_out(project, plan)
    assert "book/03-more/index.md" in chapter(project, "more").new


def test_the_first_chapter_opens_the_first_list() -> None:
    text = "# Book\n\n```{toctree}\n:maxdepth: 2\n\n```\n"
    assert entered(text, "01-a/index") == text.replace("2\n\n", "2\n\n01-a/index\n")
    with pytest.raises(ScaffoldError, match="no toctree"):
        entered("# Book\n", "01-a/index")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Mixed precision", "'mixed-precision' would do"),
        ("3d", "'d' would do"),
        ("a--b", "'a-b' would do"),
        ("..", "lower case with hyphens"),
        ("a/b", "'a-b' would do"),
        ("start", "there is a chapter 'start' already"),
    ],
)
def test_a_chapters_name_is_checked(project: Path, name: str, message: str) -> None:
    before = everything(project)
    with pytest.raises(ScaffoldError, match=message):
        chapter(project, name)
    assert everything(project) == before


def test_chapters_are_named_in_three_ways() -> None:
    known = ["01-roofline", "02-from-pytorch-to-kernel"]
    for name in ("02", "02-from-pytorch-to-kernel", "from-pytorch-to-kernel"):
        assert chapter_named(name, known) == known[1]
    with pytest.raises(ScaffoldError, match=r"no chapter '01-rofline'; did you mean 01-roofline"):
        chapter_named("01-rofline", known)
    assert next_number([]) == "01"
    assert next_number(["07-a", "02-b"]) == "08"
    with pytest.raises(ScaffoldError, match="the last number is taken"):
        next_number(["99-z"])
    assert title_of("mixed-precision") == "Mixed precision"


# --- exercises --------------------------------------------------------------------------------


def test_an_exercise_gets_the_next_number_and_comes_last(project: Path) -> None:
    page = "book/01-start/exercises.md"
    for number in (1, 2):
        plan = exercise(project, "A sum", "01")
        after = plan.edits[page].after
        assert after.startswith(plan.edits[page].before.rstrip())
        assert f"::::{{exercise}} 01-e{number} A sum\n:kind: concept\n" in after
        carry_out(project, plan)
    (project / page).write_text(EXERCISES.replace("# Ex", "::::{exercise} 01-e17 X\n::::\n\n# Ex"))
    assert "01-e18" in exercise(project, "A sum", "start").edits[page].after


def test_an_exercise_needs_a_chapter_a_title_a_kind_and_a_book(project: Path) -> None:
    for title, folder, kind, message in (
        ("A sum", "07", "concept", r"no chapter '07'; known: 01-start"),
        (" ", "01", "concept", "a title of one line"),
        ("A\nB", "01", "concept", "a title of one line"),
        ("A sum", "01", "calculations", "did you mean calculation"),
    ):
        with pytest.raises(ScaffoldError, match=message):
            exercise(project, title, folder, kind)
    (project / "book/01-start/exercises.md").write_text("# Exercises\n")
    with pytest.raises(ScaffoldError, match=r"no cell says book = Book\(\)"):
        exercise(project, "A sum", "01")
    (project / "book/01-start/exercises.md").unlink()
    with pytest.raises(ScaffoldError, match=r"exercises\.md cannot be read"):
        exercise(project, "A sum", "01")


def test_the_kinds_are_those_of_the_book() -> None:
    assert KINDS == EXERCISE_KINDS


# --- operators --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["aardvark", "doubling", "moe_a", "moe_z", "zebra", "gemm2"])
def test_exports_stay_sorted(name: str) -> None:
    text = (ROOT / EXPORTS).read_text("utf-8")
    after = exported(text, name)
    modules = [line.split()[1] for line in after.splitlines() if line.startswith("from ")]
    assert modules == sorted(modules)
    names = [line.strip() for line in after.splitlines() if line.startswith('    "')]
    assert names == sorted(names)
    assert f'    "{name}",' in after
    added = [f"from bookcode.ledger.ops.{name} import {name}", f'    "{name}",']
    assert [line for line in after.splitlines() if line not in added] == text.splitlines()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Layer scale", "'layer_scale' would do"),
        ("class", "lower case with underscores"),
        ("gemm", "the ledger has 'gemm' already"),
        ("communication", "the ledger has 'communication' already"),
        ("_x", "'x' would do"),
        ("../x", "'x' would do"),
    ],
)
def test_an_operators_name_is_checked(name: str, message: str) -> None:
    with pytest.raises(ScaffoldError, match=message):
        operator(ROOT, name)


def test_an_operator_is_planned_with_test_export_and_case() -> None:
    plan = operator(ROOT, "layer_scale")
    assert list(plan.new) == [
        "bookcode/ledger/ops/layer_scale.py",
        "tests/ledger/ops/test_layer_scale.py",
    ]
    cases = plan.edits["tests/ledger/conftest.py"]
    line = '    *_cases(ops.layer_scale, {"elements": 4096}),\n'
    assert cases.after.replace(line, "") == cases.before
    assert f"{line}]\n\n\n@pytest.fixture" in cases.after


def test_files_that_are_not_as_they_were_are_named() -> None:
    with pytest.raises(ScaffoldError, match="the list CASES is not where it was"):
        with_case("CASES = []\n", "x")
    with pytest.raises(ScaffoldError, match="no imports of operators"):
        exported("__all__ = []\n", "x")
