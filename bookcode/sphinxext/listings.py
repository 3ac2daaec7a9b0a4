"""The directives ``errata-table`` and ``open-sources``: lists of ours, read like text of the page.

Their words are messages for translators, and their roles are checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.sources.errors import RegistryError
from bookcode.sources.listings import ERRATA, MISSING, load_errata, load_missing


class _Listing(SphinxDirective):
    """A table whose rows stand in a file of the folder ``references``."""

    file = ""
    headers: Sequence[str] = ()

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.app.confdir) / "references" / self.file
        self.env.note_dependency(str(path))
        try:
            rows = list(self.rows(path.parent))
        except RegistryError as error:
            raise self.error(str(error).replace(f"{path.parents[1]}/", "")) from None
        table = nodes.table(classes=["bk-table", "bk-generated", "bk-listing"])
        self.set_source_info(table)
        group = nodes.tgroup(cols=len(self.headers))
        group += [nodes.colspec(colwidth=1, stub=i == 0) for i in range(len(self.headers))]
        group += nodes.thead("", self._row(self.headers))
        group += nodes.tbody("", *(self._row(texts, name) for name, texts in rows))
        table += group
        return [table]

    def rows(self, folder: Path) -> Iterable[tuple[str, Sequence[str]]]:
        """Id and texts of each row; raises RegistryError."""
        raise NotImplementedError

    def _row(self, texts: Sequence[str], name: str = "") -> nodes.row:
        row = nodes.row()
        if name:
            row["ids"].append(nodes.make_id(f"{self.name}-{name}"))
        for text in texts:
            children, messages = self.parse_inline(text, lineno=self.lineno)
            paragraph = nodes.paragraph(text, "", *children, *messages)
            self.set_source_info(paragraph)
            row += nodes.entry("", paragraph)
        return row


class ErrataTable(_Listing):
    """What an older version said, what is right, and what proves it."""

    file = ERRATA
    headers = ("It said", "It is", "Evidence")

    def rows(self, folder: Path) -> Iterable[tuple[str, Sequence[str]]]:
        for erratum in load_errata(folder):
            yield erratum.id, (erratum.statement, erratum.correction, erratum.evidence)


class OpenSources(_Listing):
    """Which sources are missing, what for, and how urgent each is."""

    file = MISSING
    headers = ("What is missing", "What it is needed for", "How urgent")

    def rows(self, folder: Path) -> Iterable[tuple[str, Sequence[str]]]:
        for missing in load_missing(folder):
            yield missing.id, (missing.what, missing.why, missing.urgency.value)


def add_listings(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("errata-table", ErrataTable)
    app.add_directive("open-sources", OpenSources)
