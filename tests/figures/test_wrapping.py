"""Wrapping: lines fit, nothing is lost, and what must not be torn apart is not."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bookcode.figures.wrapping import width_of, wrapped

SIZE = 8.5
TEXTS = st.lists(
    st.text(st.sampled_from("aiWm,-é"), min_size=1, max_size=8), min_size=1, max_size=12
).map(" ".join)


@given(TEXTS, st.floats(20, 200))
def test_lines_fit_and_nothing_is_lost(text: str, room: float) -> None:
    lines = wrapped(text, room, SIZE)
    assert " ".join(lines) == text
    for line in lines:
        assert width_of(line, SIZE) <= room or " " not in line


@given(TEXTS, st.floats(20, 200))
def test_no_line_could_take_the_next_word(text: str, room: float) -> None:
    lines = wrapped(text, room, SIZE)
    for line, after in pairwise(lines):
        assert width_of(f"{line} {after.split(' ')[0]}", SIZE) > room


def test_a_no_break_space_holds() -> None:
    assert wrapped("reads 33.6\u202fMB", 45, SIZE) == ["reads", "33.6\u202fMB"]


def test_chinese_breaks_anywhere_but_before_a_full_stop() -> None:
    lines = wrapped("融合后只读写一次。再来", SIZE * 8, SIZE)
    assert lines == ["融合后只读写一次。", "再来"]
    assert wrapped("反向传播", SIZE * 2, SIZE) == ["反向", "传播"]


def test_chinese_and_names_mix() -> None:
    assert wrapped("由TorchInductor融合", 62, SIZE) == ["由", "TorchInductor", "融合"]


def test_bold_is_wider() -> None:
    assert width_of("kernel", SIZE, bold=True) > width_of("kernel", SIZE)


def test_width_grows_with_the_size() -> None:
    assert width_of("kernel", 20) > 1.9 * width_of("kernel", 10)
    assert width_of("图", 10) == 10


def test_an_empty_text_has_no_lines() -> None:
    assert wrapped("", 100, SIZE) == []
    assert wrapped("  ", 100, SIZE) == []
