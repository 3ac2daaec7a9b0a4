"""Places labels beside points so that they cover neither each other nor the drawing.

Pixels in, pixels out; no matplotlib needed. Places near the point are tried first, then places
further away; the one with the least overlap wins, and of equal ones the nearest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Pair = tuple[float, float]
GAP = 6.0
"""Points between a mark's centre and a label right beside it."""
CLEAR = 3.0
"""How many times further than from lines a label keeps from marks: it must not seem theirs."""
DISTANCES = (0.0, 8.0, 16.0, 26.0, 38.0, 52.0, 68.0, 86.0)
"""How much further away a label may go, in points."""
DIRECTIONS = 16


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """The common area."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)

    def holds(self, point: Pair, margin: float) -> bool:
        """Whether the point lies inside or within ``margin`` of the box."""
        inside_x = self.left - margin <= point[0] <= self.right + margin
        return inside_x and self.bottom - margin <= point[1] <= self.top + margin


@dataclass
class Obstacles:
    """What labels must not cover: boxes (other labels), points of lines, and marks."""

    boxes: list[Box] = field(default_factory=list)
    points: list[Pair] = field(default_factory=list)
    marks: list[Pair] = field(default_factory=list)
    leaders: list[tuple[Pair, Pair]] = field(default_factory=list)

    def add_box(self, extent: Any) -> None:
        """A box, or anything with x0, y0, x1, y1."""
        if not isinstance(extent, Box):
            extent = Box(extent.x0, extent.y0, extent.x1, extent.y1)
        self.boxes.append(extent)

    def add_point(self, point: Any) -> None:
        """A point of a line."""
        self.points.append((float(point[0]), float(point[1])))

    def add_mark(self, point: Any) -> None:
        """The middle of a mark."""
        self.marks.append((float(point[0]), float(point[1])))

    def add_line(self, start: Any, end: Any, step: float = 4.0) -> None:
        """A straight line, as points ``step`` apart."""
        count = max(1, math.ceil(math.dist(start, end) / step))
        for index in range(count + 1):
            part = index / count
            self.add_point([a + (b - a) * part for a, b in zip(start, end, strict=True)])

    def cost(self, box: Box, margin: float) -> float:
        """How much of them the box covers; zero for a free place."""
        covered = sum(1.0 for point in self.points if box.holds(point, margin))
        covered += sum(1.0 for point in self.marks if box.holds(point, CLEAR * margin))
        return covered + sum(1.0 + box.overlap(b) for b in self.boxes if box.overlap(b) > 0)

    def crossed(self, start: Pair, end: Pair, margin: float) -> float:
        """How many boxes, leaders and marks a straight line meets; not the mark at its start."""
        line = Obstacles()
        line.add_line(start, end, step=2.0)
        boxes = sum(any(box.holds(p, 0.0) for p in line.points) for box in self.boxes)
        others = [m for m in self.marks if math.dist(m, start) > margin]
        marks = sum(any(math.dist(m, p) < margin for p in line.points) for m in others)
        leaders = sum(_cross(start, end, *leader) for leader in self.leaders)
        return float(boxes + marks + leaders)


@dataclass(frozen=True)
class Shift:
    """Where a label goes, relative to its point.

    Attributes:
        dx, dy: of the label's centre. edge_x, edge_y: of the label's edge nearest to the point.
        far: whether a leader is needed.
    """

    dx: float
    dy: float
    edge_x: float
    edge_y: float
    far: bool


def place(
    obstacles: Obstacles, point: Pair, size: Pair, frame: Any, scale: float, towards: float
) -> Shift:
    """The best place of a label of ``size`` at ``point`` inside ``frame``; it becomes an obstacle.

    ``scale`` is pixels per point; ``towards`` is the direction to try first, in degrees.
    """
    inner = Box(frame.x0, frame.y0, frame.x1, frame.y1)
    area = size[0] * size[1]
    best: tuple[float, Shift, Box] | None = None
    for shift in _candidates(size, scale, towards):
        box = _box(point, size, shift)
        outside = area - box.overlap(inner)
        cost = obstacles.cost(box, 1.5 * scale) + outside
        if shift.far:
            edge = point[0] + shift.edge_x, point[1] + shift.edge_y
            cost += obstacles.crossed(point, edge, 4 * scale)
        if best is None or cost < best[0] - 1e-9:
            best = (cost, shift, box)
        if cost <= 0:
            break
    assert best is not None
    _, shift, box = best
    obstacles.add_box(box)
    if shift.far:
        obstacles.leaders.append((point, (point[0] + shift.edge_x, point[1] + shift.edge_y)))
    return shift


def _cross(a: Pair, b: Pair, c: Pair, d: Pair) -> bool:
    """Whether the segments ab and cd cross."""
    return _side_of(a, b, c) != _side_of(a, b, d) and _side_of(c, d, a) != _side_of(c, d, b)


def _side_of(start: Pair, end: Pair, point: Pair) -> bool:
    """Whether the point lies left of the line from start to end."""
    across = (end[0] - start[0]) * (point[1] - start[1])
    return across > (end[1] - start[1]) * (point[0] - start[0])


def _candidates(size: Pair, scale: float, towards: float) -> Iterator[Shift]:
    """Places, nearest first; of those the ones that lie in the wanted direction."""
    turns = sorted(range(DIRECTIONS), key=lambda i: (min(i, DIRECTIONS - i), i))
    for distance in DISTANCES:
        reach = (GAP + distance) * scale
        for turn in turns:
            angle = math.radians(towards) - 2 * math.pi * turn / DIRECTIONS
            x, y = math.cos(angle), math.sin(angle)
            edge_x, edge_y = reach * x, reach * y
            dx = edge_x + size[0] / 2 * _side(x)
            dy = edge_y + size[1] / 2 * _side(y)
            yield Shift(dx, dy, edge_x, edge_y, distance > 0)


def _side(part: float) -> float:
    """-1, 0 or 1: on which side of the point a label lies; a slight tilt counts as none."""
    return 0.0 if abs(part) < 0.3 else math.copysign(1.0, part)


def _box(point: Pair, size: Pair, shift: Shift) -> Box:
    x, y = point[0] + shift.dx, point[1] + shift.dy
    return Box(x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2)
