"""Draws maps: boxes in rows, arrows between them, upright and narrow so that a phone can show them.

Words and shares in, a matplotlib figure out; the caller brings the numbers as shown texts. Text is
wrapped to its box, and rows grow with it, so that words in another language find room. Boxes and
arrows carry ids made of their keys ("node-forward", "edge-forward-backward").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from bookcode.figures.following import slug
from bookcode.figures.frame import blank
from bookcode.figures.roofline import COMPUTE, MEMORY
from bookcode.figures.routes import Frame, Point, along, down, level
from bookcode.figures.svg import INK
from bookcode.figures.wrapping import width_of, wrapped

WIDTH = 310.0
"""Points; narrow, so that a phone shows the text at a readable size."""
TEXT = 8.5
LINE = 11.0
PAD = 6.0
GAP, LABELLED_GAP = 15.0, 22.0
"""Room between two rows, for a bare arrow and for one with words."""
COLUMN_GAP = 14.0
MARGIN = 18.0
"""Room at a side for an arrow that runs along it."""
BAR = 3.5
LINK = "#8a63d2"
Tone = Literal["plain", "data", "memory", "compute", "link"]
COLOURS: Mapping[str, str] = {
    "plain": INK, "data": INK, "memory": MEMORY, "compute": COMPUTE, "link": LINK,
}  # fmt: skip
"""All have contrast on white and on black."""
Side = Literal["left", "right"]


class MapError(ValueError):
    """Boxes or arrows that cannot be drawn."""


@dataclass(frozen=True)
class Node:
    """A box.

    Attributes:
        key: names it in edges and ids.
        title, lines: its words; the title is bold.
        tone: "data" for what is stored or sent; a regime for what a machine waits for.
        width: relative to the other boxes of its row.
        share: of a whole, from 0 to 1, drawn as a bar along the foot of the box.
    """

    key: str
    title: str
    lines: tuple[str, ...] = ()
    tone: Tone = "plain"
    width: float = 1.0
    share: float | None = None


@dataclass(frozen=True)
class Space:
    """An empty place in a row."""

    width: float = 1.0


@dataclass(frozen=True)
class Edge:
    """An arrow between two boxes; ``side`` leads it along that side of the map.

    Attributes:
        at: where on the boxes' common width it stands, from 0 (left) to 1.
        both: with a head at either end.
    """

    start: str
    end: str
    label: str = ""
    side: Side | None = None
    at: float = 0.5
    both: bool = False


@dataclass(frozen=True)
class _Placed:
    node: Node
    row: int
    left: float
    right: float
    title: list[str]
    lines: list[str]
    top: float = 0.0
    bottom: float = 0.0

    @property
    def height(self) -> float:
        text = (len(self.title) + len(self.lines)) * LINE
        return text + 2 * PAD + (0.0 if self.node.share is None else BAR + 2)

    @property
    def frame(self) -> Frame:
        return Frame(self.left, self.top, self.right, self.bottom)


@dataclass
class _Drawing:
    axes: Any
    placed: dict[str, _Placed] = field(default_factory=dict)


def draw_map(rows: Sequence[Sequence[Node | Space]], edges: Sequence[Edge] = ()) -> Figure:
    """The figure: rows of boxes from top to bottom, and arrows.

    Raises:
        MapError: for an empty map or row, a key given twice, a share or width out of range, an
            arrow to a box that is not there.
    """
    _check(rows, edges)
    sides = {edge.side for edge in edges}
    left = 1.0 + (MARGIN if "left" in sides else 0.0)
    right = WIDTH - 1.0 - (MARGIN if "right" in sides else 0.0)
    gap = max(_column_gap(row, edges) for row in rows)
    placed = [p for i, row in enumerate(rows) for p in _across(row, i, left, right, gap)]
    drawing, height = _Drawing(None), 1.0
    for index in range(len(rows)):
        here = [p for p in placed if p.row == index]
        height += _gap_above(index, here, placed, edges)
        tallest = max((p.height for p in here), default=0.0)
        for p in here:
            drawing.placed[p.node.key] = replace(p, top=height, bottom=height + tallest)
        height += tallest
    height += 1.0
    figure = blank(WIDTH / 72, height / 72)
    drawing.axes = figure.add_axes((0, 0, 1, 1))
    drawing.axes.set_xlim(0, WIDTH)
    drawing.axes.set_ylim(height, 0)
    drawing.axes.set_axis_off()
    for p in drawing.placed.values():
        _draw_box(drawing, p)
    for edge in edges:
        _draw_edge(drawing, edge)
    return figure


def _check(rows: Sequence[Sequence[Node | Space]], edges: Sequence[Edge]) -> None:
    nodes = [node for row in rows for node in row if isinstance(node, Node)]
    if not nodes or not all(rows):
        raise MapError("a map needs boxes, and a box or a space in every row")
    keys = [node.key for node in nodes]
    for key in keys:
        if keys.count(key) > 1:
            raise MapError(f"box {key!r} is given twice")
    for node in nodes:
        if node.share is not None and not 0 <= node.share <= 1:
            raise MapError(f"box {node.key!r}: the share {node.share} is not between 0 and 1")
    if any(not item.width > 0 for row in rows for item in row):
        raise MapError("widths must be positive")
    for edge in edges:
        for key in (edge.start, edge.end):
            if key not in keys:
                raise MapError(f"an arrow leads to {key!r}, which is not among {sorted(keys)}")
        if edge.start == edge.end:
            raise MapError(f"an arrow leads from {edge.start!r} to itself")


# placing ----------------------------------------------------------------------------------------
def _column_gap(row: Sequence[Node | Space], edges: Sequence[Edge]) -> float:
    """The room between the boxes of a row: enough for the words at arrows between them."""
    keys = {item.key for item in row if isinstance(item, Node)}
    inside = [e.label for e in edges if e.label and e.side is None and {e.start, e.end} <= keys]
    return max([COLUMN_GAP, *(width_of(label, TEXT) + 8 for label in inside)])


def _across(
    row: Sequence[Node | Space], index: int, left: float, right: float, gap: float
) -> Iterable[_Placed]:
    """The boxes of a row side by side, with their text wrapped."""
    unit = (right - left - gap * (len(row) - 1)) / sum(item.width for item in row)
    x = left
    for item in row:
        end = x + unit * item.width
        if isinstance(item, Node):
            room = end - x - 2 * PAD
            title = wrapped(item.title, room, TEXT, bold=True)
            lines = [part for line in item.lines for part in wrapped(line, room, TEXT)]
            yield _Placed(item, index, x, end, title, lines)
        x = end + gap


def _gap_above(
    index: int, here: Sequence[_Placed], placed: Sequence[_Placed], edges: Sequence[Edge]
) -> float:
    """The room above a row: more of it where a label stands beside an arrow through it."""
    if index == 0:
        return 0.0
    row_of = {p.node.key: p.row for p in placed}
    gap = GAP
    for edge in edges:
        low, high = sorted((row_of[edge.start], row_of[edge.end]))
        if edge.label and edge.side is None and low < index <= high and high - low == 1:
            gap = max(gap, LABELLED_GAP)
    return gap


# drawing ----------------------------------------------------------------------------------------
def _draw_box(drawing: _Drawing, p: _Placed) -> None:
    tone, axes = p.node.tone, drawing.axes
    colour = COLOURS[tone]
    box = FancyBboxPatch(
        (p.left, p.top),
        p.right - p.left,
        p.bottom - p.top,
        boxstyle="round,pad=0,rounding_size=8" if tone == "data" else "round,pad=0,rounding_size=2",
        facecolor=(*_rgb(colour), 0.1) if tone not in ("plain", "data") else "none",
        edgecolor=colour,
        linewidth=0.9 if tone in ("plain", "data") else 1.4,
        linestyle=(0, (3, 2)) if tone == "data" else "-",
    )
    box.set_gid(f"node-{slug(p.node.key)}")
    axes.add_patch(box)
    text = (len(p.title) + len(p.lines)) * LINE
    foot = 0.0 if p.node.share is None else BAR + 2
    y = (p.top + p.bottom - foot) / 2 - text / 2 + LINE / 2
    for number, line in enumerate([*p.title, *p.lines]):
        axes.text(
            p.frame.middle[0], y + number * LINE, line, ha="center", va="center_baseline",
            fontsize=TEXT, color=INK, weight="bold" if number < len(p.title) else "normal",
        )  # fmt: skip
    if p.node.share is not None:
        _draw_bar(drawing, p, p.node.share, colour)


def _draw_bar(drawing: _Drawing, p: _Placed, share: float, colour: str) -> None:
    left, width = p.left + PAD, p.right - p.left - 2 * PAD
    top = p.bottom - BAR - 4
    track = Rectangle((left, top), width, BAR, facecolor=INK, alpha=0.12, linewidth=0)
    bar = Rectangle((left, top), width * share, BAR, facecolor=colour, linewidth=0)
    bar.set_gid(f"share-{slug(p.node.key)}")
    drawing.axes.add_patch(track)
    drawing.axes.add_patch(bar)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _draw_edge(drawing: _Drawing, edge: Edge) -> None:
    start, end = drawing.placed[edge.start], drawing.placed[edge.end]
    if edge.side is not None:
        x = MARGIN / 2 + 4
        points = along(start.frame, end.frame, x if edge.side == "left" else WIDTH - x)
    elif start.row == end.row:
        points = level(start.frame, end.frame)
    else:
        points = down(start.frame, end.frame, edge.at, GAP / 2)
    _draw_line(drawing, points, edge)
    if edge.label:
        _draw_label(drawing, points, edge)


def _draw_line(drawing: _Drawing, points: list[Point], edge: Edge) -> None:
    gid = f"edge-{slug(edge.start)}-{slug(edge.end)}"
    style = {"color": INK, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    heads = "<|-|>" if edge.both else "-|>"
    if len(points) > 2:
        (line,) = drawing.axes.plot(*zip(*points[:-1], strict=True), color=INK, linewidth=0.9)
        line.set_gid(f"{gid}-way")
    arrow = drawing.axes.annotate(
        "", points[-1], xytext=points[-2], arrowprops={"arrowstyle": heads, **style}
    )
    arrow.arrow_patch.set_gid(gid)


def _draw_label(drawing: _Drawing, points: list[Point], edge: Edge) -> None:
    (x0, y0), (x1, y1) = points[:2] if edge.side is None else points[1:3]
    length = width_of(edge.label, TEXT)
    x, y, ha, va, turn = (x0 + x1) / 2, (y0 + y1) / 2, "center", "center", 0
    if edge.side is not None:
        x, turn = x0 + (-5 if edge.side == "left" else 5), 90
        y = min(max(y, length / 2 + 1), drawing.axes.get_ylim()[0] - length / 2 - 1)
    elif y0 == y1:
        y, va = y0 - 3, "baseline"
    else:
        # Beside the arrow: on its left where it stands on the left of its box and there is room.
        left = (edge.at < 0.5 and x0 - 4 - length > 0) or x0 + 4 + length > WIDTH
        x, ha = (x0 - 4, "right") if left else (x0 + 4, "left")
    text = drawing.axes.text(
        x, y, edge.label, ha=ha, va=va, rotation=turn, fontsize=TEXT, color=INK
    )
    text.set_gid(f"label-{slug(edge.start)}-{slug(edge.end)}")
