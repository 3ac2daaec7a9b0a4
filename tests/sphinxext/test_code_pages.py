"""The code browser: pages of files and cells, their links to numbers and back, the search."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.numbers.records import NumberRecord
from bookcode.sphinxext.code_pages import highlight
from bookcode.sphinxext.code_pages_html import Drawing, file_body
from bookcode.sphinxext.code_pages_links import Made, makers_of, named_files
from bookcode.sphinxext.code_pages_source import CodeFile, code_below, read_code
from bookcode.sphinxext.code_pages_words import WORDS, tell
from bookcode.sphinxext.state import Page, Placed, Use
from bookcode.sphinxext.survey import Spot, Survey
from bookcode.sphinxext.wording import WordingError

MATRIX, SCORES = "code/tiny_ledger/matrix.py", "code/tiny_ledger/scores.py"
SOURCE = '''\
"""What this is,
in one paragraph.

And more.
"""

import functools


@functools.cache
def outer(a: int) -> int:
    """Does something."""

    def inner() -> int:
        return a < 2

    return inner()


class Thing:
    """A thing."""

    @property
    def size(self) -> int:
        return 1

    class Part:
        async def wait(self) -> None:
            """Waits."""
'''


class Links(HTMLParser):
    """Ids, links and headings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"]] if given.get("id") else []
        self.links += [given["href"] or ""] if tag == "a" and "href" in given else []
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []


def broken_links(out: Path) -> list[str]:
    """Links inside the site that lead nowhere."""
    pages = {path: Links(path.read_text("utf-8")) for path in out.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].ids if target in pages else []
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in known):
                found.append(f"{path.relative_to(out)}: {link}")
    return found


def hint(out: Path, page: str, key: str) -> dict[str, Any]:
    data = json.loads((out / f"_static/bookcode/{page}.json").read_text("utf-8"))
    return data["hints"][f"num:{key}"]


# in a built book ---------------------------------------------------------------------------------
def test_a_definition_leads_to_its_numbers_and_they_lead_back(shop: Any) -> None:
    built = shop.build()
    assert (built.status, built.problems) == (0, [])
    assert broken_links(built.out) == []
    page = built.raw(MATRIX)
    assert '<a href="#L11"><code>product</code></a> <span>line 11</span>' in page
    assert "numbers made: 1" in page
    assert '<a href="../../gemm.html#gemm">GEMM</a>: <code>gemm.flops</code>' in page
    (link,) = [
        row[2] for row in hint(built.out, "gemm", "gemm.flops")["rows"] if "matrix.py" in row[1]
    ]
    assert link == f"{MATRIX}.html#L10"
    assert 'id="L10"' in page
    assert (built.out / MATRIX).read_bytes() == (shop.root / "tiny_ledger/matrix.py").read_bytes()
    assert 'href="matrix.py" download' in page


def test_cells_name_what_they_publish(shop: Any) -> None:
    page = shop.build().raw("code/cells/attention.py")
    lines = [i for i, line in enumerate(page_lines(page), 1) if "attention.scores" in line]
    assert f'<a href="#L{lines[0]}"><code>attention.scores</code></a>' in page
    assert f'<a href="#L{lines[0] + 1}"><code>attention.many</code></a>' in page
    assert 'href="attention.ipynb" download' in page
    assert 'href="../../attention.html">' in page


def page_lines(page: str) -> list[str]:
    found = re.findall(r'<span class="bk-line" id="L\d+">(.*?)\n</span>', page, flags=re.DOTALL)
    return [re.sub("<[^>]+>", "", line) for line in found]


def test_pages_follow_their_files_and_nothing_else_is_left(shop: Any) -> None:
    shop.edit("conf.py", 'html_theme = "basic"', 'html_theme = "basic"\nbookcode_code = ["other"]')
    shop.write("other/one.py", '"""First words."""\n')
    shop.write("other/two.toml", "# Two\na = 1\n")
    shop.write("other/skipped.bin", "0")
    shop.write("book/words.md", "# Words\n\n:::{code-list}\n:::\n")
    first = shop.build()
    assert (first.status, first.problems) == (0, [])
    assert "other/ one.py: First words. two.toml: Two tiny_ledger/ matrix.py" in first.text("words")
    assert "Attention: read it · notebook · script" in first.text("words")
    assert 'href="code/other/one.py.html"' in first.raw("words")
    assert 'href="../../words.html">All code</a>' in first.raw("code/other/one.py")
    shop.noted("reads")
    shop.write("other/one.py", '"""Second words."""\n\n\ndef name() -> None: ...\n')
    (shop.root / "other/two.toml").unlink()
    shop.write("other/three.py", "x = 1\n")
    second = shop.build()
    assert (second.status, second.problems) == (0, [])
    text = second.text("words")
    assert "one.py: Second words. three.py tiny_ledger/ matrix.py" in text
    assert "name" in second.text("code/other/one.py")
    assert not list(second.out.rglob("two.toml*"))
    assert broken_links(second.out) == []
    assert tree_of(second) == tree_of(shop.build(out="clean"))
    assert shop.noted("runs") != []


