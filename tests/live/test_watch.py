from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bookcode.live.sources import is_watched, watched_files
from bookcode.live.watch import Watcher

Next = Callable[[], Awaitable[set[str]]]


@pytest.mark.parametrize(
    ("name", "watched"),
    [
        ("conf.py", True),
        ("book/01-operators/index.md", True),
        ("bookcode/ledger/cost.py", True),
        ("references/facts.toml", True),
        ("book/locale/zh_CN/LC_MESSAGES/one.po", True),
        ("book/_build.md", True),
        ("new-folder/x.txt", True),
        (".git/index", False),
        (".nox/live/lib/x.py", False),
        ("_build/live/en/html/index.html", False),
        ("bookcode/ledger/__pycache__/cost.cpython-311.pyc", False),
        ("bookcode.egg-info/PKG-INFO", False),
        ("book/jupyter_execute/x.png", False),
        ("book/.index.md.swp", False),
        ("book/index.md~", False),
        ("book/#index.md#", False),
        ("book/.#index.md", False),
        ("book/4913", False),
        ("book/locale/zh_CN/LC_MESSAGES/one.mo", False),
        ("", False),
    ],
)
def test_sources_are_watched_and_not_what_tools_write(name: str, watched: bool) -> None:
    root = Path("/home/somebody/.hidden/_build/book+one")
    assert is_watched(root / name, root) is watched


def test_files_elsewhere_are_not_watched() -> None:
    assert not is_watched(Path("/tmp/x.md"), Path("/home/me/book"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("book/one.md", "book/deep/two.md", "_build/x", ".git/x", "conf.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def test_the_files_there_are(root: Path) -> None:
    assert watched_files(root) == {"book/one.md", "book/deep/two.md", "conf.py"}


@asynccontextmanager
async def watching(root: Path) -> AsyncIterator[Next]:
    async with Watcher(root) as watcher:
        bursts = watcher.bursts()

        async def following() -> set[str]:
            paths = await asyncio.wait_for(anext(bursts), 5)
            return {path.relative_to(root).as_posix() for path in paths}

        await asyncio.sleep(0.3)  # the system's own watches are put up in threads
        yield following


async def silence(following: Next, seconds: float = 0.4) -> bool:
    try:
        await asyncio.wait_for(following(), seconds)
    except TimeoutError:
        return True
    return False


def test_several_saves_in_a_burst_are_one(root: Path) -> None:
    async def scenario() -> None:
        async with watching(root) as following:
            for i in range(5):
                (root / "book/one.md").write_text(str(i))
                (root / "conf.py").write_text(str(i))
                await asyncio.sleep(0.01)
            (root / "book/deep/two.md").write_text("x")
            assert await following() == {"book/one.md", "book/deep/two.md", "conf.py"}
            assert await silence(following)

    asyncio.run(scenario())


def test_what_tools_write_is_not_seen(root: Path) -> None:
    async def scenario() -> None:
        async with watching(root) as following:
            for name in ("_build/x", "_build/new", ".git/x", "book/one.md~", "book/one.mo"):
                (root / name).write_text("new")
            assert await silence(following)

    asyncio.run(scenario())


def test_an_atomic_save_is_seen(root: Path) -> None:
    async def scenario() -> None:
        async with watching(root) as following:
            (root / "book/.one.md.part").write_text("new")
            (root / "book/.one.md.part").replace(root / "book/one.md")
            assert await following() == {"book/one.md"}
            (root / "book/one.md").unlink()
            assert await following() == {"book/one.md"}

    asyncio.run(scenario())


def test_new_folders_are_watched_too(root: Path) -> None:
    async def scenario() -> None:
        async with watching(root) as following:
            (root / "tally").mkdir()
            (root / "tally/outer.py").write_text("1")
            assert "tally" in {name.split("/")[0] for name in await following()}
            await asyncio.sleep(0.3)
            (root / "tally/outer.py").write_text("2")
            assert "tally/outer.py" in await following()
            shutil.move(root / "tally", root / "count")
            seen = await following()
            assert "count/outer.py" in seen
            assert any(name.startswith("tally") for name in seen)

    asyncio.run(scenario())


def test_a_folder_that_comes_as_a_whole_brings_its_files(root: Path) -> None:
    async def scenario() -> None:
        outside = root / "_build/chapter"
        (outside / "deep").mkdir(parents=True)
        (outside / "deep/three.md").write_text("x")
        async with watching(root) as following:
            shutil.move(outside, root / "book/chapter")
            assert "book/chapter/deep/three.md" in await following()

    asyncio.run(scenario())
