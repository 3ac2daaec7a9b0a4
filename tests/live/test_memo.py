from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bookcode.execution.model import Cell, Dependencies, Failure, Limits, RunResult
from bookcode.live.memo import RunMemo

LIMITS = Limits(10, 1 << 30)


class Counting:
    """A runner that says how often it ran, and reads what it is told to."""

    def __init__(self, reads: Dependencies | None, failure: Failure | None = None) -> None:
        self.reads = reads
        self.failure = failure
        self.runs = 0
        self.during: Any = None

    def __call__(
        self,
        cells: Sequence[Cell],
        *,
        cwd: Path,
        limits: Limits,
        project_roots: Sequence[Path],
        env: Mapping[str, str] | None = None,
        exclude: Sequence[Path] = (),
    ) -> RunResult:
        self.runs += 1
        if self.during is not None:
            self.during()
        outputs = [[{"output_type": "stream", "text": f"run {self.runs}"}] for _ in cells]
        return RunResult(outputs, [1] * len(cells), self.failure, self.reads, 0.1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("1")
    # older than any run by more than a file system's clock may lag
    return age(path)


def age(path: Path) -> Path:
    import time

    time.sleep(0.06)
    return path


def ask(memo: RunMemo, *sources: str, line: int = 1, **other: Any) -> str:
    cells = [Cell(source, line + i, i) for i, source in enumerate(sources or ("x",))]
    arguments: dict[str, Any] = {"cwd": Path("/c"), "limits": LIMITS, "project_roots": [Path("/c")]}
    result = memo(cells, **{**arguments, **other})
    return str(result.outputs[0][0]["text"])


def memo_of(run: Counting, root: Path, **options: Any) -> RunMemo:
    return RunMemo(run, root, **options)


def test_the_same_cells_with_the_same_inputs_run_once(tmp_path: Path, data: Path) -> None:
    run = Counting(Dependencies(files=frozenset({data}), missing=frozenset({tmp_path / "no"})))
    memo = memo_of(run, tmp_path)
    assert [ask(memo), ask(memo), ask(memo, line=50)] == ["run 1"] * 3
    assert (memo.runs, memo.hits) == (1, 2)
    seen = memo.take_seen()
    assert len(seen) == 3
    assert all(found is not None and found["no"] == "missing" for found in seen)
    assert memo.take_seen() == []


@pytest.mark.parametrize(
    "other",
    [
        {"cwd": Path("/d")},
        {"limits": replace(LIMITS, seconds=11)},
        {"env": {"A": "1"}},
        {"project_roots": [Path("/d")]},
        {"exclude": [Path("/c/out")]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_way_of_running_is_another_run(tmp_path: Path, other: dict[str, Any]) -> None:
    memo = memo_of(Counting(Dependencies()), tmp_path)
    assert [ask(memo), ask(memo, **other), ask(memo)] == ["run 1", "run 2", "run 1"]


def test_other_cells_are_another_run(tmp_path: Path) -> None:
    memo = memo_of(Counting(Dependencies()), tmp_path)
    texts = [ask(memo, "a", "b"), ask(memo, "a"), ask(memo, "ab"), ask(memo, "b", "a")]
    assert texts == ["run 1", "run 2", "run 3", "run 4"]
    allowed = [Cell("a", 1, 0, may_raise=True)]
    result = memo(allowed, cwd=Path("/c"), limits=LIMITS, project_roots=[Path("/c")])
    assert result.outputs[0][0]["text"] == "run 5"


def test_changed_inputs_run_again_and_so_do_they_when_put_back(tmp_path: Path, data: Path) -> None:
    memo = memo_of(Counting(Dependencies(files=frozenset({data}))), tmp_path)
    time = data.stat().st_mtime_ns
    assert ask(memo) == "run 1"
    data.write_text("2")
    os.utime(data, ns=(time, time))  # content alone counts
    age(data)
    assert ask(memo) == "run 2"
    assert ask(memo) == "run 2"


def test_a_file_that_appears_where_one_was_looked_for(tmp_path: Path) -> None:
    memo = memo_of(Counting(Dependencies(missing=frozenset({tmp_path / "no.py"}))), tmp_path)
    assert ask(memo) == "run 1"
    (tmp_path / "no.py").write_text("")
    assert ask(memo) == "run 2"


def test_what_changed_during_the_run_is_not_trusted(tmp_path: Path, data: Path) -> None:
    run = Counting(Dependencies(files=frozenset({data})))
    run.during = lambda: data.write_text("2")
    memo = memo_of(run, tmp_path)
    assert ask(memo) == "run 1"
    assert ask(memo) == "run 2"
    (seen, _) = memo.take_seen()
    assert seen == {"data.csv": "gone"}


def failure(kind: Any) -> Failure:
    return Failure(0, 1, 1, kind, "E", "said", [])


def test_failures_run_again(tmp_path: Path, data: Path) -> None:
    run = Counting(Dependencies(files=frozenset({data})), failure("error"))
    memo = memo_of(run, tmp_path)
    assert [ask(memo), ask(memo)] == ["run 1", "run 2"]
    # a page with it need not be read again by itself: the same error would come
    assert all(
        seen is not None and seen["data.csv"].startswith("file:") for seen in memo.take_seen()
    )


@pytest.mark.parametrize("kind", ["timeout", "memory", "died"])
def test_what_chance_ended_counts_as_changed(tmp_path: Path, kind: str) -> None:
    memo = memo_of(Counting(Dependencies(), failure(kind)), tmp_path)
    ask(memo)
    assert memo.take_seen() == [None]


def test_a_run_that_nobody_watched_is_not_remembered(tmp_path: Path) -> None:
    memo = memo_of(Counting(None), tmp_path)
    assert [ask(memo), ask(memo)] == ["run 1", "run 2"]
    assert memo.take_seen() == [None, None]


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    memo = memo_of(Counting(Dependencies()), tmp_path, capacity=700)
    assert [ask(memo, "a"), ask(memo, "b")] == ["run 1", "run 2"]
    assert ask(memo, "a") == "run 1"
    for source in "cdef":
        ask(memo, source)
        ask(memo, "a")
    assert ask(memo, "a") == "run 1"
    assert ask(memo, "b") != "run 2"


def test_what_is_handed_out_can_be_changed(tmp_path: Path) -> None:
    memo = memo_of(Counting(Dependencies()), tmp_path)
    ask(memo)
    cells = [Cell("x", 1, 0)]
    for _ in range(2):
        result = memo(cells, cwd=Path("/c"), limits=LIMITS, project_roots=[Path("/c")])
        assert result.outputs[0][0]["text"] == "run 1"
        result.outputs[0][0]["text"] = "spoilt"
