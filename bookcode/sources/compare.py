"""One citation against the bytes it cites: as recorded, elsewhere, or changed."""

from __future__ import annotations

from dataclasses import replace

from .extract import missing_anchors
from .members import Text, lines_sha256
from .model import Citation
from .report import CitationResult, Status


def compare(citation: Citation, text: Text) -> CitationResult:
    """Compare a pinned citation with the member it cites.

    Raises MemberError when the member is not text.
    """
    assert citation.lines is not None  # a pinned citation has lines: the registry saw to it
    first, last = citation.lines
    details = []
    if text.sha256 != citation.file_sha256:
        details.append(f"file: sha256 {text.sha256}, recorded {citation.file_sha256}")
    span = text.span(first, last)
    if span is None or lines_sha256(span) != citation.lines_sha256:
        return _elsewhere(citation, text, details)
    if lost := list(missing_anchors(citation.anchors, span)):
        details.extend(f"anchor {anchor!r} is not in lines {first}-{last}" for anchor in lost)
    elif details:
        details.append("the cited lines are as recorded")
    status = Status.CHANGED if details else Status.EXACT
    return CitationResult(citation, status, tuple(details), citation.lines)


def _elsewhere(citation: Citation, text: Text, details: list[str]) -> CitationResult:
    """The lines are not where they were: are they somewhere else?"""
    assert citation.lines is not None
    first, last = citation.lines
    length = last - first + 1
    found = find_lines(text, length, citation.lines_sha256 or "")
    base = CitationResult(citation, Status.CHANGED, tuple(details), candidates=tuple(found))
    if len(found) == 1:
        now = found[0]
        lost = list(missing_anchors(citation.anchors, text.span(*now) or ""))
        if not lost:
            detail = f"now at lines {now[0]}-{now[1]}"
            return replace(base, status=Status.SHIFTED, details=(detail, *details), lines=now)
        details.extend(f"anchor {anchor!r} is not in lines {now[0]}-{now[1]}" for anchor in lost)
    if len(found) > 1:
        at = ", ".join(f"{a}-{b}" for a, b in found)
        return replace(base, status=Status.AMBIGUOUS, details=(f"now at lines {at}", *details))
    if last > len(text.lines):
        details.insert(0, f"the file has {len(text.lines)} lines, the citation ends at {last}")
        return replace(base, details=tuple(details))
    span = text.span(first, last) or ""
    details.insert(0, f"lines: sha256 {lines_sha256(span)}, recorded {citation.lines_sha256}")
    lost = list(missing_anchors(citation.anchors, span))
    details.extend(f"anchor {anchor!r} is not in lines {first}-{last}" for anchor in lost)
    return replace(base, details=tuple(details), lines=citation.lines)


def find_lines(text: Text, length: int, sha256: str) -> list[tuple[int, int]]:
    """All ranges of `length` lines whose hash is `sha256`."""
    lines = text.lines
    return [
        (start + 1, start + length)
        for start in range(len(lines) - length + 1)
        if lines_sha256("\n".join(lines[start : start + length])) == sha256
    ]
