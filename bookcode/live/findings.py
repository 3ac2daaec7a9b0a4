"""What is wrong with the book now, and which pages it spoils."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bookcode.live.problems import Problem, parse


class Findings:
    """The problems of each step of building, each kept until that step is taken again.

    Args:
        root: the project, to which paths are relative.
        docname_of: the page of a source file, None for other files.
        page_of: the path of a page in the site.
    """

    def __init__(
        self,
        root: Path,
        docname_of: Callable[[Path], str | None],
        page_of: Callable[[str], str],
    ) -> None:
        self._root = root
        self._docname_of = docname_of
        self._page_of = page_of
        self._found: dict[tuple[str, str], list[Problem]] = {}

    def take(self, docname: str, step: str, said: str) -> None:
        """Keep what Sphinx said in a step, of one page or (with an empty name) of all."""
        self._found[docname, step] = parse(said, self._root)

    def forget(self, docname: str) -> None:
        """Forget a page that is gone."""
        for key in [key for key in self._found if key[0] == docname]:
            del self._found[key]

    def reopen(self, docname: str) -> None:
        """Forget what was said of a page when all were looked at: it is another page now."""
        for key, problems in self._found.items():
            if key[0] == "":
                self._found[key] = [p for p in problems if self._place(key[0], p) != docname]

    def of_reading(self, docname: str) -> list[Problem]:
        """What was wrong when a page was read."""
        return self._found.get((docname, "read"), [])

    def name_a_clash(self) -> bool:
        """Whether two pages claim one name, so that the order of reading decides."""
        said = (p.text for (_, step), found in self._found.items() if step == "read" for p in found)
        return any("uplicate" in text for text in said)

    def spoilt(self) -> set[str]:
        """The docnames of pages that have become worse than good ones."""
        return {
            place
            for (docname, _), problems in self._found.items()
            for problem in problems
            if problem.spoils and (place := self._place(docname, problem))
        }

    def told(self) -> list[dict[str, Any]]:
        """All that is wrong, each once and with the page it is on."""
        return [
            {**problem.to_json(), "page": self._page(problem)}
            for problem in dict.fromkeys(self._all())
        ]

    def _all(self) -> Iterator[Problem]:
        for key in sorted(self._found):
            yield from self._found[key]

    def _place(self, docname: str, problem: Problem) -> str | None:
        return docname or self._docname_of(self._root / problem.path)

    def _page(self, problem: Problem) -> str:
        docname = self._docname_of(self._root / problem.path)
        return self._page_of(docname) if docname else ""
