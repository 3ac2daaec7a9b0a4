"""Mutants of the ledger: its code, and the values of its machine profiles."""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bookcode.mutants import _fresh
from bookcode.mutants._baseline import Baseline
from bookcode.mutants._cells import run_page
from bookcode.mutants._code import CodeChange, changes
from bookcode.mutants._coverage import LEDGER, Coverage
from bookcode.mutants._forking import call_forked
from bookcode.mutants._model import Mutant, MutantsError, Red
from bookcode.mutants._values import nudged
from bookcode.mutants._warm import Warm, replace_code, run_anew

PROFILES: Final = f"{LEDGER}/machines/profiles.toml"
QUICK: Final = "tests/ledger/test_accepted.py"
"""Every function of the ledger at a few settings: most of what is wrong turns red there."""
_VALUE: Final = re.compile(r'\bvalue = "([^"]+)"')


def code_mutants(root: Path) -> Iterator[Mutant]:
    """Every numeric literal, arithmetic and comparison operator of the ledger."""
    for path in sorted((root / LEDGER).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for change in changes(path.read_text("utf-8")):
            place = f"{name}::{change.scope}" if change.scope else name
            number = f" #{change.number}" if change.number > 1 else ""
            what = f"{change.before} → {change.after}"
            identity = f"{place}: {what}{number}"
            yield Mutant("ledger", identity, name, change.line, change.column, what, change)


def profile_mutants(root: Path) -> Iterator[Mutant]:
    """Every value of the machine profiles."""
    section = ""
    for number, line in enumerate((root / PROFILES).read_text("utf-8").split("\n"), start=1):
        if line.startswith("["):
            section = line.strip("[]")
        if found := _VALUE.search(line):
            value, field = found[1], line.partition("=")[0].strip()
            what = f"{value} → {nudged(value)}"
            identity = f"{PROFILES}: {section}.{field}: {what}"
            yield Mutant("profile", identity, PROFILES, number, found.start(1) + 1, what)


class LedgerJudge:
    """Runs the numbers and tests that use what was changed. Every call is to be made in a fork."""

    def __init__(self, baseline: Baseline, warm: Warm, coverage: Coverage | None) -> None:
        self._baseline, self._warm, self._coverage = baseline, warm, coverage

    def check_unchanged(self) -> float:
        """See that what is not changed is not noticed, or every mutant would seem to be.

        Returns the seconds that the checks took: as long as a mutant needs that nothing notices.

        Raises:
            MutantsError: when the unchanged ledger, imported anew, turns a check red.
        """

        def unchanged() -> list[str] | None:
            path = self._baseline.root / LEDGER / "cost.py"
            tree = ast.parse(path.read_text("utf-8"))
            _fresh.change_module("bookcode.ledger.cost", path, tree)
            red = self._anew()
            return None if red is None else [red.check, red.said]

        started = time.monotonic()
        if found := call_forked(unchanged):
            raise MutantsError(f"the unchanged ledger seems changed: {': '.join(found)}")
        return time.monotonic() - started

    def code(self, mutant: Mutant) -> Red | None:
        """Judge a mutant of code, in place where it is in a function."""
        change: CodeChange = mutant.data
        path = self._baseline.root / mutant.path
        module = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        tree = change.apply(path.read_text("utf-8"))
        code = compile(tree, str(path), "exec")
        if change.scope and replace_code(module, change.scope, code):
            reached = f"{mutant.path}::{change.scope}"
            known = any(reached in one.runs for one in self._warm.published)
            if red := self._warm.numbers(reached if known else None):
                return red
            assert self._coverage is not None  # mutants of code are judged with it
            tests = self._coverage.tests_of(mutant.path, change.scope)
            if red := self._warm.run_tests(tests):
                return red
        # What ran on import has its old results: once more, from the beginning.
        _fresh.change_module(module, path, tree)
        return self._anew()

    def profile(self, mutant: Mutant) -> Red | None:
        """Judge a mutant of a profile."""
        path = self._baseline.root / PROFILES
        before, after = mutant.what.split(" → ")
        lines = path.read_text("utf-8").split("\n")
        lines[mutant.line - 1] = lines[mutant.line - 1].replace(f'"{before}"', f'"{after}"', 1)
        _fresh.change_file(path, "\n".join(lines))
        from bookcode.verify.world import check_profiles

        if problems := check_profiles(self._baseline.registry).problems:
            return Red("profiles", problems[0])
        return self._anew()

    def _anew(self) -> Red | None:
        """Import the ledger again; run pages and tests up to the first red, quick ones first."""
        try:
            importlib.import_module("bookcode.ledger")
        except Exception as error:
            return Red("build", f"the ledger cannot be imported: {type(error).__name__}: {error}")
        if (self._baseline.root / QUICK).exists() and (red := run_anew(self._baseline.root, QUICK)):
            return red
        for docname in self._baseline.records:
            if red := run_page(self._baseline, docname):
                return red
        return run_anew(self._baseline.root)
