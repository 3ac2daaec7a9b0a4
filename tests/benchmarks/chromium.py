"""The Chromium that tests and benchmarks read pages with."""

from __future__ import annotations

import os
import shutil
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
MISSING: Final = f"no Chromium on PATH ({', '.join(NAMES)}) nor in BOOKCODE_CHROMIUM"
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """The path of the one that is named, or found on the PATH."""
    named = os.environ.get("BOOKCODE_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)
