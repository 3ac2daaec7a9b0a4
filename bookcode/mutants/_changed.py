"""Which lines changed since a revision, so that only their mutants need to be judged."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.mutants._model import Mutant, MutantsError

_CHECKING: Final = (
    *("bookcode/prose/", "bookcode/numbers/", "bookcode/sphinxext/", "bookcode/sources/"),
    *("bookcode/verify/", "bookcode/mutants/", "references/mutants.toml"),
)
"""What checks. When it changes, everything that it checks quickly is judged again."""
_QUICK: Final = ("profile", "claim", "verdict", "key", "number", "fact", "lock")
_HUNK: Final = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


@dataclass(frozen=True)
class Changed:
    """Changed lines by file, and whether something that checks has changed.

    A file without lines (a lock, a new file) counts as changed altogether.
    """

    lines: Mapping[str, Sequence[range]]
    checking: bool = False

    @classmethod
    def since(cls, root: Path, revision: str) -> Changed:
        """What differs between a revision and the files as they are.

        Raises:
            MutantsError: without git, or for a revision that does not exist.
        """
        text = _git(
            root, "diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative", revision
        )
        lines: dict[str, list[range]] = {}
        for part in re.split(r"^diff --git .*$", text, flags=re.MULTILINE)[1:]:
            name = re.search(r"^\+\+\+ b/(.*)$", part, re.MULTILINE)
            if name is not None:
                lines[name[1]] = [_range(found) for found in _HUNK.finditer(part)]
        for new in _git(root, "ls-files", "--others", "--exclude-standard").splitlines():
            lines[new] = [range(1, 1 << 30)]
        return cls(lines, any(path.startswith(_CHECKING) for path in lines))

    def holds(self, mutant: Mutant) -> bool:
        """Whether a mutant is to be judged."""
        if self.checking and mutant.kind in _QUICK:
            return True
        ranges = self.lines.get(mutant.path)
        if ranges is None:
            return False
        return not mutant.line or any(mutant.line in lines for lines in ranges)


def _range(found: re.Match[str]) -> range:
    start, count = int(found[1]), int(found[2] or 1)
    return range(start, start + count)


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise MutantsError(f"git cannot be run: {error}") from None
    if done.returncode:
        raise MutantsError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def has_revision(root: Path, revision: str) -> bool:
    """Whether git is there and knows a revision."""
    try:
        _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except MutantsError:
        return False
    return True
