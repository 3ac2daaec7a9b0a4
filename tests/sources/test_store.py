"""The store: shared, resumable, offline once filled, and never in possession of wrong bytes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bookcode.sources import (
    Artifact,
    ArtifactChangedError,
    ArtifactMissingError,
    FetchError,
    FetchReason,
    FetchSet,
    Registry,
    Store,
    default_folder,
)
from bookcode.sources.store import verify

if TYPE_CHECKING:
    from tests.sources.conftest import Project


class Index:
    """Stands for the package index: hands out files, counts, and fails on demand."""

    def __init__(self, files: dict[str, bytes], delay: float = 0) -> None:
        self.files = files
        self.delay = delay
        self.asked: list[str] = []

    def __call__(self, artifact: Artifact, folder: Path) -> None:
        self.asked.append(artifact.id)
        time.sleep(self.delay)
        content = self.files.get(artifact.file)
        if content is None:
            raise FetchError(artifact.id, FetchReason.NOT_IN_INDEX, "404")
        (folder / artifact.file).write_bytes(content)


@pytest.fixture
def index(project: Project) -> Index:
    """Two core wheels and one of the full set on the index; the store is empty."""
    project.wheel("a==1.0", {"a.py": "1\n"})
    project.wheel("b==1.0", {"b.py": "2\n"})
    project.wheel("big==1.0", {"big.py": "3\n"}, set="full")
    project.wheel("huge==1.0", {"huge.py": "4\n"}, set="none")
    files = {path.name: path.read_bytes() for path in project.folder.iterdir()}
    for path in project.folder.iterdir():
        path.unlink()
    return Index(files)


def artifacts(project: Project) -> list[Artifact]:
    return list(project.registry().artifacts.values())


def test_core_is_fetched_without_full_and_full_with_core(project: Project, index: Index) -> None:
    store = Store(project.folder, index)
    result = store.sync(artifacts(project), FetchSet.CORE)
    assert result.fetched == ("a==1.0", "b==1.0")
    assert result.exit_status == 0
    assert result.bytes == sum(project.artifacts[s]["bytes"] for s in ("a==1.0", "b==1.0"))
    result = store.sync(artifacts(project), FetchSet.FULL)
    assert (result.present, result.fetched) == (("a==1.0", "b==1.0"), ("big==1.0",))
    assert "huge==1.0" not in index.asked
    assert store.sync(artifacts(project), FetchSet.NONE).fetched == ()


def test_a_filled_store_needs_no_index(project: Project, index: Index) -> None:
    Store(project.folder, index).sync(artifacts(project), FetchSet.FULL)

    def unreachable(artifact: Artifact, folder: Path) -> None:
        raise AssertionError("asked the index")

    result = Store(project.folder, unreachable).sync(artifacts(project), FetchSet.FULL)
    assert len(result.present) == 3
    assert result.exit_status == 0


def test_progress_has_a_line_for_each_step(project: Project, index: Index) -> None:
    lines: list[str] = []
    store = Store(project.folder, index)
    store.sync(artifacts(project), FetchSet.CORE, lines.append)
    assert lines == [
        "[1/2] a==1.0 0.0 MB: fetching",
        "[1/2] a==1.0 0.0 MB: fetched",
        "[2/2] b==1.0 0.0 MB: fetching",
        "[2/2] b==1.0 0.0 MB: fetched",
    ]
    lines.clear()
    store.sync(artifacts(project), FetchSet.CORE, lines.append)
    assert [line.rsplit(": ")[1] for line in lines] == ["present", "present"]


def test_one_failure_does_not_stop_the_others(project: Project, index: Index) -> None:
    del index.files[project.artifacts["a==1.0"]["file"]]
    lines: list[str] = []
    result = Store(project.folder, index).sync(artifacts(project), FetchSet.CORE, lines.append)
    assert result.fetched == ("b==1.0",)
    assert [error.reason for error in result.failed] == [FetchReason.NOT_IN_INDEX]
    assert result.exit_status == 3
    assert "[1/2] a==1.0 0.0 MB: not in the index" in lines


def test_without_a_network_the_index_is_asked_once_and_what_is_there_counts(
    project: Project, index: Index
) -> None:
    Store(project.folder, index).sync(artifacts(project)[1:2], FetchSet.CORE)
    asked: list[str] = []

    def unplugged(artifact: Artifact, folder: Path) -> None:
        asked.append(artifact.id)
        raise FetchError(artifact.id, FetchReason.NO_NETWORK)

    result = Store(project.folder, unplugged).sync(artifacts(project), FetchSet.FULL)
    assert asked == ["a==1.0"]
    assert result.present == ("b==1.0",)
    assert [str(error) for error in result.failed] == [
        "a==1.0: no network",
        "big==1.0: no network: not tried again",
    ]
    assert result.exit_status == 3


def test_wrong_bytes_from_the_index_never_enter_the_store(project: Project, index: Index) -> None:
    file = project.artifacts["a==1.0"]["file"]
    index.files[file] = index.files[file][:-1] + b"X"
    result = Store(project.folder, index).sync(artifacts(project), FetchSet.CORE)
    assert [error.reason for error in result.failed] == [FetchReason.WRONG_HASH]
    assert result.exit_status == 1
    assert not (project.folder / file).exists()


def test_another_file_from_the_index_is_reported(project: Project) -> None:
    project.wheel("a==1.0", {"a.py": "1\n"})
    project.file("a==1.0").unlink()

    def fetch(artifact: Artifact, folder: Path) -> None:
        (folder / "a-1.0-py2-none-any.whl").write_bytes(b"x")

    (error,) = Store(project.folder, fetch).sync(artifacts(project), FetchSet.CORE).failed
    assert error.reason is FetchReason.FAILED
    assert "a-1.0-py3-none-any.whl expected, a-1.0-py2-none-any.whl came" in str(error)


@pytest.mark.parametrize("damage", [b"", b"not the wheel"])
def test_a_damaged_file_in_the_store_is_fetched_again(
    project: Project, index: Index, damage: bytes
) -> None:
    path = project.file("a==1.0")
    path.write_bytes(damage)
    result = Store(project.folder, index).sync(artifacts(project), FetchSet.CORE)
    assert "a==1.0" in result.fetched
    assert path.stat().st_size == project.artifacts["a==1.0"]["bytes"]


def test_leftovers_of_a_killed_process_are_cleared(project: Project, index: Index) -> None:
    leftover = project.folder / "fetch-killed"
    leftover.mkdir()
    (leftover / "half.whl").write_bytes(b"half")
    Store(project.folder, index).sync(artifacts(project), FetchSet.CORE)
    assert not leftover.exists()
    assert {p.suffix for p in project.folder.iterdir() if p.name != ".lock"} == {".whl"}


def test_opening_says_what_is_wrong(project: Project, index: Index) -> None:
    store = Store(project.folder, index)
    (a, *_) = artifacts(project)
    with pytest.raises(ArtifactMissingError, match="run `sources sync`"):
        store.open(a)
    path = store.file(a)
    content = index.files[a.file]
    path.write_bytes(content[:-5])
    with pytest.raises(ArtifactChangedError, match=f"{len(content) - 5} bytes, recorded {a.bytes}"):
        store.open(a)
    path.write_bytes(content[:-1] + b"X")
    with pytest.raises(ArtifactChangedError, match=f"recorded {a.sha256}"):
        store.open(a)
    path.unlink()
    path.mkdir()
    with pytest.raises(ArtifactChangedError):
        verify(path, a)


def test_two_stores_at_once_fetch_each_artifact_once(project: Project, index: Index) -> None:
    index.delay = 0.05
    wanted = artifacts(project)
    results = []

    def work() -> None:
        results.append(Store(project.folder, index).sync(wanted, FetchSet.FULL))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(index.asked) == ["a==1.0", "b==1.0", "big==1.0"]
    assert sum(len(result.fetched) for result in results) == 3
    assert all(result.exit_status == 0 for result in results)


def test_another_process_that_holds_the_store_is_waited_for_then_named(
    project: Project, index: Index
) -> None:
    code = (
        "import sys, filelock\n"
        "with filelock.FileLock(sys.argv[1]):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(project.folder / ".lock")]
    lines: list[str] = []
    store = Store(project.folder, index, lock_seconds=0.2)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        result = store.sync(artifacts(project)[:1], FetchSet.CORE, lines.append)
        holder.communicate("")
    assert [error.reason for error in result.failed] == [FetchReason.BUSY]
    assert lines[0].endswith("waiting for another process")
    assert store.sync(artifacts(project)[:1], FetchSet.CORE).fetched == ("a==1.0",)


def test_a_store_that_cannot_be_made_is_an_error(project: Project, index: Index) -> None:
    blocker = project.root / "file"
    blocker.write_text("in the way")
    (error,) = Store(blocker / "store", index).sync(artifacts(project)[:1], FetchSet.CORE).failed
    assert error.reason is FetchReason.FAILED


def test_the_folder_can_be_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOOKCODE_SOURCES", raising=False)
    assert default_folder(tmp_path) == tmp_path / ".sources"
    monkeypatch.setenv("BOOKCODE_SOURCES", str(tmp_path / "shared"))
    assert default_folder(tmp_path) == tmp_path / "shared"


def test_the_registry_is_not_needed_to_open_what_is_there(project: Project, index: Index) -> None:
    registry = project.registry()
    store = Store(project.folder, index)
    store.sync(registry.artifacts.values(), FetchSet.CORE)
    again = Registry.load(project.references)
    assert store.has(again.artifact("a==1.0"))
    assert not store.has(again.artifact("big==1.0"))
    assert store.open(again.artifact("a==1.0")).read("a.py").text == "1\n"
