"""What a verifier gets: counts, problems and what was not checked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bookcode.reality import check
from bookcode.reality.check import RealityResult, check_reality, recorded
from bookcode.reality.errors import RealityError
from bookcode.reality.survey import Survey
from bookcode.sources import Store, default_folder
from bookcode.verify.result import Result

ROOT = Path(__file__).parents[2]


def by_name(results: list[RealityResult]) -> dict[str, RealityResult]:
    return {result.name: result for result in results}


def test_everything_is_green_on_the_pinned_sources(
    surveyed: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "survey", lambda _: surveyed)
    found = by_name(check_reality(ROOT, Store(default_folder(ROOT)), every=97))
    assert set(found) == {
        *("published tables", "other counters", "measured times", "mutants", "the page's record")
    }
    for result in found.values():
        assert result.problems == []
        assert result.unchecked == []
        assert result.checked > 0
    assert found["measured times"].checked == 526086
    assert "22 unexplained" in found["measured times"].note


def test_an_empty_store_is_told_and_not_red(tmp_path: Path) -> None:
    found = by_name(check_reality(ROOT, Store(tmp_path)))
    assert found["published tables"].checked > 50
    assert len(found["other counters"].unchecked) == 3
    assert found["measured times"].unchecked
    assert found["mutants"].unchecked
    assert not any(result.problems for result in found.values())


def test_results_fit_the_verifiers_own() -> None:
    mine = RealityResult("n", 1, "w", ["p"], ["u"], "o")
    assert Result(**vars(mine)) == Result("n", 1, "w", ["p"], ["u"], "o")


def test_a_published_number_that_went_wrong_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "references").mkdir()
    for name in ("published-tables.toml", "sources.toml", "citations.toml", "facts.toml"):
        shutil.copy(ROOT / "references" / name, tmp_path / "references" / name)
    path = tmp_path / "references" / "published-tables.toml"
    path.write_text(path.read_text("utf-8").replace('"124337664"', '"124337665"', 1), "utf-8")
    found = by_name(check_reality(tmp_path, Store(tmp_path / "empty")))
    [problem] = found["published tables"].problems
    assert "124337665" in problem
    assert "124337664 follows" in problem


def test_a_missing_record_says_what_to_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(check, "RECORD", tmp_path / "counts.json")
    with pytest.raises(RealityError, match="--write"):
        recorded()
