"""Changes of code: all of them, each once, and nothing that calculates nothing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bookcode.ledger
from bookcode.mutants._code import changes


def found(source: str) -> list[tuple[str, str]]:
    return [(change.before, change.after) for change in changes(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 2", [("2", "3"), ("2", "1")]),
        ("x = 0.5", [("0.5", "1.5"), ("0.5", "-0.5")]),
        ("x = a + b", [("a + b", "a - b")]),
        ("x = a - b", [("a - b", "a + b")]),
        ("x = a * b", [("a * b", "a / b")]),
        ("x = a / b", [("a / b", "a * b")]),
        ("x = a // b % c", [("a // b % c", "a // b * c"), ("a // b", "a * b")]),
        ("x = a ** b", [("a ** b", "a * b")]),
        ("x = -a", [("-a", "+a")]),
        ("x = a < b", [("a < b", "a <= b"), ("a < b", "a >= b")]),
        ("x = a == b", [("a == b", "a != b")]),
        ("x = a is None", [("a is None", "a is not None")]),
        ("x = a in b", [("a in b", "a not in b")]),
        (
            "x = a < b <= c",
            [
                ("a < b <= c", "a <= b <= c"),
                ("a < b <= c", "a >= b <= c"),
                ("a < b <= c", "a < b < c"),
                ("a < b <= c", "a < b > c"),
            ],
        ),
        ("x = True", []),
        ("x = 'a' + b", []),
        ("x = f'{a}' + b", []),
        ("x: Literal[1, 2] | None", []),
        ("Kind = Literal[1, 2]", []),
        ("def f(a: Annotated[int, 3]) -> tuple[1]: pass", []),
        ("def f(a: int = 3): pass", [("3", "4"), ("3", "2")]),
        ("x = int | str", []),
    ],
)
def test_what_is_changed(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source) == expected


SOURCE = """
LIMIT = 3

class Cost:
    zero = 0

    def times(self, n=1):
        return [n * 2 for _ in self.rows]

def outer(x):
    def inner(y):
        return y * 2
    return inner(x) + (x * 2) + (x * 2)
"""


UNPARSED = ast.unparse(ast.parse(SOURCE)).split("\n")


def test_each_change_knows_its_function_and_place() -> None:
    by_scope: dict[str, list[str]] = {}
    for change in changes(SOURCE):
        by_scope.setdefault(change.scope, []).append(f"{change.line}: {change.after}")
    assert set(by_scope) == {"", "Cost", "Cost.times", "outer", "outer.inner"}
    assert by_scope[""] == ["2: 4", "2: 2"]
    assert by_scope["Cost"] == ["5: 1", "5: -1", "7: 2", "7: 0"]
    assert "8: n / 2" in by_scope["Cost.times"]
    assert "12: y / 2" in by_scope["outer.inner"]


def test_equal_changes_are_told_apart_and_all_names_differ() -> None:
    twice = [c for c in changes(SOURCE) if (c.before, c.after) == ("x * 2", "x / 2")]
    assert [c.number for c in twice] == [1, 2]
    names = [(c.scope, c.before, c.after, c.number) for c in changes(SOURCE)]
    assert len(set(names)) == len(names)


def test_applying_a_change_changes_this_and_nothing_else() -> None:
    original = ast.dump(ast.parse(SOURCE))
    for change in changes(SOURCE):
        tree = change.apply(SOURCE)
        assert ast.dump(tree) != original
        compile(tree, "changed", "exec")
        differing = [
            pair
            for pair in zip(ast.unparse(tree).split("\n"), UNPARSED, strict=True)
            if pair[0] != pair[1]
        ]
        assert len(differing) == 1


def test_every_number_and_operator_of_the_ledger_is_there() -> None:
    folder = Path(bookcode.ledger.__file__).parent
    source = (folder / "ops" / "gemm.py").read_text("utf-8")
    assert ("2 * m * n * k", "2 * m * n / k") in found(source)
    assert ("2", "3") in found(source)
    operators = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.BinOp)]
    products = [n for n in operators if isinstance(n.op, ast.Mult | ast.Div | ast.Add | ast.Pow)]
    assert len([pair for pair in found(source) if not pair[0].isdigit()]) >= len(products) > 40
