"""Tables of sources: the real registry's page, edits that change them, translation, constraints."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bookcode.sources import Evidence, Registry
from bookcode.sphinxext.source_tables import pins
from bookcode.sphinxext.tables import TableError

ROOT = Path(__file__).parents[2]
BOOK = pytest.mark.parametrize("book", ["source-tables"], indirect=True)


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry.load(ROOT / "references")


@pytest.mark.parametrize("book", ["cited"], indirect=True)
def test_the_sources_page_shows_the_registry_s_counts(book: Any, registry: Registry) -> None:
    shutil.rmtree(book.root / "references")
    shutil.copytree(ROOT / "references", book.root / "references")
    shutil.copy(ROOT / "constraints.txt", book.root / "constraints.txt")
    book.write("book/index.md", "# Book\n\n```{toctree}\nsources\nversions\ncontradictions\n```\n")
    for name in ("sources", "versions", "contradictions"):
        text = (ROOT / f"book/appendix/{name}.md").read_text("utf-8")
        book.write(f"book/{name}.md", text)
    built = book.build()
    assert (built.status, [str(p) for p in built.problems]) == (0, [])
    page = built.raw("sources")
    citations = Counter(c.evidence for c in registry.citations.values())
    facts = Counter(registry.citation(f.citation).evidence for f in registry.facts.values())
    for evidence in Evidence:
        assert count(page, f"bk-citations-{evidence.value}") == citations[evidence]
        assert count(page, f"bk-facts-{evidence.value}") == facts[evidence]
        rows = page.count(f'<td class="bk-evidence bk-evidence-{evidence.value}">')
        assert rows == citations[evidence]
    assert count(page, "bk-citations-all") == len(registry.citations)
    assert count(page, "bk-facts-all") == len(registry.facts)
    assert page.count('id="citation-') == len(registry.citations)
    versions = built.text("versions")
    for artifact in registry.artifacts.values():
        assert f"{artifact.file} sha256:{artifact.sha256} {artifact.bytes:,} B" in versions
    for name, version in pins(ROOT / "constraints.txt"):
        assert f"{name} {version}" in versions
    pairs = len(registry.contradictions())
    assert built.raw("contradictions").count("<tr") == pairs + 1


def count(page: str, name: str) -> int:
    """The number in the cell of a class."""
    found = re.findall(rf'<td class="bk-number-cell {name}"><p>(\d+)</p></td>', page)
    assert len(found) == 1, f"{name}: {found}"
    return int(found[0])


@BOOK
def test_an_edit_of_the_registry_shows_on_pages_that_are_not_read_again(book: Any) -> None:
    assert book.build().status == 0
    book.edit("references/citations.toml", '"the map of the wire"', '"the chart of the wire"')
    again = book.build()
    assert again.status == 0
    assert "the chart of the wire" in again.text("index")
    assert "the chart of the wire" in again.text("one/index")
    assert "the chart" not in again.text("two/index")


@BOOK
def test_a_new_use_on_another_page_shows_in_the_chapter_s_table(book: Any) -> None:
    assert book.build().status == 0
    book.edit(
        "book/two/index.md", "# Other\n", "# Other\n\nLook at {src}`BOOK`, {num}`twice.time`.\n"
    )
    again = book.build()
    assert again.status == 0
    assert "a book nobody read Other unverified not read for this book" in again.text("two/index")
    assert "twice.time 2.00 × 10⁻⁶ Other" in again.text("one/index")


@BOOK
def test_headers_are_messages_for_translators(book: Any) -> None:
    built = book.build("-D", "gettext_compact=0", builder="gettext", out="gettext")
    assert built.status == 0
    messages = (built.out / "one/index.pot").read_text("utf-8")
    for header in ("Used for", "Verification", "Rests on", "Conditions"):
        assert f'msgid "{header}"' in messages
    assert "the wire carries two gigabytes" not in messages
    assert 'msgid "The artifacts"' in (built.out / "index.pot").read_text("utf-8")


@pytest.mark.parametrize("book", ["listings"], indirect=True)
def test_lists_in_our_words_are_messages_with_their_roles(book: Any) -> None:
    built = book.build("-D", "gettext_compact=0", builder="gettext", out="gettext")
    messages = (built.out / "index.pot").read_text("utf-8")
    for text in ("It takes {fact}`link.speed`.", "It said", "urgent", "To look at ({src}`NOTE`)."):
        assert f'msgid "{text}"' in messages


@pytest.mark.parametrize("book", ["listings"], indirect=True)
def test_an_edit_of_a_list_reads_its_page_again(book: Any) -> None:
    assert book.build().status == 0
    book.edit("references/errata.toml", "It takes", "It needs")
    assert "It needs 2.500 TB/s." in book.build().text("index")


@pytest.mark.parametrize("book", ["listings-wrong"], indirect=True)
def test_a_broken_list_is_reported_again(book: Any) -> None:
    first, second = book.build(), book.build()
    assert first.status == second.status == 1
    assert [str(p) for p in second.problems] == [str(p) for p in first.problems]


@BOOK
def test_rows_are_made_once_for_all_checks_and_the_page(book: Any) -> None:
    counting = """
from dataclasses import replace
from pathlib import Path
from bookcode.sphinxext.tables import KINDS

def counted(kind):
    def rows(setting):
        with Path(__file__).with_name("made.txt").open("a") as file:
            file.write(f"{setting.chapter or '-'}\\n")
        return kind.rows(setting)
    return replace(kind, rows=rows)

KINDS["numbers-table"] = counted(KINDS["numbers-table"])
"""
    book.write("conf.py", (book.root / "conf.py").read_text("utf-8") + counting)
    made = book.root / "made.txt"
    table = ":::{numbers-table}\n:::\n"
    once = book.build().raw("one/index")
    assert made.read_text("utf-8").split() == ["one", "one"]  # page two has it as well
    assert once.count('id="number-product"') == 1

    # the second table of a page has rows of its own
    made.unlink()
    book.edit("book/one/index.md", table, table * 2)
    twice = book.build().raw("one/index")
    assert made.read_text("utf-8").split() == ["one"] * 3
    assert twice.count(">wires.time<") == once.count(">wires.time<") + 1


@BOOK
def test_words_of_generated_tables_follow_the_language(book: Any) -> None:
    page = book.build("-D", "language=zh_CN").text("one/index")
    assert "支撑 2 个数" in page
    assert "2026-01-30 阅读过一次；此后不再比对" in page
    assert "第 3–9 行" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a==1\n\nb\n", r"constraints\.txt:3: 'b' is not of the form name==version"),
        ("a>=1\n", r"constraints\.txt:1: 'a>=1'"),
        (None, r"no file constraints\.txt"),
    ],
)
def test_a_file_of_constraints_must_pin(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "constraints.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(TableError, match=message):
        pins(path)


def test_pins_leave_out_comments_and_markers(tmp_path: Path) -> None:
    path = tmp_path / "constraints.txt"
    path.write_text('# all\nA.b-c_d==1.0.post1  # why\n\ne==2 ; platform_system == "Darwin"\n')
    assert pins(path) == [("A.b-c_d", "1.0.post1"), ("e", "2")]


@BOOK
def test_what_parallel_readers_found_is_in_the_tables(book: Any) -> None:
    built = book.build("-j", "2")
    assert built.status == 0
    assert "geo 1.0, wire.py, lines 3–9" in built.text("one/index")
    assert "The second, behind 2 numbers" in built.text("one/index")
