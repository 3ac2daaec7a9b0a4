"""The placing of labels: free places near the point, nothing covered, nothing crossed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookcode.figures.labels import GAP, Box, Obstacles, place

FRAME = Box(0.0, 0.0, 400.0, 400.0)
SIZE = (60.0, 12.0)


def placed(obstacles: Obstacles, point: tuple[float, float], towards: float = 0.0) -> Box:
    place(obstacles, point, SIZE, Frame, 1.0, towards)
    return obstacles.boxes[-1]


class Frame:
    """What matplotlib's bounding boxes look like."""

    x0, y0, x1, y1 = FRAME.left, FRAME.bottom, FRAME.right, FRAME.top


def test_a_label_without_neighbours_stands_right_beside_its_point() -> None:
    shift = place(Obstacles(), (200, 200), SIZE, Frame, 1.0, 0.0)
    assert (shift.dx, shift.dy, shift.far) == (GAP + SIZE[0] / 2, 0.0, False)


@pytest.mark.parametrize(("towards", "side"), [(90, "above"), (-90, "below"), (180, "left")])
def test_the_wanted_direction_is_tried_first(towards: float, side: str) -> None:
    box = placed(Obstacles(), (200, 200), towards)
    sides = {"above": box.bottom > 200, "below": box.top < 200, "left": box.right < 200}
    assert sides[side]


def test_at_the_edge_a_label_stays_inside_the_frame() -> None:
    box = placed(Obstacles(), (395, 200))
    assert box.right <= FRAME.right


def test_a_label_keeps_off_a_line_through_its_point() -> None:
    obstacles = Obstacles()
    obstacles.add_line((100, 100), (300, 300))
    box = placed(obstacles, (200, 200))
    assert not any(box.holds(point, 0.0) for point in obstacles.points)


def test_a_leader_goes_round_a_mark_and_a_label() -> None:
    ring = [Box(205, 195, 270, 215), Box(130, 195, 195, 215), Box(170, 205, 230, 225)]
    obstacles = Obstacles(boxes=[*ring], marks=[(200, 200), (200, 185)])
    shift = place(obstacles, (200, 200), SIZE, Frame, 1.0, -90.0)
    assert shift.far
    edge = (200 + shift.edge_x, 200 + shift.edge_y)
    others = Obstacles(boxes=ring, marks=[(200, 185)])
    assert others.crossed((200, 200), edge, 4.0) == 0


def test_leaders_do_not_cross() -> None:
    obstacles = Obstacles()
    obstacles.leaders.append(((190, 260), (260, 190)))
    assert obstacles.crossed((200, 200), (260, 260), 4.0) == 1
    assert obstacles.crossed((200, 200), (140, 140), 4.0) == 0


def test_where_everything_is_taken_the_least_covered_place_is_taken() -> None:
    obstacles = Obstacles(boxes=[Box(-500, -500, 900, 900)])
    box = placed(obstacles, (200, 200))
    assert box in obstacles.boxes[1:]


coordinates = st.tuples(st.integers(60, 340), st.integers(60, 340))


@given(st.lists(coordinates, min_size=1, max_size=6, unique=True))
def test_a_few_labels_never_cover_each_other(points: list[tuple[int, int]]) -> None:
    if any(math.dist(a, b) < 25 for i, a in enumerate(points) for b in points[:i]):
        points = points[:1]
    obstacles = Obstacles()
    for point in points:
        obstacles.add_mark(point)
    boxes = [placed(obstacles, (float(x), float(y))) for x, y in points]
    assert all(a.overlap(b) == 0 for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(b.overlap(FRAME) == pytest.approx(SIZE[0] * SIZE[1]) for b in boxes)
