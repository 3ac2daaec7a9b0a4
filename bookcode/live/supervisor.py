"""Keeps a builder running: tells it what changed, starts it again, and knows what it last said."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from bookcode.live.project import Project
from bookcode.live.protocol import RESTART, Message, decode, encode

_LINE_LIMIT = 1 << 26
_PATIENCE = 2.0


class State:
    """What browsers are told, and the pages they show."""

    def __init__(self) -> None:
        self.ready = False
        self.building = True
        self.problems: list[dict[str, Any]] = []
        self.held: list[str] = []
        self.progress: Message | None = None
        self._browsers: dict[asyncio.Queue[Message], str] = {}

    def join(self, page: str) -> asyncio.Queue[Message]:
        """A browser shows a page: the queue of what to tell it."""
        queue: asyncio.Queue[Message] = asyncio.Queue()
        self._browsers[queue] = page
        queue.put_nowait(self.now())
        return queue

    def leave(self, queue: asyncio.Queue[Message]) -> None:
        """A browser has gone."""
        self._browsers.pop(queue, None)

    def opened(self) -> list[str]:
        """The pages that browsers show, the latest first."""
        return list(dict.fromkeys(reversed(self._browsers.values())))

    def now(self) -> Message:
        """All there is to tell, without a reason to reload."""
        return {
            "changed": [],
            "ready": self.ready,
            "building": self.building,
            "problems": self.problems,
            "held": self.held,
            "progress": self.progress,
        }

    def tell(self, changed: Iterable[str] = ()) -> None:
        """Tell all browsers, with the files that are new."""
        message = {**self.now(), "changed": list(changed)}
        for queue in self._browsers:
            queue.put_nowait(message)


class Supervisor:
    """The builder process and what is known of it.

    Args:
        say: takes lines for the terminal.
    """

    def __init__(self, project: Project, say: Callable[[Message], None]) -> None:
        self.state = State()
        self._project = project
        self._say = say
        self._process: asyncio.subprocess.Process | None = None
        self._again = asyncio.Event()
        self._sent = self._taken = 0

    async def run(self) -> None:
        """Keep a builder running until cancelled."""
        try:
            while True:
                self._again.clear()
                status = await self._one_life()
                # what was sent to a builder that was about to end, nobody has seen
                unseen = self._taken < self._sent or self._again.is_set()
                if status != RESTART and not unseen:
                    self.state.building = False
                    self.state.tell()
                    await self._again.wait()
        finally:
            await self.close()

    def changed(self, paths: Iterable[Path]) -> None:
        """Tell the builder that files changed; a broken one is started again."""
        names = sorted(str(path) for path in paths)
        if self._process is None or self._process.returncode is not None:
            self._again.set()
            return
        self.state.building = True
        with contextlib.suppress(ConnectionError, RuntimeError):
            assert self._process.stdin is not None
            self._sent += 1
            self._process.stdin.write(encode({"changed": names, "opened": self.state.opened()}))

    async def close(self) -> None:
        """End the builder: let it stop by itself, then make it."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _one_life(self) -> int:
        project = self._project
        self.state.building = True
        self._sent = self._taken = 0
        self._process = process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bookcode.live.worker"),
            *(str(project.root), project.edition, project.language),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=project.root,
            limit=_LINE_LIMIT,
            start_new_session=True,  # Ctrl-C is for the server, which ends the builder in order
        )
        assert process.stdout is not None
        last = ""
        async for line in process.stdout:
            message = decode(line)
            last = message["kind"]
            self._take(message)
        status = await process.wait()
        if status != RESTART and last != "broken":
            text = f"the builder ended with status {status}; what it said is on the terminal"
            self._take({"kind": "broken", "problem": _problem(text)})
        return status

    def _take(self, message: Message) -> None:
        state = self.state
        kind = message["kind"]
        self._taken = message.get("taken", self._taken)
        state.progress = message if kind == "progress" else None
        if kind == "page":
            state.problems, state.held = message["problems"], message["held"]
            state.tell([message["page"]] if message["shown"] else [])
        elif kind == "built":
            state.ready, state.building = True, message["taken"] < self._sent
            state.problems, state.held = message["problems"], message["held"]
            state.tell(message["changed"])
        elif kind == "broken":
            state.problems = [message["problem"]]
            state.tell()
        elif not state.ready:
            state.tell()
        self._say(message)


def _problem(text: str) -> dict[str, Any]:
    return {"path": "", "line": 0, "level": "error", "text": text, "tag": "builder"}
