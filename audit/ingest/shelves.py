"""Columns waiting to become part files: in memory while they are few, on disk when many."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.errors import storage_error
from audit.ingest.batch import Batch, Layer, remove_batch
from audit.ingest.columns import NARROW_EVENTS, Events, joined
from audit.ingest.crew import Crew, Pending
from audit.ingest.recount import Recount
from audit.ingest.totals import Totals
from audit.layout import ROUND_ORDER, Partition, part_name
from audit.staging import Staged, stage
from rules_replay.log import EVENTS, QUARANTINE, ROUNDS

SHELF_BYTES = 64 * 1024 * 1024
"""Columns held in memory, over all partitions, before they are put on disk."""

PART_BYTES = 20 * 1024 * 1024
"""Lines of one partition before a part file is written, about 10,000 rounds."""

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


class RoundShelves:
    """Rounds by partition, lying in the files of their batches, and written as sorted parts by a crew."""

    def __init__(self, folder: Path, crew: Crew) -> None:
        self._folder = folder
        self._crew = crew
        self._layers: dict[Partition, list[Layer]] = {}
        self._in_use: Counter[Path] = Counter()
        self._writing: deque[tuple[list[Layer], Pending[Part]]] = deque()
        self._parts: list[Part] = []

    def add(self, batch: Batch, keep: npt.NDArray[np.bool_]) -> None:
        """Add the rounds of a batch that are to be kept."""
        layers = batch.kept(keep)
        self._in_use.update(layer.path for layer in layers)
        if not layers:
            remove_batch(batch.path)
        for layer in layers:
            lying = self._layers.setdefault(layer.partition, [])
            lying.append(layer)
            if sum(each.line_bytes for each in lying) >= PART_BYTES:
                self._make_part(layer.partition)

    def parts(self) -> list[Part]:
        """Every part, those of rounds still waiting included, in the order of partitions."""
        for partition in sorted(self._layers, key=lambda each: each.order):
            self._make_part(partition)
        while self._writing:
            self._collect()
        return self._parts

    def _make_part(self, partition: Partition) -> None:
        layers = self._layers.pop(partition)
        self._writing.append((layers, self._crew.give(write_part, self._folder, partition, layers)))
        while len(self._writing) > self._crew.jobs:
            self._collect()

    def _collect(self) -> None:
        layers, pending = self._writing.popleft()
        self._parts.append(pending.result())
        for layer in layers:
            self._in_use[layer.path] -= 1
            if not self._in_use[layer.path]:
                remove_batch(layer.path)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of ``rounds``, that of ``events`` beside it, and what was counted in them again."""

    rounds: Staged
    events: Staged
    count: int
    totals: Totals


def write_part(folder: Path, partition: Partition, layers: Sequence[Layer]) -> Part:
    """Write the rounds of some layers as one part, and count it again."""
    head, tail = round_part(folder, partition, [layer.tables() for layer in layers])
    totals = Totals()
    count = _recount(folder).pair(head.path, tail.path, totals)
    return Part(head, tail, count, totals)


@lru_cache(maxsize=1)
def _recount(folder: Path) -> Recount:
    """One for all the parts that a process writes: to open it takes as long as to count."""
    return Recount(folder)


def round_part(
    folder: Path, partition: Partition, layers: Sequence[tuple[pa.Table, Events]]
) -> tuple[Staged, Staged]:
    """A part of ``rounds`` and the part of ``events`` beside it, under one name."""
    rounds = pa.concat_tables([table for table, _ in layers]).combine_chunks()
    events = joined([each for _, each in layers])
    order = pa.compute.sort_indices(rounds, [(name, "ascending") for name in ROUND_ORDER]).to_numpy()
    groups = [(rounds.take(group), group) for group in _groups(order, events.counts)]
    head = stage(folder, "rounds", partition, (table for table, _ in groups), ROUNDS)
    tail = stage(
        folder,
        "events",
        partition,
        (events.of(group).narrow(table["round_id"].combine_chunks()) for table, group in groups),
        EVENTS,
        narrow=NARROW_EVENTS,
    )
    name = part_name(hashlib.sha256(f"{head.sha256}\n{tail.sha256}\n".encode()).hexdigest())
    return replace(head, name=name), replace(tail, name=name)


def _groups(order: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """The rounds in order, cut so that a group's events stay near `GROUP_EVENTS`."""
    marks = np.cumsum(counts[order]) // GROUP_EVENTS
    yield from np.split(order, np.flatnonzero(np.diff(marks)) + 1)


def quarantine_part(folder: Path, partition: Partition, layers: list[Tables]) -> tuple[Staged]:
    """A part of ``quarantine``, by file and line."""
    table = pa.concat_tables([tables[0] for tables in layers]).sort_by(
        [(name, "ascending") for name in ("source_file", "source_sha256", "source_line", "field")]
    )
    return (stage(folder, "quarantine", partition, [table], QUARANTINE, name=None),)
