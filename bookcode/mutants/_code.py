"""Mutants of Python code: every numeric literal, arithmetic and comparison operator, once.

Mechanical, not by choice: the tree of a module is walked and each place is changed in every way of
one table. Annotations are left out, for they calculate nothing.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

Path = tuple[tuple[str, int | None], ...]
"""The way from a module to a node: names of fields, with an index where they are lists."""

_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
}
_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


@dataclass(frozen=True, slots=True)
class CodeChange:
    """One change of a module.

    Attributes:
        scope: the qualified name of the function it is in, "" for the module's own code.
        line, column: where, from 1.
        before, after: the expression as it was and as it is now.
        number: which of the changes with the same scope and texts, from 1.
        path, variant: the way to the node, and which of its changes it is.
    """

    scope: str
    line: int
    column: int
    before: str
    after: str
    number: int
    path: Path
    variant: int

    def apply(self, source: str) -> ast.Module:
        """The changed module; positions stay those of the source."""
        tree = ast.parse(source)
        _mutate(_at(tree, self.path), self.variant)
        return tree


def changes(source: str) -> Iterator[CodeChange]:
    """Every change of a module's source, in the order of the text."""
    tree = ast.parse(source)
    seen: Counter[tuple[str, str, str]] = Counter()
    for path, scope in _places(tree):
        node = _at(tree, path)
        before = ast.unparse(node)
        for variant in range(_variants(node)):
            changed = copy.deepcopy(node)
            _mutate(changed, variant)
            texts = (before, ast.unparse(changed))
            seen[scope, *texts] += 1
            number = seen[scope, *texts]
            line, column = node.lineno, node.col_offset + 1
            yield CodeChange(scope, line, column, *texts, number, path, variant)


def _at(tree: ast.AST, path: Path) -> ast.expr:
    node: ast.AST = tree
    for name, index in path:
        value = getattr(node, name)
        node = value if index is None else value[index]
    assert isinstance(node, ast.expr)
    return node


def _places(tree: ast.AST) -> Iterator[tuple[Path, str]]:
    yield from _walk(tree, (), "")


def _walk(node: ast.AST, path: Path, scope: str) -> Iterator[tuple[Path, str]]:
    if isinstance(node, ast.expr) and _variants(node):
        yield path, scope
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns") or (name == "value" and _is_alias(node)):
            continue
        inner = scope
        # Defaults and decorators run where the function is defined.
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and name == "body":
            inner = f"{scope}.{node.name}".lstrip(".")
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield from _walk(child, (*path, (name, index)), inner)


def _is_alias(node: ast.AST) -> bool:
    """A type given a name: `Out = Annotated[...]`, `Kind = Literal[...]`."""
    return (
        isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Subscript)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id in ("Annotated", "Literal", "Callable", "tuple", "dict", "list")
    )


def _variants(node: ast.expr) -> int:
    """In how many ways an expression is changed."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return 2
        case ast.BinOp(op=op):
            return type(op) in _OPERATORS and not _is_text(node)
        case ast.UnaryOp(op=ast.USub()):
            return 1
        case ast.Compare(ops=ops):
            return sum(len(_COMPARISONS[type(op)]) for op in ops)
    return 0


def _is_text(node: ast.BinOp) -> bool:
    """Texts are joined with + as well."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


def _mutate(node: ast.expr, variant: int) -> None:
    match node:
        case ast.Constant(value=value):
            assert isinstance(value, int | float)
            node.value = value + 1 if variant == 0 else value - 1
        case ast.BinOp(op=op):
            node.op = _OPERATORS[type(op)]()
        case ast.UnaryOp():
            node.op = ast.UAdd()
        case ast.Compare(ops=ops):
            choices = [(i, new) for i, op in enumerate(ops) for new in _COMPARISONS[type(op)]]
            index, new = choices[variant]
            node.ops[index] = new()
