"""Reads the translations of a page with one Markdown parser, not with a new one for each message.

Sphinx hands every translated message to MyST as a document of its own, and MyST makes a parser and
the default settings of docutils for each: a tenth of the time of a translated book.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

from myst_parser.mdit_to_docutils import base
from myst_parser.parsers import sphinx_
from sphinx.transforms.i18n import Locale

Make = Callable[..., Any]
_apply: Final = Locale.apply


def install_quick_messages() -> None:
    """From now on, Sphinx's transform that translates pages reads messages quickly."""
    Locale.apply = _apply_quickly  # type: ignore[method-assign]


def _apply_quickly(self: Locale, **kwargs: Any) -> None:
    # a parser is at work on one message at a time: none holds another
    with (
        _made_once(sphinx_, "create_md_parser"),
        _made_once(base, "get_default_settings", deepcopy),
    ):
        _apply(self, **kwargs)


@contextlib.contextmanager
def _made_once(module: Any, name: str, hand_out: Make = lambda made: made) -> Iterator[None]:
    """Until the end of the block, a function of a module makes one thing of the same arguments.

    Args:
        hand_out: gives what a caller gets of it.
    """
    make: Make = getattr(module, name)
    made: list[tuple[tuple[Any, ...], Any]] = []

    def once(*given: Any) -> Any:
        for known, thing in made:
            if len(known) == len(given) and all(map(operator.is_, known, given)):
                return hand_out(thing)
        made.append((given, make(*given)))
        return hand_out(made[-1][1])

    setattr(module, name, once)
    try:
        yield
    finally:
        setattr(module, name, make)
