"""What relocation would propose for a release that is not pinned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bookcode.sources import Artifact, FetchError, FetchReason
from bookcode.sources.fetch import download_release
from bookcode.sources.outdated import NEWER, Outlook, outlook

if TYPE_CHECKING:
    from tests.sources.conftest import Project

MakeWheel = Callable[[Path, Mapping[str, str | bytes]], None]


def look(project: Project, version: str, download: object = None) -> Outlook:
    registry = project.registry()
    artifact = registry.artifact("geo==1.0")
    return outlook(registry, project.store(), artifact, lambda _: version, download)  # type: ignore[arg-type]


@pytest.fixture
def newer(cited: Project, make_wheel: MakeWheel) -> Callable[[str], None]:
    """Puts a wheel of version 1.2 with this code beside the pinned ones."""

    def put(code: str) -> None:
        file = cited.folder / NEWER / "geo-1.2-py3-none-any.whl"
        make_wheel(file, {"geo/disc.py": code})

    return put


def test_the_newest_needs_no_look(cited: Project) -> None:
    found = look(cited, "1.0")
    assert not found.outdated
    assert list(found.lines()) == ["geo==1.0: newest"]


def test_a_silent_index_is_named(cited: Project) -> None:
    def silent(artifact: Artifact) -> str:
        raise FetchError(artifact.id, FetchReason.NO_NETWORK)

    registry = cited.registry()
    found = outlook(registry, cited.store(), registry.artifact("geo==1.0"), silent, None)
    assert not found.version
    assert list(found.lines()) == ["geo==1.0: not checked (no network)"]


def test_a_release_in_the_store_is_looked_into(
    cited: Project, newer: Callable[[str], None]
) -> None:
    code = cited.text("geo==1.0", "geo/disc.py")
    newer("# one line more\n" + code.replace("989.5e12", "990e12"))
    found = look(cited, "1.2")
    assert found.outdated
    lines = list(found.lines())
    assert lines[:2] == ["geo==1.0: newer: 1.2", "  relocation would propose: 1 moved, 1 changed"]
    assert any(line.startswith("  AREA: moved by +1 -> lines 5-7") for line in lines)
    assert any(
        line.startswith("  PEAK: changed") and "990e12, was 989.5e12" in line for line in lines
    )


def test_what_stays_the_same_is_only_counted(cited: Project, newer: Callable[[str], None]) -> None:
    newer(cited.text("geo==1.0", "geo/disc.py"))
    assert list(look(cited, "1.2").lines()) == [
        "geo==1.0: newer: 1.2",
        "  relocation would propose: 2 same",
    ]


def test_nothing_is_downloaded_unless_asked(cited: Project) -> None:
    found = look(cited, "1.2")
    assert found.proposals == ()
    assert "--fetch" in found.obstacle
    assert not (cited.folder / NEWER).exists()


def test_a_release_that_cannot_be_had_is_an_obstacle(cited: Project) -> None:
    def fails(artifact: Artifact, version: str, folder: Path) -> None:
        raise FetchError(artifact.id, FetchReason.NOT_IN_INDEX)

    found = look(cited, "1.2", fails)
    assert found.obstacle == "geo==1.2: not in the index"
    assert list(found.lines())[1].startswith("  relocation not looked at: geo==1.2")


def test_without_the_pinned_artifact_there_is_nothing_to_compare(
    cited: Project, newer: Callable[[str], None]
) -> None:
    newer(cited.text("geo==1.0", "geo/disc.py"))
    cited.file("geo==1.0").unlink()
    assert "geo==1.0 is not in the store" in look(cited, "1.2").obstacle


def test_a_broken_release_is_an_obstacle(cited: Project) -> None:
    file = cited.folder / NEWER / "geo-1.2-py3-none-any.whl"
    file.parent.mkdir()
    file.write_bytes(b"not a wheel")
    cited.registry()
    lines = list(look(cited, "1.2").lines())
    assert any("not a readable wheel" in line for line in lines), lines


def test_a_pinned_newer_release_is_used_by_its_hash(
    cited: Project, newer: Callable[[str], None]
) -> None:
    cited.wheel("geo==1.2", {"geo/disc.py": cited.text("geo==1.0", "geo/disc.py")})
    newer("nothing of it")
    assert {p.outcome.value for p in look(cited, "1.2").proposals} == {"same"}


def test_a_release_is_downloaded_as_a_wheel_for_the_same_platform(
    cited: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(
        "bookcode.sources.fetch.run_pip", lambda source, arguments, seconds: asked.append(arguments)
    )
    download_release(cited.registry().artifact("geo==1.0"), "1.2", tmp_path)
    (arguments,) = asked
    assert "geo==1.2" in arguments
    assert arguments[arguments.index("--only-binary") + 1] == ":all:"
    assert "--no-deps" in arguments
    assert "3.12" in arguments
