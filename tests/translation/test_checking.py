"""The check of catalogues against the English messages and the list of pending ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bookcode.translation.catalogue import read_catalogue
from bookcode.translation.checking import check_catalogues
from bookcode.translation.extraction import Message
from bookcode.translation.pending import Pending, PendingList

Write = Callable[[str, Mapping[str, str]], Path]

PO = "book/locale/zh_CN/LC_MESSAGES/page.po"


def messages(*texts: str) -> dict[str, list[Message]]:
    return {"page": [Message(text, "book/page.md", 7) for text in texts]}


def check(root: Path, *texts: str, pending: tuple[Pending, ...] = ()) -> list[str]:
    found = check_catalogues(root, "zh_CN", messages(*texts), PendingList(pending))
    return [str(finding) for finding in found]


def listed(message: str, name: str = "page") -> Pending:
    return Pending("zh_CN", name, message, "later", 5)


def test_a_whole_catalogue_is_fine(tmp_path: Path, write: Write) -> None:
    write("page", {"one": "一", "{num}`a`": "{num}`a`"})
    assert check(tmp_path, "one", "{num}`a`") == []


def test_what_is_not_translated_is_found_unless_it_is_listed(tmp_path: Path, write: Write) -> None:
    write("page", {"one": "", "two": " "})
    first, second = check(tmp_path, "one", "two")
    assert first.startswith(f"{PO}:5: 'one': untranslated; translate it, or list it")
    assert "translated by blanks only" in second
    assert check(tmp_path, "one", "two", pending=(listed("one"), listed("two"))) == []


def test_a_fuzzy_translation_is_found_unless_it_is_listed(tmp_path: Path, write: Write) -> None:
    path = write("page", {"one": "一"})
    path.write_text(path.read_text("utf-8").replace('msgid "one"', '#, fuzzy\nmsgid "one"'))
    (problem,) = check(tmp_path, "one")
    assert "fuzzy: the English text has changed" in problem
    assert check(tmp_path, "one", pending=(listed("one"),)) == []


def test_an_obsolete_entry_is_found(tmp_path: Path, write: Write) -> None:
    path = write("page", {"one": "一"})
    path.write_text(path.read_text("utf-8") + '\n#~ msgid "old"\n#~ msgstr "旧"\n')
    (problem,) = check(tmp_path, "one")
    assert "'old': obsolete" in problem


def test_a_message_that_stands_twice_is_found(tmp_path: Path, write: Write) -> None:
    path = write("page", {"one": "一"})
    path.write_text(path.read_text("utf-8") + '\nmsgid "one"\nmsgstr ""\n')
    (problem,) = check(tmp_path, "one")
    assert problem.startswith(f"{PO}:8: 'one': stands at line 5 already; keep one")
    assert read_catalogue(path, tmp_path).by_message["one"].msgstr == "一"


def test_a_catalogue_out_of_date_is_found_at_both_ends(tmp_path: Path, write: Write) -> None:
    write("page", {"It was so.": "曾是这样。"})
    missing, stale = check(tmp_path, "It is so.")
    assert missing == f"book/page.md:7: 'It is so.': is not in {PO}; run `nox -s i18n`"
    assert stale.startswith(f"{PO}:5: 'It was so.': the English book does not say this")


def test_a_missing_catalogue_and_one_of_no_page_are_found(tmp_path: Path, write: Write) -> None:
    write("old", {"x": "某"})
    found = [str(f) for f in check_catalogues(tmp_path, "zh_CN", messages("one"), PendingList())]
    assert any("old.po:5: 'x': the English book does not say this" in line for line in found)
    assert any("page.po:1: no such catalogue" in line for line in found)
    assert len(found) == 2


def test_entries_no_longer_needed_are_reported(tmp_path: Path, write: Write) -> None:
    write("page", {"one": "一"})
    (problem,) = check(tmp_path, "one", pending=(listed("one"),))
    assert problem.startswith("references/pending-translations.toml:5: 'one': it is translated")


def test_keys_digits_and_punctuation_are_checked_at_the_translation(
    tmp_path: Path, write: Write
) -> None:
    write("page", {"takes {num}`a`": "耗时{num}`b`,共 7 次"})
    found = check(tmp_path, "takes {num}`a`")
    assert all(line.startswith(f"{PO}:6: ") for line in found)
    told = "\n".join(found)
    for words in ("lacks {num}`a`", "no {num}`b`", "digits that the English lacks: 7",
                  "no space between", "half-width"):  # fmt: skip
        assert words in told
    assert len(found) == 5


def test_the_words_of_the_theme_need_no_english_page(tmp_path: Path, write: Write) -> None:
    write("page", {"one": "一"})
    write("sphinx", {"Next": "下一页", "Menu": ""})
    (problem,) = check(tmp_path, "one")
    assert "sphinx.po" in problem
    assert "'Menu': untranslated" in problem


def test_a_catalogue_that_cannot_be_read_does_not_hide_the_others(
    tmp_path: Path, write: Write
) -> None:
    write("page", {"one": ""})
    write("a", {}).write_text("broken", "utf-8")
    found = check(tmp_path, "one")
    assert any("a.po:1: no catalogue" in line for line in found)
    assert any("'one': untranslated" in line for line in found)


def test_beginnings_are_short_and_on_one_line(tmp_path: Path, write: Write) -> None:
    text = "A message that goes on and on,\nover more than one line, as messages do."
    write("page", {text: ""})
    (problem,) = check(tmp_path, text)
    assert "'A message that goes on and on, over more than o…'" in problem
