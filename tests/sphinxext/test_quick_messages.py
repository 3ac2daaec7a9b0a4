"""Translations are read with one parser a page, and as Sphinx would read them by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from myst_parser.mdit_to_docutils import base
from myst_parser.parsers import sphinx_
from sphinx.transforms.i18n import Locale

from bookcode.sphinxext import quick_messages
from bookcode.sphinxext.quick_messages import install_quick_messages

Asked = list[tuple[Any, ...]]


class Settings:
    """Settings that somebody may change."""

    def __init__(self) -> None:
        self.halt_level = [4]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What MyST was asked to make, with the transform that translates in its quick way."""
    calls: Asked = []

    def create(*given: Any) -> object:
        calls.append(given)
        return object()

    def settings(*given: Any) -> Settings:
        calls.append(given)
        return Settings()

    monkeypatch.setattr(sphinx_, "create_md_parser", create)
    monkeypatch.setattr(base, "get_default_settings", settings)
    monkeypatch.setattr(Locale, "apply", Locale.apply)  # put back what the next line changes
    install_quick_messages()
    return calls


def translated(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
    """Have something done in the place of Sphinx's transform."""
    monkeypatch.setattr(quick_messages, "_apply", lambda self: work())
    Locale.apply(object())  # type: ignore[arg-type]


def test_a_page_has_one_parser_for_a_configuration(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, renderer = object(), object(), object()
    found: list[Any] = []

    def work() -> None:
        found.extend(sphinx_.create_md_parser(config, renderer) for config in (first, second) * 3)

    translated(monkeypatch, work)
    assert asked == [(first, renderer), (second, renderer)]
    assert found[0] is found[2] is found[4] is not found[1] is found[3] is found[5]
    translated(monkeypatch, work)
    assert len(asked) == 4


def test_settings_are_made_once_and_each_document_has_its_own(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Settings] = []
    translated(monkeypatch, lambda: found.extend(base.get_default_settings(int) for _ in range(3)))
    assert asked == [(int,)]
    for settings in found:
        assert settings.halt_level == [4]
        settings.halt_level.append(5)


def test_all_is_as_before_afterwards(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sphinx_.create_md_parser, base.get_default_settings
    during: list[Any] = []

    def work() -> None:
        during.extend((sphinx_.create_md_parser, base.get_default_settings))
        raise KeyError("a transform that fails")

    with pytest.raises(KeyError):
        translated(monkeypatch, work)
    assert (sphinx_.create_md_parser, base.get_default_settings) == before
    assert not set(during) & set(before)


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
