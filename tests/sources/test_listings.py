"""The lists in our own words: what they must have, and the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from bookcode.sources import RegistryError
from bookcode.sources.listings import (
    ERRATA,
    MISSING,
    Urgency,
    load_errata,
    load_missing,
)

ROOT = Path(__file__).parents[2]


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder


def test_an_erratum_has_a_statement_a_correction_and_evidence(tmp_path: Path) -> None:
    text = '[errata.a]\nstatement = "It was."\ncorrection = "It is."\nevidence = "{src}`X`"\n'
    (erratum,) = load_errata(write(tmp_path, ERRATA, text))
    assert (erratum.id, erratum.statement, erratum.correction) == ("a", "It was.", "It is.")
    assert erratum.at.line == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[errata.a]\nstatement = "x"\nevidence = "{src}`X`"\n', "errata.toml:1: a: 'correction'"),
        (
            '[errata.a]\nstatement = "x"\ncorrection = "y"\nevidence = "a book"\n',
            "'evidence' names no citation",
        ),
        (
            '[errata.a]\nstatement = "x"\ncorrection = "y"\nevidence = "{src}`X`"\nproof = "z"\n',
            "errata.toml:5: a: unknown field 'proof'",
        ),
        ("[erata.a]\n", "unknown table 'erata'"),
        ("[errata.a\n", "not TOML"),
        (None, "no such file"),
    ],
)
def test_a_bad_erratum_is_named_with_its_line(
    tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        write(tmp_path, ERRATA, text)
    with pytest.raises(RegistryError) as raised:
        load_errata(tmp_path)
    assert message in str(raised.value)


def test_the_urgent_ones_come_first(tmp_path: Path) -> None:
    text = "".join(
        f'[missing.{name}]\nwhat = "x"\nwhy = "y"\nurgency = "{name}"\n'
        for name in ("minor", "urgent", "useful")
    )
    found = load_missing(write(tmp_path, MISSING, text))
    assert [record.urgency for record in found] == list(Urgency)


def test_an_unknown_urgency_is_refused(tmp_path: Path) -> None:
    text = '[missing.a]\nwhat = "x"\nwhy = "y"\nurgency = "urgend"\n'
    with pytest.raises(RegistryError, match=r"open-sources\.toml:4: a: unknown urgency 'urgend'"):
        load_missing(write(tmp_path, MISSING, text))


def test_the_real_lists_load_and_say_something() -> None:
    errata, missing = load_errata(ROOT / "references"), load_missing(ROOT / "references")
    assert len(errata) > 20
    assert len(missing) > 10
    for erratum in errata:
        assert erratum.statement.endswith(".")
        assert erratum.correction.endswith(".")
    assert {record.urgency for record in missing} == set(Urgency)
