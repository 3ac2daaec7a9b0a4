"""What the build knows of each page: records, uses, findings, and what its cells read.

Kept in Sphinx's environment, so that it survives between builds and merges between readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector

from bookcode.numbers.edition import SOURCE, Edition
from bookcode.numbers.records import Record
from bookcode.prose import Finding, TypedMath
from bookcode.sources.registry import Registry
from bookcode.sources.translated import in_language
from bookcode.sphinxext.library import Library

SKETCH: Final = "bookcode_sketch"
"""Attribute of the application, see :func:`is_sketch`."""


@dataclass(frozen=True)
class Placed:
    """A record and the line of the page that published it."""

    record: Record
    line: int


@dataclass(frozen=True)
class Use:
    """One place where a page shows something.

    Attributes:
        role: num, fact, holds, formula, figure or lit.
        key, spec: what and how (for holds: the words; for lit: the text).
        line: line in the page's source.
        context: body, table, caption, heading, ....
        anchor, section: id and title of the section it stands in.
        source: the catalogue that ``line`` counts in, where the text is a translation; else "".
    """

    role: str
    key: str
    spec: str
    line: int
    context: str
    anchor: str = ""
    section: str = ""
    source: str = ""


@dataclass(frozen=True)
class TableUse:
    """A generated table on a page: which one, of which chapter ("" means its own), and where."""

    kind: str
    chapter: str
    line: int


@dataclass
class Page:
    """What is known of one page."""

    records: list[Placed] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    tables: list[TableUse] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    math: list[TypedMath] = field(default_factory=list)
    fingerprint: dict[str, str] | None = field(default_factory=dict)
    failed: bool = False
    words: int = 0


def pages(env: BuildEnvironment) -> dict[str, Page]:
    """All pages by docname."""
    if not hasattr(env, "bookcode_pages"):
        env.bookcode_pages = {}  # type: ignore[attr-defined]
    return env.bookcode_pages  # type: ignore[attr-defined,no-any-return]


def page(env: BuildEnvironment, docname: str) -> Page:
    """One page, made when first asked for."""
    return pages(env).setdefault(docname, Page())


def digests(env: BuildEnvironment) -> dict[str, str]:
    """What each page last showed, as a digest."""
    if not hasattr(env, "bookcode_digests"):
        env.bookcode_digests = {}  # type: ignore[attr-defined]
    return env.bookcode_digests  # type: ignore[attr-defined,no-any-return]


def root(app: Sphinx) -> Path:
    """The project's root: the folder of conf.py."""
    return Path(app.confdir).resolve()


def locale_of(app: Sphinx) -> Path:
    """The folder of the book's catalogues, the first of ``locale_dirs``; it need not exist."""
    locale = edition_of(app.config, app.srcdir).locale
    assert locale is not None
    return locale


def edition_of(config: Config, srcdir: str | Path) -> Edition:
    """The edition of a build; for data, which belongs to no page."""
    folders = config.locale_dirs or ["locale"]
    return Edition(config.language or SOURCE, Path(srcdir).resolve() / str(folders[0]))


def data_texts(app: Sphinx) -> Mapping[str, str]:
    """What texts of data are in the edition's language; the same object while nothing changed."""
    return edition_of(app.config, app.srcdir).data


def registry_of(app: Sphinx) -> Registry | None:
    """The registry of sources in the edition's language, None where the project has none."""
    english, texts = _english_registry(app), data_texts(app)
    if english is None or not texts:
        return english
    cached: Any = getattr(app, "_bookcode_registry_said", None)
    if cached is None or cached[0] is not english or cached[1] is not texts:
        cached = (english, texts, in_language(english, texts))
        app._bookcode_registry_said = cached  # type: ignore[attr-defined]
    registry: Registry = cached[2]
    return registry


def _english_registry(app: Sphinx) -> Registry | None:
    cached = getattr(app, "_bookcode_registry", None)
    if cached is None:
        folder = root(app) / "references"
        has_one = (folder / "facts.toml").exists()
        cached = (Registry.load(folder) if has_one else None,)
        app._bookcode_registry = cached  # type: ignore[attr-defined]
    registry: Registry | None = cached[0]
    return registry


def library_of(app: Sphinx) -> Library:
    """The library of everything published; made anew when a page was read."""
    everything = pages(app.env)
    registry, texts = registry_of(app), data_texts(app)
    known = tuple((name, id(p.records), len(p.records)) for name, p in sorted(everything.items()))
    stamp = (id(registry), id(texts) if texts else 0, known)
    cached: Any = getattr(app, "_bookcode_library", None)
    if cached is None or cached[0] != stamp:
        records = [placed.record for _, p in sorted(everything.items()) for placed in p.records]
        cached = (stamp, Library.of(records, registry, texts))
        app._bookcode_library = cached  # type: ignore[attr-defined]
    library: Library = cached[1]
    return library


class PageCollector(EnvironmentCollector):
    """Forgets a page before it is read again and merges what parallel readers found."""

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        pages(env).pop(docname, None)

    def merge_other(
        self,
        app: Sphinx,
        env: BuildEnvironment,
        docnames: Set[str],
        other: BuildEnvironment,
    ) -> None:
        for docname in docnames:
            if docname in pages(other):
                pages(env)[docname] = pages(other)[docname]

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        from bookcode.sphinxext.uses import collect_uses

        entry = page(app.env, app.env.docname)
        entry.uses = collect_uses(doctree)


def is_sketch(app: Sphinx) -> bool:
    """Whether pages are made for a first look, without checks and without files beside them.

    Whoever asks for that makes them in earnest afterwards.
    """
    sketch: bool = getattr(app, SKETCH, False)
    return sketch
