"""A project with catalogues, for the tests of translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polib
import pytest

Write = Callable[[str, Mapping[str, str]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a catalogue of the Chinese edition: English text to translation."""

    def write(name: str, texts: Mapping[str, str]) -> Path:
        path = tmp_path / "book/locale/zh_CN/LC_MESSAGES" / f"{name}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        file = polib.POFile(wrapwidth=78)
        for msgid, msgstr in texts.items():
            file.append(polib.POEntry(msgid=msgid, msgstr=msgstr))
        file.save(str(path))
        return path

    return write
