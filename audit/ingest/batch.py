"""One batch of lines to columns on disk, and what must be known of each round to place it.

This is the part of an ingest that is done in several processes at once. It looks at
nothing but its lines, so that what it gives does not depend on who does it and when.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.errors import storage_error
from audit.garbage import without_collection
from audit.ingest import wire
from audit.ingest.columns import (
    Events,
    Whole,
    events_in,
    joined,
    read_events,
    read_ipc,
    round_table,
    round_values,
    write_ipc,
)
from audit.ingest.lines import Lines, Read, Refused, read_line
from audit.ingest.totals import CurrencyTotals, Totals
from audit.layout import Partition
from rules_replay.log import ROUNDS
from rules_replay.venues import Register

if TYPE_CHECKING:
    from audit.ingest.bulk import Bulk

KEY_BYTES = 16
"""Length of `round_key`."""

_DIGEST_BYTES = 32
_QUARTER = 15 * 60 * 1_000_000
"""A quarter of an hour in microseconds."""

_DAY = 24 * 60
_OFFSETS = 2 * _DAY
"""So many offsets are possible, in minutes from a day before to a day after UTC."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def round_key(venue: str, round_id: str) -> bytes:
    """What stands for a round's identity: 128 bits of BLAKE2b of its venue and its id."""
    return _key(f"{venue}\0".encode() + round_id.encode())


def _key(identity: bytes) -> bytes:
    return hashlib.blake2b(identity, digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Layer:
    """Rounds of one partition within the files of a batch, by row.

    ``line_bytes`` is the size of the lines they came from; ``keep`` says which of the rounds
    are stored, None for all.
    """

    partition: Partition
    path: Path
    first_round: int
    rounds: int
    line_bytes: int
    keep: npt.NDArray[np.bool_] | None = None

    def tables(self) -> tuple[pa.Table, Events]:
        """The rounds that are stored, and their events."""
        rounds = read_ipc(self.path / "rounds")
        events = read_events(self.path, rounds["event_count"].to_numpy().astype(np.int64))
        rounds = rounds.slice(self.first_round, self.rounds)
        events = events.between(self.first_round, self.rounds)
        if self.keep is None:
            return rounds, events
        return rounds.filter(pa.array(self.keep)), events.of(np.flatnonzero(self.keep))


@dataclass(slots=True)
class Batch:
    """What became of a batch of lines.

    The arrays have one entry for each round read, in the order of the file: its `round_key` and
    the digest of its content as bytes, where its line is, which of the ``layers`` it is in and at
    which of that layer's rows, which of the ``currencies`` it has, its control totals (money in
    thousandths). ``total`` are those of all rounds.
    """

    lines: int
    path: Path
    refused: list[tuple[Partition, Refused]] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    layers: list[Layer] = field(default_factory=list)
    venues: set[str] = field(default_factory=set)
    currencies: list[str] = field(default_factory=list)
    round_ids: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))
    keys: npt.NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, KEY_BYTES), np.uint8))
    digests: npt.NDArray[np.uint8] = field(default_factory=lambda: np.empty((0, _DIGEST_BYTES), np.uint8))
    rows: Rows = field(default_factory=dict)
    total: Totals = field(default_factory=Totals)

    def __len__(self) -> int:
        return len(self.keys)

    def totals(self, places: Whole) -> Totals:
        """The control totals of some of the rounds."""
        found = Totals()
        of = self.rows["currency"][places] if len(self) else places
        for code, currency in enumerate(self.currencies):
            its = places[of == code]
            if len(its):
                # As Python's numbers, since no machine number may hold the sum.
                sums = (sum(self.rows[name][its].tolist()) for name in _COUNTED)
                found.of(currency).add(CurrencyTotals(len(its), *sums))
        return found

    def kept(self, keep: npt.NDArray[np.bool_]) -> list[Layer]:
        """The layers with those rounds only that are to be kept, by place."""
        if keep.all():
            return self.layers
        found = []
        for number, layer in enumerate(self.layers):
            here = self.rows["layer"] == number
            mask = np.zeros(layer.rounds, np.bool_)
            mask[self.rows["row"][here]] = keep[here]
            if mask.any():
                size = int(self.rows["size"][here & keep].sum())
                found.append(replace(layer, line_bytes=size, keep=mask))
        return found


Rows = dict[str, npt.NDArray[Any]]
"""Of each round by name: number, offset and size of its line; layer, row, currency; control totals."""

_COUNTED = ("events", "wagers", "stakes", "paid", "taken")
"""The control totals in the order of `CurrencyTotals`, after the number of rounds."""


def remove_batch(path: Path) -> None:
    """Remove the files of a batch, if it has any."""
    shutil.rmtree(path, ignore_errors=True)


