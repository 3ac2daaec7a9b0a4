"""The commands: tables for people, records for machines, and nothing overwritten by accident."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from bookcode.reality import commands
from bookcode.reality.calibrate import Calibration
from bookcode.reality.survey import Survey
from bookcode.reality.timing import Rate
from bookcode.reality.utilization import Tried

ROOT = Path(__file__).parents[2]
TRIED = Tried("add", "fp32", 1e6, 12e6, 1e-3, 0.02, 5e-4)


@pytest.fixture
def calibration(monkeypatch: pytest.MonkeyPatch) -> Calibration:
    """A machine that is measured in no time."""
    rates = (100e9, 99e9, 100e9, 98e9, 100e9, 99e9, 100e9)
    mixes = ("read", "write", "copy", "triad")
    found = Calibration(
        "A CPU",
        {mix: Rate(f"memory, {mix}", "B/s", rates) for mix in mixes},
        {"fp32": Rate("product", "FLOP/s", rates)},
        {"threads": 2},
    )
    monkeypatch.setattr(commands, "calibrate", lambda _: found)
    monkeypatch.setattr(commands, "utilization", lambda *_: [TRIED])
    return found


def test_measure_writes_a_profile_and_prints_shares(
    calibration: Calibration, tmp_path: Path
) -> None:
    run = CliRunner().invoke(commands.measure_command, [str(tmp_path), "--name", "mine"])
    assert run.exit_code == 0
    assert "add: 1.000 ms, 50.0% of the roof" in run.output
    assert (tmp_path / "mine.toml").exists()
    record = json.loads((tmp_path / "mine.record.json").read_text("utf-8"))
    assert record["steady"]
    assert [one["name"] for one in record["operators"]] == ["add"]


def test_measure_does_not_overwrite(calibration: Calibration, tmp_path: Path) -> None:
    arguments = [str(tmp_path), "--name", "mine"]
    CliRunner().invoke(commands.measure_command, arguments)
    again = CliRunner().invoke(commands.measure_command, arguments)
    assert again.exit_code == 1
    assert "--force" in again.output
    assert CliRunner().invoke(commands.measure_command, [*arguments, "--force"]).exit_code == 0


def test_measure_under_bad_conditions_says_so_and_fails(
    calibration: Calibration, tmp_path: Path
) -> None:
    calibration.bandwidths["copy"] = Rate("memory, copy", "B/s", (100, 50, 100, 50, 100, 50, 100))
    run = CliRunner().invoke(commands.measure_command, [str(tmp_path)])
    assert run.exit_code == 1
    assert "not steady: memory, copy" in run.output


def test_reality_prints_tables_and_records(
    surveyed: Survey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(commands, "survey", lambda _: surveyed)
    monkeypatch.setattr(commands, "project_root", lambda: ROOT)
    monkeypatch.setattr(commands, "RECORD", tmp_path / "counts.json")
    # A relative path in the project would be written into the project itself.
    monkeypatch.setattr(commands.page_record, "RECORD", tmp_path / "reality.json")
    shutil.copy(ROOT / "references/measurements/reality.json", tmp_path / "reality.json")
    run = CliRunner().invoke(commands.reality_command, ["--write"])
    assert run.exit_code == 0, run.output
    for text in ("526086 rows", "keys only", "Published tables", "Other people's counters"):
        assert text in run.output
    written = json.loads((tmp_path / "counts.json").read_text("utf-8"))
    assert (
        written["measured"]
        == json.loads((ROOT / "bookcode/reality/counts.json").read_text("utf-8"))["measured"]
    )
    page = (tmp_path / "reality.json").read_text("utf-8")
    assert page == (ROOT / "references/measurements/reality.json").read_text("utf-8")
    as_json = CliRunner().invoke(commands.reality_command, ["--json"])
    assert json.loads(as_json.output)["measured"]["rows"] == 526086


def test_reality_without_its_sources_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(commands, "project_root", lambda: ROOT)
    monkeypatch.setenv("BOOKCODE_SOURCES", str(tmp_path))
    run = CliRunner().invoke(commands.reality_command, [])
    assert run.exit_code == 1
    assert "sources sync" in run.output
