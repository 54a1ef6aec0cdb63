"""Columns waiting to become part files: in memory while they are few, on disk when many."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from audit.errors import storage_error
from audit.lake import ROUND_ORDER, Partition, Staged, part_name, stage
from rules_replay.log import EVENTS, QUARANTINE, ROUNDS

SHELF_BYTES = 64 * 1024 * 1024
"""Columns held in memory, over all partitions, before they are put on disk."""

PART_BYTES = 128 * 1024 * 1024
"""Columns of one partition before a part file is written, about 20,000 rounds."""

GROUP_EVENTS = 150_000
"""Events in a row group of a part file."""

Tables = tuple[pa.Table, ...]
PartWriter = Callable[[Path, Partition, list[Tables]], tuple[Staged, ...]]


@dataclass(slots=True)
class _Shelf:
    """Columns of one partition: in memory, or in files on disk."""

    layers: list[Tables | Path] = field(default_factory=list)
    in_memory: int = 0
    in_all: int = 0


class Shelves:
    """Columns by partition, put on disk when too many, and written as sorted parts."""

    def __init__(self, folder: Path, name: str, write: PartWriter) -> None:
        self._folder = folder
        self._name = name
        self._write = write
        self._shelves: dict[Partition, _Shelf] = {}
        self._in_memory = 0
        self._spilled = 0
        self._parts: list[tuple[Staged, ...]] = []

    def add(self, partition: Partition, tables: Tables) -> None:
        """Add rows of a partition, each table by its own order."""
        shelf = self._shelves.setdefault(partition, _Shelf())
        size = sum(table.nbytes for table in tables)
        shelf.layers.append(tables)
        shelf.in_memory += size
        shelf.in_all += size
        self._in_memory += size
        if shelf.in_all >= PART_BYTES:
            self._make_part(partition)
        elif self._in_memory >= SHELF_BYTES:
            for each in self._shelves.values():
                self._spill(each)
            self._in_memory = 0

    def parts(self) -> list[tuple[Staged, ...]]:
        """Every part written, those still waiting included, in the order of partitions."""
        for partition in sorted(self._shelves, key=lambda each: each.order):
            self._make_part(partition)
        return self._parts

    def _make_part(self, partition: Partition) -> None:
        shelf = self._shelves.pop(partition)
        self._in_memory -= shelf.in_memory
        layers = [self._loaded(layer) if isinstance(layer, Path) else layer for layer in shelf.layers]
        self._parts.append(self._write(self._folder, partition, layers))

    def _spill(self, shelf: _Shelf) -> None:
        loose = [layer for layer in shelf.layers if not isinstance(layer, Path)]
        if not loose:
            return
        self._spilled += 1
        path = self._folder / f"{self._name}-{self._spilled}"
        try:
            path.mkdir()
            for number, tables in enumerate(zip(*loose, strict=True)):
                table = pa.concat_tables(tables)
                options = pa.ipc.IpcWriteOptions(compression="zstd")
                with pa.ipc.new_file(path / str(number), table.schema, options=options) as writer:
                    writer.write_table(table)
        except OSError as error:
            raise storage_error(error, "write", self._folder) from None
        shelf.layers = [*(layer for layer in shelf.layers if isinstance(layer, Path)), path]
        shelf.in_memory = 0

    def _loaded(self, path: Path) -> Tables:
        files = sorted(path.iterdir())
        tables = tuple(pa.ipc.open_file(pa.OSFile(str(file))).read_all() for file in files)
        for file in files:
            file.unlink()
        return tables


def round_part(folder: Path, partition: Partition, layers: list[Tables]) -> tuple[Staged, Staged]:
    """A part of ``rounds`` and the part of ``events`` beside it, under one name."""
    rounds, events = (pa.concat_tables(tables) for tables in zip(*layers, strict=True))
    counts = rounds["event_count"].to_numpy().astype(np.int64)
    starts = np.cumsum(counts) - counts
    order = pa.compute.sort_indices(rounds, [(name, "ascending") for name in ROUND_ORDER]).to_numpy()
    groups = list(_groups(order, counts))
    head = stage(folder, "rounds", partition, (rounds.take(group) for group in groups), ROUNDS)
    tail = stage(
        folder,
        "events",
        partition,
        (events.take(_event_places(starts[group], counts[group])) for group in groups),
        EVENTS,
    )
    name = part_name(hashlib.sha256(f"{head.sha256}\n{tail.sha256}\n".encode()).hexdigest())
    return replace(head, name=name), replace(tail, name=name)


def _groups(order: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """The rounds in order, cut so that a group's events stay near `GROUP_EVENTS`."""
    marks = np.cumsum(counts[order]) // GROUP_EVENTS
    yield from np.split(order, np.flatnonzero(np.diff(marks)) + 1)


def _event_places(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The row numbers of the events of some rounds, one round after another."""
    ends = np.cumsum(counts)
    places: np.ndarray = np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts)
    return places


def quarantine_part(folder: Path, partition: Partition, layers: list[Tables]) -> tuple[Staged]:
    """A part of ``quarantine``, by file and line."""
    table = pa.concat_tables([tables[0] for tables in layers]).sort_by(
        [(name, "ascending") for name in ("source_file", "source_sha256", "source_line", "field")]
    )
    return (stage(folder, "quarantine", partition, [table], QUARANTINE, name=None),)
