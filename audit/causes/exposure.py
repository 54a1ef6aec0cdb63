"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Counted in DuckDB over the tables and views that the report has open, some hundred thousand rounds
of a venue at a time, so that memory is bounded by these. What is kept are numbers by table, dealer
and quarter of an hour; the quarters in which a cause begins and ends are counted round by round.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, TypeAlias

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.causes.families import Family, Subject
from audit.causes.manner import SIGN_COLUMNS
from audit.causes.model import DIMENSIONS, Dimension, Place
from expectations.tables import identifier, literal
from rules_replay.venues import DEFAULT_DAY_START, Register

QUARTER_HOUR = 900_000_000
"""Microseconds by which opportunities are counted in time."""

SHIFTS = ("morning", "evening", "night")
"""Eight hours each, from the start of the gaming day."""

BATCH_ROUNDS = 250_000
"""Rounds whose opportunities are counted at a time, or those of one gaming date if it has more."""

Numbers: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]
Counted: TypeAlias = tuple[int, int, int, int, int]

_COUNTED: Final = ("family", "place", "number", "rounds")
"""What is known of the opportunities of a family at a place."""

_TIMED: Final[tuple[Dimension, ...]] = ("table", "dealer", "shift", "gaming_date")
_BOXED: Final[tuple[Dimension, ...]] = ("table", "box", "kind")
"""The dimensions by which opportunities are counted: with the time, and with box and kind instead."""


