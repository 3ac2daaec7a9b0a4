"""pip fetches by hash (from a folder that stands for the index); its refusals are understood."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bookcode.sources import Artifact, FetchError, FetchReason, FetchSet, Store
from bookcode.sources import fetch as fetching
from bookcode.sources.fetch import newer, newest, pip_download, run_pip, tags
from bookcode.sources.model import Location

if TYPE_CHECKING:
    from tests.sources.conftest import Project


def artifact(file: str, python: str = "3.12", name: str = "x") -> Artifact:
    return Artifact(
        id=f"{name}==1.0",
        at=Location(Path("s"), 1),
        name=name,
        version="1.0",
        file=file,
        sha256="0" * 64,
        bytes=1,
        python=python,
        licence="MIT",
        set=FetchSet.CORE,
        reason="test",
    )


@pytest.mark.parametrize(
    ("file", "platforms"),
    [
        ("x-1.0-py3-none-any.whl", []),
        ("x-1.0-cp312-cp312-macosx_14_0_arm64.whl", ["macosx_14_0_arm64"]),
        (
            "x-1.0-cp39-abi3-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
            ["manylinux_2_27_x86_64", "manylinux_2_28_x86_64"],
        ),
    ],
)
def test_the_platform_comes_from_the_file_name(file: str, platforms: list[str]) -> None:
    options = tags(artifact(file))
    assert options[:4] == ["--implementation", "cp", "--python-version", "3.12"]
    assert options[5::2] == platforms
    assert set(options[4::2]) <= {"--platform"}


class Pip:
    """Stands for subprocess.run: answers, and keeps the command."""

    def __init__(self, code: int = 0, out: str = "", err: str = "") -> None:
        self.answer = subprocess.CompletedProcess[str]([], code, out, err)
        self.command: list[str] = []

    def __call__(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.command = command
        return self.answer


@pytest.mark.parametrize(
    ("stderr", "reason"),
    [
        (
            "WARNING: Retrying after NewConnectionError(...)\nERROR: Could not find a version",
            FetchReason.NO_NETWORK,
        ),
        ("ERROR: HTTPSConnectionPool: Max retries exceeded", FetchReason.NO_NETWORK),
        ("ERROR: Could not find a version that satisfies x==1.0", FetchReason.NOT_IN_INDEX),
        ("ERROR: 404 Client Error: Not Found", FetchReason.NOT_IN_INDEX),
        ("ERROR: No matching distribution found for x==1.0", FetchReason.NOT_IN_INDEX),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", FetchReason.WRONG_HASH),
        ("ERROR: something else", FetchReason.FAILED),
        ("", FetchReason.FAILED),
    ],
)
def test_what_pip_says_becomes_a_reason(
    monkeypatch: pytest.MonkeyPatch, stderr: str, reason: FetchReason
) -> None:
    monkeypatch.setattr(subprocess, "run", Pip(1, err=stderr))
    with pytest.raises(FetchError) as caught:
        run_pip("x==1.0", ["download"], 1)
    assert caught.value.reason is reason
    assert str(caught.value).startswith(f"x==1.0: {reason.value}")
    assert "ERROR" not in str(caught.value)


def test_a_python_without_pip_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FetchError, match=r"this Python has no pip: run .* -m ensurepip"):
        run_pip("x==1.0", ["download"], 1)


def test_a_pip_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(FetchError, match="took too long: more than 7 s"):
        run_pip("x==1.0", ["download"], 7)


def test_pip_is_asked_for_hashes_wheels_and_no_dependencies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pip = Pip()
    monkeypatch.setattr(subprocess, "run", pip)
    pip_download(artifact("x-1.0-py3-none-any.whl"), tmp_path)
    assert pip.command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--require-hashes", "--no-deps", "--only-binary", ":all:"} <= set(pip.command)
    requirement = (tmp_path / "requirements.txt").read_text()
    assert requirement == f"x==1.0 --hash=sha256:{'0' * 64}\n"


def test_the_newest_release_is_read_from_pips_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(out="x (1.12.0)\nAvailable versions: 1.12.0, 1.0\n")
    monkeypatch.setattr(subprocess, "run", pip)
    assert newest(artifact("x-1.0-py3-none-any.whl")) == "1.12.0"
    assert pip.command[3:6] == ["index", "versions", "x"]
    monkeypatch.setattr(subprocess, "run", Pip(out="gibberish"))
    with pytest.raises(FetchError, match="was not understood"):
        newest(artifact("x-1.0-py3-none-any.whl"))


@pytest.mark.parametrize(
    ("candidate", "than", "expected"),
    [("1.10", "1.9", True), ("1.9", "1.10", False), ("1.0", "1.0", False), ("?", "1.0", False)],
)
def test_versions_are_compared_as_versions(candidate: str, than: str, expected: bool) -> None:
    assert newer(candidate, than) is expected


METADATA = "Metadata-Version: 2.1\nName: geo\nVersion: 1.0\n"


@pytest.fixture
def local(project: Project, monkeypatch: pytest.MonkeyPatch) -> Artifact:
    """`geo==1.0` in a folder that pip takes for its index; nothing in the store."""
    members = {
        "geo.py": "x = 1\n",
        "geo-1.0.dist-info/METADATA": METADATA,
        "geo-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py3-none-any\n",
        "geo-1.0.dist-info/RECORD": "",
    }
    project.wheel("geo==1.0", members)
    index = project.root / "index"
    index.mkdir()
    project.file("geo==1.0").replace(index / project.file("geo==1.0").name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setattr(fetching, "FETCH_SECONDS", 60.0)
    return project.registry().artifact("geo==1.0")


def test_pip_brings_the_pinned_file(project: Project, local: Artifact) -> None:
    store = project.store()
    result = store.sync([local], FetchSet.CORE)
    assert result.fetched == ("geo==1.0",), result.failed
    assert store.open(local).read("geo.py").text == "x = 1\n"


def test_pip_refuses_another_hash(project: Project, local: Artifact) -> None:
    wrong = replace(local, sha256="1" * 64)
    (error,) = Store(project.folder).sync([wrong], FetchSet.CORE).failed
    assert error.reason is FetchReason.WRONG_HASH
    assert not project.file("geo==1.0").exists()


def test_pip_does_not_find_another_version(project: Project, local: Artifact) -> None:
    absent = replace(local, version="9.9", id="geo==9.9")
    (error,) = Store(project.folder).sync([absent], FetchSet.CORE).failed
    assert error.reason is FetchReason.NOT_IN_INDEX
