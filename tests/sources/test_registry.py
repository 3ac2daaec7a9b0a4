"""Loading the registry: every defect at once, each with its place and the nearest name."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
import tomlkit

from bookcode.sources import (
    Evidence,
    FetchSet,
    Registry,
    RegistryError,
    SourcesError,
    UnknownKeyError,
)

if TYPE_CHECKING:
    from tests.sources.conftest import Project


def problems(project: Project) -> list[str]:
    with pytest.raises(RegistryError) as caught:
        project.registry()
    return [str(problem) for problem in caught.value.problems]


def only_problem(project: Project) -> str:
    found = problems(project)
    assert len(found) == 1, found
    return found[0]


def test_a_sound_registry_loads(cited: Project) -> None:
    registry = cited.registry()
    citation = registry.citation("AREA")
    assert citation.evidence is Evidence.PINNED
    assert citation.lines == (4, 6)
    assert citation.date == datetime.date(2026, 1, 31)
    assert citation.place == "geo==1.0 geo/disc.py:4-6"
    fact = registry.fact("geo.peak")
    assert fact.value == Decimal("989.5e12")
    assert fact.exact == Fraction(989_500_000_000_000)
    assert registry.facts_of("PEAK") == (fact,)
    assert registry.artifact("geo==1.0").set is FetchSet.CORE
    assert registry.find("AREA") is citation
    assert registry.find("geo.peak") is fact


def test_records_know_their_line(cited: Project) -> None:
    registry = cited.registry()
    text = (cited.references / "citations.toml").read_text().split("\n")
    assert text[registry.citation("PEAK").at.line - 1] == "[citations.PEAK]"
    assert registry.citation("PEAK").at.file.name == "citations.toml"


def test_unknown_keys_name_the_nearest(cited: Project) -> None:
    registry = cited.registry()
    with pytest.raises(UnknownKeyError, match=r"unknown fact 'geo.paek' \(nearest: geo.peak\)"):
        registry.fact("geo.paek")
    with pytest.raises(UnknownKeyError, match="unknown citation 'AERA'"):
        registry.citation("AERA")
    with pytest.raises(UnknownKeyError, match=r"nearest: geo==1\.0"):
        registry.artifact("geo==1.1")
    with pytest.raises(SourcesError):
        registry.find("zzz")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"evidence": "pined"}, "unknown evidence 'pined' (nearest: pinned"),
        ({"ancors": ["x"]}, "unknown field 'ancors' (nearest: anchors)"),
        ({"claim": " "}, "'claim' must be a text that is not empty"),
        ({"lines_sha256": "ABC"}, "'lines_sha256' must be 64 lower-case hexadecimal digits"),
        ({"file_sha256": None}, "'file_sha256' is missing"),
        ({"lines_sha256": None}, "'lines_sha256' is missing"),
        ({"lines": None}, "'lines' is missing"),
        ({"lines": [6, 4]}, "'lines' must have 1 <= first <= last, not [6, 4]"),
        ({"lines": [0, 4]}, "'lines' must have 1 <= first <= last, not [0, 4]"),
        ({"lines": [4]}, "'lines' must be [first, last], not [4]"),
        ({"lines": [4, "6"]}, "'lines' must hold whole numbers"),
        ({"lines": [True, 6]}, "'lines' must hold whole numbers"),
        ({"path": "../geo/disc.py"}, "the path '../geo/disc.py' leaves the artifact"),
        ({"path": "/geo/disc.py"}, "the path '/geo/disc.py' leaves the artifact"),
        ({"path": "geo/./disc.py"}, "leaves the artifact"),
        ({"anchors": []}, "needs one to 3 anchors, has 0"),
        ({"anchors": ["a", "b", "c", "d"]}, "needs one to 3 anchors, has 4"),
        ({"anchors": ["def ("]}, "'anchors' is not a regular expression: 'def ('"),
        ({"anchors": [1]}, "'anchors' must be a list of texts, not [1]"),
        ({"date": None}, "pinned, but 'date' is missing"),
        ({"date": "2026-01-31"}, "'date' must be a date such as 2026-01-31"),
        ({"source": "geo==1.1"}, "unknown source 'geo==1.1' (nearest: geo==1.0)"),
        ({"source": None}, "'source' is missing"),
        ({"evidence": "recorded", "source": "geo==2"}, "unknown source 'geo==2'"),
    ],
)
def test_defects_of_a_citation(cited: Project, fields: dict[str, Any], message: str) -> None:
    cited.facts.clear()
    row = {**cited.citations["AREA"], **fields}
    cited.citations["AREA"] = {k: v for k, v in row.items() if v is not None}
    found = [p for p in problems(cited) if message in p]
    assert len(found) == 1
    place, text = found[0].split(": ", 1)
    assert text.startswith("AREA: ")
    line = int(place.rsplit(":", 1)[1])
    lines = (cited.references / "citations.toml").read_text().split("\n")
    named = next(iter(fields))
    assert lines[line - 1] == "[citations.AREA]" or lines[line - 1].startswith(f"{named} = ")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"value": 989.5}, "'value' must be a decimal in quotes, not 989.5"),
        ({"value": "989,5"}, "'value' is not a decimal: '989,5'"),
        ({"value": "inf"}, "'value' must be finite"),
        ({"unit": "FLOPS/s"}, "unknown unit 'FLOPS/s' (nearest: FLOP/s"),
        ({"kind": "vendor-spec"}, "unknown kind 'vendor-spec' (nearest: vendor-specification)"),
        ({"citation": "PAEK"}, "unknown citation 'PAEK' (nearest: PEAK)"),
        ({"pattern": "PEAK"}, "'pattern' must have exactly 1 group, not 0"),
        ({"pattern": "(P)(E)"}, "'pattern' must have exactly 1 group, not 2"),
        ({"pattern": "(P"}, "'pattern' is not a regular expression"),
        ({"path": "a.b"}, "path and pattern: one way to read a value is enough"),
        ({"pattern": None}, "citation 'PEAK' is pinned: say how the value is read"),
        ({"scale": "0"}, "'scale' must be above 0"),
        ({"sparsity": "-2"}, "'sparsity' must be above 0"),
        ({"sparsity": "2", "sparsity_pattern": "(2)"}, "either 'sparsity' or 'sparsity_pattern'"),
        ({"factors": ["geo.peak"], "pattern": None}, "only a derivation has 'factors'"),
        ({"kind": "derivation"}, "a derivation needs 'factors'"),
        ({"conditions": "cold"}, "conditions come either from the source"),
        ({"conditions": "cold", "conditions_by": "me"}, "'conditions_by' can only be 'author'"),
        ({"conditions_by": "author"}, "whose 'conditions'? none are given"),
        ({"conditions": "cold", "conditions_pattern": "("}, "'conditions_pattern' is not a reg"),
        ({"contradicts": ["geo.paek"]}, "unknown fact 'geo.paek' (nearest: geo.peak)"),
        ({"contradicts": ["geo.peak"]}, "refers to itself"),
        ({"contradicts": "geo.peak"}, "'contradicts' must be a list of texts"),
        ({"machin": "h200"}, "unknown field 'machin' (nearest: machine)"),
    ],
)
def test_defects_of_a_fact(cited: Project, fields: dict[str, Any], message: str) -> None:
    row = {**cited.facts["geo.peak"], **fields}
    cited.facts["geo.peak"] = {k: v for k, v in row.items() if v is not None}
    found = [p for p in problems(cited) if message in p]
    assert len(found) == 1
    assert "facts.toml:" in found[0]


@pytest.mark.parametrize("key", ["Geo.peak", "peak", "geo..peak", "geo.peak_1", "geo.-peak"])
def test_fact_keys_are_dotted_lower_case(cited: Project, key: str) -> None:
    cited.facts[key] = cited.facts.pop("geo.peak")
    assert "a key is dotted lower case" in only_problem(cited)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"file": "geo-1.0.exe"}, "'geo-1.0.exe' is not the name of a wheel or sdist"),
        ({"file": "geo-2.0-py3-none-any.whl"}, "is not a file of geo==1.0"),
        ({"file": "../geo-1.0-py3-none-any.whl"}, "is not a plain file name"),
        ({"file": "geo-1.0.tar.gz"}, "only wheels are fetched"),
        ({"sha256": "12"}, "'sha256' must be 64"),
        ({"sha256": None}, "'sha256' is missing"),
        ({"bytes": 0}, "'bytes' must be a whole number above 0"),
        ({"bytes": "12"}, "'bytes' must be a whole number above 0"),
        ({"bytes": None}, "'bytes' is missing"),
        ({"python": "py3"}, "'python' must be a version such as 3.12"),
        ({"set": "small"}, "unknown set 'small'"),
        ({"reason": None}, "'reason' is missing"),
        ({"version": "1.1"}, "the id must be 'geo==1.1'"),
        ({"licence": None}, "'licence' is missing"),
        ({"license": "MIT"}, "unknown field 'license' (nearest: licence)"),
    ],
)
def test_defects_of_an_artifact(cited: Project, fields: dict[str, Any], message: str) -> None:
    row = {**cited.artifacts["geo==1.0"], **fields}
    cited.artifacts["geo==1.0"] = {k: v for k, v in row.items() if v is not None}
    assert any(message in problem and "sources.toml:" in problem for problem in problems(cited))


def test_defects_of_other_sources(cited: Project) -> None:
    cited.others = {
        "git": {"g@1": {"repo": "g", "commit": "main"}},
        "web": {"w": {"url": "http://example.org", "title": "W"}},
        "releases": {"r==1": {"name": "r"}},
    }
    found = "\n".join(problems(cited))
    assert "'commit' must be 7 to 40 hexadecimal digits: 'main'" in found
    assert "'repo' must be owner/name, not 'g'" in found
    assert "'url' must begin with https://" in found
    assert "r==1: 'version' is missing" in found


def test_all_problems_come_at_once_sorted_by_place(cited: Project) -> None:
    cited.citations["AREA"]["lines"] = [9, 2]
    cited.citations["PEAK"]["evidence"] = "no"
    cited.facts["geo.peak"]["unit"] = "flops"
    cited.artifacts["geo==1.0"]["sha256"] = "0"
    found = problems(cited)
    assert len(found) >= 4
    files = [problem.split(".toml:")[0].rsplit("/", 1)[-1] for problem in found]
    assert set(files) == {"citations", "facts", "sources"}
    assert files == sorted(files)


def test_an_id_declared_twice_is_reported_with_both_lines(cited: Project) -> None:
    path = cited.write() / "citations.toml"
    text = path.read_text()
    row = text[: text.index("[citations.PEAK]")]
    path.write_text(f"{text}\n{row}")
    with pytest.raises(RegistryError) as caught:
        Registry.load(cited.references)
    first = text.split("\n").index("[citations.AREA]") + 1
    messages = [str(problem) for problem in caught.value.problems]
    assert any(f"AREA: declared twice, first at line {first}" in m for m in messages)


def test_an_id_in_two_groups_is_reported(cited: Project) -> None:
    cited.others = {"releases": {"geo==1.0": {"name": "geo", "version": "1.0"}}}
    assert "geo==1.0: declared twice" in only_problem(cited)


def test_broken_toml_has_its_line(cited: Project) -> None:
    path = cited.write() / "facts.toml"
    path.write_text('[facts."a.b"]\nvalue = "1"\nunit = \n')
    with pytest.raises(RegistryError, match=r"facts\.toml:3: not TOML"):
        Registry.load(cited.references)


def test_missing_files_are_reported(cited: Project) -> None:
    (cited.write() / "facts.toml").unlink()
    with pytest.raises(RegistryError, match=r"facts\.toml:1: no such file"):
        Registry.load(cited.references)


def test_a_file_that_is_not_utf8_is_reported(cited: Project) -> None:
    (cited.write() / "facts.toml").write_bytes(b'x = "\xff"')
    with pytest.raises(RegistryError, match="not UTF-8"):
        Registry.load(cited.references)


def test_unknown_tables_name_the_nearest(cited: Project) -> None:
    path = cited.write() / "facts.toml"
    path.write_text(path.read_text() + "\n[fact.x]\nvalue = 1\n")
    with pytest.raises(RegistryError, match=r"unknown table 'fact' \(nearest: facts"):
        Registry.load(cited.references)


def test_what_is_pinned_must_be_fetched(cited: Project) -> None:
    cited.artifacts["geo==1.0"]["set"] = "none"
    found = problems(cited)
    assert sum("pinned, but 'geo==1.0' is not an artifact of a set" in p for p in found) == 2


def test_nothing_is_read_out_of_what_is_only_recorded(cited: Project) -> None:
    cited.citations["PEAK"]["evidence"] = "recorded"
    assert "citation 'PEAK' is recorded: nothing to read it from" in only_problem(cited)


def test_what_was_not_read_has_no_date_of_reading(cited: Project) -> None:
    cited.others = {
        "web": {
            "w": {"url": "https://example.org", "title": "W", "date": tomlkit.date("2026-01-01")}
        }
    }
    cited.citations["W"] = {"claim": "x", "evidence": "unverified", "source": "w"}
    assert "W: unverified, but 'w' was read on 2026-01-01" in only_problem(cited)


def test_author_notes_need_no_source(cited: Project) -> None:
    cited.citations["NOTE"] = {"claim": "we think so", "evidence": "author-note"}
    cited.fact("geo.opinion", "1", "NOTE", kind="convention")
    assert cited.registry().citation("NOTE").place == "no source"


def test_contradictions_must_contradict(cited: Project) -> None:
    again = {"pattern": r"PEAK = ([\d.e]+)", "unit": "FLOP/s", "contradicts": ["geo.peak"]}
    cited.fact("geo.same", "989.5e12", "PEAK", **again)
    cited.fact("geo.other-unit", "1", "PEAK", **{**again, "unit": "B/s"})
    cited.fact("geo.half", "494.75e12", "PEAK", **{**again, "sparsity": "2"})
    found = problems(cited)
    assert any("geo.same: contradicts 'geo.peak', which says the same" in p for p in found)
    assert any("geo.other-unit: contradicts 'geo.peak', which has another unit" in p for p in found)
    assert len(found) == 2
    del cited.facts["geo.same"], cited.facts["geo.other-unit"]
    pairs = cited.registry().contradictions()
    assert [(a.key, b.key) for a, b in pairs] == [("geo.half", "geo.peak")]


def test_links_lead_to_the_recorded_commit_and_page(cited: Project) -> None:
    cited.others = {
        "git": {"g@1234567": {"repo": "own/geo", "commit": "1234567"}},
        "web": {"w": {"url": "https://example.org/w", "title": "W"}},
    }
    base = {"claim": "x", "evidence": "recorded", "date": cited.citations["AREA"]["date"]}
    cited.citations["G"] = {**base, "source": "g@1234567", "path": "a/b.py", "lines": [3, 4]}
    cited.citations["W"] = {**base, "source": "w"}
    registry = cited.registry()
    assert (
        registry.link(registry.citation("G"))
        == "https://github.com/own/geo/blob/1234567/a/b.py#L3-L4"
    )
    assert registry.link(registry.citation("W")) == "https://example.org/w"
    assert registry.link(registry.citation("AREA")) is None


@pytest.mark.parametrize("revision", ["v1.0.2", "1.0", "2.0rc1", "0123456", "v0.1.14.post1"])
def test_an_artifact_is_linked_where_its_upstream_was_recorded(
    cited: Project, revision: str
) -> None:
    cited.citations["AREA"]["upstream"] = f"some/geo@{revision}"
    registry = cited.registry()
    link = f"https://github.com/some/geo/blob/{revision}/geo/disc.py#L4-L6"
    assert registry.link(registry.citation("AREA")) == link


@pytest.mark.parametrize(
    "upstream",
    ["some/geo@main", "some/geo@master", "some/geo@HEAD", "some/geo", "geo@v1.0", "v1.0"],
)
def test_upstream_is_never_a_moving_branch(cited: Project, upstream: str) -> None:
    cited.citations["AREA"]["upstream"] = upstream
    assert "'upstream' must be owner/name@ a commit or a release tag" in only_problem(cited)
