"""Byte code is kept with the very source it is of, and forks take it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookcode.execution import RunResult, compiled
from bookcode.execution.compiled import code_of, keep_compiled

Runner = Callable[..., RunResult]
Text = Callable[[RunResult], str]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    kept: dict[str, object] = {}
    monkeypatch.setattr(compiled, "_known", kept)
    return kept


def test_code_is_of_one_source(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"VALUE = 1\n")
    keep_compiled([path])
    code = code_of(str(path), b"VALUE = 1\n")
    assert code is not None
    assert code.co_filename == str(path)
    assert code_of(str(path), b"VALUE = 2\n") is None
    assert code_of(str(tmp_path / "b.py"), b"VALUE = 1\n") is None

    path.write_bytes(b"VALUE = 2\n")
    keep_compiled([path])
    assert code_of(str(path), b"VALUE = 1\n") is None
    assert code_of(str(path), b"VALUE = 2\n") is not None


@pytest.mark.parametrize(
    "source", [b"VALUE = \n", b'VALUE = "\\d"\n', b"\0", b"VALUE = 1 is 1\n", b"(" * 2000]
)
def test_what_an_import_complains_of_is_left_to_it(tmp_path: Path, source: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(source)
    keep_compiled([path, tmp_path / "missing.py", tmp_path / "data.csv"])
    assert code_of(str(path), source) is None


def test_a_second_run_takes_what_the_first_one_compiled(
    run: Runner, text: Text, project: Path, known: dict[str, object]
) -> None:
    module = project / "deep.py"
    module.write_text("VALUE = 1\n", "utf-8")
    assert text(run("import deep; print(deep.VALUE)")) == "1\n"
    source, code = b"VALUE = 1\n", compile("VALUE = 'kept'", str(module), "exec")
    assert code_of(str(module), source) is not None
    known[str(module)] = source, code
    assert text(run("import deep; print(deep.VALUE)")) == "kept\n"


def test_a_module_that_changed_is_compiled_anew(run: Runner, text: Text, project: Path) -> None:
    module = project / "deep.py"
    for value in (1, 2, 1):
        module.write_text(f"VALUE = {value}\n", "utf-8")
        assert text(run("import deep; print(deep.VALUE)")) == f"{value}\n"


def test_a_warning_of_the_compiler_is_seen_in_every_run(
    run: Runner, text: Text, project: Path
) -> None:
    (project / "deep.py").write_text("VALUE = 1 is 1\n", "utf-8")
    cell = "import warnings; warnings.simplefilter('always'); import deep"
    first, second = (text(run(cell)) for _ in range(2))
    assert "SyntaxWarning" in first
    assert second == first


def test_a_loader_that_compiles_in_its_own_way_still_does(
    run: Runner, text: Text, project: Path
) -> None:
    (project / "deep.py").write_text("VALUE = 1\n", "utf-8")
    (project / "hook.py").write_text(
        """
from importlib.machinery import SourceFileLoader


class Twice(SourceFileLoader):
    def source_to_code(self, data, path, **options):
        return super().source_to_code(data.replace(b"1", b"2"), path, **options)
""",
        "utf-8",
    )
    assert text(run("import deep; print(deep.VALUE)")) == "1\n"
    cell = (
        f"import hook; print(hook.Twice('deep', {str(project / 'deep.py')!r}).load_module().VALUE)"
    )
    assert text(run(cell)) == "2\n"
