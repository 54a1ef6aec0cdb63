"""What a report takes of the rounds of a partition, kept aside while it is replayed.

The rows behind findings are in memory then, and so are the columns by which opportunities are counted
(`audit.causes.counting`). To find either again in the files of a lake takes as long as to read all
rounds. A run keeps them in its staging folder for the report that closes it; they are not published,
and where there are none the report looks into the lake.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.causes.counting import Counting
from audit.ingest.columns import rows_of
from audit.layout import Partition
from rules_replay.log import EVENTS, HANDS, ROUNDS, SETTLEMENTS
from rules_replay.replay import Batch
from rules_replay.venues import Register

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "rounds": (
        *("round_id", "table", "dealer", "supervisor", "shoe", "round_no", "started_at"),
        *("started_at_text", "currency", "source_file", "source_line", "source_sha256"),
    ),
    # All that tell an event in words.
    "events": tuple(name for name in EVENTS.names if name not in ("at", "on", "limit", "reason", "line")),
    "hands": ("round_id", "box", "hand", "cards", "total", "soft", "doubled", "split_from", "ended"),
    "settlements": (
        *(
            "round_id",
            "wager",
            "line",
            "hand",
            "kind",
            "stake",
            "effective_stake",
            "odds",
            "clause",
            "reason",
        ),
        *("corrected", "expected_result", "expected_paid", "expected_taken"),
        *("recorded_result", "recorded_paid", "recorded_taken"),
    ),
}
"""What a report reads of the rows behind findings."""

KEPT: Final[Mapping[str, pa.Schema]] = {
    table: pa.schema([schema.field(name) for name in COLUMNS[table]])
    for table, schema in (
        ("rounds", ROUNDS),
        ("events", EVENTS),
        ("hands", HANDS),
        ("settlements", SETTLEMENTS),
    )
}

_COUNTED: Final = "counted"

Places: TypeAlias = npt.NDArray[np.int64]


class Behind:
    """Takes the rounds of one partition with their results; ``folder`` is where what it keeps is.

    That is the rows behind findings, a stream a table, and how often anything could have been found.
    """

    def __init__(self, folder: Path, partition: Partition, register: Register) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder, prefix="behind-"))
        self._counting = Counting(partition, register)
        self._open = ExitStack()
        self._streams = {
            table: self._open.enter_context(pa.ipc.new_stream(str(self.folder / table), schema))
            for table, schema in KEPT.items()
        }

    def add(self, rounds: pa.Table, events: pa.Table, batch: Batch) -> None:
        """Count some rounds, and keep what of them, their events and their results is behind findings."""
        concerned = batch.findings["round_id"].unique()
        self._counting.add(rounds, batch.hands, batch.settlements, concerned)
        if not len(concerned):
            return
        ids = _ids(rounds)
        some = _places(concerned, ids)
        counts = rounds["event_count"].to_numpy().astype(np.int64)
        self._write("rounds", rounds, some)
        self._write("events", events, rows_of(np.cumsum(counts) - counts, counts, some))
        for table in ("hands", "settlements"):
            rows = getattr(batch, table)
            self._write(table, rows, _rows_of_rounds(rows["round_id"], concerned, ids, some))

    def _write(self, table: str, rows: pa.Table, places: Places) -> None:
        """Write rows at some places, which are in order."""
        done = 0
        # Chunk by chunk, since rows of several chunks are copied into one before any are taken.
        for each in rows.select(COLUMNS[table]).to_batches():
            first, end = np.searchsorted(places, [done, done + len(each)]).tolist()
            if first < end:
                taken = each.take(pa.array(places[first:end] - done))
                self._streams[table].write_table(pa.Table.from_batches([taken]).cast(KEPT[table]))
            done += len(each)

    def finish(self) -> None:
        """Write what was counted, once all rounds are added."""
        self._counting.write(self.folder / _COUNTED)

    def close(self) -> None:
        """Write the streams to their end."""
        self._open.close()


def _ids(rounds: pa.Table) -> pa.Array:
    column = rounds["round_id"]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _places(concerned: pa.Array, ids: pa.Array) -> Places:
    """Where among some ids those are that are concerned, in order."""
    # The list of the few is the one to look in.
    return np.flatnonzero(pc.is_in(ids, value_set=concerned).to_numpy(zero_copy_only=False))


def _rows_of_rounds(round_ids: pa.ChunkedArray, concerned: pa.Array, ids: pa.Array, those: Places) -> Places:
    """The places of the rows of some rounds, in order; the rows stand in the order of their rounds.

    ``those`` are the places of the rounds concerned among the ``ids`` of all.
    """
    found = [np.zeros(0, np.int64)]
    done = 0
    for chunk in round_ids.chunks:
        numbers = chunk.indices.to_numpy()
        some = those if chunk.dictionary.equals(ids) else _places(concerned, chunk.dictionary)
        first, end = (np.searchsorted(numbers, some, side) for side in ("left", "right"))
        found.append(rows_of(first, end - first, np.arange(len(some))) + done)
        done += len(chunk)
    return np.concatenate(found)


def counted_behind(folder: Path) -> Path:
    """Where in a folder it is kept what was counted (`audit.causes.counting.Counted`)."""
    return folder / _COUNTED


def rows_behind(folder: Path, table: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table that were kept in a folder."""
    with pa.OSFile(str(folder / table)) as file, pa.ipc.open_stream(file) as stream:
        yield from stream
