"""All that this package knows of Sphinx's inside: one application, read and written page by page.

Sphinx builds in one go and ends. Here the same steps are taken one at a time, in an order of our
own, again and again. What that relies on is checked by :func:`check_seam`; all of it is what Sphinx
9.0 does in ``Builder.build``, ``Builder.read`` and ``Builder.write``.
"""

from __future__ import annotations

import gettext
import inspect
import io
import os
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import sphinx
import sphinx.locale
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment, _CurrentDocument
from sphinx.errors import SphinxError
from sphinx.search import IndexBuilder
from sphinx.util.build_phase import BuildPhase
from sphinx.util.parallel import SerialTasks

from bookcode.live.context import digest
from bookcode.live.errors import SphinxSeamError
from bookcode.live.project import Project

SIGNATURES: dict[Any, list[str]] = {
    Builder.read_doc: ["self", "docname", "_cache"],
    Builder.write_doctree: ["self", "docname", "doctree", "_cache"],
    Builder.compile_update_catalogs: ["self"],
    StandaloneHTMLBuilder.prepare_writing: ["self", "docnames"],
    StandaloneHTMLBuilder.load_indexer: ["self", "docnames"],
    StandaloneHTMLBuilder.write_doc: ["self", "docname", "doctree"],
    StandaloneHTMLBuilder.write_doc_serialized: ["self", "docname", "doctree"],
    StandaloneHTMLBuilder.copy_assets: ["self"],
    StandaloneHTMLBuilder.copy_image_files: ["self"],
    StandaloneHTMLBuilder.finish: ["self"],
    BuildEnvironment.find_files: ["self", "config", "builder"],
    BuildEnvironment.check_dependents: ["self", "app", "already"],
    BuildEnvironment.check_consistency: ["self"],
    BuildEnvironment.clear_doc: ["self", "docname"],
    IndexBuilder.prune: ["self", "docnames"],
}
"""What is called, with the parameters it must have."""

_PARTS_OF_INDEX = ("_titles", "_filenames", "_mapping", "_title_mapping", "_all_titles")

_NOT_SHOWN = frozenset(
    {
        "_app",
        "_builder_cls",
        "_doctreedir",
        "_srcdir",
        "_pickled_doctree_cache",
        "_write_doc_doctree_cache",
        "all_docs",
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


def check_seam() -> None:
    """See that Sphinx still has the steps that this module takes.

    Raises:
        SphinxSeamError: naming what is different.
    """
    for function, wanted in SIGNATURES.items():
        found = list(inspect.signature(function).parameters)
        if found != wanted:
            name = f"{function.__module__}.{function.__qualname__}"
            raise SphinxSeamError(
                f"Sphinx {sphinx.__version__}: {name} takes {found}, not {wanted}"
            )
    for where, wanted_text in (
        (Builder.read, "self.events.emit('env-updated', self.env)"),
        (Builder.build, "self.env.check_dependents(self._app, updated_docnames)"),
        (Builder.write, "self.events.emit('write-started', self)"),
        (StandaloneHTMLBuilder.prepare_writing, "self.load_indexer(docnames)"),
        (BuildEnvironment.get_doctree, "self._pickled_doctree_cache[docname]"),
    ):
        if wanted_text not in inspect.getsource(where):
            raise SphinxSeamError(
                f"Sphinx {sphinx.__version__}: {where.__qualname__} has no {wanted_text!r}"
            )
    for name in (*_PARTS_OF_INDEX, "_index_entries", "_objtypes", "_objnames"):
        if f"self.{name}" not in inspect.getsource(IndexBuilder.__init__):
            raise SphinxSeamError(f"Sphinx {sphinx.__version__}: IndexBuilder has no {name}")


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
            confoverrides={"language": project.language},
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
        self._index: IndexBuilder | None = None
        self._translations: dict[str, set[Path]] = {}
        self.builder.load_indexer = self._load_indexer  # type: ignore[method-assign]
        self.builder.finish_tasks = SerialTasks()

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

    def settle(self) -> None:
        """After reading: what follows from all pages together, and its checks."""
        self.drop_caches()
        self.app.statuscode = 0
        self.env.events.emit("env-updated", self.env)
        list(self.env.check_dependents(self.app, set()))
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

    def copy_figures(self) -> list[str]:
        """Bring the figures of written pages to the site; their paths in it."""
        self.builder.copy_image_files()
        return [f"{self.builder.imagedir}/{name}" for name in self.builder.images.values()]

    def finish(self) -> None:
        """After writing: indices, search, figures, and what extensions add at the end."""
        index = self.builder.indexer
        if index is not None:
            entries = index._index_entries
            # as when all pages are written in order
            index._index_entries = {doc: entries[doc] for doc in sorted(entries)}
            for words in (index._mapping, index._title_mapping):
                for word in [word for word, docnames in words.items() if not docnames]:
                    del words[word]
            index._objtypes, index._objnames = {}, {}
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
        index, last = self.builder.indexer, self._index
        assert index is not None
        keep = set(self.env.all_docs) - set(docnames)
        if last is not None:
            for name in _PARTS_OF_INDEX:
                setattr(index, name, getattr(last, name))
            entries = last._index_entries
            index._index_entries = {doc: entries[doc] for doc in entries if doc in keep}
        index.prune(keep)
        self._index = index

    # messages ---------------------------------------------------------------------------------
    def take_warnings(self) -> str:
        """What Sphinx said since the last call."""
        text = self._warnings.getvalue()
        self._warnings.seek(0)
        self._warnings.truncate()
        return text
