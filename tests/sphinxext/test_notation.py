"""Letters of formulas with meaning and unit, and the tables of units, prefixes and formats."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import symbols
from bookcode.numbers.format_table import TABLE
from bookcode.numbers.records import FormulaText, NumberRecord
from bookcode.sphinxext.notation import SPECIMENS, WORDS
from bookcode.sphinxext.notation_symbols import (
    Letter,
    NotationError,
    declared,
    letters,
    shared,
    unit_of,
)

KNOWN = {("d", "width"): "1", ("b", "bytes"): "B", (r"\pi", "peak"): "FLOP/s"}


def record(key: str, *used: tuple[str, str], where: tuple[tuple[str, str, str], ...] = ()) -> Any:
    formula = FormulaText(
        "x", "1", [list(one) for one in where], [[latex, meaning, "8"] for latex, meaning in used]
    )
    return NumberRecord(key=key, line=1, value="1", unit="1", spec="sig3", formula=formula)


def word(key: str) -> NumberRecord:
    return NumberRecord(key=key, line=1, value="compute", unit="word", spec="word")


# declarations -------------------------------------------------------------------------------------
def test_what_is_read_as_text_is_what_the_ledger_declares() -> None:
    known = declared()
    made = [
        part
        for one in vars(symbols).values()
        for part in get_args(one)
        if isinstance(part, symbols.Symbol)
    ]
    assert len(made) > 20
    for symbol in made:
        assert known[symbol.latex, symbol.meaning] == symbol.unit


def test_fields_of_tables_are_declarations_too() -> None:
    from bookcode.ledger.machines import Machine

    marked = {
        field.metadata["symbol"]
        for field in Machine.__dataclass_fields__.values()
        if "symbol" in field.metadata
    }
    assert marked
    for symbol in marked:
        assert declared()[symbol.latex, symbol.meaning] == symbol.unit


def test_an_edit_of_a_declaration_is_seen_and_two_units_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('M = Symbol("M", "1", "rows")\n', "utf-8")
    assert declared(tmp_path) == {("M", "rows"): "1"}
    (tmp_path / "two.py").write_text('N = quantity("N", "B", "bytes")\n', "utf-8")
    assert declared(tmp_path) == {("M", "rows"): "1", ("N", "bytes"): "B"}
    (tmp_path / "two.py").write_text('\nN = quantity("M", "B", "rows")\n', "utf-8")
    with pytest.raises(NotationError, match=r"two\.py:2: M \(rows\) has the unit 'B'.*'1'"):
        declared(tmp_path)


def test_calls_that_are_no_declaration_are_left_alone(tmp_path: Path) -> None:
    text = 'a = Symbol("M", "1")\nb = Symbol(x, "1", "rows")\nc = other("M", "1", "rows")\n'
    (tmp_path / "one.py").write_text(text + 'd = m.Symbol("M", "1", "rows")\n', "utf-8")
    assert declared(tmp_path) == {}


@pytest.mark.parametrize(
    ("latex", "meaning", "unit"),
    [
        ("d", "width", "1"),
        ("b_{g}", "bytes", "B"),
        (r"\pi_{\mathrm{vector}}", "peak", "FLOP/s"),
        ("b_s", "bytes", "B"),
    ],
)
def test_a_subscript_does_not_change_the_unit(latex: str, meaning: str, unit: str) -> None:
    assert unit_of(latex, meaning, KNOWN) == unit


@pytest.mark.parametrize(("latex", "meaning"), [("d", "bytes"), ("q", "width"), ("d", "widths")])
def test_a_letter_that_is_not_declared_is_an_error(latex: str, meaning: str) -> None:
    with pytest.raises(NotationError, match=rf"no symbol {latex} with the meaning '{meaning}'"):
        unit_of(latex, meaning, KNOWN)
    with pytest.raises(NotationError, match="did you mean width"):
        unit_of("d", "widht", KNOWN)


# letters ------------------------------------------------------------------------------------------
def test_letters_are_counted_once_a_formula_and_keys_are_no_letters() -> None:
    found = letters(
        [
            record("a", ("d", "width"), ("b_{g}", "bytes")),
            record("b", ("d", "width"), (r"\text{a.key}", "published number a.key")),
            record("c", (r"\pi", "peak"), where=(("W", "d b", "their product"),)),
            word("d"),
        ],
        KNOWN,
    )
    assert found == [
        Letter("b_{g}", "bytes", "B", "", 1),
        Letter("d", "width", "1", "", 2),
        Letter("W", "their product", "", "d b", 1),
        Letter(r"\pi", "peak", "FLOP/s", "", 1),
    ]


def test_one_letter_with_two_meanings_is_listed_with_both() -> None:
    known = {("d", "width"): "1", ("d", "depth"): "1", ("b", "bytes"): "B"}
    found = letters(
        [
            record("a", ("d", "width"), ("b", "bytes")),
            record("b", ("d_{v}", "depth"), ("b_{g}", "bytes")),
        ],
        known,
    )
    assert {base: [one.latex for one in ones] for base, ones in shared(found).items()} == {
        "d": ["d", "d_{v}"]
    }


@given(st.permutations([("d", "width"), ("b", "bytes"), (r"\pi", "peak")]))
def test_the_order_of_records_does_not_matter(used: list[tuple[str, str]]) -> None:
    one_by_one = [record(str(i), entry) for i, entry in enumerate(used)]
    assert [one.latex for one in letters(one_by_one, KNOWN)] == ["b", "d", r"\pi"]


# tables -------------------------------------------------------------------------------------------
def test_every_kind_of_format_has_words_and_an_example() -> None:
    assert set(SPECIMENS) == set(TABLE["kinds"])
    for kind, (spec, unit, _) in SPECIMENS.items():
        assert kind in WORDS
        assert re.fullmatch(rf"{kind}\d*(:\w+)?", spec)
        assert unit in TABLE["units"]


def test_all_words_are_there_in_both_languages() -> None:
    for key, texts in WORDS.items():
        assert set(texts) == {"en", "zh"}, key
        assert re.findall(r"\{\w+\}", texts["en"]) == re.findall(r"\{\w+\}", texts["zh"])


PAGE = """\
# Tables

