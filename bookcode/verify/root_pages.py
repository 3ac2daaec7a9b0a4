"""The pages at the root of the site, above its editions: the way in, and "not found".

They stand alone: no theme, no file that a wrong address could miss. The way in has one script of a
few lines, allowed by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping

from bookcode.translation.editions import NAMES, tag

TITLE = "Operators and kernels"
TITLES = {"en": TITLE, "zh-cn": "算子与 kernel"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = (
    "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;"
    "color:#16202a;background:#fff}a{color:#0a4bd0}"
    "@media(prefers-color-scheme:dark){body{color:#d8dee4;background:#131416}a{color:#8ab4ff}}"
)
MISSING = {
    "en": ("There is no such page.", "Start of the book"),
    "zh-cn": ("没有这个页面。", "本书首页"),
}


CHOICE = "bookcode.language"
"""Where a reader's browser keeps the language that was chosen last; the pages write it."""
_PICK = """\
(() => {
  const editions = EDITIONS;
  const wanted = [...(navigator.languages ?? [navigator.language])];
  try {
    wanted.unshift(localStorage.getItem("CHOICE"));
  } catch {
    // a browser that stores nothing goes by its languages
  }
  const known = wanted.map((name) => (name ?? "").toLowerCase().split("-")[0]);
  const found = known.find((name) => Object.hasOwn(editions, name)) ?? "FIRST";
  location.replace(`${editions[found]}/index.html${location.hash}`);
})();"""


def way_in(editions: Mapping[str, str]) -> str:
    """The root page: leads to the edition chosen last, or else in the browser's language.

    Without a script it leads to the first edition. It names all for those who stay.

    Args:
        editions: folder to Sphinx's name of the language, the source's first.
    """
    first = next(iter(editions))
    links = "".join(
        f'<li><a href="{folder}/index.html" hreflang="{tag(folder)}" lang="{tag(folder)}">'
        f"{NAMES.get(folder, folder)}</a></li>"
        for folder in editions
    )
    titles = "".join(
        f'<h1 lang="{tag(folder)}">{TITLES.get(folder, TITLE)}</h1>' for folder in editions
    )
    script = _picking(editions)
    refresh = f'<meta http-equiv="refresh" content="0; url={first}/index.html">'
    head = f"<noscript>{refresh}</noscript>\n{_alternates(editions)}<script>{script}</script>\n"
    return _page(f"<main>{titles}<ul>{links}</ul></main>", head, script)


def _picking(editions: Mapping[str, str]) -> str:
    """The script that chooses; of two editions in one language the first."""
    folders: dict[str, str] = {}
    for folder in editions:
        folders.setdefault(tag(folder).partition("-")[0], folder)
    first = next(iter(folders))
    script = _PICK.replace("EDITIONS", json.dumps(folders)).replace("FIRST", first)
    return script.replace("CHOICE", CHOICE)


def _alternates(editions: Mapping[str, str]) -> str:
    links = {tag(folder): f"{folder}/index.html" for folder in editions} | {
        "x-default": "index.html"
    }
    return "".join(
        f'<link rel="alternate" hreflang="{name}" href="{address}">\n'
        for name, address in links.items()
    )


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
        text = f'<p lang="{tag(folder)}">{says} <a href="{link}">{start}</a></p>'
        parts.append(text)
    return _page(f"<main><h1>404</h1>{''.join(parts)}</main>")


def _page(body: str, head: str = "", script: str = "") -> str:
    policy = POLICY
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n{head}</head>\n"
        f"<body>{body}</body>\n</html>\n"
    )
