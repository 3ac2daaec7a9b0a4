"""Evidence of the measured rows in Chinese."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bookcode.reality.record import RECORD, read
from bookcode.sphinxext.reality_evidence import evidence_text

ROOT = Path(__file__).parents[2]
TEXTS = sorted({entry["evidence"] for entry in read(ROOT / RECORD).table("beaten")})
NAMES = {
    *("MB", "TB", "µs", "rank", "fact", "NVIDIA", "NVL", "L2", "fp8", "sm_90a"),
    *("lightning", "fabric", "throughput", "py", "chipsandcheese", "com"),
}
QUOTED = re.compile(
    r"\S+/\S+|KVCacheManager\S*?\)|CacheType\S*|[a-z0-9]+\.l2\.capacity|\b[0-9a-f]{12}\b"
)


@pytest.mark.parametrize("text", TEXTS)
def test_no_english_is_left_but_names(text: str) -> None:
    chinese = evidence_text(text, "zh_CN")
    words = re.findall(r"[A-Za-zµ_][A-Za-z0-9_]+", QUOTED.sub(" ", chinese))
    left = {w for w in words if w not in NAMES and not re.fullmatch(r"[A-Z]\d+|e", w)}
    assert left - {"collector", "trtllm", "collect_attn"} == set()
    assert re.search("[\u4e00-\u9fff]", chinese)


@pytest.mark.parametrize("text", TEXTS)
def test_every_figure_is_kept(text: str) -> None:
    def figures(said: str) -> list[str]:
        return sorted(re.findall(r"\d[\d.e+-]*", said))

    assert figures(evidence_text(text, "zh_CN")) == figures(text.replace("-bit", " "))


def test_english_stays() -> None:
    assert evidence_text(TEXTS[0], "en") == TEXTS[0]
