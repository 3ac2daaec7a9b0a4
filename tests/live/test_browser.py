"""The page in a real browser: it reloads in its place and shows what is wrong, under its policy."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from .conftest import SmallBook
from .test_commands import Live

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LONG = "\n\n".join(f"({i})=\n## Section {i}\n\n{'Some words of it. ' * 60}" for i in "abcdefghij")
PANEL = "#bookcode-live-problems aside"


@pytest.fixture
def long_book(book: SmallBook) -> SmallBook:
    book.write("book/two.md", f"# Two\n\n(target)=\n## First\n\nWords: some.\n\n{LONG}\n")
    return book


@pytest.fixture
def live(long_book: SmallBook) -> Iterator[Live]:
    made = Live(long_book.root)
    made.line(r"^read ")
    yield made
    made.end()


@pytest.fixture
def page(live: Live, browser: Browser) -> Iterator[Page]:
    made = browser.new_page(viewport={"width": 800, "height": 600})
    made.set_default_timeout(30_000)
    refused: list[str] = []
    made.on("console", lambda m: refused.append(m.text) if m.type == "error" else None)
    made.goto(f"{live.address}two.html")
    yield made
    assert refused == []
    made.close()


def top_of(page: Page, element: str) -> float:
    top: float = page.eval_on_selector(element, "e => e.getBoundingClientRect().top")
    return top


def wait_for_title(page: Page, words: str) -> None:
    """As the page's policy allows it: playwright's own waiting evaluates a string."""
    deadline = time.monotonic() + 60
    while words not in page.title():
        assert time.monotonic() < deadline, page.title()
        page.wait_for_timeout(50)


def test_it_reloads_and_the_reader_stays_where_he_was(page: Page, long_book: SmallBook) -> None:
    page.eval_on_selector("#section-f", "e => window.scrollTo(0, e.offsetTop + 40)")
    before = top_of(page, "#section-f")
    assert abs(before) < 300
    long_book.replace("book/two.md", "Words: some.", "Words: " + "many more of them. " * 200)
    page.get_by_text("many more of them.").first.wait_for()
    page.wait_for_load_state("load")  # the text may be there before the rest of the page is
    page.locator("#section-f").wait_for(state="attached")
    page.wait_for_timeout(300)
    assert abs(top_of(page, "#section-f") - before) <= 2


def test_another_page_does_not_reload_this_one(
    page: Page, live: Live, long_book: SmallBook
) -> None:
    page.evaluate("window.untouched = true")
    long_book.replace("book/index.md", "Words: some.", "Words: others.")
    live.line(r"^read ")
    page.wait_for_timeout(300)
    assert page.evaluate("window.untouched") is True


def test_what_is_wrong_stands_in_the_page_until_it_is_put_right(
    page: Page, long_book: SmallBook
) -> None:
    long_book.replace("book/two.md", "Words: some.", "Words: {num}`one.prodct:int`.")
    panel = page.locator(PANEL)
    panel.wait_for()
    text = panel.inner_text()
    assert "1 error: this is the last good page" in text
    assert "book/two.md:6" in text
    assert "one.product" in text
    assert "Words: some." in page.locator("body").inner_text()
    long_book.replace("book/two.md", "Words: {num}`one.prodct:int`.", "Words: again.")
    page.get_by_text("Words: again.").first.wait_for()
    page.locator(PANEL).wait_for(state="detached")


def test_it_can_be_dismissed_and_comes_back_for_something_else(
    page: Page, long_book: SmallBook
) -> None:
    long_book.replace("book/two.md", "Words: some.", "Words: {num}`one.prodct:int`.")
    page.locator(PANEL).wait_for()
    page.locator(f"{PANEL} button").click()
    assert page.locator(PANEL).count() == 0
    long_book.replace("book/two.md", "one.prodct", "one.produkt")
    page.locator(PANEL).wait_for()
    page.keyboard.press("Escape")
    assert page.locator(PANEL).count() == 0


def test_a_builder_that_cannot_start_is_told_too(
    page: Page, live: Live, long_book: SmallBook
) -> None:
    long_book.replace("conf.py", 'html_title = "Tally"', 'html_title = ("Tally"')
    panel = page.locator(PANEL)
    panel.get_by_text("conf.py").first.wait_for()
    assert "this is the last good page" in panel.inner_text()
    long_book.replace("conf.py", 'html_title = ("Tally"', 'html_title = "Score"')
    wait_for_title(page, "Score")
    page.locator(PANEL).wait_for(state="detached")


def test_a_page_that_waits_for_the_first_build_comes_by_itself(
    long_book: SmallBook, browser: Browser
) -> None:
    live = Live(long_book.root)
    page = browser.new_page()
    try:
        page.goto(f"{live.address}two.html")
        wait_for_title(page, "Two")
    finally:
        page.close()
        live.end()
