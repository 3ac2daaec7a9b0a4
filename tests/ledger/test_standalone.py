"""The ledger stands alone: it imports the standard library and itself, and nothing of the book."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
before = set(sys.modules)
import bookcode.ledger
for name in sorted({name.partition(".")[0] for name in set(sys.modules) - before}):
    if name not in sys.stdlib_module_names:
        print(name)
for name in sorted(sys.modules):
    if name.startswith("bookcode.") and not name.startswith("bookcode.ledger"):
        print(name)
"""


def test_the_ledger_imports_only_the_standard_library_and_itself() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == ["bookcode"]
