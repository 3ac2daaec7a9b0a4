"""What is wrong with a translation, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_BEGINNING: Final = 48


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem.

    Attributes:
        path, line: where it stands; lines count from 1.
        message: the English message that it is about.
        problem: what is wrong.
        advice: what to do.
    """

    path: str
    line: int
    message: str
    problem: str
    advice: str

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {beginning(self.message)!r}: {self.problem}; {self.advice}"
        )


def beginning(message: str) -> str:
    """The beginning of a message on one line."""
    text = " ".join(message.split())
    return text if len(text) <= _BEGINNING else f"{text[: _BEGINNING - 1].rstrip()}…"
