"""The folder that holds the pinned artifacts, shared by processes and checked by hash."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from .errors import ArtifactChangedError, ArtifactMissingError, FetchError, FetchReason
from .fetch import Fetch, pip_download
from .members import Members
from .model import Artifact, FetchSet

ENVIRONMENT: Final = "BOOKCODE_SOURCES"
DEFAULT_FOLDER: Final = ".sources"
LOCK_SECONDS: Final = 900.0
_TEMPORARY: Final = "fetch-"
Progress = Callable[[str], None]


def default_folder(project: Path) -> Path:
    """Where the store is: `BOOKCODE_SOURCES`, else `.sources` in the project's root."""
    named = os.environ.get(ENVIRONMENT)
    return Path(named).expanduser() if named else project / DEFAULT_FOLDER


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What `sync` did: sources by id, and why some could not be had."""

    present: tuple[str, ...]
    fetched: tuple[str, ...]
    failed: tuple[FetchError, ...]
    bytes: int

    @property
    def exit_status(self) -> int:
        """0: all there; 1: a wrong hash; 3: something could not be fetched."""
        if any(error.reason is FetchReason.WRONG_HASH for error in self.failed):
            return 1
        return 3 if self.failed else 0


@dataclass
class Store:
    """Artifacts in `folder`, by file name. A hash is computed once per store object."""

    folder: Path
    fetch: Fetch = pip_download
    lock_seconds: float = LOCK_SECONDS
    _open: dict[str, Members] = field(default_factory=dict, repr=False)

    def file(self, artifact: Artifact) -> Path:
        """Where the artifact is or will be."""
        return self.folder / artifact.file

    def open(self, artifact: Artifact) -> Members:
        """The members of an artifact whose hash was found right.

        Raises ArtifactMissingError, or ArtifactChangedError when the bytes are not the pinned
        ones.
        """
        if artifact.id not in self._open:
            verify(self.file(artifact), artifact)
            self._open[artifact.id] = Members(self.file(artifact))
        return self._open[artifact.id]

    def has(self, artifact: Artifact) -> bool:
        """Is the artifact there, with the right hash?"""
        try:
            self.open(artifact)
        except (ArtifactMissingError, ArtifactChangedError):
            return False
        return True

    def sync(
        self, artifacts: Iterable[Artifact], wanted: FetchSet, progress: Progress = lambda _: None
    ) -> SyncResult:
        """Fetch what is not there yet of the set `wanted`; needs no network when all is there.

        An artifact that cannot be fetched does not stop the others: see `failed`.
        """
        chosen = [a for a in artifacts if a.within(wanted)]
        present: list[str] = []
        fetched: list[str] = []
        failed: list[FetchError] = []
        offline = False
        for number, artifact in enumerate(chosen, 1):
            label = f"[{number}/{len(chosen)}] {artifact.id} {artifact.bytes / 1e6:.1f} MB"
            say = partial(_say, progress, label)
            try:
                new = self._ensure(artifact, say, offline)
                (fetched if new else present).append(artifact.id)
            except FetchError as error:
                failed.append(error)
                offline = offline or error.reason is FetchReason.NO_NETWORK
                say(error.reason.value)
        total = sum(artifact.bytes for artifact in chosen if artifact.id in {*present, *fetched})
        return SyncResult(tuple(present), tuple(fetched), tuple(failed), total)

    def _ensure(self, artifact: Artifact, progress: Progress, offline: bool) -> bool:
        """Fetch one artifact, under the lock; False when it is there already."""
        if self.has(artifact):
            progress("present")
            return False
        if offline:  # every attempt would wait for its time-out again
            raise FetchError(artifact.id, FetchReason.NO_NETWORK, "not tried again")
        with self._locked(artifact, progress):
            # Another process may have been faster.
            if self.has(artifact):
                progress("present")
                return False
            progress("fetching")
            self._clear_leftovers()
            with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=self.folder) as folder:
                self.fetch(artifact, Path(folder))
                arrived = Path(folder) / artifact.file
                try:
                    verify(arrived, artifact)
                except ArtifactMissingError:
                    names = sorted(p.name for p in Path(folder).glob("*.whl")) or ["nothing"]
                    detail = f"{artifact.file} expected, {', '.join(names)} came"
                    raise FetchError(artifact.id, FetchReason.FAILED, detail) from None
                except ArtifactChangedError as error:
                    raise FetchError(artifact.id, FetchReason.WRONG_HASH, str(error)) from None
                arrived.replace(self.file(artifact))
            progress("fetched")
            return True

    def _clear_leftovers(self) -> None:
        """Temporary folders of a killed process: nobody else can be at work under the lock."""
        for leftover in self.folder.glob(f"{_TEMPORARY}*"):
            shutil.rmtree(leftover, ignore_errors=True)

    @contextmanager
    def _locked(self, artifact: Artifact, progress: Progress) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FetchError(artifact.id, FetchReason.FAILED, str(error)) from None
        lock = FileLock(self.folder / ".lock")
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                progress("waiting for another process")
                lock.acquire(timeout=self.lock_seconds)
        except Timeout:
            raise FetchError(artifact.id, FetchReason.BUSY, str(self.folder)) from None
        try:
            yield
        finally:
            lock.release()


def _say(progress: Progress, label: str, text: str) -> None:
    progress(f"{label}: {text}")


def verify(file: Path, artifact: Artifact) -> None:
    """Is `file` the pinned artifact?

    Raises ArtifactMissingError or ArtifactChangedError saying what was found.
    """
    try:
        size = file.stat().st_size
        if size != artifact.bytes:
            raise ArtifactChangedError(
                f"{file.name}: {size} bytes, recorded {artifact.bytes}: truncated or another file"
            )
        digest = sha256()
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except FileNotFoundError:
        raise ArtifactMissingError(
            f"{artifact.id} is not in the store: run `sources sync`"
        ) from None
    except OSError as error:
        raise ArtifactChangedError(f"{file.name}: {error}") from None
    if digest.hexdigest() != artifact.sha256:
        raise ArtifactChangedError(
            f"{file.name}: sha256 {digest.hexdigest()}, recorded {artifact.sha256}"
        )
