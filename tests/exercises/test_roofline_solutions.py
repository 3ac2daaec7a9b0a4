"""The solutions of the roofline's exercises: against the ledger's search, and against a clock."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import pytest

from bookcode.exercises import bandwidth, tiles
from bookcode.ledger import DTYPES, MACHINES, LedgerError
from bookcode.ledger.tile_search import search
from bookcode.ledger.tiling import required_bandwidth

H100 = MACHINES["h100"]


@pytest.mark.parametrize("name", ["fp16", "fp8"])
def test_the_solution_finds_what_the_ledger_finds(name: str) -> None:
    dtype = DTYPES[name]
    theirs = [t for t in search(H100, tiles.SIDES, [tiles.DEPTH], dtype=dtype) if t.fits]
    mine = sorted(tiles.fitting(H100, dtype), key=lambda t: (-t.intensity, -t.stages, t.rows))
    assert [(t.rows, t.columns, t.stages) for t in mine] == [(t.m, t.n, t.stages) for t in theirs]
    assert [t.intensity for t in mine] == [t.intensity for t in theirs]
    peak = H100.peak(dtype, "tensor")
    for tile in mine:
        asked = required_bandwidth(peak, tile.rows, tile.columns, dtype=dtype)
        assert tile.asked == asked


def test_the_best_tiles_by_hand() -> None:
    half, quarter = (tiles.best(H100, DTYPES[name]) for name in ("fp16", "fp8"))
    assert (half.rows, half.columns, half.stages, half.intensity) == (192, 320, 3, 120)
    assert (quarter.rows, quarter.columns, quarter.stages, quarter.intensity) == (192, 320, 7, 240)
    assert half.asked == quarter.asked == Fraction("989.5e12") / 120


def test_more_stages_leave_smaller_tiles() -> None:
    assert tiles.best(H100, DTYPES["fp16"], least_stages=4).intensity < 120
    with pytest.raises(LedgerError, match="no tile has 99 stages"):
        tiles.best(H100, DTYPES["fp16"], least_stages=99)


def test_the_search_prints_both_types(capsys: pytest.CaptureFixture[str]) -> None:
    assert tiles.main(["--stages", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["fp16", "fp8"]
    assert "192 x 256, 4 stages" in lines[0]


@pytest.mark.parametrize(
    "arguments", [["--machine", "h1000"], ["--stages", "99"], ["--machine", "a100"]]
)
def test_the_search_refuses_what_it_cannot_do(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        tiles.main(arguments)
    assert caught.value.code == 2
    assert "error" in capsys.readouterr().err


def ticking(*durations: float) -> Iterator[float]:
    """A clock that gives start and end of each copy."""
    now = 0.0
    for duration in durations:
        yield now
        now += duration
        yield now


def test_the_best_copy_counts_and_a_copy_moves_each_byte_twice() -> None:
    ticks = ticking(0.5, 0.25, 1.0)
    rate = bandwidth.copy_rate(1000, repeats=3, clock=lambda: next(ticks))
    assert rate == 2 * 8 * 1000 / 0.25
    assert list(itertools.islice(ticks, 1)) == []


def test_a_real_copy_has_a_rate(capsys: pytest.CaptureFixture[str]) -> None:
    assert bandwidth.main(["--sizes", "1000", "100000", "--repeats", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(float(line.split()[-2]) > 0 for line in lines)


@pytest.mark.parametrize("arguments", [["--repeats", "0"], ["--sizes", "0"]])
def test_nothing_to_copy_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        bandwidth.main(arguments)
    assert caught.value.code == 2
    assert "at least one" in capsys.readouterr().err
