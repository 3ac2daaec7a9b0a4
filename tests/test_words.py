"""Words in several languages."""

from __future__ import annotations

import pytest

from bookcode.words import in_language, short

SAID = {"en": "bytes", "zh": "字节"}


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "bytes"), ("zh_CN", "字节"), ("zh-Hans", "字节"), ("ZH", "字节"), ("de", "bytes")],
)
def test_a_name_stands_for_its_language_and_english_for_the_rest(
    language: str, expected: str
) -> None:
    assert in_language(SAID, language) == expected


def test_the_country_is_left_out() -> None:
    assert [short(name) for name in ("zh_CN", "zh-cn", "en")] == ["zh", "zh", "en"]
