"""The directive ``number-changes``: the change log of numbers, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.numbers.catalogue import DATA, path_of
from bookcode.numbers.change_log import CHANGES, ChangeLogError, read_changes
from bookcode.numbers.edition import SOURCE
from bookcode.sphinxext.reader_words import tell
from bookcode.sphinxext.state import data_texts, locale_of
from bookcode.words import short

FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "texts marked as typed on purpose": {
        "en": "texts marked as typed on purpose",
        "zh": "有意手写的文本数",
    },
    "shown": {"en": "shown", "zh": "显示"},
    "value": {"en": "value", "zh": "数值"},
    "unit": {"en": "unit", "zh": "单位"},
    "spec": {"en": "spec", "zh": "格式"},
    "formula": {"en": "formula", "zh": "公式"},
    "function": {"en": "function", "zh": "函数"},
    "parameters": {"en": "parameters", "zh": "参数"},
    "pages": {"en": "pages", "zh": "页面"},
    "holds": {"en": "holds", "zh": "成立"},
    "predicate": {"en": "predicate", "zh": "条件式"},
    "wordings": {"en": "wordings", "zh": "措辞"},
    "uses": {"en": "uses", "zh": "所用的数"},
    "drawn": {"en": "drawn", "zh": "图中文字"},
}
"""What the log calls the parts of an entry, by language."""


class NumberChanges(SphinxDirective):
    """``{number-changes}``: every accepted change of a number, with its reason."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.app.confdir).resolve()
        self.env.note_dependency(str(root / CHANGES))
        self.language = self.env.config.language or "en"
        try:
            self.texts = self._texts()
            changes = read_changes(root)
        except ChangeLogError as error:
            raise self.error(f"number-changes: {error}") from None
        if not changes:
            return [self._words(nodes.paragraph, "no-changes")]
        log = nodes.definition_list(classes=["bk-changes"])
        for change in reversed(changes):
            log += self._entry(change)
        return [log]

    def _texts(self) -> Mapping[str, str]:
        """What reasons are in the edition's language; the page depends on that catalogue."""
        app = self.env.app
        path = path_of(locale_of(app), self.language, DATA)
        if short(self.language) != SOURCE:
            self.env.note_dependency(str(path))
        return data_texts(app)

    def _words(self, kind: type[nodes.TextElement], key: str, /, **parts: object) -> nodes.Element:
        return kind("", tell(key, self.language, **parts), bookcode="changes")

    def _entry(self, change: dict[str, Any]) -> nodes.definition_list_item:
        why = self.texts.get(change["why"], change["why"])
        head = tell("change", self.language, date=change["date"], why=why)
        rows = nodes.bullet_list()
        for one in change["changed"]:
            rows += self._row("changed", key=one["key"], change=self._change(one["change"]))
        if change["new"]:
            rows += self._row("new", count=change["new"])
        if change["gone"]:
            rows += self._row("gone", keys=", ".join(change["gone"]))
        body = nodes.definition("", rows) if rows.children else nodes.definition()
        # What changed was judged when it was accepted; the lint has nothing to say about it.
        return nodes.definition_list_item("", nodes.term("", head, bookcode="changes"), body)

    def _change(self, change: str) -> str:
        """What changed, with its field in the edition's language."""
        field, colon, values = change.partition(": ")
        said = FIELDS.get(field, {}).get(short(self.language))
        return tell("changed", self.language, key=said, change=values) if colon and said else change

    def _row(self, key: str, /, **parts: object) -> nodes.list_item:
        return nodes.list_item("", self._words(nodes.paragraph, key, **parts))


def add_number_changes(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("number-changes", NumberChanges)
