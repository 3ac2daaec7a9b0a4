"""Mutants of facts: every value of the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._fresh import change_file
from bookcode.mutants._model import Mutant, Red
from bookcode.mutants._values import nudged
from bookcode.mutants._warm import Warm, run_anew
from bookcode.numbers.errors import NumbersError
from bookcode.sources import Artifact, ArtifactError, Registry, Store, check, default_folder
from bookcode.sources.members import Members
from bookcode.sources.report import RED, Status
from bookcode.sphinxext.library import Library

FACTS: Final = "references/facts.toml"
TEST: Final = "tests/sources/test_recorded_facts.py"


def fact_mutants(registry: Registry) -> Iterator[Mutant]:
    """Every value of a fact, with another last digit."""
    for key, fact in registry.facts.items():
        changed = nudged(str(fact.value))
        what = f"{fact.value} → {changed}"
        identity = f"{FACTS}: {key}: {what}"
        yield Mutant("fact", identity, FACTS, fact.at.line, 1, what, (key, changed))


class _Shelf:
    """Opens each artifact once: its hash was compared when it was opened."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._opened: dict[str, Members | ArtifactError] = {}

    def open(self, artifact: Artifact) -> Members:
        if artifact.id not in self._opened:
            try:
                self._opened[artifact.id] = self._store.open(artifact)
            except ArtifactError as error:
                self._opened[artifact.id] = error
        found = self._opened[artifact.id]
        if isinstance(found, ArtifactError):
            raise found
        return found


class FactJudge:
    """Compares a changed fact with its source, the machine profiles, and what the book shows.

    Every call is to be made in a fork.
    """

    def __init__(self, baseline: Baseline, warm: Warm) -> None:
        self._baseline, self._warm = baseline, warm
        self._shelf = _Shelf(Store(default_folder(baseline.root)))

    def __call__(self, mutant: Mutant) -> Red | None:
        key, value = mutant.data
        facts = dict(self._baseline.registry.facts)
        facts[key] = replace(facts[key], value=Decimal(value))
        registry = replace(self._baseline.registry, facts=facts)
        return (
            self._source(registry, key)
            or self._profiles(registry)
            or self._shown(registry, key)
            or self._calculated(key, Fraction(value))
            or self._tested(key, value)
            or self._unchecked(registry, key)
        )

    def _source(self, registry: Registry, key: str) -> Red | None:
        """The bytes of the source, and derivations from this fact."""
        derived = [other.key for other in registry.facts.values() if key in other.factors]
        report = check(registry, self._shelf, [key, *derived])
        for result in report.facts:
            if result.fact.key in (key, *derived) and result.status in RED:
                return Red("facts", str(result))
        return None

    def _unchecked(self, registry: Registry, key: str) -> Red | None:
        """Without the artifact nobody can say whether the value would be noticed."""
        for result in check(registry, self._shelf, [key]).facts:
            if result.status is Status.NOT_CHECKED:
                return Red("", f"not checked: {result}")
        return None

    def _profiles(self, registry: Registry) -> Red | None:
        from bookcode.verify.world import check_profiles

        problems = check_profiles(registry).problems
        return Red("profiles", problems[0]) if problems else None

    def _shown(self, registry: Registry, key: str) -> Red | None:
        """A fact that a page shows has its text in the lock."""
        library = Library(registry)
        for lock in self._baseline.locked.values():
            entry = lock.facts.get(key)
            if entry is None:
                continue
            for spec in self._specs.get(key, {""}):
                try:
                    shown = library.fact(key, spec, self._baseline.language)
                except NumbersError as error:
                    return Red("build", str(error))
                now = f"{shown.text} [{shown.hint}]"
                if now not in self._texts[key]:
                    return Red("lock", f"fact {key}: {entry['shown']} → {now}")
        return None

    @cached_property
    def _texts(self) -> dict[str, set[str]]:
        return _collected(self._baseline.exported, "shown")

    @cached_property
    def _specs(self) -> dict[str, set[str]]:
        return _collected(self._baseline.exported, "spec")

    def _calculated(self, key: str, value: Fraction) -> Red | None:
        """The numbers that cells calculate from a fact, calculated again."""
        from bookcode.numbers.graph import FactNode
        from bookcode.numbers.runs import Plain

        class Changed(Plain):
            """With another value of one fact."""

            def fact(self, node: FactNode) -> Any:
                return value if node.key == key else node.value

        return self._warm.numbers_with(Changed(), lambda one: key in one.facts)

    def _tested(self, key: str, value: str) -> Red | None:
        """The test that holds what was read once, on a changed file. It changes this process."""
        path = self._baseline.root / FACTS
        if not (self._baseline.root / TEST).exists():
            return None
        fact = self._baseline.registry.facts[key]
        lines = path.read_text("utf-8").split("\n")
        at = next(n for n in range(fact.at.line - 1, len(lines)) if lines[n].startswith("value ="))
        lines[at] = f'value = "{value}"'
        change_file(path, "\n".join(lines))
        return run_anew(self._baseline.root, TEST)


def _collected(exported: Mapping[str, Any], field: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for page in exported["pages"].values():
        for use in page["uses"]:
            if use["role"] == "fact":
                found.setdefault(use["key"], set()).add(use[field])
    return found
