"""The search over tiles, against the rules written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.ledger import MACHINES
from bookcode.ledger.errors import MissingFactError
from bookcode.ledger.tile_search import LEAST_STAGES, search, tile_on

H100 = MACHINES["h100"]
KIB = 1024
SIDES = st.sampled_from([16, 32, 64, 96, 128, 192, 256, 320, 512])
DEPTHS = st.sampled_from([16, 32, 64, 128, 256])


@pytest.mark.parametrize(
    ("sides", "stages", "limit"),
    [
        ((128, 128, 64), 7, ""),
        ((128, 256, 64), 4, ""),
        ((128, 256, 128), 2, ""),
        ((128, 256, 256), 1, "shared memory"),
        ((192, 256, 64), 4, ""),
        ((256, 256, 64), 3, "registers"),  # the sums would take the whole file
        ((512, 512, 128), 0, "registers"),  # fits nowhere
    ],
)
def test_tiles_by_hand(sides: tuple[int, int, int], stages: int, limit: str) -> None:
    tile = tile_on(H100, *sides)
    assert (tile.stages, tile.limit) == (stages, limit)
    assert tile.fits is (limit == "")


@given(m=SIDES, n=SIDES, k=DEPTHS)
def test_a_tile_fits_if_and_only_if_both_stores_have_room(m: int, n: int, k: int) -> None:
    tile = tile_on(H100, m, n, k)
    stage = 2 * k * (m + n)
    assert tile.stages * stage <= 227 * KIB < (tile.stages + 1) * stage
    assert tile.fits is (4 * m * n < 256 * KIB and LEAST_STAGES * stage <= 227 * KIB)
    assert tile.intensity * (m + n) == m * n
    mirror = tile_on(H100, n, m, k)
    assert (mirror.intensity, mirror.limit) == (tile.intensity, tile.limit)


def test_the_search_is_sorted_and_leaves_mirror_images_out() -> None:
    found = search(H100, [128, 64, 256], [64, 32])
    assert len(found) == 6 * 2
    assert all(tile.m <= tile.n for tile in found)
    assert [t.intensity for t in found] == sorted((t.intensity for t in found), reverse=True)
    best = next(tile for tile in found if tile.fits)
    assert (best.m, best.n, best.k) == (128, 256, 32)
    assert best.stages == 9


def test_a_machine_without_the_facts_is_refused() -> None:
    with pytest.raises(MissingFactError, match="shared-block"):
        tile_on(MACHINES["a100"], 128, 128, 64)
