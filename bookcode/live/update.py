"""Brings the site up to date with what changed: the page at hand first, then all that follows.

Which pages are read again follows from what each one looked at; which are written again, from what
pages show of each other (:mod:`bookcode.live.context`). Where order could matter everything is read
again, which costs little: the cells' results are remembered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from bookcode.execution.fingerprint import Fingerprint, fingerprint
from bookcode.execution.model import Dependencies
from bookcode.live.findings import Findings
from bookcode.live.freshness import Freshness
from bookcode.live.giving_way import give_way
from bookcode.live.kitchen import Interrupted
from bookcode.live.memo import CLOCK_SLACK, RunMemo
from bookcode.live.project import Project
from bookcode.live.protocol import Message
from bookcode.live.publish import Publisher
from bookcode.live.seam import WarmSphinx
from bookcode.live.sources import watched_files


class LiveBuild:
    """The site of one edition, kept up to date.

    Args:
        report: takes the messages of :mod:`bookcode.live.protocol`.
        urgent: whether something more urgent has come, so that a build should stop where it is;
            the next one goes on from there.
        at_hand: entered to read the page that is shown first, which may well be edited again.
    """

    def __init__(
        self,
        project: Project,
        warm: WarmSphinx,
        memo: RunMemo,
        *,
        report: Callable[[Message], None],
        urgent: Callable[[], bool],
        at_hand: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._project = project
        self._warm = warm
        self._memo = memo
        self._report = report
        self._urgent = urgent
        self._with_page_at_hand = at_hand
        self._publisher = Publisher(project.html, project.served)
        self._seen: dict[str, list[Fingerprint | None]] = {}
        self._to_read: set[str] = set()
        self._to_write: set[str] = set()
        self._context = ""
        self._afresh = True
        self._all_again = True
        self._in_order = True
        self._clash = False
        self._unsettled = True
        self._changed: set[Path] = set()
        self._opened: list[str] = []
        self._findings = Findings(project.root, warm.docname_of, warm.page_of)
        self._read = 0
        self._news: set[str] = set()
        self._began = time.monotonic()
        self._files = watched_files(project.root)

    def note(self, paths: Iterable[Path], opened: Sequence[str]) -> None:
        """Take in what changed, and what browsers show, the latest first."""
        paths = set(paths)
        self._changed |= paths
        self._opened = list(opened)
        names = {self._project.relative(path) for path in paths if path.is_file()}
        if not names <= self._files or not all(path.is_file() for path in paths):
            files = watched_files(self._project.root)
            # pages may say which files there are, of the code say
            self._afresh |= files != self._files
            self._files = files
        references = self._project.root / "references"
        if any(path.is_relative_to(references) for path in self._changed):
            self._warm.drop_caches(registry=True)
            self._all_again = True

    def run(self) -> bool:
        """Build; False when it stopped for something more urgent."""
        self._began = time.monotonic()
        try:
            finished = self._look() and self._read_all() and self._write_all()
        except Interrupted:
            finished = False
        if finished:
            self._finish()
        return finished

    # what to do -------------------------------------------------------------------------------
    def _look(self) -> bool:
        """Find out what must be read; show the page at hand at once."""
        catalogues = [path for path in self._changed if path.suffix == ".po"]
        translated = {name for path in catalogues for name in self._warm.translated_by(path)}
        for path in catalogues:
            path.with_suffix(".mo").unlink(missing_ok=True)  # its time may be later than the text's
        added, removed = self._warm.find()
        found = set(self._warm.env.found_docs)
        translated |= {name for path in catalogues for name in self._warm.translated_by(path)}
        for docname in translated:
            self._seen.pop(docname, None)
        for docname in removed:
            self._warm.forget(docname)
            self._forget(docname)
        self._all_again |= bool(added or removed)
        fresh = Freshness(self._project.root)
        first = next(self._at_hand(found, fresh), None)
        # in the middle of reading everything there is no telling how a page will look
        if first is not None and self._context and not self._in_order:
            self._show(first)
            if self._urgent():
                return False  # what changed is looked at again
        if self._all_again or self._clash:
            # as in a first build: of two pages that claim one name the same one wins
            for docname in found:
                self._warm.forget(docname)
            self._to_read = set(found)
            self._all_again, self._in_order = False, True
        else:
            self._to_read |= self._stale(found, fresh)
        self._to_read &= found
        self._to_write &= found
        self._changed.clear()
        return True

    def _at_hand(self, found: set[str], fresh: Freshness) -> Iterator[str]:
        """Pages to show before all others: those that were edited, then those that are open."""
        edited = {name for path in self._changed if (name := self._warm.docname_of(path))} & found
        opened = [name for name in map(self._docname, self._opened) if name in found]
        for docname in [*(n for n in opened if n in edited), *sorted(edited), *opened]:
            if (
                docname in self._to_read
                or docname in self._to_write
                or self._is_stale(docname, fresh)
            ):
                yield docname

    def _stale(self, found: set[str], fresh: Freshness) -> set[str]:
        return {docname for docname in found if self._is_stale(docname, fresh)}

    def _is_stale(self, docname: str, fresh: Freshness) -> bool:
        """Whether reading the page would give, or say, something else."""
        seen = self._seen.get(docname)
        if seen is None or self._findings.of_reading(docname):
            return True
        return not all(part is not None and fresh.holds(part) for part in seen)

    def _docname(self, page: str) -> str:
        return page.removesuffix(".html")

    # reading ----------------------------------------------------------------------------------
    def _read_all(self) -> bool:
        queue = self._ordered(self._to_read)
        for position, docname in enumerate(queue):
            if self._urgent():
                return False
            self._progress("reading", docname, position, len(queue))
            self._read_page(docname)
        in_order, self._in_order = self._in_order, False
        self._clash = self._has_clash() or (self._clash and not in_order)
        if self._clash and not in_order:
            return self._look() and self._read_all()
        self._unsettled |= bool(queue)
        if self._unsettled:
            self._settle()
        return True

    def _read_page(self, docname: str) -> None:
        began = time.time_ns() - CLOCK_SLACK
        self._to_read.add(docname)
        self._to_write.add(docname)
        self._seen.pop(docname, None)
        self._memo.take_seen()
        try:
            self._warm.read(docname)
        except Interrupted:
            self._warm.forget(docname)
            self._warm.take_warnings()
            raise
        self._take_problems(docname, "read")
        own = Dependencies(files=frozenset(self._warm.files_of(docname)))
        self._seen[docname] = [
            fingerprint(own, self._project.root, began),
            *self._memo.take_seen(),
        ]
        self._to_read.discard(docname)
        self._read += 1

    def _has_clash(self) -> bool:
        """Whether two pages claim one name, so that the order of reading decides."""
        return self._warm.has_clashing_files() or self._findings.name_a_clash()

    def _settle(self) -> None:
        try:
            give_way(self._warm.settle, self._urgent)
        except Interrupted:
            self._warm.take_warnings()  # they are said again, and are not the next page's
            raise
        self._take_problems("", "settle")
        self._unsettled = False

    def _forget(self, docname: str) -> None:
        self._seen.pop(docname, None)
        self._to_read.discard(docname)
        self._to_write.discard(docname)
        self._findings.forget(docname)

    # writing ----------------------------------------------------------------------------------
    def _show(self, docname: str) -> None:
        """Show one page before anything else; it is read and written in earnest afterwards."""
        self._to_read.add(docname)
        self._to_write.add(docname)
        self._seen.pop(docname, None)
        try:
            with self._with_page_at_hand():
                self._warm.sketch(docname)
        except Interrupted:
            self._warm.forget(docname)
            self._warm.take_warnings()
            raise
        self._findings.reopen(docname)
        self._take_problems(docname, "read")
        self._clash |= self._has_clash()  # the page would not say so a second time
        page = self._warm.page_of(docname)
        shown = False
        if page not in self._held() and not self._warm.is_wrong(docname):
            for name in self._warm.copy_figures():
                self._publisher.publish(name)
            shown = self._publisher.publish(page)
        if shown:
            self._news.add(page)
        self._report({"kind": "page", "page": page, "shown": shown, **self._state()})

    def _write_all(self) -> bool:
        context = self._warm.context()
        if context != self._context:
            self._context = context
            self._afresh = True
        if self._afresh:
            self._to_write = set(self._warm.env.found_docs)
        queue = self._ordered(self._to_write)
        self._warm.begin_writing(queue, afresh=self._afresh)
        for position, docname in enumerate(queue):
            if self._urgent():
                return False
            self._progress("writing", docname, position, len(queue))
            self._write_page(docname)
        return True

    def _write_page(self, docname: str) -> None:
        self._to_write.add(docname)
        self._warm.write(docname)
        self._take_problems(docname, "write")
        self._to_write.discard(docname)

    def _finish(self) -> None:
        self._warm.finish()
        self._afresh = False
        self._take_problems("", "finish")
        state = self._state()
        self._news |= set(self._publisher.publish_all(self._held()))
        counts = {"read": self._read, "runs": self._memo.runs}
        self._report({"kind": "built", "changed": sorted(self._news), **counts, **state})
        self._news.clear()
        self._read = 0

    # messages ---------------------------------------------------------------------------------
    def _state(self) -> Message:
        """What a message says of the state of the book."""
        return {
            "problems": self._findings.told(),
            "held": sorted(self._held()),
            "seconds": time.monotonic() - self._began,
        }

    def _held(self) -> set[str]:
        """Pages that have become worse than the ones that are served."""
        spoilt = self._findings.spoilt() & self._warm.env.found_docs
        return {page for page in map(self._warm.page_of, spoilt) if self._publisher.has(page)}

    def _take_problems(self, docname: str, step: str) -> None:
        self._findings.take(docname, step, self._warm.take_warnings())

    def _ordered(self, docnames: Iterable[str]) -> list[str]:
        """As Sphinx would go, but open pages first where order cannot matter."""
        names = sorted(docnames)
        if self._in_order:
            return names
        opened = {self._docname(page): rank for rank, page in enumerate(self._opened)}
        return sorted(names, key=lambda name: opened.get(name, len(opened)))

    def _progress(self, what: str, docname: str, done: int, total: int) -> None:
        message: dict[str, Any] = {"kind": "progress", "what": what, "page": docname}
        self._report({**message, "done": done, "total": total})
