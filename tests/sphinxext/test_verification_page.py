"""Recorded failing reports keep the shape that verify prints; counts are those of the build."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from bookcode.numbers.drift import Drift, Place
from bookcode.prose import PublishedIndex, lint_document
from bookcode.sources import Evidence, Registry
from bookcode.sources.report import CitationResult, FactResult, Status
from bookcode.sphinxext.verification_page import (
    MUTANTS,
    REPORTS,
    WORDS,
    FailingReport,
    ReportError,
    problems_of,
    read_reports,
)
from bookcode.verify.locking import read_state

ROOT = Path(__file__).parents[2]
NAMES = ("coefficient", "typed-number", "claim", "cited-line")
BOOK = pytest.mark.parametrize("book", ["source-tables"], indirect=True)
CLAIM = re.compile(
    r"\S+:\d+: (?:ERROR: )?claim '[a-z0-9.-]+' does not hold: .+; stated at \S+:\d+(?:, \S+:\d+)*"
    r"(?: \[bookcode\.claim\])?"
)


@pytest.fixture(scope="module")
def recorded() -> dict[str, FailingReport]:
    return read_reports(ROOT / REPORTS)[1]


# the committed record -----------------------------------------------------------------------------
def test_every_report_of_the_page_is_recorded(recorded: dict[str, FailingReport]) -> None:
    page = (ROOT / "book/appendix/verification.md").read_text("utf-8")
    assert set(re.findall(r"\{failing-report\} (\S+)", page)) == set(recorded) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_report_is_of_a_red_run_about_a_file_that_is_there(
    name: str, recorded: dict[str, FailingReport]
) -> None:
    one = recorded[name]
    assert one.status == 1
    assert (ROOT / one.file).is_file()
    assert one.before != one.after
    shown = problems_of(one.report)
    assert 0 < len(shown) <= one.problems
    assert "\n".join(shown) == one.report.rstrip("\n"), "more than problems, or another shape"
    assert str(ROOT) not in one.report
    assert "/tmp" not in one.report


@pytest.mark.parametrize("name", NAMES)
def test_what_was_broken_is_still_there_to_be_broken(
    name: str, recorded: dict[str, FailingReport]
) -> None:
    text = (ROOT / recorded[name].file).read_text("utf-8")
    again = "run python tests/benchmarks/failing_reports.py again"
    for part in recorded[name].before.split("; "):
        assert part in text, again


def test_drift_is_still_printed_so(recorded: dict[str, FailingReport]) -> None:
    for problem in problems_of(recorded["coefficient"].report):
        head, *rest = problem.splitlines()
        published, section, key, change = re.fullmatch(  # type: ignore[union-attr]
            r"(\S+:\d+): (\w+) (\S+) (changed|is new|is gone)", head
        ).groups()
        texts = [line.removeprefix("    ") for line in rest]
        places = [t.removeprefix("shown at ") for t in texts if t.startswith("shown at ")]
        causes = [t[len("because ") : -len(" changed")] for t in texts if t.startswith("because ")]
        details = [t for t in texts if not t.startswith(("shown at ", "because "))]
        drift = Drift(
            key=key,
            section=f"{section}s",
            change=change,
            details=tuple(details),
            causes=tuple(causes),
            published=published,
            places=tuple(map(place, places)),
        )
        assert causes
        assert str(drift) == problem


def place(text: str) -> Place:
    source, line, context = re.fullmatch(r"(\S+):(\d+) \((.+)\)", text).groups()  # type: ignore[union-attr]
    return Place(source, int(line), context)


def test_the_lint_still_says_so(recorded: dict[str, FailingReport]) -> None:
    one = recorded["typed-number"]
    plain = re.sub(r"\{\w+\}`[^`]*`", "", one.after)
    document = publish_doctree(plain, settings_overrides={"report_level": 5})
    found = lint_document(
        document, source_text=plain, path=one.file, language="en", published=PublishedIndex([])
    )
    assert [finding.text for finding in found] == ["6 B"]
    (problem,) = problems_of(one.report)
    start = rf"{re.escape(one.file)}:\d+:\d+: ERROR: "
    said = re.escape(f"{found[0].text!r}: {found[0].reason}")
    assert re.fullmatch(rf"{start}{said}(?:; did you mean .+)? \[bookcode\.prose\]", problem)


@pytest.mark.parametrize("book", ["claims"], indirect=True)
def test_a_claim_that_does_not_hold_is_still_reported_so(
    book: Any, recorded: dict[str, FailingReport]
) -> None:
    (problem,) = problems_of(recorded["claim"].report)
    assert CLAIM.fullmatch(problem)
    now = [str(p) for p in book.build().problems if "does not hold" in p.text]
    assert len(now) == 1
    assert CLAIM.fullmatch(now[0])


def test_a_citation_and_its_facts_are_still_reported_so(
    recorded: dict[str, FailingReport],
) -> None:
    registry = Registry.load(ROOT / "references")
    first, *rest = problems_of(recorded["cited-line"].report)
    key, shift, now = re.fullmatch(  # type: ignore[union-attr]
        r"(\S+) \(\S+ \S+\): shifted by (-?\d+): (now at lines \d+-\d+)", first
    ).groups()
    citation = registry.citations[key]
    assert citation.lines is not None
    begin, end = citation.lines
    moved = replace(citation, lines=(begin - int(shift), end - int(shift)))
    assert str(CitationResult(moved, Status.SHIFTED, (now,), lines=citation.lines)) == first
    for problem in rest:
        fact = registry.facts[problem.partition(" ")[0]]
        result = FactResult(fact, Status.SHIFTED, Evidence.PINNED, (f"citation {key} is shifted",))
        assert fact.citation == key
        assert unplaced(str(result)) == unplaced(problem)


def unplaced(text: str) -> str:
    """Without the folder and the line of a place, which may move."""
    return re.sub(r"\((?:\S*/)?references/facts\.toml:\d+\)", "(facts)", text)


# reading ------------------------------------------------------------------------------------------
def test_problems_are_cut_out_of_what_verify_prints() -> None:
    printed = (
        "building en from clean ...\n"
        "book/a.md:3:1: ERROR: '6 B': typed [bookcode.prose]\n"
        "book/a.md:9: number k changed\n    value: 1 → 2\n    shown at book/b.md:1 (body)\n"
        "F-1 (geo==1.0/wire.py:3-9): changed: the lines differ\n"
        "not checked: facts: geo==1.0 is not in the store\n"
        "check     checked   red\n    no problem of anything\nverify: RED\n"
    )
    assert problems_of(printed) == [
        "book/a.md:3:1: ERROR: '6 B': typed [bookcode.prose]",
        "book/a.md:9: number k changed\n    value: 1 → 2\n    shown at book/b.md:1 (body)",
        "F-1 (geo==1.0/wire.py:3-9): changed: the lines differ",
    ]
    assert problems_of("") == []


GOOD = """\
date = 2026-01-31
command = "verify"
[reports.one]
file = "a.py"
before = "8"
after = "7"
status = 1
problems = 3
report = "a.md:1: number k changed\\n    value: 1 → 2\\n"
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no file references/measurements/failing-reports.toml"),
        ("date =", "not TOML"),
        (GOOD.replace("date = 2026-01-31\n", ""), "no date"),
        (GOOD.replace("status = 1\n", ""), "report 'one': missing or unknown: status"),
        (GOOD + 'more = "x"\n', "report 'one': missing or unknown: more"),
    ],
)
def test_a_record_that_is_not_whole_is_an_error(
    tmp_path: Path, text: str | None, message: str
) -> None:
    path = tmp_path / "reports.toml"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ReportError, match=message):
        read_reports(path)


