"""Records survive their trip through a cell's output."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from bookcode.numbers.records import (
    KINDS,
    AliasRecord,
    ClaimRecord,
    FigureRecord,
    FormulaText,
    MessageRecord,
    ModuleRecord,
    NumberRecord,
    ParameterRecord,
    PresetRecord,
    Record,
    RecordError,
    dump,
    exact_text,
    from_json,
    load,
)

RECORDS: list[Record] = [
    NumberRecord(
        "gemm.flops",
        3,
        "1/3",
        "FLOP",
        "sig4",
        FormulaText("2 M", "2", [["W", "M", "w"]], [["M", "rows", "1"]]),
        ["seq"],
        "ops.gemm",
        "gemm.py:1",
        {"m": "1"},
    ),
    NumberRecord("gemm.regime", 3, "compute", "word", "word"),
    ClaimRecord("c", 4, True, {"en": ["so"]}, "a = 1", ["a"]),
    FigureRecord("f", 5, "<svg/>", {"en": "c"}, {"en": "a"}, ["a"]),
    ParameterRecord("parameter:seq", 1, {"kind": "quantity"}),
    PresetRecord("preset:x", 1, {"en": "x"}, {"seq": 4}),
    AliasRecord("old", 6, "new", "renamed"),
    MessageRecord("message:m", 1, {"en": "{n} m", "zh": "{n} 米"}),
    ModuleRecord("module", 0, "export const x = 1;", [{"seq": 4}]),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r.kind}-{r.key}")
def test_round_trip(record: Record) -> None:
    text = json.dumps(dump([record]))
    assert load(text) == [record]
    assert load(json.loads(text)) == [record]


def test_every_kind_is_tried() -> None:
    assert {record.kind for record in RECORDS} == set(KINDS)


def test_what_is_no_record_is_an_error() -> None:
    with pytest.raises(RecordError, match="unknown kind of record 'nubmer'"):
        from_json({"kind": "nubmer", "key": "x", "line": 1})
    with pytest.raises(RecordError, match="unknown kind of record None"):
        from_json({"key": "x"})
    with pytest.raises(RecordError, match=r"record 'x' of kind alias: .*'why'"):
        from_json({"kind": "alias", "key": "x", "line": 1, "target": "y"})
    with pytest.raises(RecordError, match=r"record 'x' of kind alias: .*'extra'"):
        from_json({**RECORDS[6].to_json(), "key": "x", "extra": 1})


def test_exact_values() -> None:
    number, word = RECORDS[0], RECORDS[1]
    assert isinstance(number, NumberRecord)
    assert isinstance(word, NumberRecord)
    assert (number.number, word.number) == (Fraction(1, 3), None)
    for value in (Fraction(2**80 + 1), Fraction(-1, 3)):
        assert Fraction(exact_text(value)) == value
