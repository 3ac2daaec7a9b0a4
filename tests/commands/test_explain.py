from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bookcode.cli import main
from bookcode.commands.explain import RECORDS

NUMBER: dict[str, Any] = {
    "kind": "number", "key": "gemm.flops", "line": 12, "value": "16", "unit": "FLOP",
    "shown": "16 FLOP", "function": "bookcode.ledger.ops.gemm.gemm",
    "place": "bookcode/ledger/ops/gemm.py:12",
    "reached": {"bookcode/ledger/ops/gemm.py::gemm": "h"},
    "rows": {"dtype fp16": "h"}, "facts": [], "parameters": ["machine"],
    "formula": {
        "symbolic": "2 M N K", "substituted": "2 \\cdot 2 \\cdot 2 \\cdot 2", "where": [],
        "symbols": [["M", "rows of A", "2"]],
    },
}  # fmt: skip
CLAIM: dict[str, Any] = {
    "kind": "claim", "key": "gemm.claim", "line": 14, "holds": True, "parameters": [],
    "explanation": "gemm.flops = 16 FLOP", "wordings": {"en": ["small"]},
}  # fmt: skip


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "conf.py").touch()
    (tmp_path / "book").mkdir()
    uses = [{"role": "num", "key": "gemm.flops", "line": 30, "context": "table"}]
    page = {"source": "book/x/index.md", "records": [NUMBER, CLAIM], "uses": uses}
    path = tmp_path / RECORDS
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"pages": {"x/index": page}}), "utf-8")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.usefixtures("book")
def test_a_number_is_explained_down_to_the_ledger_line() -> None:
    result = CliRunner().invoke(main, ["explain", "gemm.flops"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    for text in (
        "book/x/index.md:12", "2 M N K", "M: rows of A, here 2", "bookcode/ledger/ops/gemm.py:12",
        "dtype fp16", "machine", "book/x/index.md:30 (table)",
    ):  # fmt: skip
        assert text in result.output


@pytest.mark.usefixtures("book")
def test_a_claim_is_explained_with_its_values_and_words() -> None:
    result = CliRunner().invoke(main, ["explain", "gemm.claim"], env={"COLUMNS": "200"})
    assert "gemm.flops = 16 FLOP" in result.output
    assert "small" in result.output


@pytest.mark.usefixtures("book")
def test_json_gives_the_record_with_its_places() -> None:
    result = CliRunner().invoke(main, ["explain", "--json", "gemm.flops"])
    data = json.loads(result.output)
    assert data["value"] == "16"
    assert data["places"] == ["book/x/index.md:30 (table)"]


@pytest.mark.usefixtures("book")
def test_an_unknown_key_names_the_nearest() -> None:
    result = CliRunner().invoke(main, ["explain", "gemm.flop"])
    assert result.exit_code == 1
    assert "no number or claim 'gemm.flop'; did you mean gemm.flops" in result.output


def test_without_a_built_book_it_says_what_to_run(book: Path) -> None:
    book.unlink()
    result = CliRunner().invoke(main, ["explain", "gemm.flops"])
    assert result.exit_code == 1
    assert "nox -s html" in result.output


def test_an_unknown_command_names_the_nearest() -> None:
    result = CliRunner().invoke(main, ["verfy"])
    assert result.exit_code == 2
    assert "no command 'verfy'; did you mean verify?" in result.output
