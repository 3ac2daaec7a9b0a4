"""Late modules, each test in an interpreter of its own: what is imported stays so."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LEAVE_OUT = "import sys\nfrom bookcode.live.late import leave_out\nleave_out()\n"


def test_myst_nb_comes_without_what_it_does_not_use() -> None:
    """Fails when myst-nb imports these packages in another way: then the list needs care."""
    heavy = "sqlalchemy", "nbclient", "zmq", "jupyter_client"
    code = f"{LEAVE_OUT}import myst_nb.sphinx_ext\nimport bookcode.sphinxext\n"
    assert run(f"{code}print([name for name in {heavy!r} if name in sys.modules])") == "[]"


def test_without_late_modules_they_do_come() -> None:
    assert run("import sys, myst_nb.sphinx_ext\nprint('sqlalchemy' in sys.modules)") == "True"


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("execute.NotebookClientInline.__mro__[1].__name__", "NotebookClientBase"),
        ("execute.NotebookClientCache.__name__", "NotebookClientCache"),
    ],
)
def test_what_was_left_out_is_there_when_it_is_used(expression: str, shown: str) -> None:
    code = f"{LEAVE_OUT}import myst_nb.core.execute as execute\nprint({expression})\n"
    if "__name__" in expression and "mro" not in expression:
        code = code.replace(".__name__", "._real().__name__")
    assert run(code) == shown


def test_a_late_function_is_called_as_the_real_one() -> None:
    code = f"{LEAVE_OUT}from jupyter_cache import get_cache\nimport tempfile\n"
    code += "print(type(get_cache(tempfile.mkdtemp())).__name__)\n"
    assert run(code) == "JupyterCacheBase"


def test_what_is_imported_already_stays() -> None:
    code = "import sys, jupyter_cache\nreal = jupyter_cache\n"
    code += "from bookcode.live.late import leave_out\n"
    assert run(f"{code}leave_out()\nprint(sys.modules['jupyter_cache'] is real)") == "True"


def test_nobody_is_fooled_by_special_names() -> None:
    code = f"{LEAVE_OUT}import jupyter_cache\nprint(hasattr(jupyter_cache, '__wrapped__'))"
    assert run(code) == "False"
