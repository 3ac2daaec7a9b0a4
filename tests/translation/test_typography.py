"""Chinese punctuation and spacing."""

from __future__ import annotations

import pytest

from bookcode.translation.typography import problems


@pytest.mark.parametrize(
    "text",
    [
        "一台机器的 fp16 峰值为 {num}`a:sig4`，带宽为 {num}`b`。",
        "调用 `f(x, y)` 之后，$x$ 等于 {key}；“张量核”（tensor core）见 [这里](a.md) 的说明。",
        "图中断（graph break）：两、三个；1.2 节",
        "model(x) 这一行",
        "linear 返回 (2*macs, macs)",
        "第一行\n第二行",
        "roofline",
        "English only, with commas; and (parentheses).",
        "{term}`分块 <tile>` 的大小",
        "比值 a:b，见 https://example.org/a?b",
        "——破折号……省略号",
        "",
    ],
)
def test_good_text_passes(text: str) -> None:
    assert list(problems(text)) == []


@pytest.mark.parametrize(
    ("text", "problem", "around"),
    [
        ("用GPU跑", "no space", "用GPU"),
        ("共3个", "no space", "共3个"),
        ("耗时{num}`a`。", "no space", "耗时▢"),
        ("`f`之后", "no space", "▢之后"),
        ("$x$的值", "no space", "▢的值"),
        ("算子  GPU", "more than one space", "算子  GPU"),
        ("内核,然后", "half-width", "内核,"),
        ("内核: 然后", "half-width", "内核: "),
        ("内核.", "half-width", "内核."),
        ("张量核(tensor)的", "half-width", "张量核(tensor"),
        ("{num}`a`; 然后", "half-width", "▢; 然后"),
        ("很快 ，因为", "a space beside", "很快 ，"),
        ("很快， 因为", "a space beside", "很快， "),
        ("fp16 （半精度）", "a space beside", "fp16 （"),
    ],
)
def test_each_rule_finds_its_fault(text: str, problem: str, around: str) -> None:
    found = [said for said, _ in problems(text) if said.startswith(problem)]
    assert len(found) == 1
    assert around.strip() in found[0]


def test_every_finding_says_what_to_do() -> None:
    assert all(advice for _, advice in problems("用GPU跑,然后 。"))
    assert len(list(problems("用GPU跑,然后 。"))) == 3
