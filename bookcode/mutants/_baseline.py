"""The book as it is: built once, found in order, and kept to be mutated.

Mutants say something only about a book that is green. So this builds the book, compares it with the
lock, and refuses to go on if anything is wrong.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from docutils import nodes

from bookcode.mutants._model import MutantsError
from bookcode.numbers.lock import Lock
from bookcode.numbers.records import Record, from_json
from bookcode.sources.registry import Registry
from bookcode.sphinxext.library import Library
from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.translation.same import differences
from bookcode.verify.builds import Build, Layout, build_all
from bookcode.verify.locking import FOLDER, read_state

_MOST = 5
"""So many problems are shown of a book that is not green."""


@dataclass(frozen=True)
class CodeCell:
    """A cell of a page: its code and the line of the page it starts at."""

    line: int
    code: str


@dataclass(frozen=True)
class Baseline:
    """What the mutants are made from, and compared with.

    Attributes:
        root: the project.
        doctrees: the pages' trees as they were read, in files.
        exported: what the build left for verify.
        locked: the accepted locks by chapter; the build agrees with them.
        edition: which edition was built.
        others: the other editions, which the first one leads to.
    """

    root: Path
    doctrees: Path
    exported: Mapping[str, Any]
    locked: Mapping[str, Lock]
    edition: str = SOURCE
    others: tuple[Baseline, ...] = ()

    @classmethod
    def build(cls, root: Path, out: Path) -> Baseline:
        """Build the book below ``out`` and compare it with its locks.

        Raises:
            MutantsError: when anything is wrong with the book, with the first problems.
        """
        layout = Layout(root, out)
        builds = build_all(layout, list(LANGUAGES), clean=True, check_points=0)
        exports = [built.exported for built in builds]
        problems = [problem for built in builds for problem in built.problems]
        if not problems:
            state = read_state(root, exports)
            problems = [str(drift).splitlines()[0] for drift in state.drifts]
            problems += [p for other in exports[1:] for p in differences(exports[0], other)]
            if not state.locked:
                problems = [f"{FOLDER}: no lock; accept one with verify first"]
        if problems:
            shown = "\n".join(problems[:_MOST])
            raise MutantsError(
                f"the book is not green, so its mutants would say nothing; {len(problems)} "
                f"problems, such as:\n{shown}"
            )

        def one(built: Build, others: tuple[Baseline, ...] = ()) -> Baseline:
            trees = layout.doctrees(built.edition)
            return cls(root, trees, built.exported, state.locked, built.edition, others)

        return one(builds[0], tuple(map(one, builds[1:])))

    @property
    def language(self) -> str:
        """Sphinx's name of the edition's language."""
        return LANGUAGES[self.edition]

    @cached_property
    def registry(self) -> Registry:
        """The registry of sources and facts."""
        return Registry.load(self.root / "references")

    @cached_property
    def records(self) -> dict[str, list[Record]]:
        """The published records by page."""
        found = {}
        for docname, page in self.exported["pages"].items():
            plain = [{k: v for k, v in r.items() if k != "shown"} for r in page["records"]]
            found[docname] = [from_json(data) for data in plain]
        return found

    @cached_property
    def library(self) -> Library:
        """Everything published."""
        every = [record for records in self.records.values() for record in records]
        return Library.of(every, self.registry)

    def source(self, docname: str) -> str:
        """A page's path, relative to the root."""
        path: str = self.exported["pages"][docname]["source"]
        return path

    def tree(self, docname: str) -> nodes.document:
        """A page's document tree, with everything that the project's roles left in it."""
        path = self.doctrees / f"{docname}.doctree"
        document: nodes.document = pickle.loads(path.read_bytes())
        return document

    def cells(self, docname: str) -> list[CodeCell]:
        """A page's code cells."""
        found = []
        for node in self.tree(docname).findall(nodes.container):
            if node.get("nb_element") != "cell_code":
                continue
            for source in node.findall(nodes.literal_block):
                if source.parent.get("nb_element") == "cell_code_source":
                    found.append(CodeCell(node.line or 1, source.astext()))
        return found
