"""Where a number comes from: the same box by pointer, keyboard and finger; never in the way."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .waiting import drawn

pytestmark = pytest.mark.browser
CHAPTER = "01-chapter/index.html"
FLOPS = ".bk-shown[data-key='gemm.flops']"


def box(page: Page) -> Locator:
    return page.locator("#bk-hint-box")


@pytest.fixture
def chapter(open_page, tiny) -> Page:
    return open_page(tiny.url(CHAPTER))


def settle(page: Page) -> None:
    """Wait until smooth scrolling has ended, and the box has followed."""
    drawn(page)
    page.evaluate(
        """() => new Promise((done) => {
          let last = -1;
          const look = () => {
            if (scrollY === last) return done();
            last = scrollY;
            setTimeout(look, 50);
          };
          look();
        })"""
    )
    drawn(page)


def overlap(page: Page, trigger: Locator) -> float:
    one, other = trigger.bounding_box(), box(page).bounding_box()
    assert one is not None
    assert other is not None
    width = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    height = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return max(0.0, width) * max(0.0, height)


def test_a_number_says_formula_values_unit_and_ledger_line(chapter: Page) -> None:
    chapter.locator(FLOPS).first.hover()
    hint = box(chapter)
    expect(hint).to_be_visible()
    expect(hint.locator("math").first).to_have_text("2MNK")
    for text in ("gemm.flops", "137,438,953,472", "FLOP", "rows of A", "edge", "gemm(", "4,096"):
        expect(hint).to_contain_text(text)
    chapter.mouse.move(5, 5)
    expect(hint).to_be_hidden()
    chapter.locator(".bk-shown[data-key='pairs']").hover()
    link = hint.get_by_role("link", name="counting/__init__.py:")
    address = link.get_attribute("href") or ""
    assert address.startswith("../code/counting/__init__.py.html#L")
    link.click()
    line = chapter.locator(":target")
    expect(line).to_have_attribute("id", address.rpartition("#")[2])
    expect(line).to_be_in_viewport()


def test_facts_verdicts_and_sources_use_the_same_box(chapter: Page) -> None:
    for selector, texts in {
        ".bk-shown[data-role='fact']": ["h200.spec.bandwidth", "vendor specification", "pinned"],
        ".bk-verdict[data-claim='gemm.longer']": ["gemm.bound", "norm.bound", "machine"],
        ".bk-source": ["F-H200-mix", "evidence"],
    }.items():
        chapter.mouse.move(5, 5)
        expect(box(chapter)).to_be_hidden()
        chapter.locator(selector).first.hover()
        for text in texts:
            expect(box(chapter)).to_contain_text(text)


def test_a_number_of_a_machine_brings_its_facts(chapter: Page) -> None:
    chapter.locator(".bk-shown[data-key='gemm.bound']").first.hover()
    expect(box(chapter)).to_contain_text("h200.spec.bandwidth")
    expect(box(chapter)).to_contain_text("conditions")


def test_data_comes_on_first_need_only(chapter: Page, log) -> None:
    def fetched() -> list[str]:
        return [url for url in log.requests if url.endswith("01-chapter-index.json")]

    assert fetched() == []
    chapter.locator(FLOPS).first.hover()
    expect(box(chapter)).to_be_visible()
    chapter.locator(".bk-verdict").first.hover()
    expect(box(chapter)).to_contain_text("gemm.compute-bound")
    assert len(fetched()) == 1


def test_no_title_is_left_and_screen_readers_have_a_description(chapter: Page) -> None:
    expect(chapter.locator("[data-said]").first).to_be_attached()
    assert chapter.locator(".bk-shown[title], .bk-verdict[title], .bk-source[title]").count() == 0
    for shown in chapter.locator("article [data-said]").all():
        described = shown.get_attribute("aria-description") or ""
        named = shown.get_attribute("aria-describedby")
        if named:
            described = chapter.locator(f"#{named}").text_content() or ""
        assert described.strip()
    number = chapter.locator(FLOPS).first
    number.focus()
    expect(box(chapter)).to_be_visible()
    assert "2MNK" in (number.get_attribute("aria-description") or "").replace(" ", "")


def test_keyboard_opens_enters_and_leaves(chapter: Page) -> None:
    number = chapter.locator(FLOPS).first
    number.focus()
    expect(box(chapter)).to_be_visible()
    chapter.keyboard.press("Enter")
    expect(box(chapter)).to_be_focused()
    chapter.keyboard.press("Tab")
    expect(box(chapter).get_by_role("button", name="Close")).to_be_focused()
    chapter.keyboard.press("Escape")
    expect(box(chapter)).to_be_hidden()
    expect(number).to_be_focused()
    chapter.keyboard.press("Tab")
    expect(chapter.locator(".bk-shown[data-key='gemm.bytes']").first).to_be_focused()
    expect(box(chapter)).to_contain_text("gemm.bytes")


def test_tab_out_of_the_box_goes_on_in_the_text(chapter: Page) -> None:
    chapter.locator(FLOPS).first.focus()
    expect(box(chapter)).to_be_visible()
    chapter.keyboard.press("Enter")
    stops = box(chapter).locator("a[href], button").count()
    for _ in range(stops + 1):
        chapter.keyboard.press("Tab")
    expect(chapter.locator(".bk-shown[data-key='gemm.bytes']").first).to_be_focused()


def test_escape_and_leaving_close_it_and_the_box_can_be_entered(chapter: Page) -> None:
    number = chapter.locator(FLOPS).first
    number.hover()
    expect(box(chapter)).to_be_visible()
    box(chapter).hover()
    chapter.wait_for_timeout(400)
    expect(box(chapter)).to_be_visible()
    chapter.keyboard.press("Escape")
    expect(box(chapter)).to_be_hidden()
    number.hover(position={"x": 4, "y": 4})
    expect(box(chapter)).to_be_visible()
    chapter.mouse.move(5, 5)
    expect(box(chapter)).to_be_hidden()


def test_a_click_pins_it_and_a_click_elsewhere_closes_it(chapter: Page) -> None:
    chapter.locator(FLOPS).first.click()
    expect(box(chapter)).to_be_visible()
    chapter.mouse.move(5, 5)
    chapter.wait_for_timeout(400)
    expect(box(chapter)).to_be_visible()
    box(chapter).get_by_role("button", name="Close").click()
    expect(box(chapter)).to_be_hidden()
    chapter.locator(FLOPS).first.click()
    expect(box(chapter)).to_be_visible()
    chapter.locator("h1").click()
    expect(box(chapter)).to_be_hidden()


@pytest.mark.parametrize("size", [(1280, 900), (390, 844), (1280, 320)])
def test_it_never_covers_what_it_explains(chapter: Page, size: tuple[int, int]) -> None:
    chapter.set_viewport_size({"width": size[0], "height": size[1]})
    for trigger in chapter.locator("article [data-said][tabindex]").all()[::3]:
        trigger.focus()
        settle(chapter)
        key = trigger.get_attribute("data-key") or trigger.get_attribute("data-claim") or ""
        expect(box(chapter)).to_contain_text(key)
        assert overlap(chapter, trigger) == 0, key
        place = box(chapter).bounding_box()
        assert place is not None
        assert place["x"] >= 0
        assert place["x"] + place["width"] <= size[0]
        assert place["y"] >= 0
        assert place["y"] + place["height"] <= size[1]


def test_it_moves_along_when_the_page_scrolls(chapter: Page) -> None:
    number = chapter.locator(FLOPS).first
    number.focus()
    expect(box(chapter)).to_be_visible()
    before = box(chapter).bounding_box()
    chapter.evaluate("scrollBy(0, 80)")
    settle(chapter)
    after = box(chapter).bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] != before["y"]
    assert overlap(chapter, number) == 0


def test_headings_hold_no_hints(chapter: Page) -> None:
    assert chapter.locator(":is(h1,h2,h3,h4,h5,h6,.toc-tree) [data-said]").count() == 0


def test_numbers_inside_a_verdict_are_one_stop(chapter: Page) -> None:
    inner = chapter.locator(".bk-verdict .bk-shown")
    assert inner.count() >= 1
    assert all(one.get_attribute("tabindex") is None for one in inner.all())


def test_a_finger_opens_it_and_a_link_shows_its_hint_first(browser: Browser, tiny, log) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    log.watch(page)
    page.goto(tiny.url(CHAPTER))
    page.wait_for_selector("[data-said]")
    page.locator(FLOPS).first.tap()
    expect(box(page)).to_contain_text("gemm.flops")
    box(page).get_by_role("button", name="Close").tap()
    expect(box(page)).to_be_hidden()
    page.locator(".bk-source").first.tap()
    expect(box(page)).to_contain_text("F-H200-mix")
    assert page.url == tiny.url(CHAPTER)
    context.close()
    log.check()


def test_when_the_data_is_missing_the_short_text_is_shown(chapter: Page, log) -> None:
    log.allowed += ["ERR_FAILED", ".json"]
    chapter.route("**/*.json", lambda route: route.abort())
    chapter.locator(FLOPS).first.hover()
    expect(box(chapter)).to_contain_text("could not be loaded")
    expect(box(chapter)).to_contain_text("gemm(")


def test_an_error_can_be_reported_with_key_and_value(chapter: Page) -> None:
    chapter.locator(FLOPS).first.hover()
    link = box(chapter).get_by_role("link", name="report an error in this")
    address = link.get_attribute("href") or ""
    assert address.startswith("https://code.example/owner/book/issues/new?template=error.yml")
    for part in ("page=01-chapter%2Findex", "key=gemm.flops", "shown=137.4"):
        assert part in address


def test_without_scripts_the_title_says_it(browser: Browser, tiny) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(tiny.url(CHAPTER))
    number = page.locator(FLOPS).first
    expect(number).to_have_text("137.4\u202fGFLOP")
    assert "gemm(" in (number.get_attribute("title") or "")
    expect(page.locator(".bk-param").first).to_have_text("4,096\u202felements")
    assert page.locator(".bk-whatif").count() == 0
    context.close()
