"""The seam to myst-nb: its notebooks are run by :mod:`bookcode.execution.runner`.

myst-nb chooses an execution client in one call, ``create_client`` of its Sphinx parser module;
:func:`install` puts another function there. What of myst-nb this relies on is spelt out in
:func:`check_seam`, which runs at installation.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol

import myst_nb.sphinx_
import nbformat
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute.base import ExecutionError, NotebookClientBase
from myst_nb.core.execute.direct import NotebookClientDirect
from myst_nb.core.loggers import LoggerType
from nbformat import NotebookNode

from bookcode.execution.errors import SeamError
from bookcode.execution.model import Cell, Dependencies, Failure, Limits, RunResult
from bookcode.execution.runner import can_fork, run_cells
from bookcode.execution.source_lines import first_line

Callback = Callable[[Path | None, NotebookNode, RunResult, Sequence[Cell]], None]

LANGUAGE_INFO: Final = {
    "name": "python",
    "mimetype": "text/x-python",
    "codemirror_mode": {"name": "ipython", "version": 3},
    "pygments_lexer": "ipython3",
    "nbconvert_exporter": "python",
    "file_extension": ".py",
}
"""What a kernel says of itself, without the version: pages are the same for every patch release."""

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ORIGINAL: Final = myst_nb.sphinx_.create_client
_TAIL = 8


class Runner(Protocol):
    """What runs the cells of a page: :func:`bookcode.execution.run_cells` or a stand-in."""

    def __call__(
        self,
        cells: Sequence[Cell],
        *,
        cwd: Path,
        limits: Limits,
        project_roots: Sequence[Path],
        env: Mapping[str, str] | None = None,
        exclude: Sequence[Path] = (),
    ) -> RunResult: ...


_runner: Runner = run_cells


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """How the chapters of a project run.

    ``exclude`` names output folders below the roots: nothing in them is a dependency. ``page_env``
    gives further environment variables for the page of a file.
    """

    project_roots: Sequence[Path]
    limits: Limits
    env: Mapping[str, str] = field(default_factory=dict)
    exclude: Sequence[Path] = ()
    page_env: Callable[[Path], Mapping[str, str]] | None = None

    def environment(self, path: Path | None) -> dict[str, str]:
        """The environment variables of a page."""
        own = self.page_env(path) if self.page_env is not None and path is not None else {}
        return {**self.env, **own}


def install(callback: Callback, settings: ExecutionSettings) -> None:
    """Run every notebook through our runner, unless its execution mode is ``off``.

    :param callback: called after each run with the path, the notebook with its outputs, the
        result and the cells that ran, in the process that reads the page.
    :raises SeamError: when this myst-nb is not as expected.
    """
    check_seam()

    def create_client(
        notebook: NotebookNode,
        source: str,
        nb_config: NbParserConfig,
        logger: LoggerType,
        read_fmt: dict[str, Any] | None = None,
    ) -> NotebookClientBase:
        path = _existing(source)
        if nb_config.execution_mode == "off" or _is_excluded(path, nb_config):
            return _ORIGINAL(notebook, source, nb_config, logger, read_fmt)
        kind = ForkClient if can_fork() and _is_python(notebook) else KernelClient
        return kind(notebook, path, nb_config, logger, callback=callback, settings=settings)

    myst_nb.sphinx_.create_client = create_client


def run_with(runner: Runner) -> None:
    """Have notebooks run by ``runner`` from now on, one that remembers results say."""
    global _runner
    _runner = runner


@contextlib.contextmanager
def without_copies() -> Iterator[None]:
    """Have myst-nb not write out, as it otherwise does, a copy of each notebook that ran.

    Putting it into JSON takes as long as the rest of reading a page; the copy of a page that is
    read so is empty.
    """
    kept, nbformat.writes = nbformat.writes, lambda *_, **__: "{}"
    try:
        yield
    finally:
        nbformat.writes = kept


def forks_here() -> bool:
    """Whether this process itself forks to run cells, and so should import what they need."""
    return _runner is run_cells and can_fork()


def uninstall() -> None:
    """Give myst-nb its own clients back."""
    myst_nb.sphinx_.create_client = _ORIGINAL


def check_seam() -> None:
    """See that myst-nb still has the names, signatures and call that this module replaces.

    :raises SeamError: naming what is different.
    """
    wanted = ["notebook", "source", "nb_config", "logger", "read_fmt"]
    found = list(inspect.signature(_ORIGINAL).parameters)
    if found != wanted:
        raise SeamError(f"myst-nb's create_client takes {found}, not {wanted}")
    wanted = ["self", "notebook", "path", "nb_config", "logger", "kwargs"]
    found = list(inspect.signature(NotebookClientBase.__init__).parameters)
    if found != wanted:
        raise SeamError(f"myst-nb's NotebookClientBase takes {found}, not {wanted}")
    for name in ("start_client", "exec_metadata", "cell_line", "code_cell_outputs"):
        if not hasattr(NotebookClientBase, name):
            raise SeamError(f"myst-nb's NotebookClientBase has no {name}")
    if "self.start_client()" not in inspect.getsource(NotebookClientBase.__enter__):
        raise SeamError("myst-nb's NotebookClientBase does not start its client on entry")
    if "with create_client(" not in inspect.getsource(myst_nb.sphinx_.Parser.parse):
        raise SeamError("myst-nb's parser does not enter create_client(...) as a context")


class _CallbackClient(NotebookClientBase):  # type: ignore[misc]
    """What the two clients share: the cells, the report, and metadata without a clock."""

    def _cells(self) -> list[tuple[Cell, NotebookNode]]:
        """The cells to run, with their nodes; as for a kernel, not the empty and skipped ones."""
        text = self.path.read_text("utf-8") if self.path is not None else ""
        lines = text.splitlines()
        found = []
        for index, node in enumerate(self.notebook.cells):
            if node.cell_type != "code" or not node.source.strip():
                continue
            tags = node.metadata.get("tags", [])
            if "skip-execution" in tags:
                continue
            may_raise = self.nb_config.execution_allow_errors or "raises-exception" in tags
            line = first_line(lines, self.cell_line(index), node.source)
            found.append((Cell(node.source, line, index, may_raise), node))
        return found

    def _report(self, cells: Sequence[Cell], result: RunResult) -> None:
        for index, node in enumerate(self.notebook.cells):
            if "id" in node:  # the reader of text notebooks draws them at random
                node["id"] = f"cell-{index}"
        failure = result.failure
        self.exec_metadata = {
            "mtime": 0.0,
            "runtime": None,
            "method": self.nb_config.execution_mode,
            "succeeded": failure is None,
            "error": None if failure is None else failure.ename,
            "traceback": None,
        }
        if failure is not None:
            line = failure.line or failure.cell_line
            message = failure_message(self.path, cells, failure)
            self.logger.error(message, subtype="exec", line=line)
        self._kwargs["callback"](self.path, self.notebook, result, cells)
        if failure is not None and self.nb_config.execution_raise_on_error:
            raise ExecutionError(str(self.path))

    @contextlib.contextmanager
    def _working_folder(self) -> Iterator[Path]:
        if self.nb_config.execution_in_temp or self.path is None:
            with tempfile.TemporaryDirectory() as folder:
                yield Path(folder)
        else:
            yield self.path.parent.absolute()


class ForkClient(_CallbackClient):
    """Runs the cells in a forked copy of this process."""

    def start_client(self) -> None:
        """Run the cells and fill the notebook."""
        settings: ExecutionSettings = self._kwargs["settings"]
        pairs = self._cells()
        cells = [cell for cell, _ in pairs]
        with self._working_folder() as cwd:
            result = _runner(
                cells,
                cwd=cwd,
                limits=settings.limits,
                project_roots=settings.project_roots,
                env=settings.environment(self.path),
                exclude=settings.exclude,
            )
        for (_, node), outputs, count in zip(
            pairs, result.outputs, result.execution_counts, strict=True
        ):
            node.outputs = [_node(output) for output in outputs]
            node.execution_count = count
        self.notebook.metadata["language_info"] = _node(LANGUAGE_INFO)
        self._report(cells, replace(result, dependencies=self._with_loaded(result, pairs)))

    def _with_loaded(
        self, result: RunResult, pairs: Sequence[tuple[Cell, NotebookNode]]
    ) -> Dependencies | None:
        """The dependencies with the files that cells take their own source from (``:load:``)."""
        found = result.dependencies
        if found is None or self.path is None:
            return found
        names = [node.metadata["load"] for _, node in pairs if "load" in node.metadata]
        folder = self.path.parent
        loaded = {Path(os.path.normpath(folder.absolute() / name)) for name in names}
        return replace(found, files=found.files | loaded)


class KernelClient(_CallbackClient, NotebookClientDirect):  # type: ignore[misc]
    """Runs the cells in an ordinary kernel, where nobody sees what they read."""

    def start_client(self) -> None:
        """Run the cells as myst-nb does."""
        pairs = self._cells()
        cells = [cell for cell, _ in pairs]
        settings: ExecutionSettings = self._kwargs["settings"]
        with _environment(settings.environment(self.path)):
            NotebookClientDirect.start_client(self)
        metadata = self.exec_metadata
        result = RunResult(
            outputs=[list(node.outputs) for _, node in pairs],
            execution_counts=[node.execution_count for _, node in pairs],
            failure=None if metadata["succeeded"] else _kernel_failure(pairs, metadata),
            dependencies=None,
            seconds=metadata["runtime"] or 0.0,
        )
        self._report(cells, result)


@contextlib.contextmanager
def _environment(added: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for a while: a kernel inherits those that are set at its start."""
    kept = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def failure_message(path: Path | None, cells: Sequence[Cell], failure: Failure) -> str:
    """One message for a failed chapter: where, what, and the last lines of the traceback."""
    name = path.name if path is not None else "the chapter"
    chapter = f"{path.parent.name}/{name}" if path is not None else name
    number = 1 + [cell.index for cell in cells].index(failure.cell_index)
    line = failure.line or failure.cell_line
    where = f"{chapter}:{line}" if failure.line else f"{chapter}, in the cell at line {line}"
    # the last line of a traceback says again what the first line of this message says
    said = f"{failure.ename}: {failure.evalue}".rstrip()
    lines = failure.traceback
    shown = [text for text in lines if text.strip() and text.strip() != said][-_TAIL:]
    what = f"code cell {number} of {len(cells)} failed ({failure.kind}) at {where}: {said}"
    return "\n    ".join([what, *shown])


