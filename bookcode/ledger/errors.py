"""Errors of the ledger: each says what is wrong and what the nearest right thing is."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LedgerError(ValueError):
    """Something was asked of the ledger that it cannot account for."""


class UnknownNameError(LedgerError):
    """A name that no table holds.

    Attributes:
        kind: what was looked for ("dtype", "machine", ...).
        name: the name that was given.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        near = get_close_matches(str(name), self.known, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else ""
        super().__init__(
            f"unknown {kind} {name!r}; {hint or 'known: ' + ', '.join(self.known)}".rstrip()
        )


class MissingFactError(LedgerError):
    """A combination (machine and dtype, machine and link, ...) for which there is no fact."""
