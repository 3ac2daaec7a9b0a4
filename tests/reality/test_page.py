"""The parts of the pages' record: counts that are the survey's, and a record that is up to date."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bookcode.lab import LabError, Record
from bookcode.lab.record import RECORD as LAB
from bookcode.lab.record import read as read_lab
from bookcode.reality import check, page, published, record
from bookcode.reality.check import check_reality, comparisons_of
from bookcode.reality.counters import RUN, torch_run
from bookcode.reality.explaining import CLASSES
from bookcode.reality.mutants import Outcome
from bookcode.reality.mutating import mutants
from bookcode.reality.operators import LEDGER
from bookcode.reality.survey import Survey
from bookcode.sources import Store, default_folder

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kept() -> record.PageRecord:
    return record.read(ROOT / record.RECORD)


@pytest.fixture(scope="module")
def parts(surveyed: Survey) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(page.surveyed_parts(surveyed)))
    return made


# the survey ------------------------------------------------------------------------
def test_the_committed_record_is_that_of_the_tables(
    parts: dict[str, Any], kept: record.PageRecord
) -> None:
    for name, part in parts.items():
        assert list(record.differences(kept.parts[name], part)) == []


def test_counts_are_those_of_the_survey(parts: dict[str, Any], surveyed: Survey) -> None:
    value = {name: Fraction(entry["value"]) for name, entry in parts["results"].items()}
    assert value["rows"] == surveyed.rows == sum(r["rows"] for r in parts["tables"]["data-sets"])
    assert value["beaten"] == surveyed.beaten
    assert value["unexplained"] == surveyed.unexplained == len(parts["tables"]["unexplained"])
    explained = sum(value[f"class.{kind.replace(' ', '-')}"] for kind in CLASSES)
    assert explained == value["beaten"] - value["unexplained"]
    assert explained == sum(row["explained"] for row in parts["tables"]["beaten"])
    assert value["headline.rows"] == 9240
    assert value["headline.calibrated.beaten"] == 1028


def test_the_drawing_holds_the_rows_that_are_counted(parts: dict[str, Any]) -> None:
    value = {name: Fraction(entry["value"]) for name, entry in parts["results"].items()}
    together = sum(value[f"{name}.rows"] for name in ("product", "prompt", "token"))
    assert value["drawn.rows"] == together == parts["drawings"]["density"]["rows"]
    assert value["drawn.beaten"] == 25


def test_shares_rise_from_the_middle_to_the_good(parts: dict[str, Any]) -> None:
    rows = [*parts["tables"]["expect"], *(r["long"] for r in parts["tables"]["machines"])]
    assert len(rows) > 30
    for row in rows:
        assert 0 < row["middle"] <= row["good"]
        assert row["best"] <= 1
    by_operator = {row["operator"] for row in parts["tables"]["expect"]}
    assert by_operator == {"product", "product-8-bit", "prompt", "token", "all-reduce"}


# other people's figures ------------------------------------------------------------------------
def test_torchs_own_counts_are_explained_to_the_last_operation() -> None:
    comparisons = list(torch_run(read_lab(ROOT / LAB)))
    assert [c.left(LEDGER) for c in comparisons] == [0] * 10
    block = comparisons[-2]
    assert block.theirs > 9e11
    assert len(block.differences) == 6


def test_a_count_that_is_missing_or_wrong_is_noticed() -> None:
    lab = read_lab(ROOT / LAB)
    with pytest.raises(LabError, match=r"meta\.product\.forward"):
        list(torch_run(Record(lab.date, lab.versions, {})))
    name = "meta.block.forward"
    wrong = replace(lab.results[name], value=str(lab[name].number + 1))
    changed = Record(lab.date, lab.versions, {**lab.results, name: wrong})
    assert [c.left(LEDGER) for c in torch_run(changed)].count(0) == 9


def test_reasons_add_up_to_the_difference(kept: record.PageRecord) -> None:
    rows = [row for rows in kept.parts["counters"].values() for row in rows]
    assert len(rows) > 100
    for row in rows:
        why = sum(Fraction(reason["amount"]) for reason in row["why"])
        assert Fraction(row["ledger"]) - Fraction(row["theirs"]) == why


def test_published_numbers_have_their_inputs() -> None:
    tables = page.published(published.load(ROOT))
    assert len(tables) >= 12
    assert len({table["source"]["authors"] for table in tables}) >= 12
    for row in (row for table in tables for row in table["rows"]):
        assert row["formula"]
        assert row["printed"]
        assert row["follows"] or row["why"]
    odd = [row for table in tables for row in table["rows"] if not row["follows"]]
    assert odd
    assert all(row["recomputed"] != row["printed"] for row in odd)


def test_the_record_holds_every_mistake(kept: record.PageRecord) -> None:
    found = kept.parts["mutants"]
    assert set(found) == {mutant.words for mutant in mutants()}
    known = check.recorded()["mutants"]
    assert sorted(w for w, checks in found.items() if not checks) == sorted(known["frontier"])
    one = mutants()[0]
    assert page.mutated([Outcome(one, ("counter torch",), True)]) == {one.words: ["counter torch"]}


# the check ------------------------------------------------------------------------
@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The references of the project, to be spoilt."""
    for name in ("published-tables", "sources", "citations", "facts"):
        target = tmp_path / "references" / f"{name}.toml"
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "references" / f"{name}.toml", target)
    (tmp_path / "references" / "measurements").mkdir()
    for path in (record.RECORD, LAB):
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


def problems(root: Path, store: Store) -> list[str]:
    [found] = [r for r in check_reality(root, store, every=97) if r.name == "the page's record"]
    assert found.checked > 0
    return found.problems


def spoil(root: Path, change: Any) -> None:
    whole = record.read(root / record.RECORD)
    parts = copy.deepcopy(dict(whole.parts))
    change(parts)
    record.write(root / record.RECORD, record.PageRecord(whole.artifact, parts))


def test_without_the_tables_what_needs_none_is_still_compared(
    project: Path, tmp_path: Path
) -> None:
    nothing = Store(tmp_path / "nothing")
    assert problems(project, nothing) == []

    def change(parts: Any) -> None:
        parts["published"][0]["rows"][0]["printed"] = "1"
        parts["counters"][RUN][0]["theirs"] = "1"

    spoil(project, change)
    found = problems(project, nothing)
    assert len(found) == 2
    assert "published[0].rows[0].printed: recorded '1', now '124337664'" in found[0]
    assert "reality --mutants --write" in found[0]


def test_a_count_of_the_page_that_is_not_the_surveys_is_red(
    project: Path, surveyed: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "survey", lambda _: surveyed)
    store = Store(default_folder(ROOT))
    spoil(project, lambda parts: parts["results"]["rows"].update(value="526087"))
    [problem] = problems(project, store)
    assert "results.rows.value: recorded '526087', now '526086'" in problem


def test_a_mistake_with_another_catcher_is_red(
    project: Path, surveyed: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "survey", lambda _: surveyed)
    first = mutants()[0].words
    spoil(project, lambda parts: parts["mutants"].update({first: ["nobody"]}))
    assert any("nobody" in text for text in problems(project, Store(default_folder(ROOT))))


def test_a_missing_record_is_red(project: Path, tmp_path: Path) -> None:
    (project / record.RECORD).unlink()
    results = check_reality(project, Store(tmp_path / "nothing"))
    [found] = [r for r in results if r.name == "the page's record"]
    assert any("--write" in text for text in found.problems)


def test_comparisons_of_the_lab_need_no_artifact() -> None:
    assert len(list(comparisons_of(ROOT, RUN, {}))) == 10
