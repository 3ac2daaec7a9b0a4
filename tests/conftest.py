"""What tests need of a machine: without it they are skipped; in CI, which has it, they fail."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from bookcode.sources import FetchSet, Registry, Store, default_folder

ROOT = Path(__file__).parents[1]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


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
    named = os.environ.get("BOOKCODE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    names = ", ".join(CHROMIUMS)
    return found or lacking(f"no Chromium on PATH ({names}) nor in BOOKCODE_CHROMIUM")


@pytest.fixture(scope="session")
def full_store(lacking: Callable[[str], NoReturn]) -> Store:
    """The project's store of pinned sources, with all of the set `full` in it."""
    store = Store(default_folder(ROOT))
    wanted = Registry.load(ROOT / "references").artifacts.values()
    missing = [a.id for a in wanted if a.within(FetchSet.FULL) and not store.has(a)]
    if missing:
        lacking(f"not in the store: {', '.join(missing)}; run `sources sync`")
    return store
