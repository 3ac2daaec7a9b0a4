"""The change log of numbers: read, absent, broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.numbers.change_log import CHANGES, ChangeLogError, read_changes

ONE = '[[change]]\ndate = "2026-01-02"\nwhy = "w"\nnew = 1\ngone = []\nchanged = []\n'


def written(root: Path, text: str) -> Path:
    (root / CHANGES).parent.mkdir(parents=True)
    (root / CHANGES).write_text(text)
    return root


def test_changes_are_read_in_order(tmp_path: Path) -> None:
    assert read_changes(tmp_path) == []
    changes = read_changes(written(tmp_path, ONE + ONE.replace("01-02", "03-04")))
    assert [change["date"] for change in changes] == ["2026-01-02", "2026-03-04"]
    assert changes[0]["new"] == 1


def test_an_empty_log_is_no_change(tmp_path: Path) -> None:
    assert read_changes(written(tmp_path, "# nothing yet\n")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ONE.replace('why = "w"\n', ""), "change 1 lacks 'why'"),
        ("x = = 1", "changes.toml: not TOML"),
    ],
)
def test_a_broken_log_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ChangeLogError, match=message):
        read_changes(written(tmp_path, text))
