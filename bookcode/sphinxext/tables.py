"""Tables that the build makes by itself: their headers are read with the page, so that they can be
translated; their rows are filled in when the page is written, when all pages are known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.lock import chapter_of
from bookcode.sources.registry import Registry
from bookcode.sphinxext.cells import link, listed
from bookcode.sphinxext.checks import report, source_of
from bookcode.sphinxext.library import Library
from bookcode.sphinxext.state import (
    TableUse,
    library_of,
    page,
    pages,
    registry_of,
    root,
)
from bookcode.sphinxext.survey import Spots, Survey
from bookcode.sphinxext.wording import say


class TableError(NumbersError):
    """A generated table that cannot be made."""


class pending_table(nodes.General, nodes.Element):  # noqa: N801 (docutils' naming)
    """A table with headers and without rows yet."""


@dataclass(frozen=True)
class Setting:
    """What the rows of a table are made from.

    Attributes:
        chapter: whose table it is.
        root: the project's folder.
        address: from docname and anchor to the address as seen from the page.
        title: from docname to the page's title.
    """

    registry: Registry
    library: Library
    survey: Survey
    language: str
    chapter: str
    root: Path
    address: Callable[[str, str], str]
    title: Callable[[str], str]

    def say(self, key: str, /, **parts: object) -> str:
        """A wording in the page's language."""
        return say(key, self.language, **parts)

    def places(self, spots: Spots) -> list[nodes.Node]:
        """Links to the sections, with how often where it is more than once."""
        links: list[nodes.Node] = []
        for spot, count in spots.items():
            text = spot.title or spot.docname
            if count > 1:
                text = self.say("times", place=text, count=count)
            links.append(link(text, self.address(spot.docname, spot.anchor), internal=True))
        return listed(links, self.say("comma"))


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    Attributes:
        headers: of the columns, in English.
        rows: gives the rows.
        own: a directive of its own reads its rows with the page; here it is only checked.
    """

    headers: tuple[str, ...]
    rows: Callable[[Setting], list[nodes.row]]
    own: bool = False


KINDS: dict[str, Kind] = {}
"""By the directive's name."""


class GeneratedTable(SphinxDirective):
    """``{numbers-table}`` and its kin; the argument is a chapter, by default the page's own."""

    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "caption": directives.unchanged_required,
        "name": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        docname = self.env.current_document.docname
        chapter = self.arguments[0].strip() if self.arguments else ""
        page(self.env, docname).tables.append(TableUse(self.name, chapter, self.lineno))
        table = self._table(KINDS[self.name].headers)
        self.add_name(table)
        chapter = chapter or chapter_of(docname)
        return [pending_table("", table, bookcode=self.name, chapter=chapter)]

    def _table(self, headers: tuple[str, ...]) -> nodes.table:
        table = nodes.table(classes=["bk-table", "bk-generated", f"bk-{self.name}"])
        self.set_source_info(table)
        if caption := self.options.get("caption"):
            table += self._read(nodes.title, caption)
        group = nodes.tgroup(cols=len(headers))
        group += [nodes.colspec(colwidth=1, stub=i == 0) for i in range(len(headers))]
        head = nodes.row()
        for text in headers:
            head += nodes.entry("", self._read(nodes.paragraph, text))
        group += nodes.thead("", head)
        group += nodes.tbody()
        table += group
        return table

    def _read(self, kind: type[nodes.TextElement], text: str) -> nodes.TextElement:
        children, messages = self.parse_inline(text, lineno=self.lineno)
        node = kind(text, "", *children, *messages)
        self.set_source_info(node)
        return node


# filling ----------------------------------------------------------------------------------------
def survey_of(app: Sphinx) -> Survey:
    """The survey of all pages; made anew when a page was read."""
    everything = pages(app.env)
    stamp = tuple((name, id(p.records), id(p.uses)) for name, p in sorted(everything.items()))
    cached: Any = getattr(app, "_bookcode_survey", None)
    if cached is None or cached[0] != stamp:
        cached = (stamp, Survey(everything))
        app._bookcode_survey = cached  # type: ignore[attr-defined]
    survey: Survey = cached[1]
    return survey


def setting_of(app: Sphinx, docname: str, chapter: str) -> Setting:
    """What the rows of a table on a page are made from.

    Raises:
        TableError: without a registry, or for a chapter that does not exist.
    """
    registry, survey = registry_of(app), survey_of(app)
    if registry is None:
        raise TableError("the project has no references/facts.toml")
    if chapter not in survey.chapters():
        raise TableError(f"no chapter {chapter!r}{did_you_mean(chapter, survey.chapters())}")

    def address(target: str, anchor: str) -> str:
        within = target == docname
        base = "" if within else app.builder.get_relative_uri(docname, target)
        return f"{base}#{anchor}" if anchor else base

    language = app.config.language or "en"
    library = library_of(app)

    def title(target: str) -> str:
        return app.env.titles[target].astext()

    return Setting(registry, library, survey, language, chapter, root(app), address, title)