def batch_of_lines(lines: Lines, sha256: str, register: Register, path: Path, bulk: bool) -> Batch:
    """Decode, check and lay out some lines of JSON Lines; the folder ``path`` is made for them.

    With ``bulk`` the usual lines are read by compiled code. That changes nothing but the time:
    to have the code takes about a second, and much longer the first time on a machine. Raises
    `SourceFailed` where the lines cannot be read again.
    """
    with without_collection():
        lines = lines.read()
        starts, stops = lines.spans()
        layout = _Layout(Batch(len(starts), path), lines.name, sha256, register)
        others: Sequence[int] = range(len(starts))
        if bulk and not lines.overlong:
            from audit.ingest.bulk import bulk_of

            read, others = bulk_of(lines, starts + lines.marks(len(starts)), stops)
            numbers = {
                "number": lines.number + read.places,
                "offset": lines.offset + starts[read.places],
                "size": (stops - starts)[read.places],
            }
            layout.add_bulk(read, numbers)
        layout.add_reads(
            [read_line(lines.name, lines.line(place, starts[place], stops[place])) for place in others]
        )
        return layout.finished()


def get_ready() -> None:
    """Have all that `batch_of_lines` takes to read in bulk."""
    from audit.ingest.bulk import bulk_of

    nothing = Lines("", b"", 1, 0)
    bulk_of(nothing, *nothing.spans())


def batch_of_reads(
    reads: Sequence[Read | Refused], name: str, sha256: str, register: Register, path: Path
) -> Batch:
    """Lay out what was read of a CSV pair; the folder ``path`` is made for it."""
    with without_collection():
        layout = _Layout(Batch(len(reads), path), name, sha256, register)
        layout.add_reads(reads)
        return layout.finished()


