"""Whether all that a process has done so far is in its memory, so that a copy of it is worth it.

A forked copy has the memory of its original, but not its threads, children, timers and signals, and
it shares open files with it. Nor does it know what has become of files that were written. Needs
``/proc``. What a copy cannot hide is its own process id, and what compiled libraries have written
by themselves nobody sees.
"""

from __future__ import annotations

import fcntl
import os
import re
import resource
import signal
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_TASKS: Final = Path("/proc/self/task")
_CHILDREN: Final = Path("/proc/thread-self/children")
_MAPPINGS: Final = Path("/proc/self/maps")
_LINGER_SECONDS: Final = 0.1
_LOOKS: Final = 100
_STANDARD: Final = (0, 1, 2)
_TIMERS: Final = (signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_SHARED: Final = re.compile(rb"^\S+ .w.s .*$", re.MULTILINE)

Identity = tuple[int, int, int]
Place = tuple[Identity, int]


def can_tell() -> bool:
    """Whether this platform shows what a process has."""
    return _TASKS.is_dir() and _CHILDREN.is_file() and _MAPPINGS.is_file()


class Surroundings:
    """What this process has beside its memory now; its caller answers for that.

    :param temporary: the folder for temporary files, which is new for each copy.
    """

    def __init__(self, temporary: Path) -> None:
        self._temporary = temporary
        self._descriptors = _descriptors()
        self._shared = _shared_mappings()
        self._cpu_limit = resource.getrlimit(resource.RLIMIT_CPU)
        self._no_files = {_device(folder) for folder in ("/proc", "/sys")}

    def answer_for(self, descriptors: Iterable[int]) -> None:
        """Answer for these descriptors too, as they are now."""
        found = _descriptors()
        self._descriptors |= {number: found[number] for number in descriptors}

    def are_alone(self) -> bool:
        """Whether nothing has been added that a copy would lack, or share."""
        found = _descriptors()
        return (
            _has_one_thread()
            and not _CHILDREN.read_bytes()
            and not any(self._temporary.iterdir())
            and all(found.get(number) == self._descriptors[number] for number in _STANDARD)
            and all(
                self._descriptors.get(number) == identity or self._is_only_read(number)
                for number, identity in found.items()
            )
            and _shared_mappings() <= self._shared
            and not signal.sigpending()
            and not any(any(signal.getitimer(timer)) for timer in _TIMERS)
            and resource.getrlimit(resource.RLIMIT_CPU) == self._cpu_limit
        )

    def _is_only_read(self, descriptor: int) -> bool:
        """Whether it is of a file that is not written through it; what a system tells is none."""
        state = os.fstat(descriptor)
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        is_read = flags & (os.O_ACCMODE | os.O_PATH) == os.O_RDONLY
        return is_read and stat.S_ISREG(state.st_mode) and state.st_dev not in self._no_files

    def places(self) -> dict[int, Place]:
        """Where files that have been opened since are read next: all copies share that."""
        return {
            number: (identity, os.lseek(number, 0, os.SEEK_CUR))
            for number, identity in _descriptors().items()
            if self._descriptors.get(number) != identity
        }

    def read_on(self, places: Mapping[int, Place]) -> None:
        """Read on from these places; what has been closed, as fonts are by a fork, is closed."""
        found = _descriptors()
        for number, (identity, offset) in places.items():
            if found.get(number) == identity:
                os.lseek(number, offset, os.SEEK_SET)


def _descriptors() -> dict[int, Identity]:
    """The open descriptors, each with what it is of."""
    found = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names suffice
        try:
            state = os.fstat(int(name))
        except OSError:  # that of the listing itself
            continue
        found[int(name)] = state.st_dev, state.st_ino, state.st_mode
    return found


def _device(folder: str) -> int:
    try:
        return os.stat(folder).st_dev  # noqa: PTH116
    except OSError:
        return -1


def _has_one_thread() -> bool:
    """Whether there is one thread, or will be in a moment: one that is done may linger."""
    for _ in range(_LOOKS):
        if len(os.listdir(_TASKS)) == 1:  # noqa: PTH208 - names suffice
            return True
        time.sleep(_LINGER_SECONDS / _LOOKS)
    return False


def _shared_mappings() -> set[bytes]:
    """Memory that this process would share with a copy, and could write to."""
    return set(_SHARED.findall(_MAPPINGS.read_bytes()))
