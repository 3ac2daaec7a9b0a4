"""What can be wrong with catalogues and with the list of pending translations."""

from __future__ import annotations

from pathlib import Path


class TranslationError(Exception):
    """Root of the errors of this package."""


class CatalogueError(TranslationError):
    """A catalogue that cannot be read.

    Attributes:
        path, line: where.
    """

    def __init__(self, path: Path | str, line: int, problem: str) -> None:
        self.path = path
        self.line = line
        super().__init__(f"{path}:{line}: {problem}")


class PendingError(TranslationError):
    """A list of pending translations, or a step that would write it, that is not as it must be."""
