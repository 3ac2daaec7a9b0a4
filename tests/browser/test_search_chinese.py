"""The search of a Chinese edition, in its own page in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bookcode.verify.builds import Layout, build

from .conftest import DATE, serving

pytestmark = pytest.mark.browser
CONF = """\
project = html_title = "小书"
extensions = ["myst_parser", "bookcode.sphinxext"]
html_theme = "furo"
html_math_renderer = "bookcode"
html_copy_source = False
myst_enable_extensions = ["dollarmath"]
bookcode_lint = False
"""
PAGES = {
    "reservoir": """\
# 水库与水渠

水库离田很远，水渠又窄，灌溉的快慢由水渠决定。每次放水之前要先开闸门，闸门的开启本身也要时间。
""",
    "kitchen": """\
# 厨房里的流水线

切菜、炒菜和装盘可以重叠；灶台空着等切菜，叫作气泡。把三道工序融合成一道，盘子就不必来回端。
用 torch.compile 编译菜谱，厨师只读一次。
""",
    "library": """\
# 图书馆的书架

常用的书放在手边的书架，不常用的放进地下书库。缓存命中就是书正好在手边；未命中就得下楼。
H200 的手边书架有 L2 缓存那么大，FlashAttention 只在手边翻书。
""",
    "harbour": """\
# 港口的吊车

一艘船的货要经过吊车、码头和货车。吊车的吞吐量是上限，货车再多也无济于事。两个港口之间做
all-reduce，船要绕一圈。装箱的大小记作 $n$，fp16 的箱子占一半地方。
""",
}
QUERIES = {
    # words of two characters
    "水渠": {"reservoir"},
    "闸门": {"reservoir"},
    "气泡": {"kitchen"},
    "融合": {"kitchen"},
    "书架": {"library"},
    "缓存": {"library"},
    "吊车": {"harbour"},
    "货车": {"harbour"},
    # compounds and phrases
    "流水线": {"kitchen"},
    "地下书库": {"library"},
    "缓存命中": {"library"},
    "未命中": {"library"},
    "吞吐量": {"harbour"},
    "无济于事": {"harbour"},
    "图书馆": {"library"},
    # one character, and several words
    "灶": {"kitchen"},
    "吊车 码头": {"harbour"},
    "水库 灌溉": {"reservoir"},
    # Chinese and Latin together
    "torch.compile 编译": {"kitchen"},
    "用torch.compile编译": {"kitchen"},
    "H200 缓存": {"library"},
    "L2缓存": {"library"},
    "FlashAttention 手边": {"library"},
    "all-reduce 港口": {"harbour"},
    "fp16": {"harbour"},
    # in more than one page
    "时间 决定": {"reservoir"},
    # absent: the characters are there, the word is not
    "水货": set(),
    "书船": set(),
    "缓冲": set(),
    "机场": set(),
    "torch.compile 水库": set(),
    "H100": set(),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The book of four pages, built as the Chinese edition and served."""
    root = tmp_path_factory.mktemp("chinese")
    (root / "book").mkdir()
    (root / "conf.py").write_text(CONF, "utf-8")
    for name, text in PAGES.items():
        (root / "book" / f"{name}.md").write_text(text, "utf-8")
    listed = "\n".join(PAGES)
    Path(root, "book/index.md").write_text(f"# 首页\n\n```{{toctree}}\n{listed}\n```\n", "utf-8")
    layout = Layout(root, root / "_build")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", DATE)
        built = build(layout, "zh-cn", clean=False, jobs="1")
    assert built.problems == ()
    with serving(layout.site) as address:
        yield f"{address}/zh-cn"


@pytest.fixture(scope="module")
def search(site: str, browser: Browser) -> Iterator[Page]:
    """The search page, at first without a query."""
    page = browser.new_page(locale="zh-CN")
    page.set_default_timeout(8000)
    page.goto(f"{site}/search.html")
    yield page
    page.close()


def found(page: Page, query: str) -> list[str]:
    """The pages that a query gives, best first, when the search says that it is through."""
    page.get_by_role("searchbox").or_(page.locator("input[name=q]")).first.fill(query)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    # The summary is filled when everything that was found is there.
    page.locator("#search-results .search-summary:not(:empty)").wait_for()
    links = page.locator("#search-results li a").evaluate_all(
        "links => links.map((link) => new URL(link.href).pathname.split('/').pop())"
    )
    return [link.removesuffix(".html") for link in links]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_its_pages_and_no_others(search: Page, query: str) -> None:
    assert set(found(search, query)) - {"index"} == QUERIES[query]


def test_the_title_comes_first_and_the_words_are_marked_in_the_text(search: Page) -> None:
    assert found(search, "书架")[0] == "library"
    assert "手边的书架" in search.locator("#search-results li").first.inner_text()
    search.locator("#search-results li a").first.click()
    search.wait_for_load_state("load")
    marked = search.locator("article .highlighted").all_inner_texts()
    assert marked
    assert set(marked) == {"书架"}
    search.go_back()


def test_the_page_speaks_chinese(search: Page) -> None:
    found(search, "机场")
    text = search.locator("#search-results").inner_text()
    assert not any(word in text for word in ("Search", "found", "matching", "documents"))
    assert search.locator("html").get_attribute("lang") == "zh-CN"
