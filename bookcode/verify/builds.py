"""Builds the editions of the book with Sphinx, each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookcode.numbers.files import write_atomic
from bookcode.translation.editions import LANGUAGES
from bookcode.verify.progress import Watch, run_watched
from bookcode.verify.result import Result
from bookcode.verify.root_pages import not_found, way_in

RECORDS = "bookcode-records.json"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_PROBLEM = re.compile(r"(?:: |^)(?:WARNING|ERROR|CRITICAL|SEVERE): ")


@dataclass(frozen=True)
class Layout:
    """Where things lie.

    Attributes:
        root: the project (conf.py, book/, references/).
        out: the built output; editions go to ``html/<edition>``.
    """

    root: Path
    out: Path

    @property
    def site(self) -> Path:
        """The site that is served."""
        return self.out / "html"

    def html(self, edition: str) -> Path:
        """An edition's pages."""
        return self.site / edition

    def doctrees(self, edition: str) -> Path:
        """An edition's doctrees."""
        return self.out / "doctrees" / edition


@dataclass(frozen=True)
class Build:
    """One built edition.

    Attributes:
        edition: its folder name.
        problems: errors and warnings, as Sphinx printed them, with paths relative to the root.
        exported: the records that the extension left, {} if the build died before.
    """

    edition: str
    problems: tuple[str, ...]
    exported: dict[str, Any]

    def results(self) -> list[Result]:
        """The build as checks: the pages themselves, the prose, and the verdicts."""
        pages = self.exported.get("pages", {})
        records = [r for page in pages.values() for r in page["records"]]
        count = {kind: sum(r["kind"] == kind for r in records) for kind in ("number", "claim")}
        words = sum(page["words"] for page in pages.values())
        tagged = {tag: self._tagged(tag) for tag in ("prose", "claim")}
        rest = [p for p in self.problems if not any(p in found for found in tagged.values())]
        note = f"{count['number']} numbers published"
        return [
            Result(f"build {self.edition}", len(pages), "pages", rest, note=note),
            Result(f"prose {self.edition}", words, "words", tagged["prose"]),
            Result(f"claims {self.edition}", count["claim"], "verdicts", tagged["claim"]),
        ]

    def _tagged(self, tag: str) -> list[str]:
        """The problems that the extension reported under a tag."""
        return [p for p in self.problems if f"[bookcode.{tag}]" in p]


def build(
    layout: Layout,
    edition: str,
    *,
    clean: bool,
    check_points: int | None = None,
    jobs: str = "auto",
    watch: Watch | None = None,
) -> Build:
    """Build one edition.

    Args:
        clean: remove what an earlier build left first.
        check_points: at how many points values, traces and JavaScript are compared.
        watch: told of every page that is read or written.
    """
    if clean:
        for folder in (layout.html(edition), layout.doctrees(edition)):
            shutil.rmtree(folder, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "sphinx", "-q", "-j", jobs, "-c", str(layout.root)),
        *("-D", f"language={LANGUAGES[edition]}", "-d", str(layout.doctrees(edition))),
        *(str(layout.root / "book"), str(layout.html(edition))),
    ]
    environment = dict(os.environ, NO_COLOR="1", PYTHONWARNINGS="default::DeprecationWarning")
    environment.setdefault("SOURCE_DATE_EPOCH", source_date(layout.root))
    if check_points is not None:
        environment["BOOKCODE_CHECK_POINTS"] = str(check_points)
    done = run_watched(command, layout.root, environment, watch)
    problems = _problems(done.stderr, layout.root)
    if done.returncode and not problems:
        tail = done.stderr.strip()[-2000:] or "no message"
        problems = [f"sphinx-build ended with status {done.returncode}: {tail}"]
    records = layout.doctrees(edition) / RECORDS
    exported = json.loads(records.read_text("utf-8")) if records.exists() else {}
    write_root_page(layout)
    return Build(edition, tuple(problems), exported)


def build_all(
    layout: Layout,
    editions: Sequence[str],
    *,
    clean: bool,
    check_points: int | None = None,
    watch_of: Callable[[str], Watch] | None = None,
) -> list[Build]:
    """Build editions side by side, each with its share of the processor; in the order given.

    A build is serial for good parts of its time: two at once end sooner than one after another.

    Args:
        check_points: for the first edition. The others run the same cells, and are compared with
            it: in what they publish, and in the JavaScript that their pages compute with.
        watch_of: gives what is told of an edition's pages.
    """
    jobs = str(max(1, (os.cpu_count() or 1) // len(editions)))

    def one(edition: str) -> Build:
        watch = watch_of(edition) if watch_of else None
        points = 0 if check_points is not None and edition != editions[0] else check_points
        return build(layout, edition, clean=clean, check_points=points, jobs=jobs, watch=watch)

    with ThreadPoolExecutor(len(editions)) as threads:
        return list(threads.map(one, editions))


def source_date(root: Path) -> str:
    """The seconds of the last commit: the date that pages carry; "0", no date, without a history.

    The clock is not asked, so that one state of the sources gives one site.
    """
    command = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no git on this machine
        return "0"
    return done.stdout.strip() or "0"


def _problems(stderr: str, root: Path) -> list[str]:
    """Sphinx's messages, each with its continuation lines."""
    problems: list[str] = []
    for line in _ANSI.sub("", stderr).replace(f"{root}/", "").splitlines():
        if _PROBLEM.search(line) or not problems:
            problems.append(line)
        else:
            problems[-1] += f"\n{line}"
    return [problem for problem in problems if _PROBLEM.search(problem)]


def write_root_page(layout: Layout) -> None:
    """The pages above the editions: the way in, and "not found" for hosts that show 404.html."""
    write_atomic(layout.site / "index.html", way_in(LANGUAGES))
    write_atomic(layout.site / "404.html", not_found(LANGUAGES))
