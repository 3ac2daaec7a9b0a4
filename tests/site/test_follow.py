"""What numbers and verdicts are under a setting: values, texts, missing facts, foreign pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bookcode.numbers.engine import Engine

SCRIPTS = Path(__file__).parents[2] / "bookcode" / "site" / "js"
OWN = """
export const parameters = {
  n: {kind: "quantity", name: "n", title: "n", unit: "1",
      default: 4, minimum: 1, maximum: 9, step: 1},
  m: {kind: "choice", name: "m", title: "m", default: "a", options: {a: "A", b: "B"}},
};
export const compute = (p) => ({
  square: p.n * p.n,
  half: p.n / 2,
  rate: p.m === "a" ? 10 / p.n : NaN,
  word: p.m === "a" ? (p.n > 4 ? "memory" : "compute") : NaN,
  big: p.n >= 4,
  fast: p.m === "a" ? p.n < 8 : NaN,
});
"""
OTHER = """
export const parameters = {
  n: {kind: "quantity", name: "n", title: "n", unit: "1",
      default: %s, minimum: 1, maximum: 9, step: 1},
  z: {kind: "quantity", name: "z", title: "z", unit: "1",
      default: 2, minimum: 1, maximum: 9, step: 1},
};
export const compute = (p) => ({ foreign: p.n * 100 + p.z });
"""
ENTRY = """
import { Follower } from "./follow.js";
import * as own from "./own.js";
import * as same from "./same.js";
import * as different from "./different.js";
const modules = { own, same, different };
const each = (table, look) =>
  Object.fromEntries(Object.keys(table).map((key) => [key, look(key)]));
export default ({ data, names, setting }) => {
  const follower = new Follower(data, names.map((name) => modules[name]));
  const values = follower.compute(setting);
  return {
    parameters: Object.keys(follower.parameters),
    live: follower.live,
    texts: each(data.numbers, (key) => follower.text(values, key)),
    verdicts: each(data.claims, (key) => follower.verdict(values, key)),
    reasons: each(data.claims, (key) => follower.reasons(values, key, "?")),
    facts: follower.hasFacts(setting),
    fixed: follower.fixedCount(),
    spec: follower.text(values, "half", "int"),
  };
};
"""
DATA: dict[str, Any] = {
    "language": "en",
    "words": {"compute": "compute-bound", "memory": "memory-bound"},
    "depends": [[], ["n"]],
    "numbers": {
        "square": ["1", "int", 0],
        "half": ["1", "int", 0],
        "rate": ["B/s", "sig3", 0],
        "word": ["word", "word", 0],
        "foreign": ["1", "int", 1],
    },
    "claims": {
        "big": {"uses": ["square", "rate"], "module": 0},
        "fast": {"uses": ["rate"], "module": 0},
    },
}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    sources = {name: (SCRIPTS / name).read_text("utf-8") for name in
               ("follow.js", "format.js", "format-table.js", "state.js")}  # fmt: skip
    sources |= {"own.js": OWN, "same.js": OTHER % 4, "different.js": OTHER % 5, "run.js": ENTRY}
    with Engine(sources) as running:
        yield running


def run(engine: Engine, other: str = "same", **setting: Any) -> dict[str, Any]:
    given = {"data": DATA, "names": ["own", other], "setting": {"n": 4, "m": "a"} | setting}
    answer: dict[str, Any] = engine.call("run.js", given)
    return answer


def test_the_books_values(engine: Engine) -> None:
    answer = run(engine)
    assert answer["texts"] == {
        "square": "16", "half": "2", "rate": "2.50\u202fB/s", "word": "compute-bound",
        "foreign": "402",
    }  # fmt: skip
    assert answer["verdicts"] == {"big": True, "fast": True}
    assert answer["facts"] is True


def test_everything_follows_and_reasons_are_given(engine: Engine) -> None:
    answer = run(engine, n=3)
    assert answer["texts"]["square"] == "9"
    assert answer["texts"]["foreign"] == "302"
    assert answer["verdicts"]["big"] is False
    assert answer["reasons"]["big"] == ["square = 9", "rate = 3.33\u202fB/s"]


def test_a_spec_that_does_not_fit_gives_way(engine: Engine) -> None:
    answer = run(engine, n=5)
    assert answer["texts"]["half"] == "2.50"
    assert answer["spec"] == "2.50"
    assert answer["texts"]["word"] == "memory-bound"


def test_without_a_fact_there_is_no_text_and_no_verdict(engine: Engine) -> None:
    answer = run(engine, m="b")
    assert answer["texts"]["rate"] is None
    assert answer["texts"]["word"] is None
    assert answer["texts"]["square"] == "16"
    assert answer["verdicts"] == {"big": True, "fast": None}
    assert answer["reasons"]["fast"] == ["rate = ?"]
    assert answer["facts"] is False


def test_only_what_a_page_depends_on_is_offered(engine: Engine) -> None:
    assert run(engine)["parameters"] == ["n", "m"]


def test_numbers_of_a_page_with_other_parameters_stay(engine: Engine) -> None:
    answer = run(engine, "different", n=3)
    assert answer["live"] == [True, False]
    assert answer["texts"]["foreign"] == "502"
    assert answer["fixed"] == 1
    assert run(engine)["fixed"] == 0
