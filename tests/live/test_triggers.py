from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# an audit hook stays for the life of a process, so each case has one of its own
CODE = """\
import json, sys
from pathlib import Path
from bookcode.execution.fingerprint import changed
from bookcode.live.errors import RestartNeeded
from bookcode.live.project import Project
from bookcode.live.triggers import OwnFiles

root = Path(sys.argv[1])
own = OwnFiles(Project(root, "en", "en"))
own.watch()
sys.path.insert(0, str(root))
import extension
opened = ("words.toml", "shown.py", "book/one.md", "references/facts.toml", "_build/x", ".hidden")
for name in opened:
    (root / name).read_bytes()
changed({"tally/inner.py": "file:0"}, root)
try:
    own.check([root / sys.argv[2]], [root / "static"])
except RestartNeeded as request:
    print(request.path)
else:
    print("goes on")
"""
FILES = (
    "extension.py",
    "conf.py",
    "shown.py",
    "words.toml",
    "book/one.md",
    "references/facts.toml",
    "_build/x",
    ".hidden",
    "tally/inner.py",
    "static/book.css",
    "bookcode/ledger/cost.py",
    "never.py",
)


@pytest.mark.parametrize(
    ("name", "restarts"),
    [
        ("extension.py", True),  # imported
        ("conf.py", True),
        ("shown.py", False),  # only read, to be shown
        ("words.toml", True),  # opened
        ("static/book.css", True),
        ("static/new.css", True),
        ("book/locale/zh_CN/LC_MESSAGES/sphinx.po", True),
        ("book/locale/zh_CN/LC_MESSAGES/one.po", False),
        ("book/one.md", False),  # read in every build that needs it
        ("references/facts.toml", False),
        ("tally/inner.py", False),  # opened only to compare it
        ("bookcode/ledger/cost.py", False),
        ("never.py", False),
        (".hidden", False),
    ],
)
def test_what_makes_the_builder_start_again(tmp_path: Path, name: str, restarts: bool) -> None:
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("")
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path), name],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == (name if restarts else "goes on")
