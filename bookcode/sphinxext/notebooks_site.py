"""Writes the notebooks and scripts of pages into the site, and links each page to its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from bookcode.numbers.files import write_atomic
from bookcode.numbers.records import NumberRecord
from bookcode.sphinxext import colophon
from bookcode.sphinxext.checks import source_of
from bookcode.sphinxext.code_pages_words import tell
from bookcode.sphinxext.notebooks import (
    FACTS,
    CodeCell,
    PageCode,
    cells_of,
    facts_text,
    is_notebook,
    notebook_of,
    script_of,
)
from bookcode.sphinxext.notebooks_text import blocks
from bookcode.sphinxext.search import CODE_FOLDER
from bookcode.sphinxext.state import Page, is_sketch, pages, root
from bookcode.sphinxext.wording import say

REQUIREMENT = "bookcode[book]"
"""What to install; the cells draw figures as well."""


def cells_page(docname: str) -> str:
    """The name of the page of the code browser that shows a page's cells."""
    return f"{CODE_FOLDER}cells/{docname}.py"


def notebook_name(docname: str) -> str:
    """The path of a page's notebook in the site."""
    return f"{CODE_FOLDER}cells/{docname}.ipynb"


def has_cells(app: Sphinx, docname: str) -> bool:
    """Whether a page is a notebook."""
    path = Path(app.env.doc2path(docname))
    return path.suffix == ".md" and path.is_file() and is_notebook(path.read_text("utf-8"))


def install_command(repository: colophon.Repository) -> tuple[str, str]:
    """The words that say how to install, and the command."""
    if not repository.url:
        return "install-here", 'pip install ".[book]"'
    revision = f"@{repository.revision}" if repository.revision else ""
    return "install", f'pip install "{REQUIREMENT} @ git+{repository.url}{revision}"'


def write_notebook(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write a resolved page's notebook and script; link the page to them."""
    if app.builder.format != "html" or not has_cells(app, docname):
        return
    if not is_sketch(app):
        code = _page_code(app, doctree, docname)
        for name, text in (
            (notebook_name(docname), notebook_of(code)),
            (cells_page(docname), script_of(code)),
        ):
            write_atomic(Path(app.outdir) / name, text)
    section = next(iter(doctree.findall(nodes.section)), None)
    if section is not None:
        section += _links(app, docname)


def _page_code(app: Sphinx, doctree: nodes.document, docname: str) -> PageCode:
    path = Path(app.env.doc2path(docname))
    language = app.config.language or "en"
    cells = cells_of(path.read_text("utf-8"), path)
    repository = colophon.Repository(app.config.bookcode_repository, app.config.bookcode_revision)
    words, command = install_command(repository)
    title = app.env.titles[docname].astext()
    said = [
        tell("whence", language, title=title, book=app.config.html_title),
        tell("page", language),
        tell(words, language, command=command),
    ]
    return PageCode(
        place=source_of(app, docname),
        head="\n".join(said),
        note=tell("data", language),
        prose=tuple(blocks(doctree)),
        cells=cells,
        data=dict(_data(app, pages(app.env).get(docname, Page()), cells)),
    )


def _data(app: Sphinx, entry: Page, cells: tuple[CodeCell, ...]) -> Iterator[tuple[str, str]]:
    """The book's own files that the cells read, without what lies in packages."""
    folder = root(app)
    for name in entry.fingerprint or ():
        path = folder / name
        in_package = (folder / Path(name).parts[0] / "__init__.py").exists()
        if name != FACTS and path.is_file() and not in_package and path.suffix != ".py":
            yield name, path.read_text("utf-8")
    registry = folder / FACTS
    if registry.is_file():
        numbers = [p.record for p in entry.records if isinstance(p.record, NumberRecord)]
        keys = {key for number in numbers for key in number.facts}
        if text := facts_text(registry.read_text("utf-8"), cells, keys):
            yield FACTS, text


def _links(app: Sphinx, docname: str) -> nodes.paragraph:
    language = app.config.language or "en"
    here = app.builder.get_target_uri(docname)
    base = "../" * here.count("/")
    page = app.builder.get_relative_uri(docname, cells_page(docname))
    head = say("headed", language, text=tell("cells", language))
    line = nodes.paragraph("", head, classes=["bk-page-code", "no-search"])
    for number, (key, address) in enumerate(
        (
            ("read", page),
            ("notebook", base + notebook_name(docname)),
            ("script", base + cells_page(docname)),
        )
    ):
        line += nodes.Text(" · " if number else "")
        line += nodes.reference("", tell(key, language), refuri=address, internal=True)
    return line


def add_notebooks(app: Sphinx) -> None:
    """Register them, before others add to the page what is no part of its prose."""
    app.connect("doctree-resolved", write_notebook, priority=400)
