"""Runs a page's cells through :mod:`bookcode.execution` and keeps what they published and read."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from bookcode.execution import (
    PRELOAD,
    Cell,
    Limits,
    RunResult,
    changed,
    fingerprint,
    preload,
)
from bookcode.execution.client import ExecutionSettings, forks_here, install
from bookcode.numbers.edition import LANGUAGE, LOCALE, PAGE, SOURCE
from bookcode.numbers.records import MIME, load
from bookcode.sphinxext.cell_lines import install_lines
from bookcode.sphinxext.progress import add_progress
from bookcode.sphinxext.state import Placed, locale_of, page, pages, root
from bookcode.words import short

logger = logging.getLogger(__name__)
FONT_MODULES = (
    "fontTools.fontBuilder",
    "fontTools.ttLib.tables._c_m_a_p",
    "fontTools.ttLib.tables._n_a_m_e",
    "fontTools.ttLib.tables.otTables",
)
"""What figures with Chinese words make their font of squares with; others have no use for it."""


def install_execution(app: Sphinx) -> None:
    """Make myst-nb run every notebook of this build through us, and tell how far it is."""
    add_progress(app)
    modules = FONT_MODULES if short(app.config.language or SOURCE) == "zh" else ()
    if forks_here():
        preload(*modules)
    install_lines()
    # myst-nb would put this folder beside the output folder, which is inside the site
    folder = str(Path(app.doctreedir) / "jupyter_execute")
    app.env.mystnb_config = app.env.mystnb_config.copy(output_folder=folder)  # type: ignore[attr-defined]
    limits = Limits(
        seconds=app.config.bookcode_time_limit,
        memory_bytes=app.config.bookcode_memory_limit * 2**20,
    )
    environment = {
        name: os.environ[name] for name in ("BOOKCODE_CHECK_POINTS",) if name in os.environ
    }
    environment["BOOKCODE_ROOT"] = str(root(app))
    environment[PRELOAD] = " ".join(modules)
    environment[LANGUAGE] = app.config.language or SOURCE
    environment[LOCALE] = str(locale_of(app))
    _import_from(root(app), environment)
    settings = ExecutionSettings(
        project_roots=[root(app)],
        limits=limits,
        env=environment,
        exclude=[Path(app.outdir), Path(app.doctreedir)],
        page_env=lambda path: {PAGE: app.env.path2doc(path) or ""},
    )

    def ran(
        path: Path | None, notebook: NotebookNode, result: RunResult, cells: Sequence[Cell]
    ) -> None:
        keep(app, notebook, result, cells)

    install(ran, settings)


def _import_from(folder: Path, environment: dict[str, str]) -> None:
    """Let cells import the project's packages: those of a fork, and those of a kernel."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    before = os.environ.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), before]))


def keep(app: Sphinx, notebook: NotebookNode, result: RunResult, cells: Sequence[Cell]) -> None:
    """Store the records in a notebook's outputs, and what its run looked at."""
    entry = page(app.env, app.env.docname)
    lines = {cell.index: cell.line for cell in cells}
    for index, node in enumerate(notebook.cells):
        for output in node.get("outputs", []):
            data: Any = output.get("data", {}).get(MIME)
            if data is None:
                continue
            for record in load(data):
                entry.records.append(Placed(record, lines.get(index, 1) + max(record.line, 1) - 1))
    entry.failed = entry.failed or result.failure is not None
    known = result.dependencies
    entry.fingerprint = None if known is None else fingerprint(known, root(app))


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], altered: set[str], removed: set[str]
) -> list[str]:
    """Pages whose cells would now see something else, failed, or cannot be judged."""
    again = []
    for docname, entry in pages(env).items():
        if entry.failed or entry.fingerprint is None:
            again.append(docname)
        elif differing := changed(entry.fingerprint, root(app)):
            again.append(docname)
            logger.debug("%s is read again: %s changed", docname, ", ".join(differing[:5]))
    return again
