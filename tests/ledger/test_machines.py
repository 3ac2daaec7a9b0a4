"""Machine profiles agree with the facts; roofs choose their factors by the access mix."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bookcode.ledger import DTYPES, MACHINES, Timed, ops
from bookcode.ledger.errors import LedgerError, MissingFactError, UnknownNameError
from bookcode.ledger.machines import Machine, load_profiles
from bookcode.ledger.machines._machine import MIXES
from bookcode.ledger.machines._profiles import PROFILES, _machines
from bookcode.ledger.operator import check_row

FACTS = tomllib.loads((Path(__file__).parents[2] / "references" / "facts.toml").read_text("utf-8"))[
    "facts"
]
DATA = tomllib.loads(PROFILES.read_text("utf-8"))
TILEOPS = MACHINES["h200-tileops-0.1.0"]


def values(machine: Machine) -> dict[str, Fraction]:
    """The machine's values by the dotted field names under which it keeps its facts."""
    found = {}
    for name in machine.facts:
        field, _, entry = name.partition(".")
        value = getattr(machine, field)
        found[name] = value[entry] if entry else value
    return found


@pytest.mark.parametrize("machine", MACHINES.values(), ids=list(MACHINES))
def test_every_value_is_the_value_of_its_fact(machine: Machine) -> None:
    for name, value in values(machine).items():
        key = machine.facts[name]
        assert key in FACTS, f"{machine.name}: {name} names a fact that does not exist"
        assert value == Fraction(FACTS[key]["value"]), name


def _entries(machine: Machine, name: str) -> list[str]:
    value = getattr(machine, name)
    return list(value) if isinstance(value, Mapping) else []


@pytest.mark.parametrize("machine", MACHINES.values(), ids=list(MACHINES))
def test_every_value_has_a_fact_of_its_unit(machine: Machine) -> None:
    units = {
        "peaks": "FLOP/s",
        "bandwidth": "B/s",
        "links": "B/s",
        "levels": "B",
        "fma": "FMA/cycle",
        "rates": "B/cycle",
    }
    stated = {f"{name}.{entry}" for name in units for entry in _entries(machine, name)}
    assert stated | {"bandwidth"} <= set(machine.facts)
    for name, key in machine.facts.items():
        assert FACTS[key]["unit"] == units.get(name.partition(".")[0], FACTS[key]["unit"])


@pytest.mark.parametrize("machine", MACHINES.values(), ids=list(MACHINES))
def test_every_value_is_exact_and_positive(machine: Machine) -> None:
    for value in values(machine).values():
        assert isinstance(value, Fraction)
        assert value > 0
    assert machine.title
    assert machine.conditions


@pytest.mark.parametrize("machine", MACHINES.values(), ids=list(MACHINES))
def test_a_roof_calibrates_peaks_that_exist_and_every_mix(machine: Machine) -> None:
    assert machine.peak_factors
    assert set(machine.peak_factors) <= set(machine.peaks)
    assert set(machine.bandwidth_factors) == set(MIXES)
    assert all(factor <= 1 for factor in machine.peak_factors.values())
    assert all(factor <= 1 for factor in machine.bandwidth_factors.values())


def test_a_bare_profile_is_its_default_roof() -> None:
    assert MACHINES["h200"].peak_factors["fp16"] == Fraction("0.7370")
    assert MACHINES["h200:sustained"].peak_factors["fp16"] == Fraction("0.6684")
    assert "h200:burst" not in MACHINES


@pytest.mark.parametrize(
    ("reads", "mix"),
    [
        ("0", "write"),
        ("1/8", "write"),
        ("1/4", "copy"),  # a tie of write and copy: the lower factor is copy's
        ("3/8", "copy"),
        ("1/2", "copy"),
        ("7/12", "copy"),  # a tie of copy and triad: again copy's
        ("2/3", "triad"),
        ("5/6", "triad"),  # a tie of triad and read: triad's is lower
        ("9/10", "read"),
        ("1", "read"),
    ],
)
def test_the_access_mix_nearest_to_the_share_of_reads(reads: str, mix: str) -> None:
    chosen = TILEOPS.reachable_bandwidth(Fraction(reads))
    assert chosen == TILEOPS.bandwidth_factors[mix] * TILEOPS.bandwidth


def test_operators_get_the_roof_of_their_mix() -> None:
    copy = Timed(ops.layernorm(8192, 4096), TILEOPS, DTYPES["fp16"])
    assert copy.expected == copy.bytes / (Fraction("0.8183") * TILEOPS.bandwidth)
    reads = Timed(ops.attention_decode(32, 128, 32768), TILEOPS, DTYPES["fp16"])
    assert reads.expected == reads.bytes / (Fraction("0.9380") * TILEOPS.bandwidth)


