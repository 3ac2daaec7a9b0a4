"""Every page: accessible, alone with its host, quiet on the console; head, foot, print, code."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, expect

from bookcode.sphinxext.code_pages import PLAIN
from bookcode.sphinxext.html_head import INLINE_SCRIPT, script_hash
from bookcode.verify.builds import source_date

from .accessibility import SIZES, axe, axe_context, look_at, outcome, violations
from .waiting import drawn

pytestmark = pytest.mark.browser
CHAPTER = "01-chapter/index.html"


@pytest.mark.slow
def test_every_page_of_the_book_passes_axe(chromium: str, edition, log) -> None:
    found = look_at(chromium, map(edition.url, edition.pages), log.watch)
    assert found == {}, json.dumps(found, indent=1, ensure_ascii=False)
    log.check()


PLANTED = """<!doctype html><html><body style="background: #fff">
<img src="data:,"><button></button><a href="#x" style="color: #999">a pale link</a>
<div style="background: rgb(0 0 0 / 40%)"><p style="color: #777">grey on translucent black</p>
<p style="opacity: 0.4">faint <b style="color: rgba(10, 20, 30, 0.5)">and fainter</b></p></div>
<div style="background: linear-gradient(red, blue)"><p>on a gradient</p></div>
<p style="color: hsl(60 100% 50%); text-shadow: 0 0 1px #ff0">yellow with a shadow</p>
<p style="color: oklch(0.9 0.05 200)">in another space</p>
<table><tr><th></th><td>a cell</td></tr></table></body></html>"""


@pytest.mark.parametrize("where", ["planted", "tiny"])
def test_axe_made_quick_says_what_axe_says(open_page, tiny, log, where: str) -> None:
    kinds = ("violations", "incomplete", "passes")
    page = open_page("about:blank" if where == "planted" else tiny.url(CHAPTER))
    if where == "planted":
        page.set_content(PLANTED)
    else:
        page.wait_for_selector("[data-said]")
    drawn(page)
    said = []
    for quick in (False, True):
        axe(page, quick=quick)
        said.append(outcome(page, kinds=kinds))
        page.evaluate("() => { delete window.axe; }")
    assert said[1] == said[0]
    rules = {rule["id"]: len(rule["nodes"]) for rule in said[0]["violations"]}
    assert (rules.get("color-contrast", 0) >= 5) == (where == "planted"), rules
    assert ("image-alt" in rules) == (where == "planted")
    assert said[0]["passes"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_boxes_pass_axe_too(browser: Browser, tiny, log, scheme: str, size: str) -> None:
    context = axe_context(browser, scheme, size)
    page = context.new_page()
    log.watch(page)
    page.goto(tiny.url(f"{CHAPTER}?with.edge=64&with.dtype=fp8"))
    page.wait_for_selector(".bk-broken")
    page.get_by_role("button", name="What if …").click()
    expect(page.locator("#bk-whatif-content")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator(".bk-shown[data-key='gemm.flops']").first.focus()
    expect(page.locator("#bk-hint-box")).to_be_visible()
    assert violations(page) == []
    page.locator(".bk-param[data-param='edge']").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".bk-param-field")).to_be_focused()
    assert violations(page) == []
    page.goto(tiny.url(f"{CHAPTER}?with.edge=1"))
    expect(page.get_by_role("alert")).to_contain_text("out of range")
    assert violations(page) == []
    context.close()
    log.check()


def test_no_page_scrolls_sideways(open_page, edition) -> None:
    page = open_page(edition.url("index.html"))
    for path in edition.pages:
        page.goto(edition.url(path))
        for width in (390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            wide = page.evaluate(
                "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert wide[1] <= width, path
            assert wide[0] <= wide[1], f"{path}, {width} px"


# policy -------------------------------------------------------------------------------------------
def test_the_policy_allows_the_themes_scripts_and_nothing_else(tiny, editions) -> None:
    for site in (tiny, *editions.values()):
        for path in site.pages:
            text = (site.folder / site.built.edition / path).read_text("utf-8")
            (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
            policy = policy.replace("&#x27;", "'")
            rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
            assert rules["default-src"] == "'self'"
            assert rules["style-src"] == "'self' 'unsafe-inline'"
            assert rules["img-src"] == "'self' data:"
            assert "unsafe" not in rules["script-src"]
            allowed = set(rules["script-src"].split()) - {"'self'"}
            inline = [script for script in INLINE_SCRIPT.findall(text) if script.strip()]
            assert {f"'{script_hash(script)}'" for script in inline} <= allowed, path
            assert len(allowed) <= 2
            # The policy comes before anything it should hold for.
            assert text.index("Content-Security-Policy") < text.index("<link")


def test_the_policy_stops_a_foreign_script(open_page, tiny, log) -> None:
    page = open_page(tiny.url(CHAPTER))
    log.allowed.append("Content Security Policy")
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.stranger = true";
          document.body.append(script);
        }"""
    )
    assert page.evaluate("() => window.stranger") is None
    assert log.errors


