"""How the book verifies itself, for its page: counts of what is checked, and real failing reports.

The counts are those of the build. The reports were recorded by a script that breaks one thing at a
time in a copy of the project and keeps what verify prints.
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from bookcode.numbers.errors import NumbersError, did_you_mean
from bookcode.sources.model import Evidence
from bookcode.sphinxext.cells import cell, code, row
from bookcode.sphinxext.tables import KINDS, Kind, Setting, TableError
from bookcode.sphinxext.wording import said
from bookcode.words import Words

REPORTS: Final = "references/measurements/failing-reports.toml"
MUTANTS: Final = "references/measurements/mutants.json"
OUTCOMES: Final = ("killed", "survived", "equivalent")
WORDS: Final[Words] = {
    "numbers": {"en": "published numbers and words", "zh": "已发布的数与词"},
    "num": {"en": "places that show a number", "zh": "显示数的位置"},
    "formulas": {"en": "formulas printed from the ledger", "zh": "由账本打印的公式"},
    "claims": {"en": "verdicts, evaluated at every build", "zh": "每次构建都求值的判定"},
    "holds": {"en": "places that state a verdict", "zh": "陈述判定的位置"},
    "figures": {"en": "figures drawn from numbers", "zh": "由数绘制的图"},
    "facts": {"en": "facts of the registry", "zh": "登记的事实"},
    "fact": {"en": "places that show a fact", "zh": "显示事实的位置"},
    "citations": {"en": "citations, {evidence}", "zh": "引用，{evidence}"},
    "src": {"en": "places that cite a source", "zh": "引用来源的位置"},
    "lit": {"en": "texts typed on purpose: {kind}", "zh": "有意手写的文本：{kind}"},
    "no-lit": {"en": "texts typed on purpose", "zh": "有意手写的文本"},
    "mistakes-mutants": {
        "en": "mistakes made on purpose, to test the checks",
        "zh": "为检验各项检查而故意造的错误",
    },
    "mistakes-killed": {"en": "of these, noticed", "zh": "其中被发现的"},
    "mistakes-survived": {"en": "of these, noticed by no check", "zh": "其中没有检查发现的"},
    "mistakes-equivalent": {
        "en": "of these, listed as changing no statement, each with its reason",
        "zh": "其中列为不改变任何陈述的，各附理由",
    },
    "broken": {"en": "In {path},", "zh": "在 {path} 中，"},
    "became": {"en": " became ", "zh": " 改为 "},
    "ended": {"en": ". {said}:", "zh": "。{said}："},
    "condition": {"en": "condition", "zh": "条件"},
    "exit status": {"en": "exit status", "zh": "退出状态"},
    "older-version": {"en": "older-version", "zh": "旧版本"},
    "said": {
        "en": "Recorded on {date}: verify ended with status {status}, problems that name it: "
        "{problems}. It printed",
        "zh": "记录于 {date}：verify 以状态 {status} 结束，指出它的问题数：{problems}。其输出为",
    },
    "first": {"en": ", among others", "zh": "（节选）"},
}  # fmt: skip
_PLACE: Final = re.compile(r"^\S+?:\d+(?::\d+)?: \S|^\S+ \(\S+.*?\): \S")


class ReportError(NumbersError):
    """A recorded report that is not there or not whole."""


@dataclass(frozen=True)
class FailingReport:
    """What verify said about one thing that was broken.

    Attributes:
        file: what was changed.
        before, after: the text there and what was put in its place.
        status: verify's exit status.
        problems: how many problems named what was broken; the report holds the first of them.
        report: these problems as they were printed.
    """

    file: str
    before: str
    after: str
    status: int
    problems: int
    report: str


_say = functools.partial(said, WORDS)


# recorded reports ---------------------------------------------------------------------------------
def problems_of(printed: str) -> list[str]:
    """The problems that verify printed, each with its continuation lines."""
    found: list[str] = []
    inside = False
    for line in printed.splitlines():
        if _PLACE.match(line):
            found.append(line)
            inside = True
        elif inside and line.startswith("    "):
            found[-1] += f"\n{line}"
        else:
            inside = False
    return found


def read_reports(path: Path) -> tuple[str, dict[str, FailingReport]]:
    """The date of the record, and the reports by name.

    Raises:
        ReportError: for a missing file, a missing date, or a report with other fields.
    """
    if not path.exists():
        raise ReportError(f"no file {REPORTS}")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ReportError(f"{REPORTS}: not TOML: {error}") from None
    if "date" not in data:
        raise ReportError(f"{REPORTS}: no date")
    wanted = {one.name for one in fields(FailingReport)}
    reports = {}
    for name, entry in data.get("reports", {}).items():
        if set(entry) != wanted:
            odd = ", ".join(sorted(set(entry) ^ wanted))
            raise ReportError(f"{REPORTS}: report {name!r}: missing or unknown: {odd}")
        reports[name] = FailingReport(**entry)
    return str(data["date"]), reports


class ShowReport(SphinxDirective):
    """``{failing-report} coefficient``: what was broken, and what verify said."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.app.confdir).resolve() / REPORTS
        self.env.note_dependency(str(path))
        name = self.arguments[0].strip()
        try:
            date, reports = read_reports(path)
            if name not in reports:
                raise ReportError(f"no report {name!r}{did_you_mean(name, reports)}")
        except ReportError as error:
            raise self.error(f"{self.name}: {error}") from None
        return _shown(reports[name], date, self.config.language or "en")


