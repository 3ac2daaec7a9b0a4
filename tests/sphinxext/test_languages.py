"""The words of Sphinx's scripts, the theme's words, and addresses of editions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import furo
import polib
import pytest
import sphinx
from sphinx.errors import ExtensionError

from bookcode.numbers.engine import Engine
from bookcode.sphinxext.languages import (
    BRANCH,
    POSSESSIVE,
    THEME_WORDS,
    plain_translations,
    site_address,
    theme_words,
)

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sphinx.__file__).parent / "locale"
THEME = Path(furo.__file__).parent / "theme" / "furo"
WORDS = ROOT / "book/locale/zh_CN/LC_MESSAGES/sphinx.po"
RUN = """\
import vm from "node:vm";
export default ({ script, numbers }) => {
  const page = { Documentation: { TRANSLATIONS: {} } };
  const context = vm.createContext(page, { codeGeneration: { strings: false } });
  vm.runInContext(script, context);
  const { TRANSLATIONS, PLURAL_EXPR, LOCALE } = page.Documentation;
  return { words: TRANSLATIONS, locale: LOCALE, plural: numbers.map((n) => PLURAL_EXPR(n)) };
};
"""


def run(script: str) -> dict[str, Any]:
    """What a script gives where code cannot be made of strings."""
    with Engine({"run.js": RUN}) as engine:
        found: dict[str, Any] = engine.call("run.js", {"script": script, "numbers": [0, 1, 2, 5]})
    return found


@pytest.mark.parametrize(
    ("language", "plural"), [("zh_CN", [0, 0, 0, 0]), ("fr", [0, 0, 2, 2]), ("pl", [2, 0, 1, 2])]
)
def test_the_words_of_the_scripts_need_no_eval(language: str, plural: list[int]) -> None:
    script = (SCRIPTS / language / "LC_MESSAGES/sphinx.js").read_text("utf-8")
    plain = plain_translations(script)
    assert "Function" not in plain
    found = run(plain)
    assert found["plural"] == plural
    assert len(found["words"]) > 20
    assert plain_translations(plain) == plain


@pytest.mark.parametrize(
    "script",
    [
        "alert(1)",
        'Documentation.addTranslations({"locale": "x", "messages": {}, "plural_expr": "f(n)"});',
    ],
)
def test_a_script_of_another_kind_is_refused(script: str) -> None:
    with pytest.raises(ExtensionError, match=r"translations\.js"):
        plain_translations(script)


EDITIONS = {"en": "en", "zh-cn": "zh_CN"}


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://b.example", "https://b.example/"),
        ("https://b.example/", "https://b.example/"),
        ("https://b.example/book/en/", "https://b.example/book/"),
        ("https://b.example/book/zh-cn", "https://b.example/book/"),
        ("https://b.example/wooden/", "https://b.example/wooden/"),
    ],
)
def test_the_address_of_the_site_is_above_its_editions(address: str, site: str) -> None:
    assert site_address(address, EDITIONS) == site


# the theme's words --------------------------------------------------------------------------------
def theme_texts() -> set[str]:
    """The words of the theme's pages, as they ask for a translation or do not."""
    found: set[str] = set()
    for name in ("base.html", "page.html", "search.html", "genindex.html", "partials/icons.html"):
        text = (THEME / name).read_text("utf-8")
        text = re.sub(r"READTHEDOCS.*?endif", "", text, flags=re.DOTALL)
        found |= set(re.findall(r'\b_\(\s*["\']([^"\']+)["\']\s*\)', text))
        blocks = re.findall(r"\{%-?\s*trans[^%]*%\}(.*?)\{%-?\s*endtrans", text, re.DOTALL)
        found |= {block.strip() for block in blocks if "{{" not in block}
        found |= set(re.findall(r'aria-label="([A-Z][^"{]+)"', text))
        found |= set(re.findall(r"<title>([A-Z][^<{]+)</title>", text))
    return found


UNTRANSLATED = {
    '<a href="https://github.com/pradyunsg/furo">Furo</a>',
    "About these documents",
    "Copyright",
    "On Read the Docs",
    "On GitHub",
    "Made with",
    '<a href="https://www.sphinx-doc.org/">Sphinx</a> and',
}
"""Names, what the book does not show, and two texts whose last space belongs to them."""


def test_every_word_of_the_theme_is_translated() -> None:
    known = {entry.msgid for entry in polib.pofile(str(WORDS)) if entry.translated()}
    assert theme_texts() - UNTRANSLATED <= known
    assert {"Made with ", '<a href="https://www.sphinx-doc.org/">Sphinx</a> and '} <= known
    assert {*THEME_WORDS, POSSESSIVE, BRANCH} <= known


def test_what_the_theme_writes_without_asking_is_all_there_is() -> None:
    text = "".join(
        (THEME / name).read_text("utf-8") for name in ("page.html", "partials/icons.html")
    )
    text = re.sub(r"READTHEDOCS.*", "", text)
    asked = set(re.findall(r'aria-label="([A-Z][^"{]+)"', text))
    asked |= set(re.findall(r"<title>([A-Z][^<{]+)</title>", text))
    assert asked - {"On GitHub", "On Read the Docs"} == set(THEME_WORDS)


def test_the_label_of_a_branch_is_the_one_that_the_theme_writes() -> None:
    text = (THEME.parents[1] / "navigation.py").read_text("utf-8")
    assert BRANCH.partition("%")[0] in text


def test_english_stays_as_it_is() -> None:
    markup = '<title>Menu</title><p aria-label="Contents">@pradyunsg</a>\'s</p>'
    assert theme_words(markup) == markup
