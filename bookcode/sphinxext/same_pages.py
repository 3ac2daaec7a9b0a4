"""Makes an incremental build as good as a clean one, where Sphinx and myst-nb do not.

The same pages, byte for byte, and the same problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from myst_nb.sphinx_ext import add_global_html_resources
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def copy_notebook_style(app: Sphinx) -> None:
    """Have myst-nb's style sheet there before pages are written.

    It comes when the build ends, so that only a second build knows the checksum that links carry.
    """
    if app.builder.format == "html":
        (Path(app.outdir) / "_static").mkdir(parents=True, exist_ok=True)
        add_global_html_resources(app, None)


def forget_lost_words(app: Sphinx) -> Iterator[Any]:
    """Drop words that no page has any more from the index of the search.

    Run when pages are collected: late enough for all to be read, and before the index is written.
    """
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None:
        for mapping in (indexer._mapping, indexer._title_mapping):
            for word in [word for word, docnames in mapping.items() if not docnames]:
                del mapping[word]
    return iter(())


def note_check(app: Sphinx, env: BuildEnvironment) -> None:
    """Remember that this build was checked."""
    app._bookcode_checked = True  # type: ignore[attr-defined]


def check_unread(app: Sphinx, exception: Exception | None) -> None:
    """Check a build that read no page too: Sphinx does not, but what was wrong still is."""
    if exception is None and not getattr(app, "_bookcode_checked", False):
        app.env.check_consistency()
    app._bookcode_checked = False  # type: ignore[attr-defined]


def add_same_pages(app: Sphinx) -> None:
    """Connect all of them; the check comes before the build counts its errors."""
    app.connect("builder-inited", copy_notebook_style)
    app.connect("html-collect-pages", forget_lost_words)
    app.connect("env-check-consistency", note_check)
    app.connect("build-finished", check_unread, priority=400)