def tree_of(built: Any) -> dict[str, bytes]:
    tree = built.tree()
    assert len(tree) > 20
    return tree


def test_a_page_shows_what_the_ledger_made_of_numbers_now(shop: Any) -> None:
    shop.build()
    shop.edit("book/gemm.md", '"gemm.flops", product', '"gemm.work", product')
    shop.edit("book/gemm.md", "{num}`gemm.flops`", "{num}`gemm.work`")
    page = shop.build().raw(MATRIX)
    assert "gemm.work" in page
    assert "gemm.flops" not in page


def test_the_search_finds_code_and_forgets_what_is_gone(shop: Any) -> None:
    built = shop.build()
    assert {"measur", "matrix"} <= words_for(built.out, MATRIX)
    titles = index_of(built.out)["alltitles"]
    assert titles["product"] == [[index_of(built.out)["docnames"].index(MATRIX), "L11"]]
    shop.edit("tiny_ledger/matrix.py", "FLOPs of a product", "Zebras of a product")
    shop.edit("tiny_ledger/matrix.py", "unordered pairs", "unheard pairs")
    again = shop.build()
    found = words_for(again.out, MATRIX)
    assert {"zebra", "unheard"} <= found
    assert "unord" not in found
    assert index_of(again.out) == index_of(shop.build(out="clean").out)


