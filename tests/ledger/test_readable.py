"""A reader opens any operator and understands it in a minute: short functions, said meanings."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import bookcode.ledger

FOLDER = Path(bookcode.ledger.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))
LINES_OF_A_FUNCTION, LINES_OF_A_MODULE = 40, 300


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_modules_are_short_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert text.count("\n") <= LINES_OF_A_MODULE
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        said = ast.get_docstring(node, clean=False)
        code = (node.end_lineno or 0) - node.lineno + 1 - (said.count("\n") + 1 if said else 0)
        assert code <= LINES_OF_A_FUNCTION, node.name
        if node in tree.body and not node.name.startswith("_"):
            assert said, f"{node.name} has no docstring"


def test_every_source_that_a_docstring_names_exists() -> None:
    references = FOLDER.parents[1] / "references"
    citations = tomllib.loads((references / "citations.toml").read_text("utf-8"))["citations"]
    named = {
        source: path.name
        for path in MODULES
        for source in re.findall(
            r"\b(?:F-[A-Z0-9][\w-]*\w|R\d+(?:-\w+)?|X\d)\b", path.read_text("utf-8")
        )
    }
    assert len(named) > 20
    missing = {source: where for source, where in named.items() if source not in citations}
    assert not missing
