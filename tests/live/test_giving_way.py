"""A step is given up once, at once, and nothing that follows is hit by a late alarm."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from bookcode.live.giving_way import give_way
from bookcode.live.kitchen import Interrupted

EVERY = 0.005


@pytest.fixture(autouse=True)
def no_alarm_is_left() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


def busy(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def always() -> bool:
    return True


def never() -> bool:
    return False


def test_a_step_that_nothing_disturbs_ends_and_is_asked_for_meanwhile() -> None:
    asked: list[float] = []
    done: list[str] = []

    def step() -> None:
        busy(0.05)
        done.append("step")

    give_way(step, lambda: bool(asked.append(time.monotonic())), EVERY)
    assert done == ["step"]
    assert len(asked) > 1


def test_what_tidies_up_after_a_step_is_not_hit_by_a_second_alarm() -> None:
    tidied = []

    def step() -> None:
        try:
            busy(5)
        finally:
            busy(EVERY * 10)  # time for many more
            tidied.append("step")

    with pytest.raises(Interrupted):
        give_way(step, always, EVERY)
    assert tidied == ["step"]
    busy(EVERY * 10)


def test_an_alarm_is_not_answered_while_another_one_is() -> None:
    depth, deepest = 0, 0

    def slow() -> bool:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        busy(EVERY * 6)
        depth -= 1
        return False

    give_way(lambda: busy(0.1), slow, EVERY)
    assert deepest == 1


@pytest.mark.parametrize("urgent", [always, never])
def test_a_late_alarm_finds_nobody(
    urgent: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes off when the step is over but the timer still runs."""
    real = signal.setitimer
    late = []

    def setitimer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        if seconds == 0:
            late.append(1)
            signal.raise_signal(signal.SIGALRM)
        return real(which, seconds, interval)

    monkeypatch.setattr(signal, "setitimer", setitimer)
    give_way(lambda: None, urgent, every=60)
    assert late == [1]


def test_what_the_step_raises_comes_through() -> None:
    def step() -> None:
        raise ValueError("the step's own")

    with pytest.raises(ValueError, match="the step's own"):
        give_way(step, never, EVERY)


def test_wherever_the_alarm_goes_off_it_is_given_up_or_done() -> None:
    """Alarms at many moments around the end of a short step."""
    for micros in range(20, 400, 2):
        steps: list[int] = []
        step = partial(lambda steps: steps.append(sum(range(2000))), steps)
        outcome = "done"
        try:
            give_way(step, always, micros / 1e6)
        except Interrupted:
            outcome = "given up"
        assert outcome == "given up" or len(steps) == 1
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
