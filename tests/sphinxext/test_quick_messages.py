"""Translations are read with one parser a page, and as Sphinx would read them by itself."""

from __future__ import annotations

from typing import Any

import pytest
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from myst_parser.mdit_to_docutils import base
from myst_parser.parsers import sphinx_
from sphinx.transforms.i18n import Locale

from bookcode.sphinxext import quick_messages
from bookcode.sphinxext.quick_messages import install_quick_messages


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """The parsers that MyST was asked for; Sphinx's transform asks for three."""
    asked: list[tuple[Any, Any]] = []

    def create(config: Any, renderer: Any) -> object:
        asked.append((config, renderer))
        return object()

    monkeypatch.setattr(quick_messages, "_create", create)
    monkeypatch.setattr(sphinx_, "create_md_parser", create)
    monkeypatch.setattr(Locale, "apply", Locale.apply)  # put back what the next line changes
    install_quick_messages()
    return asked


def test_a_page_has_one_parser_for_a_configuration(
    made: list[tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, renderer = object(), object(), object()
    found: list[Any] = []

    def translate(self: Any) -> None:
        found.extend(sphinx_.create_md_parser(config, renderer) for config in (first, second) * 3)

    monkeypatch.setattr(quick_messages, "_apply", translate)
    Locale.apply(object())  # type: ignore[arg-type]
    assert made == [(first, renderer), (second, renderer)]
    assert found[0] is found[2] is found[4] is not found[1] is found[3] is found[5]
    Locale.apply(object())  # type: ignore[arg-type]
    assert len(made) == 4


def test_all_is_as_before_afterwards(
    made: list[tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sphinx_.create_md_parser, base.make_document
    during: list[Any] = []

    def fail(self: Any) -> None:
        during.extend((sphinx_.create_md_parser, base.make_document))
        raise KeyError("a transform that fails")

    monkeypatch.setattr(quick_messages, "_apply", fail)
    with pytest.raises(KeyError):
        Locale.apply(object())  # type: ignore[arg-type]
    assert (sphinx_.create_md_parser, base.make_document) == before
    assert not set(during) & set(before)


def test_documents_have_settings_of_their_own() -> None:
    one, other = quick_messages._make_document("one"), quick_messages._make_document("other")
    assert (one["source"], other["source"]) == ("one", "other")
    assert vars(one.settings).keys() == vars(get_default_settings(Parser)).keys()
    one.settings.tab_width = 3
    assert other.settings.tab_width != 3


def test_a_translated_page_is_the_one_that_sphinx_makes(make_book: Any) -> None:
    project = make_book("translated")
    chinese = ("-D", "language=zh_CN")
    quick = project.build(*chinese, out="quick")
    conf = (project.root / "conf.py").read_text("utf-8")
    without = "from bookcode.sphinxext import translations\n"
    without += "translations.install_quick_messages = lambda: None\n"
    project.write("conf.py", without + conf)
    slow = project.build(*chinese, out="slow")
    assert (quick.status, quick.problems) == (slow.status, slow.problems) == (0, [])
    for page in ("index", "deep/other"):
        assert quick.raw(page) == slow.raw(page)
