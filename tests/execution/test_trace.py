from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bookcode.execution import Dependencies, RunResult, changed, fingerprint

Runner = Callable[..., RunResult]
Text = Callable[[RunResult], str]


@pytest.fixture
def book(project: Path) -> Path:
    """A project whose chapter lies in a folder of its own."""
    for name in ("chapter", "pkg/inner", "data"):
        (project / name).mkdir(parents=True)
    (project / "pkg" / "__init__.py").touch()
    (project / "pkg" / "inner" / "__init__.py").touch()
    (project / "pkg" / "inner" / "deep.py").write_text("VALUE = 1\n", "utf-8")
    (project / "pkg" / "outer.py").write_text("from pkg.inner import deep\n", "utf-8")
    (project / "data" / "a.csv").write_text("1,2", "utf-8")
    return project


@pytest.fixture
def seen(run: Runner, book: Path) -> Callable[..., dict[str, set[str]]]:
    """What cells in the chapter's folder looked at, relative to the project."""

    def seen(*sources: str, **options: object) -> dict[str, set[str]]:
        setup = f"import sys; sys.path.append({str(book)!r})"
        result = run(setup, *sources, cwd=book / "chapter", project_roots=[book], **options)
        assert result.failure is None
        return relative(result.dependencies, book)

    return seen


def relative(dependencies: Dependencies | None, root: Path) -> dict[str, set[str]]:
    assert dependencies is not None
    return {
        kind: {path.relative_to(root).as_posix() for path in getattr(dependencies, kind)}
        for kind in ("files", "missing", "directories", "present")
    }


Seen = Callable[..., dict[str, set[str]]]


def test_modules_imported_at_any_depth_are_dependencies(seen: Seen) -> None:
    assert seen("import pkg.outer")["files"] == {
        "pkg/__init__.py",
        "pkg/outer.py",
        "pkg/inner/__init__.py",
        "pkg/inner/deep.py",
    }


def test_modules_imported_from_byte_code_are_dependencies_too(seen: Seen, book: Path) -> None:
    import py_compile

    py_compile.compile(str(book / "pkg" / "outer.py"))
    assert "pkg/outer.py" in seen("import pkg.outer")["files"]


def test_modules_that_the_parent_had_imported_are_dependencies(run: Runner) -> None:
    from bookcode.execution import model

    package = Path(model.__file__).parents[1]
    dependencies = run("1", project_roots=[package]).dependencies
    assert dependencies is not None
    assert package / "execution" / "model.py" in dependencies.files


def test_byte_code_never_hides_an_edit(run: Runner, text: Text, book: Path) -> None:
    import os
    import py_compile

    module = book / "chapter" / "digits.py"
    module.write_text("VALUE = 7\n", "utf-8")
    py_compile.compile(str(module))
    stat = module.stat()
    module.write_text("VALUE = 8\n", "utf-8")  # as long as before …
    os.utime(module, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # … and within the same second
    source = "import digits\nprint(digits.VALUE)"
    assert text(run(source, cwd=book / "chapter")) == "8\n"
    module.write_text("VALUE = 9\n", "utf-8")
    assert text(run(source, cwd=book / "chapter")) == "9\n"


@pytest.mark.parametrize(
    "source",
    [
        "open('../data/a.csv').close()",
        "import pathlib\npathlib.Path('../data/a.csv').read_bytes()",
        "import os\nos.close(os.open('../data/a.csv', os.O_RDONLY))",
        "import numpy\nnumpy.loadtxt('../data/a.csv', delimiter=',')",
        "import os\nos.chdir('/')\nopen({root!r} + '/data/a.csv').close()",
    ],
)
def test_files_opened_for_reading_are_dependencies(seen: Seen, book: Path, source: str) -> None:
    found = seen(source.replace("{root!r}", repr(str(book))))
    assert found["files"] == {"data/a.csv"}
    assert found["directories"] == set()


def test_files_read_in_forked_processes_are_dependencies(seen: Seen) -> None:
    source = """
        import multiprocessing
        def read():
            open("../data/a.csv").close()
        process = multiprocessing.get_context("fork").Process(target=read)
        process.start()
        process.join()
        """
    assert seen(source)["files"] == {"data/a.csv"}


@pytest.mark.parametrize(
    "source",
    [
        "try: open('../data/no.csv')\nexcept OSError: pass",
        "import os\nos.path.exists('../data/no.csv')",
        "import pathlib\npathlib.Path('../data/no.csv').exists()",
        "import pathlib\npathlib.Path('../data/no.csv').is_file()",
        "import os\nos.access('../data/no.csv', os.R_OK)",
        "import os\ntry: os.listdir('../data/no.csv')\nexcept OSError: pass",
    ],
)
def test_files_looked_for_in_vain_are_dependencies(seen: Seen, source: str) -> None:
    found = seen(source)
    assert found["missing"] == {"data/no.csv"}
    assert found["files"] == set()


def test_asking_whether_a_file_is_there_does_not_read_it(seen: Seen) -> None:
    found = seen("import os\nos.path.exists('../data/a.csv')")
    assert found["present"] == {"data/a.csv"}
    assert found["files"] == set()


def test_modules_looked_for_in_vain_are_dependencies(seen: Seen) -> None:
    found = seen(
        "try: import absent_module\nexcept ImportError: pass",
        "import pkg\ntry: from pkg import absent\nexcept ImportError: pass",
    )
    assert found["missing"] >= {
        "chapter/absent_module",
        "chapter/absent_module.py",
        "absent_module.py",
        "pkg/absent.py",
        "pkg/absent",
    }


def test_a_module_that_would_be_found_earlier_is_a_dependency(
    run: Runner, text: Text, seen: Seen, book: Path
) -> None:
    (book / "helper.py").write_text("print('outer')\n", "utf-8")
    found = seen("import helper")
    assert found["files"] == {"helper.py"}
    assert {"chapter/helper.py", "chapter/helper"} <= found["missing"]


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.listdir('../data')",
        "import os\nlist(os.scandir('../data'))",
        "import pathlib\nlist(pathlib.Path('../data').glob('*.csv'))",
        "import os\nos.chdir('../data')\nos.listdir()",
    ],
)
def test_folders_listed_are_dependencies(seen: Seen, source: str) -> None:
    found = seen(source)
    assert found["directories"] == {"data"}
    assert found["files"] == set()


