"""Running cells in a throw-away project."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bookcode.execution import Cell, Limits, RunResult, preload, run_cells

Runner = Callable[..., RunResult]
MIB = 1 << 20


@pytest.fixture(scope="session", autouse=True)
def _preloaded() -> None:
    preload()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def run(project: Path) -> Runner:
    """Runs sources as cells that begin at lines 10, 20, 30 …"""

    def run(
        *sources: str,
        seconds: float = 20,
        memory: int = 1024 * MIB,
        may_raise: bool = False,
        **options: Any,
    ) -> RunResult:
        cells = [
            Cell(textwrap.dedent(source).strip("\n"), 10 * number, number, may_raise)
            for number, source in enumerate(sources, 1)
        ]
        return run_cells(
            cells,
            cwd=options.pop("cwd", project),
            limits=Limits(seconds, memory),
            project_roots=options.pop("project_roots", [project]),
            **options,
        )

    return run


@pytest.fixture
def text() -> Callable[[RunResult], str]:
    """What the cells of a run printed and showed, in order."""

    def text(result: RunResult) -> str:
        pieces = []
        for output in (output for outputs in result.outputs for output in outputs):
            if output["output_type"] == "stream":
                pieces.append(output["text"])
            elif output["output_type"] == "error":
                pieces.append(output["ename"])
            else:
                pieces.append(output["data"].get("text/plain", ""))
        return "".join(pieces)

    return text
