"""Mistakes made mechanically in the ledger's source, one at a time.

A mutation changes one node of a function's syntax tree: a numeric literal, an arithmetic operator,
a size taken for another of its kind, a term left out. The changed module is run in this process,
beside the real one; nothing on disk changes.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from bookcode.ledger import ops
from bookcode.reality.operators import Operators

PACKAGE: Final = "bookcode.ledger.ops"
MODULES: Final = ("_scores", "attention", "communication", "gemm")
"""Modules whose functions are mutated, what others import first."""

KIN: Final[tuple[frozenset[str], ...]] = (
    frozenset({"heads", "kv_heads"}),
    frozenset({"m", "n", "k"}),
    frozenset({"seq", "keys"}),
)
"""Sizes that a hand may take for each other."""

SWAPS: Final[Mapping[type[ast.operator], tuple[type[ast.operator], ...]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes:
        module: in which module of the ledger's operators.
        function: in which function.
        line: at which line.
        change: what was changed into what.
        recipe: which function, node and change of the module, to make the mistake again.
        occurrence: the how-manieth change of these words in this function, from 1.
    """

    module: str
    function: str
    line: int
    change: str
    recipe: tuple[int, int, int]
    occurrence: int = 1

    @property
    def words(self) -> str:
        """What the mistake is, in words that survive moved lines."""
        again = f" ({self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.module}.{self.function}: {self.change}{again}"

    @property
    def place(self) -> str:
        """Where, for people."""
        return f"{self.module}.py:{self.line} {self.function}"

    def tree(self) -> ast.Module:
        """The module with the mistake."""
        tree = ast.parse(_source(self.module))
        function, position, number = self.recipe
        node, parent = _nodes(_functions(tree)[function])[position]
        _, apply = list(_changes(node, parent))[number]
        apply(node)
        return ast.fix_missing_locations(tree)


def mutants() -> list[Mutant]:
    """All mistakes, in the order of the source."""
    return [mutant for name in MODULES for mutant in _of_module(name)]


@cache
def _source(name: str) -> str:
    return inspect.getsource(import_module(f"{PACKAGE}.{name}"))


def _of_module(name: str) -> Iterator[Mutant]:
    seen: Counter[tuple[str, str]] = Counter()
    for index, function in enumerate(_functions(ast.parse(_source(name)))):
        for position, (node, parent) in enumerate(_nodes(function)):
            for number, (change, _) in enumerate(_changes(node, parent)):
                line = getattr(node, "lineno", function.lineno)
                seen[function.name, change] += 1
                recipe, occurrence = (index, position, number), seen[function.name, change]
                yield Mutant(name, function.name, line, change, recipe, occurrence)


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _nodes(function: ast.FunctionDef) -> list[tuple[ast.AST, ast.AST]]:
    """Nodes of a function's body with their parents; messages of errors are left alone."""
    found: list[tuple[ast.AST, ast.AST]] = []

    def visit(node: ast.AST, parent: ast.AST) -> None:
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            return
        found.append((node, parent))
        for child in ast.iter_child_nodes(node):
            visit(child, node)

    for statement in function.body:
        visit(statement, function)
    return found


Apply = Callable[[Any], None]


def _changes(node: ast.AST, parent: ast.AST) -> Iterator[tuple[str, Apply]]:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            for other in sorted({value + 1, 2 * value} - {value}):
                yield f"{value} becomes {other}", _set("value", other)
        case ast.BinOp(op=op) if type(op) in SWAPS:
            text = ast.unparse(node)
            for swapped in SWAPS[type(op)]:
                yield f"{text}: {_sign(op)} becomes {_sign(swapped())}", _set("op", swapped())
            if isinstance(op, (ast.Add, ast.Mult)):
                yield f"{text}: {ast.unparse(node.right)} left out", _only("left")
                yield f"{text}: {ast.unparse(node.left)} left out", _only("right")
        case ast.Tuple(elts=parts) if len(parts) > 1 and isinstance(parent, ast.Call):
            for index, part in enumerate(parts):
                yield f"term left out: {_short(part)}", _drop(index)
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            for kin in KIN:
                for other_name in sorted(kin - {name}) if name in kin else ():
                    field = "id" if isinstance(node, ast.Name) else "attr"
                    yield f"{name} becomes {other_name}", _set(field, other_name)


def _set(field: str, value: Any) -> Apply:
    return lambda node: setattr(node, field, value)


def _only(side: str) -> Apply:
    """Replace a sum or product by one side of it: multiplied or added to nothing."""

    def apply(node: ast.BinOp) -> None:
        kept = getattr(node, side)
        neutral = 0 if isinstance(node.op, ast.Add) else 1
        node.left, node.right = kept, ast.Constant(neutral)

    return apply


def _drop(index: int) -> Apply:
    return lambda node: node.elts.pop(index)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 48 else text[:45] + "..."


def _sign(op: ast.operator) -> str:
    signs = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
    return signs[type(op)]


def run(mutant: Mutant) -> Operators:
    """The ledger's functions with the mistake in them.

    Modules that import the changed one are run again on top of it.
    """
    changed: dict[str, ModuleType] = {}

    def importing(name: str, *args: Any) -> Any:
        return changed[name] if name in changed else builtins.__import__(name, *args)

    first = MODULES.index(mutant.module)
    for name in MODULES[first:]:
        full = f"{PACKAGE}.{name}"
        if name == mutant.module:
            tree = mutant.tree()
        elif _imports(name, changed):
            tree = ast.parse(_source(name))
        else:
            continue
        module = ModuleType(full)
        module.__dict__.update(
            __file__=f"{name}.py",
            __package__=PACKAGE,
            __builtins__={**vars(builtins), "__import__": importing},
        )
        exec(compile(tree, f"{name}.py", "exec"), module.__dict__)
        changed[full] = module
    functions = {name: getattr(ops, name) for name in ops.__all__}
    for module in changed.values():
        functions |= {name: module.__dict__[name] for name in functions if name in module.__dict__}
    return Operators(functions)


def _imports(name: str, changed: Mapping[str, ModuleType]) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and node.module in changed
        for node in ast.walk(ast.parse(_source(name)))
    )


def affected(module: str) -> frozenset[str]:
    """Public functions of the ledger whose result a mistake in ``module`` may change."""
    names = {module} | {
        other for other in MODULES if f"{PACKAGE}.{module}" in _source(other) and other != module
    }
    return frozenset(
        name
        for name in ops.__all__
        if inspect.getmodule(inspect.unwrap(getattr(ops, name))).__name__.rpartition(".")[2]  # type: ignore[union-attr]
        in names
    )
