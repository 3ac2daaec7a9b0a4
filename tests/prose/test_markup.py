"""What is visible of HTML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.prose._markup import read_html


@pytest.mark.parametrize(
    ("markup", "text", "told", "drawings"),
    [
        ("plain", "plain", [], []),
        ("<b>5</b> ms", "5 ms", [], []),
        ("5&nbsp;ms &lt; 6", "5\xa0ms < 6", [], []),
        ("<td>1</td><td>2</td>", "1\n\n2", [], []),
        ("<!-- 5 --><script>6</script><style>7</style>8", "8", [], []),
        ("<script>6<b></script>7", "7", [], []),
        ('<p title="a" alt="b" aria-label="c" class="d">e</p>', "e", ["a", "b", "c"], []),
        ("<svg><text>x</text></svg><IMG src=y>", "x", [], ["svg", "img"]),
        ("<p title>x", "x", [], []),
    ],
)
def test_reading(markup: str, text: str, told: list[str], drawings: list[str]) -> None:
    assert read_html(markup) == (text, told, drawings)


@given(st.text())
def test_any_text_is_read(markup: str) -> None:
    text, _, _ = read_html(markup)
    assert text == text.strip()


@given(st.text(alphabet="abc 123."))
def test_text_without_markup_stays(text: str) -> None:
    assert read_html(text)[0] == text.strip()
