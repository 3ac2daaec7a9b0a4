"""What the page remembers of a reader, and how it draws and marks: the scripts in a real engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookcode.numbers.engine import Engine

SCRIPTS = Path(__file__).parents[2] / "bookcode" / "site" / "js"
ENTRY = """\
import * as schema from "./exercises-schema.js";
import * as draw from "./exercises-draw.js";
import { exerciseWords } from "./exercises-words.js";
import { DAMAGED, KEY, Store } from "./exercises-store.js";

export const schemaCall = ([name, ...given]) => schema[name](...given);
export const drawCall = ([name, ...given]) => draw[name](...given);

/** A source of numbers from 0 up to 1 that gives the listed ones in turn. */
const listed = (numbers) => {
  let at = 0;
  return () => numbers[at++ % numbers.length];
};
export const drawn = ([vary, numbers]) => draw.drawValues(vary, listed(numbers));

/** What may be asked of a browser's storage, with its ways to fail. */
class Fake {
  constructor(entries, { room = Infinity, closed = false } = {}) {
    this.entries = new Map(Object.entries(entries));
    Object.assign(this, { room, closed });
  }
  check() {
    if (this.closed) throw new Error("SecurityError");
  }
  getItem(key) {
    this.check();
    return this.entries.get(key) ?? null;
  }
  setItem(key, text) {
    this.check();
    if (text.length > this.room) throw new Error("QuotaExceededError");
    this.entries.set(key, text);
  }
  removeItem(key) {
    this.check();
    this.entries.delete(key);
  }
}

const parsed = (text) => {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
};

/** Runs steps on one or more stores over one storage; gives what is left of all. */
export function story({ entries = {}, how = {}, steps, stores = 1, absent = false }) {
  const fake = new Fake(entries, how);
  let now = 1000;
  const storage = () => {
    if (absent) throw new Error("no localStorage");
    return fake;
  };
  const made = Array.from({ length: stores }, () => new Store(storage, () => now++));
  let told = 0;
  made[0].listen(() => told++);
  const results = steps.map(([which, name, ...given]) => {
    if (name === "room") fake.room = given[0];
    else return made[which][name](...given) ?? null;
    return null;
  });
  return {
    results,
    told,
    notices: made.map((store) => store.notice),
    progress: made.map((store) => store.progress),
    stored: parsed(fake.entries.get(KEY)),
    raw: fake.entries.get(KEY) ?? null,
    damaged: fake.entries.get(DAMAGED) ?? null,
  };
}

