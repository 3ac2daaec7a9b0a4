"""The search index of a site that is written again and again.

Sphinx reads the last index from its file, where order, empty words and removed pages tell that it
was not made in one go. Here it stays in memory and comes out as if it were.
"""

from __future__ import annotations

from collections.abc import Collection

from sphinx.search import IndexBuilder

from bookcode.live.sphinx_facts import PARTS_OF_INDEX


class KeptIndex:
    """Carries what is indexed from one index builder to the next."""

    def __init__(self) -> None:
        self._last: IndexBuilder | None = None

    def go_on(self, index: IndexBuilder, keep: Collection[str]) -> None:
        """Fill a new builder with what the last one knew of the pages to keep."""
        last = self._last
        if last is not None:
            for name in PARTS_OF_INDEX:
                setattr(index, name, getattr(last, name))
            entries = last._index_entries
            index._index_entries = {doc: entries[doc] for doc in entries if doc in keep}
        index.prune(keep)
        self._last = index

    def tidy(self, index: IndexBuilder) -> None:
        """Before it is written: as when all pages were indexed in order."""
        entries = index._index_entries
        index._index_entries = {doc: entries[doc] for doc in sorted(entries)}
        for words in (index._mapping, index._title_mapping):
            for word in [word for word, docnames in words.items() if not docnames]:
                del words[word]
        index._objtypes, index._objnames = {}, {}
