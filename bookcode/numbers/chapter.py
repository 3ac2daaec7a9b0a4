"""What a chapter has published so far: parameters, records, traced expressions, shared runs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from bookcode.numbers.cell_texts import cell_line
from bookcode.numbers.display import Published
from bookcode.numbers.edition import Edition
from bookcode.numbers.errors import BookError
from bookcode.numbers.fact_table import FactTable
from bookcode.numbers.graph import ParameterNode
from bookcode.numbers.handles import Handle
from bookcode.numbers.javascript import Module
from bookcode.numbers.parameters import Parameter, Point, points
from bookcode.numbers.publishing import Setting
from bookcode.numbers.records import (
    MessageRecord,
    ModuleRecord,
    ParameterRecord,
    Record,
)
from bookcode.numbers.runs import Runs

KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*")


class Chapter:
    """The state of a chapter; what cells call is :class:`bookcode.numbers.book.Book`."""

    def __init__(
        self, *, root: str | None = None, packages: tuple[str, ...] = ("bookcode.ledger",)
    ) -> None:
        self._root = Path(root or os.environ.get("BOOKCODE_ROOT", ".")).resolve()
        self._packages = packages
        self._parameters: dict[str, Parameter] = {}
        self._records: dict[str, Record] = {}
        self._computed = Module()
        self._runs = Runs()
        self._points: list[Point] = []
        self._edition = Edition.told()
        self._published = Published(self._module, self._edition.language, self._edition.data_text)
        self._facts = FactTable(self._root / "references" / "facts.toml")
        self._check_points = int(os.environ.get("BOOKCODE_CHECK_POINTS", "4"))
        asked = "BOOKCODE_CHECK_POINTS" in os.environ  # by verify; "0" asks for none
        self._keep_samples = asked and self._check_points > 0

    def _declare(self, parameter: Parameter) -> Handle:
        if parameter.name in self._parameters:
            raise BookError(f"parameter {parameter.name!r} is declared twice")
        self._parameters[parameter.name] = parameter
        self._points = list(points(self._parameters, self._check_points))
        described = parameter.describe()
        key, line = f"parameter:{parameter.name}", cell_line()
        titles = self._edition.with_translation({"en": described["title"]})
        self._add(ParameterRecord(key, line, self._edition.described(described), titles))
        return self._handle(ParameterNode(parameter))

    def say(self, message: str, /, **parts: str) -> str:
        """Words for a figure, in the edition's language: ``book.say("{n} rows", n=book.text(m))``.

        The message is what translators translate; names, of machines say, need no message.

        Args:
            parts: shown texts of published numbers, or other words, for the names in braces.

        Raises:
            BookError: for a typed digit, or parts that are not those that the message names.
        """
        text, texts = self._edition.say(message, parts)
        key = f"message:{message}"
        if key not in self._records:
            self._add(MessageRecord(key, cell_line(), texts))
        return text

    def _setting(self) -> Setting:
        return Setting(
            self._root,
            self._packages,
            self._parameters,
            self._points,
            self._keep_samples,
            self._runs,
        )

    def _handle(self, node: Any) -> Handle:
        return Handle(node, self._runs.plain)

    def _check_key(self, key: str) -> None:
        if not KEY.fullmatch(key):
            raise BookError(f"key {key!r}: use dotted lower case, with hyphens inside a part")
        if key in self._records:
            raise BookError(f"key {key!r} was already published in this chapter")

    def _add(self, record: Record) -> None:
        self._records[record.key] = record
        self._published.add(record)

    def _module(self) -> ModuleRecord | None:
        """The chapter's JavaScript so far; None while there is nothing to compute."""
        if not self._computed.computes:
            return None
        described = {n: self._edition.described(p.describe()) for n, p in self._parameters.items()}
        kept = self._points if self._keep_samples else []
        return ModuleRecord("module", 0, self._computed.text(described), kept)
