"""The exceptions as CSV and as an Excel workbook.

The CSV follows RFC 4180 in UTF-8 with a byte order mark, by which Excel knows the
encoding. `audit.report.workbook` says how cells of the workbook are written.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from audit.causes import Cause, Causes
from audit.causes.words import chance_words, local_text, place_words, points_to, sentence
from audit.layout import Partition
from audit.report.model import Day, ExceptionRow, Figures, Moved, QuarantinedLine, ResolvedRow, Tally
from audit.report.text import (
    card_line,
    days_text,
    local_time,
    meaning,
    missing_words,
    spreadsheet_text,
    venues_text,
    zone_of,
)
from audit.report.workbook import SHEET_ROWS, Cell, Workbook, held
from audit.results import decimal_text
from rules_replay.severity import SEVERITIES
from rules_replay.venues import Register

K = TypeVar("K")

WORKBOOK_EXCEPTIONS = 100_000
"""Exceptions written to the workbook, the gravest: more would take minutes to write and to open."""
WORKBOOK_DAYS = 31
"""Up to this many days tables, dealers and hours are listed day by day; of more, month by month."""

FigureRows: TypeAlias = Mapping[str, Sequence[Sequence[Cell]]]
"""Rows of the sheets of a workbook that follow from figures alone, by the title of the sheet."""

COLUMNS: tuple[tuple[str, int], ...] = (
    ("number", 8),
    ("severity", 14),
    ("check", 24),
    ("meaning", 48),
    ("rulebook", 14),
    ("clause", 18),
    ("depends_on", 22),
    ("basis", 12),
    ("venue", 18),
    ("gaming_date", 12),
    ("table", 10),
    ("dealer", 12),
    ("supervisor", 12),
    ("shoe", 18),
    ("round_no", 9),
    ("round_id", 24),
    ("started_at_local", 27),
    ("event", 7),
    ("box", 6),
    ("hand", 6),
    ("wager", 10),
    ("player", 12),
    ("wager_kind", 14),
    ("stake", 12),
    ("expected", 40),
    ("recorded", 40),
    ("delta_to_player", 15),
    ("currency", 9),
    ("arithmetic", 48),
    ("cards", 20),
    ("dealer_cards", 20),
    ("source_file", 28),
    ("source_line", 11),
    ("source_sha256", 66),
    ("fingerprint", 22),
    ("since_run", 10),
    ("disposition", 15),
    ("disposed_by", 20),
    ("disposed_at", 26),
    ("disposition_note", 48),
    ("changed_since_disposition", 24),
    ("cause", 18),
)
"""Name and width in characters of every column of ``exceptions.csv`` and its sheet."""


def exception_cells(row: ExceptionRow, register: Register) -> tuple[Cell, ...]:
    """One exception under `COLUMNS`, which end with the id of its cause: all but that."""
    started = None
    if row.started_us is not None:
        started = local_time(row.started_us, zone_of(register, row.venue, row.recorded_offset)).isoformat()
    return (
        row.number,
        row.severity,
        row.code,
        meaning(row.code),
        row.rulebook,
        row.clause,
        row.depends_on,
        row.basis,
        row.venue,
        row.gaming_date.isoformat(),
        row.table,
        row.dealer,
        row.supervisor,
        row.shoe,
        row.round_no,
        row.round_id,
        started,
        row.seq,
        row.box,
        row.hand,
        row.wager,
        row.player,
        row.kind,
        row.stake,
        row.expected,
        row.recorded,
        row.delta,
        row.currency,
        row.arithmetic,
        card_line(row.hand_cards),
        card_line(row.dealer_cards),
        row.source_file,
        row.source_line,
        row.source_sha256,
        row.fingerprint,
        row.since_run,
        row.disposition,
        row.disposed_by,
        row.disposed_at,
        row.note,
        None if row.disposition is None else "yes" if row.changed_since else "no",
    )


class Rows(Protocol):
    """What a report lists row by row."""

    def exceptions(self, limit: int | None = None) -> Iterator[ExceptionRow]:
        """Findings in the order of the report, up to and with the number ``limit``."""

    def quarantined(self, limit: int | None = None) -> Iterator[QuarantinedLine]:
        """Quarantined lines by file and line."""

    def resolved(self) -> Iterator[ResolvedRow]:
        """Findings that runs made and the latest did not, in the order of their rounds."""


def write_exceptions_csv(path: Path, rows: Rows, causes: Causes, register: Register) -> None:
    """Write ``exceptions.csv``: every exception, in the order of the report."""
    of_finding = causes.of_finding
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        lines = csv.writer(file, lineterminator="\r\n")
        lines.writerow(name for name, _ in COLUMNS)
        for row in rows.exceptions():
            cells = *exception_cells(row, register), of_finding.get(row.number)
            lines.writerow(map(csv_cell, cells))


class ExceptionsWorkbook:
    """``exceptions.xlsx``, filled step by step in any order; there is none until it is closed.

    What hangs neither on causes nor on figures is written at once.
    """

    def __init__(self, path: Path, rows: Rows, register: Register) -> None:
        self._register = register
        self._book = Workbook(path, "Pontoon exceptions")
        self._sheets = {
            title: self._book.sheet(
                title, columns, most=WORKBOOK_EXCEPTIONS if title == _EXCEPTIONS else SHEET_ROWS - 1
            )
            for title, columns in _SHEETS.items()
        }
        self._fill("Quarantine", _quarantine_rows(rows.quarantined()))
        self._fill("Resolved", _resolved_rows(rows.resolved()))
        self._rows = (
            (row.number, tuple(map(held, exception_cells(row, register))))
            for row in rows.exceptions(WORKBOOK_EXCEPTIONS)
        )
        self._ahead: list[tuple[int, tuple[Cell, ...]]] = []

    def make_ready(self, exceptions: int) -> None:
        """Have the first so many exceptions ready to be written, but for their causes."""
        self._ahead += islice(self._rows, exceptions)

    def add_exceptions(self, of_finding: Mapping[int, str]) -> None:
        """Write the exceptions, each with the id of its cause."""
        for number, cells in chain(self._ahead, self._rows):
            self._sheets[_EXCEPTIONS].add_held((*cells, of_finding.get(number)))

    def add_figures(self, rows: FigureRows) -> None:
        """Write the sheets that follow from figures."""
        for title, its in rows.items():
            self._fill(title, its)

    def add_causes(self, causes: Causes) -> None:
        """Write the causes."""
        self._fill("Causes", (cause_cells(cause, self._register) for cause in causes.all))

    def close(self) -> None:
        """Write the file."""
        self._book.close()

    def _fill(self, title: str, rows: Iterable[Sequence[Cell]]) -> None:
        for row in rows:
            self._sheets[title].add(row)


CAUSE_COLUMNS: tuple[tuple[str, int], ...] = (
    ("cause", 18),
    ("severity", 14),
    ("one_sentence", 90),
    ("more_like", 70),
    ("pattern", 10),
    ("venue", 18),
    ("place", 22),
    ("rounds", 9),
    ("rounds_possible", 15),
    ("findings", 9),
    ("unit", 9),
    ("opportunities", 13),
    ("missed", 9),
    ("before_the_first", 15),
    ("after_the_last", 14),
    ("likelihood", 34),
    ("first_at_local", 27),
    ("last_at_local", 27),
    ("currency", 9),
    ("overpaid", 14),
    ("underpaid", 14),
    ("checks", 24),
    ("rulebook", 14),
    ("clauses", 40),
    ("depends_on", 22),
    ("tables", 20),
    ("dealers", 20),
    ("gaming_dates", 24),
)
"""Name and width in characters of every column of ``causes.csv`` and its sheet."""


def cause_cells(cause: Cause, register: Register) -> tuple[Cell, ...]:
    """One cause under `CAUSE_COLUMNS`; amounts are left out where they are in several currencies."""
    counted = cause.opportunities
    money = list(cause.currencies.items())
    currency, (over, under) = money[0] if len(money) == 1 else (None, (None, None))
    return (
        cause.id,
        cause.severity,
        sentence(cause, register),
        points_to(cause),
        cause.pattern,
        cause.venue,
        place_words(cause) if counted else None,
        cause.rounds,
        counted.rounds if counted else None,
        cause.findings,
        counted.unit if counted else None,
        counted.number if counted else None,
        counted.missed if counted else None,
        counted.before if counted else None,
        counted.after if counted else None,
        chance_words(cause),
        local_text(cause.first_us, cause.venue, register),
        local_text(cause.last_us, cause.venue, register),
        currency,
        over,
        under,
        "; ".join(cause.codes),
        cause.rulebook,
        "; ".join(cause.clauses),
        cause.depends_on,
        ", ".join(cause.tables),
        ", ".join(cause.dealers),
        ", ".join(each.isoformat() for each in cause.gaming_dates),
    )


def write_causes_csv(path: Path, causes: Causes, register: Register) -> None:
    """Write ``causes.csv``: those of several findings first."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        lines = csv.writer(file, lineterminator="\r\n")
        lines.writerow(name for name, _ in CAUSE_COLUMNS)
        for each in causes.all:
            lines.writerow(csv_cell(cell) for cell in cause_cells(each, register))


