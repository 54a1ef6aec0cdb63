"""The worksheet: an Excel workbook or a CSV file to fill in, and reading it back.

Texts of the log are written as the report's sheets write them, never as a formula or a link. The
same sample gives the same bytes. Read back are only the ids, the line by which the sample was drawn,
and the answers.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from audit.errors import UsageProblem
from audit.report.sheets import csv_cell
from audit.report.workbook import Cell, Workbook
from audit.results import decimal_text
from audit.review.design import RISKS, STAKES
from audit.review.draw import Draw, Look, allocation_words

Answer: TypeAlias = Literal["agrees", "differs", "cannot be seen"]
ANSWERS: tuple[Answer, ...] = ("agrees", "differs", "cannot be seen")

_FORMS = (".xlsx", ".csv")
_LARGEST = 64 * 1024 * 1024
_SHEET = "Rounds"

COLUMNS: tuple[tuple[str, int], ...] = (
    ("number", 8),
    ("answer", 16),
    ("what_differs", 36),
    ("checked_by", 16),
    ("checked_at", 18),
    ("venue", 18),
    ("gaming_date", 12),
    ("table", 10),
    ("boxes", 12),
    ("camera_from", 27),
    ("camera_to", 27),
    ("started_at_local", 27),
    ("look_at", 60),
    ("log_in_short", 90),
    ("dealer", 12),
    ("currency", 9),
    ("staked", 12),
    ("stratum", 16),
    ("round_id", 28),
    ("draw", 60),
)
"""Name and width in characters of every column; the second to the fifth are to be filled in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A line of a worksheet read back; ``answer`` is None where it is blank."""

    line: int
    venue: str
    round_id: str
    draw: str
    answer: Answer | None
    what_differs: str


def form_of(path: Path) -> str:
    """The form of a worksheet by its name; raises `UsageProblem` for one that is neither."""
    if path.suffix.lower() not in _FORMS:
        raise UsageProblem(f"{path}: expected a worksheet named .xlsx or .csv")
    return path.suffix.lower()


def write_worksheet(path: Path, drawn: Draw, rounds: Iterable[Look]) -> None:
    """Write a worksheet as its name says; raises `UsageProblem` for a name, `OSError` for a disk."""
    rows = [_cells(number, each, drawn) for number, each in enumerate(rounds, 1)]
    if form_of(path) == ".csv":
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            lines = csv.writer(file, lineterminator="\r\n")
            lines.writerow(name for name, _ in COLUMNS)
            lines.writerows([csv_cell(cell) for cell in row] for row in rows)
        return
    with Workbook(path, "Pontoon rounds for review") as book:
        sheet = book.sheet(_SHEET, COLUMNS, rows)
        sheet.choose(1, len(rows), ANSWERS)
        book.sheet("How it was drawn", (("what", 24), ("value", 110)), _design(drawn))
        book.sheet("Strata", _STRATA, _strata(drawn))


def _cells(number: int, each: Look, drawn: Draw) -> tuple[Cell, ...]:
    return (
        number,
        None,
        None,
        None,
        None,
        each.venue,
        each.gaming_date.isoformat(),
        each.table,
        ", ".join(map(str, each.boxes)),
        each.camera_from.isoformat(),
        each.camera_to.isoformat(),
        each.started.isoformat(),
        each.look_at,
        each.log,
        each.dealer,
        each.currency,
        each.staked,
        each.stratum,
        each.round_id,
        drawn.text,
    )


def _design(drawn: Draw) -> Iterator[Sequence[Cell]]:
    yield "to fill in", f"column “answer”: {', '.join(ANSWERS)}; what differs, who looked, and when"
    yield "seed", str(drawn.seed)
    yield "rounds", str(drawn.rounds)
    yield "venues", ", ".join(drawn.scope.venues)
    yield "gaming dates", f"{drawn.scope.since} to {drawn.scope.until}"
    yield "frame, SHA-256", drawn.frame_sha256
    yield "allocation", allocation_words(drawn)
    again = "the same command on the same lake; of each stratum the rounds with the lowest SHA-256 over"
    yield "to draw it again", f"{again} seed, venue and round id with line feeds between"


_STRATA: tuple[tuple[str, int], ...] = (
    ("stratum", 18),
    ("rounds in it", 14),
    ("rounds drawn", 14),
    ("money at stake", 40),
    ("what is in it", 70),
)


def _strata(drawn: Draw) -> Iterator[Sequence[Cell]]:
    for each in drawn.strata:
        money = ", ".join(f"{currency} {decimal_text(amount)}" for currency, amount in each.staked.items())
        told = {**RISKS, **STAKES}[each.name]
        yield each.name, each.rounds, drawn.allocated[each.name], money, told


# --- reading it back -----------------------------------------------------------------------


def read_worksheet(path: Path) -> list[Filled]:
    """The lines of a filled worksheet.

    Raises `UsageProblem` with every line that cannot be taken, and for a file that is none.
    """
    form = form_of(path)
    if not path.is_file():
        raise UsageProblem(f"{path}: no such worksheet; check the name")
    if path.stat().st_size > _LARGEST:
        raise UsageProblem(f"{path}: larger than any worksheet that `sample-review draw` makes")
    found, problems = [], []
    for line, row in _csv_rows(path) if form == ".csv" else _xlsx_rows(path):
        answer = " ".join(row["answer"].lower().split())
        if answer not in ("", *ANSWERS):
            problems.append(f"line {line}: {row['answer']!r} is no answer")
            continue
        found.append(
            Filled(
                line=line,
                venue=_plain(row["venue"]),
                round_id=_plain(row["round_id"]),
                draw=_plain(row["draw"]),
                answer=next((each for each in ANSWERS if each == answer), None),
                what_differs=row.get("what_differs", ""),
            )
        )
    if problems:
        raise UsageProblem(f"{path}: {'; '.join(problems)}; write {', '.join(ANSWERS)} or leave it blank")
    return found


def _plain(text: str) -> str:
    """A text without the apostrophe that kept it from being a formula."""
    return text[1:] if re.match(r"'[=+\-@]", text) else text


def _checked(path: Path, names: Iterable[str]) -> None:
    missing = [each for each in ("answer", "venue", "round_id", "draw") if each not in set(names)]
    if missing:
        raise UsageProblem(
            f"{path}: no column {', '.join(missing)}; is it a worksheet of `sample-review draw`?"
        )


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            file.seek(0)
            # Spreadsheets of some countries save semicolons.
            rows = csv.DictReader(file, delimiter=";" if head.count(";") > head.count(",") else ",")
            _checked(path, rows.fieldnames or ())
            for row in rows:
                if any(row.values()):
                    yield rows.line_num, {name: value or "" for name, value in row.items() if name}
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageProblem(f"{path}: no CSV file in UTF-8: {error}") from None


def _xlsx_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    # It takes a fifth of a second to import.
    from zipfile import BadZipFile

    import openpyxl

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        if _SHEET not in book.sheetnames:
            raise UsageProblem(f"{path}: no sheet {_SHEET!r}; is it a worksheet of `sample-review draw`?")
        rows: Iterator[tuple[Any, ...]] = book[_SHEET].iter_rows(values_only=True)
        names = [str(each or "").replace(" ", "_") for each in next(rows, ())]
        _checked(path, names)
        for line, row in enumerate(rows, 2):
            if any(each is not None for each in row):
                texts = ("" if each is None else str(each) for each in row)
                yield line, dict(zip(names, texts, strict=False))
        book.close()
    except (BadZipFile, KeyError, ValueError, OSError) as error:
        raise UsageProblem(f"{path}: no Excel workbook that can be read: {error}") from None
