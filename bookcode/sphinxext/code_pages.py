"""The code browser: pages for every file of the ledger and for the cells of every page.

They are made anew in every build, from the files as they are and from what was published. Files
are read as text; nothing here imports them.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from docutils.utils import new_document
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.highlighting import PygmentsBridge

from bookcode.numbers.files import write_atomic
from bookcode.numbers.records import MessageRecord, ParameterRecord, PresetRecord
from bookcode.sphinxext.code_pages_html import Drawing, cells_body, file_body, link
from bookcode.sphinxext.code_pages_links import Makers, makers_of, named_files, spot_of
from bookcode.sphinxext.code_pages_source import CodeFile, code_below, read_code
from bookcode.sphinxext.code_pages_words import tell
from bookcode.sphinxext.notebooks import script_lines
from bookcode.sphinxext.notebooks_site import cells_page, has_cells, notebook_name
from bookcode.sphinxext.search import CODE_FOLDER
from bookcode.sphinxext.state import pages, root
from bookcode.sphinxext.survey import Spot
from bookcode.sphinxext.tables import survey_of

CollectedPage = tuple[str, dict[str, Any], str]

PLAIN: Final = ("n", "p", "w")
"""Names, punctuation and blanks: tokens that look like the text around them in both schemes. They
are half of all tokens; without elements of their own a page is read and drawn sooner."""
_PLAIN: Final = re.compile(rf'<span class="(?:{"|".join(PLAIN)})">([^<]*)</span>')
_UNSHOWN: Final = (ParameterRecord, PresetRecord, MessageRecord)
"""Records that no role shows."""


def page_of(path: str) -> str:
    """The name of the page that shows a file of the project."""
    return CODE_FOLDER + path


def code_files(app: Sphinx) -> dict[str, CodeFile]:
    """The files to show by path: those of the setting ``bookcode_code``, and those that made
    something that was published."""
    folder = root(app)
    listed = [*code_below(folder, tuple(app.config.bookcode_code)), *named_files(pages(app.env))]
    found = {}
    for path in sorted(set(listed)):
        if (folder / path).is_file():
            found[path] = read_code(path, (folder / path).read_text("utf-8"))
    return found


LinkOf = Callable[[str], str | None]
"""From "path:line" to an address; None where there is none."""


def code_links(app: Sphinx, otherwise: LinkOf) -> Callable[[str], LinkOf]:
    """For each page what gives addresses in the code browser, as seen from there.

    Args:
        otherwise: what gives the address of a file that the code browser does not show.
    """
    shown = frozenset(code_files(app))

    def links_of(docname: str) -> LinkOf:
        def address(place: str) -> str | None:
            path, _, line = place.partition(":")
            if path not in shown:
                return otherwise(place)
            page = app.builder.get_relative_uri(docname, page_of(path))
            return f"{page}#L{line}" if line else page

        return address

    return links_of


# pages -------------------------------------------------------------------------------------------
def collect_pages(app: Sphinx) -> Iterable[CollectedPage]:
    """Make all pages, put them into the search, and remove what is there from files long gone."""
    builder = app.builder
    if not isinstance(builder, StandaloneHTMLBuilder):
        return []
    files = code_files(app)
    scripts = dict(_scripts(app))
    collected = [*_file_pages(app, files), *_cells_pages(app, scripts)]
    names = [name for name, _, _ in collected]
    _put_into_search(builder, {**files, **scripts}, names)
    for path, file in files.items():
        write_atomic(Path(app.outdir) / page_of(path), file.text)
    kept = {Path(builder.get_output_path(name)) for name in names}
    kept |= {Path(app.outdir) / page_of(path) for path in files}
    kept |= {Path(app.outdir) / name for docname in scripts for name in _written(docname)}
    for written in (Path(app.outdir) / CODE_FOLDER).rglob("*"):
        if written.is_file() and written not in kept:
            written.unlink()
    return collected


def _written(docname: str) -> tuple[str, str]:
    return cells_page(docname), notebook_name(docname)


def _scripts(app: Sphinx) -> Iterator[tuple[str, CodeFile]]:
    """The scripts of pages that have cells, by page."""
    for docname in sorted(app.env.found_docs):
        script = Path(app.outdir) / cells_page(docname)
        if script.is_file() and has_cells(app, docname):
            path = cells_page(docname).removeprefix(CODE_FOLDER)
            yield docname, CodeFile(path, script.read_text("utf-8"))


def _drawing(app: Sphinx, page: str) -> Drawing:
    builder = app.builder
    assert isinstance(builder, StandaloneHTMLBuilder)

    def address(docname: str, anchor: str) -> str:
        base = builder.get_relative_uri(page, docname)
        return f"{base}#{anchor}" if anchor else base

    def title(docname: str) -> str:
        return app.env.titles[docname].astext()

    return Drawing(app.config.language or "en", address, title, highlight)


@functools.lru_cache(maxsize=256)
def highlight(text: str, language: str) -> str:
    """Code as HTML without a frame. A builder that stays meets the same files again and again."""
    options = {"stripnl": False}
    made = PygmentsBridge().highlight_block(text, language, options, force=True, nowrap=True)
    return _PLAIN.sub(r"\1", made)


def _file_pages(app: Sphinx, files: dict[str, CodeFile]) -> Iterator[CollectedPage]:
    makers: Makers = makers_of(files, pages(app.env), survey_of(app))
    for path, file in files.items():
        drawing = _drawing(app, page_of(path))
        name = Path(path).name
        links = [link(name, tell("download", drawing.language, name=name), download=True)]
        links += _all_code(app, drawing)
        yield page_of(path), _context(path, file_body(drawing, file, makers, links)), "page.html"


def _cells_pages(app: Sphinx, scripts: dict[str, CodeFile]) -> Iterator[CollectedPage]:
    for docname, script in scripts.items():
        page = cells_page(docname)
        drawing = _drawing(app, page)
        links = [link(drawing.address(docname, ""), tell("chapter", drawing.language))]
        for name in _written(docname):
            said = tell("download", drawing.language, name=Path(name).name)
            links.append(link(Path(name).name, said, download=True))
        links += _all_code(app, drawing)
        published = _published(app, docname, script)
        body = cells_body(drawing, script, published, links)
        yield page, _context(script.path, body), "page.html"


def _published(app: Sphinx, docname: str, script: CodeFile) -> Iterator[tuple[str, int, Spot]]:
    survey, lines = survey_of(app), script_lines(script.text)
    roles = {"claim": "holds", "figure": "figure"}
    for placed in pages(app.env)[docname].records:
        record = placed.record
        if placed.line in lines and not isinstance(record, _UNSHOWN):
            spots = survey.spots(roles.get(record.kind, "num"), record.key)
            spot = next(iter(spots), None) or spot_of(survey, docname, record.key)
            yield record.key, lines[placed.line], spot


def _all_code(app: Sphinx, drawing: Drawing) -> list[str]:
    """The link to the list of all code, where the book has one."""
    lists = code_lists(app)
    said = tell("all", drawing.language)
    return [link(drawing.address(lists[0], ""), said)] if lists else []


def code_lists(app: Sphinx) -> list[str]:
    """The pages with a list of all code."""
    return sorted(getattr(app.env, "bookcode_code_lists", ()))


def _context(title: str, body: str) -> dict[str, Any]:
    return {"title": html.escape(title), "body": body, "parents": [], "display_toc": False}


# search ------------------------------------------------------------------------------------------
def _put_into_search(
    builder: StandaloneHTMLBuilder, files: dict[str, CodeFile], names: list[str]
) -> None:
    """Feed the files to the index, which by itself keeps pages with a source only."""
    index = builder.indexer
    if index is None:
        return
    for mapping in (index._mapping, index._title_mapping):
        for found in mapping.values():
            found.difference_update(names)
        for word in [word for word, found in mapping.items() if not found]:
            del mapping[word]
    for name, file in zip(names, files.values(), strict=True):
        output = builder.get_output_path(name).relative_to(builder.outdir).as_posix()
        index.feed(name, output, file.path, _searched(file))
    prune = type(index).prune
    index.prune = lambda docnames: prune(index, [*docnames, *names])  # type: ignore[method-assign]


def _searched(file: CodeFile) -> nodes.document:
    """A file as the search sees it: its definitions are sections."""
    document = new_document(file.path)
    page = nodes.section("", nodes.title("", file.path), nodes.literal_block("", file.text))
    for definition in file.definitions:
        title = nodes.title("", definition.name)
        page += nodes.section("", title, ids=[f"L{definition.line}"])
    document += page
    return document


def add_code_pages(app: Sphinx) -> None:
    """Register them; setting: ``bookcode_code``, folders of the project that are shown."""
    app.add_config_value("bookcode_code", ["bookcode/ledger"], "html", list)
    app.connect("html-collect-pages", collect_pages)
