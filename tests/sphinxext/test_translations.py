"""A tiny book in both editions: words are translated, anchors and values are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sphinx.config import Config
from sphinx.errors import ConfigError

from bookcode.sphinxext.languages import settings
from bookcode.sphinxext.translations import choose_words
from bookcode.translation.extraction import messages_of
from bookcode.translation.same import differences
from bookcode.verify.translations import page_differences

PAGES = ("index", "deep/other")
PO = "book/locale/zh_CN/LC_MESSAGES"
CHINESE = ("-D", "language=zh_CN")


@pytest.fixture
def project(make_book: Callable[[str], Any]) -> Any:
    return make_book("translated")


def exported(built: Any) -> dict[str, Any]:
    trees = built.out.with_name(f"{built.out.name}-trees")
    found: dict[str, Any] = json.loads((trees / "bookcode-records.json").read_text("utf-8"))
    return found


def test_the_chinese_edition(project: Any) -> None:
    english, chinese = project.build(out="en"), project.build(*CHINESE, out="zh-cn")
    assert (chinese.status, chinese.problems) == (0, [])
    text = chinese.text("index")
    assert "一次乘积要做 1.024 kFLOP，大于 1.024 kFLOP。见两类工作与细节，或账本。" in text
    assert "回到两类工作；再说一次 1.024 kFLOP。" in chinese.text("deep/other")
    raw = chinese.raw("index")
    for fragment in (
        'lang="zh-CN"',
        "<title>小书</title>",
        "<title>浅色</title>",
        'aria-label="打开或关闭全站导航"',
        "跳到正文",
        '<a class="bk-language" href="../en/index.html" hreflang="en" lang="en">English</a>',
        'hreflang="zh-CN" href="../zh-cn/index.html"',
        'hreflang="x-default" href="../index.html"',
    ):
        assert fragment in raw, fragment

    # values, keys and anchors
    assert list(differences(exported(english), exported(chinese))) == []
    for page in PAGES:
        assert list(page_differences(english.raw(page), chinese.raw(page))) == []
        assert 'id="two-sorts-of-work"' in chinese.raw("index")
        assert 'href="deep/other.html#what-is-left"' in chinese.raw("index")


def test_what_is_not_translated_is_english_with_a_mark(project: Any) -> None:
    chinese = project.build(*CHINESE, out="zh-cn")
    raw, text = chinese.raw("index"), chinese.text("index")
    for words in ("This one is still to come.", "This one has been changed since."):
        mark = '<span class="bk-untranslated-mark" lang="zh-CN">尚未翻译</span>'
        assert f'<p class="bk-untranslated" lang="en">{mark} {words}</p>' in raw
    assert "这一段没有动过" not in text
    assert text.count("尚未翻译") == 2
    # A heading is marked by its language alone, and keeps its place in the contents.
    assert '<h2 class="bk-untranslated" lang="en">A heading to come' in raw
    # What holds nothing but a number needs no words.
    assert "A list" not in text


def test_a_translation_that_is_no_running_text_is_an_error(project: Any) -> None:
    project.edit(f"{PO}/index.po", "清点字节的东西。", "1. 清点字节的东西。")
    chinese = project.build(*CHINESE, out="zh-cn")
    (problem,) = chinese.problems
    assert problem.place.startswith(f"{PO}/index.po:")
    assert "was not taken" in problem.text
    assert r"1\. Title" in problem.text
    project.edit(f"{PO}/index.po", "1. 清点字节的东西。", r"1\\. 清点字节的东西。")
    chinese = project.build(*CHINESE, out="zh-cn")
    assert chinese.problems == []
    assert "1. 清点字节的东西。" in chinese.text("index")


def test_the_english_edition_is_unmarked_and_both_know_the_same_messages(project: Any) -> None:
    english, chinese = project.build(out="en"), project.build(*CHINESE, out="zh-cn")
    assert "bk-untranslated" not in english.raw("index")
    ours, theirs = messages_of(exported(english)), messages_of(exported(chinese))
    assert ours == theirs
    texts = {message.text: message.line for message in ours["index"]}
    assert texts["This one is still to come."] == 22
    assert {"Pages", "ledger", "A heading to come"} <= set(texts)
    assert not {"file_format", "mystnb"} & set(texts)
    assert [m.text for m in ours["cells/index"]] == ["large", "larger than {product}"]


def test_words_that_judge_or_count_are_found_in_the_catalogue(project: Any) -> None:
    project.edit(f"{PO}/index.po", "清点字节的东西。", "清点 48 字节的东西，相差一个数量级。")
    project.edit(f"{PO}/cells/index.po", '"很大"', '"大了 30 kFLOP"')
    chinese = project.build(*CHINESE, out="zh-cn")
    said = {problem.place: problem.text for problem in chinese.problems}
    lines = (project.root / PO / "index.po").read_text("utf-8").split("\n")
    line = next(n for n, text in enumerate(lines, 1) if "48 字节" in text)
    found = [str(p) for p in chinese.problems if p.place.startswith(f"{PO}/index.po:{line}")]
    assert len(found) == 2, said
    assert "'48 字节': a typed quantity" in found[0]
    assert "'一个数量级': a verdict on a quantity" in found[1]
    assert any(
        place == f"{PO}/cells/index.po:3" and "'30 kFLOP' in a text of 'product.big'" in text
        for place, text in said.items()
    ), said
    assert chinese.status == 1


def test_an_unknown_key_is_reported_at_its_translation(project: Any) -> None:
    project.edit(f"{PO}/deep/other.po", "再说一次 {num}`product`", "再说一次 {num}`produkt`")
    chinese = project.build(*CHINESE, out="zh-cn")
    places = [p.place for p in chinese.problems if "no number 'produkt'" in p.text]
    assert places == [f"{PO}/deep/other.po:8"]


def test_a_new_translation_reaches_the_page_in_an_incremental_build(project: Any) -> None:
    project.build(*CHINESE, out="zh-cn")
    project.edit(
        f"{PO}/index.po",
        'msgid "This one is still to come."\nmsgstr ""',
        'msgid "This one is still to come."\nmsgstr "这一段已经译好。"',
    )
    again = project.build(*CHINESE, out="zh-cn")
    text = again.text("index")
    assert "这一段已经译好。" in text
    assert text.count("尚未翻译") == 1
    clean = project.build(*CHINESE, out="clean")
    assert again.raw("index") == clean.raw("index")


def test_settings_that_make_no_sense_are_refused() -> None:
    config = Config({}, {"language": "zh_CN"})
    config.add("bookcode_editions", {"en": "en", "zh-cn": "zh_TW"}, "html", dict)
    config.add("bookcode_by_language", {"html_titel": {}}, "env", dict)
    with pytest.raises(ConfigError, match="no edition in 'zh_CN'; did you mean zh_TW"):
        settings(SimpleNamespace(), config)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="there is no setting 'html_titel'"):
        choose_words(SimpleNamespace(), config)  # type: ignore[arg-type]


def test_addresses_are_absolute_where_the_site_has_one(project: Any) -> None:
    conf = project.root / "conf.py"
    text = conf.read_text("utf-8")
    conf.write_text(f'{text}\nhtml_baseurl = "https://book.example/b/en/"\n', "utf-8")
    chinese = project.build(*CHINESE, out="zh-cn")
    raw = chinese.raw("deep/other")
    for name, address in {
        "en": "en/deep/other.html",
        "zh-CN": "zh-cn/deep/other.html",
        "x-default": "en/deep/other.html",
    }.items():
        assert f'hreflang="{name}" href="https://book.example/b/{address}"' in raw
    assert '<link rel="canonical" href="https://book.example/b/zh-cn/deep/other.html"' in raw
    assert 'hreflang="x-default" href="https://book.example/b/"' in chinese.raw("index")
    sitemap = Path(chinese.out, "sitemap.xml").read_text("utf-8")
    assert sitemap.count("<xhtml:link") == 4
    assert "<loc>https://book.example/b/zh-cn/index.html</loc>" in sitemap
