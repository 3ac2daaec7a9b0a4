"""A reader's own record: what is taken, what is refused and why, and what is computed of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookcode.reality.calibrate import Calibration
from bookcode.reality.machine_record import FORMAT, KIND, record
from bookcode.reality.timing import Rate
from bookcode.reality.utilization import Tried

Script = Callable[[str], Callable[..., Any]]
QUICK = settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TRIED = Tried("gemm, square", "fp32", 2e9, 12e6, 4e-3, 0.03, 3e-3)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


def whole() -> dict[str, Any]:
    """A record as the command writes it."""
    rates = (99e9, 100e9, 98e9)
    found = Calibration(
        "A CPU",
        {mix: Rate(f"memory, {mix}", "B/s", rates) for mix in ("read", "write", "copy", "triad")},
        {"fp32": Rate("p", "FLOP/s", (1e12, 0.9e12)), "fp64": Rate("p", "FLOP/s", (5e11, 4e11))},
        {"cpu": "A", "threads": 4, "load before": 0.5},
        when="2026-11-29T00:00:00+00:00",
    )
    made: dict[str, Any] = json.loads(json.dumps(record(found, "mine", [TRIED])))
    return made


@pytest.fixture
def read(script: Script) -> Callable[[Any], dict[str, Any]]:
    call = script("own-record-read")
    return lambda data: call("readRecord", data if isinstance(data, str) else json.dumps(data))


def changed(path: str, value: Any) -> dict[str, Any]:
    """The record with one field changed; a value of ... removes it."""
    data = copy.deepcopy(whole())
    *outer, last = (int(part) if part.isdigit() else part for part in path.split("."))
    inner: Any = data
    for name in outer:
        inner = inner[name]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return data


def test_a_record_of_the_command_is_taken(read: Callable[[Any], dict[str, Any]]) -> None:
    found = read(whole())
    assert "problem" not in found
    taken = found["record"]
    assert (taken["device"], taken["bandwidth"]) == ("A CPU", 100e9)
    assert taken["operators"] == [
        {
            "name": "gemm, square",
            "dtype": "fp32",
            "flops": 2e9,
            "bytes": 12e6,
            "seconds": 4e-3,
            "spread": 0.03,
        }
    ]
    assert ["load before", "0.5"] in taken["conditions"]


def test_kind_and_format_are_those_that_the_command_writes() -> None:
    assert (whole()["kind"], whole()["format"]) == (KIND, FORMAT)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "json"),
        ("{", "json"),
        ("[" * 50_000, "json"),
        ("null", "kind"),
        ("[]", "kind"),
        ('"text"', "kind"),
        ("{}", "kind"),
        (" " * 1_000_001, "size"),
        ('{"__proto__": {"kind": "bookcode measurement", "format": 1}}', "kind"),
    ],
    ids=["empty", "half", "deep", "null", "list", "text", "object", "huge", "inherited"],
)
def test_what_is_no_record_is_refused(
    read: Callable[[Any], dict[str, Any]], text: str, problem: str
) -> None:
    assert read(text)["problem"] == problem


@pytest.mark.parametrize(
    ("path", "value", "problem", "place"),
    [
        ("kind", "other", "kind", ""),
        ("format", 0, "older", ""),
        ("format", 2, "newer", ""),
        ("format", "1", "kind", ""),
        ("roofs", [], "field", "roofs"),
        ("roofs.peaks", {}, "field", "roofs.peaks"),
        ("roofs.peaks", {"<b>": 1e9}, "field", "roofs.peaks"),
        ("roofs.peaks.fp32", 0, "field", "roofs.peaks.fp32"),
        ("roofs.peaks.fp32", 1e30, "field", "roofs.peaks.fp32"),
        ("roofs.peaks.fp32", "1e9", "field", "roofs.peaks.fp32"),
        ("roofs.bandwidth", -1, "field", "roofs.bandwidth"),
        ("roofs.bandwidth", None, "field", "roofs.bandwidth"),
        ("device", "", "field", "device"),
        ("device", "x" * 200, "long", "device"),
        ("warnings", ["w"] * 100, "many", "warnings"),
        ("warnings", "w", "field", "warnings"),
        ("conditions", {str(n): "x" for n in range(50)}, "many", "conditions"),
        ("conditions", {"cpu": {}}, "field", "conditions.cpu"),
        ("operators", [{}] * 100, "many", "operators"),
        ("operators.0", 1, "field", "operators[0]"),
        ("operators.0.dtype", "constructor", "field", "operators[0].dtype"),
        ("operators.0.seconds", 0, "field", "operators[0].seconds"),
        ("operators.0.spread", -1, "field", "operators[0].spread"),
        ("operators.0.name", ..., "field", "operators[0].name"),
    ],
)
def test_a_field_that_is_wrong_is_named(
    read: Callable[[Any], dict[str, Any]], path: str, value: Any, problem: str, place: str
) -> None:
    found = read(changed(path, value))
    assert (found["problem"], found["place"]) == (problem, place)


@QUICK
@given(JSON)
def test_nothing_makes_it_throw(script: Script, data: Any) -> None:
    found = script("own-record-read")("readRecord", json.dumps(data))
    assert found["problem"]


@QUICK
@given(st.sampled_from(sorted(whole())), JSON)
def test_any_field_may_be_anything(script: Script, name: str, value: Any) -> None:
    found = script("own-record-read")("readRecord", json.dumps({**whole(), name: value}))
    assert ("problem" in found) != ("record" in found)


def test_characters_that_turn_a_text_around_are_dropped(
    read: Callable[[Any], dict[str, Any]],
) -> None:
    assert read(changed("device", "A\u202e\u0007B"))["record"]["device"] == "A  B"