def shift_of(microseconds: int, venue: str, register: Register) -> str:
    """The third of the gaming day in which an instant lies, by the clock of the venue."""
    known = register.venues.get(venue)
    zone, start = (UTC, DEFAULT_DAY_START) if known is None else (known.zone, known.day_start)
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).astimezone(zone)
    minutes = (local.hour - start.hour) * 60 + local.minute - start.minute
    return SHIFTS[minutes % 1440 // 480]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Some gaming dates of a venue, and the quarters of an hour of each with rounds in them."""

    venue: str
    dates: Mapping[date, frozenset[int]]

    @property
    def where(self) -> str:
        """The condition on a row of the lake."""
        dates = ", ".join(f"'{each}'" for each in self.dates)
        return f"venue = {literal(self.venue)} AND gaming_date IN ({dates})"

    def during(self, quarters: frozenset[int]) -> _Batch:
        """The gaming dates that have rounds in any of these quarters of an hour."""
        return replace(self, dates={day: each for day, each in self.dates.items() if each & quarters})


class _Names:
    """The values of a dimension, numbered as they come."""

    def __init__(self) -> None:
        self._number: dict[Any, int] = {}

    def of(self, values: Iterable[Any]) -> Numbers:
        """Values by number."""
        number = self._number
        return np.array([number.setdefault(each, len(number)) for each in values], np.int32)

    def find(self, value: Any) -> int:
        """The number of a value; -1 for one that nothing has."""
        return self._number.get(value, -1)

    def listed(self) -> list[Any]:
        """All values in the order of their numbers."""
        return list(self._number)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Opportunities of a family and the rounds with them, by place and quarter of an hour."""

    by: Mapping[Dimension, Numbers]
    quarter: Numbers
    number: Numbers
    rounds: Numbers


class Exposure:
    """The opportunities of some families, counted once and asked often; a family goes by its number."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, families: Sequence[Family], register: Register
    ) -> None:
        self._connection = connection
        self._families = families
        self._names = {each: _Names() for each in _TIMED}
        self._boxed: list[Counter[tuple[Any, ...]]] = [Counter() for _ in families]
        # Where no round of the venues is stored there are no opportunities.
        none: Numbers = np.zeros(0, np.int32)
        self._places: dict[Dimension, list[Numbers]] = {each: [none] for each in _TIMED}
        self._quarters = [none]
        self._found = [dict.fromkeys(_COUNTED, none)]
        self._count = 0
        self._cells = lru_cache(maxsize=1)(self._cells_of)
        dues = [(number, each.venue, *due) for number, each in enumerate(families) for due in each.due]
        self._given("cause_dues", _DUES, dues)
        self._venues = ", ".join(literal(each) for each in sorted({each.venue for each in families}))
        self._given("cause_shifts", _SHIFTS, list(self._shifts(register)))
        self._batches = [self._counted(each) for each in self._dates()]
        self._of_place = {name: np.concatenate(each) for name, each in self._places.items()}
        self._quarter = np.concatenate(self._quarters)
        self._rows = {name: np.concatenate([each[name] for each in self._found]) for name in _COUNTED}
        order = np.argsort(self._rows["family"], kind="stable")
        self._rows = {name: each[order] for name, each in self._rows.items()}
        for number, family in enumerate(families):
            if not family.due:
                at = self.by_place(number, [("table",)], [])["table",]
                self._boxed[number].update({(table, None, None): count for (table,), count in at.items()})

    def _given(self, name: str, schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> None:
        columns = [[row[place] for row in rows] for place in range(len(schema))]
        table = pa.table(
            [pa.array(each, field.type) for each, field in zip(columns, schema, strict=True)], schema=schema
        )
        self._connection.register("given", table)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")
        self._connection.unregister("given")

    def _shifts(self, register: Register) -> Iterator[tuple[str, int, str]]:
        quarters = self._connection.execute(
            f"SELECT DISTINCT venue, {_QUARTER} FROM rounds WHERE venue IN ({self._venues}) ORDER BY ALL"
        ).fetchall()
        for venue, quarter in quarters:
            yield venue, quarter, shift_of(quarter * QUARTER_HOUR, venue, register)

    def _dates(self) -> Iterator[_Batch]:
        """Gaming dates in a row, with `BATCH_ROUNDS` rounds if there are so many."""
        sizes = self._connection.execute(
            "SELECT venue, gaming_date, count(*) FROM rounds "
            f"WHERE venue IN ({self._venues}) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        batch, rounds = _Batch("", {}), 0
        for venue, day, size in sizes:
            if batch.dates and (batch.venue != venue or rounds + size > BATCH_ROUNDS):
                yield batch
                batch, rounds = _Batch("", {}), 0
            batch = _Batch(venue, {**batch.dates, day: frozenset()})
            rounds += size
        if batch.dates:
            yield batch

    # --- counting -------------------------------------------------------------------------

    def _counted(self, batch: _Batch) -> _Batch:
        """Count the opportunities of a batch; returns it with its quarters."""
        families = [number for number, each in enumerate(self._families) if each.venue == batch.venue]
        rounds = self._open(batch, families)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE cause_wagers AS {_wagers(batch)}")
        timed = [_BY_TIME.format(rounds="count(DISTINCT no)", opportunities="cause_wagers")]
        timed += [_BY_TIME.format(rounds="count(*)", opportunities=f"({each})") for each in rounds]
        places = self._connection.execute(_PLACES).fetchall()
        self._keep(places, self._connection.execute(" UNION ALL ".join(timed)).fetchnumpy())
        for number, table, box, kind, count in self._connection.execute(_BY_BOX).fetchall():
            self._boxed[number][table, box, kind] += count
        quarters: dict[date, set[int]] = defaultdict(set)
        for *_, day, quarter in places:
            quarters[day].add(quarter)
        return replace(batch, dates={day: frozenset(quarters[day]) for day in batch.dates})

    def _open(
        self, batch: _Batch, families: Iterable[int], quarters: Iterable[int] | None = None
    ) -> list[str]:
        """Have the rounds of a batch, or those of some quarters of an hour, in ``cause_rounds``.

        Returns queries for the opportunities of those of the families that are rounds.
        """
        where = batch.where
        if quarters is not None:
            where += f" AND {_QUARTER} IN ({', '.join(map(str, sorted(quarters)))})"
        self._connection.execute(_ROUNDS.format(venue=literal(batch.venue), where=where))
        of_rounds = {number: self._families[number] for number in families if not self._families[number].due}
        rows = {
            each.subject[1]
            for each in of_rounds.values()
            if each.subject and each.subject[0] == "settlements"
        }
        settled = {each: f"s{number}" for number, each in enumerate(sorted(rows))}
        if settled:
            marks = ", ".join(f"bool_or({rows}) AS {name}" for rows, name in settled.items())
            self._connection.execute(_SETTLED.format(marks=marks, where=batch.where))
        return [
            _OF_ROUNDS.format(number=number, having=_having(each.subject, batch, settled), where=each.where)
            for number, each in of_rounds.items()
        ]

    def _keep(self, places: Sequence[tuple[Any, ...]], found: Mapping[str, npt.NDArray[Any]]) -> None:
        *by, quarters = zip(*places, strict=True)
        for name, values in zip(_TIMED, by, strict=True):
            self._places[name].append(self._names[name].of(values))
        self._quarters.append(np.array(quarters, np.int32))
        kept = {name: found[name].astype(np.int32) for name in _COUNTED}
        # Places are numbered from 1 in each batch.
        kept["place"] += self._count - 1
        self._count += len(places)
        self._found.append(kept)

    def _cells_of(self, family: int) -> _Cells:
        first, end = np.searchsorted(self._rows["family"], [family, family + 1])
        place = self._rows["place"][first:end]
        return _Cells(
            by={name: self._of_place[name][place] for name in _TIMED},
            quarter=self._quarter[place],
            number=self._rows["number"][first:end],
            rounds=self._rows["rounds"][first:end],
        )

    # --- asking ---------------------------------------------------------------------------

    def by_place(
        self, family: int, dimensions: Iterable[tuple[Dimension, ...]], without: Sequence[Place]
    ) -> Mapping[tuple[Dimension, ...], Mapping[tuple[Any, ...], int]]:
        """Opportunities of a family by each combination of dimensions, without those of some places."""
        cells = self._cells(family)
        kept = self._outside(cells, without)
        boxed = self._boxed_without(family, without)
        found: dict[tuple[Dimension, ...], dict[tuple[Any, ...], int]] = {}
        for some in dimensions:
            if {"box", "kind"} & set(some):
                counted: Counter[tuple[Any, ...]] = Counter()
                for values, number in boxed.items():
                    at = dict(zip(_BOXED, values, strict=True))
                    counted[tuple(at[each] for each in some)] += number
                found[some] = dict(counted)
            else:
                found[some] = self._summed(cells, kept, some)
        return found

    def _summed(self, cells: _Cells, kept: Mask, some: Sequence[Dimension]) -> dict[tuple[Any, ...], int]:
        names = [self._names[each].listed() for each in some]
        if not len(cells.number) and some:
            return {}
        if not some:
            return {(): int(cells.number[kept].sum())}
        sizes = tuple(map(len, names))
        keys = np.ravel_multi_index([cells.by[each][kept] for each in some], sizes)
        sums = np.bincount(keys, weights=cells.number[kept])
        found = {}
        for key in np.flatnonzero(sums).tolist():
            of = np.unravel_index(key, sizes)
            found[tuple(values[int(each)] for values, each in zip(names, of, strict=True))] = int(sums[key])
        return found

    def _at(self, cells: _Cells, place: Place) -> Mask:
        """The cells that lie in a place."""
        found = np.ones(len(cells.number), np.bool_)
        for dimension, value in place:
            found &= cells.by[dimension] == self._names[dimension].find(value)
        return found

    def _outside(self, cells: _Cells, places: Iterable[Place]) -> Mask:
        """The cells that lie in none of the places, as far as these are told apart by dealer and time."""
        found = np.ones(len(cells.number), np.bool_)
        for place in places:
            if place and all(dimension in _TIMED for dimension, _ in place):
                found &= ~self._at(cells, place)
        return found

    def _boxed_without(self, family: int, places: Iterable[Place]) -> Mapping[tuple[Any, ...], int]:
        """Opportunities by table, box and kind without those of the places that are told apart by these."""
        left: Mapping[tuple[Any, ...], int] = self._boxed[family]
        for place in places:
            if place and all(dimension in _BOXED for dimension, _ in place):
                left = {
                    values: number
                    for values, number in left.items()
                    if any(values[_BOXED.index(dimension)] != value for dimension, value in place)
                }
        return left

    def between(self, family: int, inside: Place, without: Sequence[Place], quarters: tuple[int, int]) -> int:
        """Opportunities at a place and outside of others from one quarter of an hour to another."""
        if _is_boxed(inside) or any(map(_is_boxed, without)):
            return 0
        cells = self._cells(family)
        first, last = quarters
        here = self._at(cells, inside) & self._outside(cells, without)
        return int(cells.number[here & (cells.quarter >= first) & (cells.quarter <= last)].sum())

    def spans(self, wanted: Sequence[tuple[int, Place, int, int]]) -> list[Counted]:
        """Of families at places from one instant to another, in microseconds since 1970 UTC.

        Each time the opportunities there, the rounds in which they were, those before, those after,
        and those elsewhere in the meantime.
        """
        spans = [_Span(number, *each) for number, each in enumerate(wanted)]
        total = np.zeros((len(spans), 5), np.int64)
        boxed = [each for each in spans if _is_boxed(each.place)]
        timed = [each for each in spans if not _is_boxed(each.place)]
        for span in timed:
            total[span.number] += self._in_whole_quarters(span)
        for batch in self._batches:
            if some := [each for each in timed if self._is_of(each, batch)]:
                edges = frozenset[int]().union(*(each.edges for each in some))
                if (during := batch.during(edges)).dates:
                    self._add_spans(total, some, during, edges)
            if some := [each for each in boxed if self._is_of(each, batch)]:
                self._add_spans(total, some, batch)
        return [(a, b, c, d, e) for a, b, c, d, e in total.tolist()]

    def _is_of(self, span: _Span, batch: _Batch) -> bool:
        return self._families[span.family].venue == batch.venue

    def _in_whole_quarters(self, span: _Span) -> Counted:
        """What `spans` counts, without the quarters of an hour in which the span begins and ends."""
        cells = self._cells(span.family)
        here = self._at(cells, span.place)
        begins, ends = min(span.edges), max(span.edges)
        within = (cells.quarter > begins) & (cells.quarter < ends)
        return (
            int(cells.number[here & within].sum()),
            int(cells.rounds[here & within].sum()),
            int(cells.number[here & (cells.quarter < begins)].sum()),
            int(cells.number[here & (cells.quarter > ends)].sum()),
            int(cells.number[~here & within].sum()),
        )

    def _add_spans(
        self,
        total: npt.NDArray[np.int64],
        spans: Sequence[_Span],
        batch: _Batch,
        edges: frozenset[int] | None = None,
    ) -> None:
        """Count the rounds of a batch one by one: all, or those in which a span begins or ends."""
        self._given("cause_spans", _SPAN_COLUMNS, [each.row for each in spans])
        families = sorted({each.family for each in spans})
        opportunities = self._open(batch, families, edges)
        of_wagers = ", ".join(str(each) for each in families if self._families[each].due)
        if of_wagers:
            opportunities.append(f"SELECT * FROM ({_wagers(batch)}) WHERE family IN ({of_wagers})")
        at = f"o.quarter IN (c.first // {QUARTER_HOUR}, c.last // {QUARTER_HOUR})"
        rows = self._connection.execute(
            _SPANS.format(opportunities=" UNION ALL ".join(opportunities), at="true" if edges is None else at)
        ).fetchall()
        for number, *counted in rows:
            total[number] += counted


@dataclass(frozen=True, slots=True)
class _Span:
    """A time at a place, and a family whose opportunities there are asked for."""

    number: int
    family: int
    place: Place
    first: int
    last: int

    @property
    def edges(self) -> frozenset[int]:
        """The quarters of an hour in which it begins and ends."""
        return frozenset((self.first // QUARTER_HOUR, self.last // QUARTER_HOUR))

    @property
    def row(self) -> tuple[Any, ...]:
        """The span in the order of `_SPAN_COLUMNS`."""
        at = dict(self.place)
        return (self.number, self.family, self.first, self.last, *(at.get(each) for each in DIMENSIONS))


def _is_boxed(place: Place) -> bool:
    return any(dimension in ("box", "kind") for dimension, _ in place)


_QUARTER: Final = f"epoch_us(started_at) // {QUARTER_HOUR}"
_AT: Final = 'no, place, started, quarter, "table", dealer, shift, r.gaming_date'
_SIGNS: Final = ", ".join(sorted({identifier(each) for some in SIGN_COLUMNS.values() for each in some}))

_ROUNDS: Final = f"""
CREATE OR REPLACE TEMP TABLE cause_rounds AS
SELECT *, row_number() OVER () AS no,
    dense_rank() OVER (ORDER BY "table", dealer, gaming_date, quarter) AS place
FROM (
    SELECT round_id, gaming_date, "table", dealer, epoch_us(started_at) AS started, {_QUARTER} AS quarter,
        records, {_SIGNS}
    FROM rounds WHERE {{where}}
) LEFT JOIN (SELECT quarter, shift FROM cause_shifts WHERE venue = {{venue}}) USING (quarter)
"""
_PLACES: Final = """
SELECT "table", dealer, shift, gaming_date, quarter FROM cause_rounds
GROUP BY place, "table", dealer, shift, gaming_date, quarter ORDER BY place
"""


def _wagers(batch: _Batch) -> str:
    """The opportunities of a batch that are wagers."""
    return f"""
SELECT d.family, {_AT}, box, kind
FROM (
    SELECT gaming_date, round_id, box, kind, clause, expected_result, coalesce(odds, '') AS odds, line
    FROM settlements WHERE {batch.where}
) s
JOIN (SELECT * FROM cause_dues WHERE venue = {literal(batch.venue)}) d
    ON d.clause = s.clause AND d.result = s.expected_result AND d.odds = s.odds AND d.line = s.line
JOIN cause_rounds r ON r.gaming_date = s.gaming_date AND r.round_id = s.round_id"""


def _having(subject: Subject | None, batch: _Batch, settled: Mapping[str, str]) -> str:
    """Restricts rounds to those with a row of the subject; ``settled`` has the columns of `_SETTLED`."""
    if subject is None:
        return ""
    table, rows = subject
    if table == "settlements":
        return f"SEMI JOIN (SELECT no FROM cause_settled WHERE {settled[rows]}) USING (no)"
    having = f"SELECT gaming_date, round_id FROM {table} WHERE {batch.where} AND ({rows})"
    return f"SEMI JOIN ({having}) USING (gaming_date, round_id)"


_OF_ROUNDS: Final = f"""
SELECT {{number}}::INTEGER AS family, {_AT}, NULL::SMALLINT AS box, NULL::VARCHAR AS kind
FROM cause_rounds r {{having}} WHERE {{where}}"""
_SETTLED: Final = """
CREATE OR REPLACE TEMP TABLE cause_settled AS
SELECT r.no, {marks}
FROM settlements s JOIN cause_rounds r USING (gaming_date, round_id) WHERE {where} GROUP BY r.no
"""

_BY_TIME: Final = (
    "SELECT family, place, count(*) AS number, {rounds} AS rounds FROM {opportunities} GROUP BY family, place"
)
_BY_BOX: Final = (
    'SELECT family, "table", box, kind, count(*) FROM cause_wagers GROUP BY family, "table", box, kind'
)

_HERE: Final = " AND ".join(
    f"(c.{identifier(each)} IS NULL OR c.{identifier(each)} = o.{identifier(each)})" for each in DIMENSIONS
)
_SPANS: Final = f"""
SELECT number, count(*) FILTER (here AND started BETWEEN first AND last),
    count(DISTINCT no) FILTER (here AND started BETWEEN first AND last),
    count(*) FILTER (here AND started < first), count(*) FILTER (here AND started > last),
    count(*) FILTER (NOT here AND started BETWEEN first AND last)
FROM (
    SELECT c.number, c.first, c.last, o.started, o.no, coalesce({_HERE}, false) AS here
    FROM ({{opportunities}}) o JOIN cause_spans c ON c.family = o.family AND {{at}}
) GROUP BY number
"""

_DUES: Final = pa.schema(
    [
        ("family", pa.int32()),
        ("venue", pa.string()),
        ("clause", pa.string()),
        ("result", pa.string()),
        ("odds", pa.string()),
        ("line", pa.string()),
    ]
)
_SHIFTS: Final = pa.schema([("venue", pa.string()), ("quarter", pa.int64()), ("shift", pa.string())])
_SPAN_COLUMNS: Final = pa.schema(
    [
        ("number", pa.int32()),
        ("family", pa.int32()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("table", pa.string()),
        ("dealer", pa.string()),
        ("box", pa.int16()),
        ("kind", pa.string()),
        ("shift", pa.string()),
        ("gaming_date", pa.date32()),
    ]
)
