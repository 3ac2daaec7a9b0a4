from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.execution import Dependencies, changed, fingerprint


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("1", "utf-8")
    (tmp_path / "module.py").write_text("x = 1", "utf-8")
    return tmp_path


@pytest.fixture
def dependencies(root: Path) -> Dependencies:
    return Dependencies(
        files=frozenset({root / "module.py"}),
        missing=frozenset({root / "nope.csv"}),
        directories=frozenset({root / "data"}),
        present=frozenset({root / "data" / "a.csv"}),
    )


def test_every_dependency_has_its_kind_of_state(root: Path, dependencies: Dependencies) -> None:
    states = fingerprint(dependencies, root)
    assert list(states) == ["data", "data/a.csv", "module.py", "nope.csv"]
    assert {name: state.partition(":")[0] for name, state in states.items()} == {
        "data": "directory",
        "data/a.csv": "present",
        "module.py": "file",
        "nope.csv": "missing",
    }


def test_nothing_has_changed_until_something_does(root: Path, dependencies: Dependencies) -> None:
    assert changed(fingerprint(dependencies, root), root) == []


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda root: (root / "module.py").write_text("x = 2", "utf-8"), ["module.py"]),
        (lambda root: (root / "module.py").unlink(), ["module.py"]),
        (lambda root: (root / "nope.csv").touch(), ["nope.csv"]),
        (lambda root: (root / "data" / "b.csv").touch(), ["data"]),
        (lambda root: (root / "data" / "a.csv").unlink(), ["data", "data/a.csv"]),
        (lambda root: (root / "data" / "a.csv").write_text("2", "utf-8"), []),
        (lambda root: (root / "data" / "__pycache__").mkdir(), []),
        (lambda root: (root / "other.py").touch(), []),
    ],
)
def test_an_edit_is_seen_by_those_who_looked(
    root: Path, dependencies: Dependencies, edit: object, expected: list[str]
) -> None:
    before = fingerprint(dependencies, root)
    assert callable(edit)
    edit(root)
    assert changed(before, root) == expected


def test_a_file_that_went_before_it_was_hashed_always_counts(root: Path) -> None:
    states = fingerprint(Dependencies(files=frozenset({root / "gone.py"})), root)
    assert states == {"gone.py": "gone"}
    assert changed(states, root) == ["gone.py"]


def test_a_file_that_came_before_it_was_noted_is_a_change(root: Path) -> None:
    states = fingerprint(Dependencies(missing=frozenset({root / "module.py"})), root)
    assert changed(states, root) == ["module.py"]


def test_files_of_another_root_are_told_apart(root: Path) -> None:
    states = fingerprint(Dependencies(files=frozenset({root / "module.py"})), root / "data")
    assert list(states) == ["../module.py"]
    assert changed(states, root / "data") == []


NAMES = st.sets(
    st.text(st.characters(codec="utf-8", exclude_characters="/\0."), min_size=1, max_size=40)
)


@settings(max_examples=40)
@given(NAMES, NAMES)
def test_two_folders_have_the_same_state_only_with_the_same_names(
    tmp_path_factory: pytest.TempPathFactory, first: set[str], second: set[str]
) -> None:
    states = []
    for names in (first, second):
        folder = tmp_path_factory.mktemp("listed")
        for name in names:
            (folder / f"n{name}").touch()
        states.append(fingerprint(Dependencies(directories=frozenset({folder})), folder))
    assert (states[0] == states[1]) == (first == second)


def test_what_changed_after_the_run_began_counts_as_changed(tmp_path: Path) -> None:
    """Whether the run read it before or after the change, nobody knows."""
    early, late = tmp_path / "early.txt", tmp_path / "late.txt"
    for path in (early, late):
        path.write_text("one")
    dependencies = Dependencies(
        files=frozenset({early, late}), missing=frozenset({tmp_path / "no"})
    )
    began = max(path.stat().st_ctime_ns for path in (early, late)) + 1
    assert changed(fingerprint(dependencies, tmp_path, began), tmp_path) == []
    while late.stat().st_ctime_ns < began:  # the clock of a file system may be a coarse one
        late.write_text("two")
    assert changed(fingerprint(dependencies, tmp_path, began), tmp_path) == ["late.txt"]
    assert changed(fingerprint(dependencies, tmp_path), tmp_path) == []


def state_since(root: Path, path: Path, since: int) -> str:
    """The state of a file that a run read which began then."""
    (state,) = fingerprint(Dependencies(files=frozenset({path})), root, since).values()
    return state


def test_what_has_changed_since_the_run_began_is_gone(root: Path) -> None:
    before = time.time_ns() - 10**9
    time.sleep(0.05)
    assert state_since(root, root / "module.py", time.time_ns()).startswith("file:")
    assert state_since(root, root / "module.py", before) == "gone"


@pytest.mark.parametrize("deep", [False, True])
def test_a_folder_that_has_taken_the_place_of_another_since_hides_what_was_read(
    root: Path, deep: bool
) -> None:
    inner = root / "other" / "deep" if deep else root / "other"
    inner.mkdir(parents=True)
    (inner / "a.csv").write_text("2", "utf-8")
    time.sleep(0.05)
    began = time.time_ns()
    time.sleep(0.05)
    assert state_since(root, root / "data" / "a.csv", began).startswith("file:")
    (root / "data").rename(root / "away")
    (root / "other").rename(root / "data")
    path = root / "data" / ("deep/a.csv" if deep else "a.csv")
    assert state_since(root, path, began) == "gone"


def test_a_link_that_leads_elsewhere_since_hides_what_was_read(root: Path) -> None:
    (root / "link").symlink_to("data")
    time.sleep(0.05)
    began = time.time_ns()
    time.sleep(0.05)
    assert state_since(root, root / "link" / "a.csv", began).startswith("file:")
    (root / "new").symlink_to("data")
    (root / "new").rename(root / "link")
    assert state_since(root, root / "link" / "a.csv", began) == "gone"


def test_a_new_file_beside_what_was_read_hides_nothing(root: Path) -> None:
    time.sleep(0.05)
    began = time.time_ns()
    time.sleep(0.05)
    (root / "data" / "b.csv").write_text("3", "utf-8")
    assert state_since(root, root / "data" / "a.csv", began).startswith("file:")
