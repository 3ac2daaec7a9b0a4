"""The list beside a page is, byte for byte, what the theme would have made for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bookcode.sphinxext.navigation import Navigation

from ..conftest import Sphinxes
from .conftest import Project

PAGES = {
    "index": "# Start\n\n```{toctree}\n:caption: A & B\n\none/index\ntwo/index\nalone\n"
    "Elsewhere <https://a.test/>\n```\n\n```{toctree}\n:hidden:\n\none/deep/c\nwith space\n```\n",
    "one/index": "# *One* & `code`\n\n## Section\n\n```{toctree}\na\nb\ndeep/index\n```\n",
    "one/a": "# A\n",
    "one/b": '# B "quoted"\n',
    "one/deep/index": "# Deep\n\n```{toctree}\nc\nd\n```\n",
    "one/deep/c": "# C\n",
    "one/deep/d": "# D\n",
    "two/index": "# Two\n\n```{toctree}\n:titlesonly:\n\nx\n```\n",
    "two/x": "# X\n",
    "alone": "# Alone\n",
    "with space": "# With a space\n",
    "orphan": "---\norphan: true\n---\n# Orphan\n",
}
COMPARE = """\
import json, sys
from sphinx.application import Sphinx
from furo.navigation import get_navigation_tree
from bookcode.sphinxext.navigation import navigation_of
root = sys.argv[1]
app = Sphinx(root, None, f"{root}/out", f"{root}/trees", "html", status=None, warning=None,
             confoverrides={"extensions": ["myst_parser"], "html_theme": "furo"})
app.build()
same = {}
for page in [*sorted(app.env.all_docs), "genindex", "deeply/made/page"]:
    theirs = get_navigation_tree(app.builder._get_local_toctree(
        page, collapse=False, titles_only=True, maxdepth=-1, includehidden=True))
    ours = navigation_of(app).beside(app.builder.get_target_uri(page))
    same[page] = [ours, theirs]
print(json.dumps(same))
"""


@pytest.mark.slow
def test_every_page_has_the_list_that_the_theme_would_make(tmp_path: Path) -> None:
    for name, text in PAGES.items():
        path = tmp_path / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COMPARE, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lists = json.loads(done.stdout)
    assert set(PAGES) < set(lists)
    for page, (ours, theirs) in lists.items():
        assert ours == theirs, page
    assert 'href="#"' in lists["one/deep/c"][0]
    assert lists["one/deep/c"][0].count("current-page") == 1
    assert "current" not in lists["orphan"][0]


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "marked"), [("furo", True), ("basic", False)])
def test_a_built_page_shows_it(
    tmp_path: Path, sphinxes: Sphinxes, theme: str, marked: bool
) -> None:
    project = Project(tmp_path / "project", sphinxes)
    conf = f'extensions = ["bookcode.sphinxext"]\nhtml_theme = "{theme}"\n'
    project.write("conf.py", f'{conf}html_math_renderer = "bookcode"\nbookcode_code = []\n')
    project.write("book/index.md", "# Start\n\n```{toctree}\none/a\n```\n")
    project.write("book/one/a.md", "# A\n")
    built = project.build()
    assert (built.status, built.problems) == (0, [])
    mark = '<li class="toctree-l1 current current-page"><a class="current reference internal"'
    assert (mark in built.raw("one/a")) is marked
    assert mark not in built.raw("index")


def test_a_book_of_one_page_has_an_empty_list() -> None:
    assert Navigation("").beside("index.html") == ""


def test_a_page_that_stands_twice_is_marked_twice_and_named_once() -> None:
    item = '<li class="toctree-l1"><a class="reference internal" href="{}">T</a></li>\n'
    items = [item.format(name) for name in ("a.html", "b/c.html", "a.html")]
    made: Any = Navigation(f"<ul>\n{''.join(items)}</ul>")
    beside = made.beside("a.html")
    assert beside.count("toctree-l1 current") == 2
    assert beside.count("current-page") == 1
    assert beside.index("current-page") > beside.index("b/c.html")
    assert made.beside("b/c.html").count('href="../a.html"') == 2
