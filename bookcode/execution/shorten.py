"""Takes this machine's folders out of texts, so that pages are the same on every machine."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterable


def folder_remover(roots: Iterable[str]) -> Callable[[str], str]:
    """A function that makes paths relative: to the roots, the import path or the library.

    :param roots: folders besides those that Python imports from now.
    """
    library = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
    home = os.path.expanduser("~")  # noqa: PTH111 - strings
    prefixes: set[str] = set()
    for folder in map(os.path.abspath, [*roots, *filter(None, sys.path), *library]):
        prefixes.add(folder + os.sep)
        if folder.startswith(home + os.sep):  # IPython writes such paths short
            prefixes.add("~" + folder[len(home) :] + os.sep)
    ordered = sorted(prefixes, key=lambda prefix: (-len(prefix), prefix))

    def remove(text: str) -> str:
        for prefix in ordered:
            text = text.replace(prefix, "")
        return text

    return remove
