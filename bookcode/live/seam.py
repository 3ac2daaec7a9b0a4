"""All that this package knows of Sphinx's inside: one application, read and written page by page.

Sphinx builds in one go and ends. Here the same steps are taken one at a time, in an order of our
own, again and again: those of ``Builder.build``, ``read`` and ``write`` of Sphinx 9.0.
What that relies on is checked by :mod:`bookcode.live.sphinx_facts`.
"""

from __future__ import annotations

import gettext
import io
import os
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import sphinx.locale
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import _CurrentDocument
from sphinx.errors import SphinxError
from sphinx.util.build_phase import BuildPhase
from sphinx.util.osutil import relative_uri
from sphinx.util.parallel import SerialTasks

from bookcode.execution.client import without_copies
from bookcode.live.context import digest
from bookcode.live.project import Project
from bookcode.live.search_index import KeptIndex
from bookcode.live.sphinx_facts import check_seam
from bookcode.sphinxext.checks import problems
from bookcode.sphinxext.state import SKETCH, library_of, pages

HIGHLIGHTED = 1000
"""Pieces of code whose highlighting is remembered."""

_NOT_SHOWN = frozenset(
    {
        "_app",
        "_builder_cls",
        "_doctreedir",
        "_srcdir",
        "_pickled_doctree_cache",
        "_write_doc_doctree_cache",
        "all_docs",
        "bookcode_messages",
        "config",
        "config_status",
        "config_status_extra",
        "current_document",
        "dependencies",
        "dlfiles",
        "domains",
        "events",
        "files_to_rebuild",
        "images",
        "included",
        "master_doctree",
        "original_image_uri",
        "project",
        "ref_context",
        "reread_always",
        "settings",
        "version",
    }
)
"""Parts of the environment that say nothing to the pages, or are looked at page by page."""

_OF_ONE_PAGE = frozenset({"findings", "fingerprint", "failed", "words"})
"""What our extension keeps of a page for its checks."""


