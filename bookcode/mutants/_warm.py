"""A process in which everything that checks the ledger stands ready.

The pages' cells have run and the published numbers are at hand as what they are: functions
applied to arguments. The ledger's tests are collected. A mutant then costs a fork, the code of one
function, and the numbers and tests that run it: hundredths of a second instead of some seconds.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._cells import run_page
from bookcode.mutants._model import MutantsError, Red

TESTS: Final = "tests/ledger"
_OPTIONS: Final = (
    *(
        "-o",
        "addopts=--import-mode=importlib",
    ),  # the options for people at a terminal, which is not loaded
    *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:faulthandler"),
)


@dataclass
class Published:
    """A published number or verdict: its node in the graph, and what the lock says of it."""

    key: str
    node: Any
    expected: Any
    runs: frozenset[str]
    """ "path::function" of the ledger code that it runs through."""
    facts: frozenset[str] = frozenset()
    """The facts that its cell calculates with."""


@dataclass
class Warm:
    """What a mutant is checked with.

    Attributes:
        published: the book's numbers and verdicts.
        tests: the collected tests of the ledger by id.
    """

    published: list[Published] = field(default_factory=list)
    tests: dict[str, Any] = field(default_factory=dict)

    def numbers(self, key: str | None) -> Red | None:
        """Evaluate the published numbers that run ``key`` (None: all) and compare."""
        from bookcode.numbers.runs import Plain

        return self.numbers_with(Plain(), lambda one: key is None or key in one.runs)

    def numbers_with(self, plain: Any, wanted: Callable[[Published], bool]) -> Red | None:
        """Evaluate published numbers with ``plain`` and compare."""
        for one in filter(wanted, self.published):
            try:
                value = plain(one.node)
            except Exception as error:
                return Red("build", f"{one.key}: {type(error).__name__}: {error}")
            if value != one.expected:
                check = "claim" if isinstance(one.expected, bool) else "lock"
                return Red(check, f"{one.key}: {_short(one.expected)} → {_short(value)}")
        return None

    def run_tests(self, wanted: Sequence[str]) -> Red | None:
        """Run tests, up to the first failure."""
        from _pytest.runner import runtestprotocol

        for name in wanted:
            item = self.tests.get(name)
            if item is None:
                continue
            for report in runtestprotocol(item, nextitem=None, log=False):
                if report.failed:
                    return Red("tests", f"{name}: {_last_line(report)}")
        return None


def _short(value: Any) -> str:
    return f"{float(value):.6g}" if isinstance(value, Fraction) else str(value)


def _last_line(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr).strip()
    return text.splitlines()[0] if text else "failed"


# getting warm -----------------------------------------------------------------------------------
def with_everything(baseline: Baseline, work: Callable[[Warm], Any]) -> Any:
    """Run the pages and collect the tests in this process, then call ``work``.

    Raises:
        MutantsError: when a page is not as the lock says, or the tests cannot be collected.
    """
    warm = Warm()
    for docname in baseline.records:
        warm.published += _publish(baseline, docname)
    return _inside_pytest(baseline.root, warm, work)


def _publish(baseline: Baseline, docname: str) -> Iterator[Published]:
    """Run a page's cells; what they published, with its nodes."""
    from bookcode.numbers.book import Book
    from bookcode.numbers.graph import facts
    from bookcode.numbers.handles import node_of

    nodes: dict[str, Any] = {}
    publish, claim = Book.publish, Book.claim

    def keep_number(book: Any, key: str, *given: Any, **named: Any) -> Any:
        handle = publish(book, key, *given, **named)
        nodes[key] = node_of(handle)
        return handle

    def keep_claim(book: Any, key: str, predicate: Any, **named: Any) -> None:
        claim(book, key, predicate, **named)
        nodes[key] = node_of(predicate)

    hooks: Any = Book
    hooks.publish, hooks.claim = keep_number, keep_claim
    try:
        red = run_page(baseline, docname)
    finally:
        hooks.publish, hooks.claim = publish, claim
    if red is not None:
        raise MutantsError(f"{docname} is not as the lock says: {red.check}: {red.said}")
    by_key = {record.key: record for record in baseline.records[docname]}
    for key, node in nodes.items():
        record: Any = by_key[key]
        used_facts = frozenset(facts(node))
        if record.kind == "claim":
            used = [by_key[k] for k in record.uses if k in by_key]
            runs = {name for number in used for name in number.reached}  # type: ignore[attr-defined]
            yield Published(key, node, record.holds, frozenset(runs), used_facts)
        else:
            expected = record.value if record.number is None else record.number
            yield Published(key, node, expected, frozenset(record.reached), used_facts)


