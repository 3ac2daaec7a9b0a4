"""A tiny book is built twice; what depends on the machine is found, and what is broken is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from bookcode.reproducible.commands import reproducible_command
from bookcode.reproducible.errors import ReproducibleError
from bookcode.reproducible.trees import files
from bookcode.reproducible.twice import build_twice, copy, tracked_files, untracked_files
from bookcode.reproducible.ways import two_ways

CONF = """\
import os
project = "Tiny"
extensions = ["bookcode.sphinxext"]
html_theme = "basic"
html_math_renderer = "bookcode"
html_copy_source = False
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A book of two pages that git knows."""
    root = tmp_path / "project"
    (root / "book").mkdir(parents=True)
    (root / "conf.py").write_text(CONF)
    (root / "book/index.md").write_text("# Book\n\n```{toctree}\nmore\n```\n")
    (root / "book/more.md").write_text("# More\n\nText.\n")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def built(project: Path) -> tuple[int, list[str], list[str]]:
    """How many files were compared, the names that differ, and what was said."""
    said: list[str] = []
    scratch = project.parent / "scratch"
    outcome = build_twice(project, scratch, two_ways(None), ["en"], said.append)
    return outcome.files, [d.name for d in outcome.differences], said


def test_only_what_git_tracks_is_copied(project: Path) -> None:
    (project / "book/untracked.md").write_text("# Untracked\n")
    (project / "book/more.md").unlink()
    (project / "ignored.log").write_text("")
    (project / ".git/info/exclude").write_text("*.log\n")
    assert untracked_files(project) == ["book/untracked.md"]
    names = tracked_files(project)
    assert names == ["book/index.md", "conf.py"]
    copy(project, names, project.parent / "copy")
    assert sorted(files(project.parent / "copy")) == names


def test_a_folder_that_git_does_not_know_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReproducibleError, match="asked of git"):
        tracked_files(tmp_path)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(ReproducibleError, match="git tracks no files here"):
        tracked_files(tmp_path)


@pytest.mark.slow
def test_a_book_that_minds_its_own_business_is_built_alike(project: Path) -> None:
    count, names, said = built(project)
    assert count > 10
    assert names == []
    assert sorted(line for line in said if "pages" in line) == [
        "1: en: 2 pages, 0 problems",
        "2: en: 2 pages, 0 problems",
    ]


@pytest.mark.slow
def test_what_a_machine_does_to_a_page_is_found(project: Path) -> None:
    """One page tells the time zone, the place, the locale and the order of a set each."""
    asks = {
        "zone": 'os.environ["TZ"]',
        "place": "os.getcwd()",
        "locale": 'os.environ["LC_ALL"]',
        "order": '" ".join({"a", "b", "c", "d", "e", "f", "g", "h"})',
    }
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write("from pathlib import Path\nbookcode_lint = False\n")
        for name, expression in asks.items():
            conf.write(f"Path('book/{name}.md').write_text('# Page\\n\\n' + {expression})\n")
    index = project / "book/index.md"
    index.write_text(index.read_text().replace("more\n", "more\n" + "\n".join(asks) + "\n"))
    _, names, _ = built(project)
    assert {f"en/{name}.html" for name in asks} <= set(names)
    assert "en/more.html" not in names


@pytest.mark.slow
def test_a_build_that_fails_says_what_is_wrong(project: Path) -> None:
    (project / "book/more.md").write_text("# More\n\n{num}`no.such`\n")
    with pytest.raises(ReproducibleError, match=r"(?s)the build -j.*no number 'no.such'"):
        built(project)


@pytest.mark.slow
def test_the_command_names_what_differs_and_fails(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    good = CliRunner().invoke(reproducible_command, ["--edition", "en"])
    assert good.exit_code == 0, good.output
    assert "all alike" in good.output
    with (project / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_title = "It is " + os.environ["TZ"]\n')
    kept = project.parent / "kept"
    bad = CliRunner().invoke(reproducible_command, ["--edition", "en", "--keep", str(kept)])
    assert bad.exit_code == 1
    assert "en/more.html:" in bad.output
    assert "It is WEST+12" in bad.output
    assert "It is EAST-14" in bad.output
    assert (kept / "one/_build/html/en/more.html").exists()
    again = CliRunner().invoke(reproducible_command, ["--keep", str(kept)])
    assert again.exit_code == 1
    assert "name a folder to make" in again.output
