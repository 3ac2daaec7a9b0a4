"""The head of a page: policy, descriptions, cards; the chapter's reading time; the site's files."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from bookcode.sphinxext.chapter_head import reading_minutes
from bookcode.sphinxext.html_head import (
    content_security_policy,
    description_of,
    head_tags,
    theme_scripts,
)
from bookcode.sphinxext.site_files import card, card_name, sitemap, write_card


def test_the_policy_names_each_script_once_in_one_order() -> None:
    one = "'sha256-" + base64.b64encode(hashlib.sha256(b"run()").digest()).decode() + "'"
    policy = content_security_policy(["run()", "walk()", "run()"])
    assert policy.count(one) == 1
    assert policy == content_security_policy(["walk()", "run()"])
    assert "script-src 'self' 'sha256-" in policy
    assert content_security_policy([]).count("script-src 'self';") == 1


def test_scripts_are_found_in_templates_but_not_those_that_vary(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<script>\n  one();\n</script><script src='x.js'></script><script></script>"
        "<script>two({{ x }})</script><SCRIPT type='module'>three()</SCRIPT>"
    )
    assert theme_scripts(tmp_path) == ("\n  one();\n", "three()")


def tags(**changes: object) -> str:
    values = {"title": "T", "description": "", "url": "", "card": "", "data": "", "site": "S"}
    return head_tags("p", **values | {"follows": False} | changes)  # type: ignore[arg-type]


def test_what_is_empty_leaves_its_elements_out_and_markup_is_escaped() -> None:
    plain = tags()
    assert 'http-equiv="Content-Security-Policy" content="p"' in plain
    for missing in ("description", "og:url", "og:image", "bookcode-data", "twitter"):
        assert missing not in plain
    full = tags(description='<b> & "c"', url="u", card="c.png", data="d.json", follows=True)
    assert 'name="description" content="&lt;b&gt; &amp; &quot;c&quot;"' in full
    assert 'property="og:image" content="c.png"' in full
    assert 'name="bookcode-data" content="d.json"' in full
    assert 'name="bookcode-parameters"' in full


def test_a_description_is_the_first_paragraph_of_the_text_shortened_at_a_word() -> None:
    words = "word " * 80
    doctree = publish_doctree(f"Title\n=====\n\n.. note:: no\n\n{words}\n\nlast\n")
    found = description_of(doctree)
    assert found.startswith("word word")
    assert found.endswith("word …")
    assert len(found) <= 202
    assert description_of(None) == ""
    assert description_of(publish_doctree("")) == ""


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("one", 1), ("word " * 200, 1), ("word " * 201, 2), ("字" * 700, 2), ("字" * 701, 3)],
)
def test_reading_time_counts_words_and_characters(text: str, minutes: int) -> None:
    assert reading_minutes(publish_doctree(text)) == minutes


def test_reading_time_leaves_code_and_outputs_out() -> None:
    doctree = publish_doctree("one\n\n::\n\n  " + "code " * 900)
    cell = nodes.container(nb_element="cell_code")
    cell += nodes.paragraph("", "out " * 900)
    doctree += cell
    assert reading_minutes(doctree) == 1


def test_a_sitemap_is_escaped_xml() -> None:
    text = sitemap([("https://b.example/a?b&c", {})])
    assert "<loc>https://b.example/a?b&amp;c</loc>" in text
    assert text.startswith("<?xml")


def test_a_sitemap_names_each_page_in_every_language() -> None:
    others = {"en": "https://b.example/en/a?b&c", "zh-CN": "https://b.example/zh-cn/a"}
    (url,) = ElementTree.fromstring(sitemap([(others["en"], others)]))
    links = [(link.get("hreflang"), link.get("href")) for link in list(url)[1:]]
    assert links == list(others.items())
    assert next(iter(url)).text == others["en"]


def test_a_card_is_drawn_once_and_always_the_same(tmp_path: Path) -> None:
    name = write_card(tmp_path, "A title that is long enough to need several lines", "Book")
    first = (tmp_path / name).read_bytes()
    assert first.startswith(b"\x89PNG")
    assert (int.from_bytes(first[16:20]), int.from_bytes(first[20:24])) == (1200, 630)
    assert card("A title that is long enough to need several lines", "Book") == first
    (tmp_path / name).write_bytes(b"kept")
    assert write_card(tmp_path, "A title that is long enough to need several lines", "Book") == name
    assert (tmp_path / name).read_bytes() == b"kept"
    assert card_name("a", "bc") != card_name("ab", "c")
