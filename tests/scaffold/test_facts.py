"""A fact comes to its right place, and every other byte stays as it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bookcode.scaffold import NewCitation, NewFact, ScaffoldError, carry_out, fact
from bookcode.scaffold.commands import new_command
from bookcode.scaffold.facts import registry_of
from bookcode.scaffold.toml_entries import entry, inserted, quoted
from bookcode.sources import Evidence

SOURCES = """\
[web."page"]
title = "A page"
url = "https://a.test/"
date = 2026-01-31
"""
CITATIONS = """\
# What is cited.

[citations.PAGE]
claim = "the wire"
source = "page"
evidence = "recorded"
date = 2026-01-31

# ---
# Judgements

[citations.NOTE]
claim = "ours"
evidence = "author-note"
"""
FACTS = """\
# Facts.\r

[facts."wire.speed"]
value = "2e9"   # measured
unit = "B/s"
citation = "PAGE"
kind = "third-party-measurement"

# ---
# Clocks

[facts."clock.rate"]
value = "1e9"
unit = "Hz"
citation = "NOTE"
kind = "convention"
"""
FACT = NewFact("wire.delay", "3e-6", "s", "PAGE", "third-party-measurement", "one way")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "references").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "conf.py").write_text("")
    for name, text in {"sources": SOURCES, "citations": CITATIONS, "facts": FACTS}.items():
        (tmp_path / f"references/{name}.toml").write_bytes(text.encode())
    return tmp_path


def text(project: Path, name: str) -> str:
    return (project / f"references/{name}.toml").read_bytes().decode()


# --- places -----------------------------------------------------------------------------------


def test_a_fact_stands_behind_those_of_the_same_thing(project: Path) -> None:
    plan = fact(project, FACT)
    assert carry_out(project, plan) == ["added to references/facts.toml"]
    head, tail = FACTS.split("\n# ---")
    new = (
        '[facts."wire.delay"]\nvalue = "3e-6"\nunit = "s"\ncitation = "PAGE"\n'
        'kind = "third-party-measurement"\nconditions = "one way"\nconditions_by = "author"\n'
    )
    assert text(project, "facts") == f"{head}\n{new}\n# ---{tail}"
    assert text(project, "citations") == CITATIONS
    assert str(registry_of(project).facts["wire.delay"].value) == "0.000003"


def test_a_fact_of_a_new_thing_comes_last(project: Path) -> None:
    carry_out(project, fact(project, NewFact("more.size", "8", "B", "NOTE", "convention")))
    assert text(project, "facts").startswith(f'{FACTS}\n[facts."more.size"]\n')


def test_a_new_citation_stands_behind_those_of_its_source(project: Path) -> None:
    cited = NewCitation(Evidence.RECORDED, 'said "so"', source="page", date="2026-02-03")
    new = NewFact("clock.drift", "1", "1", "PAGE-2", "convention")
    assert carry_out(project, fact(project, new, cited)) == [
        "added to references/citations.toml",
        "added to references/facts.toml",
    ]
    head, tail = CITATIONS.split("\n# ---")
    added = (
        '[citations.PAGE-2]\nclaim = \'said "so"\'\nsource = "page"\n'
        'evidence = "recorded"\ndate = 2026-02-03\n'
    )
    assert text(project, "citations") == f"{head}\n{added}\n# ---{tail}"


def test_evidence_is_dated_today_unless_it_was_not_read(project: Path) -> None:
    for evidence, dated in ((Evidence.RECORDED, True), (Evidence.AUTHOR_NOTE, False)):
        source = "page" if dated else ""
        plan = fact(
            project,
            NewFact("clock.drift", "1", "1", "NEW", "convention"),
            NewCitation(evidence, "a claim", source=source),
        )
        assert (
            "\ndate = 20" in plan.edits["references/citations.toml"].after.split("NEW")[1][:120]
        ) is dated


NAMES = st.from_regex(r"[a-c]\.[a-z]{1,3}", fullmatch=True)


@given(st.lists(NAMES, unique=True, max_size=6), NAMES, st.booleans())
def test_the_file_keeps_every_line_and_gains_the_entry(
    names: list[str], name: str, comments: bool
) -> None:
    note = "# about the next\n" if comments else ""
    before = "".join(f'{note}[facts."{n}"]\nvalue = "1"\n\n' for n in names if n != name)
    new = entry("facts", name, {"value": "2"})
    after = inserted(before, "facts", new, lambda other: other[0] == name[0])
    assert after.count(new) == 1
    rest = [line for line in after.replace(new, "").split("\n") if line]
    assert rest == [line for line in before.split("\n") if line]
    facts = tomllib.loads(after)["facts"]
    assert facts[name] == {"value": "2"}
    order = list(facts)
    same = [n for n in order if n[0] == name[0] and n != name]
    wanted = order.index(same[-1]) + 1 if same else len(order) - 1
    assert order.index(name) == wanted


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_a_quoted_text_reads_as_it_was(words: str) -> None:
    assert tomllib.loads(f"a = {quoted(words)}")["a"] == words


def test_patterns_are_written_as_they_are_read() -> None:
    assert quoted(r"^def (\d+)") == r"'^def (\d+)'"
    assert quoted("plain") == '"plain"'
    with pytest.raises(ScaffoldError, match="more than one line"):
        quoted("a\nb")
    with pytest.raises(ScaffoldError, match="date is a date such as"):
        entry("citations", "X", {"date": "today"}, dates=("date",))


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "cited", "message"),
    [
        (
            NewFact("wire.speed", "1", "1", "PAGE", "convention"),
            None,
            "a fact 'wire.speed' already",
        ),
        (NewFact("Wire", "1", "1", "PAGE", "convention"), None, "dotted lower case"),
        (NewFact("wire.x", "one", "1", "PAGE", "convention"), None, "not a decimal"),
        (NewFact("wire.x", "1", "GB", "PAGE", "convention"), None, "unit"),
        (NewFact("wire.x", "1", "1", "PAGES", "convention"), None, "PAGE"),
        (
            NewFact("wire.x", "1", "1", "PAGE", "convention"),
            NewCitation(Evidence.AUTHOR_NOTE, "x"),
            "a citation 'PAGE' already",
        ),
        (
            NewFact("wire.x", "1", "1", "NEW", "convention"),
            NewCitation(Evidence.RECORDED, "x", source="pag"),
            r"unknown source 'pag'.*page",
        ),
        (
            NewFact("wire.x", "1", "1", "NEW", "convention"),
            NewCitation(
                Evidence.PINNED, "x", source="page", path="a", lines=(1, 2), anchors=("a",)
            ),
            "artifact",
        ),
        (
            NewFact("wire.x", "1", "1", "NEW", "convention"),
            NewCitation(Evidence.PINNED, "x", source="page"),
            "has a path, lines and an anchor",
        ),
    ],
)
def test_what_the_registry_would_not_take_is_not_written(
    project: Path, new: NewFact, cited: NewCitation | None, message: str
) -> None:
    with pytest.raises(ScaffoldError, match=rf"(?s){message}"):
        fact(project, new, cited)
    assert text(project, "facts") == FACTS
    assert text(project, "citations") == CITATIONS


# --- the command ------------------------------------------------------------------------------


def test_the_command_asks_for_the_citation_and_its_evidence(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    answers = ["5e9", "B/s", "paper-report", "", "PAGE-2", "recorded", "it says so", "page"]
    done = CliRunner().invoke(new_command, ["fact", "wire.peak"], input="\n".join(answers) + "\n")
    assert done.exit_code == 0, done.output
    assert "PAGE-2 is a new citation (there are PAGE)" in done.output
    registry = registry_of(project)
    assert registry.facts["wire.peak"].citation == "PAGE-2"
    assert registry.citations["PAGE-2"].evidence is Evidence.RECORDED
    assert registry.citations["PAGE-2"].claim == "it says so"


def test_the_command_says_what_is_wrong(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    given_ = ["--value", "1", "--unit", "1", "--kind", "convention", "--conditions", ""]
    taken = CliRunner().invoke(new_command, ["fact", "wire.speed", *given_, "--citation", "PAGE"])
    assert taken.exit_code == 1
    assert "there is a fact 'wire.speed' already" in taken.output
    citation = ["--citation", "N", "--evidence", "recorded", "--claim", "x", "--source", "page"]
    lines = CliRunner().invoke(
        new_command, ["fact", "wire.x", *given_, *citation, "--lines", "one-two"]
    )
    assert lines.exit_code == 1
    assert "lines are such as 12-14" in lines.output
    assert text(project, "facts") == FACTS
