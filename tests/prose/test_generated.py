"""The generated corpus: whatever the book can show of a number is found where it is typed.

Every unit, every format and a spread of values, in both languages, in each context of a page. This
is what the mutants do with the book's own numbers, for numbers that the book does not have yet.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from bookcode.numbers.errors import NumbersError
from bookcode.numbers.format_table import TABLE
from bookcode.numbers.formats import format_value
from bookcode.prose import find_numbers

SPECS = ("sig2", "sig3", "sig4", "fix0", "fix1", "pct0", "pct1", "ratio1", "ratio3", "sci2", "bin3")
SPECS += ("int", "plain", "frac")
VALUES = tuple(
    Fraction(text)
    for text in ("0.00004", "0.00319", "1/6", "1/2", "0.737", "3", "12", "17.5", "162", "1365.3",
                 "4096", "68719476736", "989.5e12", "8030261248")
)  # fmt: skip
CONTEXTS = {
    "en": (
        "It takes {} in all.",
        "{} of it is left",
        "about {}, more or less",
        "({})",
        "From this, {}.",
        "a gain of {}: no more",
    ),
    "zh": ("总共需要 {} 左右。", "约为{}，仅此而已", "（{}）", "其中 {} 来自权重", "达到{}。"),
}


def typed(language: str) -> list[tuple[str, str]]:
    """(unit and format, text) of everything that can be shown."""
    shown = {}
    for unit in TABLE["units"]:
        for spec in SPECS:
            for value in VALUES:
                try:
                    text = format_value(value, unit, spec, language=language)
                except NumbersError:
                    continue
                shown[text] = f"{unit}:{spec}"
    return [(kind, text) for text, kind in shown.items()]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("context", ["paragraph", "caption", "alt", "table-cell", "svg-text"])
def test_every_shown_number_is_found_when_it_is_typed(language: str, context: str) -> None:
    everything = typed(language)
    assert len(everything) > 500
    missed = []
    for kind, text in everything:
        for template in CONTEXTS[language]:
            sentence = template.format(text)
            start = sentence.index(text)
            found = find_numbers(sentence, context=context, language=language)
            if not any(m.start < start + len(text) and m.end > start for m in found):
                missed.append((kind, sentence))
    assert missed == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_shown_number_is_found_in_an_output(language: str) -> None:
    digits = [text for _, text in typed(language) if any(map(str.isdigit, text))]
    missed = [t for t in digits if not find_numbers(t, context="output", language=language)]
    assert missed == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_finding_holds_the_whole_number(language: str) -> None:
    """What is suggested for a finding is looked up by its text, so no digit may be left out."""
    cut = []
    for kind, text in typed(language):
        found = find_numbers(CONTEXTS[language][0].format(text), language=language)
        digits = sum(map(str.isdigit, text))
        if sum(map(str.isdigit, "".join(m.text for m in found))) != digits:
            cut.append((kind, text, [m.text for m in found]))
    assert cut == []
