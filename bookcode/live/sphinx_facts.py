"""What this package relies on of Sphinx's inside, and the check that it is still so."""

from __future__ import annotations

import inspect
from typing import Any

import sphinx
from sphinx.builders import Builder
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.highlighting import PygmentsBridge
from sphinx.search import IndexBuilder

from bookcode.live.errors import SphinxSeamError

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
    PygmentsBridge.highlight_block: [
        *("self", "source", "lang", "opts", "force", "location", "kwargs")
    ],
}
"""What is called, with the parameters it must have."""

PARTS_OF_INDEX = ("_titles", "_filenames", "_mapping", "_title_mapping", "_all_titles")


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
    for name in (*PARTS_OF_INDEX, "_index_entries", "_objtypes", "_objnames"):
        if f"self.{name}" not in inspect.getsource(IndexBuilder.__init__):
            raise SphinxSeamError(f"Sphinx {sphinx.__version__}: IndexBuilder has no {name}")
