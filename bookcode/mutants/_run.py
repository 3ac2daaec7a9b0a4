"""The whole run: the book is built, everything is mutated, what survives is held to the list."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.mutants._baseline import Baseline
from bookcode.mutants._changed import Changed
from bookcode.mutants._claims import ClaimJudge, claim_mutants
from bookcode.mutants._coverage import measure
from bookcode.mutants._equivalents import Equivalents
from bookcode.mutants._facts import FactJudge, fact_mutants
from bookcode.mutants._forking import TIME_LIMIT, Judge, judge_all
from bookcode.mutants._ledger import LedgerJudge, code_mutants, profile_mutants
from bookcode.mutants._locks import LockJudge, lock_mutants
from bookcode.mutants._model import Mutant, Verdict
from bookcode.mutants._text import TextJudge, key_mutants, number_mutants, verdict_mutants
from bookcode.mutants._warm import Warm, with_everything

KINDS: Final = ("profile", "claim", "verdict", "key", "number", "fact", "lock", "ledger")
"""What is mutated, the quickest first."""
TEXT: Final = ("verdict", "key", "number")
"""What is mutated in every edition."""
SHARE: Final = 24
"""So many mutants are judged by one fork where the judge leaves nothing behind."""

REPORT_EVERY: Final = 200
PATIENCE: Final = 4.0
"""So many times the checks of an unchanged ledger may take before a mutant counts as endless."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes:
        kinds: which kinds of mutants.
        changed: only what lies on changed lines; None for everything.
        seconds: no mutant is begun after so long.
    """

    kinds: Sequence[str] = KINDS
    changed: Changed | None = None
    seconds: float | None = None


def run(root: Path, out: Path, request: Request, say: Say) -> list[Verdict]:
    """Build the book below ``out``, make the mutants, judge them.

    Raises:
        MutantsError: when the book or a test is not green to begin with, or the list of
            equivalents cannot be read.
    """
    equivalents = Equivalents.read(root / "references" / "mutants.toml")
    deadline = None if request.seconds is None else time.monotonic() + request.seconds
    say("building the book, to have something to mutate ...")
    baseline = Baseline.build(root, out)
    # Loaded once, before anything forks.
    for edition in (baseline, *baseline.others):
        _ = edition.registry, edition.library

    def work(warm: Warm) -> list[Verdict]:
        found: list[Verdict] = []
        for kind, edition in _parts(baseline, request.kinds):
            started = time.monotonic()
            mutants = list(_chosen(_mutants(edition, warm, kind), request.changed))
            if not mutants:
                continue
            name = kind if edition is baseline else f"{kind} in {edition.edition}"
            judged = _judged(baseline, edition, warm, kind, mutants, deadline, out)
            for count, verdict in enumerate(judged, start=1):
                found.append(equivalents.judge(verdict))
                if count % REPORT_EVERY == 0:
                    say(f"{name}: {count} of {len(mutants)}")
            say(f"{name}: {len(mutants)} mutants in {time.monotonic() - started:.0f} s")
        return found

    verdicts = with_everything(baseline, work)
    complete = request.changed is None and not any(v.outcome == "not run" for v in verdicts)
    if complete and set(request.kinds) == set(KINDS):
        equivalents.check_stale(verdicts)
    return list(verdicts)


def _parts(baseline: Baseline, kinds: Sequence[str]) -> Iterator[tuple[str, Baseline]]:
    """Every kind with every edition that it is made in: the text is in all of them."""
    for kind in kinds:
        yield kind, baseline
        if kind in TEXT:
            for other in baseline.others:
                yield kind, other


def _judged(
    baseline: Baseline,
    edition: Baseline,
    warm: Warm,
    kind: str,
    mutants: Sequence[Mutant],
    deadline: float | None,
    out: Path,
) -> Iterator[Verdict]:
    share = 1 if kind in ("ledger", "profile", "fact") else SHARE
    judge, needed = _judge(baseline, edition, warm, kind, out)
    seconds = max(TIME_LIMIT, PATIENCE * needed)
    return judge_all(mutants, judge, share=share, deadline=deadline, seconds=seconds)


def _mutants(baseline: Baseline, warm: Warm, kind: str) -> Iterable[Mutant]:
    match kind:
        case "ledger":
            return code_mutants(baseline.root)
        case "profile":
            return profile_mutants(baseline.root)
        case "fact":
            return fact_mutants(baseline.registry)
        case "lock":
            return lock_mutants(baseline)
        case "claim":
            return claim_mutants(baseline, warm)
        case "number":
            return number_mutants(baseline)
        case "verdict":
            return verdict_mutants(baseline)
        case "key":
            return key_mutants(baseline)
    raise AssertionError(kind)


def _judge(
    baseline: Baseline, edition: Baseline, warm: Warm, kind: str, out: Path
) -> tuple[Judge, float]:
    """The judge of a kind, and the seconds that it needs for what nothing notices, if they count.

    On a busy machine these may be many; a fixed limit would take a survivor for a build that never
    ends.
    """
    match kind:
        case "ledger":
            coverage = measure(baseline.root, warm, out / "coverage.json")
            ledger = LedgerJudge(baseline, warm, coverage)
            return ledger.code, ledger.check_unchanged()
        case "profile":
            profiles = LedgerJudge(baseline, warm, None)
            return profiles.profile, profiles.check_unchanged()
        case "fact":
            return FactJudge(baseline, warm), 0.0
        case "lock":
            return LockJudge(baseline), 0.0
        case "claim":
            return ClaimJudge(baseline), 0.0
    text = TextJudge(edition, None if edition is baseline else baseline)
    return {"number": text.number, "verdict": text.verdict, "key": text.key}[kind], 0.0


def _chosen(mutants: Iterable[Mutant], changed: Changed | None) -> Iterator[Mutant]:
    """Those on changed lines; names that stand twice are told apart by a number."""
    seen: dict[str, int] = {}
    for mutant in mutants:
        seen[mutant.name] = seen.get(mutant.name, 0) + 1
        if seen[mutant.name] > 1:
            name = f"{re.sub(r' #[0-9]+$', '', mutant.name)} #{seen[mutant.name]}"
            mutant = _named(mutant, name)
        if changed is None or changed.holds(mutant):
            yield mutant


def _named(mutant: Mutant, name: str) -> Mutant:
    return Mutant(
        mutant.kind, name, mutant.path, mutant.line, mutant.column, mutant.what, mutant.data
    )
