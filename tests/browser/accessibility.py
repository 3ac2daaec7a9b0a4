"""axe-core on pages, quick enough to look at every page of the book in every appearance.

Nearly all the time goes to the contrast of colours: for every text axe reads the backgrounds of
all elements around it as strings, makes an object of each several times over, and mixes them. Two
things make that cheaper and leave what axe decides as it is, which a test holds it to: a string is
parsed once; and the private fields of axe's classes, which its compiler put into WeakMaps that the
garbage collector has to go through, are stored with the objects themselves.
"""

from __future__ import annotations

import queue
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from ..benchmarks.chromium import FLAGS
from .waiting import drawn

Found = dict[str, list[str]]

AXE: Final = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
FIELDS: Final = """class {
  constructor() { this.field = Symbol(); }
  has(object) { return this.field in object; }
  get(object) { return object[this.field]; }
  set(object, value) { object[this.field] = value; return this; }
  delete(object) { return delete object[this.field]; }
}"""
"""Stands in for WeakMap while axe is read."""
PARSED_ONCE: Final = """() => {
  const known = new Map();
  const colour = axe.commons.color.Color.prototype;
  const parse = colour.parseString;
  colour.parseString = function (text) {
    if (known.has(text)) return Object.assign(this, known.get(text));
    const parsed = parse.call(this, text);
    known.set(text, { r: this.r, g: this.g, b: this.b, alpha: this.alpha });
    return parsed;
  };
}"""

SIZES: Final = {"desktop": (1280, 900), "phone": (390, 844)}
LOOKS: Final = (
    "color-contrast",
    "link-in-text-block",
    "scrollable-region-focusable",
    "meta-viewport",
)
"""The rules whose outcome hangs on colours or on the width."""
APPEARANCES: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("light", "desktop"): (),
    ("dark", "phone"): (),
    ("dark", "desktop"): LOOKS,
    ("light", "phone"): LOOKS,
}
"""Each scheme and size with the rules to run, all where none is named: what hangs on one of the two
alone is seen in the first pair."""
WORKERS: Final = 2


def axe(page: Page, *, quick: bool = True) -> None:
    """Put axe on a page that does not have it yet."""
    # Through the debugger, which a page's policy does not bind, unlike a script element.
    if page.evaluate("() => Boolean(window.axe)"):
        return
    page.evaluate(f"(WeakMap => {{ {AXE} }})({FIELDS})" if quick else AXE)
    if quick:
        page.evaluate(PARSED_ONCE)


def outcome(page: Page, rules: Sequence[str] = (), kinds: Sequence[str] = ("violations",)) -> Any:
    """What axe says of a page: for each kind of result, the rules with their elements."""
    only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
    return page.evaluate(
        """async ([options, kinds]) => {
          const said = await axe.run(document, options);
          return Object.fromEntries(kinds.map((kind) => [kind, said[kind]]));
        }""",
        [{"resultTypes": list(kinds), **only}, list(kinds)],
    )


def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe finds wrong, one line each with the rule and the element."""
    axe(page)
    return [
        f"{rule['id']}: {node['target']} {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in outcome(page, rules)["violations"]
        for node in rule["nodes"]
    ]


def axe_context(browser: Browser, scheme: str, size: str) -> BrowserContext:
    """Pages of a colour scheme and a size, on which nothing moves."""
    width, height = SIZES[size]
    return browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )


def appear(page: Page, scheme: str, size: str) -> None:
    """Change a page's colour scheme and size."""
    width, height = SIZES[size]
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
    drawn(page)


def every_appearance(page: Page, url: str) -> Found:
    """What axe finds wrong with a page, by its address, scheme and size."""
    page.goto(url)
    page.wait_for_load_state("load")
    found = {}
    for (scheme, size), rules in APPEARANCES.items():
        appear(page, scheme, size)
        if problems := violations(page, rules):
            found[f"{url}, {scheme}, {size}"] = problems
    return found


def look_at(chromium: str, urls: Iterable[str], watch: Any) -> Found:
    """What axe finds wrong with pages, as several browsers share them out.

    Args:
        watch: is given each page before it goes anywhere.
    """
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for url in urls:
        waiting.put(url)
    found: Found = {}

    def work() -> None:
        with sync_playwright() as running:
            browser = running.chromium.launch(executable_path=chromium, args=list(FLAGS))
            context = axe_context(browser, "light", "desktop")
            while True:
                try:
                    url = waiting.get_nowait()
                except queue.Empty:
                    break
                # Of its own, so that what axe keeps of a page goes with it.
                page = context.new_page()
                watch(page)
                found.update(every_appearance(page, url))
                page.close()
            browser.close()

    with ThreadPoolExecutor(WORKERS) as pool:
        for done in [pool.submit(work) for _ in range(WORKERS)]:
            done.result()
    return found
