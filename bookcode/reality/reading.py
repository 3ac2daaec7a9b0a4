"""Arithmetic out of somebody's source, interpreted and never executed.

A formula inside a pinned wheel is found by name in the text of its file and walked node by node, in
exact arithmetic. Only assignments, branches, returns and arithmetic are followed, on values that we
give; a name or a call that was not given is an error. Nothing of the wheel is imported.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, prod
from typing import Any, Final

from bookcode.reality.errors import FormulaError, unknown
from bookcode.sources.members import Members

BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a) / Fraction(b),
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
COMPARE: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
KNOWN: Final[Mapping[str, Any]] = {
    "max": max,
    "min": min,
    "sum": sum,
    "bool": bool,
    "len": len,
    "range": range,
    "prod": prod,
    "ceil_div": lambda a, b: ceil(Fraction(a) / Fraction(b)),
}


class Given:
    """An object with just the attributes that a formula asks for."""

    def __init__(self, **attributes: Any) -> None:
        self.attributes = attributes


class _Return(Exception):  # noqa: N818 (control flow, not an error)
    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(frozen=True)
class Source:
    """A module's text inside a wheel.

    Attributes:
        member: its name.
        tree: the parsed text.
    """

    member: str
    tree: ast.Module

    def function(self, path: str) -> ast.FunctionDef:
        """A function by its path: ``"Class.method.inner"``.

        Raises:
            FormulaError: with the nearest names, when there is none.
        """
        body: list[ast.stmt] = self.tree.body
        found: ast.stmt | None = None
        for part in path.split("."):
            named = {s.name: s for s in body if isinstance(s, (ast.ClassDef, ast.FunctionDef))}
            if part not in named:
                raise FormulaError(self.member, unknown("function", part, named))
            found = named[part]
            body = found.body
        assert isinstance(found, ast.FunctionDef)
        return found

    def members_of(self, enum: str) -> dict[str, tuple[Any, ...]]:
        """The literal arguments of an enum's members: ``fp8 = Mapping(1, 2, "fp8")``."""
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef) and statement.name == enum:
                return {
                    target.id: tuple(_literal(a) for a in line.value.args)
                    for line in statement.body
                    if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call)
                    for target in line.targets
                    if isinstance(target, ast.Name)
                }
        raise FormulaError(self.member, f"no class {enum}")

    def call(self, path: str, *args: Any, given: Mapping[str, Any] | None = None) -> Any:
        """Interpret a function on arguments; ``given`` are the names it closes over."""
        return _Walk(self, dict(given or {})).call(self.function(path), args)


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def source(members: Members, member: str) -> Source:
    """The text of a member, parsed.

    Raises:
        FormulaError: when it is not Python.
    """
    try:
        return Source(member, _parsed(members.read(member).text))
    except SyntaxError as error:
        raise FormulaError(f"{member}:{error.lineno}", "not Python") from None


def expression(text: str, place: str, given: Mapping[str, Any]) -> Any:
    """Interpret one expression, such as a formula in a table of a wheel.

    Raises:
        FormulaError: for what is not arithmetic on given names.
    """
    try:
        tree = _expression(text)
    except SyntaxError:
        raise FormulaError(place, f"not an expression: {text!r}") from None
    return _Walk(Source(place, ast.Module([], [])), dict(given)).value(tree.body)


@cache
def _expression(text: str) -> ast.Expression:
    return ast.parse(text, mode="eval")


def _literal(node: ast.expr) -> Any:
    value = ast.literal_eval(node)
    return Fraction(str(value)) if isinstance(value, float) else value


