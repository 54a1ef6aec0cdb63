"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Of partitions that lie wholly in the time asked for, or wholly outside, what was counted of them is
added up by table, dealer, shift and gaming date; of those in which it begins or ends, rounds and wagers
are counted one by one. So the time it takes grows with the partitions and the causes, and memory with
the number of places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.causes.conditions import DealersHands, Mask, Numbers
from audit.causes.counting import DEALT, QUARTER_HOUR, SHIFTS, Counted, Item, Names, Wide, items_of, unlike
from audit.causes.families import Family
from audit.causes.model import DIMENSIONS, Dimension, Place
from audit.lake import Partition

Tallied: TypeAlias = tuple[int, int, int, int, int]

_TIMED: Final[tuple[Dimension, ...]] = ("table", "dealer", "shift", "gaming_date")
_BOXED: Final[tuple[Dimension, ...]] = ("table", "box", "kind")
"""The dimensions by which opportunities are counted: with the time, and with box and kind instead."""
_NEITHER: Final = 0
"""The number of no box and no kind, where opportunities are rounds."""
_OPEN: Final = 4
"""Partitions whose rounds and wagers are held at a time."""
_PENDING: Final = 1 << 16
"""Rows by box and kind of wager that may wait to be added up."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """Opportunities of a family and the rounds with them, by place."""

    place: Numbers
    number: Numbers
    rounds: Numbers


@dataclass(frozen=True, slots=True)
class _Single:
    """Opportunities of a family in a partition, one by one in the order of their rounds."""

    no: Numbers
    place: Numbers
    started: Wide
    box: Numbers
    kind: Numbers


class _Boxes:
    """Opportunities of a family, by table, box and kind of wager."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Numbers, ...]] = []
        self._size = 0

    def add(self, table: Numbers, box: Numbers, kind: Numbers, number: Numbers) -> None:
        """Add so many of them."""
        self._waiting.append((table, box, kind, number))
        self._size += len(table)
        if self._size > _PENDING:
            self._waiting = [self._sums()]
            self._size = 0

    def _sums(self) -> tuple[Numbers, ...]:
        none: Numbers = np.zeros(0, np.int32)
        *by, number = (np.concatenate(each) for each in zip((none,) * 4, *self._waiting, strict=True))
        one, alike = unlike(by)
        sums = np.bincount(alike, weights=number, minlength=len(one)).astype(np.int32)
        return *(each[one] for each in by), sums

    def by(self) -> tuple[dict[Dimension, Numbers], Numbers]:
        """The places, and how many there."""
        *by, number = self._sums()
        return dict(zip(_BOXED, by, strict=True)), number


