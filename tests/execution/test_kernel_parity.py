"""The same cells give the same outputs here and in a Jupyter kernel."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbclient
import nbformat
import pytest

from bookcode.execution import RunResult

Runner = Callable[..., RunResult]

CELLS = [
    "import sys\nprint('a')\nprint('e', file=sys.stderr)\nprint('b')\n3",
    "x = 1\nx;",
    "None",
    "[1] * 200",
    "{'a': list(range(50))}",
    "1 / 0",
    "def f(n):\n    return f(n - 1) if n else 1 / 0\n\nf(3)",
    "import no_such_module",
    "class A:\n    def __repr__(self):\n        raise ValueError('bad repr')\nA()",
    "%nomagic",
    "import os",
    "!echo from the shell",
    "from IPython.display import HTML, JSON, SVG, Latex, Markdown, clear_output",
    "display({'text/plain': 'x', 'application/vnd.x+json': {'q': [1]}}, raw=True)",
    "handle = display('h', display_id='i')\nhandle.update('j')\nprint('z')",
    "handle.update('k')",
    "display(1, 2)\nprint(3, end='')\ndisplay(4)",
    "print('gone')\nclear_output()\nprint('kept')",
    "print('gone')\nclear_output(wait=True)\nprint('kept')",
    "Markdown('*x*')",
    "JSON({'a': 1})",
    "SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>')",
    "import asyncio\nawait asyncio.sleep(0)\n5",
    "%matplotlib inline",
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot(range(5))\n"
    "ax.set_title('t $x^2$')",
    "plt.figure(figsize=(2, 2))\nplt.plot([1, 2])\nplt.show()\nprint('after')\n"
    "plt.figure()\nplt.plot([1]);",
    "%config InlineBackend.figure_formats = ['svg']\nplt.rcParams['svg.hashsalt'] = 'x'",
    "plt.bar([1, 2], [1, 2]);",
    "Out[1], _",
    "__name__, '__file__' in globals(), os.environ['MPLBACKEND']",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_outputs_equal_those_of_a_kernel(
    run: Runner, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # matplotlib dates its SVG files
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = nbclient.NotebookClient(
        notebook, allow_errors=True, resources={"metadata": {"path": str(project)}}
    )
    client.execute()
    result = run(*CELLS, may_raise=True)
    assert result.failure is None
    for number, cell in enumerate(notebook.cells):
        expected = json.loads(json.dumps(cell.outputs))
        assert result.outputs[number] == expected, CELLS[number]
        assert result.execution_counts[number] == cell.execution_count
