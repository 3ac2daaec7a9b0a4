"""Code and files changed in a fork: the fork sees the change, and nobody else."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import bookcode.ledger
from bookcode.ledger import DTYPES, ops
from bookcode.mutants import _fresh
from bookcode.mutants._code import changes
from bookcode.mutants._forking import call_forked
from bookcode.mutants._warm import replace_code

FOLDER = Path(bookcode.ledger.__file__).parent


def change_in(path: Path, before: str, after: str) -> ast.Module:
    source = path.read_text("utf-8")
    (found,) = [c for c in changes(source) if (c.before, c.after, c.number) == (before, after, 1)][
        :1
    ]
    return found.apply(source)


def flops() -> str:
    from bookcode.ledger import ops as now

    return str(now.gemm(2, 3, 5).flops)


def test_a_changed_module_is_imported_anew_in_the_fork_only() -> None:
    path = FOLDER / "ops" / "gemm.py"
    tree = change_in(path, "2 * m * n * k", "2 * m * n / k")

    def work() -> str:
        _fresh.change_module("bookcode.ledger.ops.gemm", path, tree)
        return flops()

    assert call_forked(work) == "12/5"
    assert flops() == "60"


def test_a_changed_table_reaches_whoever_reads_it() -> None:
    path = FOLDER / "tables.py"
    source = path.read_text("utf-8").replace(
        'DType("fp16", Fraction(2))', 'DType("fp16", Fraction(3))'
    )

    def work() -> str:
        _fresh.change_module("bookcode.ledger.tables", path, ast.parse(source))
        from bookcode.ledger import ops as now

        return str(now.gemm(2, 3, 5).bytes)

    assert call_forked(work) == str((10 + 15 + 6) * 3)


def test_symbols_are_known_after_importing_anew() -> None:
    """``typing`` must not hand out annotations that hold the symbols of before."""

    def work() -> bool:
        _fresh.forget()
        from bookcode.ledger import ops as now
        from bookcode.ledger.operator import arguments

        return all(
            argument.symbol is not None
            for name, argument in arguments(now.attention_prefill).items()
            if name in ("heads", "kv_heads", "seq", "window")
        )

    assert call_forked(work) is True


def test_a_changed_file_reads_changed_in_every_way(tmp_path: Path) -> None:
    path = tmp_path / "facts.toml"
    path.write_text("old", "utf-8")
    other = tmp_path / "other.toml"
    other.write_text("other", "utf-8")

    def work() -> list[Any]:
        _fresh.change_file(path, "new ×")
        with open(path, encoding="utf-8") as one, path.open("rb") as two:
            opened = [one.read(), two.read().decode("utf-8")]
        read = [path.read_text("utf-8"), path.read_bytes().decode("utf-8")]
        return [*opened, *read, other.read_text("utf-8")]

    assert call_forked(work) == ["new ×"] * 4 + ["other"]
    assert path.read_text("utf-8") == "old"


# functions, in place ------------------------------------------------------------------------
def replaced(path: Path, module: str, scope: str, before: str, after: str) -> bool:
    code = compile(change_in(path, before, after), str(path), "exec")
    return replace_code(module, scope, code)


def test_a_decorated_function_gets_other_code() -> None:
    path = FOLDER / "ops" / "gemm.py"

    def work() -> list[Any]:
        done = replaced(path, "bookcode.ledger.ops.gemm", "gemm", "2 * m * n * k", "2 * m * n / k")
        return [done, str(ops.gemm(2, 3, 5).flops)]

    assert call_forked(work) == [True, "12/5"]


def test_a_method_and_a_property_get_other_code() -> None:
    path = FOLDER / "cost.py"

    def work() -> list[Any]:
        cost = ops.gemm(2, 3, 5)
        module = "bookcode.ledger.cost"
        done = [
            replaced(path, module, "Cost.times", "count * t.bytes", "count / t.bytes"),
            replaced(
                path, module, "Cost.intensity", "self.flops / self.bytes", "self.flops * self.bytes"
            ),
        ]
        return [*done, str(cost.times(2).bytes), str(cost.intensity)]

    size = DTYPES["fp16"].bytes
    bytes_ = (10 + 15 + 6) * size
    times = sum(2 / (part * size) for part in (10, 15, 6))
    assert call_forked(work) == [True, True, str(times), str(60 * bytes_)]


def test_what_is_no_function_cannot_be_replaced() -> None:
    code = compile("class Cost:\n    x = 1\n", "x.py", "exec")
    assert not replace_code("bookcode.ledger.cost", "Cost", code)
    assert not replace_code("bookcode.ledger.cost", "nothing", code)


def test_whatever_holds_a_part_of_the_ledger_is_imported_anew() -> None:
    """What kept the old ledger would take a mutant's symbols for strangers, or not see it."""
    root = Path(bookcode.__file__).parent
    holders = {
        path.relative_to(root).parts[0]
        for path in root.rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        for name in _imported(node)
        if name.startswith("bookcode.ledger")
    }
    assert {"numbers", "exercises"} <= holders
    # The mutants' own modules ask by name, after the change.
    assert {f"bookcode.{name}" for name in holders - {"mutants"}} <= set(_fresh._ANEW)


def _imported(node: ast.stmt) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module)):
            return [module]
    return []
