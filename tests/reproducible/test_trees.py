"""Two folders are compared byte for byte, and a difference is shown where it begins."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.reproducible.trees import AROUND, compare, difference


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one", tmp_path / "other"
    for side in (one, other):
        (side / "en/_static").mkdir(parents=True)
        (side / "en/index.html").write_bytes(b"<p>\nText.\n</p>\n")
        (side / "en/_static/.hidden").write_bytes(b"\0\1")
    return one, other


def test_folders_that_are_alike_have_no_differences(sides: tuple[Path, Path]) -> None:
    assert compare(*sides) == (2, [])


def test_the_first_line_that_differs_is_shown_with_both_sides(sides: tuple[Path, Path]) -> None:
    (sides[1] / "en/index.html").write_bytes(b"<p>\nTest.\n</q>\n")
    count, [found] = compare(*sides)
    assert count == 2
    assert (found.name, found.line, found.sides) == ("en/index.html", 2, ("Text.", "Test."))
    assert str(found) == "en/index.html:2: differs\n  1: Text.\n  2: Test."


def test_a_file_on_one_side_only_is_a_difference(sides: tuple[Path, Path]) -> None:
    (sides[0] / "en/more.html").write_bytes(b"four")
    (sides[1] / ".buildinfo").write_bytes(b"")
    count, found = compare(*sides)
    assert count == 4
    assert [(d.name, d.line, d.sides) for d in found] == [
        (".buildinfo", 0, ("no such file", "0 bytes")),
        ("en/more.html", 0, ("4 bytes", "no such file")),
    ]


def test_binary_files_are_shown_by_their_bytes(sides: tuple[Path, Path]) -> None:
    (sides[1] / "en/_static/.hidden").write_bytes(b"\0\2x")
    _, [found] = compare(*sides)
    assert str(found) == "en/_static/.hidden: differs\n  1: byte 1: 01\n  2: byte 1: 02 78"


def test_a_link_is_what_it_points_to_and_not_what_stands_there(sides: tuple[Path, Path]) -> None:
    for side, target in zip(sides, ("index.html", "index.htm"), strict=True):
        (side / "en/link").symlink_to(target)
        (side / "en/folder").symlink_to("_static")
    _, [found] = compare(*sides)
    assert found.name == "en/link"
    assert found.sides == ("a link to index.html", "a link to index.htm")


def test_long_lines_are_cut_around_what_differs() -> None:
    one, other = ("x" * 500 + mark + "y" * 500 for mark in ("ä", "ö"))
    found = difference("searchindex.js", f"first\n{one}\n".encode(), f"first\n{other}\n".encode())
    assert found.line == 2
    for side, text in zip(found.sides, (one, other), strict=True):
        assert side.startswith("…x")
        assert side.endswith("y…")
        assert len(side) <= 2 * AROUND + 8
        assert text[500] in side or "\\x" in side


def test_a_side_that_ends_sooner_says_so() -> None:
    found = difference("a", b"one\ntwo\n", b"one\n")
    assert (found.line, found.sides) == (2, ("two", "the end of the file"))
    assert difference("a", b"one\r\n", b"one\n").line == 1


@given(st.binary(max_size=800), st.binary(max_size=800))
def test_the_line_is_that_of_the_first_byte_that_differs(one: bytes, other: bytes) -> None:
    if one == other:
        return
    found = difference("a", one, other)
    same = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    binary = b"\0" in one[: same + 1] or b"\0" in other[: same + 1]
    assert found.line == (0 if binary else one[:same].count(b"\n") + 1)
    assert found.sides[0] != found.sides[1]
