from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.live.server import Site, inject, locate
from bookcode.live.supervisor import State

TAG = '<script type="module" src="/-/live.js"></script>'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    files = {
        "index.html": "<html><body>Home</body></html>",
        "02/index.html": "<html><body>Two</body></html>",
        "02/a b.html": "<html><body>Space</body></html>",
        "_static/x.css": "p {}",
        "empty/.hidden": "secret",
        ".buildinfo": "secret",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (tmp_path / "conf.py").write_text("secret")
    (folder / "way-out").symlink_to(tmp_path)
    return folder


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str


@pytest.fixture
def state() -> State:
    made = State()
    made.ready = True
    return made


def ask(
    site: Path, state: State, path: str, *, method: str = "GET", host: str = "127.0.0.1:8000"
) -> Answer:
    """One request, as the HTTP server hands it over."""
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", host.encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    sent: list[dict[str, Any]] = []
    asked = iter([True])

    async def receive() -> dict[str, Any]:
        if not next(asked, False):  # the browser stays for as long as the answer takes
            await asyncio.Event().wait()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Site(site, state).application()(scope, receive, send))
    headers = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(sent[0]["status"], headers, body.decode())


# pages --------------------------------------------------------------------------------------------
def test_pages_carry_the_script_and_nothing_is_cached(site: Path, state: State) -> None:
    for path in ("/", "/index.html"):
        answer = ask(site, state, path)
        assert answer.status == 200
        assert answer.text == f"<html><body>Home{TAG}</body></html>"
        assert answer.headers["cache-control"] == "no-store"
    assert "live.js" not in (site / "index.html").read_text()


def test_folders_give_their_index_below_a_slash(site: Path, state: State) -> None:
    assert "Two" in ask(site, state, "/02/").text
    answer = ask(site, state, "/02")
    assert (answer.status, answer.headers["location"]) == (307, "/02/")


def test_other_files_come_as_they_are(site: Path, state: State) -> None:
    answer = ask(site, state, "/_static/x.css")
    assert answer.text == "p {}"
    assert answer.headers["content-type"].startswith("text/css")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "Space" in ask(site, state, "/02/a b.html").text


def test_a_missing_page_too_reloads_when_it_is_there(site: Path, state: State) -> None:
    answer = ask(site, state, "/none.html")
    assert answer.status == 404
    assert TAG in answer.text


def test_before_the_first_build_nothing_of_an_earlier_one_is_shown(site: Path) -> None:
    answer = ask(site, State(), "/index.html")
    assert answer.status == 503
    assert "Home" not in answer.text
    assert TAG in answer.text


def test_the_script(site: Path, state: State) -> None:
    answer = ask(site, state, "/-/live.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "EventSource" in answer.text


def test_the_script_goes_into_any_page() -> None:
    assert inject(b"no end").endswith(TAG.encode())
    twice = inject(b"<pre>&lt;/body> is </body></pre></body></html>")
    assert twice == b"<pre>&lt;/body> is </body></pre>" + TAG.encode() + b"</body></html>"


# what is refused --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "path",
    [
        "/../conf.py",
        "/02/../../conf.py",
        "/..%2fconf.py",
        "/%2e%2e/conf.py",
        "/..\\conf.py",
        "//etc/passwd",
        "/way-out/conf.py",
        "/way-out",
        "/.buildinfo",
        "/empty/.hidden",
        "/empty/",
        "/empty",
        "/_static/",
        "/\0",
        "/" + "x" * 5000,
    ],
)
def test_nothing_outside_and_no_listing(site: Path, state: State, path: str) -> None:
    answer = ask(site, state, path)
    assert answer.status == 404
    assert "secret" not in answer.text
    assert "root:" not in answer.text


PIECES = st.sampled_from(["..", ".", "", "02", "index.html", "conf.py", "way-out", "\\", "~", "a"])


@given(st.lists(PIECES, max_size=8), st.sampled_from(["/", "//", "\\"]))
def test_no_way_leads_out(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], by: str
) -> None:
    folder = tmp_path_factory.getbasetemp() / "ways"
    (folder / "site/02").mkdir(parents=True, exist_ok=True)
    for name in ("site/index.html", "site/02/index.html", "conf.py", "index.html", "a"):
        (folder / name).write_text("")
    if not (folder / "site/way-out").exists():
        (folder / "site/way-out").symlink_to(folder)
    found = locate(folder / "site", by.join(parts))
    assert found is None or found.resolve().is_relative_to(folder / "site")


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test:8000", "192.168.1.4:8000", ""])
def test_other_names_are_refused(site: Path, state: State, host: str) -> None:
    """A page elsewhere may have its own name point here: it must not read the book, nor events."""
    for path in ("/", "/-/events?page=index.html"):
        answer = ask(site, state, path, host=host)
        assert answer.status == 400
        assert "Home" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9999", "localhost:8000"])
def test_own_names_are_answered(site: Path, state: State, host: str) -> None:
    assert ask(site, state, "/", host=host).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_there_is_nothing_to_change(site: Path, state: State, method: str) -> None:
    assert ask(site, state, "/", method=method).status == 405


# events -------------------------------------------------------------------------------------------
def test_a_browser_is_told_all_at_once_and_then_what_happens(site: Path, state: State) -> None:
    async def scenario() -> list[dict[str, Any]]:
        stream = Site(site, state)._stream("02/index.html")
        events = [await anext(stream)]
        assert state.opened() == ["02/index.html"]
        state.tell(["02/index.html"])
        events.append(await anext(stream))
        await stream.aclose()  # type: ignore[attr-defined]
        assert state.opened() == []
        return [json.loads(event.removeprefix("data: ")) for event in events]

    state.problems = [{"path": "book/two.md", "line": 3, "text": "zwei\n行"}]
    first, second = asyncio.run(scenario())
    assert first["changed"] == []
    assert first["problems"] == state.problems
    assert second["changed"] == ["02/index.html"]


def test_open_pages_the_latest_first_each_once() -> None:
    async def scenario() -> list[str]:
        state = State()
        for page in ("a.html", "b.html", "a.html", "c.html"):
            state.join(page)
        return state.opened()

    assert asyncio.run(scenario()) == ["c.html", "a.html", "b.html"]
