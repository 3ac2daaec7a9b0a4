"""The process that builds pages holds nothing of the ledger: cells are to see it as it is now."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
    importlib.import_module(module.name)
print(*sorted(name for name in sys.modules if name.startswith("bookcode.ledger")))
"""


@pytest.mark.parametrize("package", ["bookcode.sphinxext", "bookcode.live", "bookcode.translation"])
def test_nothing_that_builds_pages_imports_the_ledger(package: str) -> None:
    command = [sys.executable, "-c", PROGRAM, package]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
