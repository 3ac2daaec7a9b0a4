"""The lab's record: what may stand in it, how repetitions are compared, and the committed one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.lab import LabError, Measured, Record, compare, read, write
from bookcode.lab.__main__ import main
from bookcode.lab.record import text_of
from bookcode.lab.recorded import recorded

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "references" / "measurements" / "lab.json"


def sample() -> Record:
    return Record(
        "2026-11-30",
        {"torch": "2.13.0", "python": "3.12.1"},
        {
            "kernels": Measured("generated kernels", "equal", "1", "1"),
            "names": Measured("their names", "equal", lines=("cpp_fused_cos_sin_0",)),
            "time": Measured("median time", "varies", "3/1000", "s"),
        },
    )


def changed(name: str, **fields: Any) -> Record:
    record = sample()
    return replace(record, results={**record.results, name: replace(record[name], **fields)})


# reading and writing ----------------------------------------------------------------------------
def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lab.json"
    write(path, sample())
    assert read(path) == sample()
    assert [p.name for p in path.parent.iterdir()] == ["lab.json"]


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.fractions(), max_size=5))
def test_any_numbers_come_back(numbers: dict[str, Fraction]) -> None:
    results = {name: Measured("w", "equal", str(v), "B") for name, v in numbers.items()}
    record = Record("2026-01-01", {}, results)
    data = json.loads(text_of(record))
    assert {name: Fraction(r["value"]) for name, r in data["results"].items()} == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"lab\.json:1: not JSON"),
        ("[]", "not a record of format 1"),
        ('{"format": 2}', "not a record of format 1"),
        ('{"format": 1, "versions": {}, "results": {}}', "lacks 'date'"),
        ({"rule": "same", "what": "w", "value": "1", "unit": "1"}, "rule 'same'; known: equal"),
        ({"rule": "equal", "what": "w", "value": "1"}, "a value with its unit, or lines"),
        ({"rule": "equal", "what": "w"}, "a value with its unit, or lines"),
        ({"rule": "equal", "what": "w", "value": "0.1.2", "unit": "1"}, "not an exact number"),
        ({"rule": "equal", "what": "w", "value": "1/0", "unit": "1"}, "not an exact number"),
        ({"rule": "equal", "what": "w", "valeu": "1"}, "valeu"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: Any, message: str) -> None:
    if not isinstance(text, str):
        text = json.dumps({"format": 1, "date": "d", "versions": {}, "results": {"k": text}})
    path = tmp_path / "lab.json"
    path.write_text(text, "utf-8")
    with pytest.raises(LabError, match=message):
        read(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"nowhere\.json: No such file"):
        read(tmp_path / "nowhere.json")


def test_a_missing_result_names_the_nearest() -> None:
    with pytest.raises(LabError, match="did you mean kernels"):
        sample()["kernel"]


# comparing --------------------------------------------------------------------------------------
def test_a_repetition_that_agrees_is_confirmed() -> None:
    assert compare(sample(), changed("time", value="9/1000")) == []


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("kernels", {"value": "2"}, "kernels: recorded 1 1, now 2 1"),
        ("names", {"lines": ("a", "b")}, "names: recorded cpp_fused_cos_sin_0, now a | b"),
        ("time", {"unit": "B"}, "time: declared otherwise"),
        ("kernels", {"rule": "varies"}, "kernels: declared otherwise"),
        ("names", {"lines": (), "value": "1"}, "names: declared otherwise"),
    ],
)
def test_a_repetition_that_differs_is_told(name: str, fields: dict[str, Any], message: str) -> None:
    (difference,) = compare(sample(), changed(name, **fields))
    assert str(difference).startswith(message)


def test_results_may_neither_vanish_nor_appear() -> None:
    less = replace(sample(), results={"kernels": sample()["kernels"]})
    assert [str(d) for d in compare(sample(), less)] == [
        "names: not measured again",
        "time: not measured again",
    ]
    assert [str(d) for d in compare(less, sample())] == [
        "names: not in the record",
        "time: not in the record",
    ]


def test_another_pytorch_confirms_nothing_but_another_python_does() -> None:
    other = replace(sample(), versions={"torch": "2.14.0", "python": "3.12.1"})
    assert [str(d) for d in compare(sample(), other)] == [
        "torch: version 2.14.0, recorded with 2.13.0"
    ]
    assert compare(sample(), replace(sample(), versions={"torch": "2.13.0"})) == []


# the command ------------------------------------------------------------------------------------
def test_the_command_confirms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lab.json"
    assert main(["--write", "--record", str(path)], sample) == 0
    assert main(["--record", str(path)], sample) == 0
    said = capsys.readouterr().out
    assert "lab: 2 results that must be equal, 1 that may differ: all confirmed" in said


def test_the_command_fails_for_another_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lab.json"
    write(path, sample())
    assert main(["--record", str(path)], lambda: changed("kernels", value="3")) == 1
    assert "kernels: recorded 1 1, now 3 1" in capsys.readouterr().out
    assert read(path) == sample()


def test_the_command_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--record", str(tmp_path / "lab.json")], sample) == 2
    assert "No such file" in capsys.readouterr().err


def test_without_pytorch_the_lab_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from bookcode.lab.__main__ import main; sys.exit(main([]))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the lab needs torch: run `nox -s lab`" in done.stderr


# the committed record ---------------------------------------------------------------------------
def test_the_committed_record_is_in_its_own_form() -> None:
    assert text_of(read(COMMITTED)) == COMMITTED.read_text("utf-8")


def test_the_committed_record_is_of_the_pinned_version() -> None:
    pinned = re.search(r"^torch==(.+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    assert pinned is not None
    assert read(COMMITTED).versions["torch"] == pinned[1]


def test_only_what_depends_on_the_machine_may_differ() -> None:
    varies = {name for name, result in read(COMMITTED).results.items() if result.rule == "varies"}
    assert varies == {"sincos.eager.time", "sincos.compiled.time", "gradients.nonzero"}


def test_the_record_by_hand() -> None:
    """Each figure from first principles: 1024 x 1024 elements of 4 bytes; 2 FLOP a multiply-add."""
    results = read(COMMITTED).results
    tensor = 1024 * 1024 * 4
    by_hand = {
        "sincos.eager.bytes": 4 * tensor,
        "sincos.compiled.bytes": 2 * tensor,
        "break.compiled.bytes": 4 * tensor,
        "layernorm.compiled.bytes": 2 * tensor,
        # mean 1, difference 2, square 2, mean 1, product 2; eight vectors of row statistics
        "layernorm.eager.bytes": 8 * tensor + 8 * 1024 * 4,
        "flops.matmul": 2 * 256 * 384 * 512,
        "flops.attention": 2 * 2 * 4 * 256 * 256 * 64,
        "flops.attention.causal": 2 * 2 * 4 * 256 * 256 * 64,
        "flops.attention.backward": 4 * 2 * 4 * 256 * 256 * 64,
        "flops.attention.flash-backward": 5 * 2 * 4 * 256 * 256 * 64,
    }
    assert {name: results[name].number for name in by_hand} == by_hand


def test_cells_read_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOOKCODE_ROOT", str(ROOT))
    assert recorded("break.graphs") == 2
    with pytest.raises(LabError, match="is in words"):
        recorded("graph.dynamo")
    with pytest.raises(LabError, match="did you mean break"):
        recorded("break.graph")