def index_of(out: Path) -> dict[str, Any]:
    text = (out / "searchindex.js").read_text("utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


def words_for(out: Path, docname: str) -> set[str]:
    index = index_of(out)
    number = index["docnames"].index(docname)
    both = [*index["terms"].items(), *index["titleterms"].items()]
    return {word for word, found in both if number == found or number in as_list(found)}


def as_list(found: Any) -> list[int]:
    return found if isinstance(found, list) else []


@pytest.mark.parametrize("name", ["one"])
def test_the_chinese_edition_and_the_theme_of_the_book(make_shop: Any, name: str) -> None:
    shop = make_shop(name)
    shop.edit("conf.py", 'html_theme = "basic"', 'html_theme = "furo"\nlanguage = "zh_CN"')
    shop.write("book/words.md", "# Words\n\n:::{code-list}\n:::\n")
    many = 'says=["many", "{attention.scores:int} of them"]'
    shop.edit("book/attention.md", many, 'says={"en": "many", "zh": "很多"}')
    built = shop.build()
    assert built.problems == []
    assert broken_links(built.out) == []
    page = built.raw(SCORES)
    assert "定义及其数字" in page
    assert "第 9 行" in page
    (sheet,) = re.findall(r'href="\.\./\.\./(_static/site\.css)', page)
    assert ".bk-line:target" in (built.out / sheet).read_text("utf-8")
    assert "Content-Security-Policy" in page
    assert [level for level in Links(page).headings if level != 0][:3] == [1, 2, 2]
    assert "阅读 · 笔记本 · 脚本" in built.text("words")


@pytest.mark.parametrize("builder", ["text", "gettext"])
def test_other_builders_have_no_code_browser(shop: Any, builder: str) -> None:
    shop.write("book/words.md", "# Words\n\n:::{code-list}\n:::\n")
    built = shop.build(builder=builder, out=builder)
    assert built.problems == []
    assert not (built.out / "code").exists()
    messages = "".join(path.read_text("utf-8") for path in built.out.rglob("*.pot"))
    assert "Matrix products" not in messages


# parts -------------------------------------------------------------------------------------------
def test_a_file_is_looked_through() -> None:
    file = read_code("a/b.py", SOURCE)
    assert file.summary == "What this is, in one paragraph."
    assert [(d.name, d.start, d.line, d.end, d.summary) for d in file.definitions] == [
        ("outer", 10, 11, 17, "Does something."),
        ("Thing", 20, 20, 29, "A thing."),
        ("Thing.size", 23, 24, 25, ""),
        ("Thing.Part", 27, 27, 29, ""),
        ("Thing.Part.wait", 28, 28, 29, "Waits."),
    ]
    names = {line: file.at(line).name for line in (10, 15, 21, 24, 29) if file.at(line)}
    assert names == {
        10: "outer",
        15: "outer",
        21: "Thing",
        24: "Thing.size",
        29: "Thing.Part.wait",
    }
    assert file.at(18) is None


@pytest.mark.parametrize(
    ("path", "text", "summary"),
    [
        ("a.py", "def broken(", ""),
        ("a.py", "", ""),
        ("a.py", "null \0", ""),
        (
            "a.toml",
            "# Machines\n# of the book.\n#\n# More.\n\n# not this\na = 1\n",
            "Machines of the book.",
        ),
        ("a.json", "{}", ""),
    ],
)
def test_a_file_without_definitions(path: str, text: str, summary: str) -> None:
    file = read_code(path, text)
    assert (file.definitions, file.summary) == ((), summary)


def test_which_files_are_shown(tmp_path: Path) -> None:
    for name in ("p/a.py", "p/q/b.toml", "p/c.txt", "p/__pycache__/a.pyc", "r/d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert list(code_below(tmp_path, ("p", "missing"))) == ["p/a.py", "p/q/b.toml"]


def number(key: str, place: str = "", reached: tuple[str, ...] = ()) -> Placed:
    marks = dict.fromkeys(reached, "0")
    return Placed(NumberRecord(key, 1, "1", "1", "int", place=place, reached=marks), 1)


def test_numbers_are_told_by_who_made_them() -> None:
    pages = {
        "one": Page(
            records=[
                number("a", "a/b.py:11", ("a/b.py::outer", "a/b.py::Thing.size")),
                number("b", "a/b.py:11", ("a/b.py::outer",)),
                number("c", "", ("a/b.py::outer", "a/c.py::gone")),
                number("d", "a/gone.py:1"),
            ],
            uses=[Use("num", "a", "", 1, "body", "first", "First"), Use("num", "a", "", 2, "body")],
        ),
        "two": Page(uses=[Use("num", "b", "", 1, "body", "there", "There")]),
    }
    assert named_files(pages) == {"a/b.py", "a/c.py", "a/gone.py"}
    makers = makers_of({"a/b.py": read_code("a/b.py", SOURCE)}, pages, Survey(pages))
    assert makers["a/b.py", "outer"] == Made(
        {Spot("one", "first", "First"): ["a"], Spot("two", "there", "There"): ["b"]}, {"one": 1}
    )
    assert makers["a/b.py", "Thing.size"] == Made({}, {"one": 1})


DRAWING = Drawing(
    language="en",
    address=lambda page, anchor: f"{page}.html#{anchor}",
    title=lambda page: f"<{page}>",
    highlight=highlight,
)
CODE = st.text("ab \n\"'#\\(:é编", max_size=60)


@given(text=CODE, path=st.sampled_from(["a.py", "a.toml", "a.json", "a.other"]))
def test_the_code_on_a_page_is_the_code(text: str, path: str) -> None:
    body = file_body(DRAWING, read_code(path, text), {}, [])
    block = body[body.index("<pre") : body.rindex("</pre>")].partition(">")[2]
    plain = HTMLText(block).text
    assert plain == (text if text.endswith("\n") else text + "\n")
    lines = [f"L{number}" for number in range(1, plain.count("\n") + 1)]
    assert [name for name in Links(body).ids if name.startswith("L")] == lines


class HTMLText(HTMLParser):
    """The text of a fragment."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data


def test_nothing_of_a_file_is_markup() -> None:
    file = read_code("<i>.py", '"""A <b> & c."""\ndef f():\n    """<script>"""\n')
    made = {("<i>.py", "f"): Made({Spot("p", "", "<s>"): ["<k>"]}, {"q": 2})}
    body = file_body(DRAWING, file, made, [])
    for tag in ("<i>", "<b>", "<script>", "<s>", "<k>", "<p>p", "<q>"):
        assert tag not in body
    assert "&lt;p&gt; › &lt;s&gt;" in body
    assert Links(body).headings == [1, 2, 2]


def test_a_file_without_a_name_for_its_language_is_shown_plain() -> None:
    assert CodeFile("a.other", "").language == "text"


def test_words_are_there_in_both_languages() -> None:
    assert all(set(texts) == {"en", "zh"} for texts in WORDS.values())
    assert tell("line", "zh_CN", line=3) == "第 3 行"
    assert tell("line", "de", line=3) == "line 3"
    with pytest.raises(WordingError, match=r"sourc.*source"):
        tell("sourc", "en")
