"""The opportunities of a partition, counted by what they are and where, before anybody asks.

A run counts them while it replays, when all columns are in memory; a report of a published lake
counts them in its files by the same functions. What is kept of a partition is one file: how many
opportunities there were of each kind at each place, and the rounds and wagers one by one, of which
the report reads those of partitions in which a cause begins or ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.causes.conditions import (
    Cut,
    DealersHands,
    Mask,
    Numbers,
    Rows,
    amounts,
    row_groups,
    totals_of_dealer,
)
from audit.causes.families import SUBJECTS, Family
from audit.causes.lists import Lists, write_lists
from audit.causes.manner import SIGN_COLUMNS
from audit.layout import Partition
from rules_replay.log import FACTS, INSTANT, MONEY
from rules_replay.venues import DEFAULT_DAY_START, Register

QUARTER_HOUR = 900_000_000
"""Microseconds by which opportunities are counted in time."""

SHIFTS = ("morning", "evening", "night")
"""Eight hours each, from the start of the gaming day."""

Stored: TypeAlias = Mapping[str, Mapping[Partition, Sequence[Path]]]
"""The files of the partitions in scope, by table."""

Item: TypeAlias = tuple[str, ...]
"""A kind of opportunity: a wager on which something was due, or a round with something in it."""

EVERY: Final[Item] = ("round",)
DEALT: Final[Item] = ("dealer",)
"""Every round, and those with findings in which the dealer has a hand."""

_WAGER: Final = "wager"
_DUE: Final = ("clause", "expected_result", "odds", "line")
_SUBJECT: Final = ("kind", "expected_result", "recorded_result")
_CELL: Final = ("place", "number", "rounds")
_BOXED: Final = ("table", "box", "kind", "number")
_SIGNS: Final = tuple(sorted({name for names in SIGN_COLUMNS.values() for name in names}))
_OF_SETTING: Final = pa.schema([("records", pa.list_(pa.string())), *((each, MONEY) for each in _SIGNS)])

_OFFSET: Final = r"(?P<offset>[Zz]|[+-]\d\d:\d\d)$"

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "rounds": (
        *("round_id", "started_at", "started_at_text", "table", "dealer", "currency"),
        *("records", *_SIGNS),
    ),
    "hands": ("round_id", "box", "cards", "card_count", "total", "soft", "ended"),
    "settlements": (
        *("round_id", "box", "kind", "stake", "effective_stake", "recorded_result", "corrected"),
        *_DUE,
    ),
}
"""What is looked at of rounds, hands and settlements."""

Setting: TypeAlias = tuple[Any, ...]
"""What a round's recorder captures, and the figures of the sign over it."""

Wide: TypeAlias = npt.NDArray[np.int64]


