"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Of partitions that lie wholly in the time asked for, or wholly outside, what was counted of them is
added up by table, dealer, shift and gaming date; of those in which it begins or ends, or where a round
counts once for several kinds or wagers, rounds and wagers are counted one by one. So the time it takes
grows with the partitions and the causes, and memory with the number of places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from audit.causes.conditions import Condition, DealersHands, Mask, Numbers, Rows
from audit.causes.counting import (
    DEALT,
    QUARTER_HOUR,
    SHIFTS,
    Counted,
    Names,
    Wide,
    items_of,
    of_settings,
    unlike,
)
from audit.causes.families import Family
from audit.causes.model import DIMENSIONS, Dimension, Place
from audit.layout import Partition

K = TypeVar("K")
T = TypeVar("T")
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


class _By:
    """Some opportunities by dimension: the number of what each has of one, made when it is asked for."""

    def __init__(self, size: int, make: Mapping[Dimension, Callable[[], Numbers]]) -> None:
        self.size = size
        self._make = make
        self._made: dict[Dimension, Numbers] = {}

    def __getitem__(self, dimension: Dimension) -> Numbers:
        if dimension not in self._made:
            self._made[dimension] = self._make[dimension]()
        return self._made[dimension]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Opportunities of a family and the rounds with them, by place."""

    place: Numbers
    number: Numbers
    rounds: Numbers
    part: Numbers
    by: _By


class _Single(_By):
    """Opportunities of a family in a partition, one by one in the order of their rounds ``no``.

    The places of the partition are numbered on from ``before``; ``of_place`` says what each has of the
    dimensions by which they are told apart, and ``make`` gives the others.
    """

    def __init__(
        self,
        found: Counted,
        no: Numbers,
        before: int,
        of_place: Mapping[Dimension, Numbers],
        make: Mapping[Dimension, Callable[[], Numbers]],
    ) -> None:
        super().__init__(len(no), make)
        self._found = found
        self._before = np.int32(before)
        self._of_place = of_place
        self.no = no

    def __getitem__(self, dimension: Dimension) -> Numbers:
        if dimension in self._of_place and dimension not in self._made:
            self._made[dimension] = self._of_place[dimension][self.place]
        return super().__getitem__(dimension)

    @cached_property
    def place(self) -> Numbers:
        """Where each was."""
        return self._found.place_of(self.no) + self._before

    @cached_property
    def started(self) -> Wide:
        """When the round of each started."""
        return self._found.started[self.no]


class _Latest(Generic[K, T]):
    """The values that were asked for last, by key."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._found: dict[K, T] = {}

    def get(self, key: K, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not held."""
        value = self._found.pop(key) if key in self._found else make()
        if len(self._found) >= self._size:
            del self._found[next(iter(self._found))]
        self._found[key] = value
        return value


class _Sums:
    """Numbers of opportunities by several things, added up where these are alike."""

    def __init__(self, things: int) -> None:
        self._none: tuple[Numbers, ...] = (np.zeros(0, np.int32),) * (things + 1)
        self._waiting: list[tuple[Numbers, ...]] = []
        self._size = 0
        self._most = _PENDING

    def add(self, *by: Numbers) -> None:
        """Add so many of them."""
        self._waiting.append(by)
        self._size += len(by[0])
        if self._size > self._most:
            sums = self.sums()
            self._waiting, self._size = [sums], len(sums[0])
            # So that each is added up but a few times, however many stay apart.
            self._most = self._size + max(_PENDING, self._size)

    def sums(self) -> tuple[Numbers, ...]:
        """What was added, those alike as one, and how many."""
        *by, number = (np.concatenate(each) for each in zip(self._none, *self._waiting, strict=True))
        one, alike = unlike(by)
        sums = np.bincount(alike, weights=number, minlength=len(one)).astype(np.int32)
        return *(each[one] for each in by), sums


class Exposed:
    """Opportunities by some dimensions: at how many ``places`` there are any, and the ``whole`` of them.

    ``keys`` are in order, and of each there are so many.
    """

    def __init__(
        self, names: Sequence[Names], keys: Wide, number: npt.NDArray[np.number[Any]], places: int, whole: int
    ) -> None:
        self._names = names
        self._keys, self._number = keys, number
        self.places = places
        self.whole = whole

    def at(self, values: Iterable[Any]) -> int:
        """Those at one place."""
        key = 0
        for names, value in zip(self._names, values, strict=True):
            number = names.find(value)
            if number < 0:
                return 0
            key = key * len(names) + number
        place = int(self._keys.searchsorted(key))
        there = place < len(self._keys) and self._keys[place] == key
        return int(self._number[place]) if there else 0


class _Combined:
    """Rows by each of some combinations of dimensions, numbered so that all are added up at once."""

    def __init__(
        self, by: _By, names: Mapping[Dimension, Names], combinations: Iterable[tuple[Dimension, ...]]
    ) -> None:
        self._of: list[tuple[tuple[Dimension, ...], list[Names], Wide]] = []
        slots: list[Wide] = [np.zeros(0, np.int64)]
        self._begin = [0]
        for some in combinations:
            keys = np.zeros(by.size, np.int64)
            for each in some:
                # As `Exposed.at` makes them of the values.
                keys = keys * len(names[each]) + by[each]
            keys, slot = np.unique(keys, return_inverse=True)
            self._of.append((some, [names[each] for each in some], keys))
            slots.append(slot + self._begin[-1])
            self._begin.append(self._begin[-1] + len(keys))
        self._slots = np.concatenate(slots)

    def exposed(self, number: npt.NDArray[np.number[Any]]) -> Iterator[tuple[tuple[Dimension, ...], Exposed]]:
        """So many of each row by each combination."""
        if not self._of:
            return
        weights = np.tile(number, len(self._of))
        sums = np.bincount(self._slots, weights=weights, minlength=self._begin[-1])
        begins, whole = self._begin[:-1], int(number.sum())
        there: list[int] = [0] * len(begins)
        if len(sums):
            there = np.add.reduceat(sums > 0, begins, dtype=np.int64).tolist()
        for (some, names, keys), begin, places in zip(self._of, begins, there, strict=True):
            # Of no dimensions there is one place, whatever is there.
            found = places if some else len(keys)
            yield some, Exposed(names, keys, sums[begin : begin + len(keys)], found, whole)


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
        self._asked = Names(dict.fromkeys(each for items in self._items for each in items))
        # No box and no kind come first, as `_NEITHER`.
        self._names: dict[Dimension, Names] = {
            each: Names([None] if each in ("box", "kind") else []) for each in DIMENSIONS
        }
        self._names["shift"] = Names(SHIFTS)
        self._settings = Names()
        self._counted = counted
        self._parts: list[Partition] = []
        self._before: list[int] = []
        self._spans: list[tuple[int, int]] = []
        none: Numbers = np.zeros(0, np.int32)
        boxes = _Sums(1 + len(_BOXED))
        places: list[tuple[Numbers, ...]] = [(none,) * 6]
        cells: list[tuple[Numbers, ...]] = [(none,) * 4]
        self._besides: list[list[Numbers]] = [[none] for _ in families]
        before = 0
        for partition in sorted(partitions, key=lambda each: each.order):
            found = counted(partition)
            if found.span is not None:
                self._spans.append(found.span)
                places.append(self._add(found, before))
                asked = np.array([self._asked.find(each) for each in found.items], np.int32)
                cells.append(self._cells_in(found, asked, before))
                self._add_boxed(found, asked, boxes)
                before += len(places[-1][0])
        *by, self._part, self._setting = (np.concatenate(each) for each in zip(*places, strict=True))
        self._of_place: dict[Dimension, Numbers] = dict(zip(_TIMED, by, strict=True))
        self._by_item = _ByItem.of(cells, len(self._asked))
        item, *of_boxes, number = boxes.sums()
        # Each table without box and kind of wager, for opportunities that are rounds, comes first.
        tables = np.arange(len(self._names["table"]), dtype=np.int32)
        neither = np.full(len(tables), _NEITHER, np.int32)
        of_boxes = [np.concatenate(each) for each in zip((tables, neither, neither), of_boxes, strict=True)]
        one, box = unlike(of_boxes)
        self._boxes = _given(dict(zip(_BOXED, (each[one] for each in of_boxes), strict=True)))
        self._no_box = box[: len(tables)]
        self._by_item_boxed = _ByItem.of([(item, box[len(tables) :], number)], len(self._asked))
        # Which places lie on the same gaming date, shift, table and dealer, whatever the sign over them.
        one, self._day_of_place = unlike(by)
        self._days = _given({name: each[one] for name, each in self._of_place.items()})
        self._combined: dict[tuple[tuple[Dimension, ...], ...], tuple[_Combined, _Combined]] = {}
        self._holding: dict[tuple[Condition, ...], Mask] = {}
        self._latest_cells: _Latest[int, _Cells] = _Latest(1)
        self._open: _Latest[int, tuple[Counted, Numbers]] = _Latest(_OPEN)
        self._singles: _Latest[tuple[int, int], _Single] = _Latest(_OPEN)
        self._first, self._last = np.array(self._spans, np.int64).reshape(-1, 2).T

    # --- counting -------------------------------------------------------------------------

    def _add(self, found: Counted, before: int) -> tuple[Numbers, ...]:
        """Add a partition; its places, which are numbered on from ``before``."""
        part = len(self._parts)
        self._parts.append(found.partition)
        self._before.append(before)
        tables, dealers = (self._names[name].of(found.values(f"{name}s")) for name in ("table", "dealer"))
        table, dealer, shift, setting = (
            found.numbers(f"place_{name}") for name in ("table", "dealer", "shift", "setting")
        )
        (day,) = self._names["gaming_date"].of([found.partition.gaming_date]).tolist()
        return (
            tables[table],
            dealers[dealer],
            shift,
            *(np.full(len(table), each, np.int32) for each in (day, part)),
            self._settings.of(found.settings)[setting],
        )

    def _cells_in(self, found: Counted, asked: Numbers, before: int) -> tuple[Numbers, ...]:
        """What is ``asked`` for of a partition, by kind of opportunity and place."""
        for of, family in enumerate(self._families):
            if isinstance(family.subject, DealersHands):
                wrong = _wrong(family.subject, found)
                if len(wrong):
                    beside = np.setdiff1d(wrong, found.opportunities(self._items[of]).no)
                    self._besides[of].append(found.place_of(beside) + np.int32(before))
        item, place, number, rounds = found.cells()
        wanted = asked[item]
        here = np.flatnonzero(wanted >= 0)
        return wanted[here], place[here] + np.int32(before), number[here], rounds[here]

    def _add_boxed(self, found: Counted, asked: Numbers, boxes: _Sums) -> None:
        """Add what is ``asked`` for of a partition by table, box and kind of wager."""
        item, table, box, kind, number = found.boxed()
        wanted = asked[item]
        here = np.flatnonzero(wanted >= 0)
        tables, kinds = self._names["table"].of(found.values("tables")), self._kinds_named(found)
        boxes.add(
            wanted[here],
            tables[table[here]],
            _named(self._names["box"], box[here]),
            kinds[kind[here]],
            number[here],
        )

    def _kinds_named(self, found: Counted) -> Numbers:
        return self._names["kind"].of(found.values("kinds"))

    def _holds(self, family: Family) -> Mask:
        """At which places the conditions of a family hold."""
        if family.where not in self._holding:
            settings = Rows(of_settings(self._settings.values))
            holds = np.ones(len(self._settings), np.bool_)
            for condition in family.where:
                holds &= condition.holds(settings)
            self._holding[family.where] = holds[self._setting]
        return self._holding[family.where]

    # --- asking ---------------------------------------------------------------------------

    def by_place(
        self, family: int, dimensions: Iterable[tuple[Dimension, ...]], without: Sequence[Place]
    ) -> Mapping[tuple[Dimension, ...], Exposed]:
        """Opportunities of a family by each combination of dimensions, without those of some places."""
        asked = tuple(dimensions)
        if asked not in self._combined:
            self._combined[asked] = (
                _Combined(self._days, self._names, [each for each in asked if not _boxes(each)]),
                _Combined(self._boxes, self._names, [each for each in asked if _boxes(each)]),
            )
        timed, boxed = self._combined[asked]
        cells = self._cells(family)
        daily = np.bincount(self._day_of_place[cells.place], weights=cells.number, minlength=self._days.size)
        daily *= self._outside(self._days, without, _TIMED)
        in_boxes = self._in_boxes(family)
        in_boxes *= self._outside(self._boxes, without, _BOXED)
        return dict((*timed.exposed(daily), *boxed.exposed(in_boxes)))

    def _cells(self, family: int) -> _Cells:
        return self._latest_cells.get(family, partial(self._cells_of, family))

    def _cells_of(self, family: int) -> _Cells:
        """The opportunities of a family by place; their rounds too, unless it has `_shared_rounds`."""
        place, number, rounds = self._by_item.those(self._asked.of(self._items[family]).tolist())
        besides = np.concatenate(self._besides[family])
        if len(besides):
            one = np.ones_like(besides)
            place, number, rounds = (
                np.concatenate(each) for each in ((place, besides), (number, one), (rounds, one))
            )
        if self._families[family].where:
            here = self._holds(self._families[family])[place]
            place, number, rounds = place[here], number[here], rounds[here]
        by = {name: partial(_taken, each, place) for name, each in self._of_place.items()}
        return _Cells(place, number, rounds, self._part[place], _By(len(place), by))

    def _shared_rounds(self, family: int) -> bool:
        """Whether one round may have opportunities of several kinds that are the family's."""
        return len(self._items[family]) > 1

    def _in_boxes(self, family: int) -> npt.NDArray[np.number[Any]]:
        """The opportunities of a family by table, box and kind of wager."""
        if self._families[family].due:
            box, number = self._by_item_boxed.those(self._asked.of(self._items[family]).tolist())
        else:
            cells = self._cells(family)
            box, number = self._no_box[self._of_place["table"][cells.place]], cells.number
        return np.bincount(box, weights=number, minlength=self._boxes.size)

    def _at(self, by: _By, place: Place) -> Mask:
        """What lies in a place, by the numbers of its values."""
        if not place:
            return np.ones(by.size, np.bool_)
        found, *others = self._with(by, place)
        for each in others:
            found &= each
        return found

    def _with(self, by: _By, place: Place) -> Iterator[Mask]:
        """What has each of the values of a place."""
        for dimension, value in place:
            yield by[dimension] == self._names[dimension].find(value)

    def _outside(self, by: _By, places: Iterable[Place], known: Sequence[Dimension]) -> Mask:
        """What lies in none of the places, as far as these are told apart by what is known."""
        found = np.ones(by.size, np.bool_)
        for place in places:
            if place and all(dimension in known for dimension, _ in place):
                found &= ~self._at(by, place)
        return found

    def between(self, family: int, inside: Place, without: Sequence[Place], quarters: tuple[int, int]) -> int:
        """Opportunities at a place and outside of others from one quarter of an hour to another."""
        if _is_boxed(inside) or any(map(_is_boxed, without)):
            return 0
        first, end = quarters[0] * QUARTER_HOUR, (quarters[1] + 1) * QUARTER_HOUR

        def here(by: _By) -> Mask:
            return self._at(by, inside) & self._outside(by, without, _TIMED)

        within = (self._first >= first) & (self._last < end)
        cells = self._cells(family)
        there = here(cells.by)
        number = int(cells.number[there & within[cells.part]].sum())
        for part in np.flatnonzero(~within & (self._first < end) & (self._last >= first)).tolist():
            if not (there & (cells.part == part)).any():
                continue
            single = self._one_by_one(part, family)
            in_time = (single.started >= first) & (single.started < end)
            number += int(np.count_nonzero(here(single) & in_time))
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
                if self._shared_rounds(family):
                    whole, within = before | after, np.zeros(len(whole), np.bool_)
                total[number] = self._in_whole_partitions(family, place, before, after, within)
            for part in np.flatnonzero(~whole).tolist():
                partly[part].append(number)
        for part, numbers in enumerate(partly):
            for number in sorted(numbers, key=lambda each: wanted[each][0]):
                family, place, first, last = wanted[number]
                total[number] += self._in_time(part, family, place, first, last)
        return [(a, b, c, d, e) for a, b, c, d, e in total.tolist()]

    def _in_whole_partitions(
        self, family: int, place: Place, before: Mask, after: Mask, within: Mask
    ) -> Tallied:
        """What `spans` counts, of partitions that lie on one side or ``within``."""
        cells = self._cells(family)
        here, part = self._at(cells.by, place), cells.part
        in_time = within[part]
        return (
            int(cells.number[here & in_time].sum()),
            int(cells.rounds[here & in_time].sum()),
            int(cells.number[here & before[part]].sum()),
            int(cells.number[here & after[part]].sum()),
            int(cells.number[~here & in_time].sum()),
        )

    def _in_time(self, part: int, family: int, place: Place, first: int, last: int) -> Tallied:
        """What `spans` counts in a partition, one by one."""
        single = self._one_by_one(part, family)
        here = self._at(single, place)
        number = int(np.count_nonzero(here))
        began, ended = self._first[part], self._last[part]
        if ended < first:
            return 0, 0, number, 0, 0
        if began > last:
            return 0, 0, 0, number, 0
        if began >= first and ended <= last:
            return number, _unlike(single.no[here]), 0, 0, len(here) - number
        within = (single.started >= first) & (single.started <= last)
        return (
            int(np.count_nonzero(here & within)),
            _unlike(single.no[here & within]),
            int(np.count_nonzero(here & (single.started < first))),
            int(np.count_nonzero(here & (single.started > last))),
            int(np.count_nonzero(~here & within)),
        )

    def _one_by_one(self, part: int, family: int) -> _Single:
        return self._singles.get((part, family), partial(self._one_by_one_of, part, family))

    def _one_by_one_of(self, part: int, family: int) -> _Single:
        """The opportunities of a family in a partition."""
        found, kinds = self._open.get(part, partial(self._opened, part))
        asked = self._families[family]
        of_items = found.opportunities(self._items[family])
        no, box, kind = of_items.no, of_items.box, of_items.kind
        if isinstance(asked.subject, DealersHands):
            no = np.union1d(no, _wrong(asked.subject, found))
        before = self._before[part]
        if asked.where:
            no = no[self._holds(asked)[found.place_of(no) + np.int32(before)]]
        make: dict[Dimension, Callable[[], Numbers]]
        if asked.due:
            make = {"box": partial(_named, self._names["box"], box), "kind": partial(_taken, kinds, kind)}
        else:
            make = dict.fromkeys(("box", "kind"), partial(np.full, len(no), _NEITHER, np.int32))
        return _Single(found, no, before, self._of_place, make)

    def _opened(self, part: int) -> tuple[Counted, Numbers]:
        found = self._counted(self._parts[part])
        return found, self._kinds_named(found)


@dataclass(frozen=True, slots=True)
class _ByItem:
    """Opportunities by kind, ``begin`` telling where those of each do."""

    begin: Wide
    columns: tuple[Numbers, ...]

    @classmethod
    def of(cls, parts: Sequence[tuple[Numbers, ...]], items: int) -> _ByItem:
        """From parts that begin with the kind."""
        item, *columns = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(item.astype(np.int16), kind="stable")
        begin = np.searchsorted(item[order], np.arange(items + 1))
        return cls(begin, tuple(each[order] for each in columns))

    def those(self, items: Sequence[int]) -> tuple[Numbers, ...]:
        """Those of some kinds."""
        spans = [slice(*self.begin[each : each + 2].tolist()) for each in items]
        return tuple(np.concatenate([each[span] for span in spans]) for each in self.columns)


def _wrong(subject: DealersHands, found: Counted) -> Numbers:
    """The rounds of a partition that are wrong and in which the dealer has a hand, in order."""
    here = [found.named[each] for each in subject.wrong & found.named.keys()]
    if not here:
        return np.zeros(0, np.int32)
    return np.intersect1d(np.array(here, np.int32), found.opportunities([DEALT]).no)


def _named(names: Names, box: Numbers) -> Numbers:
    """Boxes by the numbers that they have here."""
    return names.of(range(int(box.max(initial=0)) + 1))[box]


def _taken(numbers: Numbers, places: Numbers) -> Numbers:
    return numbers[places]


def _given(by: Mapping[Dimension, Numbers]) -> _By:
    """What is known by dimension already."""
    return _By(len(next(iter(by.values()))), {name: partial(np.asarray, each) for name, each in by.items()})


def _boxes(dimensions: Iterable[Dimension]) -> bool:
    """Whether box or kind of wager is among some dimensions."""
    return not {"box", "kind"}.isdisjoint(dimensions)


def _is_boxed(place: Place) -> bool:
    return _boxes(dimension for dimension, _ in place)


def _unlike(no: Numbers) -> int:
    """How many different ones there are of numbers in order."""
    return 1 + int(np.count_nonzero(no[1:] != no[:-1])) if len(no) else 0
