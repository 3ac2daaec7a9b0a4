"""Accepting rewrites what was accepted, keeps everything else, and does it all or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tomlkit

from bookcode.sources import (
    AcceptError,
    Outcome,
    Proposal,
    Registry,
    Status,
    UnknownKeyError,
    accept,
    check,
    choose,
    relocate,
)
from bookcode.sources.accept import write_atomically

if TYPE_CHECKING:
    from tests.sources.conftest import Project

OLD, NEW = "geo==1.0", "geo==1.1"
FILE = "geo/disc.py"
TEXT = "a = 1\nb = 2\nc = 3\nd = 4\n"


@pytest.fixture
def bumped(project: Project) -> Project:
    """MOVED moved, EDITED changed, WRONG was wrong, PEAK moved and its fact reads otherwise."""
    project.wheel(OLD, {FILE: TEXT})
    project.wheel(NEW, {FILE: "new = 0\n" + TEXT.replace("b = 2", "b = 20")})
    project.cite("MOVED", OLD, FILE, (1, 1), "^a")
    project.cite("EDITED", OLD, FILE, (1, 3), "^b")
    project.cite("WRONG", OLD, FILE, (4, 4), "^d")
    project.citations["WRONG"]["lines"] = [3, 3]
    return project


def proposals(project: Project) -> tuple[Registry, tuple[Proposal, ...]]:
    registry = Registry.load(project.references)
    return registry, relocate(registry, project.opened(OLD), project.opened(NEW))


def commented(project: Project) -> Path:
    """Write the registry, and dress citations.toml with comments and odd spacing."""
    path = project.write() / "citations.toml"
    text = "# head\n\n" + path.read_text().replace(
        "[citations.MOVED]", "# moved\n[citations.MOVED]"
    )
    path.write_text(text.replace("claim = ", "claim   =  ") + "\n# tail\n")
    return path


def test_all_takes_only_what_is_proven(bumped: Project) -> None:
    bumped.write()
    _, found = proposals(bumped)
    assert [p.citation.id for p in choose(found, None)] == ["MOVED"]


def test_a_changed_passage_is_taken_only_by_name(bumped: Project) -> None:
    bumped.write()
    _, found = proposals(bumped)
    assert [p.citation.id for p in choose(found, ["EDITED"])] == ["EDITED"]


def test_what_was_wrong_cannot_be_accepted(bumped: Project) -> None:
    bumped.write()
    _, found = proposals(bumped)
    with pytest.raises(AcceptError, match="WRONG: was already wrong"):
        choose(found, ["WRONG"])


def test_unknown_names_are_refused(bumped: Project) -> None:
    bumped.write()
    _, found = proposals(bumped)
    with pytest.raises(AcceptError, match=r"no proposal for 'MOVD' \(nearest: MOVED\)"):
        choose(found, ["MOVD"])


def test_a_proven_place_whose_fact_reads_otherwise_is_not_taken_unasked(project: Project) -> None:
    old = "peaks:\n  a: 1\n"
    project.wheel(OLD, {"p.yaml": old})
    project.wheel(
        NEW, {"p.yaml": "more:\n" + old.replace("peaks:", "  peaks:").replace("  a", "    a")}
    )
    project.cite("P", OLD, "p.yaml", (2, 2), "a: 1")
    project.fact("p.a", "1", "P", path="peaks.a")
    project.write()
    _, found = proposals(project)
    assert choose(found, None) == ()


def test_accepting_rewrites_the_place_and_keeps_the_rest(bumped: Project) -> None:
    path = commented(bumped)
    before = path.read_text().split("\n")
    registry, found = proposals(bumped)
    accept(registry, choose(found, None), bumped.opened_members(NEW))
    after = path.read_text().split("\n")
    assert len(after) == len(before)
    changed = [b.split(" ")[0] for a, b in zip(before, after, strict=True) if a != b]
    assert changed == ["source", "lines", "file_sha256"]
    assert {"# head", "# moved", "# tail"} <= set(after)
    now = Registry.load(bumped.references)
    assert now.citation("MOVED").source == NEW
    assert now.citation("MOVED").lines == (2, 2)
    report = check(now, bumped.store(), ["MOVED"])
    assert report.citations[0].status is Status.EXACT


def test_accepting_a_change_by_name_makes_it_exact_in_the_new_version(bumped: Project) -> None:
    bumped.write()
    registry, found = proposals(bumped)
    accept(registry, choose(found, ["EDITED", "MOVED"]), bumped.opened_members(NEW))
    report = check(Registry.load(bumped.references), bumped.store(), ["EDITED", "MOVED", "WRONG"])
    status = {r.citation.id: r.status for r in report.citations}
    assert status["EDITED"] is status["MOVED"] is Status.EXACT
    assert status["WRONG"] is not Status.EXACT


def test_nothing_is_written_when_one_lost_its_anchor(bumped: Project) -> None:
    bumped.citations["EDITED"]["anchors"] = ["^b = 2$"]
    path = bumped.write() / "citations.toml"
    before = path.read_bytes()
    registry, found = proposals(bumped)
    with pytest.raises(AcceptError, match=r"EDITED: lines 2-4 lost .*change the anchors by hand"):
        accept(registry, choose(found, ["MOVED", "EDITED"]), bumped.opened_members(NEW))
    assert path.read_bytes() == before


def test_a_source_that_is_not_registered_is_refused(bumped: Project) -> None:
    path = bumped.write() / "citations.toml"
    before = path.read_bytes()
    _, found = proposals(bumped)
    members = bumped.opened_members(NEW)
    del bumped.artifacts[NEW]
    registry = bumped.registry()
    with pytest.raises(UnknownKeyError, match=r"unknown artifact 'geo==1\.1'"):
        accept(registry, choose(found, None), members)
    assert path.read_bytes() == before


def test_a_proposal_without_a_place_is_refused(bumped: Project) -> None:
    registry = bumped.registry()
    gone = Proposal(registry.citation("MOVED"), Outcome.GONE, NEW)
    with pytest.raises(AcceptError, match="cannot be accepted: MOVED: gone"):
        accept(registry, [gone], bumped.opened_members(NEW))


def test_broken_toml_is_refused(bumped: Project) -> None:
    path = bumped.write() / "citations.toml"
    registry, found = proposals(bumped)
    members = bumped.opened_members(NEW)
    path.write_text("[citations\n")
    with pytest.raises(AcceptError, match=r"citations\.toml"):
        accept(registry, choose(found, None), members)
    assert path.read_text() == "[citations\n"


def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.toml"
    path.write_text("old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError("full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_keeps_line_ends_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "a\r\nb\n")
    assert path.read_bytes() == b"a\r\nb\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_comments_of_the_real_registry_survive_a_round_trip() -> None:
    path = Path(__file__).parents[2] / "references" / "citations.toml"
    text = path.read_text(encoding="utf-8")
    assert tomlkit.dumps(tomlkit.parse(text)) == text
