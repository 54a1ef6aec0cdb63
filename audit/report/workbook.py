"""An Excel workbook, written row by row.

It holds amounts as numbers, so that they can be summed and sorted in Excel: each is the exact
decimal written out, which Excel holds to 15 significant digits; an amount with more is written
as text rather than altered. Every other cell is written as a string, never as a formula or a
link. Creation date and archive times are fixed, so that the same rows give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import xlsxwriter

from audit.report.text import remembered, shortened, visible
from audit.results import decimal_text

Cell: TypeAlias = str | int | Decimal | None

SHEET_ROWS = 1_048_576
"""Rows of an Excel sheet, the heading included."""
CELL_CHARACTERS = 32_767

_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 - a workbook's dates have no zone
_DIGITS = 15
_MARGIN = 40


class Sheet:
    """A sheet filled from the top, up to ``most`` rows; rows beyond are left out."""

    def __init__(self, sheet: Any, amount: Any, most: int) -> None:
        self._sheet = sheet
        self._amount = amount
        self._most = most
        self._next = 1

    def add(self, cells: Iterable[Cell]) -> None:
        """Add a row."""
        self.add_held(map(held, cells))

    def add_held(self, cells: Iterable[Cell]) -> None:
        """Add a row of cells that are `held` already."""
        if self._next > self._most:
            return
        row, text, number = self._next, self._sheet.write_string, self._sheet.write_number
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            if isinstance(cell, str):
                text(row, column, cell)
            elif isinstance(cell, int):
                number(row, column, cell)
            else:
                number(row, column, cell, self._amount)
        self._next += 1

    def choose(self, column: int, rows: int, answers: Sequence[str]) -> None:
        """Offer answers in a column of the first so many rows; anything else is refused."""
        if rows:
            offered = {"validate": "list", "source": list(answers)}
            self._sheet.data_validation(1, column, rows, column, offered)


def held(cell: Cell) -> Cell:
    """A cell as the workbook holds it; None where there is nothing to write."""
    if isinstance(cell, str):
        return sheet_text(cell) if cell else None
    if isinstance(cell, Decimal) and len(cell.normalize().as_tuple().digits) > _DIGITS:
        return decimal_text(cell)
    return cell


@remembered
def sheet_text(text: str) -> str:
    """A text as a cell of the workbook holds it."""
    shown = shortened(visible(text), CELL_CHARACTERS - _MARGIN)
    # The library would take it for markup of its own and write it into the sheet as it stands.
    return f"{shown} " if shown.startswith("<r>") and shown.endswith("</r>") else shown


class Workbook:
    """A workbook written row by row, in memory bounded by one row."""

    def __init__(self, path: Path, title: str) -> None:
        self._book = xlsxwriter.Workbook(
            str(path),
            {
                "constant_memory": True,
                "tmpdir": str(path.parent),
                "strings_to_formulas": False,
                "strings_to_urls": False,
                "strings_to_numbers": False,
            },
        )
        self._book.set_properties({"title": title, "created": _CREATED})
        self._heading = self._book.add_format({"bold": True, "bottom": 1, "bg_color": "#E9EDF2"})
        self._amount = self._book.add_format({"num_format": "#,##0.00#"})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write the file."""
        self._book.close()

    def sheet(
        self,
        title: str,
        columns: Sequence[tuple[str, int]],
        rows: Iterable[Sequence[Cell]] = (),
        most: int = SHEET_ROWS - 1,
    ) -> Sheet:
        """A sheet with a frozen heading that can filter; `Sheet.add` takes further rows.

        Sheets stand in the order in which they are made, whichever of them is filled first.
        """
        sheet = self._book.add_worksheet(title)
        sheet.freeze_panes(1, 0)
        for column, (name, width) in enumerate(columns):
            sheet.set_column(column, column, width)
            sheet.write_string(0, column, name.replace("_", " "), self._heading)
        sheet.autofilter(0, 0, most, len(columns) - 1)
        filled = Sheet(sheet, self._amount, most)
        for row in rows:
            filled.add(row)
        return filled
