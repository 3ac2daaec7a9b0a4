"""Makes the record of what the page shows: numbers, tables and drawings, counters, and mutants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from bookcode.reality import distribution as spread
from bookcode.reality.bounds import beats
from bookcode.reality.counters import Comparison
from bookcode.reality.explaining import CLASSES, Verdict
from bookcode.reality.mutants import Outcome
from bookcode.reality.operators import LEDGER
from bookcode.reality.published import PublishedTable
from bookcode.reality.survey import GroupRecord, Survey

HEADLINE: Final = ("h200_sxm/trtllm/1.0.0rc3", "gemm", "float16")
ROOFS: Final = {
    "calibrated": "h200",
    "envelope": "h200-tileops-0.1.0:envelope",
    "sustained": "h200:sustained",
}
"""What the page calls a calibrated roof to the ledger's name of it."""
SLOW: Final = "h200_sxm/sglang/0.5.1.post1"
"""The data set whose prompts form a ridge of their own."""
DRAWN: Final = "h200"
"""The machine of the drawings."""
DIGITS: Final = 12
"""Digits of a time that the record keeps."""


def surveyed_parts(found: Survey) -> dict[str, Any]:
    """The parts that come out of the measured tables."""
    return {"results": results(found), "tables": tables(found), "drawings": drawings(found)}


# numbers ----------------------------------------------------------------------------------------
def results(found: Survey) -> dict[str, dict[str, str]]:
    """Numbers by name, as :class:`bookcode.reality.record.Found`."""
    made: dict[str, dict[str, str]] = {}
    for name, value, unit, what in _numbers(found):
        made[name] = {"what": what, "value": _exact(value), "unit": unit}
    return made


def _exact(value: float | int) -> str:
    return str(value) if isinstance(value, int) else str(Fraction(f"{value:.{DIGITS}g}"))


Number = tuple[str, float | int, str, str]


def _numbers(found: Survey) -> Iterator[Number]:
    groups = found.groups
    yield "rows", found.rows, "1", "measured rows that the ledger covers"
    yield "groups", len(groups), "1", "groups of rows that share everything but their sizes"
    yield "beaten", found.beaten, "1", "rows that beat the bound"
    yield "unexplained", found.unexplained, "1", "rows that beat the bound without a class"
    yield "files", len({(g.data_set, _file(g)) for g in groups}), "1", "files of measurements"
    yield "repeated", len(found.repeated), "1", "files whose times are those of another file"
    for kind in CLASSES:
        slug = kind.replace(" ", "-")
        yield f"class.{slug}", found.classes.get(kind, 0), "1", f"rows of the class {kind!r}"
    clean = spread.together(part for parts in found.pool.parts.values() for part in parts)
    yield "clean.rows", len(clean), "1", "rows of groups without a flaw"
    yield from _headline(found)
    yield from _causality(found)
    yield from _again(found)
    for name in spread.OPERATORS:
        yield from _of_operator(found, name)
    yield from _slow_prompts(found)
    drawn = spread.together(_drawn(found))
    yield "drawn.rows", len(drawn), "1", "rows of the density"
    yield "drawn.beaten", int(beats(drawn.share).sum()), "1", "of them faster than the bound"


def _file(group: GroupRecord) -> str:
    named = {"gemm": "gemm", "prefill": "prefill", "decode": "decode"}
    if group.operator in named:
        return named[group.operator]
    return "all-reduce" if group.label == "float16" else "nccl"


def _headline(found: Survey) -> Iterator[Number]:
    [group] = [g for g in found.groups if (g.data_set, g.operator, g.label) == HEADLINE]
    yield "headline.rows", group.rows, "1", "fp16 products, TensorRT-LLM on an H200"
    yield "headline.beaten", group.beaten, "1", "of them faster than the bound"
    at = {e.roof: e for e in found.expectations if (e.data_set, e.operator, e.label) == HEADLINE}
    for name, roof in ROOFS.items():
        one = at[roof]
        yield f"headline.{name}.beaten", one.beaten, "1", f"of them faster than the roof {roof}"
        what = f"the roof's time over that of the fastest, {roof}"
        yield f"headline.{name}.most", one.most, "1", what


def _causality(found: Survey) -> Iterator[Number]:
    rows = found.counterfactual["prefill rows beating the bound: causal, not causal"]
    clean = [row for name, row in rows.items() if not row[1]]
    yield "prompt.clean-sets", len(clean), "1", "data sets in which no fp16 prompt beats the bound"
    yield "prompt.clean-rows", sum(r[0] for r in clean), "1", "fp16 prompts in these"
    yield "prompt.uncausal", sum(r[2] for r in clean), "1", "of them faster than without a mask"


def _again(found: Survey) -> Iterator[Number]:
    pairs = found.again.values()
    count = sum(int(pair[0]) for pair in pairs)
    yield "again.pairs", count, "1", "prompts that were measured twice"
    yield "again.middle", max(pair[1] for pair in pairs), "1", "largest median ratio of two times"
    yield "again.most", max(pair[2] for pair in pairs), "1", "largest ratio of two times"


def _of_operator(found: Survey, name: str) -> Iterator[Number]:
    rows = spread.together(spread.chosen(found.pool, name, [DRAWN]))
    if not len(rows):
        return
    where = f"{name}, clean rows on an H200"
    yield f"{name}.shortest", float(rows.seconds.min()), "s", f"shortest time, {where}"
    half = spread.half_from(rows)
    if half is not None:
        yield f"{name}.half-from", half, "s", f"bound from which the middle is above half, {where}"
    yield from _shares(name, rows, where)
    yield from _shares(f"{name}.short", rows.within(0.0, spread.LAUNCH), f"{where}, below a launch")
    yield from _shares(f"{name}.long", rows.within(1e-4, float("inf")), f"{where}, above 100 µs")


