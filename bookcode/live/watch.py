"""Watches the project's files and gives changes in bursts, without those that builds make."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from watchfiles import Change, awatch

from bookcode.live.sources import is_watched

QUIET_SECONDS = 0.02
"""A burst is over when nothing has changed for so long: an editor's "save all" is one build."""

LONGEST_BURST = 0.5

_STEP_MS = 10


class Watcher:
    """Changes below a root.

    Args:
        root: the project; hidden folders and output folders in it are not even looked into.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._queue: asyncio.Queue[set[Path]] = asyncio.Queue()
        self._stop = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._folders: dict[Path, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Watcher:
        self._tasks.append(asyncio.create_task(self._watch(self._root, recursive=False)))
        self._watch_folders()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop.set()
        tasks = [*self._tasks, *self._folders.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def bursts(self) -> AsyncIterator[set[Path]]:
        """What changed, one set for all that happens in quick succession."""
        loop = asyncio.get_running_loop()
        while True:
            paths = set(await self._queue.get())
            ends = loop.time() + LONGEST_BURST
            with contextlib.suppress(TimeoutError):
                while loop.time() < ends:
                    paths |= await asyncio.wait_for(self._queue.get(), QUIET_SECONDS)
            yield paths

    def _watch_folders(self) -> None:
        """Look into every folder of the root that is worth it, also those made later."""
        for path in sorted(self._root.iterdir()):
            if path.is_dir() and path not in self._folders and is_watched(path, self._root):
                self._folders[path] = asyncio.create_task(self._watch(path, recursive=True))

    async def _watch(self, folder: Path, *, recursive: bool) -> None:
        changes = awatch(
            folder,
            watch_filter=self._wanted,
            step=_STEP_MS,
            debounce=_STEP_MS * 5,
            stop_event=self._stop,
            recursive=recursive,
            ignore_permission_denied=True,
        )
        try:
            async for found in changes:
                await self._take({Path(name) for _, name in found}, recursive)
        except FileNotFoundError:  # the folder went while it was being looked at
            self._folders.pop(folder, None)

    async def _take(self, paths: set[Path], recursive: bool) -> None:
        if not recursive:
            known = {path for path in self._folders if path.is_dir()}
            for gone in self._folders.keys() - known:
                self._folders.pop(gone).cancel()
            self._watch_folders()
        await self._queue.put(paths | _inside(paths))

    def _wanted(self, change: Change, name: str) -> bool:
        return is_watched(Path(name), self._root)


def _inside(paths: Sequence[Path] | set[Path]) -> set[Path]:
    """The files of folders that came as a whole, which nobody reports one by one."""
    return {file for path in paths if path.is_dir() for file in path.rglob("*") if file.is_file()}
