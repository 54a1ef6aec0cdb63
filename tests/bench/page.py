"""What was measured as a page of ``docs``. The words about it are in ``performance.md.j2``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

TEMPLATE = Path(__file__).with_name("performance.md.j2")
MIB = 1024**2


def page(results: Mapping[str, Any]) -> str:
    """The page about some results, those of `tests.bench.__main__`."""
    world = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    named = (count, seconds, mib, ratio, growth, micro, whole)
    world.filters |= {each.__name__: each for each in named}
    return world.from_string(TEMPLATE.read_text(encoding="utf-8")).render(results)


def count(number: float) -> str:
    """A number of things: ``1,234,567``; a rate to three figures."""
    if isinstance(number, int):
        return f"{number:,}"
    places = max(len(str(int(number))) - 3, 0)
    return f"{round(number, -places):,.0f}"


def seconds(value: float) -> str:
    """A time: ``0.123 s``, ``12.3 s``, ``123 s``."""
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f} s"


def mib(value: int) -> str:
    """An amount of memory, rounded up."""
    return f"{-(-value // MIB):,} MiB"


def ratio(value: float, reference: float) -> str:
    """How many times the reference: ``3.2``, ``0.47``."""
    times = value / reference
    return f"{times:.{1 if times >= 1 else 2}f}"


def growth(steps: Sequence[Mapping[str, Any]], name: str) -> str:
    """How time grew with the rounds, from the first step to the last."""
    first, last = steps[0], steps[-1]
    rounds, time = last["rounds"] / first["rounds"], last[name]["seconds"] / first[name]["seconds"]
    return f"{rounds:,.0f} times the rounds in {time:,.0f} times the time"


def micro(value: float) -> str:
    """Microseconds without the unit: ``0.83``, ``12.3``."""
    return f"{value:.{2 if value < 10 else 1}f}"


def whole(parts: Mapping[str, Any]) -> float:
    """All parts of a replay together, in microseconds a round."""
    return float(sum(parts["parts"].values()) + parts["rest"])