```{toctree}
one/index
two/index
```

:::{symbols-table}
:::
:::{shared-symbols}
:::
:::{units-table}
:::
:::{prefixes-table}
:::
:::{formats-table}
:::
"""


@pytest.mark.parametrize("book", ["source-tables"], indirect=True)
def test_the_tables_of_a_page(book: Any) -> None:
    book.write("book/index.md", PAGE)
    built = book.build()
    assert (built.status, [str(p) for p in built.problems]) == (0, [])
    found = rows(built.raw("index"))
    for letter, meaning in (
        ("M", "rows of A and of C"),
        ("N", "columns of B and of C"),
        ("K", "columns of A, rows of B"),
    ):
        assert [letter, meaning, "a pure number", "1"] in found
    assert ["–", "no letter stands for two things"] in found
    assert ["B", "k, M, G, T, P; when asked for: Ki, Mi, Gi", "sig4", "123.5 MB"] in found
    assert ["Gi", "230", "binary, only when asked for, only for bytes"] in found
    assert ["ratio3", "a factor", "2.67×"] in found
    names = [row[0] for row in found]
    for unit in TABLE["units"]:
        assert ("a pure number" if unit == "1" else unit) in names
    # another formula on another page: the table follows without its page being read again
    call = "product, m=8, n=8, k=8)"
    book.edit("book/one/index.md", call, f'{call}\nbook.publish("couples", pairs, n=4)')
    book.edit("book/one/index.md", "import product", "import pairs, product")
    again = rows(book.build().raw("index"))
    assert ["N", "columns of B and of C", "a pure number", "2"] in again
    definitions = [row for row in again if row[0] == "W"]
    assert definitions[0][2] == "follows from its definition"
    assert ["W", "W: unordered pairs; set upright, a unit"] in definitions


def rows(page: str) -> list[list[str]]:
    """The cells of all rows as text, formulas without their source."""
    page = re.sub(r"<annotation.*?</annotation>", "", page, flags=re.DOTALL)
    return [
        [
            " ".join(html.unescape(re.sub(r"<[^>]+>", "", cell)).split())
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    ]