def test_importing_lists_no_folder(seen: Seen) -> None:
    assert seen("import pkg.outer")["directories"] == set()


@pytest.mark.parametrize(
    "source",
    [
        "open('out.txt', 'w').close()\nopen('out.txt').close()",
        "import os\nos.path.exists('out.txt')\nopen('out.txt', 'w').close()",
        "open('t', 'w').close()\nimport os\nos.replace('t', 'out.txt')\nopen('out.txt').close()",
        "import os\nos.makedirs('made', exist_ok=True)\nopen('made/x', 'w').close()",
        "import pathlib\npathlib.Path('out.txt').write_text('x')",
    ],
)
def test_what_the_cells_write_is_no_dependency(seen: Seen, source: str) -> None:
    found = seen(source)
    assert found["files"] == set()
    assert {name for name in found["missing"] if "out.txt" in name or "made" in name} == set()


def test_output_folders_are_no_dependencies(seen: Seen, book: Path) -> None:
    source = "open('../data/a.csv').close()"
    assert seen(source, exclude=[Path("data")])["files"] == set()


def test_text_that_is_displayed_is_not_looked_for_as_a_file(seen: Seen) -> None:
    source = "from IPython.display import Markdown\ndisplay(Markdown('| a |\\n| - |\\n' * 40))"
    assert seen(source)["missing"] == set()


def test_lazy_modules_stay_lazy(seen: Seen, book: Path) -> None:
    (book / "chapter" / "lazy.py").write_text("raise RuntimeError('too soon')\n", "utf-8")
    source = """
        import importlib.util, sys
        spec = importlib.util.find_spec("lazy")
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules["lazy"] = module
        spec.loader.exec_module(module)
        """
    assert "chapter/lazy.py" in seen(source, "1")["files"]


def test_dependencies_of_a_chapter_that_dies_are_known(run: Runner, book: Path) -> None:
    (book / "chapter" / "deadly.py").write_text("import os\nos._exit(1)\n", "utf-8")
    result = run("import deadly", cwd=book / "chapter")
    assert result.failure is not None
    assert relative(result.dependencies, book)["files"] == {"chapter/deadly.py"}


def test_a_second_run_sees_the_same_and_an_edit_is_seen(run: Runner, book: Path) -> None:
    sources = (
        f"import sys; sys.path.append({str(book)!r})",
        "import os\nfrom pkg import outer\nopen('../data/a.csv').close()\nos.listdir('../data')",
        "open('out.txt', 'w').close()\nos.path.exists('../data/b.csv')",
    )
    first = run(*sources, cwd=book / "chapter").dependencies
    assert first is not None
    states = fingerprint(first, book)
    assert changed(states, book) == []
    second = run(*sources, cwd=book / "chapter").dependencies
    assert second == first
    assert changed(states, book) == []
    (book / "pkg" / "inner" / "deep.py").write_text("VALUE = 2\n", "utf-8")
    (book / "data" / "b.csv").touch()
    assert changed(states, book) == ["data", "data/b.csv", "pkg/inner/deep.py"]


def test_the_parent_is_not_traced(run: Runner) -> None:
    import os

    stat = os.stat
    run("1")
    assert os.stat is stat
    assert not hasattr(sys.stdout, "_owner")