def test_a_whole_record_is_read(tmp_path: Path) -> None:
    path = tmp_path / "reports.toml"
    path.write_text(GOOD, "utf-8")
    date, reports = read_reports(path)
    assert date == "2026-01-31"
    wanted = tomllib.loads(GOOD)["reports"]["one"]
    assert {name: vars(one) for name, one in reports.items()} == {"one": wanted}


def test_all_words_are_there_in_both_languages() -> None:
    for key, texts in WORDS.items():
        assert set(texts) == {"en", "zh"}, key
        assert sorted(re.findall(r"\{\w+\}", texts["en"])) == sorted(
            re.findall(r"\{\w+\}", texts["zh"])
        )


# pages --------------------------------------------------------------------------------------------
PAGE = """\
# Verification

```{toctree}
one/index
two/index
```

Typed: {lit}`3 <condition>`, {lit}`4 <condition>` and {lit}`5`.

:::{failing-report} one
:::
:::{verification-counts}
:::
"""


@BOOK
def test_reports_and_counts_on_a_page(book: Any) -> None:
    book.write("book/index.md", PAGE)
    book.write(REPORTS, GOOD)
    built = book.build()
    assert (built.status, [str(p) for p in built.problems]) == (0, [])
    text = built.text("index")
    assert "In a.py, 8 became 7. Recorded on 2026-01-31: verify ended with status 1" in text
    assert "problems that name it: 3. It printed, among others:" in text
    assert "a.md:1: number k changed value: 1 → 2" in text
    registry = Registry.load(book.root / "references")
    counted = Counter(c.evidence for c in registry.citations.values())
    for evidence in Evidence:
        assert count(built.raw("index"), f"citations-{evidence.value}") == counted[evidence]
    raw = built.raw("index")
    wanted = {
        "numbers": 3,
        "num": 4,
        "formulas": 3,
        "claims": 0,
        "lit-condition": 2,
        "lit-given": 1,
    }
    assert {name: count(raw, name) for name in wanted} == wanted
    assert count(raw, "facts") == len(registry.facts)
    # a report and a text that change show on the next build
    book.edit(REPORTS, "status = 1", "status = 3")
    book.edit("book/two/index.md", "# Other\n", "# Other\n\nAlso {lit}`6 <condition>`.\n")
    again = book.build()
    assert "verify ended with status 3" in again.text("index")
    assert count(again.raw("index"), "lit-condition") == 3