class WarmSphinx:
    """A Sphinx application that stays.

    Raises:
        SphinxSeamError: when this Sphinx is not as expected.
        SphinxError: whatever is wrong with conf.py or an extension.
    """

    def __init__(self, project: Project) -> None:
        check_seam()
        self._project = project
        self._warnings = io.StringIO()
        for folder in (project.html, project.doctrees, project.seed):
            shutil.rmtree(folder, ignore_errors=True)
        self.app = Sphinx(
            project.source,
            project.root,
            project.html,
            project.doctrees,
            "html",
            # one edition is served: a page has no other to lead to
            confoverrides={"language": project.language, "bookcode_editions": {}},
            status=None,
            warning=self._warnings,
            freshenv=True,
        )
        builder = self.app.builder
        if not isinstance(builder, StandaloneHTMLBuilder):
            raise SphinxError(f"the live server writes HTML, not {builder.name}")
        # what extensions put there when they start, they put there once
        shutil.copytree(project.html, project.seed)
        self.builder = builder
        self.env = self.app.env
        self._index = KeptIndex()
        self._translations: dict[str, set[Path]] = {}
        self.builder.load_indexer = self._load_indexer  # type: ignore[method-assign]
        self.builder.finish_tasks = SerialTasks()
        self._highlighted: dict[str, str] = {}
        self._highlight = builder.highlighter.highlight_block
        builder.highlighter.highlight_block = self._highlight_once  # type: ignore[method-assign]

    # what there is ----------------------------------------------------------------------------
    def find(self) -> tuple[set[str], set[str]]:
        """Look for pages: those never read, and those that are gone."""
        self.builder.compile_update_catalogs()
        self.env.find_files(self.app.config, self.builder)
        self._translations = {
            docname: {Path(path) for path in paths if Path(path).suffix == ".mo"}
            for docname, paths in self.env.dependencies.items()
        }
        known = set(self.env.all_docs)
        return self.env.found_docs - known, known - self.env.found_docs

    def docname_of(self, path: Path) -> str | None:
        """The page of a source file."""
        return self.env.path2doc(path) if path.is_relative_to(self._project.source) else None

    def translated_by(self, catalogue: Path) -> set[str]:
        """The pages that take translations from a ``.po`` file."""
        compiled = catalogue.with_suffix(".mo")
        return {docname for docname, paths in self._translations.items() if compiled in paths}

    def page_of(self, docname: str) -> str:
        """The path of a page in the site."""
        return self.builder.get_output_path(docname).relative_to(self.app.outdir).as_posix()

    def files_of(self, docname: str) -> set[Path]:
        """The files that reading a page looked at: its source, includes, figures, translations."""
        files = {Path(path) for path in self.env.dependencies.get(docname, ())}
        files.add(Path(self.env.doc2path(docname)))
        files |= self._translations.get(docname, set())  # reading forgets them
        normal = {Path(os.path.normpath(self._project.source / path)) for path in files}
        return {path for path in normal if not path.is_relative_to(self._project.out)}

    def static_folders(self) -> list[Path]:
        """Folders whose content goes into the site or its templates."""
        config = self.app.config
        names = [*config.html_static_path, *config.templates_path, *config.html_extra_path]
        return [Path(self.app.confdir, name).resolve() for name in names]

    # reading ----------------------------------------------------------------------------------
    def read(self, docname: str) -> None:
        """Read a page anew."""
        self.builder.phase = BuildPhase.READING
        self.forget(docname)
        # translations are kept by those who loaded them, for as long as the process lives
        gettext._translations.clear()  # type: ignore[attr-defined]
        for key in [key for key in sphinx.locale.translators if key[1] != "sphinx"]:
            del sphinx.locale.translators[key]
        self.builder.read_doc(docname)

    def forget(self, docname: str) -> None:
        """Drop all that is known of a page, also of one that was read in part."""
        env = self.env
        env.current_document = _CurrentDocument()
        env.ref_context.clear()
        env.events.emit("env-purge-doc", env, docname)
        env.all_docs.pop(docname, None)
        env.clear_doc(docname)
        env.dependencies.pop(docname, None)
        env._pickled_doctree_cache.pop(docname, None)
        env._write_doc_doctree_cache.pop(docname, None)
        vars(env).pop("master_doctree", None)

    def number(self) -> None:
        """After reading: give sections and figures their numbers."""
        self.drop_caches()
        list(self.env.check_dependents(self.app, set()))

    def settle(self) -> None:
        """After reading: what follows from all pages together, and its checks."""
        self.number()
        self.app.statuscode = 0
        self.env.events.emit("env-updated", self.env)
        self.builder.phase = BuildPhase.CONSISTENCY_CHECK
        self.env.check_consistency()

    def drop_caches(self, registry: bool = False) -> None:
        """Drop what our extension keeps on the application: it is stamped for one build only."""
        for name in [name for name in vars(self.app) if name.startswith("_bookcode_")]:
            if registry or name != "_bookcode_registry":
                delattr(self.app, name)

    def context(self) -> str:
        """A digest of all that a page may show of others."""
        parts: dict[str, Any] = {}
        for name, value in vars(self.env).items():
            if name in _NOT_SHOWN or name.startswith("_search_index_") or name.endswith("digests"):
                continue
            if name == "bookcode_pages":
                value = {
                    docname: {k: v for k, v in vars(page).items() if k not in _OF_ONE_PAGE}
                    for docname, page in value.items()
                }
            elif name == "metadata":
                value = {
                    docname: {k: v for k, v in entries.items() if k != "wordcount"}
                    for docname, entries in value.items()
                }
            parts[name] = value
        return digest(parts)

    def has_clashing_files(self) -> bool:
        """Whether two files share a name, so that the order of reading decides on another one."""
        images = self.env.images.items()
        return any(Path(path).name != name for path, (_, name) in images)

    # writing ----------------------------------------------------------------------------------
    def begin_writing(self, docnames: Collection[str], *, afresh: bool) -> None:
        """Prepare to write pages; ``afresh`` into an empty folder, with all that pages load."""
        if afresh:
            shutil.rmtree(self.app.outdir, ignore_errors=True)
            shutil.copytree(self._project.seed, self.app.outdir)
            self.builder.images.clear()
        self.builder.phase = BuildPhase.RESOLVING
        env = self.env
        env.toctree_includes = dict(sorted(env.toctree_includes.items()))
        env.events.emit("write-started", self.builder)
        if hasattr(self.builder, "_orig_css_files"):  # pages added theirs to these since
            self.builder._css_files[:] = self.builder._orig_css_files
            self.builder._js_files[:] = self.builder._orig_js_files
        self.builder.prepare_writing(set(docnames))
        if afresh:
            self.builder.copy_assets()
        else:
            self.builder.copy_download_files()

    def write(self, docname: str) -> None:
        """Write a page; on the way it goes into the search index."""
        builder = self.builder
        builder.phase = BuildPhase.RESOLVING
        doctree = self.env.get_and_resolve_doctree(docname, builder=builder, tags=builder.tags)
        builder.phase = BuildPhase.WRITING
        builder.write_doc_serialized(docname, doctree)
        builder.write_doc(docname, doctree)
        self.env._pickled_doctree_cache.pop(docname, None)

    def is_wrong(self, docname: str) -> bool:
        """Whether the page by itself says something that is no good: a key, a format, a claim."""
        page = pages(self.env).get(docname)
        if page is None:
            return False
        library, language = library_of(self.app), self.app.config.language or "en"
        claims = [placed.record for placed in page.records if placed.record.kind == "claim"]
        claims += [library.claims[use.key] for use in page.uses if use.key in library.claims]
        return any(not getattr(claim, "holds", True) for claim in claims) or any(
            True for use in page.uses for _ in problems(library, use, language)
        )

    def sketch(self, docname: str) -> None:
        """Read and write a page for showing it at once.

        Left out is what only others want: the copy of the notebook, the tree on disk, the index,
        and the lint, whose findings are told with those of all pages. The page has to be read and
        written in earnest afterwards.
        """
        vars(self.app)[SKETCH] = True
        try:
            self._sketch(docname)
        finally:
            del vars(self.app)[SKETCH]

    def _sketch(self, docname: str) -> None:
        builder = self.builder
        vars(builder)["write_doctree"] = self._keep_tree
        try:
            with without_copies():
                self.read(docname)
        finally:
            del vars(builder)["write_doctree"]
        self.number()
        self.begin_writing((), afresh=False)
        builder.phase = BuildPhase.RESOLVING
        doctree = self.env.get_and_resolve_doctree(docname, builder=builder, tags=builder.tags)
        builder.phase = BuildPhase.WRITING
        builder.imgpath = relative_uri(builder.get_target_uri(docname), builder.imagedir)
        builder.post_process_images(doctree)
        builder.write_doc(docname, doctree)

    def _keep_tree(self, docname: str, doctree: nodes.document, *, _cache: bool = True) -> None:
        self.env._write_doc_doctree_cache[docname] = doctree

    def _highlight_once(
        self,
        source: str,
        lang: str,
        opts: dict[str, Any] | None = None,
        force: bool = False,
        location: Any = None,
        **kwargs: Any,
    ) -> str:
        """Highlight code, or remember how it was done; what was complained about is done again."""
        key = digest([source, lang, opts, force, kwargs])
        if key not in self._highlighted:
            before = self._warnings.tell()
            text = self._highlight(source, lang, opts, force, location, **kwargs)
            if self._warnings.tell() != before:
                return text
            while len(self._highlighted) >= HIGHLIGHTED:
                del self._highlighted[next(iter(self._highlighted))]
            self._highlighted[key] = text
        return self._highlighted[key]

    def copy_figures(self) -> list[str]:
        """Bring the figures of written pages to the site; their paths in it."""
        self.builder.copy_image_files()
        return [f"{self.builder.imagedir}/{name}" for name in self.builder.images.values()]

    def finish(self) -> None:
        """After writing: indices, search, figures, and what extensions add at the end."""
        index = self.builder.indexer
        if index is not None:
            self._index.tidy(index)
        self.builder.finish()
        self.builder.finish_tasks.join()
        self.env.events.emit("build-finished", None)
        self._sweep(self.builder._images_dir, (name for _, name in self.env.images.values()))
        self._sweep(
            self.builder._downloads_dir, (str(name) for _, name in self.env.dlfiles.values())
        )

    def _sweep(self, folder: Path, names: Iterable[str]) -> None:
        """Remove files that no page uses any more."""
        wanted = {folder / name for name in names}
        for path in folder.rglob("*"):
            if path.is_file() and path not in wanted:
                path.unlink()

    def _load_indexer(self, docnames: Collection[str]) -> None:
        """Go on with the last index, less the pages that are about to be written."""
        assert self.builder.indexer is not None
        self._index.go_on(self.builder.indexer, set(self.env.all_docs) - set(docnames))

    # messages ---------------------------------------------------------------------------------
    def take_warnings(self) -> str:
        """What Sphinx said since the last call."""
        text = self._warnings.getvalue()
        self._warnings.seek(0)
        self._warnings.truncate()
        return text
