"""Makes a forked copy of a build process into a place of its own to run cells in.

Each function undoes one thing that the copy shares with its parent or inherited from it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import locale
import logging
import os
import random
import resource
import signal
import stat
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

# what a terminal of the person who builds would change in the output
_TERMINAL_VARIABLES = ("COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE")
_SEED = 20240229


def isolate(cwd: Path, env: Mapping[str, str], temporary: Path, keep: int) -> None:
    """Cut the ties of this process to its parent; ``keep`` is the descriptor that stays."""
    gc.freeze()  # the parent's objects are not ours to finalize
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    _reset_signals()
    _release_descriptors(keep)
    _reset_environment(env, temporary)
    os.chdir(cwd)
    sys.path.insert(0, "")
    sys.argv = [""]
    importlib.invalidate_caches()
    _reset_interpreter()


def _reset_signals() -> None:
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _release_descriptors(keep: int) -> None:
    """Let go of the parent's pipes and sockets, but not of their numbers.

    A number taken again could be written to by an inherited object that still holds it.
    """
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    for descriptor in _open_descriptors():
        if descriptor in (1, 2, keep):
            continue
        with contextlib.suppress(OSError):
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
                let_go(descriptor)


def let_go(descriptor: int) -> None:
    """Close what a descriptor is of, and keep its number taken."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, descriptor, inheritable=False)
    os.close(null)


def _open_descriptors() -> list[int]:
    try:
        return sorted(int(name) for name in os.listdir("/dev/fd") if name.isdigit())  # noqa: PTH208
    except OSError:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return list(range(min(soft, 1024)))


def _reset_environment(env: Mapping[str, str], temporary: Path) -> None:
    for name in _TERMINAL_VARIABLES:
        os.environ.pop(name, None)
    temporary.mkdir()
    os.environ["TMPDIR"] = tempfile.tempdir = os.fspath(temporary)
    os.environ.update(env)


def _reset_interpreter() -> None:
    """Warnings, logging, number formats and random numbers as in a fresh interpreter."""
    logging.captureWarnings(False)
    logging.disable(logging.NOTSET)
    logging.root.handlers.clear()
    logging.root.setLevel(logging.WARNING)
    warnings.resetwarnings()
    warnings.filterwarnings("default", category=DeprecationWarning, module="__main__")
    for category in (
        DeprecationWarning,
        PendingDeprecationWarning,
        ImportWarning,
        ResourceWarning,
    ):
        warnings.filterwarnings("ignore", category=category, append=True)
    for name in ("LC_NUMERIC", "LC_TIME", "LC_MONETARY", "LC_COLLATE"):
        with contextlib.suppress(locale.Error):
            locale.setlocale(getattr(locale, name), "C")
    # two builds must give the same bytes even when a cell forgets to seed
    random.seed(_SEED)
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(_SEED)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")  # or the first cell that shows figures would show the parent's


class MemoryLimit:
    """A limit on the address space of this process, beyond what it already has."""

    def __init__(self, extra: int) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_AS)
        soft, hard = self._before
        wanted = _address_space() + extra
        for ceiling in (soft, hard):
            if ceiling != resource.RLIM_INFINITY:
                wanted = min(wanted, ceiling)
        with contextlib.suppress(ValueError, OSError):  # not every platform has such a limit
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))

    def lift(self) -> None:
        """Go back to the limit that was, so that a failure can be reported."""
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, self._before)


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()
