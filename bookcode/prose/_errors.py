"""What can be wrong with a call of the lint or with its data files."""

from __future__ import annotations

from collections.abc import Sequence


class ProseError(Exception):
    """Root of this package's errors."""


class ContextError(ProseError):
    """A context the lint does not know."""

    def __init__(self, name: str, near: Sequence[str]) -> None:
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        super().__init__(f"unknown lint context {name!r}{hint}")
        self.name = name


class LanguageError(ProseError):
    """A language the lint has no patterns for."""

    def __init__(self, code: str, known: Sequence[str]) -> None:
        super().__init__(f"no lint patterns for language {code!r}; there are: {', '.join(known)}")
        self.code = code


class VocabularyError(ProseError):
    """An entry of a data file of the lint that cannot be used."""

    def __init__(self, file: str, entry: str, problem: str) -> None:
        super().__init__(f"{file}: entry {entry!r}: {problem}")
        self.file = file
        self.entry = entry
