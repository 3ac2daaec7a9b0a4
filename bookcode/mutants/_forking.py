"""Judges mutants in forked copies of this process, as many at a time as there are processors.

A fork sees everything that was loaded before and can change what it likes; only its answer comes
back. One that takes too long is ended, and counts as noticed: nobody waits for such a build.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bookcode.mutants._model import Mutant, MutantsError, Red, Verdict

Judge = Callable[[Mutant], Red | None]
"""Makes a mutant and runs the checks; None if none of them turns red, and a Red without a check if
they could not be run."""

TIME_LIMIT: Final = 120.0
"""Seconds for one share."""


@dataclass
class _Child:
    pid: int
    pipe: int
    share: Sequence[Mutant]
    started: float
    data: bytearray = field(default_factory=bytearray)


def judge_all(
    mutants: Sequence[Mutant],
    judge: Judge,
    *,
    share: int = 1,
    deadline: float | None = None,
    seconds: float = TIME_LIMIT,
) -> Iterator[Verdict]:
    """A verdict for each mutant, in the order in which they are ready.

    Args:
        share: how many mutants one fork judges; more than one only if the judge leaves nothing
            behind.
        deadline: no fork is started after this time (``time.monotonic()``); what is left is
            "not run".
        seconds: how long a fork may take.
    """
    shares = [mutants[start : start + share] for start in range(0, len(mutants), share)]
    running: list[_Child] = []
    while shares or running:
        while shares and len(running) < (os.cpu_count() or 1):
            if deadline is not None and time.monotonic() > deadline:
                yield from (Verdict(m, "not run") for left in shares for m in left)
                shares.clear()
                break
            running.append(_start(shares.pop(0), judge))
        for child in _ready(running, seconds):
            running.remove(child)
            yield from _verdicts(child)


def _start(share: Sequence[Mutant], judge: Judge) -> _Child:
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries are idle
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            _answer(share, judge, writing)
        finally:
            os._exit(0)
    os.close(writing)
    return _Child(pid, reading, share, time.monotonic())


def _answer(share: Sequence[Mutant], judge: Judge, pipe: int) -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    answers: list[Any] = []
    for mutant in share:
        try:
            red = judge(mutant)
        except SystemExit as error:
            red = Red("crash", f"SystemExit: {error}")
        except Exception as error:  # a check that dies has turned red as well
            red = Red("crash", f"{type(error).__name__}: {error}")
        answers.append(None if red is None else [red.check, red.said[:500]])
    _send(pipe, answers)


def _ready(running: list[_Child], seconds: float) -> list[_Child]:
    """Children that have answered, or taken too long, or died."""
    readable, _, _ = select.select([c.pipe for c in running], [], [], 1.0)
    done = []
    for child in running:
        if child.pipe in readable:
            chunk = os.read(child.pipe, 1 << 16)
            child.data += chunk
            if not chunk:
                done.append(child)
        elif time.monotonic() - child.started > seconds:
            os.kill(child.pid, signal.SIGKILL)
            done.append(child)
    for child in done:
        os.close(child.pipe)
        os.waitpid(child.pid, 0)
    return done


def _verdicts(child: _Child) -> Iterator[Verdict]:
    try:
        answers = json.loads(child.data)
    except ValueError:
        for mutant in child.share:
            yield Verdict(mutant, "killed", "time limit", "the checks did not end, or died")
        return
    for mutant, answer in zip(child.share, answers, strict=True):
        if answer is None:
            yield Verdict(mutant, "survived")
        elif not answer[0]:
            yield Verdict(mutant, "not run", "", answer[1])
        else:
            yield Verdict(mutant, "killed", *answer)


def call_forked(function: Callable[[], Any]) -> Any:
    """What ``function`` returns, as JSON data, having run in a fork.

    Raises:
        MutantsError: when it raised something, with its text.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            _send(writing, _tried(function))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    answer = json.loads(data) if data else {"error": "the process died"}
    if "error" in answer:
        raise MutantsError(answer["error"])
    return answer["value"]


def _tried(function: Callable[[], Any]) -> dict[str, Any]:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        return {"value": function()}
    except BaseException as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _send(pipe: int, answer: Any) -> None:
    view = memoryview(json.dumps(answer).encode("utf-8", "replace"))
    while view:
        view = view[os.write(pipe, view) :]
