"""Links of a site are followed, and pages are read as a parser reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.verify.links import check_links, parse_page, read_page

PAGE = """<html><body><h1 id="top">T</h1>
<a href="{}">x</a><img src="pic.svg"></body></html>"""


@pytest.mark.parametrize(
    ("href", "message"),
    [
        ("other.html", None),
        ("other.html#there", None),
        ("#top", None),
        ("folder/", None),
        ("https://example.org/", None),
        ("mailto:a@example.org", None),
        ("gone.html", "no such file"),
        ("other.html#nowhere", "no element with id 'nowhere'"),
        ("#bottom", "no element with id 'bottom'"),
    ],
)
def test_links_lead_to_files_and_ids(tmp_path: Path, href: str, message: str | None) -> None:
    (tmp_path / "index.html").write_text(PAGE.format(href), "utf-8")
    (tmp_path / "other.html").write_text('<p id="there"></p>', "utf-8")
    (tmp_path / "pic.svg").write_text("<svg/>", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "index.html").write_text("<p></p>", "utf-8")
    problems = check_links(tmp_path).problems
    if message is None:
        assert problems == []
    else:
        assert len(problems) == 1
        assert message in problems[0]
        assert problems[0].startswith("index.html:2: ")


def test_a_link_to_an_edition_that_was_not_built_is_not_checked(tmp_path: Path) -> None:
    page = tmp_path / "en" / "deep" / "a.html"
    page.parent.mkdir(parents=True)
    page.write_text('<a href="../../zh-cn/deep/a.html">x</a><a href="../b.html">y</a>', "utf-8")
    result = check_links(tmp_path, ("en", "zh-cn"))
    assert result.unchecked == ["the edition zh-cn was not built"]
    assert [p for p in result.problems if "b.html" in p] == result.problems
    assert len(result.problems) == 1
    (tmp_path / "zh-cn").mkdir()
    result = check_links(tmp_path, ("en", "zh-cn"))
    assert (len(result.problems), result.unchecked) == (2, [])


def test_a_site_reached_by_a_link_is_followed_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/index.html").write_text('<a href="#nowhere">x</a>', "utf-8")
    (tmp_path / "site").symlink_to("real")
    assert "nowhere" in check_links(tmp_path / "site").problems[0]


@pytest.mark.parametrize(
    "text",
    [
        '<p id="a">\n<a href="b.html#c" class="x">b</a></p>',
        "<IMG SRC='a.png'\n  alt=\"<a href='no'>\"><a name=old HREF=plain.html>x</a>",
        '<!-- <a href="no"> --><script src="a.js">if (a<b) "<a href=no>"</script><i id="b">',
        '<style>a > b { } <p id="no"></style><p id="yes">',
        '<svg><use xlink:href="#i" href="#j"/><path d="M0 0"/></svg>',
        '<a href="?a=1&amp;b=2" id="&quot;">x</a>',
        "<p>a < b <c</p><a href=x>y</a>",
        '<a href="unclosed>x</a><p id="late">',
        "<a href>no value</a><p data-id=no id>",
        '<p title="it\'s" id="a"><p title=\'"\' id="b">',
        '<!doctype html><?x <a href="y">?><p id="z">',
        "<!-- never closed <p id=a>",
        "</ <a href=no>></p x='>' ><b id=c>",
        "<!DOCTYPE html><![CDATA[ <a href=no> ]]><b id=c>",
        '<p id="">',
    ],
)
def test_a_page_is_read_as_a_parser_reads_it(text: str) -> None:
    assert read_page(text) == parse_page(text)


PIECES = st.sampled_from(
    [
        *("<p", "<a", "<script", "</script>", "</p>", ">", "/>", "<!--", "-->", "<", " ", "\n"),
        *(' id="a"', " id=b", " href='c&amp;d'", ' src="e"', " name=f", " title='>'", ' t="<a>"'),
        *("<!", "<?", "</", "</b ", "<!doctype html>", "words", "&lt;", '"', "="),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_a_page_holds_it_is_read_as_a_parser_reads_it(text: str) -> None:
    assert read_page(text) == parse_page(text)
