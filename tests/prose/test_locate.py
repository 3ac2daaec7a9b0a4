"""Line and column of a text whose block is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.prose._locate import Source

TEXT = """\
# Title

First it takes 5 ms, then **84** % of it,
and 6.58
GB; then 5 ms again.

| a | 18 GB |
| - | ----- |
| 8 GB | 8 GB |

The {num}`gemm.4096.flops` of a 4096 GEMM, `128 KiB`--`1`.

> quoted 7 GB and seven
> hundred
"""
BLOCKS = [1, 3, 7, 11, 13]


@pytest.mark.parametrize(
    ("text", "line", "before", "after", "place"),
    [
        ("5 ms", 3, "First it takes ", ", then 84 % of it,\nand", (3, 16)),
        ("5 ms", 3, "84 % of it,\nand 6.58 GB; then ", " again.", (5, 10)),
        ("84 %", 3, "First it takes 5 ms, then ", " of it", (3, 29)),
        ("6.58 GB", 3, "of it,\nand ", "; then 5 ms", (4, 5)),
        ("8 GB", 7, "", "", (9, 3)),
        ("4096", 11, "The \ue000\ue000\ue000 of a ", " GEMM, 128", (11, 33)),
        ("128 KiB", 11, "of a 4096 GEMM, ", "–1.", (11, 45)),
        ("–", 11, "128 KiB", "1.", (11, 53)),
        ("seven hundred", 13, "quoted 7 GB and ", "", (13, 19)),
        ("generated", 11, "", "", (11, 1)),
        ("12", 99, "", "", (99, 1)),
        ("Title", 0, "", "", (1, 3)),
    ],
)
def test_a_text_is_found_in_its_block(
    text: str, line: int, before: str, after: str, place: tuple[int, int]
) -> None:
    assert Source(TEXT, BLOCKS).locate(text, line, before, after) == place


def test_equal_texts_get_places_of_their_own() -> None:
    source = Source(TEXT, BLOCKS)
    assert [source.locate("8 GB", 7, "", "") for _ in range(2)] == [(9, 3), (9, 10)]


def test_a_block_whose_line_is_a_little_off_is_still_found() -> None:
    assert Source(TEXT, BLOCKS).locate("5 ms", 4, "First it takes ", ", then 84") == (3, 16)


def test_a_far_place_needs_the_same_neighbours() -> None:
    far = "one\n" * 9 + "here stand 7 GB of text\n"
    source = Source(far, [1, 2])
    assert source.locate("7 GB", 1, "here stand ", " of text") == (10, 12)
    assert source.locate("7 GB", 1, "", "") == (1, 1)


@given(st.text(), st.text(min_size=1), st.integers(-3, 50), st.text(), st.text())
def test_any_text_gets_a_position(
    source: str, text: str, line: int, before: str, after: str
) -> None:
    found, column = Source(source, [1, 5]).locate(text, line, before, after)
    assert found >= 1
    assert column >= 1


@given(st.lists(st.text("ab ", min_size=1), min_size=1), st.data())
def test_a_word_that_stands_once_is_found_exactly(lines: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.integers(0, len(lines[index])))
    lines[index] = f"{lines[index][:column]} 6.58 GB {lines[index][column:]}"
    place = Source("\n".join(lines), [1]).locate("6.58 GB", 1, "", "")
    assert place == (index + 1, column + 2)
