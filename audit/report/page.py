"""The report as one HTML file: template, style and script in one, nothing from elsewhere.

Every value passes the template's autoescape, and `visible` before it. The page carries a
content security policy that allows its own style and script by their digests and nothing
else, so that a text that slipped through could neither run nor fetch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from audit.causes import Cause, Causes
from audit.causes.words import chance_words, points_to, sentence
from audit.readings import Question, question_of
from audit.report import text
from audit.report.charts import Bar, Columns, bar, columns
from audit.report.gather import ScopedLake
from audit.report.markup import environment, packaged, policy
from audit.report.model import Day, ExceptionRow, Figures, HandDrawn, Hanging, RunHeader, Tally
from audit.report.sheets import WORKBOOK_EXCEPTIONS
from audit.report.verdict import verdict
from rules_replay.checks import catalogue
from rules_replay.rulebook import Reading, Rulebook, load_rulebook
from rules_replay.severity import SEVERITIES
from rules_replay.venues import Register

EMBEDDED = 500
"""Exceptions shown in full, the gravest: more make a page that opens slowly; all are in the CSV."""
OPENED = 10
"""Up to this many exceptions all are shown open."""
LISTED = 40
"""Tables or dealers listed for one day, the worst first; all of them are in the workbook."""
DAYS = 14
"""Days told by table, dealer and hour, the worst; all of them are in the workbook."""
CAUSES_SHOWN = 50
"""Causes of several findings that the page leads with; all of them are in causes.csv."""
QUARANTINE_LINES = 200
RESOLVED_LINES = 200
HANDS_SHOWN = 14
CLAUSES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One table or dealer of a day, with its bar."""

    name: str
    tally: Tally
    bar: Bar


@dataclass(frozen=True, slots=True)
class CauseView:
    """One cause of several findings as the page tells it; ``first`` is the number of its gravest finding."""

    cause: Cause
    sentence: str
    points_to: str
    chance: str
    first: int


