"""``verify 02``: the whole book is built, and what lies in other chapters is left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bookcode.verify import run
from bookcode.verify.builds import Build, Layout
from bookcode.verify.commands import verify_command
from bookcode.verify.result import Result

PROBLEMS = {
    "01": "book/01-roofline/index.md:3: ERROR: '7': a typed number [bookcode.prose]",
    "02": "book/02-from-pytorch-to-kernel/a.md:4: ERROR: no number 'x' [bookcode.num]",
}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """A project of two chapters, with something wrong in each; the editions that were built."""
    for name in ("01-roofline", "02-from-pytorch-to-kernel"):
        (tmp_path / "book" / name).mkdir(parents=True)
        (tmp_path / "book" / name / "index.md").write_text("# Chapter\n")
    (tmp_path / "conf.py").write_text("")
    calls: list[Sequence[str]] = []

    def build_all(layout: Layout, editions: Sequence[str], **_: Any) -> list[Build]:
        calls.append(editions)
        return [Build(editions[0], tuple(PROBLEMS.values()), {})]

    monkeypatch.setattr(run, "build_all", build_all)
    monkeypatch.setattr(run, "check_world", lambda *_: [])
    monkeypatch.chdir(tmp_path)
    return calls


def test_a_chapter_shows_its_own_problems_alone(built: list[Sequence[str]]) -> None:
    for names, shown in ((["01"], ["01"]), (["02"], ["02"]), (["01", "02"], ["01", "02"])):
        done = CliRunner().invoke(verify_command, names)
        assert done.exit_code == 1
        assert [name for name, text in PROBLEMS.items() if text in done.output] == shown
    assert CliRunner().invoke(verify_command, []).output.count("ERROR") == 2
    assert len(built) == 4


def test_a_chapter_without_problems_is_green(
    built: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(PROBLEMS, "02")
    assert CliRunner().invoke(verify_command, ["02"]).exit_code == 0
    assert CliRunner().invoke(verify_command, ["01"]).exit_code == 1
    assert len(built) == 2


def test_what_needs_no_build_is_told_though_a_build_died(
    built: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "check_world", lambda *_: [Result("facts", problems=["a fact: red"])])
    done = CliRunner().invoke(verify_command, ["01"])
    assert done.exit_code == 1
    assert "a fact: red" in done.output
    assert PROBLEMS["01"] in done.output


def test_an_unknown_chapter_is_named_before_anything_is_built(built: list[Sequence[str]]) -> None:
    done = CliRunner().invoke(verify_command, ["02", "03"])
    assert done.exit_code == 1
    assert "no chapter '03'" in done.output
    assert "02-from-pytorch-to-kernel" in done.output
    assert built == []