def _inside_pytest(root: Path, warm: Warm, work: Callable[[Warm], Any]) -> Any:
    import pytest

    os.chdir(root)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    _steady_hypothesis()
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if not (root / TESTS).is_dir():
        return work(warm)
    answer: list[Any] = []
    errors: list[Exception] = []

    class Loop:
        """Takes the place of running the tests."""

        def pytest_runtestloop(self, session: Any) -> bool:
            warm.tests = {item.nodeid: item for item in session.items}
            try:
                answer.append(work(warm))
            except Exception as error:  # pytest would print it as its own
                errors.append(error)
            return True

    status = pytest.main([*_OPTIONS, TESTS], plugins=[Loop()])
    if errors:
        raise errors[0]
    if not answer:
        raise MutantsError(f"the tests in {TESTS} cannot be collected (status {int(status)})")
    return answer[0]


def _steady_hypothesis() -> None:
    """The same examples every time, few of them, and no failure for a slow machine."""
    with contextlib.suppress(ImportError):
        from hypothesis import settings

        settings.register_profile(
            "mutants", deadline=None, derandomize=True, database=None, max_examples=40
        )
        settings.load_profile("mutants")


def run_anew(root: Path, tests: str = TESTS) -> Red | None:
    """Collect and run tests, by default all of the ledger, up to the first failure."""
    import pytest

    first: list[Red] = []

    class Watch:
        """Remembers the first failure."""

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed and not first:
                first.append(Red("tests", f"{report.nodeid}: {_last_line(report)}"))

        pytest_collectreport = pytest_runtest_logreport

    os.chdir(root)
    for name in [name for name in sys.modules if name.startswith(("tests.", "conftest", "test_"))]:
        del sys.modules[name]
    status = pytest.main([*_OPTIONS, "-x", tests], plugins=[Watch()])
    if not first and status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return Red("tests", f"pytest ended with status {int(status)}")
    return first[0] if first else None


# changing a function in place -------------------------------------------------------------------
def replace_code(module: str, scope: str, changed: CodeType) -> bool:
    """Give a live function the code that it has in a changed module; whether that can be done."""
    live = _find_live(importlib.import_module(module), scope.split("."))
    code = _find_code(changed, scope)
    if live is None or code is None or live.__code__.co_freevars != code.co_freevars:
        return False
    live.__code__ = code
    return True


def _find_live(holder: Any, names: Sequence[str]) -> FunctionType | None:
    found: Any = holder
    for name in names:
        found = inspect.getattr_static(found, name, None)
        if isinstance(found, property):
            found = found.fget
        elif isinstance(found, functools.cached_property):
            found = found.func
        elif isinstance(found, staticmethod | classmethod):
            found = found.__func__
        if inspect.isfunction(found):
            break  # what is nested in a function is part of its code
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found if inspect.isfunction(found) else None


def _find_code(code: CodeType, scope: str) -> CodeType | None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            name = constant.co_qualname
            if name == scope or (scope.startswith(f"{name}.") and constant.co_flags & 2):
                return constant
            if scope.startswith(f"{name}."):
                return _find_code(constant, scope)
    return None
