"""A page with an error in its text has failed: the build too, and the page is read again next time.

docutils only logs such an error (an unknown role, a directive that refuses its content), and an
incremental build would not see it again.
"""

from __future__ import annotations

import logging
from typing import Final

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from bookcode.sphinxext.state import page, pages

_DOCUTILS: Final = logging.getLogger("sphinx.sphinx.util.docutils")


class _Noting(logging.Handler):
    """Notes the page that was read when an error was logged.

    It hangs on the logger of docutils' own reports: readers in parallel take the handlers of
    Sphinx's logger away while they read.
    """

    def __init__(self, env: BuildEnvironment) -> None:
        super().__init__(logging.ERROR)
        self._env = env

    def emit(self, record: logging.LogRecord) -> None:
        docname = self._env.current_document.docname
        if docname:
            page(self._env, docname).failed = True


def note_errors(app: Sphinx) -> None:
    """Begin to note errors, for this build and no earlier one."""
    for handler in list(_DOCUTILS.handlers):
        if isinstance(handler, _Noting):
            _DOCUTILS.removeHandler(handler)
    _DOCUTILS.addHandler(_Noting(app.env))


def fail(app: Sphinx, exception: Exception | None) -> None:
    """A build with a failed page does not succeed."""
    if exception is None and any(entry.failed for entry in pages(app.env).values()):
        app.statuscode = 1


def add_read_errors(app: Sphinx) -> None:
    """Connect both."""
    app.connect("builder-inited", note_errors)
    app.connect("build-finished", fail)
