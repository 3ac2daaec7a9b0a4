"""What stands in the head of every page: security policy, where its data lies, cards for links."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
DESCRIPTION_LENGTH = 200


def content_security_policy(inline_scripts: Iterable[str]) -> str:
    """The policy of every page: nothing from other hosts, and no inline scripts but these."""
    hashes = "".join(f" '{script_hash(text)}'" for text in sorted(set(inline_scripts)))
    return (
        f"default-src 'self'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'"
    )


def script_hash(text: str) -> str:
    """A script's hash as a policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@functools.cache
def theme_scripts(folder: Path) -> tuple[str, ...]:
    """The inline scripts of a theme's templates that are the same on every page."""
    found = []
    for path in sorted(folder.rglob("*.html")):
        for text in INLINE_SCRIPT.findall(path.read_text("utf-8")):
            if text.strip() and "{{" not in text and "{%" not in text:
                found.append(text)
    return tuple(found)


def policy_of(app: Sphinx) -> str:
    """The policy for the theme of this build."""
    theme = getattr(app.builder, "theme", None)
    # The first folder is the theme's own; those it inherits from give it no inline script.
    folders = theme.get_theme_dirs()[:1] if theme is not None else []
    return content_security_policy(text for f in folders for text in theme_scripts(Path(f)))


def description_of(doctree: nodes.document | None) -> str:
    """The first paragraph of a page, shortened at a word."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.section | nodes.document):
            continue
        text = " ".join(paragraph.astext().split())
        if len(text) > DESCRIPTION_LENGTH:
            text = text[:DESCRIPTION_LENGTH].rsplit(" ", 1)[0] + " …"
        return text
    return ""


def meta(**attributes: str) -> str:
    """A ``<meta>`` element; a trailing underscore of a name is dropped, ``_`` stands for ``-``."""
    text = " ".join(
        f'{name.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for name, value in attributes.items()
    )
    return f"<meta {text}>\n"


def head_tags(
    policy: str,
    *,
    title: str,
    description: str,
    url: str,
    card: str,
    data: str,
    site: str,
    follows: bool,
) -> str:
    """The elements; an empty argument leaves its elements out.

    Args:
        url, card: absolute addresses of the page and of its picture for links.
        data: address of the page's JSON file.
        site: the book's title.
        follows: whether something on the page follows parameters.
    """
    tags = meta(http_equiv="Content-Security-Policy", content=policy)
    if data:
        tags += meta(name="bookcode-data", content=data)
    if follows:
        tags += meta(name="bookcode-parameters", content="yes")
    if description:
        tags += meta(name="description", content=description)
    for name, content in {
        "og:type": "article",
        "og:site_name": site,
        "og:title": title,
        "og:description": description,
        "og:url": url,
        "og:image": card,
    }.items():
        if content:
            tags += meta(property=name, content=content)
    if card:
        tags += meta(name="twitter:card", content="summary_large_image")
    return tags


def plain_title(context: dict[str, Any]) -> str:
    """The page's title without markup."""
    return html.unescape(re.sub(r"<[^>]+>", "", context.get("title") or ""))
