"""What changed since a revision, and which mutants that concerns."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bookcode.mutants import Mutant, MutantsError
from bookcode.mutants._changed import Changed, has_revision


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("one\ntwo\nthree\nfour\n")
    (tmp_path / "b.py").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def mutant(path: str, line: int, kind: str = "ledger") -> Mutant:
    return Mutant(kind, "x", path, line, 1, "w")


def test_changed_lines_and_new_files(project: Path) -> None:
    (project / "a.py").write_text("one\nTWO\nthree\nfour\nfive\n")
    (project / "new.py").write_text("x\n")
    changed = Changed.since(project, "HEAD")
    assert changed.holds(mutant("a.py", 2))
    assert changed.holds(mutant("a.py", 5))
    assert not changed.holds(mutant("a.py", 1))
    assert not changed.holds(mutant("a.py", 4))
    assert not changed.holds(mutant("b.py", 1))
    assert changed.holds(mutant("new.py", 1))
    assert changed.holds(mutant("a.py", 0))
    assert not changed.checking


def test_committed_changes_count_from_the_revision(project: Path) -> None:
    (project / "b.py").write_text("two\n")
    git(project, "commit", "-q", "-a", "-m", "second")
    assert Changed.since(project, "HEAD~1").holds(mutant("b.py", 1))
    assert not Changed.since(project, "HEAD").holds(mutant("b.py", 1))


@pytest.mark.parametrize("path", ["bookcode/prose/_names.py", "references/mutants.toml"])
def test_when_a_check_changes_all_that_is_checked_quickly_is_judged(
    project: Path, path: str
) -> None:
    (project / path).parent.mkdir(parents=True)
    (project / path).write_text("x\n")
    changed = Changed.since(project, "HEAD")
    assert changed.checking
    assert changed.holds(mutant("book/x.md", 1, "number"))
    assert not changed.holds(mutant("a.py", 1, "ledger"))


def test_an_unknown_revision_is_an_error(project: Path) -> None:
    with pytest.raises(MutantsError, match="git diff"):
        Changed.since(project, "nowhere")
    assert has_revision(project, "HEAD")
    assert not has_revision(project, "HEAD~1")


def test_without_git_there_is_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not has_revision(tmp_path, "HEAD")
    with pytest.raises(MutantsError, match="git"):
        Changed.since(tmp_path, "HEAD")
