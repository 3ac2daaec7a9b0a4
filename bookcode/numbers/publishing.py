"""Turns a handle into a record: value, unit, formula, JavaScript, and what it rests on."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from bookcode.ledger.errors import LedgerError, MissingFactError
from bookcode.ledger.operator import arguments
from bookcode.ledger.tables import TABLES
from bookcode.numbers.code_marks import describe, row_marks, run_marked
from bookcode.numbers.errors import NumbersError
from bookcode.numbers.expr import Evaluator, Expr, TraceError, lift, variables_of, walk, words_of
from bookcode.numbers.formats import default_spec, format_value
from bookcode.numbers.graph import (
    ALLOWED_CONSTANTS,
    CallNode,
    OperationNode,
    PublishedNode,
    below,
    calls,
    constants,
    facts,
    is_allowed_constant,
    rests_on_something,
)
from bookcode.numbers.grounds import composed_of, grounds
from bookcode.numbers.handles import Handle, field_names, node_of
from bookcode.numbers.hard_points import hard_points
from bookcode.numbers.latex import Printed, print_formula
from bookcode.numbers.parameters import Parameter, Point
from bookcode.numbers.records import FormulaText, NumberRecord, exact_text
from bookcode.numbers.runs import Marked, Plain, Runs
from bookcode.numbers.tracer import is_ledger_frame, place_of

Samples = list[str]


class PublishError(NumbersError):
    """A number that may not be published as it is."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """What the publishing of a chapter's numbers needs to know.

    Attributes:
        root: the project's root, for places of code.
        packages: packages whose functions are ledger functions.
        parameters: the chapter's parameters so far.
        points: where value and trace are compared, apart from the defaults (more in ``verify``).
        keep_samples: whether the values at the points go into the records, for the check of the
            JavaScript.
        runs: what the chapter's numbers were evaluated with so far.
    """

    root: Path
    packages: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    points: Sequence[Point]
    keep_samples: bool
    runs: Runs


def check_publishable(key: str, node: Any) -> None:
    """Refuse bare numbers and literals in expressions.

    Raises:
        PublishError: saying what is missing.
    """
    if not rests_on_something(node):
        raise PublishError(
            f"{key!r}: the value has no ledger function, fact or parameter in its trace; "
            "publish a ledger call, book.fact(...), or an expression of published numbers"
        )
    for constant in constants(node):
        if not is_allowed_constant(constant):
            raise PublishError(
                f"{key!r}: the literal {constant!r} in a published expression says nothing of "
                "where it comes from; make it a parameter, a fact or an argument of a ledger "
                f"function ({ALLOWED_CONSTANTS} are free)"
            )


def check_function(key: str, function: Any, packages: tuple[str, ...]) -> None:
    """Refuse functions that are not ledger functions.

    Raises:
        PublishError: naming the function.
    """
    module = getattr(function, "__module__", "") or ""
    inside = any(module == p or module.startswith(f"{p}.") for p in packages)
    if not (getattr(function, "__ledger_function__", False) and inside):
        raise PublishError(
            f"{key!r}: {getattr(function, '__qualname__', function)!r} is not a ledger function; "
            f"put it into {packages[0]} and decorate it with @operator"
        )


def number_record(
    key: str, handle: Handle, line: int, setting: Setting, spec: str | None
) -> tuple[NumberRecord, Expr]:
    """The record of a published number, and its traced expression.

    Raises:
        PublishError: for a result that is not one number, with the fields it has.
        TraceError, UnitError, FormulaError, FormatError: as found in the three runs.
    """
    node = node_of(handle)
    check_publishable(key, node)
    marked = Marked()
    value, ran = run_marked(lambda: marked(node), setting.packages)
    reached = ran.union(*(setting.runs.reached[met] for met in marked.met))
    if not isinstance(value, Fraction | str):
        raise PublishError(f"{key!r}: the result is a {type(value).__name__}, {_instead(value)}")
    expr = follow(key, setting.runs.traced, node)
    samples = _check_trace(key, node, expr, setting)
    formula, unit = (
        (None, "word") if isinstance(value, str) else formula_and_unit(key, node, setting.runs)
    )
    spec = spec or ("word" if unit == "word" else default_spec(unit))
    if unit != "word":
        format_value(value, unit, spec)  # type: ignore[arg-type]
    call = _outer_call(node)
    record = NumberRecord(
        key=key,
        line=line,
        value=value if isinstance(value, str) else exact_text(value),
        unit=unit,
        spec=spec,
        formula=formula,
        parameters=variables_of(expr),
        function=f"{call.function.__module__}.{call.function.__qualname__}" if call else "",
        place=_place(call.function, setting.root) if call else "",
        inputs=_inputs(call, setting.runs.plain) if call else {},
        facts=facts(node),
        reached=describe(reached, setting.root),
        rows=rows_of(node, setting.runs.plain),
        grounds=grounds(node, _formal(key, node, setting.runs), setting.runs.plain),
        uses=composed_of(node),
        words=words_of(expr) if unit == "word" and variables_of(expr) else [],
        samples=samples,
        hard=hard_samples(key, node, expr, setting),
    )
    setting.runs.reached[key] = reached
    return record, expr


def _formal(key: str, node: Any, runs: Runs) -> Expr | None:
    """The node with formal symbols; None where they cannot be followed, as in some words."""
    inner = node.node if isinstance(node, PublishedNode) else node
    try:
        return follow(key, runs.formal, inner)
    except NumbersError:
        return None


def _instead(value: Any) -> str:
    if isinstance(value, bool):
        return "a verdict; state it with book.claim()"
    fields = ", ".join(field_names(value))
    return f"not a number; publish one of its fields: {fields}" if fields else "not an exact number"


def follow(key: str, run: Callable[[Any], Any], node: Any) -> Expr:
    """The node with symbols in place of numbers.

    Raises:
        TraceError, UnitError: naming the key and the line of the ledger. Whatever else goes wrong
            is a TraceError: with plain numbers the same code ran.
    """
    try:
        return lift(run(node))
    except NumbersError as error:
        raise type(error)(f"{key!r}: {error}") from None
    except Exception as error:
        walked = list(traceback.walk_tb(error.__traceback__))
        inside = [step for step in walked if is_ledger_frame(step[0])]
        frame, line = (inside or walked)[-1]
        what = f"{place_of(frame.f_code, line)} in {frame.f_code.co_name}"
        said = f"{type(error).__name__}: {error}"
        raise TraceError(f"{key!r}: {what}: cannot follow a symbol ({said})") from error


def formula_and_unit(key: str, node: Any, runs: Runs) -> tuple[FormulaText, str]:
    """The printed formula and the unit, from the run with formal symbols."""
    inner = node.node if isinstance(node, PublishedNode) else node
    expr = follow(key, runs.formal, inner)
    try:
        printed: Printed = print_formula(expr)
    except NumbersError as error:
        raise type(error)(f"{key!r}: {error}") from None
    _check_formula(key, expr, runs.plain(node))
    text = FormulaText(
        printed.symbolic,
        printed.substituted,
        [list(entry) for entry in printed.where],
        [list(entry) for entry in printed.symbols],
    )
    return text, str(expr.unit)


def _check_formula(key: str, expr: Expr, value: Any) -> None:
    """Compare the printed formula, its letters given their values, with the value.

    A letter without one value (a calibration per access mix) leaves nothing to compare.
    """
    if any(n.op == "symbol" and n.args[2] is None for n in walk(expr)):
        return
    printed = Evaluator({})(expr)
    if printed != value:
        raise PublishError(
            f"{key!r}: the printed formula gives {printed} but the function gives {value}: the "
            "function does something that its formula does not show"
        )


def _check_trace(key: str, node: Any, expr: Expr, setting: Setting) -> Samples:
    """Compare the trace with a re-run of the function, at the defaults and at check points."""
    defaults = {name: parameter.default for name, parameter in setting.parameters.items()}
    samples: Samples = []
    wanted = [defaults, *setting.points]
    if not variables_of(expr):
        wanted = wanted[:1]
    for index, point in enumerate(wanted):
        outcome = _agree(key, node, expr, point, setting.runs)
        if index and setting.keep_samples:
            samples.append(outcome)
    return samples


def hard_samples(key: str, node: Any, expr: Expr, setting: Setting) -> list[list[Any]]:
    """(point, value) where the number decides something; trace and function must agree there too.

    Only made when the build keeps samples: the search takes longer than the number.
    """
    if not setting.keep_samples:
        return []
    turns = hard_points(expr, setting.parameters)
    return [[point, _agree(key, node, expr, point, setting.runs)] for point in turns]


def _agree(key: str, node: Any, expr: Expr, point: Point, runs: Runs) -> str:
    plain, evaluator = runs.at(point)
    try:
        again = plain(node)
    except MissingFactError:
        return "missing"
    except LedgerError as error:
        raise PublishError(f"{key!r}: the ledger refuses {point}: {error}") from error
    try:
        traced: Any = evaluator(expr)
    except TraceError as error:
        traced = f"an error ({error})"
    if traced != again:
        raise PublishError(
            f"{key!r}: the traced expression gives {traced} but the function gives {again} at "
            f"{point}: the function does something that its trace does not show"
        )
    return again if isinstance(again, str) else str(again)


def _outer_call(node: Any) -> CallNode | None:
    """The call that a number is a field of; None for a composed number."""
    if any(isinstance(n, OperationNode) for n in _spine(node)):
        return None
    found = calls(node)
    named = [c for c in found if c.function.__name__ != "timed"]
    return next(iter(named or found), None)


def _spine(node: Any) -> list[Any]:
    spine = []
    for inner in below(node):
        spine.append(inner)
        if isinstance(inner, CallNode):
            break
    return spine


@functools.cache
def _place(function: Callable[..., Any], root: Path) -> str:
    function = inspect.unwrap(function)
    path = Path(inspect.getsourcefile(function) or "")
    if not path.is_relative_to(root):
        return ""
    return f"{path.relative_to(root).as_posix()}:{inspect.getsourcelines(function)[1]}"


def _inputs(call: CallNode, plain: Plain) -> dict[str, str]:
    shown = {}
    for name, given in call.arguments.items():
        value = plain(given)
        shown[name] = str(getattr(value, "name", value))
    return shown


def rows_of(node: Any, plain: Plain) -> dict[str, str]:
    """Hashes of the table rows that the calls below a node were given."""
    found = []
    for call in calls(node):
        for name, argument in arguments(call.function).items():
            if argument.row is None or name not in call.arguments:
                continue
            value = plain(call.arguments[name])
            found.append(TABLES[argument.row][value] if isinstance(value, str) else value)
    return row_marks(found)
