"""Built pages, a server for them, and a headless Chromium to read them with."""

from __future__ import annotations

import contextlib
import functools
import html
import http.server
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request

from bookcode.translation.editions import LANGUAGES, SOURCE
from bookcode.verify.builds import Build, Layout, build, build_all

ROOT = Path(__file__).parents[2]
SOURCES = Path(__file__).with_name("book")
POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
DATE = "1764460800"


# pages -------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Site:
    """A built edition of a book that is being served."""

    address: str
    built: Build
    folder: Path

    def url(self, path: str) -> str:
        """The address of a page of the edition."""
        return f"{self.address}/{self.built.edition}/{path}"

    @property
    def fullest(self) -> str:
        """The path of the page that shows most."""
        pages = self.built.exported["pages"]
        return max(pages, key=lambda name: len(pages[name]["uses"])) + ".html"

    @property
    def pages(self) -> list[str]:
        """The paths of all pages of the edition."""
        edition = self.folder / self.built.edition
        return sorted(p.relative_to(edition).as_posix() for p in edition.rglob("*.html"))


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files; every page has its own policy as a header, as a careful host would do it."""

    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix == ".html" and path.is_file():
            found = POLICY.search(path.read_text("utf-8"))
            if found:
                policy = f"{html.unescape(found[1])}; frame-ancestors 'none'"
                self.send_header("Content-Security-Policy", policy)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a test's output is for its failures."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; gives the address without a slash at its end."""
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def tiny_book(folder: Path) -> Path:
    """The sources of the tiny book, with the project's own references."""
    book = folder / "book"
    for source, target in {
        "index": "index",
        "changes": "changes",
        "chapter": "01-chapter/index",
        "other": "02-other/index",
    }.items():
        (book / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(SOURCES / f"{source}.md", book / f"{target}.md")
    shutil.copyfile(SOURCES / "conf.txt", folder / "conf.py")
    (folder / "counting").mkdir()
    shutil.copyfile(SOURCES / "ledger.txt", folder / "counting" / "__init__.py")
    shutil.copytree(ROOT / "references", folder / "references")
    numbers = folder / "references" / "numbers"
    numbers.mkdir(exist_ok=True)
    shutil.copyfile(SOURCES / "changes.toml", numbers / "changes.toml")
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The tiny book, built and served."""
    folder = tiny_book(tmp_path_factory.mktemp("tiny"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", DATE)
        layout = Layout(folder, folder / "_build")
        built = build(layout, "en", clean=False, jobs="1")
    with serving(layout.site) as address:
        yield Site(address, built, layout.site)


@pytest.fixture(scope="session")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Site]]:
    """The book itself, built and served, in all languages."""
    layout = Layout(ROOT, tmp_path_factory.mktemp("real"))
    builds = build_all(layout, list(LANGUAGES), clean=False)
    with serving(layout.site) as address:
        yield {built.edition: Site(address, built, layout.site) for built in builds}


@pytest.fixture
def real(editions: dict[str, Site]) -> Site:
    """The book itself in English."""
    return editions[SOURCE]


@pytest.fixture(params=LANGUAGES)
def edition(editions: dict[str, Site], request: pytest.FixtureRequest) -> Site:
    """Each edition of the book."""
    return editions[request.param]


# the browser -------------------------------------------------------------------------------------
@dataclass
class Log:
    """What went wrong on a page, and where it went for files."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Listen to a page from now on."""
        page.on("console", lambda m: m.type in ("error", "warning") and self.errors.append(m.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", self._failed)

    def _failed(self, request: Request) -> None:
        # Going to the next page ends what the last one was still loading; that is no error.
        if "ERR_ABORTED" not in (request.failure or ""):
            self.errors.append(f"{request.url}: {request.failure}")

    def check(self) -> None:
        """No error on the console, and no request to another host."""
        left = [e for e in self.errors if not any(text in e for text in self.allowed)]
        assert left == []
        assert {urlsplit(url).hostname for url in self.requests} <= {"127.0.0.1", None}


Open = Callable[..., Page]


@pytest.fixture
def log() -> Log:
    """What the test's pages logged; a test allows what it provokes."""
    return Log()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    made.set_default_timeout(8000)
    yield made
    made.close()


@pytest.fixture
def open_page(context: BrowserContext, log: Log) -> Iterator[Open]:
    """Opens a page; at the end of the test nothing may be on its console."""

    def open_(url: str) -> Page:
        page = context.new_page()
        log.watch(page)
        page.goto(url)
        page.wait_for_load_state("load")
        return page

    yield open_
    log.check()
