"""Where things are shown, and what a chapter rests on, from pages made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bookcode.numbers.records import ClaimRecord, FigureRecord, NumberRecord, Record
from bookcode.sources import Registry
from bookcode.sphinxext.state import Page, Placed, Use
from bookcode.sphinxext.survey import Spot, Survey, facts_behind

REGISTRY = Registry.load(Path(__file__).parents[2] / "references")
A = Spot("one/index", "a", "A")
B = Spot("one/more", "b", "B")
C = Spot("two/index", "c", "C")


def number(key: str, **fields: Any) -> NumberRecord:
    return NumberRecord(key, 1, value="1", unit="1", spec="sig3", **fields)


def use(role: str, key: str, spot: Spot) -> tuple[str, Use]:
    return spot.docname, Use(role, key, "", 1, "body", spot.anchor, spot.title)


def survey(records: dict[str, list[Record]], *uses: tuple[str, Use]) -> Survey:
    pages = {name: Page() for name in ("index", "one/index", "one/more", "two/index")}
    for docname, published in records.items():
        pages[docname].records = [Placed(record, 1) for record in published]
    for docname, shown in uses:
        pages[docname].uses.append(shown)
    return Survey(pages)


def test_chapters_are_folders_and_the_front() -> None:
    assert survey({}).chapters() == ["front", "one", "two"]


def test_numbers_are_counted_per_section() -> None:
    found = survey({}, use("num", "n", A), use("num", "n", A), use("formula", "n", C))
    assert found.spots("num", "n") == {A: 2, C: 1}
    assert found.spots("num", "m") == {}


def test_a_verdict_and_a_figure_show_what_they_are_made_of() -> None:
    claim = ClaimRecord("big", 1, True, {"en": ["above {limit:sig2}"]}, "", uses=["n"])
    figure = FigureRecord("f", 1, "<svg/>", {"en": "up to {m}"}, {"en": "{wire.speed}"}, ["n"])
    found = survey({"one/index": [claim, figure]}, use("holds", "big", A), use("figure", "f", B))
    assert found.spots("num", "n") == {A: 1, B: 1}
    assert found.spots("num", "limit") == {A: 1}
    assert found.spots("num", "m") == {B: 1}
    assert found.spots("fact", "wire.speed") == {B: 1}
    assert found.spots("holds", "big") == {A: 1}


def test_a_chapter_s_numbers_come_from_its_pages() -> None:
    found = survey({"one/index": [number("n")], "one/more": [number("m")], "two/index": []})
    assert [record.key for record in found.numbers("one")] == ["n", "m"]
    assert found.numbers("two") == []


def test_a_number_rests_on_its_facts_and_those_of_its_rows_once() -> None:
    record = number("n", facts=["a", "b"], grounds={"machine x": ["b", "c"], "model y": ["c"]})
    assert facts_behind(record) == ["a", "b", "c"]


def test_a_chapter_rests_on_what_it_cites_shows_and_calculates_with() -> None:
    grounds = {"machine h200": ["h200.recorded.burst"]}
    found = survey(
        {
            "one/index": [number("n", grounds=grounds), number("m", facts=["launch.overhead"])],
            "two/index": [number("other", facts=["fa2.share"])],
        },
        use("src", "T4", A),
        use("src", "T4", B),
        use("fact", "h200.recorded.hbm", A),
        use("src", "S1", C),
        use("src", "no-such-id", A),
        use("fact", "no.such.fact", A),
    )
    relied = found.relied_on("one", REGISTRY)
    assert list(relied) == [k for k in REGISTRY.citations if k in relied]
    assert set(relied) == {"T4", "R2-git-c9d41af8", "F-LAUNCH"}
    assert relied["T4"].spots == {A: 1, B: 1}
    assert relied["T4"].facts == []
    calibration = relied["R2-git-c9d41af8"]
    assert set(calibration.facts) == {"h200.recorded.hbm", "h200.recorded.burst"}
    assert calibration.spots == {A: 1}
    assert calibration.numbers == {"n"}
    assert relied["F-LAUNCH"].numbers == {"m"}
    assert set(found.relied_on("two", REGISTRY)) == {"S1", "R11"}
    assert found.relied_on("front", REGISTRY) == {}
