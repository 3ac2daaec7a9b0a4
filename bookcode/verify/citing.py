"""Citations and facts against the bytes of their pinned sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bookcode.sources import Evidence, FetchSet, Registry, Report, Store, check, default_folder
from bookcode.sources.report import RED, CitationResult, FactResult, Status
from bookcode.verify.result import Result


def check_sources(
    root: Path, registry: Registry, wanted: FetchSet, say: Callable[[str], None]
) -> list[Result]:
    """Fetch what the store lacks of a set, then check every citation and fact.

    Without network and with an empty store everything pinned counts as not checked.
    """
    store = Store(default_folder(root))
    synced = store.sync(registry.artifacts.values(), wanted, _only_fetching(say))
    report = check(registry, store)
    results = [_citations(report), _facts(report)]
    for error in synced.failed:
        results[0].unchecked.append(str(error))
    return results


def _only_fetching(say: Callable[[str], None]) -> Callable[[str], None]:
    def progress(line: str) -> None:
        if not line.endswith(": present"):
            say(line)

    return progress


def _citations(report: Report) -> Result:
    counts = report.evidence_counts
    checked = [r for r in report.citations if r.status is Status.EXACT or r.status in RED]
    others = [e for e in Evidence if e is not Evidence.PINNED]
    note = ", ".join(f"{counts[e]} {e.value}" for e in others if counts[e])
    result = Result("citations", len(checked), "pinned", note=f"besides {note}" if note else "")
    _sort_in(result, report.citations)
    return result


def _facts(report: Report) -> Result:
    checked = [r for r in report.facts if r.status is Status.EXACT or r.status in RED]
    note = f"{len(report.contradictions)} contradictions between sources recorded"
    result = Result("facts", len(checked), "read out", note=note)
    _sort_in(result, report.facts)
    return result


def _sort_in(result: Result, found: tuple[CitationResult, ...] | tuple[FactResult, ...]) -> None:
    for item in found:
        if item.status in RED:
            result.problems.append(str(item))
        elif item.status is Status.NOT_CHECKED:
            # by artifact: a store without it leaves a hundred items unchecked for one reason
            result.unchecked.append(item.details[-1] if item.details else str(item))
