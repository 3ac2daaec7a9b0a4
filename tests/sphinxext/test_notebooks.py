"""Notebooks and scripts of pages: what is in them, and that they run away from the book."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st
from myst_parser.parsers.docutils_ import Parser

from bookcode.execution import Cell, Limits, run_cells
from bookcode.numbers.records import MIME, NumberRecord, load
from bookcode.sphinxext.colophon import Repository
from bookcode.sphinxext.notebooks import (
    CodeCell,
    PageCode,
    cells_of,
    facts_text,
    is_notebook,
    notebook_of,
    script_lines,
    script_of,
)
from bookcode.sphinxext.notebooks_site import install_command
from bookcode.sphinxext.notebooks_text import blocks

OWN = """\
%cells
# Own page

There are {num}`own.gemm.flops:int` of them, at {num}`own.speed`, *not* `{x}`.

```{code-cell} python
:tags: [hide-cell]
import json
import os
from pathlib import Path

from bookcode.ledger import ops
from bookcode.numbers.book import Book

book = Book()
sizes = json.loads(Path(os.environ["BOOKCODE_ROOT"], "references/sizes.json").read_text())
```

## Second part

1. first of $x^2$
2. second

```{code-cell} python
:tags: [remove-input]

row = book.ledger(machine="h200", dtype="fp16")
gemm = row("own.gemm", ops.gemm, m=sizes["m"], n=8, k=8)
book.publish("own.speed", gemm.flops / gemm.flops * book.fact("wire.speed"))
```
"""
SIZES = '{"m": 8, "quoted": "\\"\\"\\" \\\\"}'


@pytest.fixture
def own(book: Any) -> Any:
    book.write("book/own.md", OWN)
    book.write("references/sizes.json", SIZES)
    book.edit("book/index.md", "two/index\n", "two/index\nown\n")
    return book


# in a built book ---------------------------------------------------------------------------------
@pytest.mark.parametrize("book", ["source-tables"], indirect=True)
def test_a_notebook_runs_away_from_the_book(own: Any, tmp_path: Path) -> None:
    built = own.build()
    assert [problem for problem in built.problems if "own" in problem.place] == []
    text = (built.out / "code/cells/own.ipynb").read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * 3
    assert code[1].metadata.tags == ["hide-cell"]
    prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert 'pip install ".[book]"' in prose[0]
    assert "There are 1,024" in prose[1].replace("\u202f", " ")
    assert prose[2] == "## Second part\n\n1. first of $x^2$\n2. second"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cells = [Cell(cell.source, 1, index) for index, cell in enumerate(code)]
    result = run_cells(
        cells, cwd=elsewhere, limits=Limits(60, 4 * 2**30), project_roots=[elsewhere]
    )
    assert result.failure is None
    found = [
        record
        for outputs in result.outputs
        for output in outputs
        for record in load(output.get("data", {}).get(MIME, {"records": []}))
    ]
    values = {r.key: r.value for r in found if isinstance(r, NumberRecord)}
    assert values["own.gemm.flops"] == "1024"
    assert values["own.speed"] == "2000000000"


@pytest.mark.parametrize("book", ["source-tables"], indirect=True)
def test_a_script_runs_away_from_the_book_and_pages_link_to_both(own: Any, tmp_path: Path) -> None:
    built = own.build()
    script = built.out / "code/cells/own.py"
    environment = {name: v for name, v in os.environ.items() if not name.startswith("BOOKCODE_")}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    page = built.raw("own")
    for name in ("own.py.html", "own.ipynb", "own.py"):
        assert f'href="code/cells/{name}"' in page
    assert 'href="../code/cells/one/index.ipynb"' in built.raw("one/index")
    assert "code/cells" not in built.raw("index")
    assert not (built.out / "code/cells/index.ipynb").exists()
    lines = script_lines(script.read_text("utf-8"))
    source = (own.root / "book/own.md").read_text("utf-8").splitlines()
    mapped = script.read_text("utf-8").splitlines()
    assert len(lines) == 10
    for page_line, line in lines.items():
        assert source[page_line - 1] == mapped[line - 1]


@pytest.mark.parametrize("book", ["source-tables"], indirect=True)
def test_a_notebook_follows_its_page_and_goes_with_it(own: Any) -> None:
    own.build()
    own.edit("book/own.md", "Second part", "Another part")
    own.write("references/sizes.json", '{"m": 16}')
    built = own.build()
    text = (built.out / "code/cells/own.ipynb").read_text("utf-8")
    assert "Another part" in text
    assert "2,048" in text.replace("\u202f", " ")
    assert json.dumps('{"m": 16}""",\n') in text
    clean = own.build(out="clean")
    assert (clean.out / "code/cells/own.ipynb").read_text("utf-8") == text
    (own.root / "book/own.md").unlink()
    own.edit("book/index.md", "own\n", "")
    assert not list((own.build().out / "code/cells").glob("own*"))


# parts --------------------------------------------------------------------------------------------
def test_how_to_install() -> None:
    assert install_command(Repository("")) == ("install-here", 'pip install ".[book]"')
    key, command = install_command(Repository("https://host.org/a/b", "v1"))
    assert key == "install"
    assert command == 'pip install "bookcode[book] @ git+https://host.org/a/b@v1"'
    assert install_command(Repository("https://host.org/a/b"))[1].endswith('a/b"')


