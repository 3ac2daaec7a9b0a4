"""The list of equivalents: read strictly, applied to survivors only, never stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.mutants import Equivalents, Mutant, MutantsError, Verdict

ROOT = Path(__file__).parents[2]
GOOD = """
[[equivalent]]
kind = "ledger"
name = "x.py::f: a * b → a / b"
reason = "b is always 1"

[[equivalent]]
kind = "lock"
name = "*/functions/*"
reason = "hashes only explain"
"""


def read(tmp_path: Path, text: str) -> Equivalents:
    path = tmp_path / "mutants.toml"
    path.write_text(text, "utf-8")
    return Equivalents.read(path)


def verdict(kind: str, name: str, outcome: str = "survived") -> Verdict:
    return Verdict(Mutant(kind, name, "x.py", 1, 1, "w"), outcome)  # type: ignore[arg-type]


def test_a_listed_survivor_is_equivalent_with_its_reason(tmp_path: Path) -> None:
    equivalents = read(tmp_path, GOOD)
    one = equivalents.judge(verdict("ledger", "x.py::f: a * b → a / b"))
    assert (one.outcome, one.detail) == ("equivalent", "b is always 1")
    assert equivalents.judge(verdict("lock", "l.json: y/functions/z")).outcome == "equivalent"
    equivalents.check_stale([])


@pytest.mark.parametrize(
    ("kind", "name", "outcome"),
    [
        ("ledger", "x.py::f: a * b → a / b", "killed"),
        ("ledger", "x.py::f: a * b → a / b #2", "survived"),
        ("fact", "x.py::f: a * b → a / b", "survived"),
        ("lock", "l.json: numbers/z", "survived"),
    ],
)
def test_others_are_left_as_they_are(tmp_path: Path, kind: str, name: str, outcome: str) -> None:
    assert read(tmp_path, GOOD).judge(verdict(kind, name, outcome)).outcome == outcome


def test_a_star_is_text_and_brackets_are_not(tmp_path: Path) -> None:
    text = GOOD.replace("*/functions/*", "l.json: a[0]*")
    equivalents = read(tmp_path, text)
    assert equivalents.judge(verdict("lock", "l.json: a[0]/b")).outcome == "equivalent"
    assert equivalents.judge(verdict("lock", "l.json: a0/b")).outcome == "survived"


def test_an_entry_for_a_killed_mutant_is_stale(tmp_path: Path) -> None:
    equivalents = read(tmp_path, GOOD)
    killed = Verdict(Mutant("ledger", "x.py::f: a * b → a / b", "x.py", 1, 1, ""), "killed", "lock")
    with pytest.raises(MutantsError, match=r"mutants.toml:2: stale .* is killed \(lock\)"):
        equivalents.check_stale([killed])


def test_an_entry_for_nothing_is_stale_and_the_nearest_is_named(tmp_path: Path) -> None:
    equivalents = read(tmp_path, GOOD)
    other = verdict("ledger", "x.py::f: a * c → a / c", "killed")
    with pytest.raises(MutantsError, match="no such mutant; did you mean"):
        equivalents.check_stale([other])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[equivalent]]\nkind = "lock"\nname = "x"', "mutants.toml:1: reason must be a text"),
        ('\n[[equivalent]]\nkind = "lock"\nname = "x"\nreason = " "', "2: reason must be"),
        ('[[equivalent]]\nkind="k"\nname="x"\nreason="r"\nresaon="r"', "did you mean reason"),
        ("[[equivalent]", "mutants.toml"),
    ],
)
def test_a_bad_file_is_an_error_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(MutantsError, match=said):
        read(tmp_path, text)


def test_no_file_is_an_empty_list(tmp_path: Path) -> None:
    assert Equivalents.read(tmp_path / "none.toml").entries == []


def test_the_list_of_the_project_can_be_read_and_gives_reasons() -> None:
    entries = Equivalents.read(ROOT / "references" / "mutants.toml").entries
    assert entries
    assert all(len(entry.reason.split()) > 3 for entry in entries)
    assert len({(entry.kind, entry.name) for entry in entries}) == len(entries)
