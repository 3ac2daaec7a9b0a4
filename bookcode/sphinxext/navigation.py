"""The list of all pages that stands beside each page: made once, and marked for the page.

Theme and Sphinx make it anew for every page, which takes the square of the number of pages: in a
book of hundreds it would cost more than reading them. What differs from page to page is where links
are relative to, and which entries are marked as current.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

THEME: Final = "furo"
_NOWHERE: Final = "bookcode-nowhere"
"""A page at the site's root that is not in the list."""
_KEPT: Final = "bookcode_toctree"
_PARTS: Final = re.compile(
    r'<(?P<open>ul|li)(?: class="toctree-l\d+(?P<li>)(?: has-children)?(?P<last>)")?(?P<ul>)>'
    r"|</(?P<close>ul|li)>"
    r'|<a class="(?P<a>)reference internal" href="(?P<href>[^"]*)">'
    r'|<input aria-label="[^"]*"(?P<input>) class="toctree-checkbox"'
)


@dataclass
class _Branch:
    """A list or an entry: where its mark goes, and what it stands in."""

    mark: tuple[int, str]
    parent: _Branch | None
    last: int = 0
    box: int = 0


@dataclass(frozen=True)
class _Link:
    """A link to a page, counted from the site's root, and the entry that holds it."""

    target: str
    start: int
    end: int
    mark: int
    entry: _Branch | None


@dataclass
class Navigation:
    """The list as it is on a page that it does not name, at the site's root."""

    text: str
    links: list[_Link] = field(default_factory=list)

    def __post_init__(self) -> None:
        branch: _Branch | None = None
        for part in _PARTS.finditer(self.text):
            if part["open"]:
                at = part.start("li"), " current"
                if part["open"] == "ul":
                    at = part.start("ul"), ' class="current"'
                branch = _Branch(at, branch, part.start("last"))
            elif part["close"]:
                branch = branch.parent if branch else None
            elif part["href"] is not None:
                link = part.start("href"), part.end("href"), part.start("a")
                self.links.append(_Link(unescape(part["href"]), *link, branch))
            elif branch:
                branch.box = part.start("input")

    def beside(self, page: str) -> str:
        """The list as it stands beside a page, which is named by its path in the site."""
        pieces: list[tuple[int, int, str]] = []
        marked: dict[int, _Branch] = {}
        for link in self.links:
            here = link.target == page
            target = "#" if here else escape(relative_uri(page, link.target))
            pieces.append((link.start, link.end, target))
            if here:
                pieces.append((link.mark, link.mark, "current "))
                marked |= {id(branch): branch for branch in _upwards(link.entry)}
        for branch in marked.values():
            at, mark = branch.mark
            pieces.append((at, at, mark))
            if branch.box:
                pieces.append((branch.box, branch.box, ' checked=""'))
        ends = [branch.last for branch in marked.values() if branch.last > 0]
        if ends:
            pieces.append((max(ends), max(ends), " current-page"))
        return _replaced(self.text, sorted(pieces, key=lambda piece: piece[0]))


def _upwards(branch: _Branch | None) -> Iterator[_Branch]:
    while branch is not None:
        yield branch
        branch = branch.parent


def _replaced(text: str, pieces: list[tuple[int, int, str]]) -> str:
    """A text with pieces (start, end, new) in place of what was there."""
    parts, at = [], 0
    for start, end, new in pieces:
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def navigation_of(app: Sphinx) -> Navigation:
    """The list, made when it is first asked for in a build."""
    if "_bookcode_navigation" not in vars(app):
        from furo.navigation import get_navigation_tree  # which other themes do without

        made = app.builder._get_local_toctree(  # type: ignore[attr-defined]
            _NOWHERE, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
        )
        vars(app)["_bookcode_navigation"] = Navigation(get_navigation_tree(made))
    navigation: Navigation = vars(app)["_bookcode_navigation"]
    return navigation


def before_theme(app: Sphinx, page: str, template: str, context: Any, doctree: object) -> None:
    """Let the theme make the list of nothing."""
    if app.config.html_theme == THEME and "toctree" in context:
        context[_KEPT], context["toctree"] = context["toctree"], lambda **_: ""


def after_theme(app: Sphinx, page: str, template: str, context: Any, doctree: object) -> None:
    """Give it the one that was made before."""
    if _KEPT in context:
        context["toctree"] = context.pop(_KEPT)
        target = app.builder.get_target_uri(page)
        context["furo_navigation_tree"] = navigation_of(app).beside(target)


def add_navigation(app: Sphinx) -> None:
    """Connect what comes before and after the theme."""
    app.connect("html-page-context", before_theme, priority=400)
    app.connect("html-page-context", after_theme, priority=600)
