"""Members of a wheel: read by name, never extracted, with every size checked."""

from __future__ import annotations

import lzma
import stat
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from .errors import (
    ArtifactChangedError,
    MemberError,
    MemberMissingError,
    UnsafeMemberError,
    hint,
    nearest,
)

MAX_MEMBER_BYTES: Final = 16 * 1024 * 1024
"""No cited member is near this; a larger one is a mistake or an attack."""


_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,  # an unknown compression method
    RuntimeError,
)


def leaves_artifact(path: str) -> bool:
    """Is `path` absolute, climbing (`..`), or otherwise not a plain name inside an artifact?"""
    parts = path.split("/")
    return (
        not path
        or "\\" in path
        or "\0" in path
        or ":" in parts[0]
        or PurePosixPath(path).is_absolute()
        or any(part in ("", ".", "..") for part in parts)
    )


@dataclass(frozen=True)
class Text:
    """A member as text. Lines end at LF alone, so a carriage return belongs to its line."""

    content: bytes

    @cached_property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()

    @cached_property
    def text(self) -> str:
        """The content as UTF-8; raises MemberError when it is not."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MemberError(f"not UTF-8 text: {error}") from None

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def span(self, first: int, last: int) -> str | None:
        """Lines `first` to `last` (from 1, inclusive) joined by LF; None past the end."""
        if last > len(self.lines):
            return None
        return "\n".join(self.lines[first - 1 : last])


def lines_sha256(span: str) -> str:
    """The hash by which cited lines are locked."""
    return sha256(span.encode("utf-8")).hexdigest()


@dataclass
class Members:
    """The members of one wheel; what has been read is kept."""

    file: Path
    max_bytes: int = MAX_MEMBER_BYTES
    _read: dict[str, Text] = field(default_factory=dict, repr=False)

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self.file)
        except _BROKEN as error:
            raise ArtifactChangedError(f"{self.file.name}: not a readable wheel: {error}") from None

    @cached_property
    def names(self) -> Counter[str]:
        """Member names, each with how often it occurs."""
        return Counter(info.filename for info in self._zip.infolist())

    def like(self, path: str) -> tuple[str, ...]:
        """Members that may be meant by `path`: of the same base name, else of the same folder."""
        folder, _, base = path.rpartition("/")
        same = [name for name in self.names if name.rpartition("/")[2] == base]
        beside = [name for name in self.names if name.rpartition("/")[0] == folder]
        return tuple(same[:3]) or nearest(path, beside)

    def read(self, path: str) -> Text:
        """The member called `path`.

        Raises MemberMissingError, UnsafeMemberError, or ArtifactChangedError when the wheel
        itself is broken.
        """
        if path not in self._read:
            self._read[path] = Text(self._bytes(path))
        return self._read[path]

    def _bytes(self, path: str) -> bytes:
        info = self._info(path)
        try:
            with self._zip.open(info) as stream:
                # zipfile stops at the declared size; reading past it makes it check the CRC.
                content = stream.read(info.file_size + 1)
        except _BROKEN as error:
            raise ArtifactChangedError(f"{self.file.name}: {path}: {error}") from None
        if len(content) != info.file_size:
            raise UnsafeMemberError(
                f"{self.file.name}: {path}: declares {info.file_size} bytes, holds another number"
            )
        return content

    def _info(self, path: str) -> zipfile.ZipInfo:
        if leaves_artifact(path):
            raise UnsafeMemberError(f"{self.file.name}: the name {path!r} leaves the artifact")
        if path not in self.names:
            near = self.like(path)
            raise MemberMissingError(f"{self.file.name}: no member {path!r}{hint(near)}")
        if self.names[path] > 1:
            raise UnsafeMemberError(f"{self.file.name}: two members are called {path!r}")
        info = self._zip.getinfo(path)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise UnsafeMemberError(f"{self.file.name}: {path!r} is a link")
        if info.flag_bits & 0x1:
            raise UnsafeMemberError(f"{self.file.name}: {path!r} is encrypted")
        if info.file_size > self.max_bytes:
            raise UnsafeMemberError(
                f"{self.file.name}: {path!r} declares {info.file_size} bytes,"
                f" more than the {self.max_bytes} allowed"
            )
        return info
