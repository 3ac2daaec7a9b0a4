"""Where the live server's things lie, and the lock that keeps two builders apart."""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path

from bookcode.live.errors import LiveError


class OutputLockedError(LiveError):
    """Another builder writes to the same folder.

    Attributes:
        path: the lock file; it holds the number of the other process.
    """

    def __init__(self, path: Path, owner: str) -> None:
        self.path = path
        super().__init__(f"process {owner} builds this edition live already (lock file {path})")


@dataclass(frozen=True)
class Project:
    """A book and one edition of it.

    Attributes:
        root: the folder of conf.py.
        edition: its folder name.
        language: Sphinx's name of its language.
    """

    root: Path
    edition: str
    language: str

    @property
    def source(self) -> Path:
        """The pages."""
        return self.root / "book"

    @property
    def out(self) -> Path:
        """Everything that the live server writes; never the verified site."""
        return self.root / "_build" / "live" / self.edition

    @property
    def html(self) -> Path:
        """What Sphinx writes: now and then half done."""
        return self.out / "html"

    @property
    def doctrees(self) -> Path:
        """What Sphinx keeps for itself."""
        return self.out / "doctrees"

    @property
    def seed(self) -> Path:
        """What lies in the folder of pages before the first one is written."""
        return self.out / "seed"

    @property
    def served(self) -> Path:
        """What is served: whole pages only, of each the last good one."""
        return self.out / "site"

    def relative(self, path: Path) -> str:
        """A path as messages show it: below the root, with forward slashes."""
        return (
            path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
        )


def lock_output(project: Project, patience: float = 5.0) -> int:
    """Keep other builders out of the output folder until this process ends.

    The lock is of a kind that forked processes do not inherit: one that outlives its builder does
    not hold it.

    Raises:
        OutputLockedError: when another process still holds it after ``patience`` seconds.
    """
    project.out.mkdir(parents=True, exist_ok=True)
    path = project.out / "lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > deadline:
                owner = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
                os.close(descriptor)
                raise OutputLockedError(path, owner or "?") from None
            time.sleep(0.05)
            continue
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return descriptor