def test_a_profile_needs_value_and_fact() -> None:
    broken: dict[str, Any] = {**DATA["a100"], "bandwidth": {"value": "1e12"}}
    with pytest.raises(LedgerError, match="a100: bandwidth needs exactly a value and a fact"):
        list(_machines({"a100": broken}))


def test_a_profile_with_an_unknown_entry_is_refused() -> None:
    broken: dict[str, Any] = {**DATA["a100"], "links": {"token-ring": {"value": "1", "fact": "x"}}}
    with pytest.raises(LedgerError, match=r"a100: links has unknown entries \['token-ring'\]"):
        list(_machines({"a100": broken}))


def test_a_profile_with_a_zero_is_refused() -> None:
    broken: dict[str, Any] = {**DATA["a100"], "bandwidth": {"value": "0", "fact": "x"}}
    with pytest.raises(LedgerError, match="a100: bandwidth = 0 must be positive"):
        list(_machines({"a100": broken}))
    check_row(MACHINES["a100"])


def test_profiles_share_the_values_of_their_base() -> None:
    for name in ("h200", "h200-august", "h200-tileops-0.1.0"):
        assert MACHINES[name].peaks == MACHINES["h200-spec"].peaks
        assert MACHINES[name].facts["bandwidth"] == MACHINES["h200-spec"].facts["bandwidth"]


def test_an_unknown_base_names_the_nearest() -> None:
    broken: dict[str, Any] = {"a100": DATA["a100"], "a100-x": {"title": "x", "base": "a10"}}
    with pytest.raises(LedgerError, match=r"base of machine a100-x.*did you mean 'a100'"):
        list(_machines(broken))


@pytest.mark.parametrize(
    ("machine", "balance"),
    [
        ("a100", "153.0"),
        ("h100", "295.4"),
        ("h200-spec", "206.1"),
        ("h200-august", "182.3"),
        ("h200-tileops-0.1.0", "155.1"),
        ("h200-tileops-0.1.0:envelope", "176.3"),
        ("h200-tileops-0.1.0:sustained", "143.4"),
        ("b200", "281.3"),
        ("mi300x", "246.7"),
        ("h20-3e", "36.2"),
    ],
)
def test_balances(machine: str, balance: str) -> None:
    reached = MACHINES[machine].reachable_balance(DTYPES["fp16"])
    assert abs(reached - Fraction(balance)) <= Fraction("0.05")


@pytest.mark.parametrize(("machine", "balance"), [("a100", 16), ("h100", 32), ("b200", 64)])
def test_the_balance_at_shared_memory(machine: str, balance: int) -> None:
    assert MACHINES[machine].shared_balance(DTYPES["fp16"]) == balance


def test_vector_balance_of_the_h200() -> None:
    fp32 = DTYPES["fp32"]
    assert round(MACHINES["h200"].balance(fp32, "vector"), 1) == Fraction("14.0")
    assert round(MACHINES["h200"].reachable_balance(fp32, "vector"), 1) == Fraction("12.7")


def test_capacities() -> None:
    assert MACHINES["h100"].capacity("shared-block") == 227 * 1024
    assert MACHINES["a100"].capacity("l2") == 40 * 2**20
    with pytest.raises(MissingFactError, match="a capacity of h200 named 'l2'"):
        MACHINES["h200"].capacity("l2")
    with pytest.raises(UnknownNameError, match="did you mean 'shared'"):
        MACHINES["h200"].capacity("shard")
    with pytest.raises(MissingFactError, match="multiply-adds per cycle of mi300x for 'fp16'"):
        MACHINES["mi300x"].shared_balance(DTYPES["fp16"])


def test_a_roof_without_a_factor_has_a_bound_and_no_expectation() -> None:
    timed = Timed(ops.gemm(4096, 4096, 4096), MACHINES["h200"], DTYPES["fp8"])
    assert timed.bound == timed.flops / MACHINES["h200"].peaks["fp8"]
    with pytest.raises(MissingFactError, match="the calibration of h200 for 'fp8'"):
        _ = timed.expected


def test_a_profile_of_ones_own_loads_beside_the_books() -> None:
    text = """
[mine]
title = "my machine"
bandwidth = { value = "20e9", fact = "measured here" }
[mine.peaks]
vector = { value = "1e12", fact = "measured here" }
"""
    (machine,) = load_profiles(text)
    assert machine.name == "mine"
    assert machine.bandwidth == 20 * 10**9
    assert "mine" not in MACHINES
