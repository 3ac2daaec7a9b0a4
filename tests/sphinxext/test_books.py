"""Every tiny book gives what its file expects: status, problems, and what pages show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

BOOKS = Path(__file__).parents[1] / "fixtures" / "books"


@pytest.mark.parametrize("book", sorted(path.stem for path in BOOKS.glob("*.txt")), indirect=True)
def test_a_book_builds_as_expected(book: Any) -> None:
    built = book.build()
    wanted = [line.split(" ", 1) for line in book.expected]
    reported = list(map(str, built.problems))
    for kind, rest in wanted:
        if kind == "error":
            match = next((r for r in reported if rest in r), None)
            assert match, f"not reported: {rest}\n" + "\n".join(map(str, built.problems))
            reported.remove(match)
        elif kind in ("shows", "lacks"):
            page, words = rest.split(": ", 1)
            assert (words in built.text(page)) == (kind == "shows"), built.text(page)
        elif kind == "html":
            page, fragment = rest.split(": ", 1)
            assert fragment in built.raw(page), f"{page} has not: {fragment}"
        else:
            assert kind == "status", f"no expectation is called {kind!r}"
    assert not reported, "reported too: " + "\n".join(reported)
    status = next((int(rest) for kind, rest in wanted if kind == "status"), 0)
    assert built.status == status