def _slow_prompts(found: Survey) -> Iterator[Number]:
    """Long prompts of the library that stands apart in the drawing, and of the others."""
    parts = spread.chosen(found.pool, "prompt", [DRAWN])
    for name, apart in (("slow", True), ("others", False)):
        mine = [part for part in parts if (part.group.table.data_set == SLOW) == apart]
        long = spread.together(mine).within(1e-3, float("inf"))
        what = f"prompts above a millisecond, {SLOW if apart else 'other data sets'}"
        yield f"prompt.{name}.rows", len(long), "1", what
        if len(long):
            yield f"prompt.{name}.middle", long.figures()["middle"], "1", f"middle share, {what}"


def _shares(name: str, rows: spread.Rows, where: str) -> Iterator[Number]:
    yield f"{name}.rows", len(rows), "1", where
    if len(rows):
        for which, value in list(rows.figures().items())[1:]:
            yield f"{name}.{which}", value, "1", f"share that the {which} row reaches, {where}"


# tables -----------------------------------------------------------------------------------------
def tables(found: Survey) -> dict[str, list[dict[str, Any]]]:
    """Rows of the generated tables by name."""
    return {
        "expect": spread.by_size(found.pool),
        "machines": spread.by_machine(found.pool),
        "classes": [
            {"class": kind, "rows": found.classes.get(kind, 0), "means": means}
            for kind, means in CLASSES.items()
        ],
        "beaten": list(_beaten(found)),
        "unexplained": [
            {"place": place, "group": _name(group)}
            for group in found.groups
            for place in group.places
        ],
        "data-sets": list(_data_sets(found)),
        "roofs": list(_roofs(found)),
    }


def _name(group: GroupRecord) -> str:
    return f"{group.data_set} {group.operator} {group.label}"


def _beaten(found: Survey) -> Iterator[dict[str, Any]]:
    for group in found.groups:
        for kind, count in group.classes.items():
            yield {
                "group": _name(group),
                "rows": group.rows,
                "class": kind,
                "explained": count,
                "most": group.most,
                "evidence": [one.plain() for one in group.evidence[kind]],
            }


def _data_sets(found: Survey) -> Iterator[dict[str, Any]]:
    for data_set in dict.fromkeys(group.data_set for group in found.groups):
        mine = [group for group in found.groups if group.data_set == data_set]
        yield {
            "data set": data_set,
            "operators": list(dict.fromkeys(group.operator for group in mine)),
            "rows": sum(group.rows for group in mine),
            "beaten": sum(group.beaten for group in mine),
            "unexplained": sum(group.unexplained for group in mine),
            "repeats": [
                f"{name.rpartition(' ')[2]}: {other.rpartition(' ')[0]}"
                for name, other in found.repeated.items()
                if name.rpartition(" ")[0] == data_set
            ],
        }


def _roofs(found: Survey) -> Iterator[dict[str, Any]]:
    """How many rows of groups without a flaw beat each calibrated roof."""
    clean = {
        (part.group.table.data_set, part.group.operator, part.group.label)
        for parts in found.pool.parts.values()
        for part in parts
    }
    for roof in dict.fromkeys(e.roof for e in found.expectations):
        for operator in ("gemm", "prefill", "decode"):
            mine = [
                e
                for e in found.expectations
                if (e.roof, e.operator) == (roof, operator)
                and (e.data_set, e.operator, e.label) in clean
            ]
            if mine:
                yield {
                    "roof": roof,
                    "operator": operator,
                    "rows": sum(e.rows for e in mine),
                    "beaten": sum(e.beaten for e in mine),
                    "most": max(e.most for e in mine),
                }


def drawings(found: Survey) -> dict[str, Any]:
    """What the figures draw."""
    return {"density": spread.density(_drawn(found)), "curves": spread.curves(found.pool)}


def _drawn(found: Survey) -> list[Verdict]:
    """The groups of the density."""
    return [
        part
        for name in ("product", "prompt", "token")
        for part in spread.chosen(found.pool, name, [DRAWN])
    ]


# other people's figures ---------------------------------------------------------------------------
def counters(comparisons: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Comparisons with a counter: the ledger's figure, theirs, and the whole of the difference."""
    return [
        {
            "place": one.place,
            "operator": one.operator,
            "unit": one.unit,
            "inputs": one.inputs,
            "ledger": str(Fraction(one.ledger(LEDGER))),
            "theirs": str(one.theirs),
            "why": [{"amount": str(d.amount), "reason": d.why} for d in one.differences],
        }
        for one in comparisons
    ]


def published(tables: Sequence[PublishedTable]) -> list[dict[str, Any]]:
    """Published numbers, as printed and as recomputed with the same rounding."""
    return [
        {
            "source": {"title": table.title, "authors": table.authors, "where": table.source},
            "date": table.date,
            "rows": [
                {
                    "what": row.what,
                    "printed": row.printed,
                    "recomputed": row.shown(LEDGER),
                    "unit": row.unit,
                    "follows": row.follows,
                    "formula": row.formula,
                    "inputs": {name: str(value) for name, value in row.inputs.items()},
                    "why": row.why,
                }
                for row in table.rows
            ],
        }
        for table in tables
    ]


def mutated(outcomes: Iterable[Outcome]) -> dict[str, list[str]]:
    """Mistakes in words to the outside checks that catch each; none for the frontier."""
    return {outcome.mutant.words: list(outcome.caught_by) for outcome in outcomes}
