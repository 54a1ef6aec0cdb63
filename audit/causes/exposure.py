"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Read in DuckDB from the tables and views that the report has open, some ten thousand rounds of the
venue at a time, and counted as arrays: by table, dealer and quarter of an hour. Rounds and wagers wait
in a file for the quarters in which causes begin and end to be counted round by round. So memory is
bounded by what is read at a time and by the number of places, not by that of the rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import IO, Any, Final, Self, TypeAlias

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.causes.families import Family
from audit.causes.model import DIMENSIONS, Dimension, Place
from expectations.tables import literal
from rules_replay.venues import DEFAULT_DAY_START, Register

QUARTER_HOUR = 900_000_000
"""Microseconds by which opportunities are counted in time."""

SHIFTS = ("morning", "evening", "night")
"""Eight hours each, from the start of the gaming day."""

BATCH_ROUNDS = 100_000
"""Rounds whose opportunities are counted at a time, or those of one gaming date if it has more."""

Numbers: TypeAlias = npt.NDArray[np.int32]
Wide: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Due: TypeAlias = tuple[str, str, str, str]
Counted: TypeAlias = tuple[int, int, int, int, int]

_TIMED: Final[tuple[Dimension, ...]] = ("table", "dealer", "shift", "gaming_date")
_BOXED: Final[tuple[Dimension, ...]] = ("table", "box", "kind")
"""The dimensions by which opportunities are counted: with the time, and with box and kind instead."""
_NEITHER: Final = 0
"""The number of no box and no kind, where opportunities are rounds."""


