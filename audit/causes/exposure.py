"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Read from the files of the lake as numbers, a row group at a time, and counted some ten thousand rounds
of the venue at a time: by table, dealer and quarter of an hour. Rounds and wagers wait
in a file for the quarters in which causes begin and end to be counted round by round. So memory is
bounded by what is read at a time and by the number of places, not by that of the rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.causes.conditions import Condition, Mask, Numbers, Rows, row_groups
from audit.causes.families import Family
from audit.causes.model import DIMENSIONS, Dimension, Place
from audit.lake import Partition
from rules_replay.log import INSTANT
from rules_replay.venues import DEFAULT_DAY_START, Register

QUARTER_HOUR = 900_000_000
"""Microseconds by which opportunities are counted in time."""

SHIFTS = ("morning", "evening", "night")
"""Eight hours each, from the start of the gaming day."""

BATCH_ROUNDS = 100_000
"""Rounds whose opportunities are counted at a time, or those of one gaming date if it has more."""

Stored: TypeAlias = Mapping[str, Mapping[Partition, Sequence[Path]]]
"""The files of the partitions in scope, by table."""

Wide: TypeAlias = npt.NDArray[np.int64]
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

    def of_column(self, rows: Rows, name: str) -> Numbers:
        """The values of a column by number, a null being a value as well."""
        places, values = rows.coded(name)
        there = np.flatnonzero(np.bincount(places, minlength=len(values)))
        found = np.zeros(len(values), np.int32)
        found[there] = self.of(values[each] for each in there.tolist())
        return found[places]

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
        files: Stored,
        venue: str,
        families: Sequence[Family],
        register: Register,
        file: IO[bytes],
    ) -> None:
        self._files = files
        self._venue = venue
        self._register = register
        self._families = families
        self._file = file
        # No box and no kind come first, as `_NEITHER`.
        self._names: dict[Dimension, _Names] = {
            each: _Names([None] if each in ("box", "kind") else []) for each in DIMENSIONS
        }
        self._shift: dict[int, int] = {}
        self._dues = sorted({due for each in families for due in each.due})
        self._is_due = [np.array([due in each.due for due in self._dues], np.bool_) for each in families]
        of_rounds = [each for each in families if not each.due]
        asked = [
            *(where for each in of_rounds for where in each.where),
            *(each.subject for each in of_rounds),
        ]
        # The number of each condition.
        self._asked: dict[Condition, int] = {}
        for condition in asked:
            if condition is not None:
                self._asked.setdefault(condition, len(self._asked))
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

    def _dates(self) -> Iterator[list[Partition]]:
        """Gaming dates in a row, with `BATCH_ROUNDS` rounds if there are so many."""
        days: list[Partition] = []
        rounds = 0
        for day in sorted(self._files["rounds"], key=lambda each: each.order):
            size = sum(pq.read_metadata(path).num_rows for path in self._files["rounds"][day])
            if day.venue != self._venue or not size:
                continue
            if days and rounds + size > BATCH_ROUNDS:
                yield days
                days, rounds = [], 0
            days.append(day)
            rounds += size
        if days:
            yield days

    # --- counting -------------------------------------------------------------------------

    def _count(self, days: Sequence[Partition]) -> None:
        """Count the opportunities on some gaming dates."""
        rounds = self._read(days)
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
        holds = np.ones(flags.shape[1], np.bool_)
        for condition in (*family.where, family.subject):
            if condition is not None:
                holds &= flags[self._asked[condition]]
        return holds

    def _read(self, days: Sequence[Partition]) -> _Rounds:
        dates = [self._date(each) for each in days]
        started, flags, table, dealer, day, no, due, box, kind = (
            np.concatenate(each, axis=-1) for each in zip(*dates, strict=True)
        )
        before = np.cumsum([0, *(len(each[0]) for each in dates)])
        no = no + np.repeat(before[:-1], [len(each[5]) for each in dates])
        order = np.argsort(started, kind="stable")
        # Where in this order the round of a number is.
        order_of = np.empty(len(order), np.int32)
        order_of[order] = np.arange(len(order), dtype=np.int32)
        no = order_of[no]
        by_round = np.argsort(no, kind="stable")
        return _Rounds(
            started=started[order],
            place=self._placed(
                {"table": table[order], "dealer": dealer[order], "gaming_date": day[order]},
                (started[order] // QUARTER_HOUR).astype(np.int32),
            ),
            flags=flags[:, order],
            no=no[by_round],
            due=due[by_round],
            box=box[by_round],
            kind=kind[by_round],
        )

    def _date(self, day: Partition) -> tuple[npt.NDArray[Any], ...]:
        """The rounds of a gaming date, what holds of them, and its wagers with the place of the round."""
        ids, started, table, dealer, holds = [], [], [], [], []
        conditions = self._conditions("rounds")
        columns = {"round_id", "started_at", "table", "dealer"}.union(*(each.columns for each in conditions))
        for group in row_groups("rounds", self._files["rounds"][day], sorted(columns)):
            rows = Rows(group)
            ids.append(rows.column("round_id"))
            started.append(rows.column("started_at").cast(INSTANT).view(pa.int64()).to_numpy())
            table.append(self._names["table"].of_column(rows, "table"))
            dealer.append(self._names["dealer"].of_column(rows, "dealer"))
            holds.append({number: each.holds(rows) for each, number in conditions.items()})
        named = pa.concat_arrays(ids)
        flags = np.zeros((len(self._asked), len(named)), np.bool_)
        for number in conditions.values():
            flags[number] = np.concatenate([each[number] for each in holds])
        for _ in self._told("hands", day, named, flags):
            pass
        wagers = [_NO_WAGERS, *self._wagers(day, named, flags)]
        return (
            np.concatenate(started),
            flags,
            np.concatenate(table),
            np.concatenate(dealer),
            np.repeat(self._names["gaming_date"].of([day.gaming_date]), len(named)),
            *(np.concatenate(each) for each in zip(*wagers, strict=True)),
        )

    def _conditions(self, table: str) -> dict[Condition, int]:
        return {each: number for each, number in self._asked.items() if each.table == table}

    def _told(
        self, table: str, day: Partition, ids: pa.Array, flags: Mask, more: Iterable[str] = ()
    ) -> Iterator[tuple[Rows, Numbers]]:
        """Note which rounds have rows of which a condition holds; the rows, with the place of the round.

        That place is -1 where the round is not stored.
        """
        conditions = self._conditions(table)
        columns = set(more).union(*(each.columns for each in conditions))
        if not columns:
            return
        for group in row_groups(table, self._files[table].get(day, ()), ["round_id", *sorted(columns)]):
            rows = Rows(group)
            round_ids = rows.column("round_id")
            places = _places(round_ids.dictionary, ids)[round_ids.indices.to_numpy()]
            for condition, number in conditions.items():
                flags[number, places[condition.holds(rows) & (places >= 0)]] = True
            yield rows, places

    def _wagers(self, day: Partition, ids: pa.Array, flags: Mask) -> Iterator[tuple[Numbers, ...]]:
        """Round, due, box and kind of those wagers of a gaming date that are opportunities."""
        more = ("box", "kind", *_DUE) if self._dues else ()
        for rows, places in self._told("settlements", day, ids, flags, more):
            if self._dues:
                due = self._due_on(rows)
                some = np.flatnonzero((due >= 0) & (places >= 0))
                box, kind = (self._names[name].of_column(rows, name)[some] for name in _BOXED[1:])
                yield places[some], due[some], box, kind

    def _due_on(self, rows: Rows) -> Numbers:
        """The number of what was due on each settlement; -1 where it is none of those asked for."""
        coded = [rows.coded(name) for name in _DUE]
        sizes = [len(texts) for _, texts in coded]
        keys = np.ravel_multi_index([places for places, _ in coded], sizes)
        number = np.full(np.prod(sizes), -1, np.int32)
        for due, parts in enumerate(self._dues):
            # No odds are as good as none recorded.
            at = [
                [place for place, text in enumerate(texts) if (text or "") == part]
                for (_, texts), part in zip(coded, parts, strict=True)
            ]
            number[np.ravel_multi_index(np.ix_(*at), sizes)] = due
        return number[keys]

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


def _places(texts: pa.Array, ids: pa.Array) -> Numbers:
    """Where each of some texts is among ids; -1 where it is not."""
    if texts.equals(ids):
        return np.arange(len(ids), dtype=np.int32)
    found: Numbers = pc.index_in(texts, value_set=ids).fill_null(-1).to_numpy()
    return found


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
_DUE: Final = ("clause", "expected_result", "odds", "line")
_NO_WAGERS: Final = (np.zeros(0, np.int32),) * 4
