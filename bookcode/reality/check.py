"""Everything that is held against reality, as results that a verifier can print.

Counts are compared with the record in ``counts.json``, which a command writes; a change of a count
is a problem until somebody has looked at it. Anchors are counts known beforehand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bookcode.lab.errors import LabError
from bookcode.lab.record import RECORD as LAB
from bookcode.lab.record import read as read_lab
from bookcode.reality import page, published, record
from bookcode.reality.counters import COUNTERS, RUN, Comparison, torch_run
from bookcode.reality.errors import RealityError
from bookcode.reality.mutants import Outcome, outside, try_all
from bookcode.reality.mutating import mutants
from bookcode.reality.operators import LEDGER
from bookcode.reality.survey import GroupRecord, Survey, survey
from bookcode.sources import ArtifactError, Registry, Store
from bookcode.sources.members import Members

RECORD: Final = Path(__file__).with_name("counts.json")
EVERY: Final = 11
"""A verifier tries every so many mutants; the command tries all."""
MEASURED: Final = "NVIDIA"
"""The counter whose artifact also holds the measured tables."""


@dataclass
class RealityResult:
    """The outcome of one check; the fields are those of the verifier's own results.

    Attributes:
        name: what was checked.
        checked: how many things.
        what: what one of them is.
        problems: what is wrong, each with its place.
        unchecked: what should have been checked and was not, with the reason.
        note: a word on the side.
    """

    name: str
    checked: int = 0
    what: str = ""
    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    note: str = ""


def check_reality(root: Path, store: Store, every: int = EVERY) -> list[RealityResult]:
    """Hold the ledger against everything outside that needs no extra.

    What the store does not hold counts as not checked. ``every`` thins out the mutants.
    """
    artifacts, missing = open_artifacts(root, store)
    results = [_published(root)]
    results.append(_counters(root, artifacts, missing))
    if MEASURED not in artifacts:
        unchecked = [missing[MEASURED]]
        results.append(RealityResult("measured times", what="rows", unchecked=unchecked))
        results.append(RealityResult("mutants", what="mistakes", unchecked=unchecked))
        results.append(_page(root, artifacts, missing, None, []))
        return results
    try:
        found = survey(artifacts[MEASURED])
    except RealityError as error:
        results.append(RealityResult("measured times", what="rows", problems=[str(error)]))
        return results
    results.append(_measured(found))
    mutants_result, outcomes = _mutants(root, artifacts, missing, every)
    results += [mutants_result, _page(root, artifacts, missing, found, outcomes)]
    return results


def open_artifacts(root: Path, store: Store) -> tuple[dict[str, Members], dict[str, str]]:
    """Members of each counter's artifact, and why some could not be opened."""
    registry = Registry.load(root / "references")
    opened, missing = {}, {}
    for name, (artifact, _) in COUNTERS.items():
        try:
            opened[name] = store.open(registry.artifact(artifact))
        except ArtifactError as error:
            missing[name] = str(error)
    return opened, missing


def _published(root: Path) -> RealityResult:
    result = RealityResult("published tables", what="numbers")
    try:
        tables = published.load(root)
        rows = list(published.rows(tables))
        result.problems += [text for row in rows if (text := row.problem(LEDGER))]
    except RealityError as error:
        result.problems.append(str(error))
        return result
    result.checked = len(rows)
    odd = sum(not row.follows for row in rows)
    result.note = f"{len(tables)} sources; {odd} printed numbers do not follow from their inputs"
    return result


def comparisons_of(root: Path, name: str, artifacts: Mapping[str, Members]) -> Iterable[Comparison]:
    """The comparisons with a counter: out of its artifact, or out of the lab's record.

    Raises:
        RealityError, LabError: for a formula that is not followed, or a count that is missing.
    """
    if name == RUN:
        return torch_run(read_lab(root / LAB))
    return COUNTERS[name][1](artifacts[name])


def _counters(
    root: Path, artifacts: Mapping[str, Members], missing: Mapping[str, str]
) -> RealityResult:
    result = RealityResult("other counters", what="figures", unchecked=list(missing.values()))
    differing = 0
    for name in (*artifacts, RUN):
        try:
            comparisons = list(comparisons_of(root, name, artifacts))
        except (RealityError, LabError) as error:
            result.problems.append(str(error))
            continue
        for one in comparisons:
            result.checked += 1
            differing += bool(one.differences)
            if left := one.left(LEDGER):
                text = f"{one.place}: {one.operator} ({one.inputs})"
                result.problems.append(f"{text}: {float(left):g} {one.unit} are not explained")
    result.note = f"{differing} differ from the ledger, each explained exactly"
    return result


def _measured(found: Survey) -> RealityResult:
    classes = ", ".join(f"{count} {name}" for name, count in found.classes.items())
    return RealityResult(
        "measured times",
        found.rows,
        "rows",
        problems=[*anchors(found), *drift(found)],
        note=f"{found.beaten} beat the bound: {classes}; {found.unexplained} unexplained",
    )


HEADLINE: Final = ("h200_sxm/trtllm/1.0.0rc3", "gemm", "float16")
SLOPPY: Final = "h100_sxm/sglang/0.5.1.post1"


