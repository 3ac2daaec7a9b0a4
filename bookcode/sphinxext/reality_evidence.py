"""The evidence for a class of measured rows, in the edition's language.

It is written where the rows are looked at, in English and with their figures in it. Its sentences
are few, and known: here is how each is said in another language. Names, places in sources and
figures stay as they are.
"""

from __future__ import annotations

import re
from typing import Final

_CHINESE: Final = tuple(
    (re.compile(english), chinese)
    for english, chinese in (
        (r"(\S+) to (\S+) MB moved, L2 (\S+) MB \((.*)\)", r"搬运 \1 到 \2 MB，L2 \3 MB（\4）"),
        (
            r"(\d+) of (\d+) rows take (\S+) to (\S+) µs \(median (\S+)\) though their bounds span"
            r" a factor of (\S+); the next time is (\S+) µs",
            r"\2 行中有 \1 行用时 \3 到 \4 µs（中位数 \5），而它们的下界相差 \6 倍；"
            r"再往上的时间是 \7 µs",
        ),
        (
            r"time over that of the row labelled (\S+) with the same shape: median (\S+),"
            r" 10 % to 90 % (\S+) to (\S+) \((\d+) pairs\)",
            r"与标为 \1 的同形状行的时间之比：中位数 \2，10 % 到 90 % 为 \3 到 \4（\5 对）",
        ),
        (r"device column: (NVIDIA [^,]+), (\S+ TB/s) \((.*)\)", r"设备列：\1，\2（\3）"),
        (r"(\S+) of the (\S+) peak is out of reach of (\S+) arithmetic",
         r"\2 峰值的 \1，\3 算术够不着"),
        (r"read as 8-bit integers on both sides", "按两边都是 8 位整数来读"),
        (r"ranks (\[[^\]]*\]) only", r"只有 rank \1"),
        (r"(?:sending each tensor|with the cache counted) once the best row reaches (\S+)",
         r"只计一次时，最好的一行达到 \1"),
        (r"(\d+) beat that bound too", r"有 \1 行连这个下界也快过"),
        (r"(\S+) at commit (\w+) \(recorded (\S+)\): ", r"\1，提交 \2（记录于 \3）："),
        (r"bandwidth: third-party page on part (\S+), recorded (\S+)",
         r"带宽：第三方关于部件 \1 的页面，记录于 \2"),
        (r"peaks: half of what (.+?),? states for the pair", r"峰值：\1 给一对板卡所列数值的一半"),
        (r"(\S+ MB), (\S+) on the (\w+) and others, recorded (\S+)",
         r"\1，\2 关于 \3 等的页面，记录于 \4"),
        (r"the pinned table copies the (\w+)'s figure", r"锁定的表照抄了 \1 的数值"),
        (r"fact (\S+?): the same generation, ", r"事实 \1：同一代，"),
        (r"\bfact (\S+)", r"事实 \1"),
        (r"\bnot causal\b", "非因果"),
        (r"\bcausal\b", "因果"),
        (r"\bscales by square blocks\b", "按方块缩放"),
        (r"; ", "；"),
        (r"(?<=[\u4e00-\u9fff）]), ", "，"),
        (r"(16|8)-bit (?=[\u4e00-\u9fff])", r"\1 位"),
    )
)  # fmt: skip


def evidence_text(text: str, language: str) -> str:
    """A text of evidence as a page in ``language`` shows it."""
    if not language.startswith("zh"):
        return text
    for pattern, chinese in _CHINESE:
        text = pattern.sub(chinese, text)
    return text
