"""The whole check against a local server: Sphinx's builder, a second look, a verdict each."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bookcode.linkcheck import Judgement, Rules, Verdict, read_report
from bookcode.linkcheck.commands import judge_all, report
from bookcode.linkcheck.look import SecondLook

EXPECTED = {
    "/page": Verdict.WORKING,
    "/page#there": Verdict.WORKING,
    "/page#elsewhere": Verdict.DEAD_ANCHOR,
    "/no-head": Verdict.WORKING,
    "/flaky": Verdict.WORKING,
    "/moved": Verdict.MOVED,
    "/missing": Verdict.GONE,
    "/gone": Verdict.GONE,
    "/forbidden": Verdict.FORBIDDEN,
    "/busy": Verdict.RATE_LIMITED,
    "/always-busy": Verdict.RATE_LIMITED,
    "/busy-once": Verdict.WORKING,
    "/down": Verdict.UNAVAILABLE,
    "/broken": Verdict.ODD,
    "/wall": Verdict.BOT_WALL,
    "/wall-header": Verdict.BOT_WALL,
    "/wall-open#there": Verdict.BOT_WALL,
    "/wall-down": Verdict.BOT_WALL,
    "/file#L10-L20": Verdict.WORKING,
    "/file#L7": Verdict.WORKING,
    "/file#L20-L10": Verdict.IMPOSSIBLE_LINES,
    "/file#L0-L3": Verdict.IMPOSSIBLE_LINES,
    "/file#L1-to-L3": Verdict.IMPOSSIBLE_LINES,
    "/missing#L10-L20": Verdict.GONE,
}


@pytest.fixture(scope="module")
def rules(site: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text(f"[hosts.\"{site.host}\"]\nlines = 'L(\\d+)(?:-L(\\d+))?'\n")
    return path


@pytest.fixture(scope="module")
def checked(
    site: Any, rules: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Judgement]:
    """The verdict by path, of a page with a link to each."""
    folder = tmp_path_factory.mktemp("book")
    links = "\n".join(f"* `{path} <{site(path)}>`__" for path in EXPECTED)
    (folder / "index.rst").write_text(f"Links\n=====\n\n{links}\n")
    (folder / "conf.py").write_text(
        "extensions = ['bookcode.linkcheck.builder']\n"
        f"bookcode_link_rules = {str(rules)!r}\n"
        "bookcode_link_longest_wait = 2.0\n"
        "linkcheck_retries = 2\nlinkcheck_timeout = 5\nlinkcheck_workers = 8\n"
    )
    out = folder / "out"
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "linkcheck", str(folder), str(out)]
    start = time.monotonic()
    subprocess.run(command, check=True)
    assert time.monotonic() - start < 30  # a host that asks for an hour is not waited for
    second = SecondLook(Rules.load(rules))
    judgements = judge_all(read_report(out / "output.json"), Rules.load(rules), second)
    return {j.link.uri.removeprefix(site("")): j for j in judgements}


@pytest.mark.parametrize(("path", "verdict"), EXPECTED.items())
def test_each_behaviour_has_its_verdict(
    checked: dict[str, Judgement], path: str, verdict: Verdict
) -> None:
    assert checked[path].verdict is verdict, str(checked[path])


def test_only_what_is_certainly_dead_fails(checked: dict[str, Judgement]) -> None:
    failing = {path for path, judgement in checked.items() if judgement.fails}
    assert failing == {
        "/page#elsewhere",
        "/missing",
        "/missing#L10-L20",
        "/gone",
        "/file#L20-L10",
        "/file#L0-L3",
        "/file#L1-to-L3",
    }


def test_reasons_name_what_the_host_said(checked: dict[str, Judgement]) -> None:
    assert "3600" in checked["/busy"].reason
    assert "404" in checked["/missing"].reason
    assert "'elsewhere'" in checked["/page#elsewhere"].reason
    assert "lines 20 to 10" in checked["/file#L20-L10"].reason
    assert checked["/moved"].reason.endswith("/page")


def test_a_busy_page_is_asked_a_few_times_only(checked: dict[str, Judgement], site: Any) -> None:
    assert checked["/always-busy"].verdict is Verdict.RATE_LIMITED
    assert 2 <= site.asked["/always-busy"] <= 12
    assert 1 <= site.asked["/busy"] <= 4


def test_links_are_reported_with_their_place(checked: dict[str, Judgement]) -> None:
    line = str(checked["/missing"])
    assert line.startswith("index.rst:")
    assert "/missing: gone (status 404)" in line


def test_the_report_counts_every_verdict(checked: dict[str, Judgement]) -> None:
    console = Console(file=io.StringIO(), width=200)
    assert report(list(checked.values()), console) == 1
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for verdict in set(EXPECTED.values()):
        assert verdict.value in text
    assert "/forbidden: forbidden" in text
    assert "/page: working" not in text


def test_a_host_that_drops_the_connection_is_not_reached(site: Any, rules: Path) -> None:
    second = SecondLook(Rules.load(rules), seconds=2)
    assert second(site("/dropped")) is None
    asked = site.asked["/page"]
    assert second(site("/page")) is None  # one silent answer is enough for a host
    assert site.asked["/page"] == asked
