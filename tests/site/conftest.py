"""The page's scripts as they are, in a real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.engine import Engine

SCRIPTS = Path(__file__).parents[2] / "bookcode" / "site" / "js"
ENTRY = """\
import * as module from "./{name}.js";
export default ([name, ...given]) => module[name](...given);
"""
Call = Callable[..., Any]


@pytest.fixture(scope="session")
def script() -> Iterator[Callable[[str], Call]]:
    """Gives the functions of one of the page's modules: ``script("state")("nearest", ...)``."""
    sources = {path.name: path.read_text("utf-8") for path in SCRIPTS.glob("*.js")}
    names = ("state", "figures", "figure-labels", "hints", "follow", "own-record-read")
    entries = {f"call-{name}.mjs": ENTRY.format(name=name) for name in names}
    with Engine(sources | entries) as engine:
        yield lambda name: lambda *given: engine.call(f"call-{name}.mjs", list(given))
