"""Ids on a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any


def test_a_table_with_a_caption_has_its_id_once(make_book: Callable[[str], Any]) -> None:
    book = make_book("headings")
    table = ":::{list-table} Named\n:name: the-table\n\n* - a\n  - b\n:::\n\n"
    formula = "```{math}\n:label: the-formula\na = b\n```\n"
    text = f"# Ids\n\n{table}{formula}\nSee [the table](#the-table) and {{eq}}`the-formula`.\n"
    book.write("book/index.md", text)
    built = book.build()
    assert built.problems == []
    raw = built.raw("index")
    ids = Counter(re.findall(r'\bid="([^"]+)"', raw))
    assert ids["the-table"] == 1
    assert [name for name, count in ids.items() if count > 1] == []