def anchors(found: Survey) -> Iterator[str]:
    """Counts that were known before this code was written, where they do not come out."""
    headline = [g for g in found.groups if (g.data_set, g.operator, g.label) == HEADLINE]
    counts = [(g.rows, g.beaten) for g in headline]
    yield from _expect("headline rows and beats of the spec", counts, [(9240, 0)])
    expectations = {
        e.roof: e.beaten
        for e in found.expectations
        if (e.data_set, e.operator, e.label) == HEADLINE
    }
    for roof, beaten in (("h200", 1028), ("h200:sustained", 1442)):
        yield from _expect(f"headline rows that beat {roof}", expectations.get(roof), beaten)
    prefill = [g for g in found.groups if (g.operator, g.label) == ("prefill", "float16/float16")]
    clean = [g for g in prefill if g.data_set != SLOPPY]
    sloppy = [(g.rows, g.beaten) for g in prefill if g.data_set == SLOPPY]
    together = (sum(g.rows for g in clean), sum(g.beaten for g in clean))
    yield from _expect("prefill rows and beats", together, (41057, 0))
    yield from _expect(f"prefill rows and beats of {SLOPPY}", sloppy, [(4900, 1576)])


def _expect(what: str, found: object, wanted: object) -> Iterator[str]:
    if found != wanted:
        yield f"{what}: {found}, known as {wanted}"


def counts(found: Survey) -> dict[str, Any]:
    """The record of a survey: rows, beats and classes of each group."""
    return {name: _count(group) for name, group in _by_name(found.groups)}


def _by_name(groups: Sequence[GroupRecord]) -> Iterator[tuple[str, GroupRecord]]:
    for group in groups:
        parts = (group.data_set, group.operator, group.label, group.source)
        yield " ".join(part for part in parts if part), group


def _count(group: GroupRecord) -> dict[str, Any]:
    entry: dict[str, Any] = {"rows": group.rows}
    if group.beaten:
        entry |= {"beaten": group.beaten, **dict(sorted(group.classes.items()))}
    if group.unexplained:
        entry["unexplained"] = group.unexplained
    return entry


def recorded() -> dict[str, Any]:
    """The record as committed.

    Raises:
        RealityError: when there is none or it is not readable.
    """
    try:
        data: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RealityError(f"{RECORD.name}: {error}; run `reality --write`") from None
    return data


def drift(found: Survey) -> Iterator[str]:
    """Where the counts differ from the record."""
    try:
        known = recorded()["measured"]
    except RealityError as error:
        yield str(error)
        return
    now = counts(found)
    for name in sorted(known.keys() | now.keys()):
        if known.get(name) != now.get(name):
            yield f"{name}: {now.get(name)}, recorded {known.get(name)}"


def _page(
    root: Path,
    artifacts: Mapping[str, Members],
    missing: Mapping[str, str],
    found: Survey | None,
    outcomes: Sequence[Outcome],
) -> RealityResult:
    """The record that the pages show, against what was found now."""
    result = RealityResult("the page's record", what="entries", unchecked=list(missing.values()))
    try:
        kept = record.read(root / record.RECORD).parts
        now: dict[str, Any] = {"published": page.published(published.load(root))}
        now["counters"] = {
            name: page.counters(comparisons_of(root, name, artifacts)) for name in (*artifacts, RUN)
        }
        known = {**kept, "counters": {n: kept["counters"].get(n) for n in now["counters"]}}
        if found is not None:
            now |= page.surveyed_parts(found)
        caught = page.mutated(outcomes)
        known["mutants"] = {words: kept["mutants"].get(words) for words in caught}
        now["mutants"] = caught
    except (RealityError, LabError) as error:
        result.problems.append(str(error))
        return result
    # Through JSON, as the record went: a tuple comes back as a list.
    now = json.loads(json.dumps(now))
    result.checked = sum(len(part) for part in now.values())
    for part, entries in now.items():
        result.problems += [
            f"{record.RECORD}: {text}; run `reality --mutants --write`"
            for text in record.shortened(record.differences(known[part], entries, part))
        ]
    return result


def _mutants(
    root: Path, artifacts: Mapping[str, Members], missing: Mapping[str, str], every: int
) -> tuple[RealityResult, list[Outcome]]:
    result = RealityResult("mutants", what="mistakes", unchecked=list(missing.values()))
    if missing:
        return result, []
    try:
        prepared = outside(artifacts, tuple(published.rows(published.load(root))))
        known = recorded()["mutants"]
    except RealityError as error:
        result.problems.append(str(error))
        return result, []
    chosen = mutants()[::every]
    outcomes = try_all(prepared, chosen)
    result.checked = len(outcomes)
    frontier = set(known["frontier"])
    result.problems += [
        f"{outcome.mutant.place}: {outcome.mutant.change}: no outside check catches this mistake"
        for outcome in outcomes
        if not outcome.caught_by and outcome.mutant.words not in frontier
    ]
    caught = sum(bool(outcome.caught_by) for outcome in outcomes)
    result.note = (
        f"one in {every}; {caught} caught from outside; of all {known['mutants']},"
        f" {known['caught']} are, {len(known['frontier'])} are the frontier"
    )
    return result, outcomes
