"""An Excel workbook, written row by row.

It holds amounts as numbers, so that they can be summed and sorted in Excel: each is the exact
decimal written out, which Excel holds to 15 significant digits; an amount with more is written
as text rather than altered. Every other cell is written as a string, never as a formula or a
link. Creation date and archive times are fixed, so that the same rows give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias
from xml.sax.saxutils import escape  # nosec B406 - nothing is parsed

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name

from audit.report.text import decimal_text, shortened, visible

Cell: TypeAlias = str | int | Decimal | None

SHEET_ROWS = 1_048_576
"""Rows of an Excel sheet, the heading included."""
CELL_CHARACTERS = 32_767
REPEATED = 100
"""Characters up to which a text is kept as it is written: most texts of a night are in many rows."""

_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 - a workbook's dates have no zone
_DIGITS = 15
_MARGIN = 40
_LIKE_ESCAPE = re.compile("_x[0-9a-fA-F]{4}_")


class Sheet:
    """A sheet filled from the top, up to ``most`` rows; rows beyond are left out.

    Its rows are written as the library writes them when it is given cell after cell, for which it
    takes six times as long.
    """

    def __init__(self, sheet: Any, amount: Any, columns: int, most: int) -> None:
        self._sheet = sheet
        self._amount = amount
        self._columns = [xl_col_to_name(column) for column in range(columns)]
        self._most = most
        self._next = 1

    def add(self, cells: Sequence[Cell]) -> None:
        if self._next > self._most:
            return
        sheet, row = self._sheet, self._next
        self._next += 1
        # What the library has yet to write comes first: the heading.
        sheet._write_single_row(row)
        place = str(row + 1)
        written = []
        for column, cell in zip(self._columns, cells, strict=False):
            if isinstance(cell, str):
                if cell:
                    value = _of_short(cell) if len(cell) <= REPEATED else _of_text(cell)
                    written.append(f'<c r="{column}{place}"{value}')
            elif cell is not None:
                written.append(f'<c r="{column}{place}"{self._number(cell)}')
        if written:
            sheet._check_dimensions(row, 0)
            sheet.fh.write(f'<row r="{place}">{"".join(written)}</row>')

    def choose(self, column: int, rows: int, answers: Sequence[str]) -> None:
        """Offer answers in a column of the first so many rows; anything else is refused."""
        if rows:
            offered = {"validate": "list", "source": list(answers)}
            self._sheet.data_validation(1, column, rows, column, offered)

    def _number(self, cell: int | Decimal) -> str:
        """A cell after its place."""
        if isinstance(cell, int):
            return f"><v>{cell:.16G}</v></c>"
        if len(cell.normalize().as_tuple().digits) > _DIGITS:
            return _of_text(decimal_text(cell))
        return f' s="{self._amount._get_xf_index()}"><v>{cell:.16G}</v></c>'


def sheet_text(text: str) -> str:
    """A text as a cell of the workbook holds it."""
    shown = shortened(visible(text), CELL_CHARACTERS - _MARGIN)
    if len(shown) <= CELL_CHARACTERS // 2:
        return shown
    # Excel counts units of 16 bits.
    return shown.encode("utf-16-le")[: 2 * CELL_CHARACTERS].decode("utf-16-le", "ignore")


def _of_text(text: str) -> str:
    """A cell of a text after its place."""
    shown = sheet_text(text)
    kept = ' xml:space="preserve"' if shown[:1] == " " or shown[-1:] == " " else ""
    # A character may be written by its code; what only looks like that has its first one written so.
    literal = _LIKE_ESCAPE.sub(r"_x005F\g<0>", shown)
    return f' t="inlineStr"><is><t{kept}>{escape(literal)}</t></is></c>'


_of_short = lru_cache(maxsize=4096)(_of_text)


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
        self._book.close()

    def sheet(
        self,
        title: str,
        columns: Sequence[tuple[str, int]],
        rows: Iterable[Sequence[Cell]],
        most: int = SHEET_ROWS - 1,
    ) -> Sheet:
        """A sheet with a frozen heading that can filter; `Sheet.add` takes further rows."""
        sheet = self._book.add_worksheet(title)
        sheet.freeze_panes(1, 0)
        for column, (name, width) in enumerate(columns):
            sheet.set_column(column, column, width)
            sheet.write_string(0, column, name.replace("_", " "), self._heading)
        sheet.autofilter(0, 0, most, len(columns) - 1)
        filled = Sheet(sheet, self._amount, len(columns), most)
        for row in rows:
            filled.add(row)
        return filled
