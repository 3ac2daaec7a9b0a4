"""What a run looked at, recorded inside the process that runs the cells.

Every observation goes straight to a log file, one record per new path: so it outlives a killed
process, and processes forked by a cell add theirs. Not seen are files that compiled libraries
open by themselves and files read by programs that a cell starts.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import machinery, util
from pathlib import Path, PurePath
from types import CodeType
from typing import Any

from bookcode.execution import compiled
from bookcode.execution.fingerprint import Fingerprint, changed, fingerprint
from bookcode.execution.model import Dependencies
from bookcode.execution.scope import Scope

__all__ = ["Dependencies", "Fingerprint", "Tracer", "changed", "fingerprint", "read_log"]

READ, MISSING, LISTED, PRESENT, WRITTEN = "read", "missing", "listed", "present", "written"

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_FILE_CHANGES = frozenset(
    {"os.mkdir", "os.rmdir", "os.remove", "os.rename", "os.link", "os.symlink", "os.truncate"}
    | {"os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr"}
)
_DEALINGS = frozenset(  # with other processes
    {"subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "os.forkpty"}
    | {"os.kill", "os.killpg", "pty.spawn", "socket.connect", "socket.bind", "socket.sendto"}
    | {"fcntl.flock", "fcntl.lockf", "fcntl.fcntl"}
)
_IMPORT_SYSTEM = "<frozen importlib._bootstrap_external>"
_real_stat = os.stat


class Tracer:
    """Records what this process, and those it forks, read below the project's roots.

    There is no way back: an audit hook cannot be removed. For a process that will end soon.

    :param scope: which paths count.
    :param log: descriptor of a file opened for appending.
    """

    def __init__(self, scope: Scope, log: int) -> None:
        self._scope = scope
        self._log = log
        self._seen: set[tuple[str, str]] = set()
        self._attempts: dict[str, None] = {}
        self._noted: dict[str, object] = {}
        self.has_acted = False
        """Whether the process has done something that others can see: written, started, told."""

    def start(self) -> None:
        """Begin: modules already imported count, whoever imported them."""
        self.note_modules()
        _import_from_source(self._scope)
        sys.addaudithook(self._audit)
        for name in ("stat", "lstat", "access"):
            _wrap(name, self._asked)
        for name in ("mkfifo", "mknod"):  # of which there is no event
            _wrap(name, self._made)
        self._register_at_fork = os.register_at_fork
        os.register_at_fork = self._at_fork

    def note_modules(self) -> None:
        """Record the file of every imported module."""
        for name, module in list(sys.modules.items()):
            if self._noted.get(name) is module:
                continue
            self._noted[name] = module
            path = _file_of(module)
            if path is not None:
                self._record(READ, path)

    def note_imports(self) -> None:
        """Record where modules were looked for in vain since the last call.

        Adding a file there would change what the cells import.
        """
        attempts, self._attempts = list(self._attempts), {}
        for name in attempts:
            for candidate in _candidates(name):
                if self._scope.locate(candidate) and not _exists(candidate):
                    self._record(MISSING, candidate)

    def _record(self, kind: str, path: Any) -> None:
        located = self._scope.locate(path)
        if located is None or (kind, located) in self._seen or not _could_exist(located):
            return
        self._seen.add((kind, located))
        os.write(self._log, os.fsencode(f"{kind}\t{located}\0"))

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            self._opened(*args[:3])
        elif event == "import":
            self._attempts.setdefault(args[0])
        elif event in ("os.listdir", "os.scandir"):
            self._listed(args[0])
        elif event in ("os.mkdir", "os.rmdir", "os.remove"):
            self._record(WRITTEN, args[0])
        elif event in ("os.rename", "os.link", "os.symlink"):
            self._record(WRITTEN, args[1])
        elif event == "sqlite3.connect":
            self._opened(args[0], "r", 0)
            self.has_acted = True
        if event in _DEALINGS or (event in _FILE_CHANGES and not _is_byte_code(args[0])):
            self.has_acted = True

    def _opened(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int):
            return
        writes = any(letter in mode for letter in "wax+") if mode else flags & _WRITE_FLAGS
        if writes:
            self._record(WRITTEN, path)
            self.has_acted |= path != os.devnull and not _is_byte_code(path)
            return
        self._record(READ if _exists(path) else MISSING, _source_of(path))

    def _listed(self, path: Any) -> None:
        # the import system lists folders too, but asks them only for certain names
        if isinstance(path, int) or sys._getframe(2).f_code.co_filename == _IMPORT_SYSTEM:
            return
        path = os.curdir if path is None else path
        self._record(LISTED if _exists(path) else MISSING, path)

    def _made(self, path: Any) -> None:
        self._record(WRITTEN, path)
        self.has_acted = True

    def _at_fork(self, **hooks: Any) -> None:
        """A cell that wants to know of forks would hear of ours; libraries put things right."""
        self.has_acted |= sys._getframe(1).f_code.co_filename.startswith("<cell-")
        self._register_at_fork(**hooks)

    def _asked(self, path: Any) -> None:
        if not isinstance(path, int):
            self._record(PRESENT if _exists(path) else MISSING, path)


def read_log(data: bytes, scope: Scope) -> Dependencies:
    """The dependencies written to a log.

    What the run itself wrote is its product; what it asked for on the way to something it then
    read says nothing more.
    """
    found: dict[str, set[str]] = {kind: set() for kind in (READ, MISSING, LISTED, PRESENT, WRITTEN)}
    for record in data.split(b"\0"):
        kind, tab, path = os.fsdecode(record).partition("\t")
        if tab and kind in found:
            found[kind].add(path)
    written = found[WRITTEN]
    files = {path for path in found[READ] - written if not Path(path).is_dir()}
    directories = found[LISTED] - written
    implied = {os.fspath(parent) for path in files | directories for parent in Path(path).parents}
    return Dependencies(
        files=_paths(files),
        missing=_paths(found[MISSING] - written - files - directories),
        directories=_paths(directories),
        present=_paths(found[PRESENT] - written - files - directories - implied - scope.roots),
    )


def _paths(names: Iterable[str]) -> frozenset[Path]:
    return frozenset(map(Path, names))


def _file_of(module: object) -> str | None:
    try:
        # past a lazy module's own look-up, which would import it
        path = object.__getattribute__(module, "__dict__").get("__file__")
    except (AttributeError, TypeError):
        return None
    return path if isinstance(path, str) else None


def _exists(path: Any) -> bool:
    try:
        _real_stat(path)
    except (OSError, ValueError, TypeError):
        return False
    return True


def _could_exist(path: str) -> bool:
    """Whether a file may be looked for by this name: displays ask whether their text is one."""
    return "\n" not in path and all(len(part) < 256 for part in PurePath(path).parts)


def _is_byte_code(path: Any) -> bool:
    """Whether it is of the import system's own files, on which nothing depends."""
    return isinstance(path, str) and "__pycache__" in PurePath(path).parts