def csv_cell(cell: Cell) -> str:
    """A cell as a CSV file for spreadsheets has it: harmless, and nothing for None."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return spreadsheet_text(cell)
    return decimal_text(cell) if isinstance(cell, Decimal) else str(cell)


_SUMMARY = (
    ("venue", 22),
    ("gaming_date", 14),
    ("currency", 10),
    ("rounds", 10),
    ("wagers", 10),
    ("staked", 16),
    ("overpaid (breach)", 18),
    ("underpaid (breach)", 18),
    ("overpaid (ambiguous)", 20),
    ("underpaid (ambiguous)", 20),
    ("settlements corrected at the table", 32),
)
_CHECKS = (
    ("check", 26),
    ("meaning", 60),
    ("findings", 10),
    ("rounds", 10),
    *((name, 14) for name in SEVERITIES),
    ("clauses", 60),
)
_GAPS = (
    ("check", 26),
    ("meaning", 60),
    ("rulebook", 16),
    ("why", 60),
    ("rounds not evaluable", 20),
    ("rounds evaluated", 18),
)
_QUARANTINE = (
    ("source_file", 32),
    ("source_line", 12),
    ("byte offset", 12),
    ("bytes", 10),
    ("field", 24),
    ("reason", 70),
    ("round_id", 24),
)
_RESOLVED = (
    ("venue", 22),
    ("gaming_date", 14),
    ("round_id", 24),
    ("check", 26),
    ("meaning", 60),
    ("severity", 14),
    ("box", 6),
    ("hand", 6),
    ("wager", 10),
    ("delta_to_player", 15),
    ("currency", 10),
    ("fingerprint", 22),
    ("since_run", 10),
)


def _tally_columns(key: str) -> tuple[tuple[str, int], ...]:
    return (
        ("venue", 22),
        ("gaming_date", 14),
        (key, 16),
        ("rounds", 10),
        *((name, 14) for name in SEVERITIES),
        ("currency", 10),
        ("overpaid (breach)", 18),
        ("underpaid (breach)", 18),
    )


_EXCEPTIONS = "Exceptions"
_SHEETS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "Summary": _SUMMARY,
    "Causes": CAUSE_COLUMNS,
    _EXCEPTIONS: COLUMNS,
    "By table": _tally_columns("table"),
    "By dealer": _tally_columns("dealer"),
    "By hour": _tally_columns("hour"),
    "By check": _CHECKS,
    "Not evaluated": _GAPS,
    "Quarantine": _QUARANTINE,
    "Resolved": _RESOLVED,
}
"""Name and width in characters of the columns of every sheet, in the order of the workbook."""


def figure_rows(figures: Figures) -> FigureRows:
    """What the workbook has of figures."""
    spans = _spans(figures)
    return {
        "Summary": [*_summary_rows(figures)],
        "By table": [*_tally_rows((span, span.tables) for span in spans)],
        "By dealer": [*_tally_rows((span, span.dealers) for span in spans)],
        "By hour": [*_tally_rows((span, span.hours) for span in spans)],
        "By check": [*_check_rows(figures)],
        "Not evaluated": [*_gap_rows(figures)],
    }


@dataclass(frozen=True, slots=True)
class _Span:
    """A day or a month of a venue, by table, dealer and hour."""

    venue: str
    named: str
    tables: Mapping[str | None, Tally]
    dealers: Mapping[str | None, Tally]
    hours: Mapping[int, Tally]


def _spans(figures: Figures) -> Sequence[_Span]:
    """The days, or where there are many the months, in the order of the report."""
    whole = _by_month if len(figures.days) > WORKBOOK_DAYS else _by_day
    found: dict[tuple[str, str], list[Day]] = defaultdict(list)
    for day in figures.days:
        found[venues_text([day.partition.venue]), whole(day.partition)].append(day)
    return [
        _Span(
            venue,
            named,
            _by_name(_together(day.tables for day in days)),
            _by_name(_together(day.dealers for day in days)),
            _together(day.hours for day in days),
        )
        for (venue, named), days in found.items()
    ]


def _by_day(partition: Partition) -> str:
    return days_text([partition.gaming_date])


def _by_month(partition: Partition) -> str:
    day = partition.gaming_date
    return days_text([]) if day is None else f"{day:%B %Y}"


def _together(parts: Iterable[Mapping[K, Tally]]) -> Mapping[K, Tally]:
    """Tallies of the same added up."""
    found: dict[K, Tally] = defaultdict(Tally)
    for part in parts:
        for key, tally in part.items():
            found[key].add(tally)
    return found


def _by_name(tallies: Mapping[str | None, Tally]) -> Mapping[str | None, Tally]:
    """Tallies by their names, what was not recorded last."""
    return dict(sorted(tallies.items(), key=lambda item: (item[0] is None, item[0] or "")))


def _summary_rows(figures: Figures) -> Iterator[Sequence[Cell]]:
    for day, line in figures.money:
        yield (
            venues_text([day.partition.venue]),
            days_text([day.partition.gaming_date]),
            line.currency,
            line.staked.rounds,
            line.staked.wagers,
            line.staked.staked,
            line.breach.overpaid,
            line.breach.underpaid,
            line.ambiguous.overpaid,
            line.ambiguous.underpaid,
            line.staked.corrected,
        )
    beyond = figures.exceptions - WORKBOOK_EXCEPTIONS
    if beyond > 0:
        yield (
            f"{beyond:,} more exceptions, less grave than those in this workbook, stand in exceptions.csv.",
        )
    if len(figures.days) > WORKBOOK_DAYS:
        days = f"{len(figures.days):,} days"
        yield (f"Tables, dealers and hours of {days} are listed by month; summary.json has every day.",)


def _tally_rows(tallied: Iterable[tuple[_Span, Mapping[Any, Tally]]]) -> Iterator[Sequence[Cell]]:
    for span, tallies in tallied:
        for key, tally in tallies.items():
            name = f"{key:02d}:00" if isinstance(key, int) else "not recorded" if key is None else str(key)
            counts: tuple[Cell, ...] = (tally.rounds, *tally.findings.values())
            for currency, moved in sorted(tally.breach.items()) or [("", Moved())]:
                yield (span.venue, span.named, name, *counts, currency, moved.overpaid, moved.underpaid)
                # a second currency repeats no count, so that a column can be summed
                counts = (None,) * len(counts)


def _check_rows(figures: Figures) -> Iterator[Sequence[Cell]]:
    for check in figures.checks:
        yield (
            check.code,
            meaning(check.code),
            check.tally.total,
            check.rounds,
            *check.tally.findings.values(),
            "; ".join(check.clauses),
        )


def _gap_rows(figures: Figures) -> Iterator[Sequence[Cell]]:
    for gap in figures.gaps:
        yield (
            gap.code,
            meaning(gap.code),
            gap.rulebook,
            missing_words(gap.reason),
            gap.not_evaluable,
            gap.evaluated,
        )


def _quarantine_rows(lines: Iterable[QuarantinedLine]) -> Iterable[Sequence[Cell]]:
    for line in lines:
        yield (
            line.source_file,
            line.source_line,
            line.source_offset,
            line.byte_count,
            line.field,
            line.reason,
            line.round_id,
        )


def _resolved_rows(resolved: Iterable[ResolvedRow]) -> Iterable[Sequence[Cell]]:
    for row in resolved:
        yield (
            row.venue,
            row.gaming_date.isoformat(),
            row.round_id,
            row.code,
            meaning(row.code),
            row.severity,
            row.box,
            row.hand,
            row.wager,
            row.delta,
            row.currency,
            row.fingerprint,
            row.since_run,
        )
