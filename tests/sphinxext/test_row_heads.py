"""Heads of rows that say something."""

from __future__ import annotations

import pytest
from docutils import nodes

from bookcode.sphinxext.cells import cell, row
from bookcode.sphinxext.row_heads import speechless


def table(*heads: nodes.entry) -> nodes.table:
    body = nodes.tbody("", *(row(head, "what it is") for head in heads))
    return nodes.table("", nodes.tgroup("", nodes.colspec(stub=True), nodes.colspec(), body))


def math(text: str) -> nodes.math:
    return nodes.math(text, text)


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([cell("edge")], False),
        ([cell([math("M"), nodes.Text(" rows")])], False),
        ([cell(math("M"))], True),
        ([cell("edge"), cell(math(r"\beta"))], True),
        ([cell("")], False),
    ],
)
def test_mathematics_alone_is_no_head(heads: list[nodes.entry], expected: bool) -> None:
    assert speechless(table(*heads)) is expected
