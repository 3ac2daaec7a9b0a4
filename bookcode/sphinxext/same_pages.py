"""Makes an incremental build as good as a clean one, and one place as good as another.

The same files, byte for byte, and the same problems, where Sphinx and myst-nb do not see to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from myst_nb.sphinx_ext import add_global_html_resources
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.util._serialise import stable_hash


def copy_notebook_style(app: Sphinx) -> None:
    """Have myst-nb's style sheet there before pages are written.

    It comes when the build ends, so that only a second build knows the checksum that links carry.
    """
    if app.builder.format == "html":
        (Path(app.outdir) / "_static").mkdir(parents=True, exist_ok=True)
        add_global_html_resources(app, None)


def placeless(value: Any, folders: Sequence[Path]) -> Any:
    """A setting without the places of its files: paths count from the innermost of ``folders``."""
    if isinstance(value, dict):
        return {key: placeless(item, folders) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [placeless(item, folders) for item in value]
    if isinstance(value, str | Path) and Path(value).is_absolute():
        parents = [folder for folder in folders if Path(value).is_relative_to(folder)]
        if parents:
            return Path(value).relative_to(max(parents, key=lambda f: len(f.parts))).as_posix()
    return value


def note_no_places(app: Sphinx) -> None:
    """Have the site's ``.buildinfo`` say which settings it was built with, and not where.

    Sphinx puts a hash of all settings there, to build anew when one of them changes.
    """
    if isinstance(app.builder, StandaloneHTMLBuilder):
        folders = [Path(app.confdir), *(Path(entry) for entry in sys.path if entry)]
        settings = app.config.filter(frozenset({"html"}))
        values = {setting.name: placeless(setting.value, folders) for setting in settings}
        app.builder.build_info.config_hash = stable_hash(values)


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
    app.connect("builder-inited", note_no_places)
    app.connect("html-collect-pages", forget_lost_words)
    app.connect("env-check-consistency", note_check)
    app.connect("build-finished", check_unread, priority=400)
