"""Generated words: every table has them in Chinese, and a Chinese page has no English ones left."""

from __future__ import annotations

import html
import json
import re
import shutil
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polib
import pytest

from bookcode.numbers.catalogue import path_of
from bookcode.sources.registry import Registry
from bookcode.sources.translated import texts_of
from bookcode.sphinxext.tables import KINDS
from bookcode.translation import messages_of
from bookcode.verify.generated import Table, word_tables

from ..conftest import Sphinxes
from .conftest import Built, Project, lay_out

SAME = {
    "bookcode.sphinxext.library": {"compute", "memory", "link"},
    "bookcode.sphinxext.page_data": {"compute", "memory", "link"},
    "bookcode.sphinxext.reality_words": {
        *("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "plus", "minus")
    },
}
"""Words that stay English in Chinese text, or are signs."""


TABLES = [(module, table) for module, _, table in word_tables()]


# tables -------------------------------------------------------------------------------------------
def test_the_tables_are_found() -> None:
    names = {name.rpartition(".")[2] for name, _ in TABLES}
    assert {
        *("wording", "exercises_words", "reader_words", "code_pages_words", "notation"),
        *("verification_page", "measurements", "library", "edition", "display"),
    } <= names


@pytest.mark.parametrize(("module", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_a_table_has_every_word_in_chinese(module: str, table: Table) -> None:
    for key, texts in table.items():
        assert texts.get("zh"), f"{module}: {key!r} has no Chinese"
        named = {language: sorted(fields(text)) for language, text in texts.items()}
        assert named["zh"] == named["en"], f"{module}: {key!r} fills in other names in Chinese"
        if re.search(r"[A-Za-z]{2}", re.sub(r"\{\w+\}", "", texts["en"])):
            same = key in SAME.get(module, set())
            assert (texts["zh"] == texts["en"]) == same, f"{module}: {key!r} is English in Chinese"


def fields(text: str) -> set[str]:
    return {name for _, name, *_ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(("module", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_chinese_words_are_written_as_chinese(module: str, table: Table) -> None:
    for key, texts in table.items():
        text = re.sub(r"`[^`]*`", "码", texts["zh"])
        tight = re.search(r"[\u4e00-\u9fff][A-Za-z0-9{]|[A-Za-z0-9}][\u4e00-\u9fff]", text)
        assert not tight, f"{module}: {key!r}: no space in {text!r}"
        half = re.search(r"[\u4e00-\u9fff]\s*[,;:?!(]|\)[\u4e00-\u9fff]", text)
        assert not half, f"{module}: {key!r}: half-width mark in {text!r}"


# pages --------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Edition:
    """A tiny book, and its last build."""

    project: Project
    built: Built


LEFT_OUT = {name for name in KINDS if name.startswith("reality-")}
"""Tables out of a record of their own, which have tests of their own."""
NAMES = {
    # units and prefixes, symbols of formats
    *("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "GB", "MB", "kB", "PB", "TB", "KiB", "MiB"),
    *("GiB", "Ki", "Mi", "Gi", "ms", "Hz", "MHz", "GW", "MW", "kW", "TFLOPS", "FMA", "token"),
    # names of packages, files, machines, licences and other people's things
    *(
        "ns",
        "geo",
        "maps",
        "whl",
        "py",
        "md",
        "any",
        "none",
        "WIRE",
        "wire",
        "map",
        "MIT",
        "alabaster",
    ),
    *("Jinja2", "torch", "NVIDIA", "GPU", "Python", "SM", "HBM", "MLP", "KV", "sha256"),
    # terms that Chinese keeps, and the command
    *("kernel", "rank", "verify", "compute", "memory", "bound", "link"),
    # functions, arguments and files of the ledger
    *("tiny", "ledger", "matrix", "product", "pairs", "gemm", "add", "elements", "rows", "share"),
    # names of exercises, questions and citations
    *("E1", "E2", "Q1", "Q2", "NOTE", "PAGE", "MAP"),
}
_IDENTIFIER = re.compile(
    r"\d[\da-f]*e\d+|\b[0-9a-f]{12,}\b|"
    r"(?:https?:)?[\w./@#:=-]*\w[._/@#=]\w[\w./@#:=-]*|\b\w+ = \w+|\w+\([^()]*\)"
)
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_CODE = re.compile(r"<(pre|code|script|style|annotation|svg:metadata|title)\b.*?</\1>", re.DOTALL)
_ENGLISH = re.compile(r'<(p|span|pre)\b[^>]*\blang="en"[^>]*>.*?</\1>', re.DOTALL)
_SAID = re.compile(r'\b(?:title|aria-label|alt|placeholder|data-label|content)="([^"]*)"')
_KEEP = re.compile(r"\{[a-z-]+\}`[^`]*`|\{[a-z][a-z0-9.:-]*\}|`[^`]+`")


def chinese(text: str) -> str:
    """Some Chinese for a message, with its roles and the numbers of a text."""
    return " ".join(["译文", *_KEEP.findall(text)])


def write_catalogue(path: Path, texts: Iterator[str] | list[str]) -> None:
    file = polib.POFile()
    for text in dict.fromkeys(filter(None, texts)):
        file.append(polib.POEntry(msgid=text, msgstr=chinese(text)))
    path.parent.mkdir(parents=True, exist_ok=True)
    file.save(str(path))


def translate(project: Project, trees: Path) -> None:
    """Catalogues for everything that a build found to translate."""
    locale = project.root / "book" / "locale"
    exported = json.loads((trees / "bookcode-records.json").read_text("utf-8"))
    for name, messages in messages_of(exported).items():
        write_catalogue(path_of(locale, "zh_CN", name), [m.text for m in messages])
    records = [r for page in exported["pages"].values() for r in page["records"]]
    formulas = [r["formula"] for r in records if r.get("formula")]
    data = [meaning for f in formulas for _, meaning, _ in f["symbols"]]
    data += [meaning for f in formulas for _, _, meaning in f["where"]]
    data += [t for r in records for t in r.get("description", {}).get("options", {}).values()]
    data += [text for text, _, _ in texts_of(Registry.load(project.root / "references"))]
    data += [r["value"] for r in records if r.get("unit") == "word" and " " in r["value"]]
    data.append("Because it was wrong")
    write_catalogue(path_of(locale, "zh_CN", "data"), data)


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory, sphinxes: Sphinxes) -> Edition:
    """A Chinese edition in which everything is translated that can be."""
    project = lay_out("words", tmp_path_factory.mktemp("words"), sphinxes)
    project.build()
    translate(project, project.root.parent / "html-trees")
    built = project.build()
    shutil.rmtree(project.root.parent / "html-trees")
    return Edition(project, built)


PAGES = ("index", "01-part/index", "01-part/exercises")


def main_of(markup: str) -> str:
    """What the book puts into a page, without the theme's own frame around it."""
    found = re.search(r'role="main">(.*?)<div class="sphinxsidebar"', markup, re.DOTALL)
    assert found
    return found[1]


def left_english(text: str) -> list[str]:
    """The English words of a text that are no names, keys, addresses or values of arguments."""
    text = " ".join(_IDENTIFIER.sub(" ", text).split())
    return [
        text[max(match.start() - 30, 0) : match.end() + 30]
        for match in WORD.finditer(text)
        if match[0] not in NAMES
    ]


def test_nothing_is_wrong_with_the_edition(edition: Edition) -> None:
    assert [str(problem) for problem in edition.built.problems] == []
    assert edition.built.status == 0


def test_every_directive_is_in_the_edition(edition: Edition) -> None:
    book = (edition.project.root / "book").rglob("*.md")
    used = {
        name
        for page in book
        for name in re.findall(r"^[:`]{3,}\{([a-z-]+)\}", page.read_text(), re.M)
    }
    assert set(KINDS) - LEFT_OUT - used == set()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_no_english_but_names(edition: Edition, page: str) -> None:
    body = _ENGLISH.sub("", _CODE.sub("", main_of(edition.built.raw(page))))
    text = html.unescape(re.sub(r"<[^>]+>", " ", body))
    left = left_english(text)
    assert not left, "\n".join(left)


@pytest.mark.parametrize("page", PAGES)
def test_what_is_heard_and_hovered_is_no_english_but_names(edition: Edition, page: str) -> None:
    markup = main_of(edition.built.raw(page))
    texts = [html.unescape(text) for text in _SAID.findall(markup)]
    left = left_english(" ".join(texts))
    assert not left, "\n".join(left)


@pytest.mark.parametrize("page", PAGES)
def test_the_hints_of_a_page_are_no_english_but_names(edition: Edition, page: str) -> None:
    name = page.replace("/", "-") + ".json"
    data = json.loads((edition.built.out / "_static" / "bookcode" / name).read_text("utf-8"))
    said = [text for hint in data["hints"].values() for text in strings_of(hint)]
    said += [text for preset in data["presets"] for text in [preset["title"]]]
    left = left_english(" ".join(said))
    assert not left, "\n".join(left)


def strings_of(hint: dict[str, Any]) -> Iterator[str]:
    for name in ("math", "letters", "rows"):
        for row in hint.get(name, []):
            yield from (re.sub(r"<math.*?</math>", "", text) for text in row if text)


def test_english_is_found_where_it_is_left() -> None:
    assert left_english("引用内容：译文（cited for）") == ["引用内容：译文（cited for）"] * 2
    assert left_english("wire.speed = 2e9 B/s，见 https://a.test/links") == []
