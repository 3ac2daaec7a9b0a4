"""Fetching one artifact through pip: by hash, wheels only, no dependencies, nothing is run."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from packaging.utils import parse_wheel_filename
from packaging.version import InvalidVersion, Version

from .errors import FetchError, FetchReason
from .model import Artifact

Fetch = Callable[[Artifact, Path], None]
"""Puts an artifact into a folder; raises FetchError."""

FETCH_SECONDS: Final = 1800.0
QUERY_SECONDS: Final = 60.0
# What pip says, in order of trust: a refused hash is never taken for a missing file.
_SYMPTOMS: Final = (
    (r"DO NOT MATCH THE HASHES|hashes are required", FetchReason.WRONG_HASH),
    (
        r"NewConnectionError|ConnectTimeout|Read timed out|Max retries|name resolution"
        r"|Network is unreachable|Connection (?:refused|aborted|reset)|ProxyError|SSLError",
        FetchReason.NO_NETWORK,
    ),
    (
        r"No matching distribution|Could not find a version|404 Client Error",
        FetchReason.NOT_IN_INDEX,
    ),
)


def pip_download(artifact: Artifact, folder: Path) -> None:
    """Download `artifact` into `folder`; raises FetchError with the reason."""
    requirements = folder / "requirements.txt"
    requirements.write_text(
        f"{artifact.name}=={artifact.version} --hash=sha256:{artifact.sha256}\n", encoding="utf-8"
    )
    arguments = [
        "download", "--no-deps", "--require-hashes", "--only-binary", ":all:",
        "--no-cache-dir", "--progress-bar", "off",
        "--dest", str(folder), "--requirement", str(requirements), *tags(artifact),
    ]  # fmt: skip
    run_pip(artifact.id, arguments, FETCH_SECONDS)


def tags(artifact: Artifact) -> list[str]:
    """pip's options for the platform and the Python of the artifact's file, wherever we run."""
    options = ["--implementation", "cp", "--python-version", artifact.python]
    platforms = {tag.platform for tag in parse_wheel_filename(artifact.file)[3]} - {"any"}
    for platform in sorted(platforms):
        options += ["--platform", platform]
    return options


def newest(artifact: Artifact) -> str:
    """The newest release that the index has for the artifact's Python and platform.

    Raises FetchError when the index does not answer.
    """
    arguments = ["index", "versions", artifact.name, "--only-binary", ":all:", *tags(artifact)]
    out = run_pip(artifact.id, arguments, QUERY_SECONDS)
    found = re.search(rf"^{re.escape(artifact.name)} \(([^)]+)\)", out, re.MULTILINE)
    if not found:
        raise FetchError(artifact.id, FetchReason.FAILED, "the index's answer was not understood")
    return found[1]


def download_release(artifact: Artifact, version: str, folder: Path) -> None:
    """Download the wheel of a release that is not pinned, for the artifact's Python and platform.

    Nothing of it is run, and nothing is trusted: no hash is known. Raises FetchError.
    """
    arguments = [
        "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir",
        "--progress-bar", "off", "--dest", str(folder),
        f"{artifact.name}=={version}", *tags(artifact),
    ]  # fmt: skip
    run_pip(artifact.id, arguments, FETCH_SECONDS)


def newer(candidate: str, than: str) -> bool:
    """Is version `candidate` newer? What is not a version is not newer."""
    try:
        return Version(candidate) > Version(than)
    except InvalidVersion:
        return False


def run_pip(source: str, arguments: Sequence[str], seconds: float) -> str:
    """Run this Python's pip; its output, or FetchError with pip's reason."""
    if importlib.util.find_spec("pip") is None:
        raise FetchError(source, FetchReason.NO_PIP, f"run {sys.executable} -m ensurepip")
    command = [
        sys.executable, "-m", "pip", *arguments,
        "--disable-pip-version-check", "--no-input", "--retries", "2", "--timeout", "20",
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise FetchError(source, FetchReason.TIMEOUT, f"more than {seconds:.0f} s") from None
    if done.returncode:
        raise _explain(source, done.stderr)
    return done.stdout


def _explain(source: str, stderr: str) -> FetchError:
    errors = [line for line in stderr.splitlines() if line.startswith("ERROR")]
    detail = (errors or stderr.splitlines() or ["no message"])[-1].removeprefix("ERROR: ")
    for pattern, reason in _SYMPTOMS:
        if re.search(pattern, stderr):
            return FetchError(source, reason, detail)
    return FetchError(source, FetchReason.FAILED, detail)
