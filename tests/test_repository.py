"""The repository's outer shell: pinned versions, sessions, the CI script, generated benchmarks."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


def load(path: Path) -> ModuleType:
    """Import a file that is not part of the package."""
    spec = importlib.util.spec_from_file_location(f"repository_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def constraints() -> dict[str, Requirement]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in wanted}


def project_requirements() -> list[Requirement]:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = [
        data["build-system"]["requires"],
        data["project"]["dependencies"],
        *data["project"]["optional-dependencies"].values(),
    ]
    return [Requirement(text) for group in groups for text in group]


# --- pinned versions ------------------------------------------------------------------------


@pytest.mark.parametrize("requirement", project_requirements(), ids=lambda r: r.name)
def test_every_dependency_is_constrained_to_a_version_it_allows(requirement: Requirement) -> None:
    pinned = constraints().get(canonicalize_name(requirement.name))
    assert pinned is not None, f"constraints.txt has no line for {requirement.name}"
    (version,) = pinned.specifier
    assert requirement.specifier.contains(version.version, prereleases=True)


def test_constraints_name_one_exact_version_each_and_no_place() -> None:
    text = (ROOT / "constraints.txt").read_text("utf-8")
    assert not re.search(r"://|@|^\s*-|\s/", text, flags=re.MULTILINE)
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(constraints()), "a package stands twice"
    for requirement in constraints().values():
        (specifier,) = requirement.specifier
        assert specifier.operator == "=="
        assert "*" not in specifier.version


def test_what_is_installed_here_and_pinned_needs_nothing_unpinned() -> None:
    """A dependency of a dependency without a line would float from build to build."""
    from importlib.metadata import PackageNotFoundError, distribution

    pinned = constraints()
    floating = set()
    for name in pinned:
        try:
            needs = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for need in map(Requirement, needs):
            applies = need.marker is None or need.marker.evaluate({"extra": ""})
            if applies and canonicalize_name(need.name) not in pinned:
                floating.add(f"{need.name} (of {name})")
    assert floating == set()


# --- sessions -------------------------------------------------------------------------------

nox = pytest.importorskip("nox", reason="nox is not installed beside the tests")


@pytest.fixture(scope="module")
def noxfile() -> ModuleType:
    return load(ROOT / "noxfile.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with this noxfile and a `bookcode` whose verify ends as an environment says."""
    shutil.copy(ROOT / "noxfile.py", tmp_path)
    (tmp_path / "bookcode").mkdir()
    (tmp_path / "bookcode/__main__.py").write_text(
        "import os, sys\nprint('ran', *sys.argv[1:])\nsys.exit(int(os.environ['ENDS_WITH']))\n"
    )
    with (tmp_path / "noxfile.py").open("a", encoding="utf-8") as stream:
        # What the environment holds is not the point here: nothing is installed.
        stream.write(
            "\n\ndef _prepare(session, *extras, tools=()):\n    pass\n"
            "\n\n@nox.session(python=False)\n@_noted\ndef red(session):\n    session.error('red')\n"
            "\n\n@nox.session(python=False)\ndef green(session):\n    print('green ran')\n"
        )
    return tmp_path


def run_nox(project: Path, status: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "ENDS_WITH": str(status), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-m", "nox", *arguments],
        cwd=project, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("status", "expected"), [(0, 0), (1, 1), (3, 3), (2, 1)])
def test_verify_ends_with_the_status_of_the_command(
    project: Path, status: int, expected: int
) -> None:
    done = run_nox(project, status, "-s", "verify", "--", "02", "--why", "two words")
    assert done.returncode == expected, done.stderr
    assert "ran verify 02 --why two words" in done.stdout


def test_unchecked_lets_the_other_sessions_run_first(project: Path) -> None:
    done = run_nox(project, 3, "-s", "verify", "green")
    assert done.returncode == 3
    assert "green ran" in done.stdout


@pytest.mark.parametrize("order", [("verify", "red"), ("red", "verify")])
def test_red_outranks_unchecked(project: Path, order: tuple[str, str]) -> None:
    assert run_nox(project, 3, "-s", *order).returncode == 1


def test_verify_says_how_to_read_the_site_when_there_is_one(project: Path) -> None:
    command = "python -m http.server --directory _build/html 8000 --bind 127.0.0.1"
    assert command not in run_nox(project, 0, "-s", "verify").stderr
    (project / "_build/html").mkdir(parents=True)
    assert command in run_nox(project, 0, "-s", "verify").stderr


def test_each_session_says_what_it_is_for(noxfile: ModuleType) -> None:
    names = ["html", "verify", "tests", "lint", "live", "linkcheck", "benchmarks", "reproducible"]
    for name in names:
        assert (getattr(noxfile, name).func.__doc__ or "").strip().endswith("."), name


