"""Showing data to people and machines on standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rules_replay.words import visible

if TYPE_CHECKING:
    from rules_replay.explain import Explanation

Item = TypeVar("Item")

WIDTH = 160
"""Columns where the output is no terminal that could say how wide it is."""

UNBROKEN = 28
"""Longest text that a column keeps on one line."""

STYLES = {
    "breach": "bold red",
    "procedure": "red",
    "ambiguous": "yellow",
    "indeterminate": "magenta",
    "notice": "dim",
}


def console() -> Console:
    """Standard output for people; a log's texts are never taken for markup."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)


def begun(items: Iterable[Item]) -> Iterator[Item]:
    """The same items once the first is there: what keeps all from coming is said before any is printed."""
    coming = iter(items)
    first = list(islice(coming, 1))
    return chain(first, coming)


def show_json(value: Any) -> None:
    """One object as JSON, keys in the order given."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def cell(value: object) -> Text:
    """A value as a table cell: nothing for None, severities in their colour, no control characters."""
    text = "" if value is None else visible(str(value))
    return Text(text, style=STYLES.get(text, ""))


def show_table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """A table; numbers are set to the right."""
    listed = list(rows)
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for place, heading in enumerate(headings):
        cells = [row[place] for row in listed if row[place] is not None]
        numbers = bool(cells) and all(isinstance(each, int | Decimal) for each in cells)
        short = all(len(str(each)) <= UNBROKEN for each in cells)
        table.add_column(heading, justify="right" if numbers else "left", no_wrap=short, overflow="fold")
    for row in listed:
        table.add_row(*(cell(f"{each:,}" if type(each) is int else each) for each in row))
    console().print(table)


def show_lines(lines: Iterable[str]) -> None:
    """Plain lines, one each."""
    for line in lines:
        sys.stdout.write(f"{visible(line)}\n")


def show_explanation(told: Explanation) -> None:
    """The story of a round, in colour on a terminal, in ASCII where nothing else can be written."""
    ascii_only = (sys.stdout.encoding or "ascii").lower().replace("-", "") not in ("utf8", "utf16")
    out = console()
    colour = sys.stdout.isatty() and out.color_system is not None
    width = min(out.width, 100)
    sys.stdout.write(told.text(width=width, colour=colour, ascii_only=ascii_only).rstrip("\n") + "\n")
