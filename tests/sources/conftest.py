"""A tiny project for the tests: wheels made on the spot, and a registry that cites them."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from bookcode.sources import Artifact, Registry, Report, Store, check
from bookcode.sources.members import Members

STAMP = (2026, 1, 1, 0, 0, 0)


def write_wheel(path: Path, members: Mapping[str, str | bytes]) -> None:
    """A zip file with `members`, the same bytes every time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            archive.writestr(zipfile.ZipInfo(name, STAMP), data, zipfile.ZIP_DEFLATED)


def digest(content: str | bytes) -> str:
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


@dataclass
class Project:
    """References and a filled store in a temporary folder."""

    root: Path
    artifacts: dict[str, dict[str, Any]] = field(default_factory=dict)
    others: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    citations: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    contents: dict[str, dict[str, str | bytes]] = field(default_factory=dict)

    @property
    def references(self) -> Path:
        return self.root / "references"

    @property
    def folder(self) -> Path:
        return self.root / ".sources"

    def file(self, source: str) -> Path:
        return self.folder / self.artifacts[source]["file"]

    def wheel(self, source: str, members: Mapping[str, str | bytes], **fields: Any) -> str:
        """Make the wheel of `name==version`, put it into the store, and pin it."""
        name, version = source.split("==")
        file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        path = self.folder / file
        write_wheel(path, members)
        self.contents[source] = dict(members)
        self.artifacts[source] = {
            "name": name,
            "version": version,
            "file": file,
            "sha256": digest(path.read_bytes()),
            "bytes": path.stat().st_size,
            "python": "3.12",
            "licence": "MIT",
            "set": "core",
            "reason": "a test",
            **fields,
        }
        return source

    def text(self, source: str, path: str) -> str:
        content = self.contents[source][path]
        return content if isinstance(content, str) else content.decode()

    def cite(self, key: str, source: str, path: str, lines: tuple[int, int], *anchors: str) -> str:
        """Pin `lines` of a member as they are now."""
        text = self.text(source, path)
        span = "\n".join(text.split("\n")[lines[0] - 1 : lines[1]])
        self.citations[key] = {
            "claim": f"what {key} says",
            "source": source,
            "path": path,
            "lines": list(lines),
            "anchors": list(anchors),
            "lines_sha256": digest(span),
            "file_sha256": digest(text),
            "evidence": "pinned",
            "date": tomlkit.date("2026-01-31"),
        }
        return key

    def fact(self, key: str, value: str, citation: str, **fields: Any) -> str:
        self.facts[key] = {
            "value": value,
            "unit": "1",
            "citation": citation,
            "kind": "vendor-specification",
            **fields,
        }
        return key

    def write(self) -> Path:
        self.references.mkdir(exist_ok=True)
        groups = {"artifacts": self.artifacts, **self.others}
        for name, content in (
            ("sources.toml", groups),
            ("citations.toml", {"citations": self.citations}),
            ("facts.toml", {"facts": self.facts}),
        ):
            (self.references / name).write_text(tomlkit.dumps(content), encoding="utf-8")
        return self.references

    def registry(self) -> Registry:
        return Registry.load(self.write())

    def store(self) -> Store:
        return Store(self.folder)

    def check(self, *only: str) -> Report:
        return check(self.registry(), self.store(), only or None)

    def opened(self, source: str) -> tuple[Artifact, Members]:
        artifact = Registry.load(self.references).artifact(source)
        return artifact, self.store().open(artifact)

    def opened_members(self, source: str) -> Members:
        return self.opened(source)[1]


@pytest.fixture
def make_wheel() -> Callable[[Path, Mapping[str, str | bytes]], None]:
    return write_wheel


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


CODE = """\
import math


def area(radius):
    # The area of a disc.
    return math.pi * radius**2


def edge(radius):
    return 2 * math.pi * radius


PEAK = 989.5e12
"""


@pytest.fixture
def cited(project: Project) -> Project:
    """One wheel, one citation of `area`, one fact."""
    project.wheel("geo==1.0", {"geo/disc.py": CODE, "geo/__init__.py": ""})
    project.cite("AREA", "geo==1.0", "geo/disc.py", (4, 6), r"^def area\(", r"math\.pi")
    project.cite("PEAK", "geo==1.0", "geo/disc.py", (13, 13), "^PEAK")
    project.fact("geo.peak", "989.5e12", "PEAK", pattern=r"PEAK = ([\d.e]+)", unit="FLOP/s")
    return project
