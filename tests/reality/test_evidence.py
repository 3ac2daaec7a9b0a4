"""What speaks for a class of rows, in both languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from bookcode.reality.errors import RealityError
from bookcode.reality.evidence import SENTENCES, evidence_text, read_evidence, statement
from bookcode.reality.record import RECORD, read

ROOT = Path(__file__).parents[2]
RECORDED = [read_evidence(row["evidence"]) for row in read(ROOT / RECORD).table("beaten")]


def fields(text: str) -> set[str]:
    return {name for _, name, *_ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", SENTENCES)
def test_a_sentence_is_filled_in_alike_in_both_languages(key: str) -> None:
    texts = SENTENCES[key]
    assert fields(texts["en"]) == fields(texts["zh"])
    assert re.search("[\u4e00-\u9fff]", texts["zh"])


def test_sentences_are_joined_and_a_source_is_told_in_its_own_translation() -> None:
    evidence = (
        statement("fits", low="1.0", high="2.5", capacity="52.4", source="fact x"),
        statement("beaten too", count=3),
    )
    english = "1.0 to 2.5 MB moved, L2 52.4 MB (fact x); 3 beat that bound too"
    assert evidence_text(evidence) == english
    chinese = evidence_text(evidence, "zh_CN", {"fact x": "事实 x"}.__getitem__)
    assert chinese == "搬运 1.0 到 2.5 MB，L2 52.4 MB（事实 x）；有 3 行连这个下界也快过"


def test_evidence_survives_as_plain_data() -> None:
    evidence = (statement("ranks", ranks=[8]), statement("sent once", best="0.7"))
    assert read_evidence([one.plain() for one in evidence]) == evidence


def test_an_unknown_sentence_names_the_nearest() -> None:
    with pytest.raises(RealityError, match="did you mean band"):
        evidence_text((statement("bandd"),))


def test_the_record_can_be_told_in_both_languages_with_all_its_figures() -> None:
    assert RECORDED
    for evidence in RECORDED:
        parts = {part for one in evidence for name, part in one.parts.items() if name != "source"}
        for language in ("en", "zh_CN"):
            told = evidence_text(evidence, language)
            assert all(part in told for part in parts), told
