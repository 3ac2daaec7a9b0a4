"""Drift reports: key, old and new, relative change, cause, and every place that shows it."""

from __future__ import annotations

from typing import Any

import pytest

from bookcode.numbers.drift import Drift, Place, compare
from bookcode.numbers.lock import Lock, locks_of


def number(value: str, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "number",
        "key": "gemm.flops",
        "line": 12,
        "value": value,
        "shown": f"{value} FLOP",
        "unit": "FLOP",
        "spec": "sig4",
        "formula": {"symbolic": "2 M", "where": []},
        "function": "ledger.ops.gemm.gemm",
        "inputs": {"m": "1"},
        "parameters": [],
        "facts": [],
        "reached": {"bookcode/ledger/ops/gemm.py::gemm": "mark one"},
        "rows": {"dtype fp16": "mark one"},
        **changes,
    }


def use(role: str, key: str, line: int, context: str = "body", shown: str = "") -> dict[str, Any]:
    return {
        "role": role,
        "key": key,
        "spec": "",
        "line": line,
        "context": context,
        "shown": shown,
    }


FIGURE = {
    "kind": "figure",
    "key": "roofline",
    "line": 30,
    "svg": "<svg/>",
    "captions": {"en": "At {gemm.flops:sig3}.", "zh": "{gemm.flops}"},
    "alts": {"en": "A line at {gemm.flops}."},
    "uses": ["gemm.flops"],
}
CLAIM = {
    "kind": "claim",
    "key": "big",
    "line": 14,
    "holds": True,
    "wordings": {"en": ["big"]},
    "predicate": "(gemm.flops > 1)",
    "rows": {},
}
USES = (
    use("num", "gemm.flops", 20),
    use("num", "gemm.flops", 22, "table"),
    use("formula", "gemm.flops", 24),
    use("figure", "roofline", 31),
    use("holds", "big", 40),
)


def export(*items: dict[str, Any], source: str = "book/02-x/index.md") -> dict[str, Any]:
    records = [item for item in items if "kind" in item]
    uses = [item for item in items if "role" in item]
    return {
        "language": "en",
        "pages": {"02-x/index": {"source": source, "records": records, "uses": uses}},
    }


def drifts(before: dict[str, Any], *after: dict[str, Any]) -> list[Drift]:
    return compare(locks_of(before), locks_of(after[0]), after)


BASE = export(number("200"), CLAIM, FIGURE, *USES)


def test_the_same_build_does_not_drift() -> None:
    moved = export(*USES, FIGURE, CLAIM, number("200", line=99))
    assert drifts(BASE, BASE) == drifts(BASE, moved) == []


def test_a_changed_value_is_reported_with_cause_and_places() -> None:
    changed = number("300", reached={"bookcode/ledger/ops/gemm.py::gemm": "mark two"})
    (drift,) = drifts(BASE, export(changed, CLAIM, FIGURE, *USES))
    assert str(drift).splitlines() == [
        "book/02-x/index.md:12: number gemm.flops changed",
        "    shown: 200 FLOP → 300 FLOP",
        "    value: 200 → 300 (+0.5 relative)",
        "    because gemm() in bookcode/ledger/ops/gemm.py changed",
        "    shown at book/02-x/index.md:20 (body)",
        "    shown at book/02-x/index.md:22 (table)",
        "    shown at book/02-x/index.md:24 (body)",
        "    shown at book/02-x/index.md:31 (drawn in figure roofline)",
        "    shown at book/02-x/index.md:31 (caption of figure roofline)",
        "    shown at book/02-x/index.md:31 (alt text of figure roofline)",
    ]


def test_a_changed_row_is_the_cause() -> None:
    changed = number("100", rows={"dtype fp16": "mark two", "machine h200": "new"})
    (drift,) = drifts(BASE, export(changed, CLAIM, FIGURE, *USES))
    assert drift.causes == ("the table row 'dtype fp16'", "the table row 'machine h200'")
    assert drift.details[1] == "value: 200 → 100 (-0.5 relative)"


