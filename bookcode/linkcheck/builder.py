"""Sphinx's link builder with manners: pauses between requests to a host, and bounded waiting.

Sphinx waits for as long as a host asks, and as often; one host could hold up the check for hours.
The seams follow the pinned version of Sphinx.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag, urlsplit

from sphinx.application import Sphinx
from sphinx.builders.linkcheck import (
    CheckExternalLinksBuilder,
    CheckResult,
    Hyperlink,
    HyperlinkAvailabilityChecker,
    HyperlinkAvailabilityCheckWorker,
)

from .pace import Pace
from .rules import RULES, Rules

MAX_WAITS: Final = 3
"""How often a page is asked for again when its host says that requests are too many."""


class Worker(HyperlinkAvailabilityCheckWorker):
    """A worker that keeps the pace and gives up waiting."""

    def __init__(self, checker: Checker, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._checker = checker

    def _check_uri(self, uri: str, hyperlink: Hyperlink) -> Any:
        self._checker.pace.wait(uri)
        if self._checker.rules.names_lines(uri):
            uri, _ = urldefrag(uri)  # a page that shows a file makes such anchors by script
        return super()._check_uri(uri, hyperlink)

    def limit_rate(self, response_url: str, retry_after: str | None) -> float | None:
        """When to ask again; None when that is too late or was too often."""
        waits = self._checker.waits
        waits[response_url] = waits.get(response_url, 0) + 1
        host = urlsplit(response_url).netloc
        before = self.rate_limits.get(host)
        after = super().limit_rate(response_url, retry_after)
        in_time = after is not None and after - time.time() <= self._checker.longest
        if in_time and waits[response_url] <= MAX_WAITS:
            return after
        if before is None:
            self.rate_limits.pop(host, None)  # other pages of the host need not wait for this one
        else:
            self.rate_limits[host] = before
        return None


class Checker(HyperlinkAvailabilityChecker):
    """Starts our workers."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.rules = Rules.load(Path(config.bookcode_link_rules))
        self.pace = Pace(self.rules)
        self.longest: float = config.bookcode_link_longest_wait
        self.waits: dict[str, int] = {}

    def invoke_threads(self) -> None:
        for _ in range(self.num_workers):
            worker = Worker(self, self.config, self.rqueue, self.wqueue, self.rate_limits)
            worker.start()
            self.workers.append(worker)


class LinkBuilder(CheckExternalLinksBuilder):
    """Sphinx's builder with our checker; what becomes of a link is judged afterwards."""

    def finish(self) -> None:
        checker = Checker(self.config)
        with (Path(self.outdir) / "output.json").open("w", encoding="utf-8") as report:
            self.json_outfile = report
            for result in checker.check(self.hyperlinks):
                self.process_result(result)

    def process_result(self, result: CheckResult) -> None:
        self.write_linkstat(
            {
                "filename": str(self.env.doc2path(result.docname, False)),
                "lineno": result.lineno,
                "status": result.status,
                "code": result.code,
                "uri": result.uri,
                "info": result.message,
            }
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Put the builder in the place of Sphinx's own; options: ``bookcode_link_rules`` (a file) and
    ``bookcode_link_longest_wait`` (s)."""
    app.add_config_value("bookcode_link_rules", str(RULES), "", str)
    app.add_config_value("bookcode_link_longest_wait", 60.0, "", (float, int))
    app.add_builder(LinkBuilder, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