def _kernel_failure(
    pairs: Sequence[tuple[Cell, NotebookNode]], metadata: Mapping[str, Any]
) -> Failure:
    """What an ordinary kernel tells of the cell that failed: the last one that ran."""
    ran = [pair for pair in pairs if pair[1].execution_count is not None] or list(pairs[:1])
    cell, node = ran[-1]
    errors = [output for output in node.outputs if output.output_type == "error"]
    text = "\n".join(errors[-1].traceback) if errors else metadata["traceback"] or ""
    ename = errors[-1].ename if errors else metadata["error"]
    evalue = errors[-1].evalue if errors else "the kernel gave no answer"
    kind: Any = "timeout" if metadata["error"] == "CellTimeoutError" else "error"
    lines = _ANSI.sub("", text).splitlines()
    return Failure(cell.index, cell.line, None, kind, ename, evalue, lines)


def _node(value: Mapping[str, Any]) -> NotebookNode:
    node: NotebookNode = nbformat.from_dict(value)  # type: ignore[no-untyped-call]
    return node


def _existing(source: str) -> Path | None:
    try:
        return Path(source) if Path(source).is_file() else None
    except OSError:  # a name such as "<string>" that some systems refuse
        return None


def _is_excluded(path: Path | None, nb_config: NbParserConfig) -> bool:
    if path is None:
        return False
    posix = PurePosixPath(path.as_posix())
    return any(posix.match(pattern) for pattern in nb_config.execution_excludepatterns)


def _is_python(notebook: NotebookNode) -> bool:
    language = notebook.metadata.get("kernelspec", {}).get("language", "python")
    return str(language).lower() == "python"
