"""Locks, drift and the accept step, on exported records made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.change_log import read_changes
from bookcode.numbers.lock import LockError
from bookcode.verify.locking import FOLDER, AcceptError, accept, read_state


def number(key: str, value: str, shown: str, mark: str = "1") -> dict[str, Any]:
    return {
        "kind": "number", "key": key, "line": 12, "value": value, "unit": "B", "spec": "sig4",
        "shown": shown, "formula": {"symbolic": "M b", "where": []}, "parameters": [],
        "function": "bookcode.ledger.ops.gemm.gemm", "inputs": {"m": "4"}, "facts": [],
        "reached": {"bookcode/ledger/ops/gemm.py::gemm": mark}, "rows": {"dtype fp16": "a"},
    }  # fmt: skip


def export(*records: dict[str, Any], uses: int = 1) -> dict[str, Any]:
    shown = [
        {"role": "num", "key": r["key"], "spec": "", "line": 20 + i, "context": "body", "shown": ""}
        for r in records
        for i in range(uses)
    ]
    page = {"source": "book/02-x/index.md", "records": list(records), "uses": shown, "module": None}
    return {"language": "en", "pages": {"02-x/index": page}}


@pytest.fixture
def accepted(tmp_path: Path) -> Path:
    state = read_state(tmp_path, [export(number("a", "8", "8 B"), number("b", "2", "2 B"))])
    accept(state, [], "the first filling")
    return tmp_path


def test_an_accepted_state_is_green_and_stable(accepted: Path) -> None:
    same = export(number("a", "8", "8 B"), number("b", "2", "2 B"))
    before = (accepted / FOLDER / "02-x.lock.json").read_bytes()
    state = read_state(accepted, [same])
    assert state.drifts == []
    assert state.result().checked == 2
    assert (accepted / FOLDER / "02-x.lock.json").read_bytes() == before


def test_prose_that_only_moves_lines_leaves_the_lock_alone(accepted: Path) -> None:
    moved = export(number("a", "8", "8 B") | {"line": 99}, number("b", "2", "2 B"))
    assert read_state(accepted, [moved]).drifts == []


def test_drift_names_key_change_cause_and_places(accepted: Path) -> None:
    new = export(number("a", "12", "12 B", mark="2"), number("b", "2", "2 B"), uses=1)
    (drift,) = read_state(accepted, [new]).drifts
    assert str(drift).splitlines() == [
        "book/02-x/index.md:12: number a changed",
        "    shown: 8 B → 12 B",
        "    value: 8 → 12 (+0.5 relative)",
        "    because gemm() in bookcode/ledger/ops/gemm.py changed",
        "    shown at book/02-x/index.md:20 (body)",
    ]


def test_a_number_shown_once_more_a_new_one_and_a_gone_one_are_drift(accepted: Path) -> None:
    new = export(number("a", "8", "8 B"), number("c", "3", "3 B"), uses=2)
    changes = {d.key: (d.change, d.details) for d in read_state(accepted, [new]).drifts}
    assert changes["a"] == ("changed", ("pages: 02-x/index: 1 → 02-x/index: 2",))
    assert changes["b"][0] == "is gone"
    assert changes["c"] == ("is new", ("shown: 3 B",))


def test_accepting_one_key_leaves_the_others_red(accepted: Path) -> None:
    new = export(number("a", "12", "12 B"), number("b", "3", "3 B"))
    accept(read_state(accepted, [new]), ["a"], "a was wrong")
    assert [d.key for d in read_state(accepted, [new]).drifts] == ["b"]


def test_accepting_writes_the_reason_and_the_change(accepted: Path) -> None:
    accept(read_state(accepted, [export(number("a", "12", "12 B"))]), [], "a counted half")
    first, second = read_changes(accepted)
    assert first["why"] == "the first filling"
    assert first["new"] == 2
    assert second["why"] == "a counted half"
    assert second["changed"] == [{"key": "a", "change": "shown: 8 B → 12 B"}]
    assert second["gone"] == ["b"]


@pytest.mark.parametrize(
    ("keys", "why", "message"),
    [([], "  ", "say why"), (["aa"], "because", "'aa' did not drift; did you mean a?")],
)
def test_accepting_wants_a_reason_and_keys_that_drifted(
    accepted: Path, keys: list[str], why: str, message: str
) -> None:
    state = read_state(accepted, [export(number("a", "9", "9 B"))])
    before = (accepted / FOLDER / "02-x.lock.json").read_bytes()
    with pytest.raises(AcceptError, match=message):
        accept(state, keys, why)
    assert (accepted / FOLDER / "02-x.lock.json").read_bytes() == before


def test_a_changed_value_in_the_lock_itself_is_drift(accepted: Path) -> None:
    path = accepted / FOLDER / "02-x.lock.json"
    data = json.loads(path.read_text("utf-8"))
    data["numbers"]["a"]["value"] = "9"
    path.write_text(json.dumps(data), "utf-8")
    (drift,) = read_state(
        accepted, [export(number("a", "8", "8 B"), number("b", "2", "2 B"))]
    ).drifts
    assert drift.key == "a"
    assert drift.details == ("value: 9 → 8 (-0.1111 relative)",)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", ":1: not JSON"), ('{"format": 7}', ":1: format 7"), ('{"format": 1, "x": 2}', "x")],
)
def test_a_broken_lock_is_a_clear_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "02-x.lock.json").write_text(text, "utf-8")
    with pytest.raises(LockError, match=message):
        read_state(tmp_path, [export()])


# wordings in every language ---------------------------------------------------------------------
def claim(**wordings: str) -> dict[str, Any]:
    return {
        "kind": "claim", "key": "big", "line": 9, "holds": True, "predicate": "(a > 1)",
        "wordings": {language: [said] for language, said in wordings.items()}, "rows": {},
    }  # fmt: skip


def both(english: dict[str, Any], chinese: dict[str, Any]) -> list[dict[str, Any]]:
    """Exports of both editions."""
    return [export(english, uses=0), {**export(chinese, uses=0), "language": "zh_CN"}]


@pytest.fixture
def worded(tmp_path: Path) -> Path:
    state = read_state(tmp_path, both(claim(en="far more"), claim(en="far more", zh="多得多")))
    accept(state, [], "the first filling")
    return tmp_path


def test_a_claim_turned_round_in_the_other_language_is_drift(worded: Path) -> None:
    exports = both(claim(en="far more"), claim(en="far more", zh="少得多"))
    (drift,) = read_state(worded, exports).drifts
    assert (drift.key, drift.change) == ("big", "changed")
    assert drift.details == ("wordings: zh: 多得多 → zh: 少得多",)


def test_wordings_of_an_edition_that_was_not_built_stay_as_accepted(worded: Path) -> None:
    english = export(claim(en="far more"), uses=0)
    assert read_state(worded, [english]).drifts == []
    (drift,) = read_state(worded, [export(claim(en="far less"), uses=0)]).drifts
    assert drift.details == ("wordings: en: far more → en: far less",)


def test_a_language_more_is_accepted_without_counting_as_a_change(tmp_path: Path) -> None:
    accept(read_state(tmp_path, [export(claim(en="far more"), uses=0)]), [], "the first filling")
    exports = both(claim(en="far more"), claim(en="far more", zh="多得多"))
    (drift,) = read_state(tmp_path, exports).drifts
    assert (drift.change, drift.details) == ("says more", ("wordings: nothing → zh: 多得多",))
    accept(read_state(tmp_path, exports), [], "Chinese")
    assert read_state(tmp_path, exports).drifts == []
    assert read_changes(tmp_path)[-1]["changed"] == []


def test_a_change_beside_a_language_more_is_a_change(tmp_path: Path) -> None:
    accept(read_state(tmp_path, [export(claim(en="far more"), uses=0)]), [], "the first filling")
    exports = both(claim(en="far less"), claim(en="far less", zh="少得多"))
    (drift,) = read_state(tmp_path, exports).drifts
    assert drift.change == "changed"
