"""The lock: what was accepted, stable text, accepted whole or in part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.numbers.lock import (
    Lock,
    LockError,
    chapter_of,
    locks_of,
    merged,
    read_lock,
)


def number(key: str, value: str = "2", **changes: Any) -> dict[str, Any]:
    """A published number as a build exports it."""
    return {
        "kind": "number",
        "key": key,
        "line": 7,
        "value": value,
        "shown": f"{value} B",
        "unit": "B",
        "spec": "sig4",
        "formula": {"symbolic": "2 M", "where": [["W", "M + 1", "one more"]]},
        "function": "ledger.gemm",
        "inputs": {"m": "1"},
        "parameters": ["seq"],
        "facts": ["h200.bandwidth"],
        "reached": {f"ledger.py::{key}": f"mark of {key}"},
        "rows": {"dtype fp16": "mark of fp16"},
        **changes,
    }


def use(role: str, key: str, shown: str = "", line: int = 1) -> dict[str, Any]:
    return {"role": role, "key": key, "spec": "", "line": line, "context": "body", "shown": shown}


def page(*items: dict[str, Any], source: str = "book/x.md") -> dict[str, Any]:
    return {
        "source": source,
        "records": [item for item in items if "kind" in item],
        "uses": [item for item in items if "role" in item],
    }


CLAIM = {
    "kind": "claim",
    "key": "big",
    "line": 9,
    "holds": True,
    "wordings": {"en": ["big"]},
    "predicate": "(gemm.flops > 1)",
    "rows": {"machine h200": "mark of h200"},
}
SVG = '<svg><text>H200</text><text>peak</text><g id="xtick_1"><text>10</text></g></svg>'
FIGURE = {"kind": "figure", "key": "roof", "line": 11, "svg": SVG, "uses": ["gemm.flops"]}


def built() -> dict[str, Lock]:
    return locks_of(
        {
            "language": "en",
            "pages": {
                "02-x/index": page(number("gemm.flops"), CLAIM, FIGURE, use("num", "gemm.flops")),
                "02-x/exercises": page(
                    use("num", "gemm.flops"),
                    use("num", "gemm.flops"),
                    use("formula", "gemm.flops"),
                    use("holds", "big"),
                    use("lit", "given", "8 bits"),
                    use("lit", "given", "9 bits"),
                    use("fact", "h200.bandwidth", "4.8 TB/s [spec]"),
                    use("src", "R3", "R3 [rules]"),
                    use("figure", "roof"),
                ),
                "index": page(number("front", "3"), use("lit", "name", "x")),
            },
        }
    )


def test_one_lock_per_chapter() -> None:
    assert set(built()) == {"02-x", "front"}
    assert chapter_of("index") == "front"
    assert chapter_of("02-x/index") == chapter_of("02-x/deeper/page") == "02-x"


def test_a_number_with_all_that_it_says() -> None:
    lock = built()["02-x"]
    assert lock.numbers == {
        "gemm.flops": {
            "facts": ["h200.bandwidth"],
            "formula": "2 M",
            "function": "ledger.gemm",
            "inputs": {"m": "1"},
            "pages": {"02-x/index": 1, "02-x/exercises": 3},
            "parameters": ["seq"],
            "shown": "2 B",
            "unit": "B",
            "value": "2",
            "where": [["W", "M + 1"]],
        }
    }
    assert lock.functions == {"ledger.py::gemm.flops": "mark of gemm.flops"}
    assert lock.rows == {"dtype fp16": "mark of fp16", "machine h200": "mark of h200"}


def test_claims_facts_and_texts_typed_on_purpose() -> None:
    lock = built()["02-x"]
    assert lock.claims == {
        "big": {
            "holds": True,
            "pages": {"02-x/exercises": 1},
            "predicate": "(gemm.flops > 1)",
            "wordings": {"en": ["big"]},
        }
    }
    assert lock.facts == {
        "h200.bandwidth": {"pages": {"02-x/exercises": 1}, "shown": "4.8 TB/s [spec]"}
    }
    assert lock.literals == {"given": 2}
    assert built()["front"].literals == {"name": 1}
    assert lock.citations == {"R3": {"pages": {"02-x/exercises": 1}, "shown": "R3 [rules]"}}
    assert lock.figures == {
        "roof": {"drawn": ["H200"], "pages": {"02-x/exercises": 1}, "uses": ["gemm.flops"]}
    }
    assert lock.keys() == {"gemm.flops", "big", "h200.bandwidth", "R3", "roof"}


def test_a_word_has_no_formula() -> None:
    word = number("regime", "compute", unit="word", formula=None)
    lock = locks_of({"pages": {"a/b": page(word)}})["a"]
    assert (lock.numbers["regime"]["formula"], lock.numbers["regime"]["where"]) == ("", [])
    assert lock.numbers["regime"]["pages"] == {}


def test_a_page_of_prose_alone_has_an_empty_lock() -> None:
    assert locks_of({"pages": {"a/b": page()}}) == {"a": Lock("a")}


def test_the_text_has_no_lines_and_is_the_same_for_any_order() -> None:
    one = number("a"), number("b"), use("num", "a", line=3), use("num", "b", line=4)
    other = use("num", "b", line=90), number("b", line=50), use("num", "a", line=80), number("a")
    texts = [locks_of({"pages": {"x/y": page(*items)}})["x"].text() for items in (one, other)]
    assert texts[0] == texts[1]
    assert texts[0].endswith("}\n")
    assert json.loads(texts[0])["format"] == 1


def test_the_text_is_made_for_review() -> None:
    lock = Lock("x", numbers={"b": {"value": "1"}, "a": {"value": "½ µs"}})
    lines = lock.text().splitlines()
    assert lines.index('  "a": {') < lines.index('  "b": {')
    assert '   "value": "½ µs"' in lines


# reading --------------------------------------------------------------------------------------
texts = st.text(max_size=6)
entries = st.dictionaries(texts, st.fixed_dictionaries({"value": texts, "pages": st.just({})}))


@given(entries, entries, entries, st.dictionaries(texts, texts))
def test_round_trip(tmp_path_factory: Any, n: Any, f: Any, c: Any, functions: Any) -> None:
    lock = Lock("chapter", numbers=n, facts=f, claims=c, functions=functions)
    path = tmp_path_factory.getbasetemp() / "chapter.lock.json"
    path.write_bytes(lock.text().encode())
    assert read_lock(path) == lock


def test_a_missing_lock_is_an_empty_one(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "02-x.lock.json") == Lock("02-x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "format": 1,\n oops', r"x\.lock\.json:3: not JSON"),
        ("[]", r"x\.lock\.json:1: format None, expected 1"),
        ('{"format": 2, "chapter": "x"}', r"x\.lock\.json:1: format 2, expected 1"),
        ('{"format": 1}', r"x\.lock\.json:1: .*chapter"),
        ('{"format": 1, "chapter": "x", "nubmers": {}}', r"x\.lock\.json:1: .*nubmers"),
        ('{"format": 1, "chapter": "x", "numbers": []}', r"x\.lock\.json:1: .*numbers"),
        ('{"format": 1, "chapter": "y"}', r"x\.lock\.json:1: .*chapter 'y'"),
        (
            '{"format": 1, "chapter": "x",\n "numbers": {"a.b": 1}}',
            r"x\.lock\.json:2: numbers: 'a.b' is not an object",
        ),
        (
            '{"format": 1, "chapter": "x",\n "literals": {"name": "1"}}',
            r"x\.lock\.json:2: literals: 'name' is not a count",
        ),
    ],
)
def test_what_is_no_lock(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.lock.json"
    path.write_text(text, "utf-8")
    with pytest.raises(LockError, match=message):
        read_lock(path)


# accepting ------------------------------------------------------------------------------------
OLD = Lock(
    "x",
    numbers={"stays": {"value": "1"}, "moves": {"value": "1"}, "goes": {"value": "1"}},
    claims={"c": {"holds": True}},
    functions={"f": "old"},
    rows={"r": "old"},
    literals={"given": 1},
)
NEW = Lock(
    "x",
    numbers={"stays": {"value": "2"}, "moves": {"value": "2"}, "comes": {"value": "2"}},
    claims={"c": {"holds": False}},
    functions={"f": "new"},
    rows={"r": "new"},
    literals={"given": 2},
)


def test_accepting_everything() -> None:
    assert merged(OLD, NEW, None) == NEW


def test_accepting_some_keys_leaves_the_others() -> None:
    lock = merged(OLD, NEW, ["moves", "comes", "goes"])
    assert lock.numbers == {
        "stays": {"value": "1"},
        "moves": {"value": "2"},
        "comes": {"value": "2"},
    }
    assert lock.claims == OLD.claims
    assert OLD.numbers["moves"] == {"value": "1"}  # the old lock is untouched


def test_accepting_nothing_changes_no_entry() -> None:
    lock = merged(OLD, NEW, [])
    assert (lock.numbers, lock.claims) == (OLD.numbers, OLD.claims)


def test_a_partial_accept_still_tells_the_causes_of_the_rest() -> None:
    # "stays" still drifts because of f: the marks of the code must be the old ones for it
    lock = merged(OLD, NEW, ["moves"])
    assert (lock.functions, lock.rows) == ({"f": "old"}, {"r": "old"})
    everything = merged(OLD, NEW, ["stays", "moves", "comes", "goes", "c"])
    assert (everything.functions, everything.rows) == (NEW.functions, NEW.rows)


def test_texts_typed_on_purpose_are_accepted_only_by_name() -> None:
    assert merged(OLD, NEW, ["moves"]).literals == {"given": 1}
    assert merged(OLD, NEW, ["lit:given"]).literals == {"given": 2}
    assert merged(OLD, Lock("x"), ["lit:given"]).literals == {}
