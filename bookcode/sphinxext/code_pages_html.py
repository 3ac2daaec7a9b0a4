"""The body of a page of the code browser. No Sphinx here.

Line numbers are no part of the text, so that what a reader copies is the code alone.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bookcode.sphinxext.code_pages_links import Made, Makers
from bookcode.sphinxext.code_pages_source import CodeFile, Definition
from bookcode.sphinxext.code_pages_words import tell
from bookcode.sphinxext.survey import Spot


@dataclass(frozen=True)
class Drawing:
    """What pages are drawn with.

    Attributes:
        language: of the edition.
        address: page and anchor ("" for none) to the address as seen from the page drawn.
        title: a page's title.
        highlight: code and its language to HTML, as many lines as the code has.
    """

    language: str
    address: Callable[[str, str], str]
    title: Callable[[str], str]
    highlight: Callable[[str, str], str]

    def say(self, key: str, /, **parts: object) -> str:
        """Words of the edition, as HTML."""
        return html.escape(tell(key, self.language, **parts))


def file_body(drawing: Drawing, file: CodeFile, makers: Makers, links: Sequence[str]) -> str:
    """A file: what it is for, its definitions with the numbers they made, its source.

    Args:
        links: what stands under the title.
    """
    entries = [_definition(drawing, d, makers.get((file.path, d.name))) for d in file.definitions]
    parts = [_head(file, links)]
    if entries:
        heading = drawing.say("definitions")
        parts += [f'<h2 id="definitions">{heading}</h2>', '<dl class="bk-definitions">', *entries]
        parts.append("</dl>")
    return "\n".join([*parts, *_source(drawing, file)])


def cells_body(
    drawing: Drawing,
    file: CodeFile,
    published: Iterable[tuple[str, int, Spot]],
    links: Sequence[str],
) -> str:
    """The cells of a page as one script, with what they publish: key, line, where it is shown."""
    rows = []
    for key, line, spot in published:
        where = _link(drawing.address(spot.docname, spot.anchor), _title(drawing, spot))
        rows.append(f"<li>{_link(f'#L{line}', _code(key))} → {where}</li>")
    parts = [_head(file, links)]
    if rows:
        said = f"{drawing.say('published')} ({len(rows)})"
        parts.append(f'<details class="bk-published"><summary>{said}</summary><ul>')
        parts += [*rows, "</ul></details>"]
    return "\n".join([*parts, *_source(drawing, file)])


def link(address: str, text: str, *, download: bool = False) -> str:
    """A link with a plain text."""
    return _link(address, html.escape(text), " download" if download else "")


def _head(file: CodeFile, links: Sequence[str]) -> str:
    title = html.escape(file.path).replace("/", "/<wbr>")
    summary = f'<p lang="en">{html.escape(file.summary)}</p>\n' if file.summary else ""
    return f'<h1>{title}</h1>\n{summary}<p class="bk-code-links">{" · ".join(links)}</p>'


def _definition(drawing: Drawing, definition: Definition, made: Made | None) -> str:
    where = drawing.say("line", line=definition.line)
    head = f"<dt>{_link(f'#L{definition.line}', _code(definition.name))} <span>{where}</span></dt>"
    body = f'<p lang="en">{html.escape(definition.summary)}</p>' if definition.summary else ""
    if made is not None:
        body += _made(drawing, made)
    return f"{head}<dd>{body}</dd>"


def _made(drawing: Drawing, made: Made) -> str:
    text = ""
    if made.here:
        count = sum(map(len, made.here.values()))
        rows = []
        for spot, keys in made.here.items():
            where = _link(drawing.address(spot.docname, spot.anchor), _title(drawing, spot))
            rows.append(f"<li>{where}: {', '.join(map(_code, keys))}</li>")
        said = drawing.say("made", count=count)
        text += f"<details><summary>{said}</summary><ul>{''.join(rows)}</ul></details>"
    if made.through:
        pages = [
            f"{_link(drawing.address(name, ''), html.escape(drawing.title(name)))} ({count})"
            for name, count in made.through.items()
        ]
        text += f'<p class="bk-through">{drawing.say("through")}: {", ".join(pages)}</p>'
    return text


def _title(drawing: Drawing, spot: Spot) -> str:
    page = drawing.title(spot.docname)
    section = spot.title if spot.title != page else ""
    return html.escape(f"{page} › {section}" if section else page)


def _source(drawing: Drawing, file: CodeFile) -> list[str]:
    made = drawing.highlight(file.text, file.language).split("\n")
    lines = file.text.count("\n") + (not file.text.endswith("\n"))
    numbered = [_line(number, text) for number, text in enumerate(made[:lines], 1)]
    return [
        f'<h2 id="source">{drawing.say("source")}</h2>',
        f'<div class="highlight-{file.language} notranslate bk-code"><div class="highlight">'
        f'<pre tabindex="0" lang="en">{"".join(numbered)}</pre></div></div>',
    ]


def _line(number: int, text: str) -> str:
    mark = f'<a href="#L{number}" data-line="{number}" aria-hidden="true" tabindex="-1"></a>'
    return f'<span class="bk-line" id="L{number}">{mark}{text}\n</span>'


def _link(address: str, markup: str, attributes: str = "") -> str:
    return f'<a href="{html.escape(address)}"{attributes}>{markup}</a>'


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"
