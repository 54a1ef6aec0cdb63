"""The rounds of a partition as tables, in the order of a replay, a batch at a time.

A partition may consist of several parts, each sorted by table, shoe and number; their rounds
are merged. Memory is bounded by a row group of each part, whatever the partition's size.
Reading takes longer than judging, so what no replay looks at is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.errors import LakeError
from audit.ingest.columns import rows_of
from audit.lake import Lake
from audit.layout import ROUND_ORDER, Partition
from rules_replay.log import EVENTS

RoundTables: TypeAlias = tuple[pa.Table, pa.Table]
"""Rounds, without `NOT_READ`, and their events in the same order."""

NOT_READ = ("source_offset",)
"""Columns of rounds that neither engine, no check of the tables and no report looks at."""

_REPEATED = (
    *("table", "shoe", "rulebook", "shuffler", "currency", "dealer", "supervisor"),
    *("source_file", "source_sha256"),
    *("offers.list.element", "records.list.element"),
)
_TEXTS = tuple(each.name for each in EVENTS if each.type == pa.string())
"""Columns that repeat few texts are read as dictionaries: a text is then looked at once for all its rows."""

_Key: TypeAlias = tuple[str, str, int, str]


class _File:
    """A Parquet file, read a row group at a time; ``nothing`` is a table of its columns without a row."""

    def __init__(self, path: Path, texts: Sequence[str], left_out: Sequence[str] = ()) -> None:
        # Reading ahead hands every row group over to other threads, which a local file is not worth.
        self._file = pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False)
        self._next = 0
        schema = self._file.schema_arrow
        self._schema = pa.schema([each for each in schema if each.name not in left_out])
        self.nothing = self._schema.empty_table()

    @property
    def exhausted(self) -> bool:
        """Whether everything has been read."""
        return bool(self._next == self._file.num_row_groups)

    def read_on(self) -> pa.Table:
        """The next row group. Columns that its statistics say to hold nothing are made, not read."""
        group = self._file.metadata.row_group(self._next)
        empty = _empty_columns(group)
        read = [name for name in self._schema.names if name not in empty]
        table = self._file.read_row_group(self._next, read, use_threads=False)
        self._next += 1
        return pa.table(
            [
                pa.nulls(group.num_rows, each.type) if each.name in empty else table[each.name]
                for each in self._schema
            ],
            schema=self._schema,
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _empty_columns(group: pq.RowGroupMetaData) -> set[str]:
    """The columns of a row group of which it is recorded that they hold nothing but nulls."""
    columns = (group.column(number) for number in range(group.num_columns))
    return {
        column.path_in_schema
        for column in columns
        if column.is_stats_set and column.statistics.null_count == group.num_rows
    }


class _Part:
    """One part, read a row group at a time; ``rounds`` and ``events`` are read and not yet taken."""

    def __init__(self, rounds: Path, events: Path) -> None:
        self._name = rounds.name
        self._head = _File(rounds, _REPEATED, NOT_READ)
        self._tail = _File(events, _TEXTS)
        self.rounds = self._head.nothing
        self.events = self._tail.nothing

    @property
    def exhausted(self) -> bool:
        """Whether everything has been read."""
        return self._head.exhausted

    def read_on(self) -> None:
        """Read the next rounds, with all their events; nothing where none are left."""
        while not self.rounds.num_rows and not self.exhausted:
            self.rounds = self._head.read_on()
        wanted = pc.sum(self.rounds["event_count"]).as_py() or 0
        while self.events.num_rows < wanted:
            if self._tail.exhausted:
                raise LakeError(f"{self._name}: events are missing; run `pontoon-audit verify`")
            more = self._tail.read_on()
            self.events = pa.concat_tables([self.events, more]) if self.events.num_rows else more

    def take(self, count: int) -> RoundTables:
        """The first rounds read, and their events."""
        taken = self.rounds.slice(0, count)
        events = pc.sum(taken["event_count"]).as_py() or 0
        found = taken, self.events.slice(0, events)
        self.rounds = self.rounds.slice(count)
        self.events = self.events.slice(events)
        return found

    def up_to(self, key: _Key) -> int:
        """How many of the rounds read come no later than a key."""
        columns = [self.rounds[name] for name in ROUND_ORDER]
        low, high = 0, self.rounds.num_rows
        while low < high:
            middle = (low + high) // 2
            if _key(columns, middle) <= key:
                low = middle + 1
            else:
                high = middle
        return low

    @property
    def last(self) -> _Key:
        """The key of the last round read."""
        return _key([self.rounds[name] for name in ROUND_ORDER], self.rounds.num_rows - 1)

    def close(self) -> None:
        """Close both files."""
        self._head.close()
        self._tail.close()


def _key(columns: list[pa.ChunkedArray], place: int) -> _Key:
    table, shoe, number, round_id = (column[place].as_py() for column in columns)
    return table, shoe, number, round_id


def round_tables(lake: Lake, partition: Partition) -> Iterator[RoundTables]:
    """The rounds of a partition with their events, sorted by table, shoe and number.

    Raises `LakeError` where events are missing.
    """
    parts = [_Part(path, lake.events_beside(path)) for path in lake.files("rounds", partition)]
    try:
        yield from _merged(parts)
    finally:
        for part in parts:
            part.close()


def earlier_tables(
    lake: Lake, partition: Partition, first: Mapping[tuple[str, str], int]
) -> Iterator[RoundTables]:
    """The rounds of a partition that come before the first of their shoe elsewhere, with their events.

    ``first`` has the number of that first round by table and shoe.
    """
    for rounds, events in round_tables(lake, partition):
        columns = (rounds[name].to_pylist() for name in ("table", "shoe", "round_no"))
        early = np.array(
            [number < first.get((table, shoe), 0) for table, shoe, number in zip(*columns, strict=True)]
        )
        if early.any():
            whose = np.repeat(early, rounds["event_count"].to_numpy())
            yield rounds.filter(pa.array(early)), events.filter(pa.array(whose))


def _merged(parts: list[_Part]) -> Iterator[RoundTables]:
    while True:
        for part in parts:
            part.read_on()
        open_ = [part for part in parts if part.rounds.num_rows]
        if not open_:
            return
        if len(open_) == 1:
            yield open_[0].take(open_[0].rounds.num_rows)
            continue
        # What is still unread comes after the last round read of its own part.
        bound = min(part.last for part in open_ if not part.exhausted) if _unread(open_) else None
        taken = [part.take(part.rounds.num_rows if bound is None else part.up_to(bound)) for part in open_]
        yield _sorted(*(pa.concat_tables(tables) for tables in zip(*taken, strict=True)))


def _unread(parts: list[_Part]) -> bool:
    return any(not part.exhausted for part in parts)


def _sorted(rounds: pa.Table, events: pa.Table) -> RoundTables:
    counts = rounds["event_count"].to_numpy().astype(np.int64)
    keys = pa.table({name: _plain(rounds[name]) for name in ROUND_ORDER})
    order = pc.sort_indices(keys, [(name, "ascending") for name in ROUND_ORDER]).to_numpy()
    rounds, events = rounds.unify_dictionaries(), events.unify_dictionaries()
    return rounds.take(order), events.take(rows_of(np.cumsum(counts) - counts, counts, order))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
