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
    """What labels must not cover: boxes (other labels) and points (marks, lines, arrows)."""

    boxes: list[Box] = field(default_factory=list)
    points: list[Pair] = field(default_factory=list)

    def add_box(self, extent: Any) -> None:
        """A box, or anything with x0, y0, x1, y1."""
        if not isinstance(extent, Box):
            extent = Box(extent.x0, extent.y0, extent.x1, extent.y1)
        self.boxes.append(extent)

    def add_point(self, point: Any) -> None:
        """A point."""
        self.points.append((float(point[0]), float(point[1])))

    def add_line(self, start: Any, end: Any, step: float = 4.0) -> None:
        """A straight line, as points ``step`` apart."""
        count = max(1, math.ceil(math.dist(start, end) / step))
        for index in range(count + 1):
            part = index / count
            self.add_point([a + (b - a) * part for a, b in zip(start, end, strict=True)])

    def cost(self, box: Box, margin: float) -> float:
        """How much of them the box covers; zero for a free place."""
        covered = sum(1.0 for point in self.points if box.holds(point, margin))
        return covered + sum(1.0 + box.overlap(b) for b in self.boxes if box.overlap(b) > 0)


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


def place(obstacles: Obstacles, point: Pair, size: Pair, frame: Any, scale: float) -> Shift:
    """The best place of a label of ``size`` at ``point`` inside ``frame``; it becomes an obstacle.

    ``scale`` is pixels per point.
    """
    inner = Box(frame.x0, frame.y0, frame.x1, frame.y1)
    area = size[0] * size[1]
    best: tuple[float, Shift, Box] | None = None
    for shift in _candidates(size, scale):
        box = _box(point, size, shift)
        outside = area - box.overlap(inner)
        cost = obstacles.cost(box, 1.5 * scale) + outside
        if best is None or cost < best[0] - 1e-9:
            best = (cost, shift, box)
        if cost <= 0:
            break
    assert best is not None
    obstacles.add_box(best[2])
    return best[1]


def _candidates(size: Pair, scale: float) -> Iterator[Shift]:
    """Places, nearest first; to the right and below before above and to the left."""
    turns = sorted(range(DIRECTIONS), key=lambda i: (min(i, DIRECTIONS - i), i))
    for distance in DISTANCES:
        reach = (GAP + distance) * scale
        for turn in turns:
            angle = -2 * math.pi * turn / DIRECTIONS
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
