"""The directives ``errata-table`` and ``open-sources``: lists of ours, read like text of the page.

Their words are messages for translators, and their roles are checked like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.sources.errors import RegistryError
from bookcode.sources.listings import ERRATA, MISSING, load_errata, load_missing
from bookcode.sphinxext.state import TableUse, page
from bookcode.sphinxext.tables import KINDS, Kind, Setting, TableError

R = TypeVar("R")
Row = tuple[str, Sequence[str]]
"""Id and texts of a row."""


class _Listing(SphinxDirective):
    """A table whose rows stand in a file of the folder ``references``."""

    file = ""
    headers: Sequence[str] = ()

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.app.confdir).resolve()
        self.env.note_dependency(str(root / "references" / self.file))
        docname = self.env.current_document.docname
        page(self.env, docname).tables.append(TableUse(self.name, "", self.lineno))
        try:
            rows = list(self.rows(root))
        except TableError as error:  # reported at every build, see `check_tables`
            mark = nodes.inline("", f"⟦{error}⟧", classes=["bk-problem"])
            return [nodes.paragraph("", "", mark, bookcode=self.name)]
        table = nodes.table(classes=["bk-table", "bk-generated", "bk-listing"])
        self.set_source_info(table)
        group = nodes.tgroup(cols=len(self.headers))
        group += [nodes.colspec(colwidth=1, stub=i == 0) for i in range(len(self.headers))]
        group += nodes.thead("", self._row(self.headers))
        group += nodes.tbody("", *(self._row(texts, name) for name, texts in rows))
        table += group
        return [table]

    @staticmethod
    def rows(root: Path) -> Iterable[Row]:
        """Id and texts of each row; raises TableError for a file that has defects."""
        raise NotImplementedError

    def _row(self, texts: Sequence[str], name: str = "") -> nodes.row:
        row = nodes.row()
        if name:
            row["ids"].append(nodes.make_id(f"{self.name}-{name}"))
        for text in texts:
            children, messages = self.parse_inline(text, lineno=self.lineno - 1)
            paragraph = nodes.paragraph(text, "", *children, *messages)
            self.set_source_info(paragraph)
            row += nodes.entry("", paragraph)
        return row


class ErrataTable(_Listing):
    """What an older version said, what is right, and what proves it."""

    file = ERRATA
    headers = ("It said", "It is", "Evidence")

    @staticmethod
    def rows(root: Path) -> Iterable[Row]:
        for erratum in _loaded(load_errata, root):
            yield erratum.id, (erratum.statement, erratum.correction, erratum.evidence)


class OpenSources(_Listing):
    """Which sources are missing, what for, and how urgent each is."""

    file = MISSING
    headers = ("What is missing", "What it is needed for", "How urgent")

    @staticmethod
    def rows(root: Path) -> Iterable[Row]:
        for missing in _loaded(load_missing, root):
            yield missing.id, (missing.what, missing.why, missing.urgency.value)


def _loaded(load: Callable[[Path], Sequence[R]], root: Path) -> Sequence[R]:
    try:
        return load(root / "references")
    except RegistryError as error:
        raise TableError(str(error).replace(f"{root}/", "")) from None


def _check(listing: type[_Listing]) -> Kind:
    """A kind of table without rows of its own, by which the file is looked at in every build."""

    def rows(setting: Setting) -> list[nodes.row]:
        list(listing.rows(setting.root))
        return []

    return Kind(tuple(listing.headers), rows, own=True)


KINDS["errata-table"] = _check(ErrataTable)
KINDS["open-sources"] = _check(OpenSources)


def add_listings(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("errata-table", ErrataTable)
    app.add_directive("open-sources", OpenSources)
