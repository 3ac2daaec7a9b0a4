"""Code of ours that changed makes every page be read again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bookcode.sphinxext.own_code import BUILDING, code_version

CONF = """
import bookcode.sphinxext as extension
extension.code_version = lambda: {version}
"""
LOADED = """
import sys, bookcode.sphinxext
print(*{m.split(".")[1] for m in sys.modules if m.startswith("bookcode.")})
"""


def test_every_package_that_a_build_loads_counts() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    known = {name.removesuffix(".py") for name in BUILDING}
    assert set(done.stdout.split()) <= known


def test_an_edit_of_code_or_data_is_another_version(tmp_path: Path) -> None:
    module, data = tmp_path / "numbers" / "a.py", tmp_path / "prose" / "b.toml"
    for path in (module, data):
        path.parent.mkdir()
        path.write_text("1", "utf-8")
    first = code_version(tmp_path)
    assert code_version(tmp_path) == first
    module.write_text("2", "utf-8")
    second = code_version(tmp_path)
    data.write_text("2", "utf-8")
    third = code_version(tmp_path)
    assert len({first, second, third}) == 3
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "c.py").write_text("3", "utf-8")
    assert code_version(tmp_path) == third


def test_pages_are_read_again_by_other_code(make_book: Callable[[str], Any]) -> None:
    book = make_book("headings")
    cells = "%cells\n# Noted\n\n```{code-cell} python\nfrom pathlib import Path\nwith "
    cells += "open(Path.cwd().parents[1] / 'ran', 'a') as file:\n    print('ran', file=file)\n```\n"
    book.write("book/noted.md", cells)
    conf = (book.root / "conf.py").read_text("utf-8")
    for version, expected in ((1, ["ran"]), (1, []), (2, ["ran"])):
        book.write("conf.py", conf + CONF.format(version=version))
        book.build()
        assert book.noted("ran") == expected