def shift_of(microseconds: int, venue: str, register: Register) -> str:
    """The third of the gaming day in which an instant lies, by the clock of the venue."""
    known = register.venues.get(venue)
    zone, start = (UTC, DEFAULT_DAY_START) if known is None else (known.zone, known.day_start)
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).astimezone(zone)
    minutes = (local.hour - start.hour) * 60 + local.minute - start.minute
    return SHIFTS[minutes % 1440 // 480]


def items_of(family: Family) -> list[Item]:
    """The kinds of opportunity that are a family's."""
    if family.due:
        return [(_WAGER, *each) for each in family.due]
    subject = family.subject
    if subject is None:
        return [EVERY]
    if isinstance(subject, DealersHands):
        return [_dealers(subject.stood, subject.total * 2 + subject.soft)]
    return [("subject", str(SUBJECTS.index(subject)))]


def _dealers(stood: bool, total: int) -> Item:
    return ("stood" if stood else "went on", str(total))


def of_settings(settings: Sequence[Setting]) -> pa.Table:
    """Settings as rounds have them."""
    rows = [dict(zip(_OF_SETTING.names, each, strict=True)) for each in settings]
    return pa.Table.from_pylist(rows, schema=_OF_SETTING)


def _listed(records: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if records is None else tuple(records)


class Names:
    """Values, numbered as they come."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._number: dict[Any, int] = {each: number for number, each in enumerate(values)}

    def __len__(self) -> int:
        return len(self._number)

    @property
    def values(self) -> list[Any]:
        """The values by number."""
        return list(self._number)

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


class Counting:
    """Takes the rounds of a partition and what came of them, and writes down what there was.

    Rounds are numbered as they are added. Hands and settlements are those of rounds added last.
    """

    def __init__(self, partition: Partition, register: Register) -> None:
        self._partition = partition
        self._register = register
        self._ids = pa.array([], pa.string())
        self._concerned: Mask = np.zeros(0, np.bool_)
        self._before = self._rounds = 0
        self._tables, self._dealers, self._kinds = Names(), Names(), Names()
        self._settings, self._offsets, self._currencies = Names(), Names([None]), Names()
        self._is_known = partition.venue in register.venues
        self._items = Names([EVERY, DEALT])
        self._of_round: list[tuple[npt.NDArray[Any], ...]] = []
        self._rows: list[tuple[npt.NDArray[Any], ...]] = []
        self._corrected: list[Numbers] = []
        self._named: dict[str, int] = {}

    def add(self, rounds: pa.Table, hands: pa.Table, settlements: pa.Table, concerned: pa.Array) -> None:
        """Add rounds with what came of them; ``concerned`` are the ids of those that findings are about."""
        self.add_rounds(rounds, concerned)
        self.add_hands(hands)
        self.add_settlements(settlements)

    def add_rounds(self, rounds: pa.Table, concerned: pa.Array) -> None:
        """Add rounds; ``concerned`` are the ids of some that findings are about."""
        rows = Rows(rounds)
        self._ids = rows.column("round_id")
        self._before = self._rounds
        self._rounds += len(self._ids)
        self._of_round.append(
            (
                rows.column("started_at").cast(INSTANT).view(pa.int64()).to_numpy(),
                self._tables.of_column(rows, "table"),
                self._dealers.of_column(rows, "dealer"),
                self._set(rows),
                self._offset(rows),
                self._currencies.of_column(rows, "currency"),
            )
        )
        self._concerned = pc.is_in(self._ids, value_set=concerned).to_numpy(zero_copy_only=False)
        those = np.flatnonzero(self._concerned)
        names = self._ids.take(pa.array(those)).to_pylist()
        self._named |= dict(zip(names, (those + self._before).tolist(), strict=True))

    def _set(self, rows: Rows) -> Numbers:
        """The number of what is recorded of each round and of the sign over it."""
        by = [_facts(rows.column("records")), *(amounts(rows.column(name)) for name in _SIGNS)]
        one, alike = _unlike_columns(by)
        some = pa.array(one)
        columns = [rows.column(each).take(some).to_pylist() for each in _OF_SETTING.names]
        return self._settings.of(zip(map(_listed, columns[0]), *columns[1:], strict=True))[alike]

    def _offset(self, rows: Rows) -> Numbers:
        """The number of the offset from UTC that each round is recorded with, where it tells the zone."""
        if self._is_known:
            return np.zeros(len(self._ids), np.int32)
        text = rows.column("started_at_text").cast(pa.string())
        offsets = pc.struct_field(pc.extract_regex(text, _OFFSET), "offset").to_pylist()
        return self._offsets.of(offsets)

    def add_hands(self, hands: pa.Table) -> None:
        """Add hands of the rounds added last."""
        rows = Rows(hands)
        places = self._placed(rows)
        for number, condition in enumerate(SUBJECTS):
            if condition.table == "hands":
                self._add([("subject", str(number))], places[condition.holds(rows)])
        dealt = places[(rows.numbers("box") == 0) & (places >= 0)]
        self._add([DEALT], dealt[self._concerned[dealt]])
        for stood, (those, totals) in zip((True, False), totals_of_dealer(rows), strict=True):
            known, item = np.unique(totals, return_inverse=True)
            self._add([_dealers(stood, total) for total in known.tolist()], places[those], item)

    def add_settlements(self, settlements: pa.Table) -> None:
        """Add settlements of the rounds added last."""
        rows = Rows(settlements)
        places = self._placed(rows)
        self._add_subjects(settlements, rows, places)
        corrected = places[rows.numbers("corrected") & (places >= 0)]
        self._corrected.append(corrected + np.int32(self._before))
        coded = [rows.coded(name) for name in _DUE]
        one, alike = unlike([of for of, _ in coded])
        dues = [[texts[of[each]] for of, texts in coded] for each in one.tolist()]
        # No odds are as good as none recorded; where nothing is due, nothing can go wrong.
        due = np.array([each[1] is not None for each in dues], np.bool_)
        items: list[Item] = [(_WAGER, *(each or "" for each in parts)) for parts in dues]
        some = np.flatnonzero(due[alike]) if not due.all() else slice(None)
        self._add(
            items,
            places[some],
            alike[some],
            rows.numbers("box")[some],
            self._kinds.of_column(rows, "kind")[some],
        )

    def _add_subjects(self, settlements: pa.Table, rows: Rows, places: Numbers) -> None:
        """Note what settlements of a kind and result, which are few, hold."""
        one, alike = unlike([rows.coded(name)[0] for name in _SUBJECT])
        few = Rows(settlements.select(_SUBJECT).take(pa.array(one)))
        told = {
            number: condition.holds(few)
            for number, condition in enumerate(SUBJECTS)
            if condition.table == "settlements" and not isinstance(condition, Cut)
        }
        some = np.flatnonzero(np.logical_or.reduce([*told.values()])[alike])
        for number, holds in told.items():
            self._add([("subject", str(number))], places[some[holds[alike[some]]]])
        self._add([("subject", str(SUBJECTS.index(Cut())))], places[Cut().holds(rows)])

    def _placed(self, rows: Rows) -> Numbers:
        """Where the round of each row is among those added last; -1 where it is not."""
        ids = rows.column("round_id")
        return cast(Numbers, _places(ids.dictionary, self._ids)[ids.indices.to_numpy()])

    def _add(
        self,
        items: Sequence[Item],
        places: Numbers,
        which: npt.NDArray[np.integer[Any]] | None = None,
        box: npt.NDArray[np.int16] | None = None,
        kind: Numbers | None = None,
    ) -> None:
        """Note opportunities in rounds; ``which`` of the items each is, where there are several."""
        if not len(places):
            return
        numbers = self._items.of(items).astype(np.int16)
        item = np.full(len(places), numbers[0], np.int16) if which is None else numbers[which]
        neither = np.zeros(len(places), np.int16)
        parts = (
            item,
            neither if box is None else box,
            neither if kind is None else kind.astype(np.int16),
            places + np.int32(self._before),
        )
        there = places >= 0
        self._rows.append(parts if there.all() else tuple(each[there] for each in parts))

    # --- what is kept -----------------------------------------------------------------------

    def write(self, path: Path) -> None:
        """Write what was counted to a file that `Counted` reads."""
        started, table, dealer, setting, offset, currency = self._rounds_added()
        item, box, kind, no = self._opportunities()
        quarter = (started // QUARTER_HOUR).astype(np.int32)
        shift = self._shifts(quarter)
        one, place = unlike([table, dealer, shift, setting])
        counted = np.arange(len(self._items) + 1)
        cells = _cells(item, place[no], _firsts(item, no), len(one))
        boxed = self._boxed(item, table[no], box, kind)
        quarters, alike = unlike([quarter - quarter.min(initial=_LATEST), offset])
        corrected = np.concatenate([np.zeros(0, np.int32), *self._corrected])
        numbers: dict[str, npt.NDArray[Any]] = {
            "span": started[[started.argmin(), started.argmax()]] if len(started) else started,
            "started": started,
            "place": place,
            "begin": np.searchsorted(item, counted),
            "no": no,
            "box": box,
            "kind": kind,
            "place_table": table[one],
            "place_dealer": dealer[one],
            "place_shift": shift[one],
            "place_setting": setting[one],
            "place_rounds": np.bincount(place, minlength=len(one)),
            "cell_begin": np.searchsorted(cells[0], counted),
            **{f"cell_{name}": each for name, each in zip(_CELL, cells[1:], strict=True)},
            "boxed_begin": np.searchsorted(boxed[0], counted),
            **{f"boxed_{name}": each for name, each in zip(_BOXED, boxed[1:], strict=True)},
            "table_rounds": np.bincount(table, minlength=len(self._tables)),
            "dealer_rounds": np.bincount(dealer, minlength=len(self._dealers)),
            "currency_rounds": np.bincount(currency, minlength=len(self._currencies)),
            "quarter": quarter[quarters],
            "quarter_offset": offset[quarters],
            "quarter_rounds": np.bincount(alike, minlength=len(quarters)),
            "corrected": np.bincount(currency[corrected], minlength=len(self._currencies)),
            "named_no": np.array([*self._named.values()], np.int32),
        }
        wide = ("span", "started", "quarter")
        narrow = {name: each if name in wide else _narrow(each) for name, each in numbers.items()}
        others = {
            "items": self._items.values,
            "tables": self._tables.values,
            "dealers": self._dealers.values,
            "kinds": self._kinds.values,
            "settings": self._settings.values,
            "offsets": self._offsets.values,
            "currencies": self._currencies.values,
            "named": [*self._named],
        }
        write_lists(path, narrow, others)

    def _rounds_added(self) -> Iterator[npt.NDArray[Any]]:
        none: Numbers = np.zeros(0, np.int32)
        for each in zip((none.astype(np.int64), *[none] * 5), *self._of_round, strict=True):
            yield np.concatenate(each)

    def _opportunities(self) -> tuple[npt.NDArray[Any], ...]:
        """Kind, box, kind of wager and round of each but those of `EVERY`, by kind and round."""
        short: npt.NDArray[np.int16] = np.zeros(0, np.int16)
        none = (short, short, short, short.astype(np.int32))
        item, box, kind, no = (np.concatenate(each) for each in zip(none, *self._rows, strict=True))
        # Numbers of 16 bits are sorted without being compared.
        order = np.argsort(item, kind="stable")
        item, no = item[order], no[order]
        if ((item[1:] == item[:-1]) & (no[1:] < no[:-1])).any():
            again = np.lexsort((no, item))
            item, no, order = item[again], no[again], order[again]
        # What a round has is noted once, however many of its hands and wagers have it.
        once = self._of_wager()[item] | _firsts(item, no)
        if once.all():
            return item, box[order], kind[order], no
        return item[once], box[order[once]], kind[order[once]], no[once]

    def _of_wager(self) -> Mask:
        """Which kinds of opportunity are wagers."""
        return np.array([each[0] == _WAGER for each in self._items.values], np.bool_)

    def _boxed(self, item: Numbers, table: Numbers, *by: npt.NDArray[np.int16]) -> list[Numbers]:
        """Wagers by kind of opportunity, table, box and kind of wager, and how many."""
        of_wager = np.flatnonzero(self._of_wager()[item])
        all_of: list[npt.NDArray[Any]] = [item, table, *by]
        parts = [each[of_wager] for each in all_of]
        one, alike = unlike(parts)
        order = np.argsort(parts[0][one], kind="stable")
        parts = [each[one] for each in parts]
        parts.append(np.bincount(alike, minlength=len(one)))
        return [each.astype(np.int32)[order] for each in parts]

    def _shifts(self, quarters: Numbers) -> Numbers:
        """The number of the shift in which each quarter of an hour lies."""
        lowest = int(quarters.min(initial=_LATEST))
        here = np.flatnonzero(np.bincount(quarters - lowest))
        shift = np.zeros(int(here.max(initial=0)) + 1, np.int32)
        for each in here.tolist():
            name = shift_of((each + lowest) * QUARTER_HOUR, str(self._partition.venue), self._register)
            shift[each] = SHIFTS.index(name)
        return shift[quarters - lowest]


def count_in(files: Stored, partition: Partition, register: Register, path: Path) -> None:
    """Count a partition in its files, as a run does while it replays it, into a file."""
    counting = Counting(partition, register)

    def groups(table: str, columns: Iterable[str]) -> Iterator[pa.Table]:
        return row_groups(table, files[table].get(partition, ()), list(columns))

    rounds = [*groups("rounds", COLUMNS["rounds"])]
    if rounds:
        concerned = [each["round_id"].cast(pa.string()) for each in groups("findings", ["round_id"])]
        named = pa.chunked_array(concerned, pa.string()).unique()
        counting.add_rounds(pa.concat_tables(rounds), named)
        for each in groups("hands", COLUMNS["hands"]):
            counting.add_hands(each)
        for each in groups("settlements", COLUMNS["settlements"]):
            counting.add_settlements(each)
    counting.write(path)


@dataclass(frozen=True, slots=True)
class Opportunities:
    """Rounds of a partition by number, in order, and of those that are wagers box and kind."""

    no: Numbers
    box: Numbers
    kind: Numbers


class Counted:
    """What `Counting.write` wrote of a partition; a list is read when it is asked for."""

    def __init__(self, partition: Partition, path: Path) -> None:
        self.partition = partition
        self._lists = Lists(path)
        self._numbers: dict[str, npt.NDArray[Any]] = {}

    @cached_property
    def items(self) -> Mapping[Item, int]:
        """The kinds of opportunity by number, in the order of their numbers."""
        return {tuple(each): number for number, each in enumerate(self.values("items"))}

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """A list of numbers: of 64 bits those of instants, else of 32."""
        if name not in self._numbers:
            read = self._lists.numbers(name)
            self._numbers[name] = read if read.dtype == np.int64 else read.astype(np.int32, copy=False)
        return self._numbers[name]

    def values(self, name: str) -> list[Any]:
        """A list of anything."""
        return self._lists.values(name)

    def rounds_by_table(self) -> Mapping[str | None, int]:
        """Rounds by table."""
        return dict(zip(self.values("tables"), self.numbers("table_rounds").tolist(), strict=True))

    def rounds_by_dealer(self) -> Mapping[str | None, int]:
        """Rounds by dealer."""
        return dict(zip(self.values("dealers"), self.numbers("dealer_rounds").tolist(), strict=True))

    def rounds_by_currency(self) -> Mapping[str, int]:
        """Rounds by currency."""
        return dict(zip(self.values("currencies"), self.numbers("currency_rounds").tolist(), strict=True))

    def rounds_by_quarter(self) -> Iterator[tuple[int, str | None, int]]:
        """Quarters of an hour, the offset where it tells the zone, and the rounds."""
        offsets = self.values("offsets")
        quarter, offset, rounds = (
            self.numbers(f"quarter{each}").tolist() for each in ("", "_offset", "_rounds")
        )
        return zip(quarter, (offsets[each] for each in offset), rounds, strict=True)

    def corrected(self) -> Mapping[str, int]:
        """Settlements put right at the table, by currency."""
        return dict(zip(self.values("currencies"), self.numbers("corrected").tolist(), strict=True))

    @property
    def settings(self) -> list[Setting]:
        """What is recorded of rounds and the sign over them, as `of_settings` takes it."""
        return [
            (_listed(records), *(None if each is None else Decimal(each) for each in figures))
            for records, *figures in self.values("settings")
        ]

    @property
    def span(self) -> tuple[int, int] | None:
        """When the first round started and when the last; None where there are none."""
        ends = self.numbers("span").tolist()
        return (ends[0], ends[1]) if ends else None

    @cached_property
    def started(self) -> Wide:
        """When each round started, in microseconds since 1970 UTC."""
        return self.numbers("started")

    def place_of(self, rounds: Numbers) -> Numbers:
        """The places of some rounds by their numbers here."""
        return self._lists.numbers("place")[rounds].astype(np.int32, copy=False)

    @cached_property
    def named(self) -> Mapping[str, int]:
        """The numbers of the rounds with findings by their ids."""
        return dict(zip(self.values("named"), self.numbers("named_no").tolist(), strict=True))

    def cells(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Opportunities: kinds, places, how many there, and in how many rounds."""
        rounds = self.numbers("place_rounds")
        every = np.full(len(rounds), self.items[EVERY], np.int32), np.arange(len(rounds), dtype=np.int32)
        kept = self._of_items("cell_begin"), *(self.numbers(f"cell_{each}") for each in _CELL)
        item, place, number, in_rounds = (
            np.concatenate(each) for each in zip((*every, rounds, rounds), kept, strict=True)
        )
        return item, place, number, in_rounds

    def boxed(self) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
        """Wagers: kinds of opportunity, tables, boxes, kinds of wager, and how many."""
        table, box, kind, number = (self.numbers(f"boxed_{each}") for each in _BOXED)
        return self._of_items("boxed_begin"), table, box, kind, number

    def _of_items(self, begin: str) -> Numbers:
        ends = self.numbers(begin)
        return np.repeat(np.arange(len(ends) - 1, dtype=np.int32), np.diff(ends))

    def opportunities(self, items: Sequence[Item]) -> Opportunities:
        """All of some kinds, one by one in the order of their rounds."""
        if list(items) == [EVERY]:
            every = np.arange(len(self.started), dtype=np.int32)
            return Opportunities(every, *[np.zeros_like(every)] * 2)
        spans = [slice(*self._span("begin", each)) for each in items]
        no, box, kind = (
            np.concatenate([self._lists.numbers(name)[each] for each in spans]).astype(np.int32, copy=False)
            for name in ("no", "box", "kind")
        )
        if len(spans) == 1:
            return Opportunities(no, box, kind)
        order = np.argsort(no, kind="stable")
        return Opportunities(no[order], box[order], kind[order])

    def _span(self, name: str, item: Item) -> tuple[int, int]:
        number = self.items.get(item)
        if number is None:
            return 0, 0
        first, end = self.numbers(name)[number : number + 2].tolist()
        return first, end


def _narrow(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers that are not negative, and so few bits of each as there need to be."""
    highest = int(numbers.max(initial=0))
    kinds = (np.uint8, np.uint16, np.int32)
    return numbers.astype(next(each for each in kinds if highest <= np.iinfo(each).max), copy=False)


def _unlike_columns(columns: Sequence[Wide]) -> tuple[Wide, Numbers]:
    """As `unlike`, of any numbers."""
    differing = [each for each in columns if (each != each[:1]).any()]
    keys = np.zeros(len(columns[0]), np.int64)
    for each in differing:
        # An overflow does no harm: what two rows have in common by chance is found out below.
        keys = keys * _ODD + each
    _, one, alike = np.unique(keys, return_index=True, return_inverse=True)
    if not all(np.array_equal(each[one][alike], each) for each in differing):
        return unlike([np.unique(each, return_inverse=True)[1] for each in differing])
    return one, alike.astype(np.int32)


def _places(texts: pa.Array, ids: pa.Array) -> Numbers:
    """Where each of some texts is among ids; -1 where it is not."""
    if texts.equals(ids):
        return np.arange(len(ids), dtype=np.int32)
    found: Numbers = pc.index_in(texts, value_set=ids).fill_null(-1).to_numpy()
    return found


def _facts(lists: pa.Array) -> Wide:
    """A number for each list of recorded facts, the same for the same ones; -1 for none at all."""
    facts = pc.list_flatten(lists).cast(pa.string())
    number = pc.index_in(facts, value_set=pa.array(FACTS)).fill_null(len(FACTS)).to_numpy()
    # How often each is listed, and others of which nothing is asked.
    ends = np.cumsum(pc.list_value_length(lists).fill_null(0).to_numpy())
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(1 << 12 * number.astype(np.int64))])
    found = np.diff(sums[np.concatenate([np.zeros(1, np.int64), ends])])
    return np.where(lists.is_null().to_numpy(zero_copy_only=False), -1, found)


def _firsts(item: Numbers, no: Numbers) -> Mask:
    """Which of some opportunities are not of the same kind and round as the one before."""
    found = np.ones(len(no), np.bool_)
    found[1:] = (no[1:] != no[:-1]) | (item[1:] != item[:-1])
    return found


def _cells(item: Numbers, place: Numbers, first: Mask, places: int) -> tuple[Numbers, ...]:
    """Opportunities by kind and place: kind, place, how many, and how many that are ``first`` of a round."""
    keys = item.astype(np.int64) * max(places, 1) + place
    number = np.bincount(keys)
    rounds = np.bincount(keys[first], minlength=len(number))
    there = np.flatnonzero(number)
    kind, at = np.divmod(there, max(places, 1))
    return tuple(each.astype(np.int32) for each in (kind, at, number[there], rounds[there]))


def unlike(by: Sequence[npt.NDArray[np.integer[Any]]]) -> tuple[Wide, Numbers]:
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


_LATEST: Final = np.iinfo(np.int32).max
_WIDEST: Final = 1 << 62
_DENSE: Final = 1 << 18
_ODD: Final = 0x5851F42D4C957F2D
