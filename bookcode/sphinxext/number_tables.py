"""The table of a chapter's numbers: value, where it is shown, what it rests on, and conditions."""

from __future__ import annotations

from typing import Final

from docutils import nodes

from bookcode.numbers.records import NumberRecord
from bookcode.sources.model import Fact
from bookcode.sphinxext.cells import cell, code, group_row, link, row
from bookcode.sphinxext.resolve import shown_node
from bookcode.sphinxext.survey import facts_behind
from bookcode.sphinxext.tables import KINDS, Kind, Setting

HEADERS: Final = ("Number", "Shown", "Where", "Rests on", "Conditions")


def chapter_numbers(setting: Setting) -> list[nodes.row]:
    """Every number that the chapter publishes, under the pages that publish them."""
    made: list[nodes.row] = []
    for docname, records in setting.survey.by_page(setting.chapter):
        rows = [_row(setting, record) for record in records]
        head = link(setting.title(docname), setting.address(docname, ""), internal=True)
        made += [group_row(head, len(HEADERS)), *rows]
    return made


def _row(setting: Setting, record: NumberRecord) -> nodes.row:
    shown = shown_node(setting.library.number(record.key, "", setting.language))
    places = setting.places(setting.survey.spots("num", record.key))
    facts = _facts(setting, record)
    return row(
        code(record.key),
        cell(shown, classes=["bk-number-cell"]),
        places or setting.say("nowhere"),
        _kind(setting, record, facts),
        _conditions(setting, record, facts),
        name=f"number-{record.key.replace('.', '-')}",
    )


def _facts(setting: Setting, record: NumberRecord) -> list[Fact]:
    """The facts behind a number, also behind the published numbers it is composed of."""
    records = [record, *(setting.library.numbers[k] for k in record.uses
                         if k in setting.library.numbers)]  # fmt: skip
    keys = dict.fromkeys(key for each in records for key in facts_behind(each))
    return [setting.registry.facts[key] for key in keys if key in setting.registry.facts]


def _kind(setting: Setting, record: NumberRecord, facts: list[Fact]) -> str:
    """The ledger function, or that it is composed; and the kinds of the facts it rests on."""
    function = record.function.rpartition(".")[2]
    first = setting.say("ledger", function=function) if function else setting.say("composed")
    kinds = dict.fromkeys(setting.say(fact.kind.value) for fact in facts)
    return setting.say("join").join([first, *kinds])


def _conditions(setting: Setting, record: NumberRecord, facts: list[Fact]) -> str:
    """What the ledger was given, and under which conditions the facts hold."""
    given = ", ".join(f"{name} = {value}" for name, value in record.inputs.items())
    stated = dict.fromkeys(fact.conditions for fact in facts if fact.conditions)
    return setting.say("join").join([*([given] if given else []), *stated])


KINDS["numbers-table"] = Kind(HEADERS, chapter_numbers)
