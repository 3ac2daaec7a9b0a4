"""Two versions of a tiny package: what moved, what changed, what cannot be told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.sources import (
    Citation,
    Evidence,
    Outcome,
    Proposal,
    UnknownKeyError,
    relocate,
)
from bookcode.sources.members import Text, lines_sha256
from bookcode.sources.model import Location
from bookcode.sources.relocate import _most_alike, _place

if TYPE_CHECKING:
    from tests.sources.conftest import Project

OLD, NEW = "geo==1.0", "geo==1.1"
FILE = "geo/disc.py"

FUNCTION = """\
import math


def area(radius):
    # The area of a disc.
    square = radius * radius
    if square < 0:
        raise ValueError(radius)
    factor = math.pi
    return factor * square


def edge(radius):
    return 2 * math.pi * radius
"""


def versions(project: Project, old: str, new: str | None, path: str = FILE) -> None:
    """Make both wheels; without `new` the second one lacks the file."""
    project.wheel(OLD, {path: old, "geo/other.py": "x = 1\n"})
    project.wheel(NEW, {"geo/other.py": "x = 1\n", **({} if new is None else {path: new})})


def propose(project: Project, *only: str) -> dict[str, Proposal]:
    registry = project.registry()
    found = relocate(registry, project.opened(OLD), project.opened(NEW), only or None)
    return {proposal.citation.id: proposal for proposal in found}


def test_the_same_file_is_the_same(project: Project) -> None:
    versions(project, FUNCTION, FUNCTION)
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.lines, proposal.moved_by) == (Outcome.SAME, (4, 10), 0)
    assert proposal.proven


def test_the_same_lines_in_an_otherwise_changed_file_are_the_same(project: Project) -> None:
    versions(project, FUNCTION, FUNCTION.replace("def edge", "def rim"))
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.lines) == (Outcome.SAME, (4, 10))
    assert proposal.file_sha256 != project.citations["AREA"]["file_sha256"]
    assert proposal.lines_sha256 == project.citations["AREA"]["lines_sha256"]


def test_moved_lines_are_moved_by_n(project: Project) -> None:
    versions(project, FUNCTION, '"""Discs."""\n\n' + FUNCTION)
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.moved_by, proposal.lines) == (Outcome.MOVED, 2, (6, 12))
    assert str(proposal) == "AREA: moved by +2 -> lines 6-12"


def test_two_citations_in_one_function_move_separately(project: Project) -> None:
    new = FUNCTION.replace("    square = ", "    # Signs do not matter.\n    square = ")
    new = new.replace("    factor =", "    # Since antiquity.\n    factor =")
    versions(project, FUNCTION, new)
    project.cite("HEAD", OLD, FILE, (4, 5), "^def area")
    project.cite("SQUARE", OLD, FILE, (6, 8), "square")
    project.cite("FACTOR", OLD, FILE, (9, 10), "factor")
    project.cite("ALL", OLD, FILE, (4, 10), "^def area")
    found = propose(project)
    assert (found["HEAD"].outcome, found["HEAD"].lines) == (Outcome.SAME, (4, 5))
    assert (found["SQUARE"].outcome, found["SQUARE"].lines) == (Outcome.MOVED, (7, 9))
    assert (found["FACTOR"].outcome, found["FACTOR"].lines) == (Outcome.MOVED, (11, 12))
    assert (found["ALL"].outcome, found["ALL"].lines) == (Outcome.CHANGED, (4, 12))


def test_changed_lines_have_a_candidate_that_is_not_proven(project: Project) -> None:
    versions(project, FUNCTION, "# new\n" + FUNCTION.replace("factor = math.pi", "factor = 3"))
    project.cite("AREA", OLD, FILE, (4, 10), "^def area", r"math\.pi")
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.lines) == (Outcome.CHANGED, (5, 11))
    assert not proposal.proven
    assert proposal.details == ("86% of its lines are there", r"anchor 'math\\.pi' is not in them")


def test_a_changed_single_line_is_found_by_its_anchor(project: Project) -> None:
    versions(project, "a = 1\nPEAK = 989.5e12\n", "a = 1\nb = 2\nPEAK = 989.4e12\n")
    project.cite("PEAK", OLD, FILE, (2, 2), "^PEAK")
    project.fact("geo.peak", "989.5e12", "PEAK", pattern=r"PEAK = (.+)", unit="FLOP/s")
    proposal = propose(project)["PEAK"]
    assert (proposal.outcome, proposal.lines) == (Outcome.CHANGED, (3, 3))
    assert proposal.facts == ("fact geo.peak: 989.4e12, was 989.5e12",)


def test_facts_that_read_the_same_are_not_mentioned(project: Project) -> None:
    versions(project, "PEAK = 989.5e12\n", "x = 1\nPEAK = 989.5e12\n")
    project.cite("PEAK", OLD, FILE, (1, 1), "^PEAK")
    project.fact("geo.peak", "989.5e12", "PEAK", pattern=r"PEAK = (.+)", unit="FLOP/s")
    assert propose(project)["PEAK"].facts == ()


def test_a_fact_that_cannot_be_read_any_more_is_mentioned(project: Project) -> None:
    versions(project, "PEAK = 1e12\n", "PEAK = fast\n")
    project.cite("PEAK", OLD, FILE, (1, 1), "^PEAK")
    project.fact("geo.peak", "1e12", "PEAK", pattern=r"PEAK = (.+)", unit="FLOP/s")
    (note,) = propose(project)["PEAK"].facts
    assert note == "fact geo.peak: 'fast' is not a number"


def test_what_is_no_longer_there_is_gone(project: Project) -> None:
    versions(project, FUNCTION, "def volume(radius):\n    raise NotImplementedError\n")
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.lines) == (Outcome.GONE, None)
    assert proposal.details == ("no similar passage",)


def test_a_file_that_is_no_longer_there_is_gone_and_names_the_like(project: Project) -> None:
    project.wheel(OLD, {FILE: FUNCTION})
    project.wheel(NEW, {"geo/shapes/disc.py": FUNCTION})
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    proposal = propose(project)["AREA"]
    assert proposal.outcome is Outcome.GONE
    assert "geo==1.1 has no geo/disc.py (nearest: geo/shapes/disc.py)" in str(proposal)


def test_equal_lines_without_a_neighbour_to_tell_them_apart_are_ambiguous(
    project: Project,
) -> None:
    versions(project, "a\nx\nb\n", "c\nx\nd\n\ne\nx\nf\n")
    project.cite("X", OLD, FILE, (2, 2), "^x$")
    proposal = propose(project)["X"]
    assert (proposal.outcome, proposal.lines) == (Outcome.AMBIGUOUS, None)
    assert proposal.details == ("the same lines stand at 2-2, 6-6",)


METHODS = """\
class A:
    name = "a"

    def __call__(self):
        return 1


