"""The pages at the root of the site, above its editions: the way in, and "not found".

They stand alone: no theme, no script, no file that a wrong address could miss.
"""

from __future__ import annotations

import html
from collections.abc import Mapping

TITLE = "Operators and kernels"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = (
    "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;"
    "color:#16202a;background:#fff}a{color:#0a4bd0}"
    "@media(prefers-color-scheme:dark){body{color:#d8dee4;background:#131416}a{color:#8ab4ff}}"
)
NAMES = {"en": "English", "zh-cn": "简体中文"}
MISSING = {
    "en": ("There is no such page.", "Start of the book"),
    "zh-cn": ("没有这个页面。", "本书首页"),
}


def way_in(editions: Mapping[str, str]) -> str:
    """The root page: leads to the first edition, and names all for those who stay.

    Args:
        editions: folder to Sphinx's name of the language, the source's first.
    """
    first = next(iter(editions))
    links = "".join(
        f'<li><a href="{folder}/index.html" lang="{_tag(folder)}">'
        f"{NAMES.get(folder, folder)}</a></li>"
        for folder in editions
    )
    refresh = f'<meta http-equiv="refresh" content="0; url={first}/index.html">\n'
    return _page(f"<main><h1>{TITLE}</h1><ul>{links}</ul></main>", refresh)


def not_found(editions: Mapping[str, str], base: str = "/") -> str:
    """The page for addresses that lead nowhere.

    Args:
        base: the path under which the site is served. A missing page may be asked for at any
            depth, so its links cannot be relative.
    """
    parts = []
    for folder in editions:
        says, start = MISSING.get(folder, MISSING["en"])
        link = html.escape(f"{base.rstrip('/')}/{folder}/index.html")
        text = f'<p lang="{_tag(folder)}">{says} <a href="{link}">{start}</a></p>'
        parts.append(text)
    return _page(f"<main><h1>404</h1>{''.join(parts)}</main>")


def _tag(folder: str) -> str:
    language, _, country = folder.partition("-")
    return f"{language}-{country.upper()}" if country else language


def _page(body: str, head: str = "") -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{head}'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>{body}</body>\n</html>\n"
    )