# head and foot ------------------------------------------------------------------------------------
def test_a_chapter_has_reading_time_objectives_and_room_for_progress(open_page, tiny) -> None:
    page = open_page(tiny.url(CHAPTER))
    expect(page.locator("h1 + .bk-chapter-head .bk-minutes")).to_have_text(
        "about 1 min to read the chapter"
    )
    slot = page.locator(".bk-chapter-head .bk-progress")
    expect(slot).to_have_attribute("data-page", "01-chapter/index")
    objectives = page.locator(".bk-objectives")
    expect(objectives).to_contain_text("What you will be able to do")
    expect(objectives.locator("li")).to_have_count(2)
    assert open_page(tiny.url("index.html")).locator(".bk-chapter-head").count() == 0


def test_the_foot_says_how_to_cite_and_which_edition(open_page, tiny) -> None:
    page = open_page(tiny.url(CHAPTER))
    foot = page.locator(".bk-foot")
    expect(foot).to_contain_text("Edition 1.0, built on 2025-11-30")
    foot.get_by_text("Cite this page").click()
    expect(foot).to_contain_text(
        "Its maintainers (2025). “A chapter”. In: A tiny book, edition 1.0. "
        "https://book.example/en/01-chapter/index.html"
    )
    expect(foot.locator("pre")).to_contain_text("@incollection{a-chapter,")
    link = foot.get_by_role("link", name="Report an error on this page")
    assert link.get_attribute("href") == (
        "https://code.example/owner/book/issues/new?template=error.yml&page=01-chapter%2Findex"
    )


def test_without_a_repository_there_is_no_link_to_report(open_page, real) -> None:
    page = open_page(real.url(real.fullest))
    assert page.locator("a.bk-report").count() == 0
    dated = "undated build" if source_date(Path(__file__).parents[2]) == "0" else "built on"
    expect(page.locator(".bk-foot")).to_contain_text(dated)


def test_links_to_a_page_have_a_card(tiny) -> None:
    text = (tiny.folder / "en" / CHAPTER).read_text("utf-8")
    found = dict(re.findall(r'<meta property="(og:[a-z_]+)" content="([^"]*)">', text))
    assert found["og:title"] == "A chapter"
    assert found["og:site_name"] == "A tiny book"
    assert found["og:description"].startswith("Take matrices with an edge of 4,096")
    assert found["og:url"] == "https://book.example/en/01-chapter/index.html"
    name = found["og:image"].removeprefix("https://book.example/en/")
    picture = (tiny.folder / "en" / name).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n")
    assert int.from_bytes(picture[16:20]) == 1200
    assert int.from_bytes(picture[20:24]) == 630


def test_the_sitemap_lists_the_pages(tiny) -> None:
    root = ElementTree.parse(tiny.folder / "en" / "sitemap.xml").getroot()
    addresses = [element.text for element in root.iter() if element.tag.endswith("loc")]
    assert "https://book.example/en/01-chapter/index.html" in addresses
    assert len(addresses) == 4


def test_the_change_log_of_numbers_is_shown_newest_first(open_page, tiny) -> None:
    page = open_page(tiny.url("changes.html"))
    log = page.locator(".bk-changes")
    first, second = log.locator("dt").all_inner_texts()
    assert first == "2026-02-03: the norm’s second pass was counted twice"
    assert "2026-01-02" in second
    expect(log).to_contain_text("norm.flops: shown: 300 MFLOP → 268 MFLOP")
    expect(log).to_contain_text("no longer shown: norm.passes")
    expect(log).to_contain_text("31 new")


def test_an_address_that_leads_nowhere_gets_a_page(open_page, tiny, log) -> None:
    log.allowed.append("404")
    page = open_page(f"{tiny.address}/en/01-chapter/deep/nothing.html")
    expect(page.get_by_role("heading")).to_have_text("404")
    page.get_by_role("link", name="Start of the book").click()
    expect(page.get_by_role("heading", name="A tiny book")).to_be_visible()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{tiny.address}/nowhere")


def test_the_site_root_leads_to_the_first_edition(open_page, tiny) -> None:
    page = open_page(f"{tiny.address}/")
    page.wait_for_url("**/en/index.html")


