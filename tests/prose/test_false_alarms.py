"""On technical prose by others the lint's false alarms are fewer than one in a thousand words.

The prose is the descriptions and docstrings inside pinned wheels, read in place; nothing of it is
kept but counts and positions. What is plainly code (indented, tabulated, with calls or fields) is
left out, as it stands in code blocks on a page.
"""

from __future__ import annotations

import ast
import hashlib
import re
import tomllib
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bookcode.prose import find_judgements, find_numbers
from bookcode.sources import Store

ROOT = Path(__file__).parents[2]
JUDGED = tomllib.loads(Path(__file__).with_name("false-alarms.toml").read_text("utf-8"))["wheel"]
FILES, LEAST, MOST = 14, 3000, 60000
"""About so many files of a wheel, of so many bytes."""
_FENCED = re.compile(r"```.*?(?:```|\Z)|<!--.*?-->", re.DOTALL)
_BLOCK = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*•]|#+|\d{1,2}[.)]|\(\d\)|\|)[ \t])")
_CODE = re.compile(
    r"[{}<>]|\bArgs:|Returns:|https?:|::|^\s*(?:>>>|\.\.|\||\$|:param|@)", re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SPAN = re.compile(r"(`+)(.+?)\1")


class Paragraph(NamedTuple):
    member: str
    line: int
    text: str


def paragraphs(wheel: Path) -> Iterator[Paragraph]:
    """The prose of a wheel: its description, and docstrings of a fixed choice of its files."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(archive.namelist())
        for name in names:
            if name.endswith(".dist-info/METADATA"):
                head, _, body = archive.read(name).decode("utf-8", "replace").partition("\n\n")
                yield from _split(name, head.count("\n") + 2, body)
        code = [n for n in names if n.endswith(".py") and _fits(archive, n)]
        share = max(1, len(code) // FILES)
        for name in code:
            digest = hashlib.sha256((wheel.name + name).encode()).hexdigest()
            if int(digest, 16) % share in (0, min(1, share - 1)):
                yield from _docstrings(name, archive.read(name))


def _fits(archive: zipfile.ZipFile, name: str) -> bool:
    return LEAST < archive.getinfo(name).file_size < MOST


def _docstrings(name: str, data: bytes) -> Iterator[Paragraph]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other people's escapes
            tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            said = ast.get_docstring(node, clean=False)
            if said and len(said.split()) >= 12:
                yield from _split(name, node.body[0].lineno, said)


def _split(member: str, line: int, text: str) -> Iterator[Paragraph]:
    text = _FENCED.sub(lambda found: "\n" * found[0].count("\n"), text)
    at = 0
    for found in [*_BLOCK.finditer(text), None]:
        part = text[at : found.start() if found else len(text)]
        own = line + text[:at].count("\n")
        at = found.end() if found else at
        lines = part.split("\n")
        if _CODE.search(part) or any("    " in one.strip() for one in lines):
            continue
        if any("=" in one and "(" in one for one in lines) or len(part.split()) < 8:
            continue
        plain = _LINK.sub(r"\1", " ".join(part.split())).lstrip("#*- ")
        yield Paragraph(member, own, plain)


def findings(paragraph: Paragraph) -> int:
    """How much the lint finds in a paragraph; code spans are not read for verdicts."""
    words = _SPAN.sub(lambda found: "\ue000" * len(found[0]), paragraph.text)
    return len(find_numbers(paragraph.text)) + len(find_judgements(words))


def test_they_are_fewer_than_one_in_a_thousand_words() -> None:
    words = sum(wheel["words"] for wheel in JUDGED)
    alarms = sum(place["count"] for wheel in JUDGED for place in wheel["alarms"])
    assert words > 50_000
    assert 0 < alarms < words / 1000


@pytest.mark.slow
@pytest.mark.parametrize("wheel", JUDGED, ids=lambda wheel: wheel["file"].partition("-")[0])
def test_what_was_judged_is_what_the_lint_finds(wheel: dict[str, Any], full_store: Store) -> None:
    """Whoever changes a rule judges again what is found now."""
    read = list(paragraphs(full_store.folder / wheel["file"]))
    found = {(p.member, p.line): findings(p) for p in read}
    assert sum(len(p.text.split()) for p in read) == wheel["words"]
    assert sum(findings(p) for p in read) == wheel["findings"]
    for place in wheel["alarms"]:
        assert found[place["member"], place["line"]] >= place["count"]
