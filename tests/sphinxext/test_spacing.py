"""Spaces between Chinese words and what roles show."""

from __future__ import annotations

import pytest
from docutils import nodes

from bookcode.sphinxext.spacing import tighten


def paragraph(*parts: str | nodes.Element) -> nodes.paragraph:
    made = nodes.paragraph()
    made += [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return made


@pytest.mark.parametrize(
    ("before", "shown", "after", "expected"),
    [
        ("算术 ", "比搬权重更费时间", "。", "算术比搬权重更费时间。"),
        ("它叫 ", "算术强度", " 的量", "它叫算术强度的量"),
        ("需要 ", "4.2 µs", " 才够", "需要 4.2 µs 才够"),
        ("因此是 ", "memory-bound", " 的", "因此是 memory-bound 的"),
        ("（见", "来源", "）", "（见来源）"),
        ("A ", "算术强度", " B", "A 算术强度 B"),
    ],
)
def test_only_a_space_between_chinese_and_chinese_goes(
    before: str, shown: str, after: str, expected: str
) -> None:
    block = paragraph(before, nodes.inline("", shown), after)
    tighten(block)
    assert block.astext() == expected


def test_code_and_nested_text_are_kept_apart() -> None:
    inner = nodes.strong("", "", nodes.Text("很 "), nodes.inline("", "长"))
    block = paragraph("它 ", inner, " 的 ", nodes.literal("", "字 "), " 尾")
    tighten(block)
    assert block.astext() == "它很长的字  尾"


def test_what_is_tight_already_stays() -> None:
    block = paragraph("下界", nodes.inline("", "翻倍"), "。")
    tighten(block)
    assert block.astext() == "下界翻倍。"
