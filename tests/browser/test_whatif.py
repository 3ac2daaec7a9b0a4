"""What if: parameters in the text and in the panel, and everything that follows them."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.browser
CHAPTER = "01-chapter/index.html"
FLOPS = "p .bk-shown[data-key='gemm.flops']"
BOUND = "p .bk-shown[data-key='gemm.bound']"
FRAME = 50
"""Milliseconds in which the whole page has to follow."""


@pytest.fixture
def chapter(open_page, tiny) -> Page:
    return open_page(tiny.url(CHAPTER))


def opened(page: Page) -> Locator:
    page.get_by_role("button", name="What if …").click()
    content = page.locator("#bk-whatif-content")
    expect(content).to_be_visible()
    return content


def edge(page: Page) -> Locator:
    """The parameter in the text, awake."""
    control = page.locator(".bk-param[data-param='edge']")
    control.focus()
    expect(control).to_have_attribute("role", "spinbutton")
    return control


# controls in the text ----------------------------------------------------------------------------
def test_arrow_keys_change_the_number_and_the_sentence_follows(chapter: Page) -> None:
    control = edge(chapter)
    expect(control).to_be_focused()
    expect(chapter.locator(FLOPS).first).to_have_text("137.4\u202fGFLOP")
    chapter.keyboard.press("ArrowUp")
    expect(control).to_have_text("4,160\u202felements")
    expect(control).to_have_attribute("aria-valuenow", "4160")
    expect(chapter.locator(FLOPS).first).to_have_text("144.0\u202fGFLOP")
    for key, text in {
        "ArrowLeft": "4,096",
        "ArrowRight": "4,160",
        "PageUp": "8,320",
        "Home": "64",
        "End": "16,384",
        "ArrowDown": "16,320",
        "PageDown": "8,192",
    }.items():
        chapter.keyboard.press(key)
        expect(control).to_have_text(f"{text}\u202felements")


@pytest.mark.parametrize(
    ("text", "stays", "said"),
    [
        ("12k", True, ("not taken", "“12k” is not a whole number")),
        ("999999999", False, ("the nearest is taken", "999999999 is out of range")),
    ],
)
def test_what_cannot_be_taken_as_typed_is_told(
    chapter: Page, text: str, stays: bool, said: tuple[str, str]
) -> None:
    place = edge(chapter)
    before = place.inner_text()
    chapter.keyboard.press("Enter")
    place.locator("input").fill(text)
    chapter.keyboard.press("Enter")
    message = chapter.get_by_role("alert")
    for words in said:
        expect(message).to_contain_text(words)
    if stays:
        expect(place).to_have_text(before)
    else:
        expect(place).not_to_have_text(before)
    message.get_by_role("button", name="Dismiss").click()
    expect(message).to_be_empty()


def test_typing_takes_the_nearest_allowed_value_and_escape_leaves_it(chapter: Page) -> None:
    control = edge(chapter)
    chapter.keyboard.type("1,000")
    chapter.keyboard.press("Enter")
    expect(control).to_have_text("1,024\u202felements")
    expect(control).to_be_focused()
    chapter.keyboard.press("Enter")
    field = control.locator("input")
    expect(field).to_have_value("1024")
    field.fill("2048")
    chapter.keyboard.press("Escape")
    expect(control).to_have_text("1,024\u202felements")
    for text, shown in {"99999999": "16,384", "0": "64", "1e3": "64", "<b>": "64"}.items():
        chapter.keyboard.press("Enter")
        control.locator("input").fill(text)
        chapter.keyboard.press("Enter")
        expect(control).to_have_text(f"{shown}\u202felements")


def test_dragging_changes_it(chapter: Page) -> None:
    control = edge(chapter)
    place = control.bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    chapter.mouse.move(x, y)
    chapter.mouse.down()
    chapter.mouse.move(x + 30, y, steps=4)
    expect(control).not_to_have_text("4,096\u202felements")
    now = int(control.get_attribute("aria-valuenow") or 0)
    assert 4096 < now < 16384
    chapter.mouse.move(x + 900, y, steps=4)
    expect(control).to_have_attribute("aria-valuenow", "16384")
    chapter.mouse.move(x - 900, y, steps=4)
    chapter.mouse.up()
    expect(control).to_have_attribute("aria-valuenow", "64")
    chapter.mouse.move(x + 100, y)
    expect(control).to_have_attribute("aria-valuenow", "64")


def test_a_choice_in_the_text_is_a_list(chapter: Page) -> None:
    place = chapter.locator(".bk-param[data-param='machine']")
    expect(place).to_have_text("H200 SXM, vendor specification")
    place.hover()
    choice = place.locator("select")
    choice.select_option("a100")
    expect(chapter.locator(BOUND).first).to_have_text("440.5\u202fµs")


# what follows -------------------------------------------------------------------------------------
def test_tables_words_captions_and_cells_follow(chapter: Page) -> None:
    edge(chapter)
    chapter.keyboard.press("Home")
    table = chapter.locator("table.bk-table").first
    expect(table.locator("[data-key='gemm.regime']")).to_have_text("memory-bound")
    expect(table.locator("[data-key='norm.regime']")).to_have_text("memory-bound")
    expect(table.locator("[data-key='norm.regime']")).not_to_have_class(re.compile("bk-changed"))
    expect(chapter.locator("figcaption [data-key='gemm.flops']")).to_have_text("524\u202fkFLOP")
    chapter.locator("summary", has_text="Show").first.click()
    row = chapter.locator("table.bookcode-published tr", has_text="gemm.flops")
    expect(row.locator("td").nth(1)).to_have_text("524.3\u202fkFLOP")
    claim = chapter.locator("table.bookcode-published tr", has_text="gemm.longer")
    expect(claim.locator("td").nth(1)).to_have_text("DOES NOT HOLD")


def test_a_broken_verdict_is_marked_with_what_breaks_it(chapter: Page) -> None:
    verdict = chapter.locator(".bk-verdict[data-claim='gemm.longer']")
    expect(verdict).to_have_text("longer than the norm")
    edge(chapter)
    chapter.keyboard.press("Home")
    expect(verdict).to_have_class(re.compile("bk-broken"))
    expect(verdict).to_contain_text("longer than the norm")
    expect(verdict).to_contain_text("no longer: gemm.bound = ")
    expect(verdict).to_contain_text("norm.bound = ")
    expect(chapter.locator(".bk-whatif-status")).to_contain_text("2 verdicts no longer hold")
    chapter.keyboard.press("End")
    expect(verdict).not_to_have_class(re.compile("bk-broken"))
    expect(verdict).to_have_text("longer than the norm")


def test_numbers_inside_a_verdict_follow(chapter: Page) -> None:
    edge(chapter)
    chapter.keyboard.press("ArrowUp")
    busy = chapter.locator(".bk-verdict", has_text="busy with")
    expect(busy.locator(".bk-shown")).to_have_text("140\u202fGFLOP")
    chapter.keyboard.press("End")
    expect(busy.locator(".bk-shown")).to_have_text("8.8\u202fTFLOP")


def test_a_changed_number_is_marked_and_its_hint_has_the_books(chapter: Page) -> None:
    edge(chapter)
    chapter.keyboard.press("ArrowUp")
    number = chapter.locator(FLOPS).first
    expect(number).to_have_class(re.compile("bk-changed"))
    number.hover()
    hint = chapter.locator("#bk-hint-box")
    expect(hint).to_contain_text("with your parameters")
    expect(hint).to_contain_text("144.0\u202fGFLOP")
    expect(hint).to_contain_text("137.4\u202fGFLOP")


def test_formulas_with_values_say_that_they_keep_the_books(chapter: Page) -> None:
    note = chapter.locator(".bk-stale-note")
    assert note.count() == 0
    edge(chapter)
    chapter.keyboard.press("ArrowUp")
    expect(note).to_have_text("with the book's values")
    expect(chapter.locator(".bk-math-block.bk-stale")).to_have_count(1)
    chapter.keyboard.press("ArrowDown")
    expect(note).to_have_count(0)


def mark_centre(page: Page, name: str) -> dict[str, float]:
    place: dict[str, float] = page.evaluate(
        """(name) => {
          const mark = document.getElementById(`fig-roofs-mark-${name}`);
          const use = mark.querySelector("use");
          const at = new DOMPoint(+use.getAttribute("x"), +use.getAttribute("y"));
          const moved = at.matrixTransform(mark.transform.baseVal.consolidate()?.matrix);
          return {x: moved.x, y: moved.y};
        }""",
        name,
    )
    return place


def test_marks_move_to_where_the_drawing_would_have_put_them(chapter: Page) -> None:
    book, norm = mark_centre(chapter, "gemm"), mark_centre(chapter, "norm")
    image = chapter.locator(".bk-figure")
    expect(image).to_have_attribute("aria-label", re.compile("the product at 1370"))
    control = edge(chapter)
    chapter.keyboard.type("384")  # intensity 128, below the ridge: on the slope, like the norm
    chapter.keyboard.press("Enter")
    expect(control).to_have_attribute("aria-valuenow", "384")
    now = mark_centre(chapter, "gemm")
    assert now["x"] < book["x"]
    assert now["y"] > book["y"]  # y grows downwards
    # Both on the slope, whose steepness the flat roof and the scale of the axes tell: 1 decade
    # of intensity is 1 decade of rate. The ridge is at 206.1 FLOP/B.
    decades = [(128 / 2.0), (4096 / 3) / 128]
    per_decade_x = (book["x"] - now["x"]) / math.log10(decades[1])
    assert abs((now["x"] - norm["x"]) - per_decade_x * math.log10(decades[0])) < 0.1
    assert mark_centre(chapter, "norm") == norm
    expect(image).to_have_attribute("aria-label", re.compile("the product at 128"))
    chapter.get_by_role("button", name="Back to the book's values").click()
    expect(image).to_have_attribute("aria-label", re.compile("the product at 1370"))
    assert mark_centre(chapter, "gemm") == book


def test_a_spec_that_does_not_fit_another_value_still_shows_it(chapter: Page) -> None:
    edge(chapter)
    chapter.keyboard.press("Home")
    expect(chapter.locator("[data-key='gemm.edge']")).to_have_text("64")
    expect(chapter.locator("[data-key='gemm.per-norm']")).to_have_text("0.00018×")


# no fact ------------------------------------------------------------------------------------------
def test_options_without_a_fact_are_not_offered(chapter: Page) -> None:
    content = opened(chapter)
    machine = content.get_by_label("machine")
    expect(machine.locator("option[value='h100']")).to_be_enabled()
    missing = content.get_by_label("dtype").locator("option[value='fp4']")
    expect(missing).to_be_disabled()
    expect(missing).to_contain_text("no fact")


def test_a_combination_without_a_fact_is_shown_as_such(open_page, tiny) -> None:
    page = open_page(tiny.url(f"{CHAPTER}?with.dtype=fp4"))
    number = page.locator(BOUND).first
    expect(number).to_have_text("no fact")
    expect(number).to_have_class(re.compile("bk-nofact"))
    verdict = page.locator(".bk-verdict[data-claim='gemm.longer']")
    expect(verdict).to_contain_text("no fact to judge by")
    expect(verdict).not_to_have_class(re.compile("bk-broken"))
    expect(page.locator("#bk-hint-box")).to_be_hidden()


# panel, presets, address --------------------------------------------------------------------------
def test_the_panel_holds_all_parameters_and_presets(chapter: Page) -> None:
    content = opened(chapter)
    assert content.locator(".bk-whatif-name").all_inner_texts() == ["machine", "dtype", "edge"]
    content.get_by_role("button", name="An H100").click()
    expect(content.get_by_label("machine")).to_have_value("h100")
    expect(content.get_by_label("edge (elements)")).to_have_value("1024")
    expect(chapter).to_have_url(re.compile(r"\?with\.machine=h100&with\.edge=1024$"))
    content.get_by_role("button", name="A small one").click()
    expect(content.get_by_label("machine")).to_have_value("h200-spec")
    expect(chapter).to_have_url(re.compile(r"\?with\.edge=512$"))


def test_slider_and_field_set_the_parameter(chapter: Page) -> None:
    content = opened(chapter)
    field, slider = (
        content.get_by_label("edge (elements)"),
        content.get_by_label("edge", exact=True),
    )
    field.fill("2000")
    field.press("Enter")
    expect(field).to_have_value("1984")
    expect(chapter.locator(".bk-param[data-param='edge']")).to_have_text("1,984\u202felements")
    slider.focus()
    chapter.keyboard.press("End")
    expect(field).to_have_value("16384")
    field.fill("many")
    field.press("Enter")
    expect(field).to_have_value("16384")


def test_the_state_is_in_the_address_and_one_click_resets_it(open_page, tiny, context) -> None:
    page = open_page(tiny.url(f"{CHAPTER}?utm=1#a-chapter"))
    edge(page)
    page.keyboard.press("End")
    expect(page).to_have_url(re.compile(r"\?utm=1&with\.edge=16384#a-chapter$"))
    again = open_page(page.url)
    expect(again.locator(FLOPS).first).to_have_text("8.796\u202fTFLOP")
    expect(again.locator(".bk-whatif-status")).to_contain_text("numbers changed")
    again.get_by_role("button", name="Back to the book's values").click()
    expect(again.locator(FLOPS).first).to_have_text("137.4\u202fGFLOP")
    expect(again).to_have_url(re.compile(r"\?utm=1#a-chapter$"))
    assert again.locator(".bk-changed").count() == 0
    expect(again.get_by_role("button", name="Back to the book's values")).to_be_hidden()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("with.edge=63", "edge = 63 is out of range: from 64"),
        ("with.edge=65", "in steps of 64"),
        ("with.edge=99999999999999999999", "is not a whole number"),
        ("with.edge=-64", "is not a whole number"),
        ("with.edge=1e3", "“1e3” is not a whole number"),
        ("with.edge=", "is not a whole number"),
        ("with.edge=128&with.edge=256", "edge is given more than once"),
        ("with.machine=h1000", "“h1000” is not on offer"),
        ("with.machine=constructor", "“constructor” is not on offer"),
        ("with.nothing=1", "no parameter “nothing”"),
        ("with.__proto__=1", "no parameter “__proto__”"),
        ("with.edge=128&with.machine=<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("with.machine=%00%ff", "is not on offer"),
    ],
)
def test_nonsense_in_the_address_is_refused_and_the_page_stays(
    open_page, tiny, query: str, reason: str
) -> None:
    page = open_page(tiny.url(f"{CHAPTER}?{query}"))
    message = page.get_by_role("alert")
    expect(message).to_contain_text(reason)
    expect(message).to_contain_text("stays on the book's values")
    expect(page.locator(FLOPS).first).to_have_text("137.4\u202fGFLOP")
    assert page.locator(".bk-changed, .bk-broken").count() == 0
    assert page.locator(".bk-refused script").count() == 0
    message.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".bk-refused")).to_be_empty()


def test_a_page_without_parameters_follows_too(open_page, tiny) -> None:
    page = open_page(tiny.url("index.html"))
    content = opened(page)
    assert content.locator(".bk-whatif-name").all_inner_texts() == ["machine", "dtype", "edge"]
    content.get_by_label("machine").select_option("a100")
    expect(page.locator(".bk-shown[data-key='gemm.bound']")).to_have_text("440.5\u202fµs")


def test_numbers_of_another_page_with_other_parameters_stay_and_say_so(open_page, tiny) -> None:
    page = open_page(tiny.url("02-other/index.html"))
    foreign = page.locator(".bk-shown[data-key='gemm.bound']")
    book = foreign.inner_text()
    content = opened(page)
    expect(content).to_contain_text("One number on this page stays at the book's value.")
    content.get_by_label("edge (elements)").fill("2048")
    content.get_by_label("edge (elements)").press("Enter")
    expect(page.locator("p .bk-shown[data-key='other.bound']")).to_have_class(
        re.compile("bk-changed")
    )
    expect(foreign).to_have_text(book)


def test_the_panel_closes_with_escape_and_returns_focus(chapter: Page) -> None:
    opened(chapter).get_by_label("machine").focus()
    chapter.keyboard.press("Escape")
    expect(chapter.locator("#bk-whatif-content")).to_be_hidden()
    opener = chapter.get_by_role("button", name="What if …")
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")


def test_broken_verdicts_are_listed_and_lead_to_their_place(chapter: Page) -> None:
    content = opened(chapter)
    content.get_by_label("edge (elements)").fill("64")
    content.get_by_label("edge (elements)").press("Enter")
    row = content.locator(".bk-whatif-broken li", has_text="gemm.longer")
    expect(row.get_by_role("button")).to_have_text("longer than the norm")
    row.get_by_role("button").click()
    expect(chapter.locator(".bk-verdict[data-claim='gemm.longer']")).to_be_focused()


def test_scripts_that_fail_to_load_say_so(chapter: Page, log) -> None:
    log.allowed += ["ERR_FAILED", "Failed to fetch"]
    chapter.route("**/js/whatif.js", lambda route: route.abort())
    chapter.get_by_role("button", name="What if …").click()
    expect(chapter.get_by_role("alert")).to_contain_text("could not be loaded")


# the book itself ----------------------------------------------------------------------------------
MEASURE = """async ([name, values]) => {
  const {startWhatIf} = await import(new URL("../_static/js/whatif.js", location.href));
  const box = document.querySelector(".bk-whatif");
  const model = await startWhatIf(document, box);
  const times = [];
  for (const value of values) {
    const start = performance.now();
    model.setting = {...model.setting, [name]: value};
    model.refresh();
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def test_the_whole_chapter_follows_within_a_frame(open_page, real) -> None:
    page = open_page(real.url(real.fullest))
    values: list[Any] = [512 * n for n in (1, 2, 4, 16, 64, 256, 3, 5, 7, 11)]
    times = page.evaluate(MEASURE, ["seq_len", values])
    assert page.locator(".bk-changed").count() > 50
    assert sorted(times)[len(times) // 2] < FRAME


def test_every_option_of_the_chapter_can_be_shown(open_page, real) -> None:
    """Each one of every parameter: no error, and nothing without a fact that is on offer."""
    page = open_page(real.url(real.fullest))
    content = opened(page)
    for choice in content.locator("select").all():
        first = choice.input_value()
        offered = choice.locator("option:not([disabled])")
        for value in [one.get_attribute("value") for one in offered.all()]:
            choice.select_option(value)
            page.evaluate("() => new Promise(requestAnimationFrame)")
            assert page.locator(".bk-shown.bk-nofact").count() == 0, value
        choice.select_option(first)


def test_touch_drags_the_parameter(browser: Browser, tiny, log) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    log.watch(page)
    page.goto(tiny.url(CHAPTER))
    control = page.locator(".bk-param[data-param='edge']")
    control.tap()
    expect(control).to_have_attribute("role", "spinbutton")
    assert control.evaluate("(e) => getComputedStyle(e).touchAction") == "pan-y"
    context.close()
    log.check()