def rows_of(app: Sphinx, docname: str, kind: str, chapter: str) -> list[nodes.row]:
    """The rows of a table of a chapter, for a page.

    Raises:
        TableError: when it cannot be made.
    """
    return KINDS[kind].rows(setting_of(app, docname, chapter))


class FillTables(SphinxPostTransform):
    """Puts the rows into generated tables."""

    default_priority = 4

    def run(self, **kwargs: Any) -> None:
        docname = self.env.current_document.docname
        for pending in list(self.document.findall(pending_table)):
            (table,) = pending.children
            assert isinstance(table, nodes.table)
            try:
                rows = _take_rows(self.app, (docname, pending["bookcode"], pending["chapter"]))
            except NumbersError as error:
                mark = nodes.inline("", f"⟦{error}⟧", classes=["bk-problem"])
                pending.replace_self(nodes.paragraph("", "", mark))
                continue
            next(iter(table.findall(nodes.tbody))).extend(rows)
            pending.replace_self(table)


# what must hold, and what has to be written again -------------------------------------------------
def check_tables(app: Sphinx, env: BuildEnvironment) -> None:
    """Report tables that cannot be made, also on pages that were not read again."""
    for docname, use in _tables(env):
        if error := _made(app, docname, use).error:
            report(app, f"{source_of(app, docname)}:{use.line}", f"{use.kind}: {error}", "table")


def tables_to_write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages that were not read again but whose tables have other rows now."""
    digests: dict[str, str] = getattr(env, "bookcode_table_digests", {})
    now: dict[str, str] = {}
    for docname, use in _tables(env):
        made = _made(app, docname, use)
        text = made.digest + made.error
        now[docname] = hashlib.sha256((now.get(docname, "") + text).encode()).hexdigest()
    env.bookcode_table_digests = now  # type: ignore[attr-defined]
    return [docname for docname, digest in now.items() if digests.get(docname) != digest]


@dataclass
class _Made:
    """A table that was made.

    Attributes:
        digest: of the rows.
        error: why it cannot be made, "" if it can.
        rows: until they are put into their page.
    """

    digest: str = ""
    error: str = ""
    rows: list[nodes.row] | None = None


def _made(app: Sphinx, docname: str, use: TableUse) -> _Made:
    """A table of a page; made once in a build, for all checks and for the page."""
    known, at = _known(app), (docname, use.kind, use.chapter or chapter_of(docname))
    if at not in known:
        try:
            rows = rows_of(app, *at)
        except NumbersError as error:
            known[at] = _Made(error=str(error))
        else:
            digest = hashlib.sha256("".join(r.pformat() for r in rows).encode()).hexdigest()
            known[at] = _Made(digest, rows=rows)
    return known[at]


def _take_rows(app: Sphinx, at: tuple[str, str, str]) -> list[nodes.row]:
    """The rows for a page; a second call makes them anew, since a node has its place in one tree.

    Raises:
        TableError: when the table cannot be made.
    """
    made = _known(app).get(at)
    if made is None or made.rows is None:
        return rows_of(app, *at)
    rows, made.rows = made.rows, None
    return rows


def _known(app: Sphinx) -> dict[tuple[str, str, str], _Made]:
    """The tables made in this build, by page, kind and chapter."""
    found: dict[tuple[str, str, str], _Made] = vars(app).setdefault("_bookcode_tables", {})
    return found


def drop_rows(app: Sphinx, error: Exception | None) -> None:
    """Forget the tables that were made, when all pages that want them are written."""
    _known(app).clear()


def _tables(env: BuildEnvironment) -> Iterator[tuple[str, TableUse]]:
    for docname, entry in sorted(pages(env).items()):
        for use in entry.tables:
            yield docname, use


def _nothing(self: Any, node: nodes.Element) -> None:
    """The table inside stands for itself."""


def add_tables(app: Sphinx) -> None:
    """Register the directives of all kinds of tables."""
    every: dict[str, Any] = dict.fromkeys(
        ("html", "latex", "text", "man", "texinfo"), (_nothing, _nothing)
    )
    app.add_node(pending_table, **every)
    for name, kind in KINDS.items():
        if not kind.own:
            app.add_directive(name, GeneratedTable)
    app.add_post_transform(FillTables)
    app.connect("env-check-consistency", check_tables)
    app.connect("env-updated", tables_to_write_again)
    app.connect("build-finished", drop_rows)
