"""The committed record of the pages: read, written, compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.reality.errors import RealityError
from bookcode.reality.record import (
    PARTS,
    RECORD,
    PageRecord,
    differences,
    read,
    shortened,
    texts,
    write,
)
from bookcode.reality.surveyed import page_record, surveyed

ROOT = Path(__file__).parents[2]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=10,
)


def small() -> PageRecord:
    results = {"rows": {"what": "measured rows", "value": "12", "unit": "1"}}
    parts: dict[str, Any] = {part: {} for part in PARTS}
    tables, drawings = {"expect": [{"rows": 1}]}, {"density": {"step": 0.1}}
    return PageRecord("a==1", {**parts, "results": results, "tables": tables, "drawings": drawings})


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "reality.json"
    write(path, small())
    assert read(path) == small()
    assert [p.name for p in path.parent.iterdir()] == ["reality.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"r\.json:1: not JSON"),
        ("[]", "not a record of format 1"),
        ('{"format": 2}', "not a record of format 1"),
        ('{"format": 1}', "lacks 'results'"),
        (json.dumps({"format": 1, **{part: {} for part in PARTS}}), "lacks 'artifact'"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text, "utf-8")
    with pytest.raises(RealityError, match=message):
        read(path)


def test_a_missing_record_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(RealityError, match="reality --mutants --write"):
        read(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.result("row"), "unknown result 'row'; did you mean rows?"),
        (lambda r: r.table("expects"), "unknown table 'expects'; did you mean expect?"),
        (lambda r: r.drawing("dense"), "unknown drawing 'dense'; did you mean density?"),
    ],
)
def test_an_unknown_name_comes_with_the_nearest(ask: Any, message: str) -> None:
    with pytest.raises(RealityError, match=message.replace("?", r"\?")):
        ask(small())


def test_what_is_there_is_given() -> None:
    assert small().result("rows").number == 12
    assert small().table("expect") == [{"rows": 1}]
    assert small().drawing("density") == {"step": 0.1}


@given(PLAIN)
def test_nothing_differs_from_itself(data: Any) -> None:
    assert list(differences(data, data)) == []


@given(PLAIN, PLAIN)
def test_what_differs_is_told(old: Any, new: Any) -> None:
    same = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    # True and 1 are equal to Python; the record holds no such pair.
    assert bool(list(differences(old, new))) != same or old == new


def test_a_difference_has_its_place() -> None:
    old = {"a": [1, {"b": 2}], "c": 3}
    new = {"a": [1, {"b": 4}, 5], "d": 6}
    assert list(differences(old, new)) == [
        "a: 2 entries recorded, now 3",
        "a[1].b: recorded 2, now 4",
        "c: recorded, but not found now",
        "d: not in the record",
    ]


def test_many_differences_are_counted() -> None:
    told = shortened(differences({str(n): 0 for n in range(9)}, {}))
    assert len(told) == 6
    assert told[-1] == "… and 4 more"


def test_cells_read_the_projects_own_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKCODE_ROOT", str(ROOT))
    assert page_record() == read(ROOT / RECORD)
    assert surveyed(result="rows") == 526086
    with pytest.raises(RealityError, match="did you mean rows"):
        surveyed(result="rowz")


def test_words_of_the_record_are_to_be_translated() -> None:
    found = dict(texts(read(ROOT / RECORD)))
    assert found["5 FLOP per score of the softmax"].startswith("counter ")
    assert found["parameters, embeddings shared"].endswith("what")
    assert found["days"].endswith("unit")
    assert found["published tables"] == "outside check"
    assert any(whose.endswith("why it does not follow") for whose in found.values())
    assert not any("get_sol" in text for text in found)
