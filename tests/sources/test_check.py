"""Every way in which a citation or a fact can go wrong is seen, named and placed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bookcode.sources import (
    Citation,
    CitationResult,
    Evidence,
    FactResult,
    MemberError,
    Report,
    Status,
    UnknownKeyError,
)
from bookcode.sources.compare import compare
from bookcode.sources.members import Text, lines_sha256
from bookcode.sources.model import Location

if TYPE_CHECKING:
    from tests.sources.conftest import Project

SOURCE = "geo==1.0"
DISC = "geo/disc.py"


def citation(report: Report, key: str) -> CitationResult:
    return next(r for r in report.citations if r.citation.id == key)


def fact(report: Report, key: str) -> FactResult:
    return next(r for r in report.facts if r.fact.key == key)


def edit(project: Project, old: str, new: str) -> None:
    """Change the cited member, and pin the changed wheel: only the citation is now wrong."""
    text = project.text(SOURCE, DISC)
    assert old in text
    project.wheel(SOURCE, {**project.contents[SOURCE], DISC: text.replace(old, new, 1)})


def test_what_is_as_recorded_is_exact(cited: Project) -> None:
    report = cited.check()
    assert {r.status for r in (*report.citations, *report.facts)} == {Status.EXACT}
    assert report.exit_status == 0
    assert report.red == report.not_checked == ()
    assert fact(report, "geo.peak").found == 989_500_000_000_000


def test_a_line_inserted_above_shifts_by_one_and_gives_the_new_range(cited: Project) -> None:
    edit(cited, "import math", "import cmath\nimport math")
    report = cited.check()
    result = citation(report, "AREA")
    assert (result.status, result.shift, result.lines) == (Status.SHIFTED, 1, (5, 7))
    assert str(result).startswith("AREA (geo==1.0 geo/disc.py:4-6): shifted by 1: now at lines 5-7")
    assert fact(report, "geo.peak").status is Status.SHIFTED
    assert report.exit_status == 1


def test_a_line_removed_above_shifts_by_minus_one(cited: Project) -> None:
    edit(cited, "import math\n\n", "import math\n")
    assert citation(cited.check(), "AREA").shift == -1


def test_an_edit_inside_is_changed_and_says_what_was_found(cited: Project) -> None:
    edit(cited, "radius**2", "radius**3")
    report = cited.check()
    result = citation(report, "AREA")
    assert result.status is Status.CHANGED
    recorded = cited.citations["AREA"]["lines_sha256"]
    assert f"recorded {recorded}" in str(result)
    assert "geo/disc.py:4-6" in str(result)
    # The other citation of the file is not in its place any more only as far as the file goes.
    assert "the cited lines are as recorded" in str(citation(report, "PEAK"))


def test_an_edit_elsewhere_in_a_pinned_file_is_not_exact(cited: Project) -> None:
    edit(cited, "def edge", "def rim")
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert result.details[0].startswith("file: sha256 ")
    assert result.details[1] == "the cited lines are as recorded"


def test_a_changed_digit_is_reported_with_both_values(cited: Project) -> None:
    edit(cited, "989.5e12", "989.4e12")
    result = fact(cited.check(), "geo.peak")
    assert result.status is Status.CHANGED
    assert "geo==1.0 geo/disc.py:13-13 says 989.4e12 FLOP/s, the registry 989.5e12 FLOP/s" in str(
        result
    )
    assert "facts.toml:" in str(result)


def test_a_changed_value_in_the_registry_is_reported(cited: Project) -> None:
    cited.facts["geo.peak"]["value"] = "989.4e12"
    report = cited.check()
    result = fact(report, "geo.peak")
    assert result.status is Status.CHANGED
    assert "says 989.5e12 FLOP/s, the registry 989.4e12" in str(result)
    assert citation(report, "PEAK").status is Status.EXACT


def test_a_wrong_range_is_found_elsewhere(cited: Project) -> None:
    cited.citations["AREA"]["lines"] = [5, 7]
    result = citation(cited.check(), "AREA")
    assert (result.status, result.shift, result.lines) == (Status.SHIFTED, -1, (4, 6))


def test_a_range_past_the_end_is_changed(cited: Project) -> None:
    cited.citations["AREA"]["lines"] = [4, 60]
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert "the file has 14 lines, the citation ends at 60" in str(result)


def test_a_wrong_hash_of_lines_is_reported(cited: Project) -> None:
    cited.citations["AREA"]["lines_sha256"] = "0" * 64
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert "recorded " + "0" * 64 in str(result)


def test_a_wrong_hash_of_the_file_is_reported(cited: Project) -> None:
    cited.citations["AREA"]["file_sha256"] = "0" * 64
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert result.details[0].endswith("recorded " + "0" * 64)


def test_a_lost_anchor_is_reported(cited: Project) -> None:
    cited.citations["AREA"]["anchors"] = ["^def area", "^return"]
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert result.details == ("anchor '^return' is not in lines 4-6",)


def test_anchors_outside_the_lines_do_not_count(cited: Project) -> None:
    cited.citations["AREA"]["anchors"] = ["^PEAK"]
    assert citation(cited.check(), "AREA").status is Status.CHANGED


def test_lines_that_stand_twice_are_ambiguous(cited: Project) -> None:
    text = cited.text(SOURCE, DISC)
    area = "\n".join(text.split("\n")[3:6])
    cited.wheel(SOURCE, {DISC: f"# moved\n{text}\n{area}\n"})
    result = citation(cited.check(), "AREA")
    assert result.status is Status.AMBIGUOUS
    assert result.candidates == ((5, 7), (16, 18))
    assert "now at lines 5-7, 16-18" in str(result)


def test_lines_that_stand_twice_are_exact_where_they_are_cited(project: Project) -> None:
    project.wheel(SOURCE, {DISC: "a\nb\na\nb\n"})
    project.cite("TWICE", SOURCE, DISC, (3, 4), "^a")
    assert citation(project.check(), "TWICE").status is Status.EXACT


def test_a_missing_member_is_missing_and_names_the_like(cited: Project) -> None:
    text = cited.text(SOURCE, DISC)
    cited.wheel(SOURCE, {"geo/shapes/disc.py": text})
    report = cited.check()
    result = citation(report, "AREA")
    assert result.status is Status.MISSING
    assert "no member 'geo/disc.py' (nearest: geo/shapes/disc.py)" in str(result)
    assert fact(report, "geo.peak").status is Status.MISSING
    assert report.exit_status == 1


def test_an_artifact_that_is_not_there_is_not_checked(cited: Project) -> None:
    cited.file(SOURCE).unlink()
    report = cited.check()
    assert citation(report, "AREA").status is Status.NOT_CHECKED
    assert "geo==1.0 is not in the store: run `sources sync`" in str(citation(report, "AREA"))
    assert fact(report, "geo.peak").status is Status.NOT_CHECKED
    assert len(report.not_checked) == 3
    assert report.exit_status == 3


def test_red_outweighs_not_checked(cited: Project) -> None:
    cited.wheel("other==1.0", {"o.py": "x\n"})
    cited.cite("OTHER", "other==1.0", "o.py", (1, 1), "x")
    cited.file("other==1.0").unlink()
    edit(cited, "radius**2", "radius**3")
    report = cited.check()
    assert report.not_checked
    assert report.exit_status == 1


def test_wrong_bytes_of_an_artifact_are_red_and_nothing_is_read(cited: Project) -> None:
    path = cited.file(SOURCE)
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(bytes(data))
    report = cited.check()
    result = citation(report, "AREA")
    assert result.status is Status.CHANGED
    assert f"recorded {cited.artifacts[SOURCE]['sha256']}" in str(result)
    assert fact(report, "geo.peak").found is None
    assert report.exit_status == 1


def test_a_truncated_artifact_is_red(cited: Project) -> None:
    path = cited.file(SOURCE)
    path.write_bytes(path.read_bytes()[:-1])
    result = citation(cited.check(), "AREA")
    assert result.status is Status.CHANGED
    assert "truncated or another file" in str(result)


def test_a_wrong_hash_of_the_artifact_in_the_registry_is_red(cited: Project) -> None:
    cited.artifacts[SOURCE]["sha256"] = "0" * 64
    assert cited.check().exit_status == 1


def test_a_member_that_is_not_text_is_red(cited: Project) -> None:
    cited.wheel(SOURCE, {DISC: b"\xff\xfe"})
    assert citation(cited.check(), "AREA").status is Status.CHANGED


def test_carriage_returns_belong_to_the_lines(project: Project) -> None:
    project.wheel(SOURCE, {DISC: "a\r\nb\r\nc"})
    project.cite("CR", SOURCE, DISC, (1, 2), "^a")
    assert project.check().exit_status == 0
    project.wheel(SOURCE, {DISC: "a\nb\nc"})
    assert citation(project.check(), "CR").status is Status.CHANGED


def test_what_cannot_be_checked_again_says_so_and_is_not_red(cited: Project) -> None:
    cited.others = {"web": {"w": {"url": "https://example.org", "title": "W"}}}
    date = cited.citations["AREA"]["date"]
    cited.citations["R"] = {"claim": "r", "evidence": "recorded", "source": "w", "date": date}
    cited.citations["U"] = {"claim": "u", "evidence": "unverified", "source": "w", "note": "later"}
    cited.citations["N"] = {"claim": "n", "evidence": "author-note"}
    for key in "RUN":
        cited.fact(f"geo.{key.lower()}", "1", key, kind="convention")
    report = cited.check()
    expected = {"R": Status.RECORDED, "U": Status.UNVERIFIED, "N": Status.AUTHOR_NOTE}
    assert {k: citation(report, k).status for k in expected} == expected
    assert {k: fact(report, f"geo.{k.lower()}").status for k in expected} == expected
    assert str(citation(report, "U")) == "U (w): unverified: later"
    assert report.exit_status == 0
    assert report.evidence_counts == {
        Evidence.PINNED: 2,
        Evidence.RECORDED: 1,
        Evidence.UNVERIFIED: 1,
        Evidence.AUTHOR_NOTE: 1,
    }
    assert sum(report.citation_counts.values()) == len(report.citations) == 5
    assert sum(report.fact_counts.values()) == len(report.facts) == 4


def test_a_value_that_cannot_be_read_is_missing_or_ambiguous(cited: Project) -> None:
    cited.facts["geo.peak"]["pattern"] = r"PEAKS = ([\d.e]+)"
    result = fact(cited.check(), "geo.peak")
    assert result.status is Status.MISSING
    assert "geo==1.0 geo/disc.py:13-13: the pattern" in str(result)
    cited.facts["geo.peak"]["pattern"] = r"(\d)"
    assert fact(cited.check(), "geo.peak").status is Status.AMBIGUOUS


def test_lost_conditions_are_red(cited: Project) -> None:
    cited.facts["geo.peak"] |= {"conditions": "dense", "conditions_pattern": "dense"}
    report = cited.check()
    assert fact(report, "geo.peak").status is Status.MISSING
    assert report.exit_status == 1


def test_a_derivation_follows_from_its_factors(cited: Project) -> None:
    cited.fact("geo.twice", "1979e12", "PEAK", kind="derivation", factors=["geo.peak"], scale="2")
    report = cited.check()
    assert fact(report, "geo.twice").status is Status.EXACT
    cited.facts["geo.twice"]["value"] = "1978e12"
    result = fact(cited.check(), "geo.twice")
    assert result.status is Status.CHANGED
    assert "its factors give 1.979e15, the registry 1.978e15" in str(result)


def test_a_derivation_is_no_better_than_its_factors(cited: Project) -> None:
    cited.fact("geo.twice", "1979e12", "PEAK", kind="derivation", factors=["geo.peak"], scale="2")
    edit(cited, "989.5e12", "989.4e12")
    result = fact(cited.check(), "geo.twice")
    assert result.status is Status.CHANGED
    assert "factor geo.peak is changed" in str(result)
    cited.file(SOURCE).unlink()
    assert fact(cited.check(), "geo.twice").status is Status.NOT_CHECKED


def test_some_can_be_checked_alone(cited: Project) -> None:
    report = cited.check("AREA")
    assert [r.citation.id for r in report.citations] == ["AREA"]
    assert report.facts == ()
    report = cited.check("geo.peak")
    assert (report.citations, [r.fact.key for r in report.facts]) == ((), ["geo.peak"])
    report = cited.check(SOURCE)
    assert (len(report.citations), len(report.facts)) == (2, 1)
    with pytest.raises(UnknownKeyError, match=r"nearest: geo\.peak"):
        cited.check("geo.peek")


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)


@st.composite
def cited_texts(draw: st.DrawFn) -> tuple[list[str], int, int]:
    """Lines that all differ, and a range of them."""
    lines = draw(st.lists(LINE, min_size=3, max_size=25, unique=True))
    first = draw(st.integers(1, len(lines)))
    return lines, first, draw(st.integers(first, len(lines)))


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


def after(lines: list[str]) -> Text:
    return Text("\n".join(lines).encode())


@given(cited_texts())
def test_property_unchanged_text_is_exact(text: tuple[list[str], int, int]) -> None:
    lines, first, last = text
    assert compare(pinned(lines, first, last), after(lines)).status is Status.EXACT


@given(cited_texts(), st.integers(1, 5), st.data())
def test_property_lines_inserted_above_shift_by_as_many(
    text: tuple[list[str], int, int], count: int, data: st.DataObject
) -> None:
    lines, first, last = text
    at = data.draw(st.integers(0, first - 1))
    fresh = [f"{'#' * 20}{i}" for i in range(count)]
    result = compare(pinned(lines, first, last), after([*lines[:at], *fresh, *lines[at:]]))
    assert result.status is Status.SHIFTED
    assert result.shift == count
    assert result.lines == (first + count, last + count)


@given(cited_texts(), st.data())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_property_no_edit_inside_is_ever_exact(
    text: tuple[list[str], int, int], data: st.DataObject
) -> None:
    lines, first, last = text
    at = data.draw(st.integers(first - 1, last - 1))
    other = data.draw(LINE.filter(lambda line: line != lines[at]))
    edited = [*lines[:at], other, *lines[at + 1 :]]
    result = compare(pinned(lines, first, last), after(edited))
    assert result.status is not Status.EXACT
    if other not in lines:
        assert result.status is Status.CHANGED


@given(cited_texts(), st.text(max_size=100), st.integers(0, 400))
def test_property_only_the_very_bytes_are_exact(
    text: tuple[list[str], int, int], extra: str, cut: int
) -> None:
    lines, first, last = text
    whole = "\n".join(lines)
    content = whole[:cut] + extra + whole[cut:]
    result = compare(pinned(lines, first, last), Text(content.encode()))
    assert (result.status is Status.EXACT) == (content == whole)


def test_what_is_not_text_is_an_error() -> None:
    with pytest.raises(MemberError, match="not UTF-8"):
        compare(pinned(["a", "b"], 1, 1), Text(b"\xff"))
