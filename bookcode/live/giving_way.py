"""Gives up a long step for something more urgent, from within, and leaves no alarm behind."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

from bookcode.live.kitchen import Interrupted

LOOK_SECONDS: Final = 0.05


def give_way(
    step: Callable[[], None], urgent: Callable[[], bool], every: float = LOOK_SECONDS
) -> None:
    """Take a step that may be taken again from the beginning; stop it when something urgent comes.

    Args:
        urgent: asked every so often, between two instructions of the step.
        every: how often, in seconds.

    Raises:
        Interrupted: when the step was given up, once: what tidies up after it is left alone, and
            so is whatever comes next.
    """
    waiting = True

    def look(signum: int, frame: FrameType | None) -> None:
        nonlocal waiting
        if not waiting:
            return  # an alarm that went off just as the step ended
        if urgent():
            waiting = False
            raise Interrupted
        signal.setitimer(signal.ITIMER_REAL, every)  # one at a time: none follows the last

    before = signal.getsignal(signal.SIGALRM)
    try:
        try:
            signal.signal(signal.SIGALRM, look)
            signal.setitimer(signal.ITIMER_REAL, every)
            step()
        finally:
            waiting = False
    finally:  # nothing is raised in here, since nobody waits any more
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
