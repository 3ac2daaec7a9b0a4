"""From what the builder reports, and a second look where that leaves doubts, to a verdict.

Only what is certainly dead fails: a page that the host says is not there, an anchor that a page
does not have, lines that cannot be. A host that refuses, limits, is down, or asks for proof of a
human leaves the link unsettled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from html.parser import HTMLParser
from typing import Final
from urllib.parse import unquote, urlsplit

from .records import Answer, Link
from .rules import Rules


class Verdict(Enum):
    """What is known of a link."""

    WORKING = "working"
    MOVED = "moved"
    GONE = "gone"
    DEAD_ANCHOR = "no such anchor"
    IMPOSSIBLE_LINES = "impossible lines"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "too many requests"
    UNAVAILABLE = "host unavailable"
    BOT_WALL = "behind a bot wall"
    UNREACHABLE = "host not reached"
    ODD = "odd answer"
    SKIPPED = "not looked at"


FAILING: Final = frozenset({Verdict.GONE, Verdict.DEAD_ANCHOR, Verdict.IMPOSSIBLE_LINES})
SETTLED: Final = frozenset({Verdict.WORKING, Verdict.MOVED, Verdict.SKIPPED}) | FAILING

_WALL_HEADERS: Final = {
    "cf-mitigated": r"challenge",
    "x-amzn-waf-action": r"challenge|captcha",
    "x-datadome": r".*",
    "x-sucuri-block": r".*",
}
_WALL_TEXTS: Final = re.compile(
    r"<title>\s*(?:just a moment|attention required|access denied|robot check|human verification"
    r"|verify(?:ing)? you are (?:a )?human|security check|client challenge)"
    r"|cf[-_]chl|challenge-platform|checking your browser|enable javascript and cookies to continue"
    r"|making sure you(?:'|&#39;|’)re not a bot|px-captcha|g-recaptcha|h-captcha|hcaptcha\.com",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A link with its verdict and the reason for it."""

    link: Link
    verdict: Verdict
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether somebody must mend the link."""
        return self.verdict in FAILING

    @property
    def settled(self) -> bool:
        """Whether the link could be judged."""
        return self.verdict in SETTLED

    def __str__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"{self.link.place}: {self.link.uri}: {self.verdict.value}{reason}"


Look = Callable[[str], Answer | None]
"""Asks for a page once more; None when the host does not answer."""


def judge(link: Link, rules: Rules, look: Look) -> Judgement:
    """The verdict on a link; ``look`` is only called where the builder's report leaves doubts."""
    if not link.external:
        gone = link.status == "broken"
        return Judgement(link, Verdict.GONE if gone else Verdict.SKIPPED, "no file" if gone else "")
    if wrong := rules.wrong_lines(link.uri):
        return Judgement(link, Verdict.IMPOSSIBLE_LINES, wrong)
    if link.status == "working":
        return Judgement(link, Verdict.WORKING)
    if link.status == "redirected":
        return Judgement(link, Verdict.MOVED, f"to {link.info}")
    if link.status == "unchecked" or (link.status == "ignored" and not _unavailable(link)):
        return Judgement(link, Verdict.SKIPPED, link.info)
    answer = look(link.uri)
    if answer is None:
        return Judgement(link, Verdict.UNREACHABLE, link.info)
    return Judgement(link, *_of_answer(link, rules, answer))


def _unavailable(link: Link) -> bool:
    return link.info == "service unavailable"


def _of_answer(link: Link, rules: Rules, answer: Answer) -> tuple[Verdict, str]:
    """What the answer to a second request says of a link that the builder did not find well."""
    if _is_wall(answer):
        return Verdict.BOT_WALL, f"status {answer.status}"
    match answer.status:
        case 404 | 410:
            return Verdict.GONE, f"status {answer.status}"
        case 401 | 403 | 451:
            return Verdict.FORBIDDEN, f"status {answer.status}"
        case 429:
            wait = answer.headers.get("retry-after")
            return Verdict.RATE_LIMITED, f"asks to come back after {wait}" if wait else ""
        case 503:
            return Verdict.UNAVAILABLE, ""
        case status if 200 <= status < 300:
            return _of_page(link, rules, answer)
    return Verdict.ODD, f"status {answer.status}; {link.info}"


def _of_page(link: Link, rules: Rules, answer: Answer) -> tuple[Verdict, str]:
    anchor = unquote(urlsplit(link.uri).fragment)
    if not anchor or rules.names_lines(link.uri) or anchor in _anchors(answer.body):
        return Verdict.WORKING, "at the second request"
    if rules.of(link.uri).scripted:
        return Verdict.SKIPPED, "the host's script makes the anchors"
    return Verdict.DEAD_ANCHOR, f"the page has no {anchor!r}"


def _is_wall(answer: Answer) -> bool:
    by_header = any(
        re.fullmatch(pattern, answer.headers[name], re.IGNORECASE)
        for name, pattern in _WALL_HEADERS.items()
        if name in answer.headers
    )
    return by_header or _WALL_TEXTS.search(answer.body) is not None


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.update(value for name, value in attrs if name in ("id", "name") and value)


def _anchors(body: str) -> set[str]:
    parser = _Anchors()
    parser.feed(body)
    return parser.found
