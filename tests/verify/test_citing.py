"""Without the pinned bytes nothing pinned counts as checked, and nothing is red for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.sources import Evidence, FetchSet, Registry
from bookcode.verify.citing import check_sources
from bookcode.verify.result import UNCHECKED, exit_status

ROOT = Path(__file__).parents[2]


def test_an_empty_store_leaves_everything_pinned_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOKCODE_SOURCES", str(tmp_path / "empty"))
    registry = Registry.load(ROOT / "references")
    said: list[str] = []
    citations, facts = check_sources(ROOT, registry, FetchSet.NONE, said.append)
    pinned = [c for c in registry.citations.values() if c.evidence is Evidence.PINNED]
    assert citations.checked == facts.checked == 0
    assert len(citations.unchecked) == len(pinned) > 0
    assert all("is not in the store" in reason for reason in citations.unchecked)
    assert exit_status([citations, facts]) == UNCHECKED
    assert said == []
