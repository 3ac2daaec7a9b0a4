"""The editions as checks of verify."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bookcode.verify import translations
from bookcode.verify.builds import Build, Layout, build_all
from bookcode.verify.result import Result
from bookcode.verify.translations import check_translations, page_differences

CONF = """\
extensions = ["bookcode.sphinxext"]
html_theme = "basic"
html_math_renderer = "bookcode"
locale_dirs = ["locale"]
gettext_compact = False
bookcode_editions = {"en": "en", "zh-cn": "zh_CN"}
"""
PO = "book/locale/zh_CN/LC_MESSAGES/index.po"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, list[Build]]:
    """A book of one page, built in both editions at once."""
    root = tmp_path_factory.mktemp("project")
    (root / PO).parent.mkdir(parents=True)
    (root / "conf.py").write_text(CONF, "utf-8")
    (root / "book/index.md").write_text("# Start\n\nSome words.\n", "utf-8")
    (root / PO).write_text(
        'msgid "Start"\nmsgstr "开始"\n\nmsgid "Some words."\nmsgstr "几句话。"\n', "utf-8"
    )
    layout = Layout(root, root / "_build")
    told: dict[str, list[Any]] = {"en": [], "zh-cn": []}
    builds = build_all(
        layout, list(told), clean=True, watch_of=lambda edition: told[edition].append
    )
    assert all(told.values()), "both editions tell of their pages"
    return layout, builds


@pytest.fixture(autouse=True)
def only_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the texts of data, which this book has none of."""
    monkeypatch.setattr(
        translations, "book_messages", lambda root, exported: translations_of_pages(exported)
    )


def translations_of_pages(exported: dict[str, Any]) -> Any:
    from bookcode.translation.extraction import messages_of

    return messages_of(exported)


def results(layout: Layout, builds: list[Build]) -> dict[str, Result]:
    return {result.name: result for result in check_translations(layout, builds)}


def test_two_whole_editions_are_green(built: tuple[Layout, list[Build]]) -> None:
    layout, builds = built
    assert [b.problems for b in builds] == [(), ()]
    found = results(layout, builds)
    assert set(found) == {"translation zh-cn", "same as en: zh-cn"}
    assert all(not result.problems and not result.unchecked for result in found.values())
    assert found["translation zh-cn"].checked == 2
    assert "几句话。" in (layout.html("zh-cn") / "index.html").read_text("utf-8")
    assert (layout.site / "index.html").is_file()
    assert sorted(p.name for p in layout.site.iterdir()) == [
        *("404.html", "en", "index.html", "zh-cn"),
    ], "nothing but editions and the pages above them"
    assert not list(layout.root.rglob("book/**/jupyter_execute"))


@pytest.mark.parametrize(("only", "missing"), [(0, "zh-cn"), (1, "en")])
def test_what_was_not_built_is_not_checked(
    built: tuple[Layout, list[Build]], only: int, missing: str
) -> None:
    found = results(built[0], [built[1][only]])
    reasons = [reason for result in found.values() for reason in result.unchecked]
    assert set(reasons) == {f"the edition {missing} was not built"}
    assert not any(result.problems for result in found.values())


def edited(layout: Layout, folder: Path, name: str, change: Callable[[str], str]) -> Layout:
    """A copy of the project and its site with one file changed."""
    shutil.copytree(layout.root, folder / "copy")
    path = folder / "copy" / name
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    return Layout(folder / "copy", folder / "copy" / "_build")


def test_an_untranslated_message_is_red(built: tuple[Layout, list[Build]], tmp_path: Path) -> None:
    layout = edited(built[0], tmp_path, PO, lambda text: text.replace("几句话。", ""))
    (problem,) = results(layout, built[1])["translation zh-cn"].problems
    assert problem.startswith(f"{PO}:4: 'Some words.': untranslated")


def test_a_lost_anchor_is_red(built: tuple[Layout, list[Build]], tmp_path: Path) -> None:
    page = "_build/html/zh-cn/index.html"
    layout = edited(built[0], tmp_path, page, lambda text: text.replace('id="start"', ""))
    (problem,) = results(layout, built[1])["same as en: zh-cn"].problems
    assert problem.startswith("book/index.md:1: zh-cn/index.html: no element with id 'start'")


def test_pages_differ_in_anchors_and_in_what_they_show() -> None:
    ours = '<p id="a"><b data-key="k" data-spec="sig2">1</b><i data-claim="c">big</i></p>'
    theirs = '<p id="b"><b data-key="k" data-spec="sig3">1</b></p>'
    assert list(page_differences(ours, ours)) == []
    assert list(page_differences(ours, theirs)) == [
        "no element with id 'a': links to it from the other edition lead nowhere",
        "an element with id 'b' that the page in en does not have",
        "c is not shown",
        "k:sig2 is not shown",
        "k:sig3 is shown in this edition only",
    ]


def test_strokes_of_a_drawing_are_no_anchors() -> None:
    ours = '<svg id="figure"><path id="p1"/></svg><p id="a"></p>'
    theirs = '<svg id="figure"><path id="p2"/></svg><p id="a"></p>'
    assert list(page_differences(ours, theirs)) == []
    (problem,) = page_differences(ours, theirs.replace(' id="a"', ""))
    assert "'a'" in problem
