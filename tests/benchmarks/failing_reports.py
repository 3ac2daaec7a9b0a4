"""Breaks one thing at a time in a copy of the project and records what verify says about it.

Run with `python tests/benchmarks/failing_reports.py [--only NAME ...]`. It copies what is
committed, fills the copy's lock from an unbroken build, breaks one thing, runs `python -m bookcode
verify --sources none --points 2`, and writes the problems that name it, and the exit status, to
references/measurements/failing-reports.toml. The status is 1 when something that was broken was
not reported. Each break takes as long as a build of the book.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import tomlkit
from tomlkit.items import Table

from bookcode.numbers.files import write_atomic
from bookcode.numbers.lock import locks_of
from bookcode.sources import default_folder
from bookcode.sphinxext.verification_page import REPORTS, problems_of
from bookcode.verify.builds import RECORDS
from bookcode.verify.locking import FOLDER

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = "python -m bookcode verify --sources none --points 2"
MOST: Final = 2
"""How many of the problems are kept in full; a coefficient of the ledger drifts dozens."""
_OPERATORS: Final = "book/02-from-pytorch-to-kernel/02-bytes-and-flops.md"


@dataclass(frozen=True)
class Break:
    """One thing to break.

    Attributes:
        name: of the report.
        path: the file that is changed.
        old, new: what is replaced by what; ``old`` occurs once.
        named: what a problem has in it that is about the break.
        sources: the check needs the pinned sources that are there.
    """

    name: str
    path: str
    old: str
    new: str
    named: str
    sources: bool = False


BREAKS: Final = (
    Break(
        "coefficient",
        "bookcode/ledger/ops/norm.py",
        "LAYERNORM_FLOPS[convention] * rows * columns),)",
        "(LAYERNORM_FLOPS[convention] - 1) * rows * columns),)",
        "because layernorm() in bookcode/ledger/ops/norm.py changed",
    ),
    Break(
        "typed-number",
        _OPERATORS,
        "It moves {num}`elementwise-add.bytes-per-element` and",
        "It moves 6 B and",
        "ERROR: '6 B'",
    ),
    Break(
        "claim",
        _OPERATORS,
        '"elementwise-add.memory-bound", add.regime == "memory"',
        '"elementwise-add.memory-bound", add.regime == "compute"',
        "claim 'elementwise-add.memory-bound' does not hold",
    ),
    Break(
        "cited-line",
        "references/citations.toml",
        'path = "calflops/pytorch_ops.py"\nlines = [192, 201]',
        'path = "calflops/pytorch_ops.py"\nlines = [193, 202]',
        "F-LN-5",
        sources=True,
    ),
)


def copy_to(folder: Path) -> None:
    """What is committed, without its history."""
    command = ["git", "archive", "--format=tar", "HEAD"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(made.stdout)) as archive:
        archive.extractall(folder, filter="data")


def run(project: Path, sources: Path, *arguments: str) -> tuple[int, str]:
    """Status and output of a command of the project's own."""
    command = [sys.executable, "-m", "bookcode", *arguments]
    environment = dict(os.environ, BOOKCODE_SOURCES=str(sources), NO_COLOR="1", COLUMNS="100")
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, (done.stdout + done.stderr).replace(f"{project}/", "")


def settle(project: Path, sources: Path) -> None:
    """Fill the lock from a build, so that all drift there is comes from what is broken."""
    run(project, sources, "build")
    exported = json.loads((project / "_build/doctrees/en" / RECORDS).read_text("utf-8"))
    for name, lock in locks_of(exported).items():
        write_atomic(project / FOLDER / f"{name}.lock.json", lock.text())


def report(one: Break, project: Path, nothing: Path) -> Table:
    """Break it, verify, keep what names it, and mend it."""
    path = project / one.path
    text = path.read_text("utf-8")
    if text.count(one.old) != 1:
        raise SystemExit(f"{one.name}: {one.path} has {one.old!r} {text.count(one.old)} times")
    path.write_text(text.replace(one.old, one.new), "utf-8")
    sources = default_folder(ROOT) if one.sources else nothing
    status, printed = run(project, sources, *COMMAND.split()[3:])
    path.write_text(text, "utf-8")
    found = [problem for problem in problems_of(printed) if one.named in problem]
    kept = tomlkit.table()
    kept["file"] = one.path
    kept["before"], kept["after"] = (_told(t) for t in (one.old, one.new))
    kept["status"] = status
    kept["problems"] = len(found)
    shown = "\n".join(found[:MOST]) + "\n"
    kept["report"] = tomlkit.string(shown, multiline=True, literal="'''" not in shown)
    return kept


def keep(name: str, kept: Table) -> None:
    """Put a report into the record; the others stay as they are."""
    path = ROOT / REPORTS
    document = tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
    document["date"] = datetime.datetime.now(datetime.UTC).date()
    document["command"] = COMMAND
    document.setdefault("reports", tomlkit.table(is_super_table=True))[name] = kept
    write_atomic(path, tomlkit.dumps(document))


def _told(text: str) -> str:
    return re.sub(r"\s*\n\s*", "; ", text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--only", nargs="*", choices=[one.name for one in BREAKS])
    only = parser.parse_args().only or [one.name for one in BREAKS]
    unseen = []
    with tempfile.TemporaryDirectory() as name:
        project, nothing = Path(name, "project"), Path(name, "sources")
        copy_to(project)
        settle(project, nothing)
        for one in (one for one in BREAKS if one.name in only):
            kept = report(one, project, nothing)
            print(f"{one.name}: status {kept['status']}, {kept['problems']} problems name it")
            if kept["status"] == 1 and kept["problems"]:
                keep(one.name, kept)
            else:
                unseen.append(one.name)
    for name in unseen:
        print(f"{name}: broken, and not reported")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
