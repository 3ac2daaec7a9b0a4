"""What the letters of printed formulas mean and what unit each has. No Sphinx, no ledger in here.

A record says what a letter means; its unit stands only where the ledger declares the symbol. The
declarations are read as text, since the process that builds the pages does not import the ledger.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.numbers.records import NumberRecord

LEDGER: Final = Path(__file__).parents[1] / "ledger"
_DECLARES: Final = ("Symbol", "quantity")
_SUBSCRIPT: Final = re.compile(r"_(?:\{.*\}|.)$")
Declared = Mapping[tuple[str, str], str]
"""From symbol (LaTeX) and meaning to the unit."""


class NotationError(NumbersError):
    """A letter of a formula that the ledger does not declare, or declares twice."""


@dataclass(frozen=True)
class Letter:
    """One meaning of one letter.

    Attributes:
        latex: the symbol.
        meaning: what it stands for.
        unit: of the quantity; "" for a named intermediate, whose unit follows from its formula.
        definition: LaTeX of a named intermediate's definition, "" for a quantity.
        formulas: how many published formulas use it so.
    """

    latex: str
    meaning: str
    unit: str
    definition: str
    formulas: int


def declared(folder: Path = LEDGER) -> Declared:
    """The symbols that the modules of a ledger declare.

    Raises:
        NotationError: when one symbol with one meaning is declared with two units.
    """
    stamp = tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.rglob("*.py")))
    return _read(folder, stamp)


@functools.lru_cache(maxsize=4)
def _read(folder: Path, stamp: tuple[tuple[Path, int], ...]) -> Declared:
    found: dict[tuple[str, str], str] = {}
    for path, _ in stamp:
        text = path.read_text("utf-8")
        if not any(f"{name}(" in text for name in _DECLARES):
            continue
        for node in ast.walk(ast.parse(text)):
            if (texts := _declaration(node)) is None:
                continue
            latex, unit, meaning = texts
            if found.setdefault((latex, meaning), unit) != unit:
                place = f"{path.relative_to(folder.parent).as_posix()}:{getattr(node, 'lineno', 1)}"
                raise NotationError(
                    f"{place}: {latex} ({meaning}) has the unit {unit!r}, elsewhere "
                    f"{found[latex, meaning]!r}"
                )
    return found


def _declaration(node: ast.AST) -> tuple[str, str, str] | None:
    """The three texts of ``Symbol("M", "1", "rows")``; None for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    if node.func.id not in _DECLARES or len(node.args) != 3:
        return None
    texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return (texts[0], texts[1], texts[2]) if len(texts) == 3 else None


def unit_of(latex: str, meaning: str, known: Declared) -> str:
    """The unit of a symbol; one with a subscript of its own has that of the letter it is made of.

    Raises:
        NotationError: for a symbol that is not declared, with the nearest meaning.
    """
    base = _SUBSCRIPT.sub("", latex)
    for symbol in (latex, base):
        if (symbol, meaning) in known:
            return known[symbol, meaning]
    meanings = [other for _, other in known]
    raise NotationError(
        f"the ledger declares no symbol {latex} with the meaning {meaning!r}"
        f"{did_you_mean(meaning, meanings)}"
    )


def letters(records: Iterable[NumberRecord], known: Declared) -> list[Letter]:
    """Every letter of the records' formulas with each of its meanings, in alphabetical order.

    Published numbers that stand in a formula by their keys are no letters.

    Raises:
        NotationError: for a letter that is not declared.
    """
    counts: dict[tuple[str, str, str], int] = {}
    for record in records:
        if record.formula is None:
            continue
        found = {(latex, meaning, "") for latex, meaning, _ in record.formula.symbols}
        found |= {(latex, meaning, text) for latex, text, meaning in record.formula.where}
        for entry in found:
            if not entry[0].startswith(r"\text{"):
                counts[entry] = counts.get(entry, 0) + 1
    made = [
        Letter(latex, meaning, "" if text else unit_of(latex, meaning, known), text, count)
        for (latex, meaning, text), count in counts.items()
    ]
    return sorted(made, key=lambda one: (_order(one.latex), one.meaning, one.definition))


def _order(latex: str) -> tuple[bool, str, bool, str]:
    """Latin before Greek, capitals beside small letters, plain before subscripted."""
    base = _SUBSCRIPT.sub("", latex)
    return base.startswith("\\"), base.lstrip("\\").casefold(), base.islower(), latex


def shared(found: Iterable[Letter]) -> dict[str, list[Letter]]:
    """The letters that stand for more than one thing in the book, with what they stand for.

    Subscripts are left aside: a reader who says "the d" may mean any of them.
    """
    by_base: dict[str, dict[str, Letter]] = {}
    for one in found:
        base = _SUBSCRIPT.sub("", one.latex)
        by_base.setdefault(base, {}).setdefault(one.meaning, one)
    return {base: list(ones.values()) for base, ones in by_base.items() if len(ones) > 1}
