"""Verdicts from reports and second looks, without a network."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bookcode.linkcheck import (
    Answer,
    HostRule,
    Judgement,
    Link,
    LinkcheckError,
    Rules,
    RulesError,
    Verdict,
    judge,
    read_report,
)
from bookcode.linkcheck.commands import NO_NETWORK, no_network, report
from bookcode.linkcheck.pace import Pace

RULES = Rules.load()
CODE = "https://github.com/o/r/blob/0123456/a.py"


def link(uri: str, status: str = "broken", info: str = "") -> Link:
    return Link(uri, "book/index.md", 7, status, info)


def never(uri: str) -> Answer | None:
    raise AssertionError(f"{uri} needed no second look")


def answers(answer: Answer | None) -> Verdict:
    return judge(link("https://a.test/x"), RULES, lambda _: answer).verdict


@pytest.mark.parametrize(
    ("status", "info", "verdict"),
    [
        ("working", "", Verdict.WORKING),
        ("redirected", "https://b.test/", Verdict.MOVED),
        ("unchecked", "", Verdict.SKIPPED),
        ("ignored", "", Verdict.SKIPPED),
    ],
)
def test_what_is_clear_needs_no_second_look(status: str, info: str, verdict: Verdict) -> None:
    assert judge(link("https://a.test/", status, info), RULES, never).verdict is verdict


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (None, Verdict.UNREACHABLE),
        (Answer(404), Verdict.GONE),
        (Answer(410), Verdict.GONE),
        (Answer(401), Verdict.FORBIDDEN),
        (Answer(403), Verdict.FORBIDDEN),
        (Answer(451), Verdict.FORBIDDEN),
        (Answer(429, {"retry-after": "7"}), Verdict.RATE_LIMITED),
        (Answer(429), Verdict.RATE_LIMITED),
        (Answer(503), Verdict.UNAVAILABLE),
        (Answer(502), Verdict.ODD),
        (Answer(200), Verdict.WORKING),
        (Answer(403, {"cf-mitigated": "challenge"}), Verdict.BOT_WALL),
        (Answer(202, {"x-amzn-waf-action": "captcha"}), Verdict.BOT_WALL),
        (Answer(404, {}, "<title>Just a moment...</title>"), Verdict.BOT_WALL),
    ],
)
def test_a_second_look_settles_what_it_can(answer: Answer | None, verdict: Verdict) -> None:
    assert answers(answer) is verdict


@given(status=st.integers(100, 599))
def test_only_not_found_and_gone_fail_without_an_anchor(status: int) -> None:
    found = judge(link("https://a.test/x"), RULES, lambda _: Answer(status))
    assert found.fails == (status in (404, 410))


def test_an_anchor_is_looked_for_again_before_it_is_dead() -> None:
    page = Answer(200, {}, '<p id="a"></p><a name="b"></a>')
    for anchor, verdict in (
        ("a", Verdict.WORKING),
        ("b", Verdict.WORKING),
        ("c", Verdict.DEAD_ANCHOR),
    ):
        found = judge(link(f"https://a.test/#{anchor}"), RULES, lambda _: page)
        assert found.verdict is verdict
    scripted = judge(link("https://github.com/o/r#readme"), RULES, lambda _: page)
    assert scripted.verdict is Verdict.SKIPPED


@given(first=st.integers(0, 10**6), last=st.integers(0, 10**6))
def test_a_range_of_lines_must_be_in_order(first: int, last: int) -> None:
    found = judge(link(f"{CODE}#L{first}-L{last}", "working"), RULES, never)
    possible = 1 <= first <= last
    assert found.verdict is (Verdict.WORKING if possible else Verdict.IMPOSSIBLE_LINES)


@pytest.mark.parametrize(
    ("uri", "wrong"),
    [
        (f"{CODE}#L10", False),
        (f"{CODE}#L10C1-L12C4", False),
        (f"{CODE}#L10-20", True),
        ("https://gitlab.com/o/r/-/blob/x/a.py#L10-20", False),
        ("https://gitlab.com/o/r/-/blob/x/a.py#L10-L20", True),
        ("https://github.com/o/r#license", False),
        ("https://a.test/x#L20-L10", False),
    ],
)
def test_each_host_has_its_own_form_of_lines(uri: str, wrong: bool) -> None:
    assert bool(RULES.wrong_lines(uri)) is wrong


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([], False),
        ([("https://a.test/", Verdict.SKIPPED)], False),
        ([("x.html", Verdict.SKIPPED)], False),
        ([("https://a.test/", Verdict.UNREACHABLE)], True),
        ([("https://a.test/", Verdict.UNREACHABLE), ("x.html", Verdict.SKIPPED)], True),
        (
            [("https://a.test/", Verdict.UNREACHABLE), ("https://b.test/", Verdict.WORKING)],
            False,
        ),
        ([("https://a.test/", Verdict.UNREACHABLE), ("https://b.test/", Verdict.GONE)], False),
    ],
)
def test_no_network_means_that_no_host_was_reached(
    verdicts: list[tuple[str, Verdict]], expected: bool
) -> None:
    assert no_network([Judgement(link(uri), verdict) for uri, verdict in verdicts]) is expected


def status_of(*verdicts: Verdict) -> tuple[int, str]:
    console = Console(file=io.StringIO(), width=200)
    found = [Judgement(link(f"https://{i}.test/"), v) for i, v in enumerate(verdicts)]
    status = report(found, console)
    return status, console.file.getvalue()  # type: ignore[attr-defined]


def test_the_exit_status_says_dead_unsettled_or_well() -> None:
    assert status_of(Verdict.WORKING, Verdict.MOVED)[0] == 0
    assert status_of(Verdict.WORKING, Verdict.GONE, Verdict.FORBIDDEN)[0] == 1
    for verdict in (Verdict.FORBIDDEN, Verdict.RATE_LIMITED, Verdict.UNAVAILABLE):
        assert status_of(Verdict.WORKING, verdict)[0] == 3
    status, text = status_of(Verdict.UNREACHABLE, Verdict.UNREACHABLE)
    assert status == 3
    assert NO_NETWORK in text
    assert NO_NETWORK not in status_of(Verdict.UNREACHABLE, Verdict.WORKING)[1]
    assert status_of(Verdict.UNREACHABLE, Verdict.IMPOSSIBLE_LINES)[0] == 1


def test_a_report_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "output.json"
    entry = {
        "uri": "u",
        "filename": "f.md",
        "lineno": 3,
        "status": "working",
        "info": "",
        "code": 0,
    }
    path.write_text(json.dumps(entry) + "\n")
    assert read_report(path) == [Link("u", "f.md", 3, "working")]
    path.write_text(json.dumps(entry) + '\n{"uri": 1}\n')
    with pytest.raises(LinkcheckError, match=r"output\.json:2: not an entry"):
        read_report(path)
    with pytest.raises(LinkcheckError, match="left no report"):
        read_report(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hosts = [", "Invalid"),
        ("[other]\n", "unknown table 'other'"),
        ('[hosts."a"]\npace = 1\n', "unknown field 'pace'; known: lines, scripted, pause"),
        ('[hosts."a"]\npause = "1"\n', "pause = '1'"),
        ('[hosts."a"]\npause = -1\n', "pause = -1.0"),
        ("[hosts.\"a\"]\nlines = 'L('\n", "lines: "),
        ("[hosts.\"a\"]\nlines = 'L(.)'\n", "needs a group for the first line"),
    ],
)
def test_a_bad_rule_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(RulesError, match=r"rules\.toml") as raised:
        Rules.load(path)
    assert message in str(raised.value)


def test_requests_to_one_host_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("bookcode.linkcheck.pace.time.sleep", slept.append)
    monkeypatch.setattr("bookcode.linkcheck.pace.time.monotonic", lambda: 100.0)
    pace = Pace(Rules({"a.test": HostRule(pause=3.0)}))
    for uri in ("https://a.test/1", "https://b.test/", "https://a.test/2", "https://a.test/3"):
        pace.wait(uri)
    assert slept == [0.0, 3.0, 6.0]
