from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bookcode.execution.scope import Scope, is_skipped_name


@pytest.mark.parametrize("name", ["a.py", "data", "book", "x.po", "build.toml", "site"])
def test_project_files_count(tmp_path: Path, name: str) -> None:
    assert Scope([tmp_path]).locate(tmp_path / "deep" / name) == str(tmp_path / "deep" / name)


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".nox/tests/lib/x.py",
        ".venv/x.py",
        "a/__pycache__/a.cpython-311.pyc",
        "a.pyc",
        "lib/site-packages/numpy/__init__.py",
        "bookcode.egg-info/PKG-INFO",
        "<cell-3>.py",
    ],
)
def test_tool_folders_do_not(tmp_path: Path, name: str) -> None:
    assert Scope([tmp_path]).locate(tmp_path / name) is None


def test_the_root_counts_wherever_it_lies(tmp_path: Path) -> None:
    root = tmp_path / ".hidden" / "site-packages"
    scope = Scope([root])
    assert scope.locate(root) == str(root)
    assert scope.locate(root / "a.py") == str(root / "a.py")


def test_a_name_that_only_begins_like_the_root_does_not(tmp_path: Path) -> None:
    assert Scope([tmp_path / "book"]).locate(tmp_path / "bookcode" / "a.py") is None


def test_output_folders_do_not(tmp_path: Path) -> None:
    scope = Scope([tmp_path], [Path("build/html"), tmp_path / "out"])
    assert scope.locate(tmp_path / "build" / "html" / "a.html") is None
    assert scope.locate(tmp_path / "out") is None
    assert scope.locate(tmp_path / "build" / "input.txt") is not None
    assert scope.locate(tmp_path / "outer") is not None


def test_the_interpreter_does_not_even_below_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    assert Scope([tmp_path]).locate(tmp_path / "env" / "lib" / "x.py") is None


def test_paths_are_normalized_and_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope = Scope([tmp_path])
    assert scope.locate("a/../b.txt") == str(tmp_path / "b.txt")
    assert scope.locate(b"b.txt") == str(tmp_path / "b.txt")


def test_a_path_through_a_symlink_is_recorded_below_the_root_as_given(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    scope = Scope([tmp_path / "link"])
    expected = str(tmp_path / "link" / "a.py")
    assert scope.locate(tmp_path / "real" / "a.py") == expected
    assert scope.locate(tmp_path / "link" / "a.py") == expected


@pytest.mark.parametrize("value", [None, 3.5, object(), 7])
def test_what_is_no_path_is_nowhere(tmp_path: Path, value: object) -> None:
    assert Scope([tmp_path]).locate(value) is None


def test_skipped_names() -> None:
    assert is_skipped_name("__pycache__")
    assert not is_skipped_name("pycache")
