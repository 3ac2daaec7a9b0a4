"""Typed reading of one TOML table: every defect is noted, none stops the reading."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar

from .errors import Problem, hint, nearest
from .model import Location
from .tomltext import Lines

E = TypeVar("E", bound=Enum)
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class Table:
    """One record being read. Fields are taken; what is left over at the end is unknown."""

    def __init__(
        self,
        group: str,
        name: str,
        data: Mapping[str, Any],
        file: Path,
        lines: Lines,
        problems: list[Problem],
    ) -> None:
        self.name = name
        self._path = (group, name)
        self._data = dict(data)
        self._file = file
        self._lines = lines
        self._problems = problems
        self._asked: list[str] = []
        self.at = Location(file, lines.of(self._path))

    def problem(self, message: str, field: str | None = None) -> None:
        """Note a defect of this record, at the line of `field` where there is one."""
        line = self._lines.of(self._path, field)
        self._problems.append(Problem(self._file, line, f"{self.name}: {message}"))

    def _take(self, field: str, required: bool) -> Any:
        self._asked.append(field)
        if field in self._data:
            return self._data.pop(field)
        if required:
            self.problem(f"{field!r} is missing")
        return None

    def text(self, field: str, *, required: bool = False) -> str:
        """A string; empty when absent."""
        value = self._take(field, required)
        if value is None:
            return ""
        if not isinstance(value, str) or not value.strip():
            self.problem(f"{field!r} must be a text that is not empty, not {value!r}", field)
            return ""
        return value

    def maybe(self, field: str, *, required: bool = False) -> str | None:
        """A string, or None when absent."""
        return self.text(field, required=required) or None

    def texts(self, field: str) -> tuple[str, ...]:
        """A list of strings; empty when absent."""
        value = self._take(field, False)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            self.problem(f"{field!r} must be a list of texts, not {value!r}", field)
            return ()
        return tuple(value)

    def count(self, field: str) -> int:
        """A required whole number above 0."""
        value = self._take(field, True)
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.problem(f"{field!r} must be a whole number above 0, not {value!r}", field)
            return 0
        return value

    def sha256(self, field: str, *, required: bool = False) -> str | None:
        """A SHA-256 as 64 lower-case hexadecimal digits."""
        value = self.maybe(field, required=required)
        if value is not None and not _SHA256.fullmatch(value):
            self.problem(f"{field!r} must be 64 lower-case hexadecimal digits", field)
        return value

    def decimal(self, field: str, *, required: bool = False) -> Decimal | None:
        """An exact decimal written as text: floats would already be rounded."""
        value = self._take(field, required)
        if value is None:
            return None
        if not isinstance(value, str):
            self.problem(f"{field!r} must be a decimal in quotes, not {value!r}", field)
            return None
        try:
            number = Decimal(value)
        except InvalidOperation:
            self.problem(f"{field!r} is not a decimal: {value!r}", field)
            return None
        if not number.is_finite():
            self.problem(f"{field!r} must be finite, not {value!r}", field)
            return None
        return number

    def date(self, field: str) -> datetime.date | None:
        """A TOML date (without quotes)."""
        value = self._take(field, False)
        if value is None:
            return None
        if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
            self.problem(f"{field!r} must be a date such as 2026-01-31, not {value!r}", field)
            return None
        return value

    def span(self, field: str) -> tuple[int, int] | None:
        """A range of lines `[first, last]`, counted from 1."""
        value = self._take(field, False)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            self.problem(f"{field!r} must be [first, last], not {value!r}", field)
            return None
        first, last = value
        if not all(isinstance(n, int) and not isinstance(n, bool) for n in value):
            self.problem(f"{field!r} must hold whole numbers, not {value!r}", field)
            return None
        if not 1 <= first <= last:
            self.problem(f"{field!r} must have 1 <= first <= last, not {value!r}", field)
            return None
        return first, last

    def choice(self, field: str, choices: type[E]) -> E | None:
        """A required member of an enumeration, by its value."""
        value = self.text(field, required=True)
        if not value:
            return None
        known = [choice.value for choice in choices]
        if value not in known:
            near = nearest(value, known)
            self.problem(f"unknown {field} {value!r}{hint(near or tuple(known))}", field)
            return None
        return choices(value)

    def regex(self, field: str, *, groups: int | None = None) -> str | None:
        """A regular expression, with exactly `groups` groups when given."""
        value = self.maybe(field)
        return None if value is None else self.check_regex(field, value, groups)

    def check_regex(self, field: str, value: str, groups: int | None = None) -> str:
        """Note a defect when `value` does not compile or has other groups."""
        try:
            found = re.compile(value, re.MULTILINE).groups
        except re.error as error:
            self.problem(f"{field!r} is not a regular expression: {value!r} ({error})", field)
            return value
        if groups is not None and found != groups:
            self.problem(f"{field!r} must have exactly {groups} group, not {found}", field)
        return value

    def finish(self) -> None:
        """Whatever was not asked for is an unknown field."""
        for field in self._data:
            near = nearest(field, self._asked)
            self.problem(f"unknown field {field!r}{hint(near)}", field)

    def one_of(self, field: str, value: str, known: Sequence[str], kind: str) -> None:
        """Note a defect when `value` is not among `known`."""
        if value and value not in known:
            self.problem(f"unknown {kind} {value!r}{hint(nearest(value, known))}", field)