def test_a_stamp_changes_with_the_files_and_the_extras(noxfile: ModuleType, tmp_path: Path) -> None:
    for name in noxfile.INSTALL_INPUTS:
        (tmp_path / name).write_text("one\n")
    first = noxfile.wanted_stamp(tmp_path, [".[book]"])
    assert noxfile.wanted_stamp(tmp_path, [".[book]"]) == first
    assert noxfile.wanted_stamp(tmp_path, [".[book,tests]"]) != first
    for name in noxfile.INSTALL_INPUTS:
        (tmp_path / name).write_text("two\n")
        assert noxfile.wanted_stamp(tmp_path, [".[book]"]) != first
        (tmp_path / name).write_text("one\n")


# --- files ----------------------------------------------------------------------------------


def test_the_ci_script_is_executable_and_parses() -> None:
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & stat.S_IXUSR
    assert script.read_text("utf-8").startswith("#!/usr/bin/env bash\n")
    assert subprocess.run(["bash", "-n", str(script)], check=False).returncode == 0


def test_ci_leaves_out_the_live_servers_tests_alone() -> None:
    """Those in a browser run; without a Chromium the session fails, as the noxfile's tests say."""
    script = (ROOT / ".ci/run").read_text("utf-8")
    left_out = re.findall(r"--(?:ignore|deselect)[^\s)]*|-m \S+", script.split("for session in")[1])
    assert left_out == ["--ignore=tests/live"]


class SaidError(Exception):
    """A session's error."""


@pytest.mark.parametrize("ci", [True, False])
def test_without_a_chromium_ci_fails(
    noxfile: ModuleType, monkeypatch: pytest.MonkeyPatch, ci: bool
) -> None:
    """Elsewhere browser tests are left out, with a warning."""
    told: list[str] = []

    def error(text: str) -> None:
        raise SaidError(text)

    session = SimpleNamespace(env={}, log=told.append, warn=told.append, error=error)
    monkeypatch.setattr(noxfile.shutil, "which", lambda name: None)
    monkeypatch.delenv("BOOKCODE_CHROMIUM", raising=False)
    monkeypatch.setenv("CI", "true" if ci else "")
    if ci:
        with pytest.raises(SaidError, match="CI has to run the browser tests"):
            noxfile._browser_options(session)
    else:
        assert noxfile._browser_options(session) == ["-m", "not browser"]
        assert "are skipped" in told[0]


def test_licences_and_citation_agree_with_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name in project["license-files"]:
        (identifier,) = re.findall(
            r"^SPDX-License-Identifier: (\S+)$", (ROOT / name).read_text("utf-8"), re.MULTILINE
        )
        assert identifier in project["license"].split(" AND ")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [project["version"]]


# --- benchmarks -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    return load(ROOT / "tests/benchmarks/generate.py")


def test_generated_flavours_differ_in_conf_alone(generate: ModuleType, tmp_path: Path) -> None:
    for flavour in generate.FLAVOURS:
        generate.write_book(tmp_path / flavour, 3, flavour)
    peer, ours = (
        {path.name: path.read_text("utf-8") for path in (tmp_path / flavour).iterdir()}
        for flavour in ("peer", "ours")
    )
    assert peer.keys() == ours.keys()
    assert {name for name in peer if peer[name] != ours[name]} == {"conf.py"}
    assert len(peer) == 3 + 2


