"""Chapters through a real Sphinx and myst-nb."""

from __future__ import annotations

import json
import os
import pickle
import textwrap
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import myst_nb.sphinx_
import pytest
from myst_nb.core.execute.base import NotebookClientBase
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.util.console import strip_escape_sequences
from sphinx.util.docutils import docutils_namespace, patch_docutils

from bookcode.execution import Cell, Failure, Limits, RunResult, SeamError
from bookcode.execution.client import (
    ExecutionSettings,
    check_seam,
    failure_message,
    install,
    uninstall,
)

# no search index, no theme: what is looked at here is the cells
CONF = "extensions = ['myst_nb']\nhtml_theme = 'basic'\nhtml_use_index = False\n"
HEAD = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n"
FAILING = """
    # Failing

    Text.

    ```{code-cell}
    print("before")
    ```

    ```{code-cell}
    :tags: [hide-input]

    x = 1
    y = x / 0
    ```

    ```{code-cell}
    print("never")
    ```
    """


class Book:
    """A tiny book and what its builds report."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "book"
        self.source.mkdir()
        self.out = folder / "out"
        self.log = folder / "log"
        self.log.mkdir()
        self.warnings = ""
        self.write("index", "# Book\n\n```{toctree}\n:glob:\n\nchapters/*\n```\n", head="")
        (self.source / "conf.py").write_text(CONF, "utf-8")

    def write(self, name: str, text: str, head: str = HEAD) -> Path:
        path = self.source / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(head + textwrap.dedent(text).lstrip("\n"), "utf-8")
        return path

    def build(self, *, parallel: int = 1, seconds: float = 20, **config: Any) -> Sphinx:
        settings = ExecutionSettings([self.source], Limits(seconds, 1 << 30), {"BOOK": "mine"})
        install(self._note, settings)
        warnings = StringIO()
        with docutils_namespace(), patch_docutils(self.source):
            app = Sphinx(
                self.source,
                self.source,
                self.out / "html",
                self.out / "doctrees",
                "html",
                confoverrides={"nb_execution_mode": "force", **config},
                status=None,
                warning=warnings,
                freshenv=True,
                parallel=parallel,
            )
            app.build()
        self.warnings = strip_escape_sequences(warnings.getvalue())
        return app

    def _note(
        self, path: Path | None, notebook: NotebookNode, result: RunResult, cells: Sequence[Cell]
    ) -> None:
        # a file, for it is called in whichever process reads the page
        assert path is not None
        (self.log / path.stem).write_bytes(pickle.dumps((result, list(cells), os.getpid())))

    def noted(self, name: str) -> tuple[RunResult, list[Cell], int]:
        result, cells, process = pickle.loads((self.log / name).read_bytes())
        return result, cells, process

    def html(self, name: str) -> str:
        return (self.out / "html" / f"{name}.html").read_text("utf-8")

    def notebook(self, name: str) -> dict[str, Any]:
        path = self.out / "jupyter_execute" / f"{name}.ipynb"
        notebook: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return notebook


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    yield Book(tmp_path)
    uninstall()


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_book_is_built(book: Book, parallel: int) -> None:
    (book.source / "chapters").mkdir()
    (book.source / "chapters" / "helper.py").write_text("VALUE = 6\n", "utf-8")
    chapters = range(6 if parallel > 1 else 2)  # Sphinx forks no readers for fewer
    for number in chapters:
        book.write(
            f"chapters/c{number}",
            f"""
            # Chapter {number}

            ```{{code-cell}}
            import os
            import matplotlib.pyplot as plt
            from helper import VALUE
            print(os.environ["BOOK"], os.path.basename(os.getcwd()))
            VALUE * 7 + {number}
            ```

            ```{{code-cell}}
            plt.figure(figsize=(1, 1))
            plt.plot([1, 2]);
            ```
            """,
        )
    book.build(parallel=parallel)
    assert book.warnings == ""
    processes = set()
    for number in chapters:
        html = book.html(f"chapters/c{number}")
        assert "mine chapters" in html
        assert f">{42 + number}\n<" in html
        assert ".png" in html
        result, cells, process = book.noted(f"c{number}")
        processes.add(process)
        assert result.failure is None
        assert [cell.line for cell in cells] == [10, 18]
        assert result.dependencies is not None
        assert book.source / "chapters" / "helper.py" in result.dependencies.files
    assert (os.getpid() in processes) == (parallel == 1)
    notebook = book.notebook("chapters/c0")
    assert notebook["metadata"]["language_info"]["pygments_lexer"] == "ipython3"
    assert [cell["execution_count"] for cell in notebook["cells"][1:]] == [1, 2]


def test_execution_data_hold_no_clock(book: Book) -> None:
    book.write("chapters/a", "# A\n\n```{code-cell}\n1\n```\n")
    app = book.build()
    metadata: Any = app.env
    assert metadata.nb_metadata["chapters/a"]["exec_data"] == {
        "mtime": 0.0,
        "runtime": None,
        "method": "force",
        "succeeded": True,
        "error": None,
        "traceback": None,
    }


@pytest.mark.parametrize("parallel", [1, 2])
def test_a_failing_cell_is_one_readable_error(book: Book, parallel: int) -> None:
    for number in range(6 if parallel > 1 else 1):
        book.write(f"chapters/ok{number}", "# Fine\n\n```{code-cell}\n1\n```\n")
    path = book.write("chapters/bad", FAILING)
    book.build(parallel=parallel)
    lines = path.read_text("utf-8").splitlines()
    number = lines.index("y = x / 0") + 1
    first, *rest = book.warnings.splitlines()
    assert first.startswith(f"{path}:{number}: ERROR: code cell 2 of 3 failed (error) at ")
    assert first.endswith(f"chapters/bad.md:{number}: ZeroDivisionError: division by zero")
    assert book.warnings.count("ERROR") == 1
    assert "WARNING" not in book.warnings
    assert any("----> 2 y = x / 0" in line for line in rest)
    cells = [cell for cell in book.notebook("chapters/bad")["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [1, 2, None]
    assert cells[2]["outputs"] == []
    assert "before" in book.html("chapters/bad")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("while True: pass", "timeout"),
        ("import os; os._exit(1)", "died"),
        ("bytearray(1 << 40)", "memory"),
    ],
)
def test_other_failures_are_errors_too(book: Book, source: str, kind: str) -> None:
    book.write("chapters/bad", f"# Bad\n\n```{{code-cell}}\n{source}\n```\n")
    # only the endless cell needs a short limit: the others must end first, on a busy machine too
    book.build(seconds=0.4 if kind == "timeout" else 60)
    assert f"ERROR: code cell 1 of 1 failed ({kind}) at " in book.warnings
    result, _, _ = book.noted("bad")
    assert result.failure is not None
    assert result.failure.kind == kind


def test_cells_tagged_to_raise_or_to_be_skipped(book: Book) -> None:
    book.write(
        "chapters/a",
        """
        # A

        ```{code-cell}
        :tags: [raises-exception]
        1 / 0
        ```

        ```{code-cell}
        :tags: [skip-execution]
        print("skip" + "ped")
        ```

        ```{code-cell}
        print("last")
        ```
        """,
    )
    book.build()
    assert book.warnings == ""
    html = book.html("chapters/a")
    assert "ZeroDivisionError" in html
    assert "skipped" not in html
    cells = book.notebook("chapters/a")["cells"]
    assert [cell.get("execution_count") for cell in cells] == [None, 1, None, 2]
    _, run_cells, _ = book.noted("a")
    assert [(cell.index, cell.may_raise) for cell in run_cells] == [(1, True), (3, False)]


def test_errors_can_be_allowed_for_a_whole_notebook(book: Book) -> None:
    head = HEAD.replace("kernelspec", "mystnb:\n  execution_allow_errors: true\nkernelspec")
    book.write("chapters/a", "# A\n\n```{code-cell}\n1 / 0\n```\n", head=head)
    book.build()
    assert book.warnings == ""
    assert "ZeroDivisionError" in book.html("chapters/a")


def test_raising_on_an_error_can_be_asked_for(book: Book) -> None:
    book.write("chapters/bad", FAILING)
    with pytest.raises(Exception, match=r"bad\.md"):
        book.build(nb_execution_raise_on_error=True)
    assert book.noted("bad")[0].failure is not None


@pytest.mark.parametrize(
    "config", [{"nb_execution_mode": "off"}, {"nb_execution_excludepatterns": ["chapters/*"]}]
)
def test_notebooks_that_are_not_to_run_do_not(book: Book, config: dict[str, Any]) -> None:
    book.write("chapters/a", "# A\n\n```{code-cell}\nprint(6 * 7)\n```\n")
    book.build(**config)
    assert "42" not in book.html("chapters/a")
    assert list(book.log.iterdir()) == []


@pytest.mark.parametrize("mode", ["auto", "cache", "inline"])
def test_every_other_mode_runs_afresh(book: Book, mode: str) -> None:
    data = book.source / "data.txt"
    book.write("chapters/a", "# A\n\n```{code-cell}\nprint(open('../data.txt').read())\n```\n")
    for content in ("first", "second"):
        data.write_text(content, "utf-8")
        book.build(nb_execution_mode=mode)
        assert content in book.html("chapters/a")
    assert not list(book.source.rglob(".jupyter_cache"))


def test_a_temporary_working_folder_can_be_asked_for(book: Book) -> None:
    book.write("chapters/a", "# A\n\n```{code-cell}\nimport os\nprint(os.listdir())\n```\n")
    book.build(nb_execution_in_temp=True)
    assert "[]" in book.html("chapters/a")


def test_source_loaded_from_a_file_is_a_dependency(book: Book) -> None:
    book.write("chapters/a", "# A\n\n```{code-cell}\n:load: ../shared.py\n```\n")
    (book.source / "shared.py").write_text("print(6 * 7)", "utf-8")
    book.build()
    assert "42" in book.html("chapters/a")
    result, _, _ = book.noted("a")
    assert result.dependencies is not None
    assert book.source / "shared.py" in result.dependencies.files


def test_two_builds_give_the_same_bytes(book: Book, tmp_path: Path) -> None:
    book.write(
        "chapters/a",
        """
        # A

        ```{code-cell}
        import random, warnings
        print(random.random())
        warnings.warn("careful")
        ```

        ```{code-cell}
        :tags: [raises-exception]
        import json
        json.loads("{")
        ```
        """,
    )

    def files() -> dict[str, bytes]:
        found = {}
        for folder in ("html/chapters", "jupyter_execute"):
            for path in sorted((book.out / folder).rglob("*")):
                if path.is_file():
                    found[path.relative_to(book.out).as_posix()] = path.read_bytes()
        return found

    book.build()
    first = files()
    book.out = tmp_path / "another" / "out"
    book.build()
    assert files() == first
    assert len(first) >= 2


def without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bookcode.execution.client.can_fork", lambda: False)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_without_fork_an_ordinary_kernel_runs_the_cells(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fork(monkeypatch)
    path = book.write("chapters/bad", FAILING)
    app = book.build()
    environment: Any = app.env
    result, cells, _ = book.noted("bad")
    assert result.dependencies is None
    assert [len(outputs) for outputs in result.outputs] == [1, 1, 0]
    assert result.failure is not None
    assert (result.failure.kind, result.failure.ename) == ("error", "ZeroDivisionError")
    assert result.failure.cell_index == cells[1].index
    assert f"{path}:{cells[1].line}: ERROR: code cell 2 of 3 failed (error)" in book.warnings
    data = environment.nb_metadata["chapters/bad"]["exec_data"]
    assert (data["mtime"], data["runtime"], data["traceback"]) == (0.0, None, None)
    assert data["succeeded"] is False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_ordinary_kernel_gets_the_environment_too(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_fork(monkeypatch)
    monkeypatch.delenv("BOOK", raising=False)
    book.write("chapters/told", "```{code-cell}\nimport os\nprint(os.environ['BOOK'])\n```\n")
    book.build()
    result, _, _ = book.noted("told")
    assert result.outputs[0][0]["text"] == "mine\n"
    assert "BOOK" not in os.environ


def test_the_seam_is_as_we_know_it() -> None:
    check_seam()
    assert myst_nb.sphinx_.create_client.__module__ == "myst_nb.core.execute"


def other_signature(notebook: object, path: object) -> None:
    """Stands for a create_client of another version."""


@pytest.mark.parametrize(
    ("target", "replacement", "message"),
    [
        ("bookcode.execution.client._ORIGINAL", other_signature, "create_client takes"),
        ("myst_nb.sphinx_.Parser.parse", other_signature, "does not enter create_client"),
    ],
)
def test_a_seam_that_moved_is_named(
    monkeypatch: pytest.MonkeyPatch, target: str, replacement: Callable[..., None], message: str
) -> None:
    monkeypatch.setattr(target, replacement)
    with pytest.raises(SeamError, match=message):
        check_seam()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("start_client", "NotebookClientBase has no start_client"),
        ("exec_metadata", "NotebookClientBase has no exec_metadata"),
        ("cell_line", "NotebookClientBase has no cell_line"),
    ],
)
def test_a_client_that_lost_a_method_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, message: str
) -> None:
    monkeypatch.delattr(NotebookClientBase, name)
    with pytest.raises(SeamError, match=message):
        check_seam()


def test_a_client_that_starts_elsewhere_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NotebookClientBase, "__enter__", other_signature)
    with pytest.raises(SeamError, match="does not start its client on entry"):
        check_seam()


def test_a_client_made_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NotebookClientBase, "__init__", other_signature)
    with pytest.raises(SeamError, match="NotebookClientBase takes"):
        check_seam()


def test_the_message_of_a_failure_nobody_can_place() -> None:
    cells = [Cell("1", 4, 0), Cell("2", 9, 3)]
    failure = Failure(3, 9, None, "died", "ProcessDied", "ended by SIGKILL", [])
    assert failure_message(Path("book/01-x/index.md"), cells, failure) == (
        "code cell 2 of 2 failed (died) at 01-x/index.md, in the cell at line 9: "
        "ProcessDied: ended by SIGKILL"
    )