@dataclass(frozen=True, slots=True)
class DayView:
    """One day's findings by table, dealer and hour."""

    day: Day
    title: str
    tables: Sequence[Line]
    dealers: Sequence[Line]
    hours: Sequence[tuple[str, Tally]]
    chart: Columns


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question on which findings hang, and what hangs on it, day by day."""

    rulebook: str
    question: Question
    lines: Sequence[Hanging]


@dataclass(frozen=True, slots=True)
class ExceptionView:
    """One exception as the page tells it."""

    row: ExceptionRow
    cause: str
    table: str
    dealer: str
    started: datetime | None
    place: str
    expected: str
    recorded: str
    event: str | None
    reading: Reading | None
    answer: str
    hands: Sequence[HandDrawn]
    hands_left_out: int


def write_page(
    path: Path,
    lake: ScopedLake,
    figures: Figures,
    causes: Causes,
    header: RunHeader,
    register: Register,
) -> None:
    """Write the report of ``figures`` and the gravest exceptions to ``path``."""
    embedded = min(figures.exceptions, EMBEDDED)
    played = [day for day in figures.days if day.total.rounds or day.total.total]
    style, script = packaged("audit.report", "report.css"), packaged("audit.report", "report.js")
    page = (
        _environment()
        .get_template("report.html")
        .stream(
            header=header,
            figures=figures,
            verdict=verdict(figures),
            # Both are files of this package.
            style=Markup(style),  # nosec B704
            script=Markup(script),  # nosec B704
            policy=policy(style, script),
            venues=text.venues_text(each.venue for each in figures.scope.partitions),
            days_named=text.days_text(each.gaming_date for each in figures.scope.partitions),
            severities=SEVERITIES,
            questions=_questions(figures, header),
            rulebooks=[(name, _title(name)) for name in figures.rulebooks],
            days=[_day_view(day) for day in _days_shown(played)],
            played=len(played),
            causes=[_cause_view(each, register) for each in causes.several[:CAUSES_SHOWN]],
            causes_several=len(causes.several),
            causes_single=len(causes.single),
            exceptions=_exceptions(lake, embedded, causes, register),
            embedded=embedded,
            opened=embedded <= OPENED,
            in_workbook=WORKBOOK_EXCEPTIONS,
            listed=LISTED,
            clauses_shown=CLAUSES_SHOWN,
            checks_known=len(catalogue()),
            quarantined=list(lake.quarantined(QUARANTINE_LINES)),
            resolved=lake.resolved_now(RESOLVED_LINES),
            # Of a night audited for the first time every finding is new, and a mark on each says nothing.
            marked=figures.over_time is not None and figures.over_time["new"] < figures.exceptions,
            text=text,
        )
    )
    page.enable_buffering(200)
    with path.open("wb") as file:
        page.dump(file, encoding="utf-8")


@cache
def _environment() -> Environment:
    return environment(
        "audit.report",
        money=text.money,
        difference=text.difference,
        count=text.count,
        meaning=text.meaning,
        card_parts=text.card_parts,
    )


@cache
def _rulebook(name: str) -> Rulebook | None:
    try:
        return load_rulebook(name)
    except KeyError:
        return None


def _title(name: str) -> str:
    book = _rulebook(name)
    return "" if book is None else book.title


def _days_shown(days: Sequence[Day]) -> Sequence[Day]:
    """The worst days, in the order of all."""
    worst = sorted(range(len(days)), key=lambda place: (days[place].total.gravity, place))[:DAYS]
    return [days[place] for place in sorted(worst)]


def _day_view(day: Day) -> DayView:
    hours = [(f"{hour:02d}:00", tally) for hour, tally in day.hours.items()]
    return DayView(
        day=day,
        title=f"{text.venues_text([day.partition.venue])}, {text.day_text(day.partition.gaming_date)}",
        tables=_lines(day.tables),
        dealers=_lines(day.dealers),
        hours=hours,
        chart=columns([(name[:2], tally) for name, tally in hours]),
    )


def _cause_view(cause: Cause, register: Register) -> CauseView:
    return CauseView(
        cause=cause,
        sentence=sentence(cause, register),
        points_to=points_to(cause),
        chance=chance_words(cause),
        first=cause.numbers[0],
    )


def _questions(figures: Figures, header: RunHeader) -> Sequence[QuestionView]:
    views: dict[tuple[str | None, Question], list[Hanging]] = {}
    for each in figures.hanging:
        question = question_of(each.depends_on, str(each.partition.venue), each.rulebook, header.readings)
        views.setdefault((each.rulebook, question), []).append(each)
    return [QuestionView(rulebook or "", question, lines) for (rulebook, question), lines in views.items()]


def _lines(tallies: Mapping[str | None, Tally]) -> Sequence[Line]:
    """Tables or dealers, the worst first."""
    worst_first = sorted(tallies.items(), key=lambda item: (item[1].gravity, item[0] is None, item[0] or ""))
    most = max((tally.total for _, tally in worst_first), default=0)
    return [Line(_name(key), tally, bar(tally, most)) for key, tally in worst_first]


def _name(key: str | None) -> str:
    return "not recorded" if key is None else key


def _exceptions(lake: ScopedLake, limit: int, causes: Causes, register: Register) -> Iterable[ExceptionView]:
    shared = {number: each.id for each in causes.several for number in each.numbers}
    hands, events = lake.hands(limit), lake.events(limit)
    for row in lake.exceptions(limit):
        event = None if row.seq is None else events.get((row.venue, row.round_id, row.seq))
        reading, answer = _reading(row)
        shown = _hands_about(hands.get((row.venue, row.round_id), []), row.box)
        yield ExceptionView(
            row=row,
            cause=shared.get(row.number, "on its own"),
            table=_name(row.table),
            dealer=_name(row.dealer),
            started=None
            if row.started_us is None
            else text.local_time(row.started_us, text.zone_of(register, row.venue, row.recorded_offset)),
            place=_place(row),
            expected=row.expected.removesuffix(f" ({row.arithmetic})") or "not stated",
            recorded=row.recorded or "not stated",
            event=None if event is None else text.event_words(event, row.currency or ""),
            reading=reading,
            answer=answer,
            hands=shown[:HANDS_SHOWN],
            hands_left_out=max(0, len(shown) - HANDS_SHOWN),
        )


def _place(row: ExceptionRow) -> str:
    return "the round" if row.box is None else text.hand_name(row.box, row.hand)


def _hands_about(hands: Sequence[HandDrawn], box: int | None) -> Sequence[HandDrawn]:
    """The dealer's hand and those of the box; all of them where no box is singled out."""
    return hands if not box else [each for each in hands if each.box in (0, box)]


def _reading(row: ExceptionRow) -> tuple[Reading | None, str]:
    """The question that the exception rests on, and the answer that would clear it."""
    book = _rulebook(row.rulebook) if row.depends_on and row.rulebook else None
    if book is None or row.depends_on is None:
        return None, ""
    question, _, answer = row.depends_on.partition("=")
    return book.readings.get(question.strip()), answer.strip().replace("_", " ")
