"""Begins an operator of the ledger: its module, its test, its export and its cases."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from bookcode.scaffold.errors import ScaffoldError
from bookcode.scaffold.names import identifier, title_of
from bookcode.scaffold.plan import Edit, Plan, read
from bookcode.scaffold.templates import fill

EXPORTS: Final = "bookcode/ledger/ops/__init__.py"
CASES: Final = "tests/ledger/conftest.py"
_CASES: Final = re.compile(r"^CASES: list\[Case\] = \[\n(?:.+\n)*?(?=\]\n)", re.MULTILINE)


def operator(root: Path, name: str) -> Plan:
    """The plan of an operator in a module of its own name.

    Raises:
        ScaffoldError: for a bad name, one that the ledger has, or files that are not as they were
            when this was written.
    """
    identifier(name)
    exports, cases = read(root, EXPORTS), read(root, CASES)
    values = {"name": name, "title": title_of(name)}
    new = {
        f"bookcode/ledger/ops/{name}.py": fill("operator", **values),
        f"tests/ledger/ops/test_{name}.py": fill("operator-test", **values),
    }
    edits = {
        EXPORTS: Edit(exports, exported(exports, name)),
        CASES: Edit(cases, with_case(cases, name)),
    }
    steps = (
        f"bookcode/ledger/ops/{name}.py: count what it moves and does, a line for each term",
        f"tests/ledger/ops/test_{name}.py: work a case out by hand",
        "BOOKCODE_ACCEPT=1 nox -s tests -- tests/ledger/test_accepted.py accepts what it gives",
        "nox -s tests -- tests/ledger, and nox -s lint",
    )
    return Plan(new, edits, steps)


def exported(text: str, name: str) -> str:
    """The package's module with one more import and one more name, both where they sort.

    Raises:
        ScaffoldError: when the name is there, or there is no list to put it into.
    """
    known = re.findall(r'^    "(\w+)",$', text, re.MULTILINE)
    modules = [
        (match[1], match.start())
        for match in re.finditer(r"^from bookcode\.ledger\.ops\.(\w+) import", text, re.MULTILINE)
    ]
    if not known or not modules:
        raise ScaffoldError(f"{EXPORTS}: no imports of operators, or no list of them")
    if name in known or name in {module for module, _ in modules}:
        raise ScaffoldError(f"the ledger has {name!r} already")
    after = [word for word in known if _order(word) > _order(name)]
    line = f'    "{name}",\n'
    place = text.index(f'    "{after[0]}",\n') if after else text.rindex("]")
    text = text[:place] + line + text[place:]
    later = [start for module, start in modules if _order(module) > _order(name)]
    place = later[0] if later else text.index("\n__all__")
    return f"{text[:place]}from bookcode.ledger.ops.{name} import {name}\n{text[place:]}"


def _order(name: str) -> list[tuple[int, str]]:
    """As the linter sorts: numbers in names by their value."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def with_case(text: str, name: str) -> str:
    """The tests' list of cases with one more at its end.

    Raises:
        ScaffoldError: when there is no such list.
    """
    found = _CASES.search(text)
    if found is None:
        raise ScaffoldError(f"{CASES}: the list CASES is not where it was")
    case = f'    *_cases(ops.{name}, {{"elements": 4096}}),\n'
    return text[: found.end()] + case + text[found.end() :]
