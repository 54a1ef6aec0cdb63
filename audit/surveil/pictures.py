"""Geometry of the pictures of surveillance, drawn by the template as inline SVG.

Coordinates are in the units of the drawing's view box, from its top left corner.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.surveil.result import Answer, Result, Series

WIDTH, HEIGHT = 960.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 18.0, 14.0, 36.0
DOTS: Final = 1500
"""Most dots of a picture, those furthest from what was expected."""
NAMED: Final = 12
PANELS: Final = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """A line through points, or a dot where there is one; ``look`` is its class in the style sheet."""

    points: str
    look: str
    title: str = ""
    dot: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """A text with its place and class."""

    x: float
    y: float
    text: str
    look: str


@dataclass(slots=True)
class Picture:
    """A drawing with what it says in words."""

    title: str
    caption: str
    shapes: list[Shape] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    width: float = WIDTH
    height: float = HEIGHT


def pictures_of(answer: Answer) -> Iterator[Picture]:
    """The pictures of a question."""
    match answer.question:
        case "hold":
            yield from (_held(each) for each in answer.series)
        case "sequence":
            yield _runs(answer)
            if answer.series:
                yield _matched(answer.series)
        case "missing":
            yield _grown(answer)
        case "stake":
            yield from (_staked(each) for each in answer.series[:PANELS])
        case _:
            yield _observed(answer)


# --- scales --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to places, along the root of the value where ``root`` is set."""

    least: float
    most: float
    start: float
    end: float
    root: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.least, self.most, value
        if self.root:
            low, high, at = math.sqrt(max(low, 0)), math.sqrt(max(high, 0)), math.sqrt(max(at, 0))
        share = (at - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        if self.root:
            found = [0.0]
            step = 1.0
            while step <= self.most:
                found += [step * each for each in (1, 2, 5) if step * each <= self.most]
                step *= 10
            return found[-7:] if len(found) > 7 else found
        span = self.most - self.least
        if span <= 0:
            return [self.least]
        step = 10 ** math.floor(math.log10(span / 4))
        step *= next(each for each in (1, 2, 5, 10) if span / (step * each) <= 6)
        first = math.ceil(self.least / step - 1e-9) * step
        return [round(first + step * each, 10) for each in range(int((self.most - first) / step + 1e-9) + 1)]


def _scales(xs: Iterable[float], ys: Iterable[float], *, root: bool = False) -> tuple[_Scale, _Scale]:
    across, up = [*xs], [*ys]
    return (
        _Scale(min(across), max(across), _LEFT, WIDTH - _RIGHT, root),
        _Scale(min(up), max(up), HEIGHT - _BOTTOM, _TOP, root),
    )


def _axes(picture: Picture, x: _Scale, y: _Scale, across: str, up: str) -> None:
    for tick in y.ticks():
        picture.shapes.append(Shape(f"{_LEFT},{y(tick)} {WIDTH - _RIGHT},{y(tick)}", "grid"))
        picture.labels.append(Label(_LEFT - 8, y(tick) + 4, f"{tick:g}", "tick end"))
    for tick in x.ticks():
        picture.labels.append(Label(x(tick), HEIGHT - _BOTTOM + 16, f"{tick:g}", "tick"))
    picture.labels.append(Label((_LEFT + WIDTH - _RIGHT) / 2, HEIGHT - 4, across, "under"))
    picture.labels.append(Label(_LEFT, 9, up, "under start"))


def _path(points: Iterable[tuple[float, float]], x: _Scale, y: _Scale) -> str:
    return " ".join(f"{x(a)},{y(b)}" for a, b in points)


# --- one for each question -----------------------------------------------------------------------


def _observed(answer: Answer) -> Picture:
    """Observed against expected, a dot a subject; the unusual named."""
    picture = Picture(
        "Observed against expected",
        "Each dot is a subject. On the line it had as many as expected; filled ones are unusual. Both axes "
        "go by the root, on which chance scatters alike everywhere.",
    )
    told = [each for each in answer.results if each.expected is not None and each.trials]
    if not told:
        picture.labels.append(Label(WIDTH / 2, HEIGHT / 2, "nothing to draw", "under"))
        return picture
    told.sort(key=_apart, reverse=True)
    shown = told[:DOTS]
    most = max(1.0, *(max(float(each.observed), float(each.expected or 0)) for each in shown))
    x, y = _scales((0.0, most), (0.0, most), root=True)
    _axes(picture, x, y, "expected", "observed")
    picture.shapes.append(Shape(f"{x(0)},{y(0)} {x(most)},{y(most)}", "even"))
    for each in reversed(shown):
        where = x(float(each.expected or 0)), y(float(each.observed))
        picture.shapes.append(Shape("", f"dot {each.verdict.replace(' ', '-')}", _told(each), where))
    for each in [each for each in shown if each.verdict == "unusual"][:NAMED]:
        where = x(float(each.expected or 0)), y(float(each.observed))
        picture.labels.append(Label(where[0] + 8, where[1] + 4, _name(each), "named start"))
    return picture


def _apart(each: Result) -> tuple[bool, float]:
    gap = math.sqrt(float(each.observed)) - math.sqrt(max(float(each.expected or 0), 0.0))
    return each.verdict == "unusual", abs(gap)


def _name(each: Result) -> str:
    return f"{each.subject}, {each.detail}" if each.detail else each.subject


def _told(each: Result) -> str:
    seen = f"{each.observed.normalize():f} of {each.trials}"
    return f"{each.kind} {_name(each)}: {seen}, {each.expected:.1f} expected"


def _held(series: Series) -> Picture:
    """Per cent kept by day, the theory with two standard errors as a band."""
    picture = Picture(
        f"Kept of main stakes, {series.name}",
        "Per cent of the stakes by gaming date, with the theory and two standard errors to either side.",
    )
    low = [due - error for due, error in series.marks]
    high = [due + error for due, error in series.marks]
    held = [value for _, value in series.points]
    x, y = _scales((-0.5, len(held) - 0.5), (*low, *high, *held))
    _axes(picture, x, y, "day", "per cent")
    for place, (value, (due, error)) in enumerate(zip(held, series.marks, strict=True)):
        picture.shapes.append(Shape(f"{x(place)},{y(due - error)} {x(place)},{y(due + error)}", "band"))
        picture.shapes.append(Shape("", "dot theory", f"theory {due:.2f}", (x(place), y(due))))
        picture.shapes.append(Shape("", "dot ordinary", f"kept {value:.2f}", (x(place), y(value))))
    return picture


def _runs(answer: Answer) -> Picture:
    """How many pairs of shoes have a longest run of so many cards."""
    counted = Counter(int(each.observed) for each in answer.results if each.subject != "all")
    picture = Picture(
        "Longest runs that came again",
        "Pairs of shoes by the longest run of cards that came again, where it has four cards or more.",
    )
    if not counted:
        picture.labels.append(Label(WIDTH / 2, HEIGHT / 2, "no run of four cards came again", "under"))
        return picture
    x, y = _scales((3.0, max(*counted, 9) + 1.0), (0.0, max(counted.values())), root=False)
    rooted = _Scale(y.least, y.most, y.start, y.end, root=True)
    _axes(picture, x, rooted, "cards in the run", "pairs of shoes")
    for length, pairs in sorted(counted.items()):
        top = rooted(pairs)
        picture.shapes.append(
            Shape(f"{x(length)},{rooted(0)} {x(length)},{top}", "bar", f"{length}: {pairs}")
        )
        picture.labels.append(Label(x(length), top - 4, f"{pairs:,}", "tick"))
    return picture


def _matched(series: Sequence[Series]) -> Picture:
    """Where runs begin in the earlier and in the later shoe."""
    picture = Picture(
        "Where they lie",
        "Each stroke is a run: across, its place in the earlier shoe; up, its place in the later one. A "
        "shuffle that left the order alone is a long diagonal.",
    )
    ends = [point for each in series for point in each.points]
    x, y = _scales((0.0, *(a for a, _ in ends)), (0.0, *(b for _, b in ends)))
    _axes(picture, x, y, "card of the earlier shoe", "card of the later shoe")
    for each in series:
        picture.shapes.append(Shape(_path(each.points, x, y), "run", each.name))
    return picture


def _grown(answer: Answer) -> Picture:
    """What the bets that cards are missing have grown to, shoe by shoe."""
    threshold = answer.threshold or 0.0
    picture = Picture(
        "Bets that a card is missing",
        "What a bet of 1 has grown to after each shoe, in powers of ten. Above the dashed line a single bet "
        "is at the level; with many bets it has to rise further.",
    )
    points = [point for each in answer.series for point in each.points]
    low = max(-8.0, min((value for _, value in points), default=-1.0))
    x, y = _scales(
        (0.0, max((at for at, _ in points), default=1.0)),
        (low, max(threshold, *(value for _, value in points), 1.0) + 0.5 if points else 3.0),
    )
    _axes(picture, x, y, "shoes", "power of ten")
    picture.shapes.append(Shape(f"{_LEFT},{y(threshold)} {WIDTH - _RIGHT},{y(threshold)}", "limit"))
    for each in answer.series:
        drawn = [(at, max(value, low)) for at, value in each.points]
        picture.shapes.append(Shape(_path(drawn, x, y), "rise" if each.name else "walk", each.name))
        if each.name:
            picture.labels.append(Label(x(drawn[-1][0]) - 6, y(drawn[-1][1]) - 6, each.name, "named end"))
    return picture


def _staked(series: Series) -> Picture:
    """A player's stakes round by round, raised rounds that were won filled."""
    picture = Picture(
        f"Stakes of {series.name}",
        "The main stake round by round; dots are rounds at a raised stake that were won.",
    )
    x, y = _scales((0.0, max(len(series.points) - 1, 1)), (0.0, *(stake for _, stake in series.points)))
    _axes(picture, x, y, "round", "stake")
    picture.shapes.append(Shape(_path(series.points, x, y), "stakes"))
    for at, stake in series.marks:
        picture.shapes.append(Shape("", "dot unusual", f"{stake:g}, won", (x(at), y(stake))))
    return picture
