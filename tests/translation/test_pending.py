"""The list of pending translations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.translation.errors import PendingError
from bookcode.translation.pending import PATH, Pending, PendingList

ENTRY = 'language = "zh_CN"\ncatalogue = "a"\nmessage = "m"\nwhy = "w"\n'


def load(root: Path, text: str) -> PendingList:
    (root / PATH).parent.mkdir(exist_ok=True)
    (root / PATH).write_text(text, "utf-8")
    return PendingList.load(root)


def test_no_file_is_an_empty_list(tmp_path: Path) -> None:
    assert PendingList.load(tmp_path).entries == []


def test_entries_know_their_line(tmp_path: Path) -> None:
    found = load(tmp_path, f"# head\n\n[[pending]]\n{ENTRY}\n[[pending]]\n{ENTRY}")
    assert [entry.line for entry in found.entries] == [3, 9]
    assert found.find("zh_CN", "a", "m") is not None
    assert found.find("zh_CN", "b", "m") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[pending]\n", "pending-translations.toml: "),
        (f"[[pending]]\n{ENTRY}wy = 1\n", "no field 'wy'; did you mean why"),
        ("[[pending]]\n" + ENTRY.replace('"w"', '" "'), ":1: why must be a text"),
        ("[[pending]]\n" + ENTRY.replace('message = "m"\n', ""), "message must be a text"),
        ('pending = ["a"]\n', r"entries begin with \[\[pending\]\]"),
    ],
)
def test_a_list_that_is_wrong_says_where(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PendingError, match=said):
        load(tmp_path, text)


def test_an_empty_list_keeps_its_head(tmp_path: Path) -> None:
    PendingList().write(tmp_path)
    text = (tmp_path / PATH).read_text("utf-8")
    assert text.startswith("# Messages whose translation is still to come")
    assert PendingList.load(tmp_path).entries == []


TEXTS = st.text(min_size=1).filter(lambda text: text.strip() and "\r" not in text)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4, unique_by=lambda pair: pair[0]))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, pairs) -> None:
    root = tmp_path_factory.mktemp("list")
    entries = [Pending("zh_CN", "a/b", message, why) for message, why in pairs]
    PendingList(entries).write(root)
    first = (root / PATH).read_bytes()
    found = PendingList.load(root)
    assert {(e.place, e.why) for e in found.entries} == {(e.place, e.why) for e in entries}
    PendingList(reversed(found.entries)).write(root)
    assert (root / PATH).read_bytes() == first
