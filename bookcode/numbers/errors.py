"""The errors of the numbers layer, and the words "did you mean" that they share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final

MANY: Final = 20
"""So many names are still read; of more, a message shows how they begin, or some."""
_AFTER_HEAD: Final = re.compile(r"(?<=.)[.\d].*")
"""What follows the first part of a dotted name, or the letters before a number."""


class NumbersError(Exception):
    """Root of everything that can be wrong with a published number."""


class BookError(NumbersError):
    """A key, a claim or a figure that is not as it must be."""


class FormatError(NumbersError):
    """A value, a unit or a format that cannot be shown."""


class EngineError(NumbersError):
    """The JavaScript engine of the build is missing, failed, or ran out of time."""


def did_you_mean(name: str, known: Iterable[str], *, limit: int = 3) -> str:
    """The nearest of the known names as the tail of a message, or else what names there are.

    Case is ignored: ``flop`` is near to ``FLOP``.

    >>> did_you_mean("flops", ["FLOP", "B"])
    '; did you mean FLOP?'
    >>> did_you_mean("x", [f"{family}.{n}" for family in ("gemm", "norm") for n in range(20)])
    '; known: gemm…, norm…'
    """
    by_folded: dict[str, list[str]] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    near = difflib.get_close_matches(name.casefold(), by_folded, n=limit, cutoff=0.5)
    names = [candidate for folded in near for candidate in by_folded[folded]][:limit]
    if names:
        return f"; did you mean {' or '.join(names)}?"
    every = sorted(candidate for candidates in by_folded.values() for candidate in candidates)
    return f"; known: {_told(every)}" if every else "; there is none at all"


def _told(names: list[str]) -> str:
    """All names, or how they begin, or some of them: as many as somebody reads."""
    if len(names) <= MANY:
        return ", ".join(names)
    heads = dict.fromkeys(_AFTER_HEAD.sub("…", name) for name in names)
    if len(heads) > MANY:
        return f"{', '.join(names[:MANY])} and {len(names) - MANY} others"
    return ", ".join(heads)
