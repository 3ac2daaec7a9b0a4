"""Reading catalogues."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.translation.catalogue import read_catalogue
from bookcode.translation.errors import CatalogueError

TEXT = """\
# head
msgid ""
msgstr ""
"Language: zh_CN\\n"

#. claim: big
#: book/a.md
msgid "one"
msgstr "一"

#: book/a.md
#, fuzzy
#| msgid "too"
msgid ""
"two "
"lines"
msgstr ""
"两"
"行"

msgid "three"
msgstr ""

#~ msgid "gone"
#~ msgstr "没了"
"""


def test_entries_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "book/a.po"
    path.parent.mkdir()
    path.write_text(TEXT, "utf-8")
    found = read_catalogue(path, tmp_path)
    assert found.path == "book/a.po"
    one, two, three, gone = found.entries
    assert (one.msgid, one.msgstr, one.line, one.said, one.comment) == (
        *("one", "一", 8, 9, "claim: big"),
    )
    assert (two.msgid, two.msgstr, two.fuzzy, two.previous, two.said) == (
        *("two lines", "两行", True, "too", 17),
    )
    assert gone.obsolete
    assert [entry.shown for entry in found.entries] == [True, False, False, False]
    assert set(found.by_message) == {"one", "two lines", "three"}
    assert three.path == "book/a.po"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.po"
    path.write_text('msgid "a"\nmsgstr "甲"\n', "utf-8")
    assert read_catalogue(path, tmp_path).by_message["a"].msgstr == "甲"
    path.write_text('msgid "a"\nmsgstr "乙乙"\n', "utf-8")
    assert read_catalogue(path, tmp_path).by_message["a"].msgstr == "乙乙"


def test_a_missing_catalogue_says_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"a\.po:1: no such catalogue; `nox -s i18n`"):
        read_catalogue(tmp_path / "a.po", tmp_path)


@pytest.mark.parametrize("text", ['msgid "a"\nbroken "x"\n', 'msgid "a"\nwhat\n'])
def test_what_is_no_catalogue_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.po"
    path.write_text(text, "utf-8")
    with pytest.raises(CatalogueError) as caught:
        read_catalogue(path, tmp_path)
    assert caught.value.line == 2
    assert str(caught.value).startswith("a.po:2: ")


def test_an_empty_file_has_no_messages(tmp_path: Path) -> None:
    (tmp_path / "a.po").write_text("", "utf-8")
    assert read_catalogue(tmp_path / "a.po", tmp_path).entries == ()