def _source_of(path: Any) -> Any:
    """The module behind a byte-code file, else the path itself."""
    if isinstance(path, str) and path.endswith(".pyc"):
        try:
            return util.source_from_cache(path)
        except ValueError:
            return path
    return path


def _candidates(name: str) -> list[str]:
    """Where the path finder looks for a module before it finds it, or everywhere."""
    parent, _, leaf = name.rpartition(".")
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if module is not None and origin in (None, "built-in", "frozen"):
        return []
    entries: Sequence[str] = sys.path
    if parent:
        entries = list(getattr(sys.modules.get(parent), "__path__", ()))
    found: list[str] = []
    for entry in entries:
        if entry and not os.path.isabs(entry):  # noqa: PTH117 - sys.path holds strings
            continue  # a finder's private mark
        base = os.path.join(entry or os.curdir, leaf)  # noqa: PTH118
        choices = [base + suffix for suffix in machinery.SOURCE_SUFFIXES]
        if module is not None and origin is not None and _is_origin(origin, base, choices):
            break
        found += [*choices, os.path.join(base, "__init__.py") if _exists(base) else base]  # noqa: PTH118
    return found


def _is_origin(origin: str, base: str, choices: Sequence[str]) -> bool:
    path = os.path.abspath(origin)  # noqa: PTH100 - no symlinks resolved
    return path.startswith(os.path.abspath(base) + os.sep) or path in map(os.path.abspath, choices)  # noqa: PTH100


def _import_from_source(scope: Scope) -> None:
    """Compile project modules from their source, whatever byte code lies beside them.

    Python takes byte code as fresh when second and size of the source agree; a digit changed
    within the second it was written would show the old number.
    """
    loader = machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: machinery.SourceFileLoader, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        if scope.locate(path) is None:
            return original(self, fullname)
        source = self.get_data(path)
        # a loader that compiles in a way of its own has no use for what was compiled in the usual
        usual = type(self).source_to_code is loader.source_to_code
        known = compiled.code_of(path, source) if usual else None
        code: CodeType = known or self.source_to_code(source, path)
        return code

    loader.get_code = get_code  # type: ignore[method-assign,assignment]


def _wrap(name: str, asked: Callable[[Any], None]) -> None:
    """Let a function of ``os`` report the path it is asked about."""
    original = getattr(os, name)

    @functools.wraps(original)
    def wrapper(path: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("dir_fd") is None:
            asked(path)
        return original(path, *args, **kwargs)

    for supports in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks):
        if original in supports:
            supports.add(wrapper)
    setattr(os, name, wrapper)
