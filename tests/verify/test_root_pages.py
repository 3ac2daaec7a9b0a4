"""The pages above the editions."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bookcode.numbers.engine import Engine
from bookcode.verify.root_pages import CHOICE, not_found, way_in

EDITIONS = {"en": "en", "zh-cn": "zh_CN"}


def test_the_way_in_names_all_editions_and_needs_no_script() -> None:
    page = way_in(EDITIONS)
    assert '<noscript><meta http-equiv="refresh" content="0; url=en/index.html"></noscript>' in page
    assert '<a href="zh-cn/index.html" hreflang="zh-CN" lang="zh-CN">简体中文</a>' in page
    for name, address in {"en": "en/", "zh-CN": "zh-cn/", "x-default": ""}.items():
        assert f'<link rel="alternate" hreflang="{name}" href="{address}index.html">' in page


def test_its_script_is_the_only_one_that_its_policy_allows() -> None:
    page = way_in(EDITIONS)
    (script,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in page
    assert "unsafe" not in page.replace("style-src 'unsafe-inline'", "")


RUN = """\
import vm from "node:vm";
export default ({ script, languages, chosen }) => {
  let went = "";
  vm.runInNewContext(script, {
    navigator: { languages },
    localStorage: { getItem: (key) => {
      if (chosen === "refused") throw new Error("no storage");
      return key === "bookcode.language" ? chosen : null;
    } },
    location: { hash: "#there", replace: (address) => { went = address; } },
  });
  return went;
};
"""


@pytest.fixture(scope="module")
def pick() -> Iterator[Callable[[list[str], str | None], str]]:
    """Where a browser goes, by its languages and by what was chosen last."""
    (script,) = re.findall("<script>(.*?)</script>", way_in(EDITIONS), re.DOTALL)
    with Engine({"pick.js": RUN}) as engine:
        yield lambda languages, chosen: engine.call(
            "pick.js", {"script": script, "languages": languages, "chosen": chosen}
        )


@pytest.mark.parametrize(
    ("languages", "chosen", "edition"),
    [
        (["zh-CN", "en"], None, "zh-cn"),
        (["zh-Hant-TW"], None, "zh-cn"),
        (["en-GB", "zh"], None, "en"),
        (["de", "fr"], None, "en"),
        (["de", "zh-CN", "en"], None, "zh-cn"),
        ([], None, "en"),
        (["zh-CN"], "en", "en"),
        (["en"], "zh-CN", "zh-cn"),
        (["zh"], "tlh", "zh-cn"),
        (["zh"], "refused", "zh-cn"),
        (["constructor"], "__proto__", "en"),
    ],
)
def test_it_picks_by_the_last_choice_and_the_browsers_languages(
    pick: Callable[[list[str], str | None], str],
    languages: list[str],
    chosen: str | None,
    edition: str,
) -> None:
    assert pick(languages, chosen) == f"{edition}/index.html#there"


def test_the_pages_write_the_choice_where_the_root_looks_for_it() -> None:
    script = Path(__file__).parents[2] / "bookcode/site/js/language.js"
    assert f'export const CHOICE = "{CHOICE}";' in script.read_text("utf-8")


@pytest.mark.parametrize(("base", "link"), [("/", "/en/index.html"), ("/b/", "/b/en/index.html")])
def test_links_of_a_missing_page_do_not_depend_on_its_depth(base: str, link: str) -> None:
    page = not_found(EDITIONS, base)
    assert f'href="{link}"' in page
    assert "没有这个页面" in page


def test_they_load_nothing() -> None:
    for page in (way_in(EDITIONS), not_found(EDITIONS)):
        assert "default-src 'none'" in page
        assert "src=" not in page.replace("-src", "")
    assert "<script" not in not_found(EDITIONS)
