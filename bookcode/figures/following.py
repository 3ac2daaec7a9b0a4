"""How a figure's marks follow numbers: where a value lies in the drawing's own coordinates.

On logarithmic axes matplotlib's transform is affine in the logarithm, so two numbers an axis are
all a page needs to move a mark to where matplotlib itself would have drawn it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

POINTS_PER_INCH = 72.0


class FollowError(ValueError):
    """A mark that is not in the drawing, or axes on which marks cannot follow."""


def following(
    key: str, figure: Any, svg: str, pairs: Mapping[str, Mapping[str, tuple[Any, Any]]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a drawing follows, and the values it needs by the key they get in the page's module.

    Args:
        key: the figure's key.
        svg: the drawing.
        pairs: for each kind ("mark", "roof") a pair of values by name; the element of the drawing
            has the id "kind-name".

    Raises:
        FollowError: for an element that the drawing does not have.
    """
    if not any(pairs.values()):
        return {}, {}
    follow: dict[str, Any] = {"axes": log_axes(figure)}
    values: dict[str, Any] = {}
    for kind, named in pairs.items():
        follow[f"{kind}s"] = {}
        for name, pair in named.items():
            element = f"{kind}-{slug(name)}"
            if f'id="fig-{slug(key)}-{element}"' not in svg:
                raise FollowError(f"figure {key!r} draws no {kind} {name!r} (id {element!r})")
            keys = [f"{key}:{element}:{place}" for place in ("x", "y")]
            values.update(zip(keys, pair, strict=True))
            follow[f"{kind}s"][element] = keys
    return follow, values


def slug(key: str) -> str:
    """A key as it stands in the ids of a drawing."""
    return re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")


def log_axes(figure: Any) -> dict[str, list[float]]:
    """Offset and slope of each axis, and the frame, in the units of the drawing's view box.

    A value v lies at ``offset + slope * log10(v)``; y grows downwards, as in the drawing. ``frame``
    is left, top, right, bottom.

    Raises:
        FollowError: for a figure without exactly one pair of logarithmic axes.
    """
    if len(figure.axes) != 1:
        raise FollowError(
            f"marks can follow on one pair of axes; the figure has {len(figure.axes)}"
        )
    axes = figure.axes[0]
    if axes.get_xscale() != "log" or axes.get_yscale() != "log":
        raise FollowError("marks can follow on logarithmic axes only")
    scale = POINTS_PER_INCH / figure.dpi
    height = figure.get_size_inches()[1] * POINTS_PER_INCH
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    left, low = (float(v) * scale for v in axes.transData.transform((x0, y0)))
    right, high = (float(v) * scale for v in axes.transData.transform((x1, y1)))
    return {
        "x": _affine(x0, x1, left, right),
        "y": _affine(y0, y1, height - low, height - high),
        "frame": [round(v, 4) for v in (left, height - high, right, height - low)],
    }


def _affine(low: float, high: float, start: float, end: float) -> list[float]:
    slope = (end - start) / (math.log10(high) - math.log10(low))
    return [round(start - slope * math.log10(low), 4), round(slope, 4)]
