"""Which function of the ledger is run by which test."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from bookcode.mutants._forking import call_forked
from bookcode.mutants._model import MutantsError, Red
from bookcode.mutants._warm import TESTS, Warm

LEDGER: Final = "bookcode/ledger"
_INNER: Final = re.compile(r"\.?<(?:locals|lambda|genexpr|listcomp|dictcomp|setcomp)>")


@dataclass
class Coverage:
    """Who runs what.

    Attributes:
        tests: "path::scope" of a function to the tests that run it.
        seconds: how long each test takes.
    """

    tests: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def tests_of(self, path: str, scope: str) -> list[str]:
        """The tests that run a function, the quickest first; all, where nobody is seen to."""
        found = self.tests.get(f"{path}::{scope}") or list(self.seconds)
        return sorted(found, key=lambda test: self.seconds.get(test, 0.0))


def measure(root: Path, warm: Warm, cache: Path) -> Coverage:
    """Run every collected test once in a fork, or read what the last run found.

    Raises:
        MutantsError: when a test is not green to begin with.
    """
    stamp = _stamp(root)
    if cache.exists():
        data = json.loads(cache.read_text("utf-8"))
        if data.pop("stamp") == stamp:
            return Coverage(**data)
    coverage = Coverage(**call_forked(lambda: _measured(root, warm)))
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(json.dumps({"stamp": stamp, **asdict(coverage)}), "utf-8")
    return coverage


def _stamp(root: Path) -> str:
    digest = hashlib.sha256()
    for folder in (root / LEDGER, root / TESTS):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(root).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _measured(root: Path, warm: Warm) -> dict[str, Any]:
    tests: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    for name in warm.tests:
        reached: dict[str, None] = {}
        started = time.perf_counter()
        red = _traced(root, reached, name, warm)
        seconds[name] = time.perf_counter() - started
        if red is not None:
            raise MutantsError(f"not green to begin with: {red.said}")
        for key in reached:
            tests.setdefault(key, []).append(name)
    return {"tests": tests, "seconds": seconds}


def _traced(root: Path, reached: dict[str, None], test: str, warm: Warm) -> Red | None:
    """Run a test; every function of the ledger that it calls goes into ``reached``."""
    folder = str(root / LEDGER)
    keys: dict[CodeType, str | None] = {}

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if code not in keys:
            inside = code.co_filename.startswith(folder)
            keys[code] = _key(root, code) if inside else None
        key = keys[code]
        if key is not None:
            reached[key] = None

    sys.settrace(watch)
    try:
        return warm.run_tests([test])
    finally:
        sys.settrace(None)


def _key(root: Path, code: CodeType) -> str:
    path = Path(code.co_filename).relative_to(root).as_posix()
    scope = _INNER.sub("", code.co_qualname)
    return f"{path}::{'' if scope == '<module>' else scope}"
