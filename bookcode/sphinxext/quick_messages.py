"""Reads the translations of a page with one Markdown parser, not with a new one for each message.

Sphinx hands every translated message to MyST as a document of its own, and MyST makes a parser and
the settings of all of docutils for each: a sixth of the time of a translated book.
"""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Iterator
from typing import Any, Final

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from myst_parser.mdit_to_docutils import base
from myst_parser.parsers import sphinx_
from sphinx.transforms.i18n import Locale

_apply: Final = Locale.apply
_create: Final[Callable[..., Any]] = sphinx_.create_md_parser  # type: ignore[attr-defined]


def install_quick_messages() -> None:
    """From now on, Sphinx's transform that translates pages reads messages quickly."""
    Locale.apply = _apply_quickly  # type: ignore[method-assign]


def _apply_quickly(self: Locale, **kwargs: Any) -> None:
    with _one_parser():
        _apply(self, **kwargs)


@contextlib.contextmanager
def _one_parser() -> Iterator[None]:
    """Until the end of the block, the parser of a configuration is made once.

    A parser is at work on one message at a time: none holds another.
    """
    made: list[tuple[Any, Any, Any]] = []

    def create(config: Any, renderer: Any) -> Any:
        for known_config, known_renderer, parser in made:
            if known_config is config and known_renderer is renderer:
                return parser
        made.append((config, renderer, _create(config, renderer)))
        return made[-1][2]

    document = base.make_document
    sphinx_.create_md_parser = create  # type: ignore[attr-defined]
    base.make_document = _make_document
    try:
        yield
    finally:
        sphinx_.create_md_parser = _create  # type: ignore[attr-defined]
        base.make_document = document


def _make_document(source_path: str = "notset", parser_cls: Any = Parser) -> nodes.document:
    """An empty document, as MyST makes them."""
    return new_document(source_path, settings=copy.deepcopy(_settings(parser_cls)))


@functools.cache
def _settings(parser_cls: Any) -> Any:
    return get_default_settings(parser_cls)
