"""Tells the process that started this build how far it is: a line of JSON for every page."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

DESCRIPTOR: Final = "BOOKCODE_PROGRESS"
"""The environment variable with the number of an open descriptor to write to."""


class Teller:
    """Writes to a descriptor; readers in parallel inherit it and tell for themselves."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._totals = {"reading": 0, "writing": 0}

    def count_reading(self, app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
        """So many pages will be read."""
        self._totals["reading"] = len(docnames)

    def count_writing(self, app: Sphinx, builder: object) -> None:
        """In a clean build all pages will be written."""
        self._totals["writing"] = len(app.env.found_docs)

    def read(self, app: Sphinx, docname: str, source: list[str]) -> None:
        """A page is being read."""
        self._tell("reading", docname)

    def written(self, app: Sphinx, docname: str, *_: Any) -> None:
        """A page is being written."""
        if docname in app.env.found_docs:
            self._tell("writing", docname)

    def _tell(self, what: str, docname: str) -> None:
        line = json.dumps({"what": what, "page": docname, "total": self._totals[what]})
        with contextlib.suppress(OSError):  # nobody listens any more; the build goes on
            os.write(self._descriptor, f"{line}\n".encode())


def add_progress(app: Sphinx) -> None:
    """Tell, if somebody wants to know."""
    number = os.environ.get(DESCRIPTOR, "")
    if not number.isdigit():
        return
    teller = Teller(int(number))
    app.connect("env-before-read-docs", teller.count_reading)
    app.connect("source-read", teller.read)
    app.connect("write-started", teller.count_writing)
    app.connect("html-page-context", teller.written)
