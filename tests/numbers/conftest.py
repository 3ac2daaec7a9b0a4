"""Books on a tiny ledger, and what the page's JavaScript gives."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bookcode.numbers.book import Book
from bookcode.numbers.engine import Engine
from bookcode.numbers.expr import Expr
from bookcode.numbers.javascript import Module
from bookcode.numbers.records import NumberRecord

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
ALL = 'import { compute } from "./page.js"; export default (points) => points.map(compute);'

Compute = Callable[[Mapping[str, Expr], Sequence[Mapping[str, Any]]], list[dict[str, Any]]]


def module(expressions: Mapping[str, Expr], parameters: Mapping[str, Any]) -> str:
    """The text of a chapter's module with these expressions."""
    made = Module()
    for key, expr in expressions.items():
        made.add(key, expr)
    return made.text(parameters)


@pytest.fixture(scope="session")
def mini() -> ModuleType:
    """The tiny ledger; its folder does not stay on the path, for other tests have such folders."""
    sys.path.insert(0, str(FIXTURES))
    try:
        return importlib.import_module("mini_ledger")
    finally:
        sys.path.remove(str(FIXTURES))


@pytest.fixture
def book() -> Book:
    """A book whose cells may use both ledgers."""
    return Book(root=str(ROOT), packages=("mini_ledger", "bookcode.ledger"))


@pytest.fixture
def record() -> Callable[[Book, str], NumberRecord]:
    """The record of a published number."""

    def find(book: Book, key: str) -> NumberRecord:
        found = next(r for r in book._published.pending if r.key == key)
        assert isinstance(found, NumberRecord)
        return found

    return find


@pytest.fixture(scope="session")
def compute() -> Compute:
    """Values of traced expressions by key at each point, by the page's JavaScript."""

    def run(
        expressions: Mapping[str, Expr], points: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        with Engine({"page.js": module(expressions, {}), "all.js": ALL}) as engine:
            answers: list[dict[str, Any]] = engine.call("all.js", list(points))
        return answers

    return run
