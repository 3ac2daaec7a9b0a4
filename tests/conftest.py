"""What tests share: a Chromium, the pinned sources, and a process with Sphinx loaded to fork.

Without the first two, tests that need them are skipped; in CI, which has them, they fail.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, sync_playwright
from sphinx.cmd.build import main as sphinx_build

from bookcode.sources import FetchSet, Registry, Store, default_folder

from .benchmarks.chromium import FLAGS, MISSING, find_chromium

ROOT = Path(__file__).parents[1]
PATH = tuple(sys.path)
"""Where modules are looked for, before any test has changed it."""
DATE = "1767225600"
_PRELOAD = [
    *("__main__", "sphinx.cmd.build", "sphinx.builders.html", "sphinx.ext.mathjax", "myst_nb"),
    *("IPython.core.interactiveshell", "IPython.core.completer", "IPython.core.debugger"),
    *("stack_data", "matplotlib.pyplot", "matplotlib.backends.backend_svg"),
    *("matplotlib.backends.backend_agg", "matplotlib_inline.backend_inline", "numpy.random"),
    *("PIL.PngImagePlugin", "bookcode.sphinxext", "bookcode.execution.child"),
]


@pytest.fixture(scope="session")
def lacking() -> Callable[[str], NoReturn]:
    """Ends a test for want of something that not every machine has."""

    def end(what: str) -> NoReturn:
        if os.environ.get("CI"):
            pytest.fail(f"{what}, and CI has to have it")
        pytest.skip(what)

    return end


@pytest.fixture(scope="session")
def chromium(lacking: Callable[[str], NoReturn]) -> str:
    """The path of a Chromium."""
    return find_chromium() or lacking(MISSING)


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser. Its event loop runs until it is closed, and would be in the way of other tests."""
    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium, headless=True, args=list(FLAGS))
        yield started
        started.close()


class Sphinxes:
    """Forks a process for each build from one that has Sphinx loaded, and the ledger not.

    There is one such process for all tests, since Python has one; so each build is told by itself
    where modules lie and which date it is.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOAD)
        self._pool = ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1)

    def run(self, arguments: Sequence[str], date: str = DATE) -> int:
        """Sphinx's exit status."""
        return self._pool.submit(_build, list(arguments), date, PATH).result(timeout=120)

    def close(self) -> None:
        self._pool.shutdown()


def _build(arguments: list[str], date: str, path: Sequence[str]) -> int:
    os.environ["SOURCE_DATE_EPOCH"] = date
    sys.path[:] = path
    return sphinx_build(arguments)


@pytest.fixture(scope="session")
def sphinxes() -> Iterator[Sphinxes]:
    made = Sphinxes()
    yield made
    made.close()


@pytest.fixture(scope="session")
def full_store(lacking: Callable[[str], NoReturn]) -> Store:
    """The project's store of pinned sources, with all of the set `full` in it."""
    store = Store(default_folder(ROOT))
    wanted = Registry.load(ROOT / "references").artifacts.values()
    missing = [a.id for a in wanted if a.within(FetchSet.FULL) and not store.has(a)]
    if missing:
        lacking(f"not in the store: {', '.join(missing)}; run `sources sync`")
    return store
