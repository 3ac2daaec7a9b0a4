"""The command i18n, on a book of its own, with a real Sphinx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polib
import pytest
from click.testing import CliRunner, Result

from bookcode.translation import commands
from bookcode.translation.commands import i18n_command, read_book
from bookcode.translation.errors import TranslationError
from bookcode.translation.extraction import messages_of
from bookcode.translation.pending import PATH, PendingList

CONF = 'extensions = ["bookcode.sphinxext"]\nhtml_theme = "basic"\ngettext_compact = False\n'
FOLDER = Path("book/locale/zh_CN/LC_MESSAGES")
FIRST = "A product moves three matrices, each of them once."
EDITED = "A product moves three matrices, each of them at least once."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of two pages without texts of data."""
    (tmp_path / "book").mkdir()
    (tmp_path / "references").mkdir()
    (tmp_path / "conf.py").write_text(CONF, "utf-8")
    index = f"# Start\n\n{FIRST}\n\n```{{toctree}}\nother\n```\n"
    (tmp_path / "book/index.md").write_text(index, "utf-8")
    (tmp_path / "book/other.md").write_text("# Other\n\nMore.\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "book_messages", lambda root, exported: messages_of(exported))
    return tmp_path


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read pages without Sphinx: their headings and paragraphs."""
    monkeypatch.setattr(commands, "read_book", paragraphs)


def paragraphs(root: Path) -> dict[str, Any]:
    pages: dict[str, Any] = {}
    for path in sorted((root / "book").glob("*.md")):
        parts = [part for part in path.read_text("utf-8").split("\n\n") if "```" not in part]
        said = [[part.strip().removeprefix("# "), 1] for part in parts]
        source = path.relative_to(root).as_posix()
        pages[path.stem] = {"source": source, "records": [], "messages": said}
    return {"language": "en", "pages": pages}


def run(*options: str) -> Result:
    return CliRunner().invoke(i18n_command, options)


def translate(project: Path) -> None:
    for path in (project / FOLDER).rglob("*.po"):
        catalogue = polib.pofile(str(path), wrapwidth=78)
        for entry in catalogue.untranslated_entries():
            entry.msgstr = "译文。"
        catalogue.save()


@pytest.mark.usefixtures("quickly")
def test_from_nothing_to_whole_and_through_an_edit(project: Path) -> None:
    first = run()
    assert first.exit_code == 1
    assert "wrote index.po (2 new)" in first.output
    assert "i18n: 4 problems" in first.output
    assert f"{FOLDER.as_posix()}/index.po:" in first.output

    translate(project)
    whole = run()
    assert (whole.exit_code, whole.output.splitlines()[-1]) == (0, "i18n: no problems")
    assert "2 catalogues, 0 of them rewritten" in whole.output

    # An English edit by somebody who knows no Chinese.
    page = project / "book/index.md"
    page.write_text(page.read_text("utf-8").replace(FIRST, EDITED), "utf-8")
    edited = run()
    assert edited.exit_code == 1
    assert f"index: changed\n    old: {FIRST}\n    new: {EDITED}" in edited.output
    assert "fuzzy: the English text has changed since" in edited.output
    listed = run("--pending", "--why", "written by somebody who knows no Chinese")
    assert listed.exit_code == 0, listed.output
    assert "1 added, 0 no longer needed" in listed.output
    (entry,) = PendingList.load(project).entries
    assert (entry.catalogue, entry.message) == ("index", EDITED)

    # And a translator afterwards: the list is told to be out of date, and is brought up to it.
    path = project / FOLDER / "index.po"
    catalogue = polib.pofile(str(path), wrapwidth=78)
    (fuzzy,) = catalogue.fuzzy_entries()
    assert fuzzy.previous_msgid == FIRST
    fuzzy.flags.remove("fuzzy")
    fuzzy.previous_msgid = None
    catalogue.save()
    late = run()
    assert late.exit_code == 1
    assert f"{PATH.as_posix()}:" in late.output
    assert "it is translated, or no page has it" in late.output
    assert run("--pending").exit_code == 0
    assert PendingList.load(project).entries == []


@pytest.mark.usefixtures("quickly")
def test_a_page_that_is_gone_takes_its_catalogue_along(project: Path) -> None:
    run()
    translate(project)
    (project / "book/other.md").unlink()
    index = project / "book/index.md"
    index.write_text(f"# Start\n\n{FIRST}\n", "utf-8")
    gone = run()
    assert "removed other.po" in gone.output
    assert "other: gone: More.\n    its translation was: 译文。" in gone.output
    assert not (project / FOLDER / "other.po").exists()
    assert gone.exit_code == 0, gone.output


@pytest.mark.usefixtures("quickly")
def test_listing_needs_a_reason(project: Path) -> None:
    found = run("--pending")
    assert found.exit_code == 1
    assert "say why 4 messages stay untranslated" in found.output


def test_sphinx_reads_the_same_messages(project: Path) -> None:
    found, wanted = messages_of(read_book(project)), messages_of(paragraphs(project))
    texts = [
        {name: {m.text for m in some} for name, some in one.items()} for one in (found, wanted)
    ]
    assert texts[0] == texts[1] == {"index": {"Start", FIRST}, "other": {"Other", "More."}}
    assert [m.line for m in found["index"]] == [1, 3]
    (project / "conf.py").write_text("raise RuntimeError('broken')\n", "utf-8")
    with pytest.raises(TranslationError, match="the English book cannot be read"):
        read_book(project)
