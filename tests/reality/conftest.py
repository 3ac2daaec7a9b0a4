"""Tiny wheels of measured tables, and the pinned artifacts where the store holds them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bookcode.reality.check import open_artifacts
from bookcode.reality.survey import Survey, survey
from bookcode.reality.tables import DATA
from bookcode.sources import Store
from bookcode.sources.members import Members

ROOT = Path(__file__).parents[2]
MakeWheel = Callable[[Mapping[str, str]], Members]


@pytest.fixture
def wheel(tmp_path: Path) -> MakeWheel:
    """Make a wheel of tables: member below the data folder to text."""

    def make(tables: Mapping[str, str]) -> Members:
        path = tmp_path / "tables.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in tables.items():
                archive.writestr(name if "systems" in name else DATA + name, text)
        return Members(path)

    return make


@pytest.fixture(scope="session")
def artifacts(full_store: Store) -> dict[str, Members]:
    """The pinned artifacts."""
    opened, missing = open_artifacts(ROOT, full_store)
    assert not missing
    return opened


@pytest.fixture(scope="session")
def surveyed(artifacts: dict[str, Members]) -> Survey:
    """The survey of the pinned tables, made once."""
    return survey(artifacts["NVIDIA"])
