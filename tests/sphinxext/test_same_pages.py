"""What a site says of its settings: that one changed, and never where they lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bookcode.sphinxext.same_pages import placeless

from ..conftest import Sphinxes
from .conftest import Project, lay_out


def info(project: Project, *options: str) -> str:
    """The site's note on its settings, after a build."""
    built = project.build(*options)
    assert (built.status, built.problems) == (0, [])
    return (built.out / ".buildinfo").read_text("utf-8")


@pytest.fixture
def places(tmp_path: Path, sphinxes: Sphinxes) -> list[Project]:
    """One book, which shows nothing, in two folders."""
    laid_out = [lay_out("bare", tmp_path / name, sphinxes) for name in ("one", "two/deeper")]
    for project in laid_out:
        project.write("book/index.md", "# Plain\n\nText.\n")
    return laid_out


def test_the_note_does_not_tell_one_place_from_another(places: list[Project]) -> None:
    for project in places:
        folder = project.root / "extra"
        folder.mkdir()
        with (project.root / "conf.py").open("a", encoding="utf-8") as conf:
            conf.write(f"html_static_path = [{str(folder)!r}]\n")
    one, two = (info(project) for project in places)
    assert one == two


def test_the_note_tells_settings_apart(places: list[Project]) -> None:
    one, two = places
    assert info(one) != info(two, "-D", "html_title=Another")


def test_a_site_is_built_anew_when_a_setting_changes(places: list[Project]) -> None:
    project = places[0]
    info(project)
    page = project.root.parent / "html/index.html"
    assert "Another title" not in page.read_text("utf-8")
    info(project, "-D", "html_title=Another title")
    assert "Another title" in page.read_text("utf-8")


def test_paths_count_from_the_innermost_folder() -> None:
    folders = [Path("/a"), Path("/a/b"), Path("/c")]
    setting = {"x": ["/a/b/c.svg", ("/a/d", 1)], "y": "/elsewhere/e", "z": "a/b", "p": Path("/c/f")}
    assert placeless(setting, folders) == {
        "x": ["c.svg", ["d", 1]],
        "y": "/elsewhere/e",
        "z": "a/b",
        "p": "f",
    }
    assert placeless(True, folders) is True
    assert placeless(None, [Path(sys.prefix)]) is None