def _shown(one: FailingReport, date: str, language: str) -> list[nodes.Node]:
    text = one.report.rstrip("\n")
    said = _say("said", language, date=date, status=one.status, problems=one.problems)
    if one.problems > len(problems_of(text)):
        said += _say("first", language)
    parts: list[nodes.Node] = [
        nodes.Text(f"{_say('broken', language, path=one.file)} "),
        code(one.before),
        nodes.Text(_say("became", language)),
        code(one.after),
        nodes.Text(_say("ended", language, said=said)),
    ]
    told = nodes.paragraph("", "", *parts, bookcode="recorded", translatable=False)
    return [told, nodes.literal_block(text, text, language="text", bookcode="recorded")]


# counts -------------------------------------------------------------------------------------------
def counts(setting: Setting) -> list[nodes.row]:
    """What the build holds of each kind of statement, and of what was typed on purpose."""
    return [
        row(text, cell(str(count), classes=["bk-number-cell", f"bk-count-{name}"]))
        for name, text, count in counted(setting)
    ]


def counted(setting: Setting) -> Iterator[tuple[str, str, int]]:
    """(name, words, count) of each row."""
    library, registry, language = setting.library, setting.registry, setting.language
    shown = Counter(use.role for use in setting.survey.uses())
    formulas = sum(record.formula is not None for record in library.numbers.values())
    totals = {
        "numbers": len(library.numbers),
        "num": shown["num"],
        "formulas": formulas,
        "claims": len(library.claims),
        "holds": shown["holds"],
        "figures": len(library.figures),
        "facts": len(registry.facts),
        "fact": shown["fact"],
    }
    for name, count in totals.items():
        yield name, _say(name, language), count
    backed = Counter(citation.evidence for citation in registry.citations.values())
    for evidence in Evidence:
        words = _say("citations", language, evidence=setting.say(evidence.value))
        yield f"citations-{evidence.value}", words, backed[evidence]
    yield "src", _say("src", language), shown["src"]
    yield from _typed(setting)
    yield from _mistakes(setting)


def _typed(setting: Setting) -> Iterator[tuple[str, str, int]]:
    kinds = Counter(use.key for use in setting.survey.uses() if use.role == "lit")
    for kind, count in sorted(kinds.items()):
        named = _say(kind, setting.language) if kind in WORDS else kind
        yield f"lit-{nodes.make_id(kind)}", _say("lit", setting.language, kind=named), count
    if not kinds:
        yield "lit", _say("no-lit", setting.language), 0


def _mistakes(setting: Setting) -> Iterator[tuple[str, str, int]]:
    """What the checks made of mistakes put in on purpose, in their last whole run."""
    path = setting.root / MUTANTS
    if not path.exists():
        return
    try:
        total = json.loads(path.read_text("utf-8"))["total"]
        for name in ("mutants", *OUTCOMES):
            yield f"mistakes-{name}", _say(f"mistakes-{name}", setting.language), int(total[name])
    except (ValueError, TypeError, KeyError) as error:
        raise TableError(f"{MUTANTS}: not the record of a run: {error}") from None


KINDS["verification-counts"] = Kind(("What", "How many"), counts)


def add_verification_page(app: Sphinx) -> None:
    """Register the directive of the reports; the counts are a generated table."""
    app.add_directive("failing-report", ShowReport)
