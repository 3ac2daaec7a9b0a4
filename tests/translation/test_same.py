"""What two editions publish and show must be the same, words aside."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from bookcode.translation.extraction import messages_of
from bookcode.translation.same import differences, numerals

NUMBER = {
    "kind": "number", "key": "a", "line": 3, "value": "33", "unit": "head", "spec": "plain",
    "shown": "33 heads", "formula": {"symbolic": "h"}, "function": "f", "parameters": ["n"],
}  # fmt: skip
CLAIM = {
    "kind": "claim", "key": "c", "line": 4, "holds": True, "predicate": "a > 1",
    "wordings": {"en": ["big"]}, "parameters": [],
}  # fmt: skip
PARAMETER = {
    "kind": "parameter", "key": "parameter:n", "line": 2,
    "description": {"kind": "quantity", "name": "n", "title": "rows", "default": 3},
}  # fmt: skip
FIGURE = {
    "kind": "figure", "key": "f", "line": 5, "uses": ["a"],
    "captions": {"en": "A picture."}, "alts": {"en": "A line."},
}  # fmt: skip
PRESET = {"kind": "preset", "key": "preset:x", "line": 6, "titles": {"en": "x"}, "values": {"n": 3}}
SAID = {"kind": "message", "key": "m", "line": 7, "texts": {"en": "{n} rows"}}
USES = [
    {"role": "num", "key": "a", "spec": "", "line": 9, "shown": "33 heads", "source": ""},
    {"role": "holds", "key": "c", "spec": "big", "line": 9, "shown": "big", "source": ""},
    {"role": "lit", "key": "given", "spec": "7", "line": 9, "shown": "7", "source": ""},
]


def module(title: str, computed: str) -> str:
    """A page's JavaScript: a parameter described in words, and a number."""
    return f'export const parameters = {{"n": "{title}"}};\nexport const a = (p) => {computed};\n'


def export(language: str) -> dict[str, Any]:
    page = {
        "source": "book/p.md",
        "records": [NUMBER, CLAIM, PARAMETER, FIGURE, PRESET, SAID],
        "uses": USES,
        "exercises": [{"what": "exercise", "name": "e1"}],
        "messages": [["A paragraph.", 8], ["A paragraph.", 9]],
        "module": {"javascript": module("rows", "p.n * 11")},
    }
    return {"language": language, "pages": {"p": copy.deepcopy(page)}}


def translated() -> dict[str, Any]:
    """The same page in Chinese: other words, another order, a number shown once more."""
    other = export("zh_CN")
    page = other["pages"]["p"]
    page["records"][0]["shown"] = "33 个头"
    page["records"][1]["wordings"] = {"en": ["big"], "zh": ["很大"]}
    page["records"][2]["description"]["title"] = "行数"
    page["records"][3]["captions"]["zh"] = "一幅图。"
    page["records"].reverse()
    place = {"source": "book/locale/p.po", "line": 40}
    page["module"] = {"javascript": module("行数", "p.n * 11")}
    page["uses"] = [
        {**USES[1], **place, "spec": "很大", "shown": "很大"},
        {**USES[0], **place, "shown": "33 个头"},
        {**USES[0], **place, "shown": "33 个头"},
    ]
    return other


def test_words_may_differ() -> None:
    assert list(differences(export("en"), translated())) == []


def edit(change: Callable[[dict[str, Any]], None]) -> list[str]:
    other = translated()
    change(other["pages"]["p"])
    return list(differences(export("en"), other))


def record(page: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(r for r in page["records"] if r["kind"] == kind)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p.update(module=None), "the JavaScript of the page computes something else"),
        (
            lambda p: p["module"].update(javascript=module("行数", "p.n * 12")),
            "the JavaScript of the page computes something else",
        ),
        (lambda p: record(p, "number").update(value="34"), "number a: value is '34' instead of"),
        (lambda p: record(p, "number").update(shown="34 个头"), "number a: shown text is ('34',)"),
        (lambda p: record(p, "number").update(formula=None), "number a: formula is None"),
        (lambda p: record(p, "claim").update(holds=False), "claim c: holds is False"),
        (lambda p: record(p, "figure").update(uses=[]), "figure f: uses is []"),
        (lambda p: record(p, "preset").update(values={}), "preset preset:x: values is {}"),
        (lambda p: record(p, "parameter")["description"].update(default=4), "default is 4"),
        (lambda p: p["records"].remove(record(p, "claim")), "claim c is not published"),
        (lambda p: p["records"].append({**NUMBER, "key": "z"}), "number z is published only"),
        (lambda p: p["uses"].pop(0), "book/p.md:9: {holds}`c` is shown nowhere"),
        (lambda p: p["uses"].append({**USES[0], "spec": "sig2"}), "{num}`a:sig2` is shown only"),
        (lambda p: p["uses"][1].update(shown="34"), "book/locale/p.po:40: {num}`a` shows 34"),
        (lambda p: p["exercises"].clear(), "exercise 'e1' is not the same"),
    ],
)
def test_everything_else_may_not(change: Callable[[dict[str, Any]], None], said: str) -> None:
    (problem,) = edit(change)
    assert said in problem
    assert problem.endswith("in the edition zh-CN")


def test_the_conditions_of_a_fact_may_stand_in_another_order() -> None:
    fact = {**USES[0], "role": "fact", "key": "peak", "shown": "900 TFLOP/s [at 1.5 GHz, 700 W]"}
    ours, theirs = export("en"), translated()
    ours["pages"]["p"]["uses"].append(fact)
    theirs["pages"]["p"]["uses"].append({**fact, "shown": "900 TFLOP/s [700 W，1.5 GHz]"})
    assert list(differences(ours, theirs)) == []
    theirs["pages"]["p"]["uses"][-1]["shown"] = "900 TFLOP/s [700 W]"
    assert len(list(differences(ours, theirs))) == 1


def test_a_page_that_one_edition_lacks_is_named() -> None:
    other = translated()
    del other["pages"]["p"]
    assert list(differences(export("en"), other)) == [
        "book/p.md:1: the edition zh-CN lacks this page"
    ]
    assert list(differences({"language": "en", "pages": {}}, translated())) == [
        "book/p.md:1: the edition en lacks this page"
    ]


def test_numerals_are_taken_with_their_groups_and_decimals() -> None:
    assert numerals("137.4 GFLOP, 8\u202f192 个，0.5 %") == ("137.4", "8\u202f192", "0.5")


def test_messages_are_collected_by_catalogue_each_once() -> None:
    found = messages_of(export("en"))
    assert [m.text for m in found["p"]] == ["A paragraph."]
    assert [(m.text, m.comment, m.line) for m in found["cells/p"]] == [
        ("big", "claim: c", 4),
        ("rows", "parameter: parameter:n", 2),
        ("A picture.", "caption: f", 5),
        ("A line.", "alt: f", 5),
        ("x", "preset: preset:x", 6),
        ("{n} rows", "in a figure", 7),
    ]
