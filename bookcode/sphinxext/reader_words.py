"""The words of the reader's page that the build puts there, in the languages of the book."""

from __future__ import annotations

import functools
from typing import Final

from bookcode.sphinxext.wording import said
from bookcode.words import Words

WORDS: Final[Words] = {
    # hints
    "exact": {"en": "value", "zh": "数值"},
    "unit": {"en": "unit", "zh": "单位"},
    "no-unit": {"en": "none, a pure number", "zh": "无量纲"},
    "formula": {"en": "formula", "zh": "公式"},
    "where": {"en": "where ({meaning})", "zh": "其中（{meaning}）"},
    "with-values": {"en": "with the book's values", "zh": "代入书中的值"},
    "parameter": {"en": "{title}, the book's value", "zh": "{title}（书中的值）"},
    "made": {"en": "computed by", "zh": "计算方式"},
    "composed": {"en": "arithmetic on published numbers", "zh": "由已发布的数组合"},
    "ledger-line": {"en": "ledger line", "zh": "账本位置"},
    "judged": {"en": "holds because", "zh": "成立的依据"},
    # tables
    "rows": {"en": "case", "zh": "情形"},
    # chapter head
    "minutes": {"en": "about {minutes} min to read", "zh": "阅读约 {minutes} 分钟"},
    "chapter-minutes": {
        "en": "about {minutes} min to read the chapter",
        "zh": "阅读全章约 {minutes} 分钟",
    },
    "progress": {"en": "your progress", "zh": "你的进度"},
    "objectives": {"en": "What you will be able to do", "zh": "读完你将能够"},
    # foot of a page
    "edition": {"en": "Edition {edition}", "zh": "版本 {edition}"},
    "built": {"en": "built on {date}", "zh": "构建于 {date}"},
    "colophon": {"en": "{edition}, {built}", "zh": "{edition}，{built}"},
    "undated": {"en": "undated build", "zh": "未注明日期的构建"},
    "cite": {"en": "Cite this page", "zh": "引用本页"},
    "report": {"en": "Report an error on this page", "zh": "报告本页的错误"},
    # cells
    "show-cell": {"en": "Show the cell and what it publishes", "zh": "显示单元及其发布的内容"},
    "hide-cell": {"en": "Hide the cell", "zh": "收起单元"},
    "toggle-cell": {"en": "Toggle hidden content", "zh": "显示或隐藏单元"},
    # change log of numbers
    "change": {"en": "{date}: {why}", "zh": "{date}：{why}"},
    "changed": {"en": "{key}: {change}", "zh": "{key}：{change}"},
    "new": {"en": "{count} new", "zh": "新增 {count} 个"},
    "gone": {"en": "no longer shown: {keys}", "zh": "不再显示：{keys}"},
    "no-changes": {"en": "No number has changed yet.", "zh": "尚无数字变更。"},
}
"""Words by key and language; names in braces are filled in."""

tell = functools.partial(said, WORDS)