class Exposed:
    """Opportunities by some dimensions: at how many places there are any, and the ``whole`` of them."""

    def __init__(self, names: Sequence[Names], keys: Wide, number: npt.NDArray[np.number[Any]]) -> None:
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
    """The opportunities of some families of a venue. A family goes by its number.

    ``counted`` opens what was counted of each of the venue's partitions.
    """

    def __init__(
        self,
        partitions: Sequence[Partition],
        counted: Callable[[Partition], Counted],
        families: Sequence[Family],
    ) -> None:
        self._families = families
        self._items = [items_of(each) for each in families]
        # No box and no kind come first, as `_NEITHER`.
        self._names: dict[Dimension, Names] = {
            each: Names([None] if each in ("box", "kind") else []) for each in DIMENSIONS
        }
        self._names["shift"] = Names(SHIFTS)
        self._counted = counted
        self._parts: list[Partition] = []
        self._before: list[int] = []
        self._spans: list[tuple[int, int]] = []
        self._found: list[list[_Cells]] = [[_Cells(*[np.zeros(0, np.int32)] * 3)] for _ in families]
        self._boxes = [_Boxes() for _ in families]
        places: list[tuple[Numbers, ...]] = [(np.zeros(0, np.int32),) * 5]
        for partition in sorted(partitions, key=lambda each: each.order):
            found = counted(partition)
            if len(found.started):
                places.append(self._add(found, sum(len(each[0]) for each in places)))
        *by, self._part = (np.concatenate(each) for each in zip(*places, strict=True))
        self._of_place: dict[Dimension, Numbers] = dict(zip(_TIMED, by, strict=True))
        # Which places lie on the same gaming date, shift, table and dealer, whatever the sign over them.
        one, self._day_of_place = unlike(by)
        self._by_day = {name: each[one] for name, each in self._of_place.items()}
        self._keys_by_day = cache(self._keys_by_day_of)
        self._cells = lru_cache(maxsize=1)(self._cells_of)
        self._boxed = lru_cache(maxsize=1)(self._boxed_of)
        self._open = lru_cache(maxsize=_OPEN)(self._opened)
        self._one_by_one = lru_cache(maxsize=_OPEN)(self._one_by_one_of)
        self._first, self._last = np.array(self._spans, np.int64).reshape(-1, 2).T

    # --- counting -------------------------------------------------------------------------

    def _add(self, found: Counted, before: int) -> tuple[Numbers, ...]:
        """Add the opportunities of a partition; its places, which are numbered on from ``before``."""
        part = len(self._parts)
        self._parts.append(found.partition)
        self._before.append(before)
        self._spans.append((int(found.started.min()), int(found.started.max())))
        tables, dealers = (self._names[name].of(found.values(f"{name}s")) for name in ("table", "dealer"))
        table, dealer, shift = (found.numbers(f"place_{name}") for name in ("table", "dealer", "shift"))
        (day,) = self._names["gaming_date"].of([found.partition.gaming_date]).tolist()
        kinds = self._names["kind"].of(found.values("kinds"))
        for number, family in enumerate(self._families):
            cells = self._in_partition(family, self._items[number], found)
            if not len(cells.place):
                continue
            self._found[number].append(_Cells(cells.place + np.int32(before), cells.number, cells.rounds))
            if not family.due:
                neither = np.full(len(cells.place), _NEITHER, np.int32)
                self._boxes[number].add(tables[table[cells.place]], neither, neither, cells.number)
            for item in self._items[number] if family.due else ():
                at, box, kind, wagers = found.boxed(item)
                self._boxes[number].add(tables[at], self._boxes_named(box), kinds[kind], wagers)
        return (
            tables[table],
            dealers[dealer],
            # A copy, so that the file does not stay open for it.
            shift.copy(),
            *(np.full(len(table), each, np.int32) for each in (day, part)),
        )

    def _boxes_named(self, box: Numbers) -> Numbers:
        here = np.flatnonzero(np.bincount(box))
        number = np.zeros(int(here.max(initial=0)) + 1, np.int32)
        number[here] = self._names["box"].of(here.tolist())
        return number[box]

    def _in_partition(self, family: Family, items: Sequence[Item], found: Counted) -> _Cells:
        if len(items) == 1 and not isinstance(family.subject, DealersHands):
            cells = _Cells(*found.cells(items[0]))
            if not family.where:
                return cells
            here = _holds(family, found)[cells.place]
            return _Cells(cells.place[here], cells.number[here], cells.rounds[here])
        no = _numbers(family, items, found)[0]
        place = found.place[no]
        number = np.bincount(place)
        rounds = np.bincount(place[_first(no)], minlength=len(number))
        there = np.flatnonzero(number)
        return _Cells(*(each.astype(np.int32) for each in (there, number[there], rounds[there])))

    # --- asking ---------------------------------------------------------------------------

    def by_place(
        self, family: int, dimensions: Iterable[tuple[Dimension, ...]], without: Sequence[Place]
    ) -> Mapping[tuple[Dimension, ...], Exposed]:
        """Opportunities of a family by each combination of dimensions, without those of some places."""
        cells = self._cells(family)
        days = len(self._by_day["table"])
        daily = np.bincount(self._day_of_place[cells.place], weights=cells.number, minlength=days)
        daily[~self._outside(self._by_day, without, _TIMED)] = 0
        by_box, boxed = self._boxed(family)
        beyond = self._outside(by_box, without, _BOXED)
        found: dict[tuple[Dimension, ...], Exposed] = {}
        for some in dimensions:
            names = [self._names[each] for each in some]
            if {"box", "kind"} & set(some):
                keys, of_key = np.unique(self._keys(by_box, some)[beyond], return_inverse=True)
                number = np.bincount(of_key, weights=boxed[beyond], minlength=len(keys))
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

    def _boxed_of(self, family: int) -> tuple[dict[Dimension, Numbers], Numbers]:
        return self._boxes[family].by()

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
        first, end = quarters[0] * QUARTER_HOUR, (quarters[1] + 1) * QUARTER_HOUR
        here = self._at(self._of_place, inside) & self._outside(self._of_place, without, _TIMED)
        within = (self._first >= first) & (self._last < end)
        cells = self._cells(family)
        number = int(cells.number[(here & within[self._part])[cells.place]].sum())
        for part in np.flatnonzero(~within & (self._first < end) & (self._last >= first)).tolist():
            single = self._one_by_one(part, family)
            in_time = (single.started >= first) & (single.started < end)
            number += int(np.count_nonzero(here[single.place[in_time]]))
        return number

    def spans(self, wanted: Sequence[tuple[int, Place, int, int]]) -> list[Tallied]:
        """Of families at places from one instant to another, in microseconds since 1970 UTC.

        Each time the opportunities there, the rounds in which they were, those before, those after,
        and those elsewhere in the meantime.
        """
        total = np.zeros((len(wanted), 5), np.int64)
        partly: list[list[int]] = [[] for _ in self._parts]
        for number, (family, place, first, last) in enumerate(wanted):
            before, after = self._last < first, self._first > last
            within = (self._first >= first) & (self._last <= last)
            whole = before | after | within
            if _is_boxed(place):
                whole = np.zeros(len(whole), np.bool_)
            else:
                total[number] = self._in_whole_partitions(
                    family, place, whole & before, whole & after, within
                )
            for part in np.flatnonzero(~whole).tolist():
                partly[part].append(number)
        for part, numbers in enumerate(partly):
            for number in numbers:
                family, place, first, last = wanted[number]
                total[number] += self._in_time(self._one_by_one(part, family), place, first, last)
        return [(a, b, c, d, e) for a, b, c, d, e in total.tolist()]

    def _in_whole_partitions(
        self, family: int, place: Place, before: Mask, after: Mask, within: Mask
    ) -> Tallied:
        """What `spans` counts, of partitions that lie on one side or ``within``."""
        cells = self._cells(family)
        here = self._at(self._of_place, place)[cells.place]
        part = self._part[cells.place]
        in_time = within[part]
        return (
            int(cells.number[here & in_time].sum()),
            int(cells.rounds[here & in_time].sum()),
            int(cells.number[here & before[part]].sum()),
            int(cells.number[here & after[part]].sum()),
            int(cells.number[~here & in_time].sum()),
        )

    def _in_time(self, single: _Single, place: Place, first: int, last: int) -> Tallied:
        """What `spans` counts, one by one."""
        by: dict[Dimension, Numbers] = {"box": single.box, "kind": single.kind}
        by |= {name: self._of_place[name][single.place] for name, _ in place if name in _TIMED}
        here = self._at(by, place)
        within = (single.started >= first) & (single.started <= last)
        return (
            int(np.count_nonzero(here & within)),
            int(np.count_nonzero(_first(single.no[here & within]))),
            int(np.count_nonzero(here & (single.started < first))),
            int(np.count_nonzero(here & (single.started > last))),
            int(np.count_nonzero(~here & within)),
        )

    def _one_by_one_of(self, part: int, family: int) -> _Single:
        """The opportunities of a family in a partition."""
        found, kinds = self._open(part)
        no, box, kind = _numbers(self._families[family], self._items[family], found)
        neither = not self._families[family].due
        return _Single(
            no=no,
            place=found.place[no] + np.int32(self._before[part]),
            started=found.started[no],
            box=np.full(len(no), _NEITHER, np.int32) if neither else self._boxes_named(box),
            kind=np.full(len(no), _NEITHER, np.int32) if neither else kinds[kind],
        )

    def _opened(self, part: int) -> tuple[Counted, Numbers]:
        found = self._counted(self._parts[part])
        return found, self._names["kind"].of(found.values("kinds"))


