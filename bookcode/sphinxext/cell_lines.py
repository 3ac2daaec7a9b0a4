"""Right line numbers for the Markdown of notebooks, so that messages name the line of the source.

myst-nb adds one line too many, and forgets the blank lines that it strips from the head of a cell.
Other than that its own function does the work.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import myst_nb.sphinx_
from nbformat import NotebookNode

_tokens: Final[Callable[..., list[Any]]] = myst_nb.sphinx_.notebook_to_tokens


def install_lines() -> None:
    """Put the lines right in every notebook that is read from now on."""
    myst_nb.sphinx_.notebook_to_tokens = _notebook_to_tokens


def _notebook_to_tokens(
    notebook: NotebookNode, mdit_parser: Any, mdit_env: dict[str, Any], logger: Any
) -> list[Any]:
    starts = notebook.metadata.get("source_map")
    if starts is None:  # not written as text
        return _tokens(notebook, mdit_parser, mdit_env, logger)
    document = mdit_parser.options["document"]
    lines = Path(document["source"]).read_text("utf-8").splitlines()
    notebook.metadata["source_map"] = [_first_filled(lines, start) - 1 for start in starts]
    try:
        return _tokens(notebook, mdit_parser, mdit_env, logger)
    finally:
        notebook.metadata["source_map"] = starts


def _first_filled(lines: list[str], start: int) -> int:
    """The first line from ``start`` (counted from 0) that is not blank."""
    filled = (index for index in range(start, len(lines)) if lines[index].strip())
    return next(filled, start)