def test_fractions_zero_and_words_have_their_relative_change_or_none() -> None:
    for before, after, shown in (
        ("1/3", "2/3", "value: 1/3 → 2/3 (+1 relative)"),
        ("0", "1", "value: 0 → 1"),
        ("memory", "compute", "value: memory → compute"),
        ("-2", "-1", "value: -2 → -1 (+0.5 relative)"),
    ):
        (drift,) = drifts(export(number(before)), export(number(after)))
        assert drift.details[1] == shown


def test_a_formula_or_an_argument_that_changed_alone() -> None:
    changed = number("200", formula={"symbolic": "M 2", "where": []}, inputs={"m": "2"})
    (drift,) = drifts(BASE, export(changed, CLAIM, FIGURE, *USES))
    assert drift.details == ("formula: 2 M → M 2", "inputs: m: 1 → m: 2")
    assert drift.causes == ()


def test_a_new_and_a_gone_key() -> None:
    (new,) = drifts(export(), export(number("5"), use("num", "gemm.flops", 20)))
    assert str(new).splitlines() == [
        "book/02-x/index.md:12: number gemm.flops is new",
        "    shown: 5 FLOP",
        "    shown at book/02-x/index.md:20 (body)",
    ]
    (gone,) = drifts(export(number("5")), export(use("num", "gemm.flops", 20)))
    assert str(gone).splitlines() == [
        "no longer published: number gemm.flops is gone",
        "    shown: 5 FLOP",
        "    shown at book/02-x/index.md:20 (body)",
    ]


def test_a_claim_that_fell() -> None:
    fallen = {**CLAIM, "holds": False, "wordings": {"en": ["big", "large"]}}
    (drift,) = drifts(BASE, export(number("200"), fallen, FIGURE, *USES))
    assert str(drift).splitlines() == [
        "book/02-x/index.md:14: claim big changed",
        "    holds: True → False",
        "    wordings: en: big → en: big, large",
        "    shown at book/02-x/index.md:40 (body)",
    ]


def test_a_fact_that_changed() -> None:
    before, after = (export(use("fact", "h200.bandwidth", 5, shown=s)) for s in ("4.8", "4.9"))
    (drift,) = drifts(before, after)
    assert str(drift).splitlines() == [
        "book/02-x/index.md:5: fact h200.bandwidth changed",
        "    shown: 4.8 → 4.9",
        "    shown at book/02-x/index.md:5 (body)",
    ]
    (gone,) = drifts(before, export())
    assert str(gone).splitlines() == [
        "no longer shown: fact h200.bandwidth is gone",
        "    shown: 4.8",
    ]


def test_a_number_shown_once_more() -> None:
    (drift,) = drifts(
        BASE, export(number("200"), CLAIM, FIGURE, *USES, use("num", "gemm.flops", 50))
    )
    assert drift.details == ("pages: 02-x/index: 3 → 02-x/index: 4",)
    assert drift.places[-1] == Place("book/02-x/index.md", 50, "body")


def test_every_language_that_shows_it_is_named() -> None:
    changed = number("300")
    english = export(changed, CLAIM, FIGURE, *USES)
    chinese = export(changed, CLAIM, FIGURE, *USES, source="book/locale/zh_CN/02-x/index.po")
    (drift,) = drifts(BASE, english, chinese)
    assert {place.source for place in drift.places} == {
        "book/02-x/index.md",
        "book/locale/zh_CN/02-x/index.po",
    }
    assert drift.published == "book/02-x/index.md:12"
    assert len(drift.places) == len(set(drift.places)) == 12


def test_texts_typed_on_purpose_are_counted() -> None:
    before = export(use("lit", "given", 3))
    (drift,) = drifts(before, export(use("lit", "given", 3), use("lit", "given", 8)))
    assert (drift.key, drift.section) == ("lit:given", "literals")
    assert str(drift).splitlines() == [
        "02-x: literal lit:given changed",
        "    texts marked as typed on purpose: 1 → 2",
        "    shown at book/02-x/index.md:3 (body)",
        "    shown at book/02-x/index.md:8 (body)",
    ]


