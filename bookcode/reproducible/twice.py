"""Copies the book to two folders, builds both at once, and compares what came of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.reproducible.errors import ReproducibleError
from bookcode.reproducible.trees import Difference, compare
from bookcode.reproducible.ways import Way
from bookcode.sources import default_folder

SITE: Final = Path("_build/html")
SOURCES: Final = "BOOKCODE_SOURCES"
UNSET: Final = ("LANG", "LANGUAGE", "SOURCE_DATE_EPOCH", "PYTHONPATH")
"""What of the caller's environment would make the two builds more alike, or read other code."""
_TAIL = 40

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What came of two builds.

    Attributes:
        files: how many files were compared.
        differences: those that are not the same, by name.
    """

    files: int
    differences: Sequence[Difference]


def tracked_files(root: Path) -> list[str]:
    """The files that git tracks and that are there, sorted.

    Raises:
        ReproducibleError: where there is no git, or nothing tracked.
    """
    found = [name for name in _git_files(root) if (root / name).is_file()]
    if not found:
        raise ReproducibleError(f"{root}: git tracks no files here")
    return found


def untracked_files(root: Path) -> list[str]:
    """The files that git neither tracks nor ignores, sorted: they are not copied.

    Raises:
        ReproducibleError: where there is no git.
    """
    return _git_files(root, "--others", "--exclude-standard")


def _git_files(root: Path, *options: str) -> list[str]:
    command = ["git", "ls-files", "-z", *options]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except OSError as error:
        raise ReproducibleError(f"git cannot be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise ReproducibleError(f"{root}: which files belong to the book is asked of git: {said}")
    return sorted(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)


def copy(root: Path, names: Sequence[str], folder: Path) -> None:
    """Copy files, with times of their own."""
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, target, follow_symlinks=False)


def build_twice(
    root: Path, scratch: Path, ways: Sequence[Way], editions: Sequence[str], say: Say
) -> Outcome:
    """Copy the project and build it in both ways, at the same time; compare the sites.

    Args:
        root: the project.
        scratch: an empty folder to work in.
        editions: their folders' names.
        say: takes the lines that the builds print.

    Raises:
        ReproducibleError: when a copy cannot be made or a build fails, with what it said last.
    """
    names = tracked_files(root)
    folders = [scratch / way.folder for way in ways]
    for way, folder in zip(ways, folders, strict=True):
        copy(root, names[::-1] if way.backwards else names, folder)
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    environment[SOURCES] = str(default_folder(root))
    lock = threading.Lock()

    def build(number: int) -> None:
        way, folder = ways[number], folders[number]

        def tell(line: str) -> None:
            with lock:
                say(f"{number + 1}: {line}")

        _build(folder, way, editions, {**environment, **way.environment}, tell)

    with ThreadPoolExecutor(len(ways)) as pool:
        for done in [pool.submit(build, number) for number in range(len(ways))]:
            done.result()
    return Outcome(*compare(folders[0] / SITE, folders[1] / SITE))


def _build(
    folder: Path, way: Way, editions: Sequence[str], environment: dict[str, str], say: Say
) -> None:
    command = [sys.executable, "-m", "bookcode.reproducible", str(way.jobs), *editions]
    said: list[str] = []
    with subprocess.Popen(
        command,
        cwd=folder,  # where Python finds the copy's own package first
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said.append(line.rstrip("\n"))
            say(said[-1])
    if process.returncode:
        tail = "\n".join(said[-_TAIL:])
        raise ReproducibleError(f"the build {way} ended with {process.returncode}:\n{tail}")
    if not (folder / SITE).is_dir():
        raise ReproducibleError(f"the build {way} left no {SITE.as_posix()}")
