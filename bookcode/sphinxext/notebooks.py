"""A page's cells as a notebook and as a script, both to run elsewhere. No Sphinx here.

They hold the page's prose, its cells without outputs, and what the cells read of the book's data,
so that nothing but the installed project is needed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from bookcode.execution.source_lines import first_line

FACTS: Final = "references/facts.toml"
METADATA: Final = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
}
_MARK: Final = re.compile(r"^# %% .*:(\d+)$")
_FILL: Final = 72
"""Characters of a line of data; more would not be seen without scrolling."""
_STRING: Final = re.compile(r"""["']([a-z0-9][a-z0-9.-]*)["']""")
_MAGIC: Final = re.compile(r"^(?=[%!])", re.MULTILINE)


@dataclass(frozen=True)
class CodeCell:
    """A code cell: its source, the line of the page that holds the first of it, its tags."""

    source: str
    line: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageCode:
    """All that a page's notebook is made of.

    Attributes:
        place: the page's source file, as seen from the project's root.
        head: Markdown that stands first: what this is and what it needs.
        note: what the data are, in words.
        prose: blocks of Markdown with their lines.
        cells: the code, in order.
        data: files that the cells read, by path, besides the project's packages.
    """

    place: str
    head: str
    note: str
    prose: tuple[tuple[int, str], ...]
    cells: tuple[CodeCell, ...]
    data: Mapping[str, str] = field(default_factory=dict)


def is_notebook(text: str) -> bool:
    """Whether a page's source is a notebook written as text."""
    return "{code-cell}" in text and bool(is_myst_markdown_notebook(text))


def cells_of(text: str, path: Path) -> tuple[CodeCell, ...]:
    """The code cells of a page's source, hidden ones as well."""
    notebook = read_myst_markdown_notebook(text, add_source_map=True, path=path)
    lines, starts = text.splitlines(), notebook.metadata["source_map"]
    return tuple(
        CodeCell(
            cell.source,
            first_line(lines, start + 1, cell.source),
            tuple(cell.metadata.get("tags", ())),
        )
        for cell, start in zip(notebook.cells, starts, strict=True)
        if cell.cell_type == "code" and cell.source.strip()
    )


def facts_text(registry: str, cells: Iterable[CodeCell], keys: Iterable[str]) -> str:
    """The part of a registry of facts that cells calculate with: values and units.

    Args:
        registry: the text of the registry.
        keys: facts that published numbers are known to use.
    """
    facts: Mapping[str, Any] = tomllib.loads(registry)["facts"]
    named = {name for cell in cells for name in _STRING.findall(cell.source)} | set(keys)
    used = sorted(named & set(facts))
    return "".join(
        f'[facts."{key}"]\nvalue = "{facts[key]["value"]}"\nunit = "{facts[key]["unit"]}"\n'
        for key in used
    )


def notebook_of(code: PageCode) -> str:
    """The notebook as JSON, in the format of Jupyter."""
    cells: list[dict[str, Any]] = []
    for number, step in enumerate(_steps(code)):
        cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}}
        if isinstance(step, CodeCell):
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
            if step.tags:
                cell["metadata"]["tags"] = list(step.tags)
            source = step.source
        else:
            cell["cell_type"] = "markdown"
            source = step
        cells.append(cell | {"source": source.splitlines(keepends=True)})
    notebook = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def script_of(code: PageCode) -> str:
    """The same as a script in cells, as editors know them; each says its line of the page."""
    parts = []
    for step in _steps(code):
        if isinstance(step, CodeCell):
            place = f" {code.place}:{step.line}" if step.line else ""
            parts.append(f"# %%{place}\n{_MAGIC.sub('# ', step.source)}\n")
        else:
            commented = "\n".join(f"# {line}".rstrip() for line in step.splitlines())
            parts.append(f"# %% [markdown]\n{commented}\n")
    return "\n".join(parts)


def script_lines(script: str) -> dict[int, int]:
    """Lines of the page to lines of its script, for every line of a cell that is not blank."""
    found: dict[int, int] = {}
    offset: int | None = None
    for number, line in enumerate(script.splitlines(), 1):
        if mark := _MARK.match(line):
            offset = int(mark[1]) - number - 1
        elif line.startswith("# %%"):
            offset = None
        elif offset is not None and line:
            found.setdefault(number + offset, number)
    return found


def _steps(code: PageCode) -> Iterator[CodeCell | str]:
    """What stands in the notebook, in order: code, and Markdown between it."""
    yield code.head
    if code.data:
        yield CodeCell(_data_source(code), 0)
    waiting = list(code.cells)
    text: list[str] = []
    for line, block in code.prose:
        while waiting and line and waiting[0].line < line:
            if text:
                yield "\n\n".join(text)
                text.clear()
            yield waiting.pop(0)
        text.append(block)
    if text:
        yield "\n\n".join(text)
    yield from waiting


def _data_source(code: PageCode) -> str:
    files = "".join(
        f'    "{name}": """\\\n{_quoted(_filled(name, text))}""",\n'
        for name, text in sorted(code.data.items())
    )
    return (
        f"# {code.note}\n"
        "import os\nimport tempfile\nfrom pathlib import Path\n\n"
        f"DATA = {{\n{files}}}\n"
        'os.environ["BOOKCODE_ROOT"] = tempfile.mkdtemp()\n'
        "for name, text in DATA.items():\n"
        '    path = Path(os.environ["BOOKCODE_ROOT"], name)\n'
        "    path.parent.mkdir(parents=True, exist_ok=True)\n"
        '    path.write_text(text, "utf-8")'
    )


def _filled(name: str, text: str) -> str:
    """The same data on fewer lines: JSON has none inside its strings, so any may be joined.

    Records have one number a line, for reviewers; thousands of such lines stood before the code.
    """
    if not name.endswith(".json"):
        return text
    lines = [""]
    for part in filter(None, map(str.strip, text.split("\n"))):
        if lines[-1] and len(lines[-1]) + len(part) > _FILL:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines) + "\n" * text.endswith("\n")


def _quoted(text: str) -> str:
    """A text between triple quotes."""
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'{escaped[:-1]}\\"' if escaped.endswith('"') else escaped
