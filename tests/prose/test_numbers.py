"""The number lint on plain text: the parts that are no matter of a single case."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.prose import ContextError, LanguageError, Match, find_numbers
from bookcode.prose._text import MASK, masked, plain

CONTEXTS = ["paragraph", "math", "code-span", "output"]
LANGUAGES = ["en", "zh_CN"]

shown = st.one_of(
    st.builds(
        lambda n, decimals, unit: f"{n:,.{decimals}f} {unit}".strip(),
        st.floats(0.001, 1e7),
        st.integers(0, 4),
        st.sampled_from(
            ["µs", "ms", "s", "GB", "MB", "KiB", "%", "GB/s", "TFLOP/s", "FLOP/B", "×", "TFLOP", ""]
        ),
    ),
    st.builds(
        lambda n, power: f"{n} × 10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(d)] for d in str(power))}",
        st.decimals(1, 9, places=1),
        st.integers(1, 30),
    ),
)


# No deadline: the first call in a process compiles the tables.
@settings(deadline=None)
@given(value=shown, language=st.sampled_from(LANGUAGES))
def test_a_shown_number_in_a_sentence_is_found_as_a_whole(value: str, language: str) -> None:
    before, after = ("The kernel takes ", " on this machine.")
    found = find_numbers(before + value + after, language=language)
    assert [m.text for m in found] == [value]
    assert (found[0].start, found[0].end) == (len(before), len(before) + len(value))


@settings(deadline=None)
@given(
    text=st.text(
        alphabet=st.one_of(st.characters(), st.sampled_from("0123456789.,%×x^{}\\_`万倍 一"))
    ),
    context=st.sampled_from(CONTEXTS),
    language=st.sampled_from(LANGUAGES),
)
def test_any_text_is_read_and_positions_are_ordered(text: str, context: str, language: str) -> None:
    found = find_numbers(text, context=context, language=language)
    ends = 0
    for match in found:
        assert ends <= match.start < match.end <= len(text)
        assert match.text == text[match.start : match.end]
        ends = match.end


@given(st.text())
def test_plain_text_keeps_every_position(text: str) -> None:
    assert len(plain(text)) == len(text)


def test_digits_of_other_scripts_and_widths_are_digits() -> None:
    assert plain("３６．５％ ٤٢ १२") == "36.5% 42 12"
    assert [m.text for m in find_numbers("占３６．５％，共 ٤٢ 个", language="zh")] == [
        "３６．５％",
        "٤٢",
    ]


def test_every_digit_of_unicode_is_read() -> None:
    digits = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isdecimal()]
    assert all(plain(digit).isascii() for digit in digits)


def test_masking_keeps_length_and_the_rest() -> None:
    assert masked("abcdef", [(1, 3), (5, 6)]) == f"a{MASK}{MASK}de{MASK}"


def test_a_match_says_where_what_and_why() -> None:
    assert find_numbers("It takes 188.5 µs.") == [Match(9, 17, "188.5 µs", "a typed quantity")]


@pytest.mark.parametrize("name", ["caption", "alt", "title", "table-cell", "label", "svg-text"])
def test_running_text_has_many_names(name: str) -> None:
    assert [m.text for m in find_numbers("84 % of it", context=name)] == ["84 %"]


def test_an_unknown_context_is_refused_with_the_nearest() -> None:
    with pytest.raises(ContextError, match="did you mean paragraph"):
        find_numbers("1", context="pargraph")


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(LanguageError, match="'de'; there are: en, zh"):
        find_numbers("1", language="de")


@pytest.mark.parametrize("code", ["zh", "zh_CN", "zh-cn", "ZH-Hans"])
def test_language_codes_of_sphinx_and_of_the_web_are_known(code: str) -> None:
    assert [m.text for m in find_numbers("快三倍", language=code)] == ["三倍"]


def test_a_print_is_reported_as_such_and_words_in_outputs_are_not() -> None:
    [found] = find_numbers("twenty runs took 0.5 s", context="output")
    assert found.text == "0.5 s"
    assert "print" in found.reason
