"""The words of scripts: the same ones in both languages, and Chinese ones in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.engine import Engine

SCRIPTS = Path(__file__).parents[2] / "bookcode" / "site" / "js"
TABLES = {
    "words": "words",
    "exercises-words": "exerciseWords",
    "own-record-words": "recordWords",
}
"""Module to the function that gives a page's words."""
ENTRY = """\
import {{ {function} }} from "./{module}.js";
const told = (value) =>
  typeof value === "function" ? ["call", value.length, value(...ARGUMENTS.slice(0, value.length))]
  : typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, told(inner)]))
  : value;
const ARGUMENTS = ["2", "3", "4", "5"];
export default (lang) => told({function}({{ documentElement: {{ lang }} }}));
"""


@pytest.fixture(scope="module")
def words() -> Iterator[Any]:
    """Gives a module's words in a language; a function as its number of arguments and a text."""
    sources = {path.name: path.read_text("utf-8") for path in SCRIPTS.glob("*.js")}
    entries = {
        f"told-{module}.mjs": ENTRY.format(module=module, function=function)
        for module, function in TABLES.items()
    }
    with Engine(sources | entries) as engine:
        yield lambda module, lang: engine.call(f"told-{module}.mjs", lang)


def flat(table: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(table, dict):
        for name, value in table.items():
            yield from flat(value, f"{place}.{name}".lstrip("."))
    else:
        yield place, table


def test_every_module_of_words_is_looked_at() -> None:
    assert {path.stem for path in SCRIPTS.glob("*words.js")} == set(TABLES)


@pytest.mark.parametrize("module", TABLES)
def test_both_languages_have_the_same_words(words: Any, module: str) -> None:
    english, chinese = dict(flat(words(module, "en"))), dict(flat(words(module, "zh-CN")))
    assert english.keys() == chinese.keys()
    for name, text in english.items():
        said = chinese[name]
        assert type(said) is type(text), name
        if isinstance(text, list):
            assert said[1] == text[1], f"{name} takes other arguments in Chinese"
            said, text = said[2], text[2]
        assert said.strip() or not text.strip(), name
        if re.search("[A-Za-z]{2}", text):
            assert re.search("[\\u4e00-\\u9fff]", said), f"{name}: {said!r} is no Chinese"


@pytest.mark.parametrize("module", TABLES)
def test_chinese_is_written_as_chinese(words: Any, module: str) -> None:
    for name, said in flat(words(module, "zh-CN")):
        text = said[2] if isinstance(said, list) else said
        tight = re.search("[\\u4e00-\\u9fff][A-Za-z0-9]|[A-Za-z0-9][\\u4e00-\\u9fff]", text)
        assert not tight, f"{name}: no space in {text!r}"
        assert not re.search("[\\u4e00-\\u9fff][,;:?!(]", text), f"{name}: {text!r}"


def test_another_language_gets_english(words: Any) -> None:
    assert words("words", "fr") == words("words", "en") != words("words", "zh")
