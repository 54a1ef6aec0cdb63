"""Geometry of the bar charts, drawn by the template as inline SVG.

Coordinates are in the units of the drawing's view box, from its top left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.model import Tally

BAR_WIDTH = 180.0
CHART_WIDTH, CHART_HEIGHT = 960.0, 200.0
_TOP, _BOTTOM = 22.0, 24.0
_LABEL_ROOM = 16.0


@dataclass(frozen=True, slots=True)
class Segment:
    """The findings of one severity within a bar or column; ``label`` where the number fits."""

    severity: str
    count: int
    x: float
    y: float
    width: float
    height: float
    label: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from left to right, the gravest first; its length is its share of the longest."""

    segments: Sequence[Segment]
    total: int


@dataclass(frozen=True, slots=True)
class Column:
    """One column with its name below and its total above."""

    name: str
    middle: float
    top: float
    total: int
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of columns; ``base`` is where they stand."""

    columns: Sequence[Column]
    base: float


def bar(tally: Tally, most: int) -> Bar:
    """The bar of a tally where ``most`` findings fill the whole width."""
    segments = []
    x = 0.0
    for severity, count in tally.findings.items():
        if count:
            width = BAR_WIDTH * count / max(most, tally.total)
            segments.append(Segment(severity, count, x, 0, width, 18, width >= 9 * len(str(count)) + 6))
            x += width
    return Bar([_rounded(each) for each in segments], tally.total)


def columns(tallies: Sequence[tuple[str, Tally]]) -> Columns:
    """A chart of one column for each tally, in the order given."""
    most = max((tally.total for _, tally in tallies), default=0) or 1
    base = CHART_HEIGHT - _BOTTOM
    pitch = CHART_WIDTH / max(len(tallies), 1)
    drawn = []
    for place, (name, tally) in enumerate(tallies):
        y = base
        segments = []
        for severity, count in tally.findings.items():
            if count:
                height = (base - _TOP) * count / most
                y -= height
                label = height >= _LABEL_ROOM and tally.total > count
                segments.append(Segment(severity, count, place * pitch + 4, y, pitch - 8, height, label))
        drawn.append(
            Column(
                name,
                round((place + 0.5) * pitch, 1),
                round(y, 1),
                tally.total,
                [_rounded(s) for s in segments],
            )
        )
    return Columns(drawn, base)


def _rounded(segment: Segment) -> Segment:
    return Segment(
        segment.severity,
        segment.count,
        round(segment.x, 1),
        round(segment.y, 1),
        round(segment.width, 1),
        round(segment.height, 1),
        segment.label,
    )
