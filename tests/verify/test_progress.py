from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bookcode.verify.builds import Layout, build
from bookcode.verify.progress import DESCRIPTOR, Progress, run_watched

MESSAGES = [{"what": "reading", "page": f"0{i}/index", "total": 3} for i in range(1, 4)]


def test_plain_lines_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with Progress(Console(file=stream), ["en"]) as progress:
        watch = progress.watch_of("en")
        for message in MESSAGES:
            watch(message)
        watch({"what": "writing", "page": "01/index", "total": 3})
    assert stream.getvalue().splitlines() == [
        "en: reading 01/index (1 of 3)",
        "en: reading 02/index (2 of 3)",
        "en: reading 03/index (3 of 3)",
        "en: writing 01/index (1 of 3)",
    ]


def test_a_terminal_gets_one_line_that_goes_again() -> None:
    stream = io.StringIO()
    with Progress(Console(file=stream, force_terminal=True), ["en"]) as progress:
        for message in MESSAGES:
            progress.watch_of("en")(message)
    text = stream.getvalue()
    assert "en: reading 03/index (3 of 3)" in text
    assert text.endswith("\x1b[2K"), "the line was not cleared"


def test_editions_that_are_built_at_once_share_the_line_and_are_counted_apart() -> None:
    stream = io.StringIO()
    with Progress(
        Console(file=stream, force_terminal=True, width=200), ["en", "zh-cn"]
    ) as progress:
        for message in MESSAGES:
            progress.watch_of("en")(message)
        progress.watch_of("zh-cn")(MESSAGES[0])
    assert "en: reading 03/index (3 of 3) · zh-cn: reading 01/index (1 of 3)" in stream.getvalue()


def test_more_than_was_announced_is_counted() -> None:
    stream = io.StringIO()
    with Progress(Console(file=stream), ["en"]) as progress:
        for page in ("a", "b"):
            progress.watch_of("en")({"what": "reading", "page": page, "total": 1})
    assert stream.getvalue().splitlines()[-1] == "en: reading b (2 of 2)"


def test_a_command_and_those_it_forks_tell_their_progress(tmp_path: Path) -> None:
    code = f"""\
import json, os, sys
descriptor = int(os.environ[{DESCRIPTOR!r}])
for i in range(2):
    if os.fork() == 0:
        os.write(descriptor, json.dumps({{"page": i}}).encode() + b"\\n")
        os._exit(0)
    os.wait()
print("out")
sys.exit("said")
"""
    told: list[Mapping[str, Any]] = []
    done = run_watched([sys.executable, "-c", code], tmp_path, os.environ, told.append)
    assert told == [{"page": 0}, {"page": 1}]
    assert (done.returncode, done.stdout, done.stderr) == (1, "out\n", "said\n")


def test_without_a_watcher_nothing_is_told(tmp_path: Path) -> None:
    code = f"import os; print({DESCRIPTOR!r} in os.environ)"
    done = run_watched([sys.executable, "-c", code], tmp_path, os.environ, None)
    assert done.stdout == "False\n"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_build_tells_of_every_page(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "conf.py").write_text(
        'extensions = ["bookcode.sphinxext"]\nhtml_theme = "basic"\n'
        'html_math_renderer = "bookcode"\n'
    )
    (tmp_path / "book").mkdir()
    pages = [f"p{i}" for i in range(7)]
    (tmp_path / "book/index.md").write_text(
        "# Book\n\n```{toctree}\n" + "\n".join(pages) + "\n```\n"
    )
    for page in pages:
        (tmp_path / f"book/{page}.md").write_text(f"# {page}\n\nText.\n")
    told: list[Mapping[str, Any]] = []
    layout = Layout(tmp_path, tmp_path / "_build")
    build(layout, "en", clean=True, jobs=jobs, watch=told.append)
    for what in ("reading", "writing"):
        found = [message for message in told if message["what"] == what]
        assert sorted(message["page"] for message in found) == ["index", *pages]
        assert {message["total"] for message in found} == {8}
    assert json.dumps(told)