@BOOK
def test_mistakes_made_on_purpose_are_counted_where_there_is_a_record(book: Any) -> None:
    book.write("book/index.md", PAGE)
    book.write(REPORTS, GOOD)
    assert "mistakes" not in book.build().raw("index")
    total = {"mutants": 9, "killed": 6, "survived": 1, "equivalent": 2, "not run": 0}
    book.write(MUTANTS, json.dumps({"revision": "abc", "total": total, "kinds": {}}))
    raw = book.build().raw("index")
    wanted = {name: total[name] for name in ("mutants", "killed", "survived", "equivalent")}
    assert {name: count(raw, f"mistakes-{name}") for name in wanted} == wanted
    book.write(MUTANTS, "{}")
    (problem,) = book.build().problems
    assert f"{MUTANTS}: not the record of a run: 'total'" in str(problem)


def count(page: str, name: str) -> int:
    """The number in the row of a name."""
    found = re.findall(rf'<td class="bk-number-cell bk-count-{name}"><p>(\d+)</p></td>', page)
    assert len(found) == 1, f"{name}: {found}"
    return int(found[0])


@BOOK
def test_an_unknown_report_is_an_error_with_the_nearest(book: Any) -> None:
    book.write("book/index.md", PAGE.replace("{failing-report} one", "{failing-report} on"))
    book.write(REPORTS, GOOD)
    built = book.build()
    assert any("no report 'on'; did you mean one" in p.text for p in built.problems)


def test_the_words_of_the_directive_are_no_prose_to_be_linted() -> None:
    from bookcode.sphinxext.verification_page import _shown

    one = FailingReport("a.py", "8", "7", 1, 1, "a.md:1: 'twice' 6 B\n")
    document = publish_doctree("")
    document += _shown(one, "2026-01-31", "en")
    assert list(document.findall(nodes.literal_block))
    found = lint_document(
        document, source_text="", path="x", language="en", published=PublishedIndex([])
    )
    assert found == []


@pytest.mark.parametrize(
    ("kinds", "note"),
    [
        ((), "0 texts typed on purpose (lit)"),
        (("given",), "1 (1 given) texts typed on purpose (lit)"),
        (
            ("given", "condition", "condition"),
            "3 (2 condition, 1 given) texts typed on purpose (lit)",
        ),
    ],
)
def test_verify_prints_the_typed_texts_by_kind(
    tmp_path: Path, kinds: tuple[str, ...], note: str
) -> None:
    pages = {
        f"0{i}-x/index": {
            "source": f"book/0{i}-x/index.md",
            "records": [],
            "uses": [
                {"role": "lit", "key": kind, "spec": "3", "line": 1, "context": "body", "shown": ""}
            ],
        }
        for i, kind in enumerate(kinds)
    }
    state = read_state(tmp_path, [{"language": "en", "pages": pages}])
    assert state.result().note == note
