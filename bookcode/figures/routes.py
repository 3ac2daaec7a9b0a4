"""Ways of arrows between boxes: corner points, in the units of the drawing, y downwards."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
OVERLAP = 12.0
"""How much two boxes must have in common for a straight arrow to run from one to the other."""


@dataclass(frozen=True)
class Frame:
    """Where a box stands."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> Point:
        """Its centre."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def along(start: Frame, end: Frame, x: float) -> list[Point]:
    """Round the outside, at ``x``: left or right of both boxes."""
    leaves = [f.left if x < f.left else f.right for f in (start, end)]
    (_, y0), (_, y1) = start.middle, end.middle
    return [(leaves[0], y0), (x, y0), (x, y1), (leaves[1], y1)]


def level(start: Frame, end: Frame) -> list[Point]:
    """Straight to a box on the left or on the right."""
    y = start.middle[1]
    if start.left < end.left:
        return [(start.right, y), (end.left, y)]
    return [(start.left, y), (end.right, y)]


def down(start: Frame, end: Frame, at: float, bend: float) -> list[Point]:
    """Down, or up, to a box of another row.

    Straight where the boxes stand one above the other, at the share ``at`` of their common width;
    else with corners ``bend`` before the end.
    """
    falls = start.top < end.top
    y0, y1 = (start.bottom, end.top) if falls else (start.top, end.bottom)
    low, high = max(start.left, end.left), min(start.right, end.right)
    if high - low > OVERLAP:
        x = low + (high - low) * at
        return [(x, y0), (x, y1)]
    x0, x1 = start.middle[0], end.middle[0]
    corner = y1 - bend if falls else y1 + bend
    return [(x0, y0), (x0, corner), (x1, corner), (x1, y1)]
