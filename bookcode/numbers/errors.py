"""The errors of the numbers layer, and the words "did you mean" that they share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NumbersError(Exception):
    """Root of everything that can be wrong with a published number."""


class BookError(NumbersError):
    """A key, a claim or a figure that is not as it must be."""


class FormatError(NumbersError):
    """A value, a unit or a format that cannot be shown."""


class EngineError(NumbersError):
    """The JavaScript engine of the build is missing, failed, or ran out of time."""


def did_you_mean(name: str, known: Iterable[str], *, limit: int = 3) -> str:
    """The nearest of the known names as the tail of a message, or else all of them.

    Case is ignored: ``flop`` is near to ``FLOP``.

    >>> did_you_mean("flops", ["FLOP", "B"])
    '; did you mean FLOP?'
    """
    by_folded: dict[str, list[str]] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    near = difflib.get_close_matches(name.casefold(), by_folded, n=limit, cutoff=0.5)
    names = [candidate for folded in near for candidate in by_folded[folded]][:limit]
    if names:
        return f"; did you mean {' or '.join(names)}?"
    every = sorted(candidate for candidates in by_folded.values() for candidate in candidates)
    return f"; known: {', '.join(every)}" if every else "; there is none at all"
