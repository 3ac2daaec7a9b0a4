"""Where do cited lines stand in another version of their artifact?

This proposes and proves; only `accept` writes. A citation that was already wrong in its own
version is never carried over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from fractions import Fraction
from typing import Final

from .compare import compare, find_lines
from .errors import ArtifactError, ExtractionError, MemberMissingError, hint
from .extract import missing_anchors, plain, read_value
from .members import Members, Text, lines_sha256
from .model import Artifact, Citation, Evidence, Fact
from .registry import Registry
from .report import Status

CONTEXT: Final = 40
"""How many lines around equal passages are compared to tell them apart."""
LIKENESS: Final = 0.3
"""Below this share of equal lines a passage is gone rather than changed."""

Span = tuple[int, int]


class Outcome(Enum):
    """What became of cited lines in the new version."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"
    WAS_WRONG = "was already wrong"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed place in the new version: `lines` is the best candidate, None when there is none.

    `facts` says what each fact of the citation reads at that place, where it differs.
    """

    citation: Citation
    outcome: Outcome
    source: str
    lines: Span | None = None
    lines_sha256: str = ""
    file_sha256: str = ""
    details: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def moved_by(self) -> int:
        """By how many lines the passage stands lower; 0 when it did not move."""
        if self.lines is None or self.citation.lines is None:
            return 0
        return self.lines[0] - self.citation.lines[0]

    @property
    def proven(self) -> bool:
        """The very lines were found, at one place only."""
        return self.outcome in (Outcome.SAME, Outcome.MOVED)

    def __str__(self) -> str:
        moved = f" by {self.moved_by:+d}" if self.outcome is Outcome.MOVED else ""
        where = f" -> lines {self.lines[0]}-{self.lines[1]}" if self.lines else ""
        notes = "; ".join((*self.details, *self.facts))
        tail = f": {notes}" if notes else ""
        return f"{self.citation.id}: {self.outcome.value}{moved}{where}{tail}"


def relocate(
    registry: Registry,
    old: tuple[Artifact, Members],
    new: tuple[Artifact, Members],
    only: Iterable[str] | None = None,
) -> tuple[Proposal, ...]:
    """A proposal for every pinned citation of `old` (or those in `only`), looked up in `new`."""
    wanted = None if only is None else frozenset(only)
    for key in wanted or ():
        registry.citation(key)
    return tuple(
        _propose(registry, citation, old[1], new)
        for citation in registry.citations.values()
        if citation.source == old[0].id
        and citation.evidence is Evidence.PINNED
        and (wanted is None or citation.id in wanted)
    )


def _propose(
    registry: Registry, citation: Citation, old: Members, new: tuple[Artifact, Members]
) -> Proposal:
    source, members = new[0].id, new[1]
    assert citation.path is not None  # a pinned citation has a path: the registry saw to it
    try:
        before = old.read(citation.path)
        result = compare(citation, before)
    except ArtifactError as error:
        return Proposal(citation, Outcome.WAS_WRONG, source, details=(str(error),))
    if result.status is not Status.EXACT:
        details = (f"{result.status.value} in {citation.source}", *result.details)
        return Proposal(citation, Outcome.WAS_WRONG, source, details=details)
    try:
        after = members.read(citation.path)
        outcome, lines, details = _place(citation, before, after)
    except MemberMissingError:
        near = hint(members.like(citation.path))
        details = (f"{source} has no {citation.path}{near}",)
        return Proposal(citation, Outcome.GONE, source, details=details)
    except ArtifactError as error:
        return Proposal(citation, Outcome.NOT_CHECKED, source, details=(str(error),))
    if lines is None:
        return Proposal(citation, outcome, source, details=details)
    span = after.span(*lines) or ""
    lost = [f"anchor {a!r} is not in them" for a in missing_anchors(citation.anchors, span)]
    return Proposal(
        citation,
        outcome,
        source,
        lines,
        lines_sha256(span),
        after.sha256,
        (*details, *lost),
        _fact_notes(registry.facts_of(citation.id), citation, after.text, lines),
    )


def _place(
    citation: Citation, before: Text, after: Text
) -> tuple[Outcome, Span | None, tuple[str, ...]]:
    assert citation.lines is not None
    first, last = citation.lines
    length = last - first + 1
    if before.sha256 == after.sha256:
        return Outcome.SAME, citation.lines, ()
    found = find_lines(after, length, citation.lines_sha256 or "")
    if not found:
        return _changed(citation, before, after)
    siblings = find_lines(before, length, citation.lines_sha256 or "")
    ours = _of_the_same_place(citation.lines, siblings, found, before.lines, after.lines)
    if len(ours) != 1:
        at = ", ".join(f"{a}-{b}" for a, b in found)
        return Outcome.AMBIGUOUS, None, (f"the same lines stand at {at}",)
    moved = ours[0] != citation.lines
    return (Outcome.MOVED if moved else Outcome.SAME), ours[0], ()


def _of_the_same_place(
    mine: Span, siblings: Sequence[Span], found: Sequence[Span], old: list[str], new: list[str]
) -> list[Span]:
    """Those of `found` that belong to `mine` and not to another passage with the same lines.

    One passage before and one after is the plain case. Otherwise neighbours decide: a passage
    belongs to the old one with which it shares the most lines before and after, and only when no
    other shares as many.
    """
    if len(siblings) == 1 and len(found) == 1:
        return list(found)
    scores = {(was, now): _shared_context(old, was, new, now) for was in siblings for now in found}
    ours = []
    for now in found:
        score = scores[mine, now]
        rivals_before = [scores[was, now] for was in siblings if was != mine]
        rivals_after = [scores[mine, other] for other in found if other != now]
        if score > max([0, *rivals_before, *rivals_after]):
            ours.append(now)
    return ours


def _shared_context(old: list[str], was: Span, new: list[str], now: Span) -> int:
    """How many lines right before and right after two equal passages are equal, too."""
    score = 0
    for step, a, b in ((-1, was[0] - 2, now[0] - 2), (1, was[1], now[1])):
        for distance in range(CONTEXT):
            i, j = a + step * distance, b + step * distance
            if not (0 <= i < len(old) and 0 <= j < len(new)) or old[i] != new[j]:
                break
            score += 1
    return score


def _changed(
    citation: Citation, before: Text, after: Text
) -> tuple[Outcome, Span | None, tuple[str, ...]]:
    """The lines are not there as they were: the most similar passage, or none."""
    assert citation.lines is not None
    first, last = citation.lines
    old = before.lines[first - 1 : last]
    start, share = _most_alike(old, after.lines, first - 1)
    if share < LIKENESS:
        anchored = _anchored(citation, after, len(old))
        if anchored is None:
            return Outcome.GONE, None, ("no similar passage",)
        return Outcome.CHANGED, anchored, ("found by its anchors",)
    lines = _fit(old, after.lines, start)
    return Outcome.CHANGED, lines, (f"{share:.0%} of its lines are there",)


def _most_alike(old: list[str], new: list[str], expected: int) -> tuple[int, float]:
    """Start (from 0) and share of equal lines of the passage of `new` most like `old`."""
    wanted = Counter(line for line in old if line.strip())
    total = sum(wanted.values())
    length = len(old)
    window: Counter[str] = Counter()
    best, best_start, equal = 0, 0, 0
    for index, line in enumerate(new):
        if window[line] < wanted[line]:
            equal += 1
        window[line] += 1
        if index >= length:
            gone = new[index - length]
            window[gone] -= 1
            if window[gone] < wanted[gone]:
                equal -= 1
        start = max(0, index - length + 1)
        nearer = abs(start - expected) < abs(best_start - expected)
        if equal > best or (equal == best and nearer):
            best, best_start = equal, start
    return best_start, best / total if total else 0.0


def _fit(old: list[str], new: list[str], start: int) -> Span:
    """Stretch the window at `start` so that it begins and ends as `old` does, where it can."""
    low = max(0, start - len(old))
    region = new[low : start + 2 * len(old)]
    blocks = SequenceMatcher(None, old, region, autojunk=False).get_matching_blocks()[:-1]
    if not blocks:
        return start + 1, min(len(new), start + len(old))
    head, tail = blocks[0], blocks[-1]
    first = max(low, low + head.b - head.a)
    missing_tail = len(old) - (tail.a + tail.size)
    last = min(len(new), low + tail.b + tail.size + missing_tail)
    return first + 1, max(first + 1, last)


def _anchored(citation: Citation, after: Text, length: int) -> Span | None:
    """The first passage of `length` lines that holds every anchor."""
    for start in range(max(1, len(after.lines) - length + 1)):
        span = "\n".join(after.lines[start : start + length])
        if not list(missing_anchors(citation.anchors, span)):
            return start + 1, min(len(after.lines), start + length)
    return None


def _fact_notes(
    facts: Iterable[Fact], citation: Citation, text: str, lines: Span
) -> tuple[str, ...]:
    """For facts that do not read the same at the new place: what they read."""
    notes = []
    for fact in facts:
        if not (fact.path or fact.pattern):
            continue
        try:
            value: Fraction = read_value(fact, citation, text, lines)
        except ExtractionError as error:
            notes.append(f"fact {fact.key}: {error}")
            continue
        if value != fact.exact:
            notes.append(f"fact {fact.key}: {plain(value)}, was {plain(fact.exact)}")
    return tuple(notes)
