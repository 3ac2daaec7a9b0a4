"""Templates: text files beside this module, with names to fill in as ``<<name>>``."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).with_name("templates")
_NAME = re.compile(r"<<([a-z_]+)>>")


def fill(template: str, **values: str) -> str:
    """A template's text with its names filled in.

    Raises:
        KeyError: for a name without a value.
    """
    text = (FOLDER / f"{template}.txt").read_text("utf-8")
    return _NAME.sub(lambda match: values[match[1]], text)
