"""The pages above the editions."""

from __future__ import annotations

import pytest

from bookcode.verify.root_pages import not_found, way_in

EDITIONS = {"en": "en", "zh-cn": "zh_CN"}


def test_the_way_in_leads_to_the_first_and_names_all() -> None:
    page = way_in(EDITIONS)
    assert 'content="0; url=en/index.html"' in page
    assert '<a href="zh-cn/index.html" lang="zh-CN">简体中文</a>' in page


@pytest.mark.parametrize(("base", "link"), [("/", "/en/index.html"), ("/b/", "/b/en/index.html")])
def test_links_of_a_missing_page_do_not_depend_on_its_depth(base: str, link: str) -> None:
    page = not_found(EDITIONS, base)
    assert f'href="{link}"' in page
    assert "没有这个页面" in page


def test_they_load_nothing() -> None:
    for page in (way_in(EDITIONS), not_found(EDITIONS)):
        assert "default-src 'none'" in page
        assert "<script" not in page
        assert "src=" not in page.replace("-src", "")
