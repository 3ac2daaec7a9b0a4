"""The browser's script, run in the build's own JavaScript engine."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from bookcode.numbers.engine import run_module

SCRIPT = resources.files("bookcode.live").joinpath("live.js").read_text("utf-8")
ENTRY = """\
import * as live from "./live.js";
export default ({ name, args }) => live[name](...args);
"""
PLACES = """\
import { placeIn, goTo } from "./live.js";

const element = (id, top) => ({ id, getBoundingClientRect: () => ({ top }) });

function page(tops, scrollY) {
  const elements = Object.entries(tops).map(([id, top]) => element(id, top - scrollY));
  return {
    document: {
      querySelectorAll: () => elements,
      getElementById: (id) => elements.find((e) => e.id === id) ?? null,
    },
    window: {
      scrollY, location: { pathname: "/one.html" },
      scrollTo({ top }) { this.went = top; },
    },
  };
}

export default ({ before, after, scrolled }) => {
  const old = page(before, scrolled);
  const place = placeIn(old.document, old.window);
  const now = page(after, 0);
  goTo(place, now.document, now.window);
  return now.window.went;
};
"""


def call(name: str, *args: Any) -> Any:
    files = {"live.js": SCRIPT, "entry.js": ENTRY}
    return run_module(files, "entry.js", {"name": name, "args": args})


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", "index.html"),
        ("/02/", "02/index.html"),
        ("/02/a%20b.html", "02/a b.html"),
        ("/one.html", "one.html"),
    ],
)
def test_pages_are_named_as_the_server_names_them(path: str, page: str) -> None:
    assert call("pageOf", path) == page


@pytest.mark.parametrize(
    ("changed", "concerned"),
    [
        (["02/index.html"], True),
        (["one.html"], False),
        ([], False),
        (["searchindex.js", "objects.inv", "_sources/02/index.md.txt"], False),
        (["_static/book.css"], True),
        (["_static/bookcode/02-index.js"], True),
        (["_static/bookcode/02-index.json"], True),
        (["_static/bookcode/one.js"], False),
        (["one.html", "02/index.html"], True),
    ],
)
def test_a_page_is_loaded_again_for_what_concerns_it(changed: list[str], concerned: bool) -> None:
    assert call("concerns", "02/index.html", changed) is concerned


@pytest.mark.parametrize(
    ("before", "after", "scrolled", "goes"),
    [
        ({"a": 0, "b": 500, "c": 900}, {"a": 0, "b": 500, "c": 900}, 600, 600),
        # a paragraph more above: the reader sees the same lines
        ({"a": 0, "b": 500, "c": 900}, {"a": 0, "b": 540, "c": 940}, 600, 640),
        # and one more below: nothing moves
        ({"a": 0, "b": 500, "c": 900}, {"a": 0, "b": 500, "c": 990}, 600, 600),
        # the anchor has gone
        ({"a": 0, "b": 500}, {"a": 0}, 600, 600),
        ({}, {}, 250, 250),
    ],
)
def test_the_reader_stays_at_the_same_lines(
    before: dict[str, int], after: dict[str, int], scrolled: int, goes: int
) -> None:
    files = {"live.js": SCRIPT, "places.js": PLACES}
    payload = {"before": before, "after": after, "scrolled": scrolled}
    assert run_module(files, "places.js", payload) == goes
