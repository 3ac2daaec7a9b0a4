"""Exercises and self-tests: answers kept, marked, taken along; nothing lost or executed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

pytestmark = pytest.mark.browser
CHAPTER = "02-from-pytorch-to-kernel"
EXERCISES, QUESTIONS = f"{CHAPTER}/exercises.html", f"{CHAPTER}/self-test.html"
KEY = "bookcode-progress"


def ready(page: Page) -> Page:
    page.wait_for_selector("html[data-exercises='ready']")
    return page


@pytest.fixture
def exercises(open_page, real) -> Page:
    return ready(open_page(real.url(EXERCISES)))


@pytest.fixture
def questions(open_page, real) -> Page:
    return ready(open_page(real.url(QUESTIONS)))


def article(page: Page, name: str) -> Locator:
    return page.locator(f"[data-bk-exercise='{name}']")


def part(one: Locator, name: str) -> Locator:
    return one.locator(f"[data-part='{name}']")


def stored(page: Page) -> dict[str, Any]:
    text = page.evaluate(f"localStorage.getItem('{KEY}')")
    return json.loads(text) if text else {}


def number(shown: str) -> float:
    return float(re.sub(r"[^\d.]", "", shown))


def right_answer(page: Page, name: str) -> str:
    """What the page itself computes for a drawn exercise, in the unit it asks for."""
    one = article(page, name)
    key = json.loads(one.get_attribute("data-draw") or "{}")["key"]
    return part(one, "answer").locator(f".bk-shown[data-key='{key}']").first.text_content() or ""


# where things stand -------------------------------------------------------------------------------
@pytest.mark.parametrize("address", [EXERCISES, "index.html"])
def test_what_the_reader_keeps_is_offered_at_the_end_of_the_text(open_page, real, address) -> None:
    page = ready(open_page(real.url(address)))
    panel = page.locator(".bk-panel")
    expect(panel).to_have_count(1)
    assert page.locator(".bk-whatif .bk-panel").count() == 0
    assert panel.evaluate("e => e === e.closest('section[id]').lastElementChild")


# writing and comparing ----------------------------------------------------------------------------
def test_the_answer_comes_after_ones_own(exercises: Page) -> None:
    one = article(exercises, "02-e1")
    expect(part(one, "hint")).to_be_visible()
    expect(part(one, "answer")).to_be_hidden()
    expect(part(one, "mistakes")).to_be_hidden()
    one.get_by_role("button", name="Submit").click()
    expect(one.get_by_role("status").first).to_contain_text("Write an answer first")
    expect(part(one, "answer")).to_be_hidden()
    one.get_by_label("Your answer").fill("forward: arithmetic")
    one.get_by_role("button", name="Submit").click()
    expect(part(one, "answer")).to_have_attribute("open", "")
    expect(part(one, "mistakes")).to_be_visible()
    one.get_by_label("partly").check()
    assert stored(exercises)["answers"]["02-e1"]["mark"] == "partly"
    expect(one).to_have_attribute("data-state", "done")


def test_one_may_look_without_an_answer(exercises: Page) -> None:
    one = article(exercises, "02-e2")
    one.get_by_role("button", name="Show the answer without mine").click()
    expect(part(one, "answer")).to_have_attribute("open", "")
    assert stored(exercises)["answers"]["02-e2"]["mark"] is None


def test_answers_come_back(exercises: Page) -> None:
    text = "two\nlines & <b>markup</b>"
    one = article(exercises, "02-e3")
    one.get_by_label("Your answer").fill(text)
    exercises.reload()
    one = article(ready(exercises), "02-e3")
    expect(one.get_by_label("Your answer")).to_have_value(text)
    expect(part(one, "answer")).to_be_hidden()
    one.get_by_role("button", name="Submit").click()
    one.get_by_label("got it").check()
    exercises.reload()
    one = article(ready(exercises), "02-e3")
    expect(one.get_by_label("got it")).to_be_checked()
    expect(part(one, "answer")).to_be_visible()


# drawn numbers ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["02-e4", "02-e5", "02-e6", "02-e7", "02-e12", "02-e13"])
def test_drawn_numbers_are_marked(exercises: Page, name: str) -> None:
    one = article(exercises, name)
    one.get_by_role("button", name="Other numbers").click()
    field = one.locator(".bk-entry input")
    field.fill("1")
    one.get_by_role("button", name="Submit").click()
    expect(one.locator(".bk-exercise-form [role=status]")).to_contain_text("Not within")
    assert stored(exercises)["answers"][name]["mark"] == "missed"
    field.fill(right_answer(exercises, name))
    one.get_by_role("button", name="Submit").click()
    expect(one.locator(".bk-exercise-form [role=status]")).to_have_text("Right.")
    kept = stored(exercises)["answers"][name]
    assert (kept["mark"], kept["right"]) == ("got", True)


def test_a_draw_stays_until_another_is_asked_for(exercises: Page) -> None:
    one = article(exercises, "02-e7")
    shown = one.locator(".bk-exercise-question .bk-shown[data-key='e7.seq']")
    first = shown.text_content()
    exercises.reload()
    ready(exercises)
    expect(shown).to_have_text(first or "")
    for _ in range(12):
        one.get_by_role("button", name="Other numbers").click()
        if shown.text_content() != first:
            break
    assert shown.text_content() != first
    length = number(shown.text_content() or "")
    ratio = part(one, "answer").locator(".bk-shown[data-key='e7.ratio']").text_content() or ""
    assert number(ratio) == pytest.approx(1 + 1.5 * length / 128, rel=0.006)


def test_what_is_no_number_is_not_submitted(exercises: Page) -> None:
    one = article(exercises, "02-e5")
    one.locator(".bk-entry input").fill("many")
    one.get_by_role("button", name="Submit").click()
    expect(one.locator(".bk-exercise-form [role=status]")).to_contain_text("not a number")
    expect(part(one, "answer")).to_be_hidden()


def test_no_verdict_of_an_exercise_breaks_under_a_draw(exercises: Page) -> None:
    for name in ("02-e4", "02-e5", "02-e6", "02-e7", "02-e12", "02-e13"):
        for _ in range(4):
            article(exercises, name).get_by_role("button", name="Other numbers").click()
    expect(exercises.locator(".bk-undrawn")).to_have_count(0)


def test_the_page_of_exercises_offers_no_second_way_to_set_its_numbers(exercises: Page) -> None:
    expect(exercises.get_by_role("button", name="What if …")).to_have_count(0)


# self-test ----------------------------------------------------------------------------------------
def test_a_choice_is_marked_with_reasons(questions: Page) -> None:
    one = article(questions, "02-q1")
    expect(one.locator(".bk-option-why").first).to_be_hidden()
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_have_text("Choose an answer first.")
    one.get_by_role("radio").nth(0).check()
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_contain_text("Not right")
    expect(one.locator(".bk-option-why")).to_have_count(4)
    for why in one.locator(".bk-option-why").all():
        expect(why).to_have_attribute("open", "")
    one.get_by_role("button", name="Try again").click()
    one.locator("[data-verdict='right'] .bk-option-text").click()
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_have_text("Right.")
    assert stored(questions)["answers"]["02-q1"]["right"] is True


def test_of_several_right_choices_all_are_needed(questions: Page) -> None:
    one = article(questions, "02-q6")
    boxes = one.get_by_role("checkbox")
    right = [o.get_attribute("data-verdict") == "right" for o in one.locator(".bk-option").all()]
    assert right.count(True) == 3
    boxes.nth(right.index(True)).check()
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_contain_text("Not right")
    for index, wanted in enumerate(right):
        boxes.nth(index).set_checked(wanted)
    one.get_by_role("button", name="Check").click()
    expect(one.get_by_role("status")).to_have_text("Right.")


def test_a_number_is_marked_at_once(questions: Page) -> None:
    one = article(questions, "02-q2")
    edge = number(one.locator(".bk-shown[data-key='q2.edge']").text_content() or "")
    expect(part(one, "answer")).to_be_hidden()
    one.locator(".bk-entry input").fill(f"{edge:.0f}/3")
    one.get_by_role("button", name="Check").click()
    expect(one.locator(".bk-exercise-form [role=status]")).to_have_text("Right.")
    expect(part(one, "answer")).to_have_attribute("open", "")


# filters, progress --------------------------------------------------------------------------------
def test_filters(exercises: Page) -> None:
    def count() -> int:
        return exercises.locator("[data-what='exercise']:visible").count()

    bar = exercises.locator(".bk-filter")
    assert count() == 13
    bar.get_by_label("kind").select_option("calculation")
    assert count() == 3
    expect(exercises.locator(".bk-filter [role=status]")).to_have_text("3 of 13 shown")
    expect(exercises.get_by_role("heading", name="Concepts")).to_be_hidden()
    bar.get_by_label("difficulty").select_option("3")
    assert count() == 1
    bar.get_by_label("kind").select_option("")
    bar.get_by_label("difficulty").select_option("")
    bar.get_by_label("needs").select_option("computer")
    assert count() == 4
    bar.get_by_label("needs").select_option("")
    bar.get_by_label("state").select_option("done")
    assert count() == 0


def test_progress_in_sidebar_front_page_and_head(exercises: Page, real) -> None:
    one = article(exercises, "02-e1")
    one.get_by_label("Your answer").fill("an answer")
    one.get_by_role("button", name="Submit").click()
    one.get_by_label("got it").check()
    badge = exercises.locator(".sidebar-tree .bk-badge:visible").first
    expect(badge).to_have_text("1/21")
    expect(badge).to_have_attribute("aria-label", re.compile("not read, 1 of 13 exercises, 0 of 8"))
    exercises.goto(real.url(f"{CHAPTER}/index.html"))
    slot = ready(exercises).locator(".bk-progress")
    expect(slot).to_contain_text("not read, 1 of 13 exercises, 0 of 8 questions")
    slot.get_by_role("button").click()
    expect(slot).to_contain_text("read, 1 of 13")
    exercises.goto(real.url("index.html"))
    ready(exercises)
    expect(exercises.locator(".toctree-wrapper .bk-badge:visible").first).to_have_text("✓ 1/21")


def test_two_tabs_show_the_same(exercises: Page, context, real) -> None:
    other = context.new_page()
    other.goto(real.url(EXERCISES))
    ready(other)
    article(exercises, "02-e1").get_by_label("Your answer").fill("from the first tab")
    expect(article(other, "02-e1").get_by_label("Your answer")).to_have_value("from the first tab")
    other.close()


# taking along -------------------------------------------------------------------------------------
def panel(page: Page) -> Locator:
    return page.get_by_role("region", name="Your progress and answers")


def load(page: Page, content: bytes, name: str = "answers.json") -> Locator:
    file = {"name": name, "mimeType": "application/json", "buffer": content}
    panel(page).locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    return panel(page).locator("[role=status]")


def test_answers_are_exported_cleared_and_brought_back(exercises: Page, tmp_path: Path) -> None:
    one = article(exercises, "02-e1")
    one.get_by_label("Your answer").fill("to be kept")
    with exercises.expect_download() as download:
        panel(exercises).get_by_role("button", name="Save to a file").click()
    target = tmp_path / "saved.json"
    download.value.save_as(target)
    panel(exercises).get_by_role("button", name="Clear all").click()
    panel(exercises).get_by_role("button", name="No, keep it").click()
    expect(one.get_by_label("Your answer")).to_have_value("to be kept")
    panel(exercises).get_by_role("button", name="Clear all").click()
    panel(exercises).get_by_role("button", name="Yes, clear all").click()
    expect(one.get_by_label("Your answer")).to_have_value("")
    assert stored(exercises) == {}
    expect(load(exercises, target.read_bytes())).to_contain_text("Loaded.")
    expect(one.get_by_label("Your answer")).to_have_value("to be kept")


def test_a_file_wins_over_numbers_that_the_page_drew_by_itself(exercises: Page) -> None:
    one = article(exercises, "02-e4")
    vary = json.loads(one.get_attribute("data-draw") or "{}")["vary"]
    draw = {name: limits["low"] for name, limits in vary.items()}
    answer = {"text": "to be kept", "submitted": True, "mark": "got", "at": 1, "draw": draw}
    data = {"schema": 1, "read": {}, "answers": {"02-e4": answer}}
    expect(load(exercises, json.dumps(data).encode())).to_contain_text("Loaded.")
    expect(one.get_by_label("Your answer")).to_have_value("to be kept")
    expect(one).to_have_attribute("data-state", "done")
    expect(one).to_contain_text(f"{draw['e4_elements']:,}")
    assert stored(exercises)["answers"]["02-e4"]["draw"] == draw


HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def test_a_hostile_file_is_text_and_nothing_else(exercises: Page) -> None:
    title = exercises.title()
    answer = {"text": HOSTILE, "former": [HOSTILE], "at": 10**15, "submitted": True}
    wrong = {"02-e2": {"at": "x"}, HOSTILE: answer, "__proto__": answer}
    data = {"schema": 1, "read": {}, "answers": {"02-e1": answer, **wrong}}
    said = load(exercises, json.dumps(data).encode())
    expect(said).to_contain_text("Loaded.")
    expect(said).to_contain_text("3 entries were not as they must be")
    one = article(exercises, "02-e1")
    expect(one.get_by_label("Your answer")).to_have_value(HOSTILE)
    one.locator(".bk-former summary").click()
    expect(one.locator(".bk-former p")).to_have_text(HOSTILE)
    expect(exercises.locator(".bk-exercise img")).to_have_count(0)
    assert exercises.title() == title


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[]", "does not hold answers"),
        (b'{"schema": 0, "answers": {}}', "cannot read"),
        (b'{"schema": 99}', "later edition"),
(b'{"schema": 1, "x": "' + b"y" * 10_000_000 + b'"}', "too large"),
    ],
    ids=["half", "binary", "list", "older", "newer", "10 MB"],
)  # fmt: skip
def test_a_file_that_is_none_of_ours_changes_nothing(
    exercises: Page, tmp_path: Path, content: bytes, message: str
) -> None:
    one = article(exercises, "02-e1").get_by_label("Your answer")
    one.fill("mine")
    before = stored(exercises)
    file = tmp_path / "answers.json"
    file.write_bytes(content)
    panel(exercises).locator("input[type=file]").set_input_files(file)
    said = panel(exercises).locator("[role=status]")
    expect(said).to_contain_text(message)
    expect(said).to_contain_text("Nothing was changed.")
    assert stored(exercises) == before
    expect(one).to_have_value("mine")


# a browser that keeps nothing ---------------------------------------------------------------------
def test_private_mode_works_and_says_so(browser: Browser, real, log) -> None:
    context = browser.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }});"
    )
    page = context.new_page()
    log.watch(page)
    # The theme's own script wants storage too and is not ours to repair.
    log.allowed.append("denied")
    page.goto(real.url(EXERCISES))
    ready(page)
    expect(panel(page).get_by_role("alert")).to_contain_text("keeps nothing for this page")
    one = article(page, "02-e1")
    one.get_by_label("Your answer").fill("still there")
    one.get_by_role("button", name="Submit").click()
    expect(part(one, "answer")).to_be_visible()
    with page.expect_download() as download:
        panel(page).get_by_role("button", name="Save to a file").click()
    saved = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert saved["answers"]["02-e1"]["text"] == "still there"
    context.close()
    log.check()


def test_a_full_store_says_so_and_keeps_what_was_written(exercises: Page) -> None:
    exercises.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new Error('QuotaExceededError'); }; }"
    )
    one = article(exercises, "02-e1")
    one.get_by_label("Your answer").fill("no room")
    expect(panel(exercises).get_by_role("alert")).to_contain_text("storage is full")
    one.get_by_role("button", name="Submit").click()
    expect(one.get_by_label("Your answer")).to_have_value("no room")
    expect(part(one, "answer")).to_be_visible()


def test_damaged_storage_is_set_aside(open_page, real) -> None:
    page = ready(open_page(real.url(EXERCISES)))
    page.evaluate(f"localStorage.setItem('{KEY}', '{{half')")
    page.reload()
    ready(page)
    expect(panel(page).get_by_role("alert")).to_contain_text("set aside")
    article(page, "02-e1").get_by_label("Your answer").fill("afresh")
    assert stored(page)["answers"]["02-e1"]["text"] == "afresh"
    assert page.evaluate(f"localStorage.getItem('{KEY}-damaged')") == "{half"


# without script, by keyboard ----------------------------------------------------------------------
def test_without_script_question_hint_and_answer_are_there(browser: Browser, real) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(real.url(EXERCISES))
    one = article(page, "02-e5")
    expect(one.locator(".bk-exercise-question")).to_be_visible()
    for name in ("hint", "answer", "mistakes"):
        part(one, name).locator("summary").click()
        expect(part(one, name).locator("p, table").first).to_be_visible()
    expect(one.locator("textarea")).to_have_count(0)
    page.goto(real.url(QUESTIONS))
    why = article(page, "02-q1").locator(".bk-option-why").first
    why.locator("summary").click()
    expect(why.locator("p").first).to_be_visible()
    context.close()


def test_an_exercise_by_keyboard_alone(exercises: Page) -> None:
    one = article(exercises, "02-e1")
    one.get_by_label("Your answer").focus()
    exercises.keyboard.type("typed")
    exercises.keyboard.press("Tab")
    exercises.keyboard.press("Enter")
    expect(part(one, "answer")).to_be_visible()
    one.get_by_label("got it").focus()
    exercises.keyboard.press("ArrowRight")
    expect(one.get_by_label("partly")).to_be_checked()