def test_cells_know_their_lines(tmp_path: Path) -> None:
    text = OWN.replace("%cells", "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---")
    assert is_notebook(text)
    assert not is_notebook("# A page\n\nthat speaks of {code-cell}\n")
    cells = cells_of(text, tmp_path / "page.md")
    lines = text.splitlines()
    assert [lines[cell.line - 1] for cell in cells] == [
        "import json",
        'row = book.ledger(machine="h200", dtype="fp16")',
    ]
    assert [cell.tags for cell in cells] == [("hide-cell",), ("remove-input",)]


def page(*cells: CodeCell, data: dict[str, str] | None = None) -> PageCode:
    prose = ((1, "# Title"), (3, "Words."), (9, "More."))
    return PageCode("book/page.md", "Head.", "Data.", prose, cells, data or {})


def test_code_stands_where_it_stands_on_the_page() -> None:
    code = page(CodeCell("a = 1", 5), CodeCell("%matplotlib inline\na = 2", 7), CodeCell("a", 12))
    cells = json.loads(notebook_of(code))["cells"]
    assert ["".join(cell["source"]) for cell in cells] == [
        *("Head.", "# Title\n\nWords.", "a = 1", "%matplotlib inline\na = 2", "More.", "a"),
    ]
    script = script_of(code)
    assert "# %% book/page.md:7\n# %matplotlib inline\na = 2\n" in script
    assert "# %% [markdown]\n# # Title\n#\n# Words.\n" in script
    lines = script.splitlines()
    assert {
        number: lines[line - 1]
        for number, line in script_lines(script).items()
        if number in (5, 7, 8, 12)
    } == {5: "a = 1", 7: "# %matplotlib inline", 8: "a = 2", 12: "a"}


def test_the_same_cell_twice_keeps_both_lines() -> None:
    lines = script_lines(script_of(page(CodeCell("a()", 5), CodeCell("a()", 7))))
    assert {5, 7} <= set(lines)
    assert lines[5] < lines[7]


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=40))
def test_data_arrive_as_they_are(text: str) -> None:
    code = page(data={"a/b.txt": text})
    source = "".join(json.loads(notebook_of(code))["cells"][1]["source"])
    names: dict[str, Any] = {}
    exec(source.partition("os.environ")[0], names)
    assert names["DATA"] == {"a/b.txt": text}


@given(
    data=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=90),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
        max_leaves=40,
    ),
    indent=st.sampled_from([None, 1, 4]),
)
def test_json_arrives_on_fewer_lines(data: Any, indent: int | None) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    source = "".join(json.loads(notebook_of(page(data={"a/b.json": text})))["cells"][1]["source"])
    names: dict[str, Any] = {}
    exec(source.partition("os.environ")[0], names)
    arrived = names["DATA"]["a/b.json"]
    assert json.dumps(json.loads(arrived)) == json.dumps(data)
    assert arrived.count("\n") <= text.count("\n")


def test_thousands_of_lines_of_data_become_few() -> None:
    text = json.dumps(list(range(5000)), indent=1)
    lines = script_of(page(data={"a/b.json": text})).splitlines()
    assert len(lines) < 500
    assert max(map(len, lines)) < 100


def test_only_the_facts_that_are_used_come_along() -> None:
    registry = "".join(
        f'[facts."{key}"]\nvalue = "{n}"\nunit = "s"\nwhy = "so"\n'
        for n, key in enumerate(("a.b", "a.c", "a.d", "e"), 1)
    )
    cells = [CodeCell('book.fact("a.c"); f(\'e\', "a.x")', 1)]
    assert facts_text(registry, cells, ["a.b", "gone"]) == "".join(
        f'[facts."{key}"]\nvalue = "{n}"\nunit = "s"\n'
        for n, key in ((1, "a.b"), (2, "a.c"), (4, "e"))
    )
    assert facts_text(registry, [], []) == ""


def document(text: str) -> nodes.document:
    from docutils.core import publish_doctree

    settings = {"myst_enable_extensions": ["dollarmath", "deflist"], "doctitle_xform": False}
    return publish_doctree(text, parser=Parser(), settings_overrides=settings)


@pytest.mark.parametrize(
    "text",
    [
        "Words *with* **marks**, `code` and $x_1$.",
        "- one\n- two\n\n  more\n\n  - inner",
        "3. three\n4. four",
        "$$\na = b\n$$",
        "[out](https://host.org/a)",
        "```\ncode\n```",
        "It costs \\$5.",
    ],
)
def test_prose_stays_as_it_was_written(text: str) -> None:
    assert [block for _, block in blocks(document(text))] == [text]


def test_what_cannot_be_text_is_left_out() -> None:
    text = "# A\n\nSee ![alt](x.png).\n\n| t | u |\n|---|---|\n| 1 | 2 |\n\n## B\n\nterm\n: said\n"
    found = list(blocks(document(text)))
    assert [block for _, block in found] == ["# A", "See .", "## B", "**term**: said"]
    assert [line for line, _ in found] == sorted(line for line, _ in found)
