"""A reader's own record on the page of measured times: drawn, tabled, refused, removed."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bookcode.reality.calibrate import Calibration
from bookcode.reality.machine_record import record
from bookcode.reality.timing import Rate
from bookcode.reality.utilization import Tried

pytestmark = pytest.mark.browser
PAGE = "appendix/reality.html"
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def measured(**fields: Any) -> dict[str, Any]:
    """A record as the command writes it."""
    rates = (1e11, 0.99e11, 0.98e11)
    mixes = ("read", "write", "copy", "triad")
    found = Calibration(
        "A small CPU",
        {mix: Rate(f"memory, {mix}", "B/s", rates) for mix in mixes},
        {"fp32": Rate("product", "FLOP/s", (1e12, 0.99e12))},
        {"threads": 4},
        when="2026-11-29T00:00:00+00:00",
    )
    tried = [
        Tried("gemm, square", "fp32", 2e9, 12e6, 4e-3, 0.03, 3e-3),
        Tried("add", "fp32", 1e6, 12e6, 2.4e-4, 0.02, 1e-4),
    ]
    return {**json.loads(json.dumps(record(found, "mine", tried))), **fields}


@pytest.fixture
def page(open_page, real) -> Page:
    opened = open_page(real.url(PAGE))
    opened.wait_for_selector("html[data-own-record='ready']")
    return opened


def place(page: Page) -> Locator:
    return page.get_by_role("region", name="Your machine in the figure above")


def said(page: Page) -> Locator:
    return place(page).locator("[role=status]")


def give(page: Page, data: Any, name: str = "mine.record.json") -> None:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    file = {"name": name, "mimeType": "application/json", "buffer": content}
    place(page).locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]


def own(page: Page) -> Locator:
    return page.locator("#figure-survey-density svg .bk-own")


def test_a_record_is_drawn_and_tabled(page: Page) -> None:
    give(page, measured())
    expect(said(page)).to_contain_text("A small CPU: its roof is drawn in the figure, with 2")
    expect(own(page).locator(".bk-own-roof")).to_have_count(1)
    expect(own(page).locator(".bk-own-mark")).to_have_count(2)
    rows = place(page).locator("tbody tr")
    # 2e9 FLOP at 1e12 FLOP/s are 2 ms of 4 ms; 12e6 B at 1e11 B/s are 120 µs of 240 µs.
    expect(rows.nth(0).locator("td")).to_have_text(
        ["1", "gemm, square", re.compile("167"), "4.00 ms", "2.00 ms", re.compile("50"), "compute"]
    )
    expect(rows.nth(1)).to_contain_text("memory")
    expect(rows.nth(1)).to_contain_text("outside the figure")
    expect(place(page)).to_contain_text("threads 4")


def test_a_mark_lies_where_the_figure_has_its_rate(page: Page) -> None:
    give(page, measured())
    axes = json.loads(place(page).get_attribute("data-axes") or "")
    transform = own(page).locator(".bk-own-mark").first.get_attribute("transform") or ""
    x, y = map(float, re.findall(r"-?[\d.]+", transform))
    # 10 ** log10 of the intensity 2e9 / 12e6, and of the rate 2e9 / 4e-3.
    assert x == pytest.approx(axes["x"][0] + axes["x"][1] * 2.2218487, abs=0.01)
    assert y == pytest.approx(axes["y"][0] + axes["y"][1] * 11.69897, abs=0.01)


def test_a_record_can_be_removed_and_another_one_given(page: Page) -> None:
    give(page, measured())
    give(page, measured(device="Another one"))
    expect(said(page)).to_contain_text("Another one")
    expect(own(page)).to_have_count(1)
    place(page).get_by_role("button", name="Remove it").click()
    expect(own(page)).to_have_count(0)
    expect(place(page).locator("table")).to_have_count(0)
    expect(said(page)).to_contain_text("gone from the page")
    expect(place(page).locator("input[type=file]")).to_be_focused()


def test_a_file_can_be_dropped(page: Page) -> None:
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "mine.record.json", { type: "application/json" }));
          const zone = document.querySelector(".bk-own-record");
          for (const type of ["dragover", "drop"]) {
            zone.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
          }
        }""",  # noqa: E501
        json.dumps(measured()),
    )
    expect(said(page)).to_contain_text("A small CPU")
    expect(own(page)).to_have_count(1)


def test_the_file_is_chosen_by_keyboard(page: Page) -> None:
    with page.expect_file_chooser():
        # Choosers are caught from here on, but nothing waits for the browser to have been told so.
        # What is asked of the page afterwards is answered afterwards: the focus is set in between.
        place(page).locator("input[type=file]").focus()
        page.keyboard.press("Space")


def test_unsteady_conditions_and_shares_above_one_are_told(page: Page) -> None:
    data = measured(steady=False, warnings=["memory, copy: repetitions differ by 39%"])
    data["operators"][0]["seconds"] = 1e-3
    give(page, data)
    expect(place(page)).to_contain_text("repetitions differ by 39%")
    expect(place(page)).to_contain_text("A share above one means that something is wrong")


def test_texts_of_a_record_never_become_markup(page: Page) -> None:
    title = page.title()
    data = measured(device=HOSTILE, warnings=[HOSTILE])
    data["operators"][0]["name"] = HOSTILE
    data["conditions"] = {HOSTILE: HOSTILE}
    give(page, data)
    expect(said(page)).to_contain_text("onerror")
    expect(page.locator(".bk-own-record img, .bk-own-record script, .bk-own img")).to_have_count(0)
    assert page.title() == title


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"{}", "not a record"),
        (json.dumps(measured(format=9)).encode(), "later version"),
        (json.dumps(measured(roofs={})).encode(), "at roofs.peaks"),
        (b" " * 3_000_000, "too large"),
    ],
    ids=["half", "binary", "other", "newer", "no peaks", "3 MB"],
)
def test_a_file_that_is_no_record_changes_nothing(page: Page, content: bytes, message: str) -> None:
    give(page, copy.deepcopy(measured()))
    expect(own(page)).to_have_count(1)
    give(page, content)
    expect(said(page)).to_contain_text(message)
    expect(own(page)).to_have_count(1)
    expect(place(page).locator("tbody tr")).to_have_count(2)