def test_a_generated_chapter_has_twelve_cells_that_run_and_one_figure(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    text = generate.chapter_text(4)
    cells = re.findall(r"```\{code-cell\} python\n(.*?)\n```", text, flags=re.DOTALL)
    assert len(cells) == 12
    assert sum("plt.subplots" in cell for cell in cells) == 1
    exec("\n".join(cells), {})
    assert capsys.readouterr().out.strip() == generate.DONE
    assert generate.DONE not in text


def test_generated_prose_has_no_numerals(generate: ModuleType) -> None:
    body = generate.chapter_text(30)
    head, front_matter, text = body.partition("display_name: Python\n---\n")
    assert head.startswith("---\n")
    assert front_matter
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert not re.search(r"\d", prose)
    names = [generate.chapter_name(index) for index in range(60)]
    assert len(set(names)) == 60
    assert all(name.isalpha() for name in names)


def test_an_edit_changes_the_note_and_nothing_else(generate: ModuleType, tmp_path: Path) -> None:
    (chapter,) = generate.write_book(tmp_path, 1, "peer")
    before = chapter.read_text("utf-8").splitlines()
    generate.edit_prose(chapter, r"a \1 word.")
    after = chapter.read_text("utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [new for _, new in changed] == [generate.NOTE + r"a \1 word."]
    with pytest.raises(ValueError, match="no paragraph"):
        generate.edit_prose(chapter, r"a \1 word.")
    with pytest.raises(ValueError, match="at least one chapter"):
        generate.write_book(tmp_path, 0, "peer")


@pytest.fixture
def build(generate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setitem(sys.modules, "generate", generate)
    return load(ROOT / "tests/benchmarks/build.py")


def test_ratios_are_ours_by_peer(build: ModuleType, tmp_path: Path) -> None:
    books = [
        build.Book(name, tmp_path, tmp_path, 1, [], {"cold": cold, "prose": prose, "verify": own})
        for name, cold, prose, own in [
            ("ours", [1.0, 9.0, 2.0], [1.0], [3.0]),
            ("peer", [4.0], [10.0], [4.0]),
        ]
    ]
    result = build.report(books, 5, 3, 1)
    assert result["ratio"] == {"cold": 0.5, "prose": 0.1, "verify": 0.75}
    assert json.loads(json.dumps(result)) == result
    assert re.search(
        r"cold build +2\.00 \(1\.00 to 9\.00\) +4\.00 \(.*\) +0\.500\n", build.table(books, result)
    )
    assert build.report(books[:1], 5, 3, 1)["ratio"] == {}


def test_the_benchmark_refuses_a_page_that_was_not_executed(
    build: ModuleType, generate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapters = generate.write_book(tmp_path, 1, "peer")
    book = build.Book("peer", tmp_path, tmp_path / "html", 1, chapters)

    def build_nothing(self: object) -> float:
        (tmp_path / "html").mkdir(exist_ok=True)
        (tmp_path / "html/kernel-a.html").write_text(chapters[0].read_text("utf-8"), "utf-8")
        return 0.0

    monkeypatch.setattr(build.Book, "build", build_nothing)
    with pytest.raises(build.BenchmarkError, match=r"kernel-a\.html does not show"):
        book.round("other words")


def test_a_failing_build_fails_the_benchmark(
    build: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "conf.py").write_text("raise RuntimeError('no such book')\n")
    with pytest.raises(build.BenchmarkError, match="no such book"):
        build.Book("peer", tmp_path, tmp_path / "html", 1, []).build()


@pytest.fixture
def scale(generate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setitem(sys.modules, "generate", generate)
    return load(ROOT / "tests/benchmarks/scale.py")


def test_one_chapter_more_costs_what_two_sizes_differ_by(scale: ModuleType) -> None:
    sizes = [
        scale.Size(n, 57 * n, dict.fromkeys(scale.STEPS, scale.Taken(99.0, spent, 150.0)))
        for n, spent in [(10, 12.0), (50, 52.0), (200, 352.0)]
    ]
    assert scale.growth(sizes, "build") == [1.0, 2.0]
    lines = scale.table(sizes).splitlines()
    assert len(lines) == 1 + 2 * len(sizes)
    assert lines[3].split() == ["200", "11400", "build", "99.0", "352.0", "1.760", "2.000", "150"]


def test_the_benchmark_of_scale_takes_no_wrong_status_for_a_measurement(
    scale: ModuleType, tmp_path: Path
) -> None:
    code = ("-c", "import sys; print('it went wrong'); sys.exit(3)")
    taken, printed = scale.run(code, tmp_path, (0, 3))
    assert printed == "it went wrong\n"
    assert taken.processors > 0
    assert 1 < taken.mebibytes < 1000
    with pytest.raises(scale.ScaleError, match="ended with 3:\nit went wrong"):
        scale.run(code, tmp_path, (0,))


def test_a_publishing_chapter_has_keys_of_its_own_and_no_numerals_in_prose(
    generate: ModuleType, tmp_path: Path
) -> None:
    generate.write_project(tmp_path, 3)
    texts = [path.read_text("utf-8") for path in sorted((tmp_path / "book").glob("*/index.md"))]
    assert len(texts) == 3
    keys = [set(re.findall(r"\bkernel-[a-z]+\.[a-z-]+", text)) for text in texts]
    assert len(keys[1]) > 10
    assert not (keys[0] & keys[1]) - {"kernel-a.large"}
    for text in texts:
        cells = re.findall(r"```\{code-cell\} python\n(?::tags:[^\n]*\n)?(.*?)```", text, re.DOTALL)
        assert len(cells) == 11
        assert all(compile(cell, "a cell", "exec") for cell in cells)
        body = re.sub(r"```.*?```|`[^`]*`|^:columns:.*$", "", text[3:], flags=re.DOTALL | re.M)
        assert not re.search(r"\d", body.partition("---\n")[2])
    with pytest.raises(ValueError, match="at least one chapter"):
        generate.write_project(tmp_path, 0)


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readme_says_what_the_last_whole_run_of_the_mutants_found(readme: str) -> None:
    record = json.loads((ROOT / "references/measurements/mutants.json").read_text("utf-8"))
    total = record["total"]
    text = (ROOT / readme).read_text("utf-8")
    (paragraph,) = (part for part in text.split("\n\n") if "nox -s mutants" in part)
    said = [int(found.replace(",", "")) for found in re.findall(r"\b\d[\d,]*", paragraph)]
    assert said == [total[name] for name in ("mutants", "killed", "equivalent", "survived")]
    assert total["survived"] == 0
