"""The reader's parameters: allowed values, the address, keys, scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

EDGE = {
    "kind": "quantity", "name": "edge", "title": "edge", "unit": "elements",
    "default": 4096, "minimum": 64, "maximum": 16384, "step": 64,
}  # fmt: skip
MACHINE = {
    "kind": "choice", "name": "machine", "title": "machine", "default": "h200",
    "options": {"h200": "H200", "h200:burst": "H200, burst", "a100": "A100"},
}  # fmt: skip
PARAMETERS = {"edge": EDGE, "machine": MACHINE}
BOOK = {"edge": 4096, "machine": "h200"}
QUICK = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
Script = Callable[[str], Callable[..., Any]]


@pytest.mark.parametrize(
    ("value", "fits"),
    [(64, True), (128, True), (16384, True), (65, False), (0, False), (-64, False), (16448, False),
     (128.5, False), ("128", False), (None, False), (1e300, False), (float("nan"), False)],
)  # fmt: skip
def test_a_quantity_allows_its_steps_between_its_ends(
    script: Script, value: Any, fits: bool
) -> None:
    assert script("state")("allows", EDGE, value) is fits


@pytest.mark.parametrize("value", ["constructor", "__proto__", "toString", "", "H200"])
def test_a_choice_allows_its_own_options_only(script: Script, value: str) -> None:
    assert script("state")("allows", MACHINE, value) is False
    assert script("state")("allows", MACHINE, "h200:burst") is True


@QUICK
@given(value=st.floats(-1e9, 1e9))
def test_the_nearest_value_is_allowed_and_near(script: Script, value: float) -> None:
    found = script("state")("nearest", EDGE, value)
    assert script("state")("allows", EDGE, found)
    inside = min(max(value, 64), 16384)
    assert abs(found - inside) <= 32


@pytest.mark.parametrize(
    ("text", "number"),
    [("4096", 4096), (" 4,096 ", 4096), ("131_072", 131072), ("1 024", 1024), ("0", 0),
     ("", None), ("-1", None), ("1e3", None), ("0x10", None), ("1,", None), (",1", None),
     ("9" * 16, None), ("４096", None), ("1.5", None)],
)  # fmt: skip
def test_typed_numbers(script: Script, text: str, number: int | None) -> None:
    assert script("state")("typedNumber", text) == number


SETTINGS = st.fixed_dictionaries(
    {
        "edge": st.integers(1, 256).map(lambda n: 64 * n),
        "machine": st.sampled_from(sorted(MACHINE["options"])),  # type: ignore[arg-type]
    }
)


@QUICK
@given(setting=SETTINGS, others=st.dictionaries(st.sampled_from("abc"), st.text(max_size=5)))
def test_an_address_gives_back_what_was_written(
    script: Script, setting: dict[str, Any], others: dict[str, str]
) -> None:
    before = f"?{urlencode(others)}" if others else ""
    query = script("state")("writeAddress", before, setting, PARAMETERS)
    assert script("state")("readAddress", query, PARAMETERS) == {"setting": setting, "problems": []}
    kept = parse_qs(query.removeprefix("?"), keep_blank_values=True)
    assert {k: v for k, v in kept.items() if not k.startswith("with.")} == {
        k: [v] for k, v in others.items()
    }
    assert ("with." in query) == (setting != BOOK)


@QUICK
@given(
    query=st.lists(
        st.tuples(
            st.sampled_from(["with.edge", "with.machine", "with.x", "with.", "other", "with.edge"]),
            st.one_of(st.text(max_size=12), st.integers().map(str), st.just("128")),
        ),
        max_size=4,
    )
)
def test_an_address_is_taken_whole_or_refused_whole(
    script: Script, query: list[tuple[str, str]]
) -> None:
    safe = [(k, v.encode("utf-8", "replace").decode()) for k, v in query]
    read = script("state")("readAddress", "?" + urlencode(safe), PARAMETERS)
    if read["problems"]:
        assert read["setting"] == BOOK
    for name, value in read["setting"].items():
        assert script("state")("allows", PARAMETERS[name], value)


def test_every_problem_has_a_reason(script: Script) -> None:
    query = "?with.edge=65&with.edge=x&with.machine=b&with.nothing=1&with.edge=1"
    problems = script("state")("readAddress", query, PARAMETERS)["problems"]
    assert [p["code"] for p in problems] == [
        "outOfRange", "twice", "noOption", "noParameter", "twice",
    ]  # fmt: skip
    assert problems[0] == {"code": "outOfRange", "name": "edge", "text": "65"}


@pytest.mark.parametrize(
    ("key", "value"),
    [("ArrowUp", 4160), ("ArrowRight", 4160), ("ArrowDown", 4032), ("PageUp", 8192),
     ("PageDown", 2048), ("Home", 64), ("End", 16384), ("a", None), ("Tab", None)],
)  # fmt: skip
def test_keys(script: Script, key: str, value: int | None) -> None:
    assert script("state")("keyStep", EDGE, 4096, key) == value


@pytest.mark.parametrize("value", [64, 16384])
def test_keys_stop_at_the_ends(script: Script, value: int) -> None:
    key = "ArrowDown" if value == 64 else "PageUp"
    assert script("state")("keyStep", EDGE, value, key) == value


def test_the_scale_is_logarithmic_and_turns_back(script: Script) -> None:
    state = script("state")
    assert state("share", EDGE, 64) == 0
    assert state("share", EDGE, 16384) == pytest.approx(1)
    assert state("share", EDGE, 1024) == pytest.approx(0.5)
    for value in (64, 128, 1024, 4096, 16384):
        assert state("atShare", EDGE, state("share", EDGE, value)) == value
    assert state("atShare", EDGE, -3) == 64
    assert state("atShare", EDGE, 7) == 16384
    fixed = EDGE | {"minimum": 64, "maximum": 64}
    assert state("share", fixed, 64) == 0
