"""Calibration of a machine: what is written can be read back, and bad conditions are told."""

from __future__ import annotations

import json
import sys
import tomllib
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from bookcode.ledger import DTYPES, Timed, ops
from bookcode.ledger.machines import _profiles
from bookcode.reality import timing
from bookcode.reality.calibrate import Calibration, calibrate, machine
from bookcode.reality.conditions import UNKNOWN, conditions, cpu_model
from bookcode.reality.errors import MeasureError
from bookcode.reality.machine_record import profile_text, record, write_profile
from bookcode.reality.timing import Rate, measure
from bookcode.reality.utilization import Tried, trials, utilization


def rate(what: str, *rates: float, unit: str = "B/s") -> Rate:
    return Rate(what, unit, rates)


@pytest.fixture
def steady() -> Calibration:
    flat = [98e9, 100e9, 99e9, 100e9, 99e9, 100e9, 98e9]
    return Calibration(
        device='A "fine" CPU',
        bandwidths={
            mix: rate(f"memory, {mix}", *flat) for mix in ("read", "write", "copy", "triad")
        },
        peaks={"fp32": rate("p", *(10 * r for r in flat)), "fp64": rate("p", *flat)},
        conditions={"cpu": "A", "threads": 4},
        when="2026-11-29T00:00:00+00:00",
    )


def test_a_small_calibration_measures_everything() -> None:
    found = calibrate(0.05, size=1 << 20, edge=64)
    assert set(found.bandwidths) == {"read", "write", "copy", "triad"}
    assert set(found.peaks) == {"fp32", "fp64"}
    assert all(len(r.rates) >= 7 and min(r.rates) > 0 for r in found.rates)
    assert found.conditions["threads"] >= 1
    assert set(found.conditions) >= {"cpu", "clock policy", "numpy", "blas", "load before"}


def test_the_profile_is_one_that_the_ledger_reads(steady: Calibration) -> None:
    made = machine(steady, "mine")
    [read] = _profiles._machines(tomllib.loads(profile_text(steady, "mine")))
    assert (read.name, read.title) == ("mine", 'A "fine" CPU, median of the repetitions')
    assert read.conditions == made.conditions
    assert read.peaks == made.peaks
    assert read.bandwidth == made.bandwidth == 100 * 10**9
    assert read.bandwidth_factors == made.bandwidth_factors
    assert read.peak_factors == made.peak_factors


def test_the_bound_is_the_best_seen_and_the_expectation_the_middle(steady: Calibration) -> None:
    timed = Timed(ops.add(10**6, dtype="fp32"), machine(steady, "mine"), DTYPES["fp32"])
    assert float(timed.bound) == pytest.approx(12e6 / 100e9)
    assert float(timed.expected) == pytest.approx(12e6 / 99e9)