def test_pages_lead_to_the_next_and_the_last(open_page, tiny) -> None:
    page = open_page(tiny.url(CHAPTER))
    expect(page.locator("a.next-page")).to_contain_text("Another chapter")
    expect(page.locator("a.prev-page")).to_contain_text("Home")


# tools --------------------------------------------------------------------------------------------
def test_code_can_be_copied(open_page, tiny, context) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = open_page(tiny.url(CHAPTER))
    page.locator("summary", has_text="Show").first.click()
    block = page.locator(".cell_input div.highlight").first
    block.hover()
    block.get_by_role("button", name="Copy").click()
    expect(block.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("from bookcode.figures.roofline import")
    assert "Copy" not in copied


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tokens_without_an_element_look_like_the_text_around_them(
    open_page, tiny, scheme: str
) -> None:
    page = open_page(tiny.url("code/cells/01-chapter/index.py.html"))
    assert page.locator(".bk-code span:is(.k, .kn)").count() > 0
    assert page.locator(", ".join(f".bk-code span.{kind}" for kind in PLAIN)).count() == 0
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    looks = page.evaluate(
        """(kinds) => {
          const line = document.querySelector(".bk-line");
          const names = ["color", "background", "fontWeight", "fontStyle", "textDecoration"];
          const look = (style) => names.map((name) => style[name]).join();
          return Object.fromEntries(["", ...kinds, "k"].map((kind) => {
            const token = line.appendChild(document.createElement("span"));
            token.className = kind;
            if (kind === "w") token.style.color = "inherit"; // blanks have no colour to be seen
            return [kind, look(getComputedStyle(token))];
          }));
        }""",
        list(PLAIN),
    )
    assert {looks[kind] for kind in PLAIN} == {looks[""]}
    assert looks["k"] != looks[""]


def test_print_has_notes_and_no_controls(open_page, tiny) -> None:
    page = open_page(tiny.url(CHAPTER))
    page.wait_for_selector("[data-said]")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    notes = page.locator(".bk-notes")
    expect(notes).to_be_visible()
    assert notes.locator("li").count() >= 5
    mark = page.locator("p .bk-shown[data-key='gemm.flops'] .bk-note-mark").first
    number = int(mark.inner_text())
    expect(notes.locator("li").nth(number - 1)).to_contain_text("gemm(")
    for hidden in (".bk-whatif", ".bk-copy", ".sidebar-drawer", ".related-pages"):
        assert all(not one.is_visible() for one in page.locator(hidden).all()), hidden
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.locator(".bk-notes, .bk-note-mark").count() == 0


def test_wide_things_scroll_inside_themselves_and_by_keyboard(open_page, real) -> None:
    page = open_page(real.url(real.fullest))
    page.set_viewport_size({"width": 390, "height": 844})
    drawn(page)
    wide = page.evaluate(
        """() => [...document.querySelectorAll("article *")]
          .filter((e) => ["auto", "scroll"].includes(getComputedStyle(e).overflowX))
          .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
          .filter((e) => e.tabIndex < 0 && !e.querySelector("[tabindex='0'], a[href]"))
          .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert wide == []


def test_a_chapter_can_be_read_with_the_keyboard_alone(open_page, tiny) -> None:
    page = open_page(tiny.url(CHAPTER))
    seen: list[str] = []
    for _ in range(120):
        page.keyboard.press("Tab")
        name = page.evaluate(
            """() => {
              const e = document.activeElement;
              if (e === document.body) return "end";
              const box = e.getBoundingClientRect();
              const shown = box.width > 0 && box.height > 0;
              return `${shown ? "" : "hidden "}${e.dataset.key ?? e.dataset.claim
                ?? e.dataset.param ?? e.className} ${e.tagName}`;
            }"""
        )
        if name == "end":
            break
        seen.append(name)
    assert seen[-1] != seen[-2], "a trap"
    wanted = ["edge", "gemm.flops", "gemm.compute-bound", "h200.spec.bandwidth", "F-H200-mix"]
    stops = [next(i for i, name in enumerate(seen) if key in name) for key in wanted]
    assert stops == sorted(stops)
    assert any("bk-whatif-open" in name for name in seen)
    assert any("next-page" in name for name in seen)


def test_nothing_is_asked_of_another_host_on_any_page(open_page, real, log) -> None:
    page = open_page(real.url("index.html"))
    for path in real.pages:
        page.goto(real.url(path))
        page.wait_for_load_state("load")
        drawn(page)  # what scripts ask for then; axe stays on each page for longer, and looks again
    assert len(log.requests) > 3 * len(real.pages)
    log.check()


def test_the_tiny_book_builds_without_a_problem(tiny) -> None:
    assert tiny.built.problems == ()
