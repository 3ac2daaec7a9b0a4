"""What the fullest page of the book weighs on its first load, and how fast it follows a change.

Run with `python tests/benchmarks/page.py [--site FOLDER] [--page PATH]`; builds the book unless an
edition's folder is given. Needs a Chromium (BOOKCODE_CHROMIUM or on the PATH). The status is 1 when
a limit is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import http.server
import re
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chromium import FLAGS, MISSING, find_chromium
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.table import Table

from bookcode.verify.builds import Layout, build

ROOT = Path(__file__).parents[2]
LIMITS = {
    "bytes": 220_000,
    "bytes without figures": 130_000,
    "requests": 24,
    "layout shift": 0.05,
    "change, ms, median": 50.0,
}
FIGURE = re.compile(rb'<div class="bk-figure".*?</svg></div>', re.DOTALL)
SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""
CHANGES = """async () => {
  const {startWhatIf} = await import(new URL("../_static/js/whatif.js", location.href));
  const model = await startWhatIf(document, document.querySelector("section.bk-whatif"));
  const times = [];
  for (const parameter of Object.values(model.parameters)) {
    const values = parameter.kind === "choice"
      ? Object.keys(parameter.options)
      : [parameter.minimum, parameter.maximum, parameter.minimum + parameter.step];
    for (const value of values) {
      const start = performance.now();
      model.setting = {...model.book, [parameter.name]: value};
      model.refresh();
      document.body.getBoundingClientRect();
      times.push(performance.now() - start);
    }
  }
  return times;
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files compressed, as hosts do."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path.partition("?")[0]))
        if not path.is_file():
            self.send_error(404)
            return
        body = gzip.compress(path.read_bytes(), 9, mtime=0)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port."""
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@dataclass(frozen=True)
class Measured:
    """A first load, and the milliseconds of each change of a parameter."""

    sizes: dict[str, int]
    shift: float
    changes: list[float]


def measure(site: Path, page_path: str) -> Measured:
    """Load a page with an empty cache and change every parameter of it."""
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit(MISSING)
    sizes: dict[str, int] = {}
    names: dict[str, str] = {}
    with serving(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")

        def sent(event: dict[str, Any]) -> None:
            if not event["request"]["url"].startswith("data:"):
                names[event["requestId"]] = event["request"]["url"]

        def finished(event: dict[str, Any]) -> None:
            if event["requestId"] in names:
                sizes[names[event["requestId"]]] = int(event["encodedDataLength"])

        session.on("Network.requestWillBeSent", sent)
        session.on("Network.loadingFinished", finished)
        page.add_init_script(SHIFTS)
        page.goto(f"{address}/{page_path}")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        first = {url.removeprefix(address): size for url, size in sizes.items()}
        shift = float(page.evaluate("() => window.shift"))
        follows = page.locator("meta[name='bookcode-parameters']").count()
        changes = page.evaluate(CHANGES) if follows else []
        browser.close()
    return Measured(first, shift, changes)


def fullest(site: Path) -> str:
    """The page with parameters that shows most numbers."""
    texts = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    shows = {p: t.count('data-role="num"') for p, t in texts.items() if 'bookcode-parameters"' in t}
    return max(shows, key=lambda path: shows[path]).relative_to(site).as_posix()


def figures_weigh(page: Path) -> int:
    """What the drawings in a page add to its compressed size."""
    text = page.read_bytes()
    whole, without = (len(gzip.compress(t, 9, mtime=0)) for t in (text, FIGURE.sub(b"", text)))
    return whole - without


def report(site: Path, path: str, measured: Measured, console: Console) -> bool:
    """Print the figures beside their limits; whether all are kept."""
    total = sum(measured.sizes.values())
    figures = {
        "bytes": total,
        "bytes without figures": total - figures_weigh(site / path),
        "requests": len(measured.sizes),
        "layout shift": measured.shift,
        "change, ms, median": statistics.median(measured.changes or [0.0]),
    }
    table = Table("first load of", path, "limit")
    for name, value in figures.items():
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
        table.add_row(name, shown, f"{LIMITS[name]:,}")
    if measured.changes:
        worst = max(measured.changes)
        table.add_row(f"the worst of {len(measured.changes)}, ms", f"{worst:.3g}", "")
    console.print(table)
    for url, size in sorted(measured.sizes.items(), key=lambda item: -item[1])[:8]:
        console.print(f"{size:>9,}  {url}", highlight=False)
    return all(value <= LIMITS[name] for name, value in figures.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, help="the folder of a built edition")
    parser.add_argument("--page", help="a page of it; the one that shows most numbers otherwise")
    options = parser.parse_args()
    site: Path | None = options.site
    with tempfile.TemporaryDirectory() as folder:
        if site is None:
            layout = Layout(ROOT, Path(folder))
            build(layout, "en", clean=True)
            site = layout.html("en")
        path = options.page or fullest(site)
        kept = report(site, path, measure(site, path), Console())
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