class B:
    name = "b"

    def __call__(self):
        return 2
"""


def test_neighbours_tell_equal_lines_apart(project: Project) -> None:
    versions(project, METHODS, "import sys\n\n" + METHODS)
    project.cite("A", OLD, FILE, (4, 4), "__call__")
    project.cite("B", OLD, FILE, (11, 11), "__call__")
    found = propose(project)
    assert (found["A"].outcome, found["A"].lines) == (Outcome.MOVED, (6, 6))
    assert (found["B"].outcome, found["B"].lines) == (Outcome.MOVED, (13, 13))


def test_a_survivor_is_not_taken_for_its_deleted_twin(project: Project) -> None:
    only_b = METHODS[METHODS.index("class B") :]
    versions(project, METHODS, only_b)
    project.cite("A", OLD, FILE, (4, 4), "__call__")
    project.cite("B", OLD, FILE, (11, 11), "__call__")
    found = propose(project)
    assert found["A"].outcome is Outcome.AMBIGUOUS
    assert (found["B"].outcome, found["B"].lines) == (Outcome.MOVED, (4, 4))


@pytest.mark.parametrize(
    "wrong",
    [
        {"lines": [5, 11]},
        {"lines_sha256": "0" * 64},
        {"file_sha256": "0" * 64},
        {"anchors": ["^def edge"]},
        {"path": "geo/none.py"},
    ],
)
def test_what_was_wrong_before_is_never_carried_over(
    project: Project, wrong: dict[str, object]
) -> None:
    versions(project, FUNCTION, "# new\n" + FUNCTION)
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    project.citations["AREA"] |= wrong
    proposal = propose(project)["AREA"]
    assert (proposal.outcome, proposal.lines) == (Outcome.WAS_WRONG, None)
    assert not proposal.proven


def test_a_member_that_cannot_be_read_is_not_checked(project: Project) -> None:
    project.wheel(OLD, {FILE: FUNCTION})
    project.wheel(NEW, {FILE: b"\xff\xfe"})
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    assert propose(project)["AREA"].outcome is Outcome.NOT_CHECKED


def test_only_citations_of_that_version_are_looked_at(project: Project) -> None:
    versions(project, FUNCTION, FUNCTION)
    project.cite("AREA", OLD, FILE, (4, 10), "^def area")
    project.cite("NEWER", NEW, FILE, (4, 10), "^def area")
    project.cite("EDGE", OLD, FILE, (13, 14), "^def edge")
    assert set(propose(project)) == {"AREA", "EDGE"}
    assert set(propose(project, "EDGE")) == {"EDGE"}
    with pytest.raises(UnknownKeyError, match="nearest: EDGE"):
        propose(project, "EDGES")


def test_the_most_similar_window_wins_and_ties_go_to_the_nearest() -> None:
    old = ["a", "b", "c"]
    assert _most_alike(old, ["x", "a", "b", "y", "z"], 0) == (0, 2 / 3)
    assert _most_alike(old, ["a", "q", "q", "q", "q", "a"], 9)[0] >= 3
    assert _most_alike(["", " "], ["", " "], 0) == (0, 0.0)
    assert _most_alike(old, [], 0) == (0, 0.0)


def pinned(lines: list[str], first: int, last: int) -> Citation:
    return Citation(
        id="C",
        at=Location(Path("c"), 1),
        claim="c",
        evidence=Evidence.PINNED,
        source="s",
        path="p",
        lines=(first, last),
        lines_sha256=lines_sha256("\n".join(lines[first - 1 : last])),
        file_sha256=Text("\n".join(lines).encode()).sha256,
        anchors=("",),
    )


WORD = st.text("abcdefgh", min_size=1, max_size=4)


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], int, int, int]:
    """A file of different lines, a range, and the file with insertions outside the range."""
    lines = draw(st.lists(WORD, min_size=2, max_size=30, unique=True))
    first = draw(st.integers(1, len(lines)))
    last = draw(st.integers(first, len(lines)))
    above = draw(st.lists(st.text("xyz", min_size=5, max_size=9), max_size=4))
    below = draw(st.lists(st.text("xyz", min_size=5, max_size=9), max_size=4))
    cut = draw(st.integers(0, first - 1))
    new = [*lines[:cut], *above, *lines[cut:last], *below, *lines[last:]]
    return lines, new, first, last, len(above)


@given(edits())
@settings(max_examples=60)
def test_property_insertions_outside_move_exactly(
    edit: tuple[list[str], list[str], int, int, int],
) -> None:
    old, new, first, last, shift = edit
    before, after = Text("\n".join(old).encode()), Text("\n".join(new).encode())
    outcome, lines, _ = _place(pinned(old, first, last), before, after)
    assert lines == (first + shift, last + shift)
    assert outcome is (Outcome.MOVED if shift else Outcome.SAME)
    assert after.span(*lines) == before.span(first, last)
