"""One batch of lines to columns on disk, and what must be known of each round to place it.

This is the part of an ingest that is done in several processes at once. It looks at
nothing but its lines, so that what it gives does not depend on who does it and when.
"""

from __future__ import annotations

import gc
import hashlib
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.errors import storage_error
from audit.ingest import wire
from audit.ingest.columns import KINDS, Events, Whole, events_in, round_table, round_values, rows_of
from audit.ingest.lines import Line, Lines, Read, Refused, read_line
from audit.ingest.totals import CurrencyTotals, Totals
from audit.ingest.wire import Decoded
from audit.lake import Partition
from rules_replay.venues import Register

if TYPE_CHECKING:
    from audit.ingest.bulk import Bulk

KEY_BYTES = 16
"""Length of `round_key`."""


def round_key(venue: str, round_id: str) -> bytes:
    """What stands for a round's identity: 128 bits of BLAKE2b of its venue and its id."""
    return hashlib.blake2b(f"{venue}\0{round_id}".encode(), digest_size=KEY_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Layer:
    """Rounds of one partition within the files of a batch, and their events, by row.

    ``line_bytes`` is the size of the lines they came from; ``keep`` says which of the rounds
    are stored, None for all.
    """

    partition: Partition
    path: Path
    first_round: int
    rounds: int
    first_event: int
    events: int
    line_bytes: int
    keep: npt.NDArray[np.bool_] | None = None

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The rounds that are stored, and their events."""
        rounds = _table_at(self.path / "rounds").slice(self.first_round, self.rounds)
        events = _table_at(self.path / "events").slice(self.first_event, self.events)
        if self.keep is None:
            return rounds, events
        kept_events = np.repeat(self.keep, rounds["event_count"].to_numpy())
        return rounds.filter(pa.array(self.keep)), events.filter(pa.array(kept_events))


def _table_at(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


@dataclass(slots=True)
class Batch:
    """What became of a batch of lines.

    The lists have one entry for each round read, in the order of the file: where its line
    is, which of the ``layers`` it is in and at which of that layer's rows, its control
    totals (money in thousandths).
    """

    lines: int
    path: Path
    refused: list[tuple[Partition, Refused]] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    layers: list[Layer] = field(default_factory=list)
    venues: set[str] = field(default_factory=set)
    round_ids: list[str] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    layer_of: list[int] = field(default_factory=list)
    row_of: list[int] = field(default_factory=list)
    currencies: list[str] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    wagers: list[int] = field(default_factory=list)
    stakes: list[int] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)

    def totals(self, places: Sequence[int] | range) -> Totals:
        """The control totals of some of the rounds."""
        found = Totals()
        counts = (self.events, self.wagers, self.stakes, self.paid, self.taken)
        for currency in set(self.currencies):
            of_it = [place for place in places if self.currencies[place] == currency]
            sums = (sum(map(values.__getitem__, of_it)) for values in counts)
            if of_it:
                found.of(currency).add(CurrencyTotals(len(of_it), *sums))
        return found

    def kept(self, keep: Sequence[bool]) -> list[Layer]:
        """The layers with those rounds only that are to be kept, by place."""
        if all(keep):
            return self.layers
        masks = [np.zeros(layer.rounds, np.bool_) for layer in self.layers]
        sizes = [0] * len(self.layers)
        for place, (layer, row, size) in enumerate(zip(self.layer_of, self.row_of, self.sizes, strict=True)):
            if keep[place]:
                masks[layer][row] = True
                sizes[layer] += size
        return [
            replace(layer, line_bytes=size, keep=mask)
            for layer, mask, size in zip(self.layers, masks, sizes, strict=True)
            if mask.any()
        ]


def remove_batch(path: Path) -> None:
    """Remove the files of a batch, if it has any."""
    shutil.rmtree(path, ignore_errors=True)


def batch_of_lines(lines: Lines, sha256: str, register: Register, path: Path, bulk: bool) -> Batch:
    """Decode, check and lay out some lines of JSON Lines; the folder ``path`` is made for them.

    With ``bulk`` the usual lines are read by compiled code. That changes nothing but the time:
    to have the code takes about a second, and much longer the first time on a machine.
    """
    with _without_collection():
        each = list(lines.each())
        layout = _Layout(Batch(len(each), path), lines.name, sha256, register)
        others: Sequence[int] = range(len(each))
        if bulk and not lines.overlong:
            from audit.ingest.bulk import bulk_of

            read, others = bulk_of(lines.data, each)
            layout.add_bulk(read, [each[place] for place in read.places])
        layout.add_reads([read_line(lines.name, each[place]) for place in others])
        return layout.finished()


def batch_of_reads(
    reads: Sequence[Read | Refused], name: str, sha256: str, register: Register, path: Path
) -> Batch:
    """Lay out what was read of a CSV pair; the folder ``path`` is made for it."""
    with _without_collection():
        layout = _Layout(Batch(len(reads), path), name, sha256, register)
        layout.add_reads(reads)
        return layout.finished()


@contextmanager
def _without_collection() -> Iterator[None]:
    """No garbage collection: a batch makes hundreds of thousands of objects, and no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Layout:
    """Columns of a batch, and where each round is in them."""

    def __init__(self, batch: Batch, name: str, sha256: str, register: Register) -> None:
        self._batch = batch
        self._origin = name, sha256
        self._register = register
        self._values: list[tuple[Any, ...]] = []
        self._days: dict[tuple[str, date], Partition] = {}
        self._partitions: list[Partition] = []
        self._events: list[pa.Table] = []

    def add_reads(self, reads: Sequence[Read | Refused]) -> None:
        """Add lines that were read one by one."""
        taken = [each for each in reads if isinstance(each, Read)]
        self._batch.refused += [
            (self._partition_of(each), each) for each in reads if isinstance(each, Refused)
        ]
        decoded = [Decoded(each.round, each.extra, each.unknown) for each in taken]
        lines = [Line(each.raw, each.line, each.offset, len(each.raw)) for each in taken]
        digests = [wire.content_digest(each.round, each.extra) for each in taken]
        self._add(decoded, digests, events_in([each.round for each in taken]), lines)

    def add_bulk(self, bulk: Bulk, lines: Sequence[Line]) -> None:
        """Add rounds that were read in bulk, with the lines they were read from."""
        digests = [
            wire.content_digest(each.round, each.extra, events)
            for each, events in zip(bulk.rounds, bulk.canonical, strict=True)
        ]
        self._add(bulk.rounds, digests, bulk.events, lines)

    def _partition_of(self, refused: Refused) -> Partition:
        if refused.venue is None or refused.started_at is None:
            return Partition(refused.venue, None)
        return Partition(refused.venue, self._register.gaming_date(refused.venue, refused.started_at))

    def _add(
        self, decoded: Sequence[Decoded], digests: Sequence[str], events: Events, lines: Sequence[Line]
    ) -> None:
        if not decoded:
            return
        batch = self._batch
        self._count(events)
        rounds = [each.round for each in decoded]
        ids = [each.round_id for each in rounds]
        self._events.append(events.table(pa.array(ids, pa.string())))
        for each in decoded:
            if each.unknown:
                batch.unknown.update(each.unknown)
        batch.round_ids += ids
        batch.digests += digests
        batch.numbers += [line.number for line in lines]
        batch.offsets += [line.offset for line in lines]
        batch.sizes += [line.size for line in lines]
        batch.currencies += [each.currency for each in rounds]
        batch.keys += [round_key(each.venue, each.round_id) for each in rounds]
        batch.venues.update(each.venue for each in rounds)
        gaming_date = self._register.gaming_date
        for round_ in rounds:
            day = round_.venue, gaming_date(round_.venue, round_.started_at)
            if day not in self._days:
                self._days[day] = Partition(*day)
            self._partitions.append(self._days[day])
        rows = zip(decoded, digests, events.counts.tolist(), lines, strict=True)
        self._values += [
            (*round_values(each.round, count), each.extra, digest, *self._origin, line.number, line.offset)
            for each, digest, count, line in rows
        ]

    def _count(self, events: Events) -> None:
        batch = self._batch
        placed = events.kinds == KINDS["wager"]
        batch.events += events.counts.tolist()
        batch.wagers += events.by_round(placed).tolist()
        batch.stakes += events.sums("amount")
        batch.paid += events.sums("paid")
        batch.taken += events.sums("taken")

    def finished(self) -> Batch:
        """The batch, its columns written."""
        if self._values:
            order = self._by_partition()
            rounds = round_table(self._values).take(order)
            self._write("rounds", rounds)
            self._write("events", self._ordered_events(order))
            self._in_order_of_lines()
        return self._batch

    def _by_partition(self) -> Whole:
        """The order of the rounds in the files; the layers are noted on the way."""
        batch = self._batch
        partitions = sorted(self._days.values(), key=lambda each: each.order)
        layers = {partition: layer for layer, partition in enumerate(partitions)}
        batch.layer_of = [layers[each] for each in self._partitions]
        of = np.array(batch.layer_of)
        order: Whole = np.argsort(of, kind="stable")
        rounds = np.bincount(of)
        first = np.cumsum(rounds) - rounds
        events = np.bincount(of, weights=batch.events).astype(np.int64)
        sizes = np.bincount(of, weights=batch.sizes).astype(np.int64)
        first_event = np.cumsum(events) - events
        rows = np.empty(len(of), np.int64)
        rows[order] = np.arange(len(of)) - first[of[order]]
        batch.row_of = rows.tolist()
        columns = (each.tolist() for each in (first, rounds, first_event, events, sizes))
        batch.layers = [
            Layer(partition, batch.path, *numbers)
            for partition, *numbers in zip(partitions, *columns, strict=True)
        ]
        return order

    def _ordered_events(self, order: Whole) -> pa.Table:
        events = self._events[0]
        if len(self._events) > 1:
            events = pa.concat_tables(self._events).unify_dictionaries().combine_chunks()
        if np.array_equal(order, np.arange(len(order))):
            return events
        counts = np.array(self._batch.events)
        return events.take(pa.array(rows_of(np.cumsum(counts) - counts, counts, order)))

    def _write(self, name: str, table: pa.Table) -> None:
        path = self._batch.path
        try:
            path.mkdir(exist_ok=True)
            with pa.OSFile(str(path / name), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        except OSError as error:
            raise storage_error(error, "write", path.parent) from None

    def _in_order_of_lines(self) -> None:
        batch = self._batch
        if all(one < other for one, other in pairwise(batch.numbers)):
            return
        order = sorted(range(len(batch.numbers)), key=batch.numbers.__getitem__)
        for name in _BY_ROUND:
            values = getattr(batch, name)
            setattr(batch, name, [values[place] for place in order])


_BY_ROUND = tuple(
    each.name
    for each in fields(Batch)
    if str(each.type).startswith("list") and each.name not in ("refused", "layers")
)
