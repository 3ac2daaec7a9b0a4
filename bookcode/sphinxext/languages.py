"""The other editions, seen from a page: the switch, links for search engines, the theme's words."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError, ExtensionError
from sphinx.locale import get_translation

from bookcode.numbers.errors import did_you_mean
from bookcode.numbers.files import write_atomic
from bookcode.translation.editions import NAMES, SOURCE, folder_of, tag

THEME_WORDS: Final = (
    "Toggle site navigation sidebar",
    "Toggle table of contents sidebar",
    "Toggle Light / Dark / Auto color theme",
    "Contents",
    "Menu",
    "Expand",
    "Light mode",
    "Dark mode",
    "Auto light/dark, in light mode",
    "Auto light/dark, in dark mode",
)
"""What the theme writes into labels and titles of icons without asking for a translation."""
BRANCH: Final = "Toggle navigation of %(page)s"
"""The label of a switch in the contents, with the title of the page that it opens."""
_BRANCH: Final = re.compile(r'(?<=aria-label=")Toggle navigation of (?P<page>[^"]*)(?=")')
_LABEL: Final = re.compile(
    r'(?P<before>aria-label="|<title>)'
    rf"(?P<words>{'|'.join(map(re.escape, THEME_WORDS))})"
    r'(?P<after>"|</title>)'
)
_OF: Final = re.compile(r"(@pradyunsg</a>)'s\b")
POSSESSIVE: Final = "'s (of the theme's author)"
"""Message of the catalogue for what follows a name in the foot of the page."""
_CATALOGUE: Final = re.compile(r"Documentation\.addTranslations\((\{.*\})\);", re.DOTALL)
_RULE: Final = re.compile(r"[n0-9<>=!&|?:%()\s+-]+")
_REWRITTEN: Final = "Documentation.TRANSLATIONS"


def settings(app: Sphinx, config: Config) -> None:
    """Give this edition's pages their own address below that of the site.

    Raises:
        ConfigError: when editions are set, and the book is built in none of their languages.
    """
    editions: Mapping[str, str] = config.bookcode_editions
    language = config.language or "en"
    folder = folder_of(language, editions)
    if not editions:
        return
    if not folder:
        near = did_you_mean(language, editions.values())
        raise ConfigError(f"bookcode_editions has no edition in {language!r}{near}")
    if config.html_baseurl:
        base = site_address(config.html_baseurl, editions)
        config.html_baseurl = f"{base}{folder}/"


def site_address(address: str, editions: Mapping[str, str]) -> str:
    """The address of the site above its editions, with a slash at its end."""
    base = address.rstrip("/") + "/"
    for folder in editions:
        if base.endswith(f"/{folder}/"):
            return base.removesuffix(f"{folder}/")
    return base


def addresses(app: Sphinx, pagename: str) -> dict[str, str]:
    """Folder of an edition to a page's address in it: absolute, or relative to the page."""
    editions: Mapping[str, str] = app.config.bookcode_editions
    uri = app.builder.get_target_uri(pagename)
    base = _above(uri)
    if app.config.html_baseurl:
        base = site_address(app.config.html_baseurl, editions)
    return {folder: f"{base}{folder}/{uri}" for folder in editions}


def _above(uri: str) -> str:
    """From a page to the folder of all editions."""
    return "../" * (uri.count("/") + 1)


def default_address(app: Sphinx, pagename: str, found: Mapping[str, str]) -> str:
    """Where a reader of no known language goes: from the start page to the page that chooses."""
    source = next(iter(found))
    if pagename != app.config.root_doc:
        return found[source]
    root = found[source].removesuffix(app.builder.get_target_uri(pagename))
    return root.removesuffix(f"{source}/") + ("" if app.config.html_baseurl else "index.html")


def complete_page(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give the templates the other editions, and the head its links to them."""
    context["theme_words"] = theme_words
    editions: Mapping[str, str] = app.config.bookcode_editions
    own = folder_of(app.config.language or SOURCE, editions)
    uri = app.builder.get_target_uri(pagename)
    context["bookcode_languages"] = [
        {
            "href": f"{_above(uri)}{folder}/{uri}",
            "tag": tag(language),
            "name": NAMES.get(folder, tag(language)),
        }
        for folder, language in editions.items()
        if folder != own
    ]
    if len(editions) > 1 and pagename in app.env.found_docs:
        found = addresses(app, pagename)
        links = [(tag(editions[folder]), address) for folder, address in found.items()]
        links.append(("x-default", default_address(app, pagename, found)))
        context["metatags"] = context.get("metatags", "") + "".join(
            f'<link rel="alternate" hreflang="{name}" href="{html.escape(address)}">\n'
            for name, address in links
        )


def theme_words(markup: str) -> str:
    """The theme's markup with its fixed English words in the language of the build."""
    translate = get_translation("sphinx")

    def put(found: re.Match[str]) -> str:
        return f"{found['before']}{html.escape(translate(found['words']))}{found['after']}"

    possessive = translate(POSSESSIVE)
    if possessive != POSSESSIVE:
        markup = _OF.sub(rf"\1{possessive}", markup)
    if (branch := translate(BRANCH)) != BRANCH:
        markup = _BRANCH.sub(lambda found: branch % {"page": found["page"]}, markup)
    return _LABEL.sub(put, markup)


def write_translations(app: Sphinx, exception: Exception | None) -> None:
    """Give Sphinx's scripts their words without ``new Function``, which our policy forbids."""
    path = Path(app.outdir) / "_static" / "translations.js"
    if exception is None and app.builder.format == "html" and path.is_file():
        write_atomic(path, plain_translations(path.read_text("utf-8")))


def plain_translations(script: str) -> str:
    """The script that gives Sphinx its translations, with the plural's rule as plain code.

    Raises:
        ExtensionError: when the script is not as Sphinx 9 makes it.
    """
    found = _CATALOGUE.fullmatch(script.strip())
    if not found:
        if _REWRITTEN in script:
            return script
        raise ExtensionError("translations.js is not as expected: does this Sphinx make another?")
    catalogue = json.loads(found[1])
    rule = catalogue["plural_expr"]
    if not _RULE.fullmatch(rule):
        raise ExtensionError(f"translations.js: {rule!r} is no rule for plurals")
    words = json.dumps(catalogue["messages"], ensure_ascii=False, sort_keys=True, indent=1)
    return (
        f"Object.assign({_REWRITTEN}, {words});\n"
        f"Documentation.PLURAL_EXPR = (n) => Number({rule});\n"
        f"Documentation.LOCALE = {json.dumps(catalogue['locale'])};\n"
    )


def add_languages(app: Sphinx) -> None:
    """Register everything; setting: ``bookcode_editions`` (folder to Sphinx's language)."""
    app.add_config_value("bookcode_editions", {}, "html", dict)
    app.connect("config-inited", settings, priority=60)
    app.connect("html-page-context", complete_page, priority=910)
    app.connect("build-finished", write_translations)