def test_a_chapter_that_is_gone_drifts_whole() -> None:
    found = compare(locks_of(BASE), {}, [{"pages": {}}])
    assert [(drift.key, drift.change) for drift in found] == [
        ("gemm.flops", "is gone"),
        ("big", "is gone"),
        ("roofline", "is gone"),
    ]


def test_the_order_is_chapter_section_key() -> None:
    def lock(name: str) -> Lock:
        return Lock(name, numbers={"b": {}, "a": {"value": "1"}}, claims={"0": {"holds": True}})

    found = compare({"02-x": lock("02-x"), "01-x": lock("01-x")}, {}, [{"pages": {}}])
    assert [drift.key for drift in found] == ["a", "b", "0", "a", "b", "0"]


def test_a_weaker_predicate_is_drift() -> None:
    weaker = {**CLAIM, "predicate": "(gemm.flops >= 0)"}
    (drift,) = drifts(export(CLAIM), export(weaker))
    assert (drift.key, drift.section) == ("big", "claims")
    assert "    predicate: (gemm.flops > 1) → (gemm.flops >= 0)" in str(drift).splitlines()


@pytest.mark.parametrize(("role", "section"), [("src", "citations"), ("figure", "figures")])
def test_a_citation_or_figure_shown_for_another_is_drift(role: str, section: str) -> None:
    other = {**FIGURE, "key": "other"}
    before = export(FIGURE, other, use(role, "roofline", line=5))
    found = drifts(before, export(FIGURE, other, use(role, "other", line=5)))
    assert {(d.key, d.section) for d in found} == {("roofline", section), ("other", section)}
    assert any("shown at book/02-x/index.md:5 (body)" in str(drift) for drift in found)


def drawing(*texts: str) -> dict[str, Any]:
    return {**FIGURE, "svg": f"<svg>{''.join(f'<text>{text}</text>' for text in texts)}</svg>"}


@pytest.mark.parametrize(
    ("before", "after", "detail"),
    [
        (("H200", "peak"), ("H201", "peak"), "drawn: H200 → H201"),
        (("3 stages", "4 stages"), ("4 stages", "4 stages"), "drawn: 3 stages → 4 stages"),
        (("H200",), ("H200", "A100"), "drawn: nothing → A100"),
        (("H200", "A100"), ("A100", "H200"), "drawn: H200, A100 → A100, H200"),
    ],
)
def test_what_a_drawing_says_is_locked(
    before: tuple[str, ...], after: tuple[str, ...], detail: str
) -> None:
    (drift,) = drifts(export(drawing(*before)), export(drawing(*after)))
    assert (drift.key, drift.section) == ("roofline", "figures")
    assert f"    {detail}" in str(drift).splitlines()


def test_words_without_digits_and_ticks_may_be_drawn_as_the_library_likes() -> None:
    tick = '<svg><g id="xtick_2"><text>10</text></g><text>peak</text></svg>'
    other = '<svg><g id="xtick_2"><text>20</text></g><text>top</text></svg>'
    assert drifts(export({**FIGURE, "svg": tick}), export({**FIGURE, "svg": other})) == []


def test_of_a_long_predicate_the_part_that_differs_is_told() -> None:
    same = " & ".join(f"(part.{n} > 1)" for n in range(40))
    before, after = f"{same} & (a <= a) & {same}", f"{same} & {same}"
    (drift,) = drifts(export({**CLAIM, "predicate": before}), export({**CLAIM, "predicate": after}))
    (detail,) = drift.details
    assert len(detail) < 250
    old, new = detail.removeprefix("predicate: ").split(" → ")
    assert "(a <= a)" in old
    assert "(a <= a)" not in new
    assert all(text.startswith("…") and text.endswith("…") for text in (old, new))
    assert old.strip("…") in before
    assert new.strip("…") in after
