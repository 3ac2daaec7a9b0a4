"""Which pins have newer releases, and where their citations would stand in them.

A newer release is not pinned, so its hash is not known: what is read of it only serves a proposal.
Pinning it is a change of sources.toml that somebody makes and reviews.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from .errors import ArtifactError, ArtifactMissingError, FetchError
from .fetch import newer
from .members import Members
from .model import Artifact, Evidence
from .registry import Registry
from .relocate import Outcome, Proposal, relocate
from .store import Store

NEWER: Final = "newer"
"""Folder of the store for releases that are not pinned."""

Ask = Callable[[Artifact], str]
"""The newest version of an artifact; raises FetchError."""
Download = Callable[[Artifact, str, Path], None]
"""Puts a release of an artifact into a folder; raises FetchError."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of the releases after a pinned one.

    Attributes:
        version: the newest release; empty when the index did not answer.
        obstacle: why the version, or the proposals, could not be had; empty when they were.
        proposals: for each pinned citation of the artifact, where it stands in the newest release.
    """

    artifact: Artifact
    version: str = ""
    obstacle: str = ""
    proposals: tuple[Proposal, ...] = ()

    @property
    def outdated(self) -> bool:
        """Is there a newer release?"""
        return newer(self.version, self.artifact.version)

    def lines(self) -> Iterator[str]:
        """What there is to say, the first line about the version."""
        if not self.version:
            yield f"{self.artifact.id}: not checked ({self.obstacle})"
            return
        state = f"newer: {self.version}" if self.outdated else "newest"
        yield f"{self.artifact.id}: {state}"
        if self.obstacle:
            yield f"  relocation not looked at: {self.obstacle}"
        counts = Counter(proposal.outcome for proposal in self.proposals)
        if counts:
            told = ", ".join(f"{counts[o]} {o.value}" for o in Outcome if counts[o])
            yield f"  relocation would propose: {told}"
        for proposal in self.proposals:
            if proposal.outcome is not Outcome.SAME or proposal.details or proposal.facts:
                yield f"  {proposal}"


def outlook(
    registry: Registry, store: Store, artifact: Artifact, ask: Ask, download: Download | None
) -> Outlook:
    """Ask for the newest release and, where there is a newer one, look the citations up in it.

    Without `download` only a release that is already in the store is looked into.
    """
    try:
        version = ask(artifact)
    except FetchError as error:
        return Outlook(artifact, obstacle=error.reason.value)
    found = Outlook(artifact, version)
    if not found.outdated or not _cited(registry, artifact):
        return found
    try:
        released = replace(artifact, id=f"{artifact.name}=={version}", version=version)
        members = _members(registry, store, released, download)
        proposals = relocate(registry, (artifact, store.open(artifact)), (released, members))
    except (ArtifactError, FetchError) as error:
        return replace(found, obstacle=str(error))
    return replace(found, proposals=proposals)


def _cited(registry: Registry, artifact: Artifact) -> bool:
    return any(
        c.source == artifact.id and c.evidence is Evidence.PINNED
        for c in registry.citations.values()
    )


def _members(
    registry: Registry, store: Store, released: Artifact, download: Download | None
) -> Members:
    """The members of a release: the pinned one of that name, else one that lies in `newer`."""
    pinned = registry.artifacts.get(released.id)
    if pinned is not None and store.has(pinned):
        return store.open(pinned)
    folder = store.folder / NEWER
    file = _lying_in(folder, released)
    if file is None and download is not None:
        folder.mkdir(parents=True, exist_ok=True)
        download(released, released.version, folder)
        file = _lying_in(folder, released)
    if file is None:
        raise ArtifactMissingError(f"{released.id} is not in the store (--fetch gets it)")
    return Members(file)


def _lying_in(folder: Path, released: Artifact) -> Path | None:
    """The wheel of a release in a folder, whatever its platform."""
    for file in sorted(folder.glob("*.whl")):
        try:
            name, version, _, _ = parse_wheel_filename(file.name)
        except InvalidWheelFilename:
            continue
        if name == canonicalize_name(released.name) and str(version) == released.version:
            return file
    return None
