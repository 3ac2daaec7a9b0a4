"""Writing accepted proposals into citations.toml: atomically, comments and order kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from .errors import AcceptError, hint, nearest
from .extract import missing_anchors
from .members import Members
from .registry import CITATIONS, Registry
from .relocate import Outcome, Proposal

_ACCEPTABLE = (Outcome.SAME, Outcome.MOVED, Outcome.CHANGED)


def choose(proposals: Sequence[Proposal], ids: Iterable[str] | None) -> tuple[Proposal, ...]:
    """The proposals to accept: those named, or (None) all that are proven.

    A changed passage is accepted only by name: somebody must have read it. Raises AcceptError
    for a name that cannot be accepted.
    """
    if ids is None:
        return tuple(p for p in proposals if p.proven and not p.details and not p.facts)
    known = {p.citation.id: p for p in proposals}
    chosen = []
    for key in ids:
        if key not in known:
            raise AcceptError(f"no proposal for {key!r}{hint(nearest(key, known))}")
        if known[key].outcome not in _ACCEPTABLE:
            raise AcceptError(f"cannot be accepted: {known[key]}")
        chosen.append(known[key])
    return tuple(chosen)


def accept(registry: Registry, proposals: Sequence[Proposal], new: Members) -> Path:
    """Rewrite the citations of `proposals`; the file written.

    Raises AcceptError, and writes nothing, when one of them has no place, lost an anchor, or
    names a source that is not in the registry.
    """
    for proposal in proposals:
        _acceptable(registry, proposal, new)
    path = registry.folder / CITATIONS
    try:
        document = tomlkit.parse(path.read_bytes().decode("utf-8"))
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise AcceptError(f"{path}: {error}") from None
    citations = document["citations"]
    assert isinstance(citations, Table)  # the registry was loaded from it
    for proposal in proposals:
        assert proposal.lines is not None
        entry = citations[proposal.citation.id]
        assert isinstance(entry, Table)
        entry["source"] = proposal.source
        entry["lines"] = list(proposal.lines)
        entry["lines_sha256"] = proposal.lines_sha256
        entry["file_sha256"] = proposal.file_sha256
    write_atomically(path, tomlkit.dumps(document))
    return path


def _acceptable(registry: Registry, proposal: Proposal, new: Members) -> None:
    registry.artifact(proposal.source)
    if proposal.outcome not in _ACCEPTABLE or proposal.lines is None:
        raise AcceptError(f"cannot be accepted: {proposal}")
    text = new.read(proposal.citation.path or "")
    span = text.span(*proposal.lines) or ""
    if lost := list(missing_anchors(proposal.citation.anchors, span)):
        raise AcceptError(
            f"{proposal.citation.id}: lines {proposal.lines[0]}-{proposal.lines[1]} lost"
            f" {', '.join(map(repr, lost))}: change the anchors by hand"
        )


def write_atomically(path: Path, text: str) -> None:
    """Replace `path` by `text`, or leave it untouched."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