def shift_of(microseconds: int, venue: str, register: Register) -> str:
    """The third of the gaming day in which an instant lies, by the clock of the venue."""
    known = register.venues.get(venue)
    zone, start = (UTC, DEFAULT_DAY_START) if known is None else (known.zone, known.day_start)
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).astimezone(zone)
    minutes = (local.hour - start.hour) * 60 + local.minute - start.minute
    return SHIFTS[minutes % 1440 // 480]


class _Names:
    """The values of a dimension, numbered as they come."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._number: dict[Any, int] = {each: number for number, each in enumerate(values)}

    def __len__(self) -> int:
        return len(self._number)

    def of(self, values: Iterable[Any]) -> Numbers:
        """Values by number."""
        number = self._number
        return np.array([number.setdefault(each, len(number)) for each in values], np.int32)

    def of_column(self, column: pa.ChunkedArray) -> Numbers:
        """The values of a column by number, a null being a value as well."""
        coded = column.combine_chunks().dictionary_encode("encode")
        found: Numbers = self.of(coded.dictionary.to_pylist())[coded.indices.to_numpy()]
        return found

    def find(self, value: Any) -> int:
        """The number of a value; -1 for one that nothing has."""
        return self._number.get(value, -1)


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Rounds in the order in which they started, and those of their wagers that are opportunities.

    ``place`` is what they have in common with others, by number, ``flags`` which conditions and
    subjects hold, a row each. Of a wager ``no`` is the place of its round here, in this order.
    """

    started: Wide
    place: Numbers
    flags: Mask
    no: Numbers
    due: Numbers
    box: Numbers
    kind: Numbers

    def save(self, file: IO[bytes]) -> None:
        for each in fields(self):
            np.save(file, getattr(self, each.name), allow_pickle=False)

    @classmethod
    def load(cls, file: IO[bytes]) -> Self:
        return cls(*(np.load(file, allow_pickle=False) for _ in fields(cls)))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Opportunities of a family and the rounds with them, by place and quarter of an hour."""

    place: Numbers
    number: Numbers
    rounds: Numbers


@dataclass(frozen=True, slots=True)
class _Sums:
    """Opportunities of a family, by table, box and kind of wager."""

    by: Mapping[Dimension, Numbers]
    number: Numbers

    def and_those_of(self, boxed: Mapping[Dimension, Numbers]) -> _Sums:
        """With more of them, one by one."""
        by = [np.concatenate([self.by[name], boxed[name]]) for name in _BOXED]
        number = np.concatenate([self.number, np.ones(len(by[0]) - len(self.number), np.int32)])
        one, alike = _unlike(by)
        sums = np.bincount(alike, weights=number, minlength=len(one)).astype(np.int32)
        return _Sums({name: each[one] for name, each in zip(_BOXED, by, strict=True)}, sums)


class Exposed:
    """Opportunities by some dimensions: at how many places there are any, and the ``whole`` of them."""

    def __init__(self, names: Sequence[_Names], keys: Wide, number: npt.NDArray[np.number[Any]]) -> None:
        self._names = names
        # Of no dimensions there is one place, whatever is there.
        some = number > 0 if names else np.ones(len(number), np.bool_)
        sums = number[some].astype(np.int64)
        self._number: dict[int, int] = dict(zip(keys[some].tolist(), sums.tolist(), strict=True))
        self.places = len(self._number)
        self.whole = sum(self._number.values())

    def at(self, values: Iterable[Any]) -> int:
        """Those at one place."""
        key = 0
        for names, value in zip(self._names, values, strict=True):
            number = names.find(value)
            if number < 0:
                return 0
            key = key * len(names) + number
        return self._number.get(key, 0)


class Exposure:
    """The opportunities of some families of a venue, counted once and asked often.

    A family goes by its number. Rounds and wagers are written to ``file``, which is empty.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        venue: str,
        families: Sequence[Family],
        register: Register,
        file: IO[bytes],
    ) -> None:
        self._connection = connection
        self._venue = venue
        self._register = register
        self._families = families
        self._file = file
        # No box and no kind come first, as `_NEITHER`.
        self._names: dict[Dimension, _Names] = {
            each: _Names([None] if each in ("box", "kind") else []) for each in DIMENSIONS
        }
        self._shift: dict[int, int] = {}
        dues = sorted({due for each in families for due in each.due})
        self._is_due = [np.array([due in each.due for due in dues], np.bool_) for each in families]
        of_rounds = [each for each in families if not each.due]
        self._wheres = sorted({each.where for each in of_rounds})
        self._subjects = sorted({each.subject for each in of_rounds if each.subject is not None})
        self._tell_dues(dues)
        none: Numbers = np.zeros(0, np.int32)
        self._of_place: dict[Dimension, Numbers] = dict.fromkeys(_TIMED, none)
        self._quarter = none
        # Where no round of the venue is stored there are no opportunities.
        self._found = [[_Cells(none, none, none)] for _ in families]
        self._boxed = [_Sums(dict.fromkeys(_BOXED, none), none) for _ in families]
        self._batches = 0
        for days in self._dates():
            self._count(days)
        # Which places lie on the same gaming date, shift, table and dealer, whatever the quarter.
        one, self._day_of_place = _unlike(list(self._of_place.values()))
        self._by_day = {name: each[one] for name, each in self._of_place.items()}
        self._keys_by_day = cache(self._keys_by_day_of)
        self._cells = lru_cache(maxsize=1)(self._cells_of)

    def _tell_dues(self, dues: Sequence[Due]) -> None:
        rows = [(number, *due) for number, due in enumerate(dues)]
        columns = [[row[place] for row in rows] for place in range(len(_DUES))]
        given = [pa.array(each, field.type) for each, field in zip(columns, _DUES, strict=True)]
        self._connection.register("given", pa.table(given, schema=_DUES))
        self._connection.execute("CREATE OR REPLACE TEMP TABLE cause_dues AS SELECT * FROM given")
        self._connection.unregister("given")

    def _dates(self) -> Iterator[list[date]]:
        """Gaming dates in a row, with `BATCH_ROUNDS` rounds if there are so many."""
        sizes = self._connection.execute(
            f"SELECT gaming_date, count(*) FROM rounds WHERE venue = {literal(self._venue)} "
            "GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        days: list[date] = []
        rounds = 0
        for day, size in sizes:
            if days and rounds + size > BATCH_ROUNDS:
                yield days
                days, rounds = [], 0
            days.append(day)
            rounds += size
        if days:
            yield days

    # --- counting -------------------------------------------------------------------------

    def _count(self, days: Sequence[date]) -> None:
        """Count the opportunities on some gaming dates."""
        dates = ", ".join(f"'{each}'" for each in days)
        where = f"venue = {literal(self._venue)} AND gaming_date IN ({dates})"
        rounds = self._read(where)
        rounds.save(self._file)
        self._batches += 1
        table = self._of_place["table"][rounds.place]
        for number in range(len(self._families)):
            no, box, kind = self._opportunities(number, rounds, 0, len(rounds.place))
            boxed: dict[Dimension, Numbers] = {"table": table[no], "box": box, "kind": kind}
            self._boxed[number] = self._boxed[number].and_those_of(boxed)
            self._found[number].append(_counted(rounds.place[no], _first(no)))

    def _opportunities(
        self, number: int, rounds: _Rounds, first: int, end: int
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Those of a family in the rounds from ``first`` to before ``end``: round, box and kind of each."""
        family = self._families[number]
        if family.due:
            begin, beyond = np.searchsorted(rounds.no, [first, end]).tolist()
            wagers = begin + np.flatnonzero(self._is_due[number][rounds.due[begin:beyond]])
            return rounds.no[wagers], rounds.box[wagers], rounds.kind[wagers]
        no = (first + np.flatnonzero(self._holds(family, rounds.flags[:, first:end]))).astype(np.int32)
        neither = np.full(len(no), _NEITHER, np.int32)
        return no, neither, neither

    def _holds(self, family: Family, flags: Mask) -> Mask:
        """Which rounds are opportunities of a family of rounds."""
        holds: Mask = flags[self._wheres.index(family.where)]
        if family.subject is not None:
            holds = holds & flags[len(self._wheres) + self._subjects.index(family.subject)]
        return holds

    def _read(self, where: str) -> _Rounds:
        holds = "".join(
            f", coalesce({each}, false) AS holds_{number}" for number, each in enumerate(self._wheres)
        )
        self._connection.execute(_ROUNDS.format(holds=holds, where=where))
        found = self._arrow("SELECT * EXCLUDE (round_id) FROM cause_rounds")
        started = found["started"].to_numpy()
        order = np.argsort(started, kind="stable")
        # Where in this order the round of a number is.
        order_of = np.empty(len(order), np.int32)
        order_of[found["no"].to_numpy()[order]] = np.arange(len(order), dtype=np.int32)
        flags = np.zeros((len(self._wheres) + len(self._subjects), len(order)), np.bool_)
        for number, _ in enumerate(self._wheres):
            flags[number] = found[f"holds_{number}"].to_numpy()[order]
        for table in sorted({table for table, _ in self._subjects}):
            some = {f"has_{number}": rows for number, (of, rows) in enumerate(self._subjects) if of == table}
            having = self._arrow(
                _HAVING.format(
                    has=", ".join(f"coalesce({rows}, false) AS {name}" for name, rows in some.items()),
                    table=table,
                    where=where,
                    any=" OR ".join(f"({rows})" for rows in some.values()),
                    names=", ".join(some),
                )
            )
            no = order_of[having["no"].to_numpy()]
            for name in some:
                number = len(self._wheres) + int(name.removeprefix("has_"))
                flags[number, no[having[name].to_numpy()]] = True
        started = started[order]
        place = self._placed(
            {
                "table": self._names["table"].of_column(found["table"])[order],
                "dealer": self._names["dealer"].of_column(found["dealer"])[order],
                "gaming_date": self._names["gaming_date"].of_column(found["gaming_date"])[order],
            },
            (started // QUARTER_HOUR).astype(np.int32),
        )
        wagers = self._arrow(_WAGERS.format(where=where))
        no = order_of[wagers["no"].to_numpy()]
        by_round = np.argsort(no, kind="stable")
        return _Rounds(
            started=started,
            place=place,
            flags=flags,
            no=no[by_round],
            due=wagers["due"].to_numpy()[by_round],
            box=self._names["box"].of_column(wagers["box"])[by_round],
            kind=self._names["kind"].of_column(wagers["kind"])[by_round],
        )

    def _arrow(self, query: str) -> pa.Table:
        return self._connection.sql(query).to_arrow_table()

    def _placed(self, by: dict[Dimension, Numbers], quarter: Numbers) -> Numbers:
        """Number the places of rounds by table, dealer, gaming date and quarter of an hour."""
        one, place = _unlike([*by.values(), quarter - quarter.min()])
        quarter = quarter[one]
        found = {name: each[one] for name, each in by.items()} | {"shift": self._shifts(quarter)}
        place += len(self._quarter)
        self._of_place = {name: np.concatenate([self._of_place[name], found[name]]) for name in _TIMED}
        self._quarter = np.concatenate([self._quarter, quarter])
        return place

    def _shifts(self, quarters: Numbers) -> Numbers:
        known = self._shift
        for each in np.unique(quarters).tolist():
            if each not in known:
                name = shift_of(each * QUARTER_HOUR, self._venue, self._register)
                (known[each],) = self._names["shift"].of([name]).tolist()
        return np.array([known[each] for each in quarters.tolist()], np.int32)

    # --- asking ---------------------------------------------------------------------------

    def by_place(
        self, family: int, dimensions: Iterable[tuple[Dimension, ...]], without: Sequence[Place]
    ) -> Mapping[tuple[Dimension, ...], Exposed]:
        """Opportunities of a family by each combination of dimensions, without those of some places."""
        cells = self._cells(family)
        days = len(self._by_day["table"])
        daily = np.bincount(self._day_of_place[cells.place], weights=cells.number, minlength=days)
        daily[~self._outside(self._by_day, without, _TIMED)] = 0
        boxed = self._boxed[family]
        beyond = self._outside(boxed.by, without, _BOXED)
        found: dict[tuple[Dimension, ...], Exposed] = {}
        for some in dimensions:
            names = [self._names[each] for each in some]
            if {"box", "kind"} & set(some):
                keys, of_key = np.unique(self._keys(boxed.by, some)[beyond], return_inverse=True)
                number = np.bincount(of_key, weights=boxed.number[beyond], minlength=len(keys))
            else:
                keys, of_key = self._keys_by_day(some)
                number = np.bincount(of_key, weights=daily, minlength=len(keys))
            found[some] = Exposed(names, keys, number)
        return found

    def _keys(self, by: Mapping[Dimension, Numbers], some: Iterable[Dimension]) -> Wide:
        """One number for the values of some dimensions, as `Exposed` makes it of the values."""
        keys = np.zeros(len(next(iter(by.values()))), np.int64)
        for each in some:
            keys = keys * len(self._names[each]) + by[each]
        return keys

    def _keys_by_day_of(self, some: tuple[Dimension, ...]) -> tuple[Wide, Wide]:
        keys, of_key = np.unique(self._keys(self._by_day, some), return_inverse=True)
        return keys, of_key

    def _cells_of(self, family: int) -> _Cells:
        found = self._found[family]
        return _Cells(*(np.concatenate([getattr(each, name) for each in found]) for name in _CELLS))

    def _at(self, by: Mapping[Dimension, Numbers], place: Place) -> Mask:
        """What lies in a place, by the numbers of its values."""
        found = np.ones(len(next(iter(by.values()))), np.bool_)
        for dimension, value in place:
            found &= by[dimension] == self._names[dimension].find(value)
        return found

    def _outside(
        self, by: Mapping[Dimension, Numbers], places: Iterable[Place], known: Sequence[Dimension]
    ) -> Mask:
        """What lies in none of the places, as far as these are told apart by what is known."""
        found = np.ones(len(next(iter(by.values()))), np.bool_)
        for place in places:
            if place and all(dimension in known for dimension, _ in place):
                found &= ~self._at(by, place)
        return found

    def between(self, family: int, inside: Place, without: Sequence[Place], quarters: tuple[int, int]) -> int:
        """Opportunities at a place and outside of others from one quarter of an hour to another."""
        if _is_boxed(inside) or any(map(_is_boxed, without)):
            return 0
        cells = self._cells(family)
        first, last = quarters
        here = self._at(self._of_place, inside) & self._outside(self._of_place, without, _TIMED)
        here &= (self._quarter >= first) & (self._quarter <= last)
        return int(cells.number[here[cells.place]].sum())

    def spans(self, wanted: Sequence[tuple[int, Place, int, int]]) -> list[Counted]:
        """Of families at places from one instant to another, in microseconds since 1970 UTC.

        Each time the opportunities there, the rounds in which they were, those before, those after,
        and those elsewhere in the meantime.
        """
        spans = [_Span(*each) for each in wanted]
        total = np.zeros((len(spans), 5), np.int64)
        for number, span in enumerate(spans):
            if not _is_boxed(span.place):
                total[number] += self._in_whole_quarters(span)
        self._file.seek(0)
        for _ in range(self._batches):
            rounds = _Rounds.load(self._file)
            quarter = self._quarter[rounds.place]
            for number, span in enumerate(spans):
                if _is_boxed(span.place):
                    total[number] += self._one_by_one(span, rounds, 0, len(quarter))
                    continue
                for each in span.edges:
                    first, end = np.searchsorted(quarter, [each, each + 1]).tolist()
                    if first < end:
                        total[number] += self._one_by_one(span, rounds, first, end)
        return [(a, b, c, d, e) for a, b, c, d, e in total.tolist()]

    def _in_whole_quarters(self, span: _Span) -> Counted:
        """What `spans` counts, without the quarters of an hour in which the span begins and ends."""
        cells = self._cells(span.family)
        here = self._at(self._of_place, span.place)[cells.place]
        quarter = self._quarter[cells.place]
        begins, ends = min(span.edges), max(span.edges)
        within = (quarter > begins) & (quarter < ends)
        return (
            int(cells.number[here & within].sum()),
            int(cells.rounds[here & within].sum()),
            int(cells.number[here & (quarter < begins)].sum()),
            int(cells.number[here & (quarter > ends)].sum()),
            int(cells.number[~here & within].sum()),
        )

    def _one_by_one(self, span: _Span, rounds: _Rounds, first: int, end: int) -> Counted:
        """What `spans` counts, of the rounds from ``first`` to before ``end``."""
        no, box, kind = self._opportunities(span.family, rounds, first, end)
        by: dict[Dimension, Numbers] = {"box": box, "kind": kind}
        place, started = rounds.place[no], rounds.started[no]
        by |= {name: self._of_place[name][place] for name, _ in span.place if name in _TIMED}
        here = self._at(by, span.place)
        within = (started >= span.first) & (started <= span.last)
        return (
            int(np.count_nonzero(here & within)),
            int(np.count_nonzero(_first(no[here & within]))),
            int(np.count_nonzero(here & (started < span.first))),
            int(np.count_nonzero(here & (started > span.last))),
            int(np.count_nonzero(~here & within)),
        )


@dataclass(frozen=True, slots=True)
class _Span:
    """A time at a place, and a family whose opportunities there are asked for."""

    family: int
    place: Place
    first: int
    last: int

    @property
    def edges(self) -> frozenset[int]:
        """The quarters of an hour in which it begins and ends."""
        return frozenset((self.first // QUARTER_HOUR, self.last // QUARTER_HOUR))


def _is_boxed(place: Place) -> bool:
    return any(dimension in ("box", "kind") for dimension, _ in place)


def _first(no: Numbers) -> Mask:
    """Which of some numbers in order are not the same as the one before."""
    found = np.ones(len(no), np.bool_)
    found[1:] = no[1:] != no[:-1]
    return found


def _counted(place: Numbers, first: Mask) -> _Cells:
    """Opportunities by place; ``first`` are those that are the first of their round."""
    number = np.bincount(place)
    rounds = np.bincount(place[first], minlength=len(number))
    places = np.flatnonzero(number)
    return _Cells(places.astype(np.int32), number[places].astype(np.int32), rounds[places].astype(np.int32))


def _unlike(by: Sequence[Numbers]) -> tuple[Wide, Numbers]:
    """Rows with the same numbers by another number: where there is one of each, and that of every row."""
    keys = np.zeros(len(by[0]), np.int64)
    for each in by:
        size = int(each.max(initial=0)) + 1
        if int(keys.max(initial=0)) >= _WIDEST // size:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        keys = keys * size + each
    highest = int(keys.max(initial=0))
    if highest >= max(_DENSE, len(keys)):
        _, one, alike = np.unique(keys, return_index=True, return_inverse=True)
        return one, alike.astype(np.int32)
    # Where so many numbers are few there is no need to sort.
    one = np.full(highest + 1, -1, np.int64)
    one[keys] = np.arange(len(keys))
    known = one >= 0
    return one[known], (np.cumsum(known) - 1).astype(np.int32)[keys]


_WIDEST: Final = 1 << 62
_DENSE: Final = 1 << 16
_CELLS: Final = tuple(each.name for each in fields(_Cells))

_ROUNDS: Final = """
CREATE OR REPLACE TEMP TABLE cause_rounds AS
SELECT (row_number() OVER () - 1)::INTEGER AS no, round_id, gaming_date, "table", dealer,
    epoch_us(started_at) AS started{holds}
FROM rounds WHERE {where}
"""
_HAVING: Final = """
SELECT r.no, {names}
FROM (SELECT gaming_date, round_id, {has} FROM {table} WHERE {where} AND ({any})) h
JOIN cause_rounds r ON r.gaming_date = h.gaming_date AND r.round_id = h.round_id
"""
_WAGERS: Final = """
SELECT r.no, d.due, s.box, s.kind
FROM (
    SELECT gaming_date, round_id, box, kind, clause, expected_result, coalesce(odds, '') AS odds, line
    FROM settlements WHERE {where}
) s
JOIN cause_dues d ON d.clause = s.clause AND d.result = s.expected_result AND d.odds = s.odds
    AND d.line = s.line
JOIN cause_rounds r ON r.gaming_date = s.gaming_date AND r.round_id = s.round_id
"""
_DUES: Final = pa.schema(
    [
        ("due", pa.int32()),
        ("clause", pa.string()),
        ("result", pa.string()),
        ("odds", pa.string()),
        ("line", pa.string()),
    ]
)
