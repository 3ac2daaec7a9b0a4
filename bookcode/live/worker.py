"""The builder process: ``python -m bookcode.live.worker ROOT EDITION LANGUAGE``.

Speaks :mod:`bookcode.live.protocol` on its standard input and output; what anything prints goes to
its standard error. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bookcode.execution.model import Cell
from bookcode.live.errors import LiveError, RestartNeeded
from bookcode.live.kitchen import Kitchen
from bookcode.live.late import leave_out
from bookcode.live.memo import RunMemo
from bookcode.live.problems import Problem, from_exception
from bookcode.live.project import Project, lock_output
from bookcode.live.protocol import RESTART, Inbox, Message, encode
from bookcode.live.triggers import OwnFiles

if TYPE_CHECKING:
    from bookcode.live.seam import WarmSphinx
    from bookcode.live.update import LiveBuild

FAILED = 1


class Worker:
    """Builds at the start and whenever a message says that something changed."""

    def __init__(self, project: Project, inbox: Inbox, out: IO[bytes]) -> None:
        self._project = project
        self._inbox = inbox
        self._out = out
        self._own = OwnFiles(project)
        private = (inbox.descriptor, out.fileno())
        self._kitchen = Kitchen(self._gives_up, wake=inbox.descriptor, private=private)
        self._memo = RunMemo(self._kitchen, project.root)
        self._taken = 0

    def report(self, message: Message) -> None:
        """Send a message to the server, with how many of its own are dealt with."""
        message["taken"] = self._taken
        self._out.write(encode(message))
        self._out.flush()

    def run(self) -> int:
        """Work until the server closes its end; the exit status."""
        try:
            self._work()
        except RestartNeeded as request:
            self.report({"kind": "restart", "why": str(request)})
            return RESTART
        except BrokenPipeError:
            return 0
        except Exception as error:  # whatever conf.py, an extension or a page may raise
            problem = from_exception(error, self._project.root)
            if isinstance(error, LiveError):
                problem = Problem("", 0, "error", str(error), "builder")
            self.report({"kind": "broken", "problem": problem.to_json()})
            return FAILED
        finally:
            self._kitchen.close()
        return 0

    def _work(self) -> None:
        lock_output(self._project)
        warm, build = self._start()
        finished = build.run()
        while True:
            if finished:
                self._rest()
                self._inbox.poll(None)
            messages = self._inbox.take()
            if self._inbox.closed:
                return
            self._taken += len(messages)
            paths = {Path(name) for message in messages for name in message["changed"]}
            if paths:
                self._own.check(paths, warm.static_folders())
                self._kitchen.start()  # whose imports then run beside the reading of the page
            opened = messages[-1]["opened"] if messages else []
            build.note(paths, opened)
            finished = build.run()

    def _start(self) -> tuple[WarmSphinx, LiveBuild]:
        """Bring up Sphinx. What is imported and opened from here on is ours."""
        self._own.watch()
        leave_out()
        from bookcode.execution.client import run_with
        from bookcode.live.seam import WarmSphinx
        from bookcode.live.update import LiveBuild

        run_with(self._memo)
        warm = WarmSphinx(self._project)
        self._kitchen.start()
        urgent = self._inbox.poll
        return warm, LiveBuild(
            self._project,
            warm,
            self._memo,
            report=self.report,
            urgent=lambda: urgent(0),
            at_hand=self._kitchen.keeping,
        )

    def _rest(self) -> None:
        """Let go of what only a build needs."""
        mathml = sys.modules.get("bookcode.sphinxext.mathml")
        if mathml is not None:
            mathml.close_engine()
        gc.collect()

    def _gives_up(self, cells: Sequence[Cell]) -> bool:
        """Whether what has come makes the running cells pointless, or waits behind other things.

        An edit of the prose around them does not: they will be asked for again.
        """
        messages = self._inbox.peek()
        paths = {Path(name) for message in messages for name in message["changed"]}
        if self._inbox.closed or len(paths) != 1:
            return self._inbox.closed or bool(paths)
        try:
            text = paths.pop().read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return True
        return not all(cell.source.strip() in text for cell in cells)


def main(arguments: Sequence[str]) -> int:
    """Run the builder."""
    root, edition, language = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends us
    os.environ.setdefault("SOURCE_DATE_EPOCH", "0")
    os.environ["NO_COLOR"] = "1"
    inbox = Inbox(os.dup(0))
    out = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.chdir(root)
    with contextlib.suppress(KeyboardInterrupt):
        return Worker(Project(Path(root), edition, language), inbox, out).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