def _holds(family: Family, found: Counted) -> Mask:
    """At which places of a partition the conditions of a family hold."""
    settings = found.settings
    holds = np.ones(len(settings.column("records")), np.bool_)
    for condition in family.where:
        holds &= condition.holds(settings)
    here: Mask = holds[found.numbers("place_setting")]
    return here


def _numbers(family: Family, items: Sequence[Item], found: Counted) -> tuple[Numbers, Numbers, Numbers]:
    """Round, box and kind of each opportunity of a family in a partition, in the order of the rounds."""
    of_items = found.opportunities(items)
    no = of_items.no
    if isinstance(family.subject, DealersHands):
        wrong, dealt = (np.zeros(len(found.place), np.bool_) for _ in range(2))
        wrong[[found.named[each] for each in family.subject.wrong if each in found.named]] = True
        dealt[found.opportunities([DEALT]).no] = True
        dealt &= wrong
        dealt[no] = True
        no = np.flatnonzero(dealt).astype(np.int32)
    if not family.where:
        return no, of_items.box, of_items.kind
    here = _holds(family, found)[found.place[no]]
    return no[here], of_items.box, of_items.kind


def _is_boxed(place: Place) -> bool:
    return any(dimension in ("box", "kind") for dimension, _ in place)


def _first(no: Numbers) -> Mask:
    """Which of some numbers in order are not the same as the one before."""
    found = np.ones(len(no), np.bool_)
    found[1:] = no[1:] != no[:-1]
    return found


_CELLS: Final = tuple(each.name for each in fields(_Cells))
