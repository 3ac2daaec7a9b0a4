from __future__ import annotations

import io
from typing import Any

from bookcode.live.terminal import Terminal


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def said(*messages: dict[str, Any], stream: io.StringIO | None = None) -> str:
    stream = stream or io.StringIO()
    terminal = Terminal(stream)
    for message in messages:
        terminal.say(message)
    return stream.getvalue()


PROBLEM = {"path": "book/one.md", "line": 7, "level": "error", "text": "no number 'x'", "tag": ""}
PROGRESS = {"kind": "progress", "what": "reading", "page": "02/index", "done": 1, "total": 12}


def built(**values: Any) -> dict[str, Any]:
    usual = {"kind": "built", "changed": [], "problems": [], "read": 1, "seconds": 0.123}
    return {**usual, **values}


def test_a_build_is_one_line() -> None:
    changed = ["a.html", "searchindex.js", "_static/x.css"]
    assert said(built(changed=changed)) == "read 1 page in 0.12 s: a.html\n"
    assert said(built(read=2)) == "read 2 pages in 0.12 s, no page differs\n"


def test_long_lists_are_cut() -> None:
    line = said(built(changed=[f"{i}.html" for i in range(5)]))
    assert line == "read 1 page in 0.12 s: 0.html, 1.html, 2.html and 2 more\n"


def test_problems_have_their_place() -> None:
    elsewhere = {**PROBLEM, "path": "", "line": 0, "level": "warning", "text": "odd"}
    text = said(built(problems=[PROBLEM, elsewhere]), {"kind": "broken", "problem": PROBLEM})
    lines = text.splitlines()[1:]
    assert lines[0] == "book/one.md:7: ERROR: no number 'x'"
    assert lines[1] == "WARNING: odd"
    assert lines[2] == lines[0]


def test_progress_is_for_terminals() -> None:
    assert said(PROGRESS) == ""
    shown = said(PROGRESS, built(), stream=Tty())
    assert "reading 02/index (2 of 12)" in shown
    assert shown.endswith("\r\x1b[Kread 1 page in 0.12 s, no page differs\n")


def test_what_was_shown_first_and_restarts() -> None:
    page = {"kind": "page", "page": "one.html", "seconds": 0.2, "shown": True}
    assert said(page) == "one.html shown after 0.20 s\n"
    assert said({**page, "shown": False}) == ""
    assert said({"kind": "restart", "why": "conf.py changed"}) == "conf.py changed\n"