class _Layout:
    """Columns of a batch, and where each round is in them."""

    def __init__(self, batch: Batch, name: str, sha256: str, register: Register) -> None:
        self._batch = batch
        self._origin = name, sha256
        self._register = register
        self._days: dict[tuple[str, date], int] = {}
        self._currencies: dict[str, int] = {}
        self._rounds: list[pa.Table] = []
        self._events: list[Events] = []
        self._keys: list[bytes] = []
        self._digests: list[bytes] = []
        self._rows: list[Rows] = []

    def add_reads(self, reads: Sequence[Read | Refused]) -> None:
        """Add lines that were read one by one."""
        self._batch.refused += [
            (self._partition_of(each), each) for each in reads if isinstance(each, Refused)
        ]
        taken = [each for each in reads if isinstance(each, Read)]
        if not taken:
            return
        rounds = [each.round for each in taken]
        events = events_in(rounds)
        digests = [wire.content_digest(each.round, each.extra) for each in taken]
        values = [
            (
                *round_values(each.round, len(each.round.events)),
                each.extra,
                digest,
                *self._origin,
                each.line,
                each.offset,
            )
            for each, digest in zip(taken, digests, strict=True)
        ]
        gaming_date = self._register.gaming_date
        days = [self._day(each.venue, gaming_date(each.venue, each.started_at)) for each in rounds]
        self._batch.unknown.update(name for each in taken for name in each.unknown)
        self._batch.venues.update(each.venue for each in rounds)
        self._keys += [round_key(each.venue, each.round_id) for each in rounds]
        self._digests += map(bytes.fromhex, digests)
        places = {
            "number": [each.line for each in taken],
            "offset": [each.offset for each in taken],
            "size": [len(each.raw) for each in taken],
            "layer": days,
            "currency": [self._currency(each.currency) for each in rounds],
        }
        self._add(round_table(values), events, {name: np.array(each) for name, each in places.items()})

    def add_bulk(self, bulk: Bulk, lines: Rows) -> None:
        """Add rounds that were read in bulk; ``lines`` are number, offset and size of theirs."""
        count = len(bulk.places)
        if not count:
            return
        name, sha256 = self._origin
        digests = b"".join(bulk.digests).hex().encode()
        bounds = (2 * _DIGEST_BYTES * np.arange(count + 1)).astype(np.int32)
        columns = bulk.columns | {
            "content_sha256": pa.StringArray.from_buffers(count, pa.py_buffer(bounds), pa.py_buffer(digests)),
            "source_file": pa.repeat(pa.scalar(name, pa.string()), count),
            "source_sha256": pa.repeat(pa.scalar(sha256, pa.string()), count),
            "source_line": pa.array(lines["number"]),
            "source_offset": pa.array(lines["offset"]),
        }
        ids = columns["round_id"].cast(pa.binary()).to_pylist()
        prefixes = [f"{venue}\0".encode() for venue in bulk.venues]
        self._keys += [
            _key(prefixes[of] + each) for of, each in zip(bulk.venue_of.tolist(), ids, strict=True)
        ]
        self._digests += bulk.digests
        self._batch.unknown.update(bulk.unknown)
        self._batch.venues.update(bulk.venues)
        codes = np.array([self._currency(each) for each in bulk.currencies])
        placed = {"layer": self._days_of(bulk), "currency": codes[bulk.currency_of]}
        self._add(
            pa.table([columns[each] for each in ROUNDS.names], schema=ROUNDS), bulk.events, lines | placed
        )

    def _partition_of(self, refused: Refused) -> Partition:
        if refused.venue is None or refused.started_at is None:
            return Partition(refused.venue, None)
        return Partition(refused.venue, self._register.gaming_date(refused.venue, refused.started_at))

    def _day(self, venue: str, day: date) -> int:
        return self._days.setdefault((venue, day), len(self._days))

    def _currency(self, currency: str) -> int:
        return self._currencies.setdefault(currency, len(self._currencies))

    def _days_of(self, bulk: Bulk) -> Whole:
        """The gaming date of each round; of a quarter of an hour only once, where it has but one."""
        found = np.empty(len(bulk.places), np.int64)
        for number, venue in enumerate(bulk.venues):
            here = np.flatnonzero(bulk.venue_of == number)
            starts, offsets = bulk.starts[here], bulk.offsets[here]
            days = np.empty(len(here), np.int64)
            spans, of = np.unique(starts // _QUARTER * _OFFSETS + offsets + _DAY, return_inverse=True)
            for place, span in enumerate(spans.tolist()):
                quarter, offset = span // _OFFSETS, span % _OFFSETS - _DAY
                rows = np.flatnonzero(of == place)
                first, last = quarter * _QUARTER, (quarter + 1) * _QUARTER - 1
                if self._is_even(venue, first, last) and self._date(venue, first, offset) == self._date(
                    venue, last, offset
                ):
                    days[rows] = self._day(venue, self._date(venue, first, offset))
                else:
                    days[rows] = [
                        self._day(venue, self._date(venue, each, offset)) for each in starts[rows].tolist()
                    ]
            found[here] = days
        return found

    def _date(self, venue: str, micros: int, offset: int) -> date:
        zone = timezone(timedelta(minutes=offset))
        return self._register.gaming_date(venue, (_EPOCH + timedelta(microseconds=micros)).astimezone(zone))

    def _is_even(self, venue: str, first: int, last: int) -> bool:
        """Whether no clock was changed at a venue between two instants close to each other."""
        known = self._register.venues.get(venue)
        return (
            known is None
            or len(
                {
                    (_EPOCH + timedelta(microseconds=each)).astimezone(known.zone).utcoffset()
                    for each in (first, last)
                }
            )
            == 1
        )

    def _add(self, rounds: pa.Table, events: Events, rows: Rows) -> None:
        placed = events.counted("wager")
        sums = {"stakes": events.sums("amount"), "paid": events.sums("paid"), "taken": events.sums("taken")}
        self._rounds.append(rounds)
        self._events.append(events)
        self._rows.append(rows | {"events": events.counts, "wagers": placed} | sums)

    def finished(self) -> Batch:
        """The batch, its columns written."""
        if self._rounds:
            batch = self._batch
            rows = {name: np.concatenate([each[name] for each in self._rows]) for name in self._rows[0]}
            by_line = np.argsort(rows["number"], kind="stable")
            batch.rows = {name: values[by_line] for name, values in rows.items()}
            batch.keys = _bytes(self._keys, KEY_BYTES)[by_line]
            batch.digests = _bytes(self._digests, _DIGEST_BYTES)[by_line]
            batch.currencies = list(self._currencies)
            batch.total = batch.totals(np.arange(len(by_line)))
            self._write(by_line, self._by_partition())
        return self._batch

    def _by_partition(self) -> Whole:
        """The order of the rounds in the files; the layers are noted on the way."""
        batch = self._batch
        partitions = [Partition(*day) for day in self._days]
        ordered = sorted(partitions, key=lambda each: each.order)
        of = np.array([ordered.index(each) for each in partitions])[batch.rows["layer"]]
        order: Whole = np.argsort(of, kind="stable")
        rounds = np.bincount(of)
        first = np.cumsum(rounds) - rounds
        sizes = np.bincount(of, weights=batch.rows["size"]).astype(np.int64)
        place = np.empty(len(of), np.int64)
        place[order] = np.arange(len(of)) - first[of[order]]
        batch.rows |= {"layer": of, "row": place}
        columns = zip(ordered, first.tolist(), rounds.tolist(), sizes.tolist(), strict=True)
        batch.layers = [Layer(partition, batch.path, *numbers) for partition, *numbers in columns]
        return order

    def _write(self, by_line: Whole, order: Whole) -> None:
        rounds, events = pa.concat_tables(self._rounds), joined(self._events)
        path = self._batch.path
        ids = rounds["round_id"].combine_chunks()
        self._batch.round_ids = ids if _as_they_are(by_line) else ids.take(pa.array(by_line))
        order = by_line[order]
        if not _as_they_are(order):
            rounds, events = rounds.take(order), events.of(order)
        try:
            path.mkdir(exist_ok=True)
            write_ipc(path / "rounds", rounds.combine_chunks())
            events.write(path)
        except OSError as error:
            raise storage_error(error, "write", path.parent) from None


def _as_they_are(order: Whole) -> bool:
    return np.array_equal(order, np.arange(len(order)))


def _bytes(values: Sequence[bytes], size: int) -> npt.NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(-1, size)