def test_nothing_is_overwritten_without_force(steady: Calibration, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    paths = write_profile(steady, folder, "mine")
    assert all(path.exists() for path in paths)
    before = paths[0].read_bytes()
    with pytest.raises(MeasureError, match="--force"):
        write_profile(steady, folder, "mine")
    paths[1].unlink()
    with pytest.raises(MeasureError, match=r"mine\.toml is there"):
        write_profile(steady, folder, "mine")
    steady.device = "another"
    write_profile(steady, folder, "mine", force=True)
    assert paths[0].read_bytes() != before


@pytest.mark.parametrize("name", ["../x", "", "a b", "a/b", "naïve"])
def test_a_name_that_is_not_plain_is_refused(
    steady: Calibration, tmp_path: Path, name: str
) -> None:
    with pytest.raises(MeasureError, match="no name"):
        write_profile(steady, tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_an_error(steady: Calibration, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MeasureError, match="file"):
        write_profile(steady, tmp_path / "file", "mine")


def test_the_record_holds_every_repetition_and_the_conditions(
    steady: Calibration, tmp_path: Path
) -> None:
    data = json.loads(write_profile(steady, tmp_path, "mine")[1].read_text("utf-8"))
    assert data == json.loads(json.dumps(record(steady, "mine")))
    assert data["conditions"] == {"cpu": "A", "threads": 4}
    assert data["steady"] is True
    assert [len(entry["rates"]) for entry in data["rates"]] == [7] * 6
    assert data["rates"][0]["repetitions"] == 7


def test_a_wide_spread_is_reported_and_not_averaged_away() -> None:
    noisy = rate("memory, copy", 100, 60, 100, 55, 100, 100, 60)
    [warning] = noisy.warnings
    assert warning.startswith("memory, copy: repetitions differ by")
    assert noisy.spread > 0.3


def test_a_falling_rate_looks_like_throttling() -> None:
    falling = rate("p", 100, 99, 98, 97, 95, 94, 93, 92, 91)
    assert any("throttling" in text for text in falling.warnings)


def test_a_steady_rate_warns_of_nothing(steady: Calibration) -> None:
    assert steady.warnings == []
    assert not steady.disturbed


def test_an_unsteady_rate_stands_in_record_and_summary(steady: Calibration) -> None:
    steady.bandwidths["copy"] = rate("memory, copy", 100, 60, 100, 55, 100, 100, 60)
    data = record(steady, "mine")
    assert data["steady"] is False
    assert any(line.startswith("not steady: memory, copy") for line in data["summary"])


def test_measuring_repeats_at_least_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(0, 2)
    monkeypatch.setattr(timing.time, "perf_counter", lambda: float(next(clock)))
    found = measure("w", "B/s", 10.0, lambda: None, 0.0)
    assert found.rates == (5.0,) * 7


def test_a_clock_that_stands_still_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing.time, "perf_counter", lambda: 1.0)
    with pytest.raises(MeasureError, match="too short"):
        measure("w", "B/s", 1.0, lambda: None, 0.0)


def test_conditions_that_the_system_does_not_tell_are_unknown(tmp_path: Path) -> None:
    assert cpu_model(tmp_path / "missing")
    (tmp_path / "cpuinfo").write_text("processor : 0\nmodel name\t: Fast One\n")
    assert cpu_model(tmp_path / "cpuinfo") == "Fast One"
    found = conditions(3)
    assert found["threads"] == 3
    assert found["clock policy"]
    assert UNKNOWN == "unknown"


def test_utilization_has_a_line_for_every_operator(steady: Calibration) -> None:
    found = utilization(steady, "mine", small=True)
    assert [one.name for one in found] == [trial.name for trial in trials(small=True)]
    for one, trial in zip(found, trials(small=True), strict=True):
        assert one.line.startswith(f"{trial.name}: ")
        assert "of the roof" in one.line
        assert (one.flops, one.bytes) == (trial.cost.flops, trial.cost.bytes)
        assert one.seconds > 0


def test_an_unsteady_operator_says_so() -> None:
    one = Tried("add", "fp32", 1.0, 1.0, 2e-3, 0.25, 1e-3)
    assert one.line == "add: 2.000 ms, 50.0% of the roof, repetitions differ by 25%"


def test_the_record_holds_roofs_and_operators_for_the_page(steady: Calibration) -> None:
    data = record(steady, "mine", [Tried("add", "fp32", 1.0, 12.0, 2e-3, 0.1, 1e-3)])
    assert (data["kind"], data["format"]) == ("bookcode measurement", 1)
    assert data["roofs"] == {"bandwidth": 100e9, "peaks": {"fp32": 1e12, "fp64": 100e9}}
    [one] = data["operators"]
    assert (one["name"], one["bytes"], one["seconds"]) == ("add", 12.0, 2e-3)


def test_a_gpu_is_measured_through_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tensor:
        def sum(self) -> None: ...
        def fill_(self, _: float) -> None: ...
        def copy_(self, _: object) -> None: ...

    waited = []
    torch = ModuleType("torch")
    torch.__dict__.update(
        __version__="9",
        float16=1,
        bfloat16=2,
        float32=3,
        cuda=SimpleNamespace(
            is_available=lambda: True,
            get_device_name=lambda _: "A GPU",
            synchronize=lambda: waited.append(1),
        ),
        ones=lambda *_, **__: Tensor(),
        randn=lambda *_, **__: Tensor(),
        add=lambda *_, **__: None,
        matmul=lambda *_: None,
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    found = calibrate(0.001)
    assert found.device == "A GPU"
    assert set(found.peaks) == {"fp16", "bf16", "fp32"}
    assert len(waited) >= 7 * 7
    assert utilization(found, "mine") == []
    assert set(machine(found, "g").peaks) == {"fp16", "bf16", "fp32", "vector"}
