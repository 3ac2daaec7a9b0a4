"""Directives for the lab's record: a result in words, and the whole record with its conditions.

Numbers of the record are published by a page's cells (:func:`bookcode.lab.recorded`) and shown by
the role ``num``, as all numbers are.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, ClassVar, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.lab import RECORD, LabError, Measured, Record, read
from bookcode.numbers.formats import default_spec, format_value
from bookcode.sphinxext.cells import cell, code, row
from bookcode.sphinxext.wording import said, say
from bookcode.words import Words

WORDS: Final[Words] = {
    "recorded": {
        "en": "Recorded on {date} with {versions}.",
        "zh": "记录于 {date}，使用 {versions}。",
    },
    "name": {"en": "Result", "zh": "结果"},
    "value": {"en": "Recorded", "zh": "记录值"},
    "rule": {"en": "A repetition", "zh": "重做时"},
    "equal": {"en": "must give the same", "zh": "必须相同"},
    "varies": {"en": "may differ", "zh": "可以不同"},
}


_say = functools.partial(said, WORDS)


class _OfRecord(SphinxDirective):
    """A directive that reads the record; what goes wrong is an error of the build."""

    def run(self) -> list[nodes.Node]:
        path = Path(self.env._app.confdir) / RECORD
        self.env.note_dependency(str(path))
        try:
            return self.made(read(path))
        except LabError as error:
            # The folder in front of the path is of this machine.
            raise self.error(f"{self.name}: {error}".replace(f"{path.parents[2]}/", "")) from None

    def made(self, record: Record) -> list[nodes.Node]:
        raise NotImplementedError


class Recorded(_OfRecord):
    """``{recorded} break.fullgraph``: a result in words, as it was printed."""

    required_arguments = 1

    def made(self, record: Record) -> list[nodes.Node]:
        name = self.arguments[0].strip()
        result = record[name]
        if not result.lines:
            raise LabError(f"the result {name!r} is a number; publish it and show it with num")
        text = "\n".join(result.lines)
        return [nodes.literal_block(text, text, language="text", bookcode="recorded")]


class RecordedResults(_OfRecord):
    """``{recorded-results}``: the conditions and all results of the record."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def made(self, record: Record) -> list[nodes.Node]:
        language = self.config.language or "en"
        versions = say("comma", language).join(
            f"{name} {version}" for name, version in record.versions.items()
        )
        told = _say("recorded", language, date=record.date, versions=versions)
        table = nodes.table(classes=["bk-table", "bk-generated"], bookcode="recorded")
        group = nodes.tgroup(cols=3)
        group += [nodes.colspec(colwidth=1, stub=index == 0) for index in range(3)]
        heads = (_say(key, language) for key in ("name", "value", "rule"))
        group += nodes.thead("", row(*heads))
        group += nodes.tbody(
            "",
            *(_result_row(name, result, language) for name, result in record.results.items()),
        )
        table += group
        return [nodes.paragraph("", told, bookcode="recorded", translatable=False), table]


def _result_row(name: str, result: Measured, language: str) -> nodes.row:
    if result.lines:
        shown: Any = ", ".join(result.lines)
    else:
        spec = "int" if result.unit == "1" else default_spec(result.unit)
        shown = format_value(result.number, result.unit, spec, language=language)
    value = cell(code(shown)) if result.lines else cell(nodes.Text(shown))
    return row(code(name), value, _say(result.rule, language))


def add_measurements(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("recorded", Recorded)
    app.add_directive("recorded-results", RecordedResults)
