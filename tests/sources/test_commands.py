"""The command group: what it prints and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from bookcode.sources import Artifact, FetchError, FetchReason, Registry, commands
from bookcode.sources import store as storing

if TYPE_CHECKING:
    from tests.sources.conftest import Project

MakeWheel = Callable[[Path, Mapping[str, str | bytes]], None]


def run(project: Project, *arguments: str, write: bool = True) -> Result:
    if write:
        project.write()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "200")
        patch.delenv("BOOKCODE_SOURCES", raising=False)
        patch.setattr(commands.console, "width", 200)
        patch.setattr(commands.console, "file", None)
        options = ["--references", str(project.references)]
        return CliRunner().invoke(commands.sources, [*options, *arguments])


def test_check_is_green(cited: Project) -> None:
    result = run(cited, "check")
    assert result.exit_code == 0, result.output
    assert "exact" in result.output
    assert "evidence: pinned" in result.output


def test_check_is_red_and_names_the_place(cited: Project) -> None:
    cited.facts["geo.peak"]["value"] = "1"
    result = run(cited, "check")
    assert result.exit_code == 1
    assert "geo.peak" in result.output
    assert "says 989.5e12 FLOP/s, the registry 1 FLOP/s" in result.output


def test_check_with_nothing_fetched_ends_with_3_and_one_line(cited: Project) -> None:
    cited.file("geo==1.0").unlink()
    result = run(cited, "check")
    assert result.exit_code == 3
    lines = [line for line in result.output.splitlines() if line.startswith("not checked:")]
    assert lines == [
        "not checked: 3 citations and facts: geo==1.0 is not in the store: run `sources sync`"
    ]


def test_check_of_some_and_contradictions(cited: Project) -> None:
    cited.fact(
        "geo.half", "494.75e12", "PEAK", unit="FLOP/s", pattern=r"PEAK = (.+)", sparsity="2",
        contradicts=["geo.peak"], disputed="halved twice",
    )  # fmt: skip
    result = run(cited, "check", "--contradictions")
    assert result.exit_code == 0
    assert "halved twice" in result.output
    result = run(cited, "check", "AREA")
    assert "exact                 │ 1         │ 0" in result.output
    result = run(cited, "check", "AREAS")
    assert result.exit_code == 1
    assert "nearest: AREA" in result.output


def test_defects_of_the_registry_are_all_printed(cited: Project) -> None:
    cited.facts["geo.peak"]["unit"] = "flops"
    cited.citations["AREA"]["evidence"] = "pined"
    result = run(cited, "check")
    assert result.exit_code == 1
    assert "facts.toml:" in result.output
    assert "citations.toml:" in result.output
    assert "2 problems in the registry" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("what", "expected"),
    [("sources", "geo==1.0"), ("citations", "geo/disc.py:4-6"), ("facts", "989.5e12")],
)
def test_list(cited: Project, what: str, expected: str) -> None:
    result = run(cited, "list", what)
    assert result.exit_code == 0
    assert expected in result.output
    assert expected not in run(cited, "list", what, "--match", "nothing").output


def test_list_shows_whether_an_artifact_is_here(cited: Project) -> None:
    assert "yes" in run(cited, "list", "sources").output
    cited.file("geo==1.0").unlink()
    assert "yes" not in run(cited, "list", "sources").output


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("geo==1.0", "geo-1.0-py3-none-any.whl"),
        ("PEAK", "fact geo.peak = 989.5e12 FLOP/s"),
        ("geo.peak", "vendor-specification"),
    ],
)
def test_show(cited: Project, key: str, expected: str) -> None:
    result = run(cited, "show", key)
    assert result.exit_code == 0
    assert expected in result.output


def test_show_of_something_unknown_names_the_nearest(cited: Project) -> None:
    result = run(cited, "show", "geo.peek")
    assert result.exit_code == 1
    assert "nearest: geo.peak" in result.output


def test_sync_reports_and_ends_with_3_without_a_network(
    cited: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(cited, "sync", "--set", "core")
    assert result.exit_code == 0
    assert "1 present, 0 fetched, 0 failed" in result.output
    cited.file("geo==1.0").unlink()

    def offline(artifact: Artifact, folder: Path) -> None:
        raise FetchError(artifact.id, FetchReason.NO_NETWORK, "unplugged")

    monkeypatch.setattr(storing.Store, "__init__", _init_with(offline))
    result = run(cited, "sync")
    assert result.exit_code == 3
    assert "geo==1.0: no network: unplugged" in result.output


def _init_with(fetch: object) -> object:
    original = storing.Store.__init__

    def init(self: storing.Store, folder: Path) -> None:
        original(self, folder, fetch)  # type: ignore[arg-type]

    return init


def bump(project: Project) -> None:
    text = project.text("geo==1.0", "geo/disc.py")
    project.wheel("geo==1.1", {"geo/disc.py": "# new\n" + text.replace("**2", "**3")})


def test_relocate_proposes_without_writing(cited: Project) -> None:
    bump(cited)
    before = (cited.write() / "citations.toml").read_bytes()
    result = run(cited, "relocate", "geo==1.0", "geo==1.1")
    assert result.exit_code == 1
    assert "moved by +1" in result.output
    assert "changed" in result.output
    assert (cited.references / "citations.toml").read_bytes() == before


def test_relocate_accepts_all_that_is_proven(cited: Project) -> None:
    bump(cited)
    result = run(cited, "relocate", "geo==1.0", "geo==1.1", "--accept", "all")
    assert result.exit_code == 1
    assert "1 of 2 written to citations.toml" in result.output
    now = Registry.load(cited.references)
    assert now.citation("PEAK").source == "geo==1.1"
    assert now.citation("AREA").source == "geo==1.0"


def test_relocate_accepts_a_change_by_name(cited: Project) -> None:
    bump(cited)
    names = ("--accept", "AREA", "--accept", "PEAK")
    result = run(cited, "relocate", "geo==1.0", "geo==1.1", *names)
    assert result.exit_code == 0, result.output
    assert run(cited, "check", write=False).exit_code == 0


def test_relocate_refuses_unknown_names(cited: Project) -> None:
    bump(cited)
    result = run(cited, "relocate", "geo==1.0", "geo==1.1", "--accept", "AERA")
    assert result.exit_code == 1
    assert "no proposal for 'AERA' (nearest: AREA)" in result.output
    result = run(cited, "relocate", "geo==1.0", "geo==1.2")
    assert "unknown artifact 'geo==1.2'" in result.output


def test_outdated(cited: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "newest", lambda artifact: "1.2")
    result = run(cited, "outdated")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "geo==1.0: newer: 1.2",
        "  relocation not looked at: geo==1.2 is not in the store (--fetch gets it)",
    ]
    monkeypatch.setattr(commands, "newest", lambda artifact: "1.0")
    assert run(cited, "outdated", "geo==1.0").output == "geo==1.0: newest\n"


def test_outdated_fetches_when_asked_to(
    cited: Project, make_wheel: MakeWheel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(artifact: Artifact, version: str, folder: Path) -> None:
        assert (artifact.id, version) == ("geo==1.2", "1.2")
        moved = "\n" + cited.text("geo==1.0", "geo/disc.py")
        make_wheel(folder / "geo-1.2-py3-none-any.whl", {"geo/disc.py": moved})

    monkeypatch.setattr(commands, "newest", lambda artifact: "1.2")
    monkeypatch.setattr(commands, "download_release", download)
    lines = run(cited, "outdated", "--fetch").output.splitlines()
    assert lines[:2] == ["geo==1.0: newer: 1.2", "  relocation would propose: 2 moved"]
    assert "  AREA: moved by +1 -> lines 5-7" in lines


def test_outdated_without_an_answer_is_not_checked(
    cited: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(artifact: Artifact) -> str:
        raise FetchError(artifact.id, FetchReason.NO_NETWORK)

    monkeypatch.setattr(commands, "newest", silent)
    result = run(cited, "outdated")
    assert (result.exit_code, result.output) == (3, "geo==1.0: not checked (no network)\n")
