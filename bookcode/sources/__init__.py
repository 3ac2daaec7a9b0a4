"""Citations that cannot rot: registry, pinned artifacts, checking and relocation."""

from __future__ import annotations

from .accept import accept, choose
from .check import check
from .errors import (
    AcceptError,
    ArtifactChangedError,
    ArtifactError,
    ArtifactMissingError,
    FetchError,
    FetchReason,
    MemberError,
    Problem,
    RegistryError,
    SourcesError,
    UnknownKeyError,
)
from .model import (
    Artifact,
    Citation,
    Evidence,
    Fact,
    FetchSet,
    GitSource,
    Kind,
    Release,
    Source,
    WebSource,
)
from .registry import Registry
from .relocate import Outcome, Proposal, relocate
from .report import CitationResult, FactResult, Report, Status
from .store import Store, SyncResult, default_folder

__all__ = [
    "AcceptError",
    "Artifact",
    "ArtifactChangedError",
    "ArtifactError",
    "ArtifactMissingError",
    "Citation",
    "CitationResult",
    "Evidence",
    "Fact",
    "FactResult",
    "FetchError",
    "FetchReason",
    "FetchSet",
    "GitSource",
    "Kind",
    "MemberError",
    "Outcome",
    "Problem",
    "Proposal",
    "Registry",
    "RegistryError",
    "Release",
    "Report",
    "Source",
    "SourcesError",
    "Status",
    "Store",
    "SyncResult",
    "UnknownKeyError",
    "WebSource",
    "accept",
    "check",
    "choose",
    "default_folder",
    "relocate",
]
