"""What can go wrong with sources, as one tree of exceptions rooted in `SourcesError`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path


class SourcesError(Exception):
    """Anything that this package refuses to do."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One defect of the registry, at a line of one of its files."""

    file: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class RegistryError(SourcesError):
    """The registry files do not hold together; `problems` has every reason at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UnknownKeyError(SourcesError):
    """No such source, citation or fact."""

    def __init__(self, kind: str, key: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.key = key
        self.nearest = nearest(key, known)
        super().__init__(f"unknown {kind} {key!r}{hint(self.nearest)}")


class ArtifactError(SourcesError):
    """An artifact in the store cannot be used."""


class ArtifactMissingError(ArtifactError):
    """The artifact has not been fetched yet."""


class ArtifactChangedError(ArtifactError):
    """The artifact's bytes are not the pinned ones, or not a wheel."""


class MemberError(ArtifactError):
    """A member of an artifact cannot be read."""


class MemberMissingError(MemberError):
    """The artifact has no member of that name."""


class UnsafeMemberError(MemberError):
    """The member is too large, a link, encrypted, or its name leaves the artifact."""


class ExtractionError(SourcesError):
    """A fact's value cannot be read out of the cited lines."""

    def __init__(self, message: str, *, ambiguous: bool = False) -> None:
        self.ambiguous = ambiguous
        super().__init__(message)


class FetchReason(Enum):
    """Why an artifact could not be fetched."""

    NO_NETWORK = "no network"
    NOT_IN_INDEX = "not in the index"
    WRONG_HASH = "wrong hash"
    NO_PIP = "this Python has no pip"
    TIMEOUT = "took too long"
    BUSY = "another process holds the store"
    FAILED = "pip failed"


class FetchError(SourcesError):
    """An artifact could not be fetched; `reason` says why."""

    def __init__(self, source: str, reason: FetchReason, detail: str = "") -> None:
        self.source = source
        self.reason = reason
        self.detail = detail
        super().__init__(f"{source}: {reason.value}{f': {detail}' if detail else ''}")


class AcceptError(SourcesError):
    """A proposal cannot be accepted."""


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The known names most like `name`, best first, at most three."""
    return tuple(get_close_matches(name, list(known), n=3, cutoff=0.6))


def hint(names: Sequence[str]) -> str:
    """`names` as the tail of an error message; empty when there are none."""
    return f" (nearest: {', '.join(names)})" if names else ""
