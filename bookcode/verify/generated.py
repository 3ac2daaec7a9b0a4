"""The lint over words that no page holds: tables of words, the scripts', the templates'.

What a page shows is checked as a page. These words are put together with numbers at build time or
in the browser; a number typed into one of them would stand on every page.
"""

from __future__ import annotations

import html
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

import bookcode
import bookcode.figures
import bookcode.numbers
import bookcode.sphinxext
from bookcode.prose import find_judgements, find_numbers
from bookcode.verify.result import Result

Table = Mapping[str, Mapping[str, str]]
PACKAGES: Final = (bookcode.sphinxext, bookcode.numbers, bookcode.figures)
SITE: Final = Path(bookcode.__file__).parent / "site"
_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_LITERAL: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_COMMENT: Final = re.compile(r"^\s*(?://|\*|/\*).*$", re.MULTILINE)
_MARKUP: Final = re.compile(
    r"<(script|style)\b.*?</\1>|<!--.*?-->|{#.*?#}|{%.*?%}|{{.*?}}|<[^>]*>", re.DOTALL
)
_FILLED: Final = re.compile(r"\$\{[^}]*\}|\{\w*(?::[^}]*)?\}|`[^`]*`")
"""What is put in when the words are shown, and code."""


_OWNED: Final = {
    "bookcode/sphinxext/library.py: WORDS['compute']",
    "bookcode/sphinxext/library.py: WORDS['memory']",
    "bookcode/sphinxext/library.py: WORDS['link']",
}
"""What published words are shown as. They are computed, like numbers, so each is owned."""


@dataclass(frozen=True)
class Words:
    """One text.

    Attributes:
        place: where it stands.
        text: what it says; names in braces are filled in.
    """

    place: str
    text: str

    @property
    def language(self) -> str:
        """ "zh" where there is a Chinese character."""
        return "zh" if _CHINESE.search(self.text) else "en"


def word_tables(packages: Sequence[ModuleType] = PACKAGES) -> Iterator[tuple[str, str, Table]]:
    """Every table of words by key and language: its module, its name, and the table."""
    known: set[int] = set()  # a table that several modules import is told once, by the first
    for package in packages:
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for name, value in vars(module).items():
                own = name.isupper() and isinstance(value, Mapping) and value
                words = own and all(isinstance(v, Mapping) and "en" in v for v in value.values())
                if words and id(value) not in known:
                    known.add(id(value))
                    yield found.name, name, value


def in_tables() -> Iterator[Words]:
    """The texts of the tables of words."""
    for module, name, table in word_tables():
        path = f"{module.replace('.', '/')}.py"
        for key, texts in table.items():
            for text in texts.values():
                yield Words(f"{path}: {name}[{key!r}]", text)


def in_scripts(folder: Path) -> Iterator[Words]:
    """The string literals of the scripts that hold words."""
    for path in sorted(folder.glob("*words.js")):
        code = _COMMENT.sub("", path.read_text("utf-8"))
        for number, line in enumerate(code.split("\n"), start=1):
            for plain, template in _LITERAL.findall(line):
                if re.search(r"[^\W\d_]", plain or template):
                    yield Words(f"bookcode/site/js/{path.name}:{number}", plain or template)


def in_templates(folder: Path) -> Iterator[Words]:
    """The running text of the templates."""
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        # A line stays a line, so that places are right.
        text = _MARKUP.sub(lambda found: "\n" * found[0].count("\n"), path.read_text("utf-8"))
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield Words(f"bookcode/site/templates/{name}:{number}", html.unescape(line.strip()))


def problems_of(words: Words) -> Iterator[str]:
    """What the lint finds in a text."""
    if words.place in _OWNED:
        return
    text = _FILLED.sub("\N{BULLET}", words.text)
    numbers = find_numbers(text, language=words.language)
    for match in [*numbers, *find_judgements(text, words.language)]:
        yield f"{words.place}: {match.text!r} in {words.text!r}: {match.reason}"


def check_generated(site: Path = SITE) -> Result:
    """All of them, as a check."""
    found = [*in_tables(), *in_scripts(site / "js"), *in_templates(site / "templates")]
    problems = [problem for words in found for problem in problems_of(words)]
    return Result("generated words", len(found), "texts", problems)
