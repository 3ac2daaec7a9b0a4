"""Rules for single hosts: anchors that name lines, anchors made by script, pauses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from .records import LinkcheckError

RULES: Final = Path(__file__).with_name("rules.toml")
_FIELDS: Final = {"lines": str, "scripted": bool, "pause": (int, float)}


class RulesError(LinkcheckError):
    """A rule that cannot be read."""


@dataclass(frozen=True, slots=True)
class HostRule:
    """How links to a host are treated; ``pause`` in seconds."""

    lines: re.Pattern[str] | None = None
    scripted: bool = False
    pause: float = 0.0


_PLAIN: Final = HostRule()


@dataclass(frozen=True)
class Rules:
    """The rules by host."""

    hosts: Mapping[str, HostRule]

    @classmethod
    def load(cls, path: Path = RULES) -> Rules:
        """Read a file of rules.

        Raises:
            RulesError: for a file that is no such file, naming the host and the field.
        """
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise RulesError(f"{path}: {error}") from None
        hosts = data.pop("hosts", {})
        if data:
            raise RulesError(f"{path}: unknown table {next(iter(data))!r}; known: hosts")
        return cls({host: _rule(path, host, entry) for host, entry in hosts.items()})

    def of(self, uri: str) -> HostRule:
        """The rule for a link's host."""
        return self.hosts.get(urlsplit(uri).netloc, _PLAIN)

    def names_lines(self, uri: str) -> bool:
        """Whether the link's anchor names lines of a file, rightly or wrongly."""
        pattern = self.of(uri).lines
        return pattern is not None and re.match(r"L\d", urlsplit(uri).fragment) is not None

    def wrong_lines(self, uri: str) -> str:
        """What is impossible about the lines that a link names; empty when nothing is."""
        rule, anchor = self.of(uri), urlsplit(uri).fragment
        if rule.lines is None or not self.names_lines(uri):
            return ""
        match = rule.lines.fullmatch(anchor)
        if match is None:
            return f"{anchor!r} is no range of lines on {urlsplit(uri).netloc}"
        first, last = int(match[1]), int(match[2] or match[1])
        if first < 1 or last < first:
            return f"lines {first} to {last} cannot be"
        return ""


def _rule(path: Path, host: str, entry: Mapping[str, Any]) -> HostRule:
    where = f"{path}: host {host!r}"
    for name, value in entry.items():
        if name not in _FIELDS:
            raise RulesError(f"{where}: unknown field {name!r}; known: {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[name]):  # type: ignore[arg-type]
            raise RulesError(f"{where}: {name} = {value!r}")
    try:
        pattern = re.compile(entry["lines"]) if "lines" in entry else None
    except re.error as error:
        raise RulesError(f"{where}: lines: {error}") from None
    if pattern is not None and pattern.groups != 2:
        raise RulesError(f"{where}: lines: needs a group for the first line and one for the last")
    pause = float(entry.get("pause", 0.0))
    if pause < 0:
        raise RulesError(f"{where}: pause = {pause}")
    return HostRule(pattern, entry.get("scripted", False), pause)
