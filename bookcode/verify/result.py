"""What a check found, and the summary of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

GREEN, RED, UNCHECKED = 0, 1, 3


@dataclass
class Result:
    """The outcome of one check.

    Attributes:
        name: what was checked.
        checked: how many things.
        what: what one of them is ("numbers", "links").
        problems: what is wrong, each with its place.
        unchecked: what should have been checked and was not, with the reason.
        note: a word on the side.
    """

    name: str
    checked: int = 0
    what: str = ""
    problems: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    note: str = ""


def exit_status(results: Iterable[Result]) -> int:
    """0 all green; 1 something is red; 3 nothing red but something was not checked."""
    everything = list(results)
    if any(result.problems for result in everything):
        return RED
    return UNCHECKED if any(result.unchecked for result in everything) else GREEN


def print_summary(results: Sequence[Result], console: Console) -> None:
    """All problems in full, then a table of what was checked, then the verdict."""
    for result in results:
        for problem in result.problems:
            console.print(problem, markup=False, highlight=False, soft_wrap=True)
    for result in results:
        for reason, times in Counter(result.unchecked).items():
            line = f"not checked: {result.name}: {reason}" + (f" ({times} of them)" * (times > 1))
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for column, justify in (
        ("check", "left"),
        ("checked", "right"),
        ("", "left"),
        ("red", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    table.add_column("not checked", justify="right")
    table.add_column("")
    for result in results:
        red, open_ = len(result.problems), len(result.unchecked)
        counts = (str(result.checked), result.what, str(red or ""), str(open_ or ""))
        table.add_row(result.name, *counts, result.note)
    console.print(table)
    status = exit_status(results)
    verdict = {GREEN: "green", RED: "RED", UNCHECKED: "nothing red, but not everything checked"}
    console.print(f"verify: {verdict[status]}")
