"""The switch between editions, and the page above them, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polib
import pytest
from playwright.sync_api import Browser, Page, expect

from bookcode.translation.book import update_catalogues
from bookcode.translation.extraction import messages_of
from bookcode.verify.builds import Layout, build, build_all

from .conftest import DATE, serving, tiny_book

pytestmark = pytest.mark.browser
CHAPTER = "01-chapter/index.html"
SETTINGS = """
locale_dirs = ["locale"]
gettext_compact = False
html_baseurl = ""
bookcode_editions = {"en": "en", "zh-cn": "zh_CN"}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tiny book in two editions; the Chinese one repeats the English words."""
    root = tiny_book(tmp_path_factory.mktemp("editions"))
    conf = root / "conf.py"
    conf.write_text(conf.read_text("utf-8") + SETTINGS, "utf-8")
    layout = Layout(root, root / "_build")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", DATE)
        english = build(layout, "en", clean=False, jobs="1")
        update_catalogues(root, "zh_CN", messages_of(english.exported))
        for path in (root / "book/locale").rglob("*.po"):
            repeat(path)
        builds = build_all(layout, ["en", "zh-cn"], clean=True)
    assert [(one.edition, one.problems) for one in builds] == [("en", ()), ("zh-cn", ())]
    with serving(layout.site) as address:
        yield address


def repeat(path: Path) -> None:
    """Translate every message by itself."""
    catalogue = polib.pofile(str(path))
    for entry in catalogue:
        entry.msgstr = entry.msgid
    catalogue.save()


def switch(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_load_state("load")


def test_the_switch_keeps_page_place_and_parameters(site: str, open_page) -> None:
    page = open_page(f"{site}/en/{CHAPTER}?with.edge=512#a-chapter")
    shown = page.locator('.bk-shown[data-key="gemm.flops"]').first
    expect(shown).to_contain_text("268.4")
    switch(page, "简体中文")
    assert page.url == f"{site}/zh-cn/{CHAPTER}?with.edge=512#a-chapter"
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    expect(page.locator('.bk-shown[data-key="gemm.flops"]').first).to_contain_text("268.4")
    switch(page, "English")
    assert page.url == f"{site}/en/{CHAPTER}?with.edge=512#a-chapter"


def test_what_is_set_on_the_page_goes_along(site: str, open_page) -> None:
    page = open_page(f"{site}/en/{CHAPTER}")
    page.evaluate("() => history.replaceState(null, '', '?with.edge=1024#a-chapter')")
    switch(page, "简体中文")
    assert page.url == f"{site}/zh-cn/{CHAPTER}?with.edge=1024#a-chapter"


def test_a_query_of_the_search_goes_along(site: str, open_page) -> None:
    page = open_page(f"{site}/en/search.html?q=product")
    switch(page, "简体中文")
    assert page.url.startswith(f"{site}/zh-cn/search.html?q=product")
    expect(page.locator("#search-results li").first).to_be_visible()


def test_the_keyboard_reaches_the_switch(site: str, open_page) -> None:
    page = open_page(f"{site}/en/index.html?with.edge=512")
    page.get_by_role("link", name="简体中文", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/zh-cn/index.html?with.edge=512")


def test_the_switch_is_a_plain_link_without_scripts(site: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/en/{CHAPTER}")
    switch(page, "简体中文")
    assert page.url == f"{site}/zh-cn/{CHAPTER}"
    page.goto(f"{site}/")
    page.wait_for_url(f"{site}/en/index.html")
    context.close()


@pytest.mark.parametrize(
    ("locale", "edition"),
    [("zh-CN", "zh-cn"), ("zh-TW", "zh-cn"), ("en-GB", "en"), ("fr-FR", "en")],
)
def test_the_root_goes_by_the_browsers_language(
    site: str, browser: Browser, log, locale: str, edition: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    log.watch(page)
    page.goto(f"{site}/#start")
    page.wait_for_url(f"{site}/{edition}/index.html#start")
    context.close()
    log.check()


def test_the_root_remembers_the_choice(site: str, browser: Browser) -> None:
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(f"{site}/")
    page.wait_for_url(f"{site}/zh-cn/index.html")
    switch(page, "English")
    assert page.url == f"{site}/en/index.html"
    page.goto(f"{site}/")
    page.wait_for_url(f"{site}/en/index.html")
    context.close()


def test_the_root_is_no_trap_for_going_back(site: str, open_page) -> None:
    page = open_page(f"{site}/en/{CHAPTER}")
    page.goto(f"{site}/")
    page.wait_for_url(f"{site}/en/index.html")
    page.go_back()
    page.wait_for_url(f"{site}/en/{CHAPTER}")
