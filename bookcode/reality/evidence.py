"""What speaks for a class of measured rows: sentences with figures in them, in several languages.

A rule names the sentence and what fills it in, so that a record can be read in any of them.
Standard library only: the build reads records without the measured tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bookcode.reality.errors import RealityError, unknown
from bookcode.words import Words, in_language

SOURCE: Final = "source"
"""The part that quotes a source of ours. It is a text of data, and told in its own translation."""
SENTENCES: Final[Words] = {
    "band": {
        "en": "{inside} of {rows} rows take {first} to {last} µs (median {middle}) though their"
        " bounds span a factor of {spread}; the next time is {following} µs",
        "zh": "{rows} 行中有 {inside} 行用时 {first} 到 {last} µs（中位数 {middle}），而它们的下界"
        "相差 {spread} 倍；再往上的时间是 {following} µs",
    },
    "same times": {
        "en": "time over that of the row labelled {label} with the same shape: median {middle},"
        " {below} to {above} {low} to {high} ({pairs} pairs)",
        "zh": "与标为 {label} 的同形状行的时间之比：中位数 {middle}，{below} 到 {above} 为 {low} 到"
        " {high}（{pairs} 对）",
    },
    "out of reach": {
        "en": "{best} of the 16-bit peak is out of reach of 16-bit arithmetic; read as 8-bit"
        " integers on both sides",
        "zh": "16 位峰值的 {best}，16 位算术够不着；按两边都是 8 位整数来读",
    },
    "beaten too": {
        "en": "{count} beat that bound too",
        "zh": "有 {count} 行连这个下界也快过",
    },
    "device": {
        "en": "device column: {device}, {bandwidth} TB/s ({source})",
        "zh": "设备列：{device}，{bandwidth} TB/s（{source}）",
    },
    "collector": {
        "en": "{repository}, {file} at commit {commit} (recorded {date}): {quoted}",
        "zh": "{repository}，{file}，提交 {commit}（记录于 {date}）：{quoted}",
    },
    "counted once": {
        "en": "with the cache counted once the best row reaches {best}",
        "zh": "缓存只计一次时，最好的一行达到 {best}",
    },
    "ranks": {"en": "ranks {ranks} only", "zh": "只有 rank {ranks}"},
    "sent once": {
        "en": "sending each tensor once the best row reaches {best}",
        "zh": "每个张量只发送一次时，最好的一行达到 {best}",
    },
    "fits": {
        "en": "{low} to {high} MB moved, L2 {capacity} MB ({source})",
        "zh": "搬运 {low} 到 {high} MB，L2 {capacity} MB（{source}）",
    },
}
"""Sentences by key and language; names in braces are filled in."""
_JOINT: Final = {"en": "; ", "zh": "；"}


@dataclass(frozen=True)
class Statement:
    """One sentence: its key in :data:`SENTENCES`, and what fills it in."""

    says: str
    parts: Mapping[str, str] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"says": self.says, **self.parts}

    def text(self, language: str, translated: Callable[[str], str]) -> str:
        """The sentence in a language."""
        if self.says not in SENTENCES:
            raise RealityError(unknown("sentence", self.says, SENTENCES))
        parts = {
            name: translated(part) if name == SOURCE else part for name, part in self.parts.items()
        }
        return in_language(SENTENCES[self.says], language).format(**parts)


Evidence = tuple[Statement, ...]


def statement(says: str, /, **parts: object) -> Statement:
    """A statement; parts are written as they are."""
    return Statement(says, {name: str(part) for name, part in parts.items()})


def read_evidence(data: Iterable[Mapping[str, str]]) -> Evidence:
    """Evidence out of plain data."""
    return tuple(
        Statement(entry["says"], {n: part for n, part in entry.items() if n != "says"})
        for entry in data
    )


def evidence_text(
    evidence: Evidence, language: str = "en", translated: Callable[[str], str] = str
) -> str:
    """Evidence as one text; ``translated`` tells a quoted source in the language.

    Raises:
        RealityError: for a sentence that is not there, with the nearest.
    """
    return in_language(_JOINT, language).join(s.text(language, translated) for s in evidence)