/** Every word of both languages, functions called with numbers. */
export function words() {
  const flat = (value) => {
    if (typeof value === "function") return value(3, 7);
    if (typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, flat(inner)]));
  };
  return ["en", "zh-CN", "fr"].map((lang) => flat(exerciseWords({ documentElement: { lang } })));
}
"""
ANSWER = {
    "text": "because",
    "submitted": True,
    "mark": "partly",
    "at": 5,
    "draw": {"e5_rows": 1024, "e6_machine": "h100:sustained"},
    "entry": "67.1",
    "right": False,
    "chosen": [0, 2],
    "former": ["earlier"],
}
PROGRESS = {
    "schema": 1,
    "read": {"02-part/index": {"read": True, "at": 3}},
    "answers": {"02-e1": ANSWER},
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    sources = {path.name: path.read_text("utf-8") for path in SCRIPTS.glob("*.js")}
    with Engine({**sources, "test.mjs": ENTRY}) as made:
        yield made


def schema(engine: Engine, name: str, *given: Any) -> Any:
    return engine.call("test.mjs", [name, *given], name="schemaCall")


def draw(engine: Engine, name: str, *given: Any) -> Any:
    return engine.call("test.mjs", [name, *given], name="drawCall")


def story(engine: Engine, *steps: list[Any], **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = engine.call(
        "test.mjs", {"steps": [list(s) for s in steps], **given}, name="story"
    )
    return found


# what comes from outside --------------------------------------------------------------------------
def test_progress_comes_back_as_it_was_exported(engine: Engine) -> None:
    text = schema(engine, "exportText", PROGRESS)
    assert schema(engine, "readProgress", text) == {"progress": PROGRESS, "dropped": 0}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "json"),
        ("{", "json"),
        ("[]", "shape"),
        ("null", "shape"),
        ('"text"', "shape"),
        ("{}", "shape"),
        ('{"schema": "1"}', "shape"),
        ('{"schema": 1}', "shape"),
        ('{"schema": 1, "read": [], "answers": {}}', "shape"),
        ('{"schema": 0, "exercises": {}}', "older"),
        ('{"schema": 2, "read": {}, "answers": {}}', "newer"),
        ("x" * 1_000_001, "size"),
    ],
)
def test_what_is_no_progress_is_named(engine: Engine, text: str, problem: str) -> None:
    assert schema(engine, "readProgress", text) == {"problem": problem}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("02-e1", {**ANSWER, "text": 7}),
        ("02-e1", {**ANSWER, "text": "x" * 20_001}),
        ("02-e1", {**ANSWER, "submitted": "yes"}),
        ("02-e1", {**ANSWER, "mark": "best"}),
        ("02-e1", {**ANSWER, "at": -1}),
        ("02-e1", {**ANSWER, "at": 1.5}),
        ("02-e1", {**ANSWER, "at": None}),
        ("02-e1", {**ANSWER, "draw": [1]}),
        ("02-e1", {**ANSWER, "draw": {"__proto__x": 1}}),
        ("02-e1", {**ANSWER, "draw": {"n": {"toString": 1}}}),
        ("02-e1", {**ANSWER, "entry": "9" * 81}),
        ("02-e1", {**ANSWER, "right": 1}),
        ("02-e1", {**ANSWER, "chosen": [-1]}),
        ("02-e1", {**ANSWER, "chosen": list(range(21))}),
        ("02-e1", {**ANSWER, "former": ["a"] * 6}),
        ("02-e1", {**ANSWER, "former": [{}]}),
        ("02-e1", "text"),
        ("02-e1", None),
        ("constructor", ANSWER),
        ("__proto__", ANSWER),
        ("<img src=x>", ANSWER),
        ("E1", ANSWER),
    ],
)
def test_entries_that_are_not_as_they_must_be_are_left_out(
    engine: Engine, name: str, value: Any
) -> None:
    # Written by hand: a dict with the key __proto__ must reach the script as text.
    answers = f'{{"02-e9": {json.dumps(ANSWER)}, "{name}": {json.dumps(value)}}}'
    text = f'{{"schema": 1, "read": {{}}, "answers": {answers}}}'
    found = schema(engine, "readProgress", text)
    assert found["dropped"] == 1
    assert found["progress"]["answers"] == {"02-e9": ANSWER}


def test_unknown_fields_do_not_get_in_and_missing_ones_are_empty(engine: Engine) -> None:
    data = {"schema": 1, "more": 1, "read": {}, "answers": {"02-e1": {"at": 4, "html": "<b>"}}}
    found = schema(engine, "readProgress", json.dumps(data))["progress"]
    assert found == {
        "schema": 1,
        "read": {},
        "answers": {"02-e1": {**schema(engine, "emptyAnswer"), "at": 4}},
    }


def test_markup_in_a_text_stays_text(engine: Engine) -> None:
    text = "<script>alert(1)</script>"
    data = {**PROGRESS, "answers": {"02-e1": {**ANSWER, "text": text}}}
    found = schema(engine, "readProgress", json.dumps(data))["progress"]
    assert found["answers"]["02-e1"]["text"] == text


def test_more_entries_than_a_book_has_are_cut(engine: Engine) -> None:
    many = {f"02-e{n}": {"at": 1} for n in range(2_005)}
    found = schema(engine, "readProgress", json.dumps({**PROGRESS, "answers": many}))
    assert (len(found["progress"]["answers"]), found["dropped"]) == (2_000, 5)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(junk, st.sampled_from(["schema", "read", "answers", "02-e1", "text", "draw", "chosen"]))
def test_nothing_that_comes_in_throws_or_leaves_a_wrong_shape(
    engine: Engine, value: Any, where: str
) -> None:
    data: dict[str, Any] = json.loads(json.dumps(PROGRESS))
    if where in data:
        data[where] = value
    elif where in data["answers"]:
        data["answers"][where] = value
    else:
        data["answers"]["02-e1"][where] = value
    found = schema(engine, "readProgress", json.dumps(data))
    if "problem" not in found:
        again = schema(engine, "readProgress", json.dumps(found["progress"]))
        assert again == {"progress": found["progress"], "dropped": 0}


# merging ------------------------------------------------------------------------------------------
def progress(text: str, at: int, **fields: Any) -> dict[str, Any]:
    answer = {**ANSWER, "text": text, "at": at, "former": [], **fields}
    return {"schema": 1, "read": {}, "answers": {"02-e1": answer}}


def test_the_later_answer_stands_and_the_other_is_kept(engine: Engine) -> None:
    for mine, theirs in [("old", "new"), ("new", "old")]:
        made = [progress(text, 1 if text == "old" else 2) for text in (mine, theirs)]
        (answer,) = schema(engine, "mergeProgress", *made)["answers"].values()
        assert (answer["text"], answer["former"]) == ("new", ["old"])


def test_merging_the_same_changes_nothing(engine: Engine) -> None:
    one = progress("text", 1)
    assert schema(engine, "mergeProgress", one, one) == one


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), min_size=1, max_size=5))
def test_no_text_is_lost_by_merging(engine: Engine, entries: list[tuple[str, int]]) -> None:
    merged = schema(engine, "emptyProgress")
    for text, at in entries:
        merged = schema(engine, "mergeProgress", merged, progress(text, at))
    (answer,) = merged["answers"].values()
    assert {answer["text"], *answer["former"]} == {text for text, _ in entries}
    assert answer["at"] == max(at for _, at in entries)


def test_progress_of_a_chapter(engine: Engine) -> None:
    chapter = {
        "page": "02-part/index",
        "exercises": {"02-e1": "p", "02-e2": "p"},
        "questions": {"02-q1": "q", "02-q2": "q"},
    }
    answers = {
        "02-e1": {**ANSWER, "mark": "missed"},
        "02-e2": {**ANSWER, "mark": None},
        "02-q1": {**ANSWER, "mark": None, "right": True},
        "02-q2": {**ANSWER, "mark": None, "right": False},
        "03-e1": ANSWER,
    }
    found = schema(engine, "chapterProgress", {**PROGRESS, "answers": answers}, chapter)
    assert found == {
        "read": True,
        "exercises": 2,
        "exercisesDone": 1,
        "questions": 2,
        "questionsDone": 1,
    }


# keeping ------------------------------------------------------------------------------------------
WRITE = (0, "update", "02-e1", {"text": "mine"})


def test_answers_are_kept_at_once(engine: Engine) -> None:
    found = story(engine, WRITE)
    assert found["stored"]["answers"]["02-e1"]["text"] == "mine"
    assert (found["notices"], found["told"]) == ([None], 1)


@pytest.mark.parametrize("how", [{"absent": True}, {"how": {"closed": True}}])
def test_without_storage_answers_live_as_long_as_the_page(
    engine: Engine, how: dict[str, Any]
) -> None:
    found = story(engine, WRITE, (0, "setRead", "02-part/index", True), (0, "exported"), **how)
    assert found["notices"] == ["unavailable"]
    assert found["progress"][0]["answers"]["02-e1"]["text"] == "mine"
    assert json.loads(found["results"][2])["read"]["02-part/index"]["read"] is True


def test_a_full_store_is_told_and_tried_again(engine: Engine) -> None:
    full = story(engine, WRITE, how={"room": 10})
    assert full["notices"] == ["full"]
    assert full["progress"][0]["answers"]["02-e1"]["text"] == "mine"
    later = story(engine, WRITE, (0, "room", 10_000), (0, "setRead", "a/b", True), how={"room": 10})
    assert later["notices"] == [None]
    assert later["stored"]["answers"]["02-e1"]["text"] == "mine"


def test_what_is_damaged_is_set_aside(engine: Engine) -> None:
    found = story(engine, WRITE, entries={"bookcode-progress": "{half"})
    assert (found["notices"], found["damaged"]) == (["damaged"], "{half")
    assert found["stored"]["answers"]["02-e1"]["text"] == "mine"


def test_what_is_damaged_is_not_written_over_where_it_cannot_be_set_aside(engine: Engine) -> None:
    entries = {"bookcode-progress": "{half and more"}
    found = story(engine, WRITE, entries=entries, how={"room": 3})
    assert (found["raw"], found["notices"]) == ("{half and more", ["damaged"])


def test_what_a_later_edition_wrote_is_left_alone(engine: Engine) -> None:
    newer = json.dumps({"schema": 2, "answers": "in another form"})
    found = story(engine, WRITE, entries={"bookcode-progress": newer})
    assert (found["raw"], found["notices"]) == (newer, ["newer"])
    assert found["progress"][0]["answers"]["02-e1"]["text"] == "mine"


def test_two_tabs_do_not_write_over_each_other(engine: Engine) -> None:
    found = story(
        engine,
        (0, "update", "02-e1", {"text": "first tab"}),
        (1, "update", "02-e2", {"text": "second tab"}),
        (0, "update", "02-e3", {"mark": "got"}),
        (1, "refresh"),
        stores=2,
    )
    texts = {name: answer["text"] for name, answer in found["stored"]["answers"].items()}
    assert texts == {"02-e1": "first tab", "02-e2": "second tab", "02-e3": ""}
    assert found["progress"][0] == found["progress"][1] == found["stored"]


def test_clearing_clears_everywhere(engine: Engine) -> None:
    entries = {"bookcode-progress": json.dumps(PROGRESS), "bookcode-progress-damaged": "{"}
    found = story(engine, (0, "clear"), (1, "refresh", True), entries=entries, stores=2)
    empty = schema(engine, "emptyProgress")
    assert found["progress"] == [empty, empty]
    assert (found["stored"], found["damaged"]) == (None, None)


def test_a_file_is_taken_in_or_refused_without_a_change(engine: Engine) -> None:
    newer = progress("theirs", 10**15)
    found = story(engine, WRITE, (0, "take", json.dumps(newer)))
    answer = found["stored"]["answers"]["02-e1"]
    assert found["results"][1] == {"dropped": 0}
    assert (answer["text"], answer["former"]) == ("theirs", ["mine"])
    before = story(engine, WRITE)["stored"]
    for bad in ("{", '{"schema": 9}', '{"schema": 0}', "7"):
        refused = story(engine, WRITE, (0, "take", bad))
        assert "problem" in refused["results"][1]
        assert refused["stored"] == before


# drawing and marking ------------------------------------------------------------------------------
VARY = {"n": {"low": 8, "high": 64, "step": 8}, "m": {"values": ["h100", "h200"]}}


def test_draws_reach_both_ends(engine: Engine) -> None:
    low = engine.call("test.mjs", [VARY, [0]], name="drawn")
    high = engine.call("test.mjs", [VARY, [0.999999999]], name="drawn")
    assert (low, high) == ({"n": 8, "m": "h100"}, {"n": 64, "m": "h200"})


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 1000), st.integers(0, 500), st.integers(1, 64), st.floats(0, 1, exclude_max=True)
)
def test_whatever_is_drawn_may_be_drawn(
    engine: Engine, low: int, steps: int, step: int, chance: float
) -> None:
    vary = {"n": {"low": low, "high": low + steps * step, "step": step}}
    values = engine.call("test.mjs", [vary, [chance]], name="drawn")
    assert draw(engine, "isDrawn", vary, values)


@pytest.mark.parametrize(
    "values",
    [None, {}, {"n": 8}, {"n": 9, "m": "h100"}, {"n": 72, "m": "h100"}, {"n": 8, "m": "b200"},
     {"n": "8", "m": "h100"}, {"n": 8, "m": "h100", "k": 1}],
)  # fmt: skip
def test_a_kept_draw_of_other_ranges_is_drawn_anew(engine: Engine, values: Any) -> None:
    assert draw(engine, "isDrawn", VARY, {"n": 16, "m": "h200"})
    assert not draw(engine, "isDrawn", VARY, values)


@pytest.mark.parametrize(
    ("text", "unit", "scale", "value"),
    [
        ("67.1", "B", "MB", 67.1e6),
        (" 67.1 MB ", "B", "MB", 67.1e6),
        ("0.0671 GB", "B", "MB", 0.0671e9),
        ("64 MiB", "B", "MB", 2**26),
        ("67108864 B", "B", "MB", 67108864),
        ("67,108,864", "B", "", 67108864),
        ("6.71e7", "B", "", 6.71e7),
        ("6.71 × 10^7", "B", "", 6.71e7),
        ("6.71*10**7", "B", "", 6.71e7),
        ("10^3", "1", "", 1000),
        ("1/6", "FLOP/B", "", 1 / 6),
        ("0.5 FLOP/B", "FLOP/B", "", 0.5),
        ("6.4", "1", "%", 0.064),
        ("6.4 %", "1", "%", 0.064),
        ("97.0×", "1", "", 97),
        ("\u22125", "1", "", -5),
        ("+.5", "1", "", 0.5),
        ("29.8 \u03bcs", "s", "ms", 29.8e-6),
    ],
)
def test_numbers_as_people_write_them(
    engine: Engine, text: str, unit: str, scale: str, value: float
) -> None:
    assert draw(engine, "readEntry", text, unit, scale) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text",
    ["", " ", "MB", "abc", "1..2", "1/2/3", "1/0", "67,1", "0x10", "1e999", "--1", "1 2", "5 ms"],
)
def test_what_is_no_number_is_none(engine: Engine, text: str) -> None:
    assert draw(engine, "readEntry", text, "B", "MB") is None


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-9, 1e15), st.floats(-0.05, 0.05))
def test_marking_is_relative(engine: Engine, value: float, off: float) -> None:
    right = draw(engine, "isRight", value, value * (1 + off), 0.01)
    if abs(abs(off) - 0.01) > 1e-6:
        assert right == (abs(off) < 0.01)


def test_the_edge_of_the_tolerance_counts_as_right(engine: Engine) -> None:
    assert draw(engine, "isRight", 100, 101, 0.01)
    assert not draw(engine, "isRight", 100, 101.1, 0.01)


def test_every_word_is_there_in_both_languages(engine: Engine) -> None:
    english, chinese, other = engine.call("test.mjs", None, name="words")

    def shape(words: Any) -> Any:
        return {k: shape(v) for k, v in words.items()} if isinstance(words, dict) else bool(words)

    assert shape(english) == shape(chinese)
    assert other == english
