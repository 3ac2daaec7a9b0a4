"""The directive ``code-list``: all files of the code browser, and the code of every page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Set
from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.util.docutils import SphinxDirective

from bookcode.numbers.edition import SOURCE
from bookcode.sphinxext.code_pages import code_files, code_lists, page_of
from bookcode.sphinxext.code_pages_words import tell
from bookcode.sphinxext.notebooks_site import cells_page, has_cells, notebook_name
from bookcode.sphinxext.wording import say
from bookcode.words import short


class code_list(nodes.General, nodes.Element):  # noqa: N801 (docutils' naming)
    """The list, filled in when the page is written: other pages may not have been read yet."""


class CodeList(SphinxDirective):
    """``{code-list}``: where to read and to take all code."""

    def run(self) -> list[nodes.Node]:
        for path in code_files(self.env.app):
            self.env.note_dependency(str(self.env.app.confdir / path))
        return [code_list()]


class ListCollector(EnvironmentCollector):
    """Remembers which pages have such a list."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        _lists(env).discard(docname)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment
    ) -> None:
        _lists(env).update(_lists(other) & set(docnames))

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        if any(True for _ in doctree.findall(code_list)):
            _lists(app.env).add(app.env.current_document.docname)


def _lists(env: BuildEnvironment) -> set[str]:
    if not hasattr(env, "bookcode_code_lists"):
        env.bookcode_code_lists = set()  # type: ignore[attr-defined]
    return env.bookcode_code_lists  # type: ignore[attr-defined,no-any-return]


def lists_to_write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """The pages with a list, when it would now say something else."""
    if not code_lists(app):
        return []
    now = hashlib.sha256("\0".join(_said(app)).encode()).hexdigest()
    before = getattr(env, "bookcode_code_list", "")
    env.bookcode_code_list = now  # type: ignore[attr-defined]
    return code_lists(app) if now != before else []


def _said(app: Sphinx) -> Iterator[str]:
    for path, file in code_files(app).items():
        yield f"{path} {file.summary}"
    for docname in _with_cells(app):
        yield f"{docname} {app.env.titles[docname].astext()}"


def _with_cells(app: Sphinx) -> list[str]:
    return [docname for docname in sorted(app.env.found_docs) if has_cells(app, docname)]


def fill_lists(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the list in its place."""
    for pending in list(doctree.findall(code_list)):
        language = app.config.language or "en"
        pending.replace_self(
            [
                nodes.rubric("", tell("ledger", language)),
                *_files(app, docname, language),
                nodes.rubric("", tell("chapters", language)),
                _pages(app, docname, language),
            ]
        )


def _files(app: Sphinx, docname: str, language: str) -> Iterator[nodes.Node]:
    folders: dict[str, nodes.bullet_list] = {}
    for path, file in code_files(app).items():
        folder = PurePosixPath(path).parent.as_posix()
        rows = folders.setdefault(folder, nodes.bullet_list())
        text = nodes.paragraph("", "", _link(app, docname, page_of(path), PurePosixPath(path).name))
        if file.summary:
            text += _summary(file.summary, language)
        rows += nodes.list_item("", text)
    for folder, rows in folders.items():
        yield nodes.paragraph("", "", nodes.literal("", f"{folder}/"))
        yield rows


def _summary(summary: str, language: str) -> list[nodes.inline]:
    """What a file says of itself, marked as English in other editions."""
    if short(language) == SOURCE:
        return [nodes.inline("", f": {summary}")]
    head = nodes.inline("", say("headed", language, text=""))
    return [head, nodes.inline("", summary, classes=["language-en"])]


def _pages(app: Sphinx, docname: str, language: str) -> nodes.bullet_list:
    rows = nodes.bullet_list()
    for name in _with_cells(app):
        title = app.env.titles[name].astext()
        text = nodes.paragraph("", say("headed", language, text=title))
        text += _link(app, docname, cells_page(name), tell("read", language))
        for key, path in (("notebook", notebook_name(name)), ("script", cells_page(name))):
            text += nodes.Text(" · ")
            text += _link(app, docname, path, tell(key, language), file=True)
        rows += nodes.list_item("", text)
    return rows


def _link(
    app: Sphinx, docname: str, name: str, text: str, *, file: bool = False
) -> nodes.reference | nodes.inline:
    """A link into the code browser, to a page or a file; text alone where there is none."""
    if app.builder.format != "html":
        return nodes.inline("", text)
    address = app.builder.get_relative_uri(docname, name)
    if file:
        address = "../" * app.builder.get_target_uri(docname).count("/") + name
    return nodes.reference("", text, refuri=address, internal=True)


def add_code_list(app: Sphinx) -> None:
    """Register the directive."""
    app.add_node(code_list)
    app.add_directive("code-list", CodeList)
    app.add_env_collector(ListCollector)
    app.connect("env-updated", lists_to_write_again)
    app.connect("doctree-resolved", fill_lists)
