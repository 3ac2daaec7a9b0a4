"""The directives: tables of published numbers, published figures, displayed formulas."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.sphinxext.nodes import pending_block, pending_shown
from bookcode.sphinxext.reader_words import tell


class NumberTable(SphinxDirective):
    """A table whose cells are published numbers.

    ::

        :::{number-table} The caption
        :columns: FLOP = flops:sig3 | bytes = bytes:sig4 | bound = bound
        GEMM, fp16 | gemm.4096
        the same, smaller | gemm.512 | bytes
        :::

    Each row is a label and a key prefix; a cell shows ``prefix.field``. A third column names fields
    for which the row has no number (shown as a dash).
    """

    has_content = True
    required_arguments = 0
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = {
        "columns": directives.unchanged_required,
        "label": directives.unchanged,
        "name": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        columns = self._columns()
        rows = [self._row(i, text) for i, text in enumerate(self.content) if text.strip()]
        if not rows:
            raise self.error("number-table: no rows; write one `label | key prefix` a line")
        fields = [field for _, field, _ in columns]
        table = nodes.table(classes=["bk-table"])
        self.add_name(table)
        self.set_source_info(table)
        if self.arguments:
            table += self._text(nodes.title, self.arguments[0], self.lineno)
        group = nodes.tgroup(cols=len(columns) + 1)
        table += group
        group += [nodes.colspec(colwidth=1, stub=i == 0) for i in range(len(columns) + 1)]
        headers = [header for header, _, _ in columns]
        head = nodes.row("", self._corner(), *(self._entry(t, self.lineno) for t in headers))
        group += nodes.thead("", head)
        body = nodes.tbody()
        for label, prefix, without, line in rows:
            if unknown := without - set(fields):
                raise self.error(f"number-table: line {line}: no column shows {sorted(unknown)}")
            entries = [self._entry(label, line)]
            for _, field, spec in columns:
                entries.append(self._cell(prefix, field, spec, line, field in without))
            body += nodes.row("", *entries)
        group += body
        return [table]

    def _columns(self) -> list[tuple[str, str, str]]:
        columns = []
        for text in self.options.get("columns", "").split("|"):
            match = re.fullmatch(r"\s*(.+?)\s*=\s*([a-z0-9.-]+?)(?::(\S+))?\s*", text, re.DOTALL)
            if not match:
                raise self.error(
                    f"number-table: column {text.strip()!r}; write `header = field:spec`, "
                    "columns separated by |"
                )
            columns.append((match[1], match[2], match[3] or ""))
        return columns

    def _row(self, index: int, text: str) -> tuple[str, str, set[str], int]:
        line = self.lineno + self.content_offset + index + 1
        parts = [part.strip() for part in text.split("|")]
        if len(parts) not in (2, 3) or not parts[1]:
            raise self.error(
                f"number-table: line {line}: {text!r}; write `label | key prefix` and optionally "
                "`| fields without a number`"
            )
        without = {name.strip() for name in parts[2].split(",")} if len(parts) == 3 else set()
        return parts[0], parts[1], without, line

    def _text(self, kind: type[nodes.TextElement], text: str, line: int) -> nodes.TextElement:
        children, messages = self.parse_inline(text, lineno=line)
        node = kind(text, "", *children, *messages)
        node.source, node.line = self.get_source_info()[0], line
        return node

    def _corner(self) -> nodes.entry:
        """The head of the column of labels: for screen readers only, where it is left empty."""
        if self.options.get("label"):
            return self._entry(self.options["label"], self.lineno)
        words = tell("rows", self.env.config.language or "en")
        hidden = nodes.inline("", words, classes=["bk-visually-hidden"])
        text = nodes.paragraph("", "", hidden, bookcode="words", translatable=False)
        return nodes.entry("", text)

    def _entry(self, text: str, line: int) -> nodes.entry:
        entry = nodes.entry()
        if text:
            entry += self._text(nodes.paragraph, text, line)
        return entry

    def _cell(self, prefix: str, field: str, spec: str, line: int, empty: bool) -> nodes.entry:
        entry = nodes.entry(classes=["bk-number-cell"])
        paragraph = nodes.paragraph()
        paragraph.source, paragraph.line = self.get_source_info()[0], line
        if empty:
            paragraph += nodes.Text("–")
        else:
            key = f"{prefix}.{field}"
            shown = pending_shown("", "", bookcode="num", key=key, spec=spec)
            shown.source, shown.line = paragraph.source, line
            paragraph += shown
        entry += paragraph
        return entry


class _Block(SphinxDirective):
    """A directive with a key that is resolved when the page is written."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"name": directives.unchanged}
    role = ""

    def run(self) -> list[nodes.Node]:
        view = self.options.get("view", "")
        block = pending_block(bookcode=self.role, key=self.arguments[0].strip(), spec=view)
        self.set_source_info(block)
        self.add_name(block)
        return [block]


class BookFigure(_Block):
    """``{book-figure} key``: a published figure with its caption and alt text."""

    role = "figure"


class Formula(_Block):
    """``{formula} key``: the formula of a published number, displayed.

    ``:view:`` is ``symbols`` (default), ``values``, or ``full`` (symbols, values and result).
    """

    role = "formula"
    option_spec: ClassVar[dict[str, Any]] = {
        "name": directives.unchanged,
        "view": lambda text: directives.choice(text, ("symbols", "values", "full")),
    }


def add_directives(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("number-table", NumberTable)
    app.add_directive("book-figure", BookFigure)
    app.add_directive("formula", Formula)
