"""Facts that cannot be read out of pinned bytes are as they were when somebody read the source.

Nothing else would notice a slip in such a value as long as no page shows it. After a change that is
meant: ``BOOKCODE_ACCEPT=1 pytest tests/sources/test_recorded_facts.py``, and review the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bookcode.sources import Evidence, Registry

ROOT = Path(__file__).parents[2]
ACCEPTED = Path(__file__).parent / "data" / "recorded-facts.json"
ACCEPTING = bool(os.environ.get("BOOKCODE_ACCEPT"))


def recorded() -> dict[str, str]:
    """Value and unit of each fact whose value no check reads out of a source."""
    registry = Registry.load(ROOT / "references")
    return {
        key: f"{fact.value} {fact.unit}"
        for key, fact in registry.facts.items()
        if registry.citation(fact.citation).evidence is not Evidence.PINNED and not fact.factors
    }


def test_recorded_facts_are_as_they_were_read() -> None:
    if ACCEPTING:
        text = json.dumps(recorded(), indent=1, sort_keys=True, ensure_ascii=False)
        ACCEPTED.write_text(text + "\n", "utf-8")
        pytest.fail("accepted: review the difference, and run again without BOOKCODE_ACCEPT")
    assert recorded() == json.loads(ACCEPTED.read_text("utf-8"))


def test_there_are_such_facts_and_others() -> None:
    registry = Registry.load(ROOT / "references")
    assert 0 < len(recorded()) < len(registry.facts)
