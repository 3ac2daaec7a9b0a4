"""What must hold over all pages at every build: keys, formats, claims, no hard-coded numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.records import AliasRecord, ClaimRecord
from bookcode.prose import FormulaIndex, PublishedIndex, find_math, lint_document
from bookcode.sphinxext.library import Library, plain
from bookcode.sphinxext.mime import mark_published
from bookcode.sphinxext.record_texts import text_problems
from bookcode.sphinxext.resolve import formula_latex
from bookcode.sphinxext.state import (
    Page,
    Use,
    digests,
    is_sketch,
    library_of,
    page,
    pages,
    root,
)
from bookcode.sphinxext.translations import place_in_cells
from bookcode.words import short

logger = logging.getLogger(__name__)


def report(app: Sphinx, place: str, message: str, subtype: str) -> None:
    """One build error at "path:line" or "path:line:column"."""
    app._bookcode_errors = getattr(app, "_bookcode_errors", 0) + 1  # type: ignore[attr-defined]
    logger.error(message, location=place, type="bookcode", subtype=subtype)


def source_of(app: Sphinx, docname: str) -> str:
    """A page's source path relative to the project's root."""
    path = Path(app.env.doc2path(docname)).resolve()
    return path.relative_to(root(app)).as_posix() if path.is_relative_to(root(app)) else str(path)


# while a page is read ---------------------------------------------------------------------------
def lint_page(app: Sphinx, doctree: nodes.document) -> None:
    """Find hard-coded numbers and unowned verdicts on a page that was just read."""
    mark_published(doctree)
    if is_sketch(app):
        return
    docname = app.env.docname
    path = Path(app.env.doc2path(docname))
    entry = page(app.env, docname)
    entry.words = len(doctree.astext().split())
    if not app.config.bookcode_lint:
        entry.findings, entry.math = [], []
        return
    source = path.read_text("utf-8")
    entry.math = find_math(doctree, source)
    entry.findings = lint_document(
        doctree,
        source_text=source,
        path=source_of(app, docname),
        language=short(app.config.language or "en"),
        published=PublishedIndex([]),
    )


# when all pages are read -------------------------------------------------------------------------
def check_consistency(app: Sphinx, env: BuildEnvironment) -> None:
    """Report what is wrong with any page, also with those that were not read again."""
    library = library_of(app)
    language = app.config.language or "en"
    _check_duplicates(app)
    index = PublishedIndex(library.published())
    formulas = FormulaIndex(library.formulas())
    for docname, entry in sorted(pages(env).items()):
        source = source_of(app, docname)
        _check_records(app, library, docname, source)
        for use in entry.uses:
            for message in problems(library, use, language):
                report(app, f"{use.source or source}:{use.line}", message, use.role)
        for finding in entry.findings:
            near = index.same_value(finding.text, language)
            hints = [f"{{{role}}}`{key}` (= {shown})" for role, key, shown in near]
            hint = f"; did you mean {' or '.join(hints[:3])}" if hints else ""
            place = f"{finding.path}:{finding.line}:{finding.column}"
            report(app, place, f"{finding.text!r}: {finding.reason}{hint}", "prose")
        _check_math(app, formulas, entry, source)


def _check_math(app: Sphinx, formulas: FormulaIndex, entry: Page, source: str) -> None:
    for typed in entry.math:
        keys = formulas.same_formula(typed.latex)
        if not keys:
            continue
        other = f" (or of {', '.join(keys[1:4])})" if keys[1:] else ""
        message = (
            f"{typed.latex!r}: a typed formula that the ledger computes; "
            f"write {{formula}}`{keys[0]}`{other}"
        )
        report(app, f"{source}:{typed.line}:{typed.column}", message, "prose")


def _check_duplicates(app: Sphinx) -> None:
    first: dict[str, str] = {}
    for docname, entry in sorted(pages(app.env).items()):
        source = source_of(app, docname)
        for placed in entry.records:
            key = placed.record.key
            if placed.record.kind in ("parameter", "preset", "message", "module"):
                continue
            place = f"{source}:{placed.line}"
            if key in first:
                report(app, place, f"{key!r} is already published at {first[key]}", "duplicate")
            first.setdefault(key, place)


def _check_records(app: Sphinx, library: Library, docname: str, source: str) -> None:
    language = app.config.language or "en"
    for placed in pages(app.env)[docname].records:
        record, place = placed.record, f"{source}:{placed.line}"
        if isinstance(record, ClaimRecord) and not record.holds:
            uses = [
                f"{u.source or source_of(app, d)}:{u.line}"
                for d, p in sorted(pages(app.env).items())
                for u in p.uses
                if u.role == "holds" and u.key == record.key
            ]
            stated = f"; stated at {', '.join(uses)}" if uses else ""
            message = f"claim {record.key!r} does not hold: {record.explanation}{stated}"
            report(app, place, message, "claim")
        if isinstance(record, AliasRecord) and record.target not in library.numbers:
            near = did_you_mean(record.target, library.numbers)
            message = f"alias {record.key!r}: no number {record.target!r}{near}"
            report(app, place, message, "alias")
        for problem in text_problems(library, record, language):
            at = place_in_cells(app, docname, problem.english) if problem.english else ""
            report(app, at or place, problem.words, problem.tag)


def problems(library: Library, use: Use, language: str) -> Iterator[str]:
    """What is wrong with one use."""
    if use.role != "lit" and use.context == "heading":
        yield f"{use.role} {use.key!r}: numbers and verdicts do not stand in headings"
    try:
        shown_text(library, use, language)
    except NumbersError as error:
        yield f"{use.role} {use.key!r}: {error}"


def shown_text(library: Library, use: Use, language: str) -> str:
    """What a use shows, as plain text.

    Raises:
        NumbersError: when it cannot be shown.
    """
    if use.role == "num":
        return library.number(use.key, use.spec, language).text
    if use.role == "fact":
        shown = library.fact(use.key, use.spec, language)
        return f"{shown.text} [{shown.hint}]"
    if use.role == "src":
        citation = library.citation(use.key, language)
        return f"{use.spec or citation.label} [{citation.hint}] {citation.link or ''}".rstrip()
    if use.role == "holds":
        return plain(library.claim(use.key, use.spec, language))
    if use.role == "formula":
        return formula_latex(library, use.key, use.spec, language)
    if use.role == "figure":
        figure = library.figure(use.key)
        texts = [*figure.captions.values(), *figure.alts.values()]
        return figure.svg + "".join(plain(library.text(t, language)) for t in texts)
    return use.spec


_IN_HTML = ("function", "inputs", "explanation", "parameters")
"""What HTML holds of a number or verdict beside its text: its hint, that it follows."""


def pages_to_write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages that were not read again but now show something else."""
    library = library_of(app)
    language = app.config.language or "en"
    again = []
    for docname, entry in pages(env).items():
        digest = hashlib.sha256()
        for use in entry.uses:
            try:
                known = library.numbers.get(use.key) or library.claims.get(use.key)
                told = [getattr(known, name, None) for name in _IN_HTML]
                text = f"{shown_text(library, use, language)} {told}"
                if use.role == "formula":
                    where = library.formula(use.key).where
                    text += f" {[library.meaning(said, language) for _, _, said in where]}"
            except NumbersError as error:
                text = str(error)
            digest.update(f"{use.role} {use.key} {use.spec} {text}\0".encode())
        new = digest.hexdigest()
        if digests(env).get(docname) != new:
            digests(env)[docname] = new
            again.append(docname)
    for docname in set(digests(env)) - set(pages(env)):
        del digests(env)[docname]
    return again