class _Walk:
    """Walks the statements of one function with its names."""

    def __init__(self, module: Source, names: dict[str, Any]) -> None:
        self.module, self.names = module, names

    def refuse(self, node: ast.AST, message: str) -> FormulaError:
        line = getattr(node, "lineno", 0)
        return FormulaError(f"{self.module.member}:{line}", message)

    def call(self, function: ast.FunctionDef, args: Iterable[Any]) -> Any:
        parameters = [a.arg for a in function.args.args]
        defaults = dict(zip(reversed(parameters), reversed(function.args.defaults), strict=False))
        given = list(args)
        names = dict(zip(parameters, given, strict=False))
        for name in parameters[len(given) :]:
            if name not in defaults:
                raise self.refuse(function, f"{function.name}: no value for {name!r}")
            names[name] = self.value(defaults[name])
        walk = _Walk(self.module, {**self.names, **names})
        try:
            walk.block(function.body)
        except _Return as result:
            return result.value
        raise self.refuse(function, f"{function.name} returns nothing")

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Assign(targets=targets, value=value):
                result = self.value(value)
                for target in targets:
                    self.bind(target, result)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                self.bind(target, self.value(value))
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                self.names[name] = BINARY[type(op)](self.names[name], self.value(value))
            case ast.If(test=test, body=body, orelse=orelse):
                self.block(body if self.value(test) else orelse)
            case ast.Assert(test=test):
                if not self.value(test):
                    raise self.refuse(node, "an assertion of the source fails on these inputs")
            case ast.Return(value=ast.expr() as value):
                raise _Return(self.value(value))
            case ast.For(target=target, iter=values, body=body, orelse=[]):
                for item in self.value(values):
                    self.bind(target, item)
                    self.block(body)
            case _:
                raise self.refuse(node, f"{type(node).__name__} is not followed")

    def bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts):
                items = list(value)
                stars = [i for i, part in enumerate(parts) if isinstance(part, ast.Starred)]
                if stars or len(items) != len(parts):
                    raise self.refuse(target, "this unpacking is not followed")
                for part, item in zip(parts, items, strict=True):
                    self.bind(part, item)
            case _:
                raise self.refuse(target, "this assignment is not followed")

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return _literal(node)
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return BINARY[type(op)](self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
                return UNARY[type(op)](self.value(operand))
            case ast.BoolOp(op=op, values=values):
                return self.logic(op, values)
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self.compare(left, ops, rest)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test) else orelse)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return tuple(self.items(parts))
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                ends = (None if end is None else self.value(end) for end in (lower, upper))
                return self.value(value)[slice(*ends)]
            case ast.Subscript(value=value, slice=key):
                return self.value(value)[self.value(key)]
            case ast.Attribute(value=value, attr=attribute):
                return self.attribute(node, self.value(value), attribute)
            case ast.Call():
                return self.called(node)
            case (
                ast.GeneratorExp(elt=item, generators=[one])
                | ast.ListComp(elt=item, generators=[one])
            ):
                return self.comprehension(item, one)
        raise self.refuse(node, f"{type(node).__name__} is not followed")

    def items(self, parts: Iterable[ast.expr]) -> Iterator[Any]:
        for part in parts:
            if isinstance(part, ast.Starred):
                yield from self.value(part.value)
            else:
                yield self.value(part)

    def name(self, node: ast.expr, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if name in KNOWN:
            return KNOWN[name]
        functions = {s.name for s in self.module.tree.body if isinstance(s, ast.FunctionDef)}
        if name in functions:
            return lambda *args: self.of_module(name, args)
        raise self.refuse(node, unknown("name", name, {*self.names, *KNOWN, *functions}))

    def of_module(self, name: str, args: Iterable[Any]) -> Any:
        return _Walk(self.module, {}).call(self.module.function(name), args)

    def logic(self, op: ast.boolop, values: list[ast.expr]) -> Any:
        result: Any = isinstance(op, ast.And)
        for value in values:
            result = self.value(value)
            if bool(result) != isinstance(op, ast.And):
                break
        return result

    def compare(self, left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr]) -> bool:
        first = self.value(left)
        for op, node in zip(ops, rest, strict=True):
            second = self.value(node)
            if not COMPARE[type(op)](first, second):
                return False
            first = second
        return True

    def attribute(self, node: ast.expr, value: Any, name: str) -> Any:
        if isinstance(value, Given):
            if name not in value.attributes:
                raise self.refuse(node, unknown("attribute", name, value.attributes))
            return value.attributes[name]
        if isinstance(value, Mapping) and name == "get":
            return value.get
        raise self.refuse(node, f"the attribute {name!r} of this value is not followed")

    def called(self, node: ast.Call) -> Any:
        if node.keywords:
            raise self.refuse(node, "calls with keywords are not followed")
        function = self.value(node.func)
        if not callable(function):
            raise self.refuse(node, "this call is not followed")
        return function(*(self.value(argument) for argument in node.args))

    def comprehension(self, item: ast.expr, one: ast.comprehension) -> list[Any]:
        values = []
        for element in self.value(one.iter):
            inner = _Walk(self.module, dict(self.names))
            inner.bind(one.target, element)
            if all(inner.value(test) for test in one.ifs):
                values.append(inner.value(item))
        return values
