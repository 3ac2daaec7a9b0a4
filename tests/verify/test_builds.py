"""What a build is told of the world: its date."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bookcode.verify.builds import source_date

COMMITTED = "1790000000"


def test_the_date_is_that_of_the_last_commit(tmp_path: Path) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(
        ["git", "-C", str(tmp_path), *names, "commit", "-q", "--allow-empty", "-m", "x"],
        check=True,
        env={"GIT_COMMITTER_DATE": f"{COMMITTED} +0000", "PATH": "/usr/bin:/bin:/usr/local/bin"},
    )
    assert source_date(tmp_path) == COMMITTED


def test_without_a_history_there_is_no_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert source_date(tmp_path) == "0"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert source_date(tmp_path) == "0"
