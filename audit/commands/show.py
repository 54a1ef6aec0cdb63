"""Showing data to people and machines on standard output."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from rich import box
from rich.cells import cell_len
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

_BETWEEN = 3
"""Columns from one cell of a table to the next."""

STYLES = {
    "breach": "bold red",
    "procedure": "red",
    "ambiguous": "yellow",
    "indeterminate": "magenta",
    "notice": "dim",
}


def console(least: int = 0) -> Console:
    """Standard output for people, at ``least`` so wide if it is no terminal.

    A log's texts are never taken for markup.
    """
    width = None if sys.stdout.isatty() else max(WIDTH, least)
    return Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)


def begun(items: Iterable[Item]) -> Iterator[Item]:
    """The same items once the first is there: what keeps all from coming is said before any is printed."""
    coming = iter(items)
    first = list(islice(coming, 1))
    return chain(first, coming)


def show_json(value: Any) -> None:
    """One object as JSON, keys in the order given."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def _cell(value: object) -> Text:
    """A value as a table cell: nothing for None, severities in their colour, no control characters."""
    written = f"{value:,}" if type(value) is int else value
    text = "" if written is None else visible(str(written))
    return Text(text, style=STYLES.get(text, ""))


def show_table(headings: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """A table; numbers are set to the right. On a terminal that is too narrow for it all texts are folded."""
    listed = list(rows)
    shown = [[_cell(each) for each in row] for row in listed]
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    widths = []
    for place, heading in enumerate(headings):
        cells = [row[place] for row in listed if row[place] is not None]
        numbers = bool(cells) and all(isinstance(each, int | Decimal) for each in cells)
        table.add_column(heading, justify="right" if numbers else "left", overflow="fold")
        widths.append(max(cell_len(heading), *(row[place].cell_len for row in shown), 0))
    for row in shown:
        table.add_row(*row)
    needed = sum(min(width, UNBROKEN) + _BETWEEN for width in widths) + 1
    out = console(needed)
    for column, width in zip(table.columns, widths, strict=True):
        # Of a text that may not be folded, what there is no room for would be cut off without a mark.
        column.no_wrap = width <= UNBROKEN and needed <= out.width
    out.print(table)


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
