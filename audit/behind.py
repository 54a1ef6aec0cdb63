"""The rows behind the findings of a partition, kept aside while it is replayed.

They are in memory then. To find them again in the files of a lake takes as long as to read all
rounds, though they are few. A run keeps them in its staging folder for the report that closes it;
they are not published, and where there are none the report looks into the lake.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from audit.ingest.columns import rows_of
from rules_replay.log import EVENTS, HANDS, SETTLEMENTS
from rules_replay.replay import Batch

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
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
"""What a report reads of the events, hands and settlements behind findings.

Rounds are few, and some of their columns no replay reads: the report reads them from the lake."""

KEPT: Final[Mapping[str, pa.Schema]] = {
    table: pa.schema([schema.field(name) for name in COLUMNS[table]])
    for table, schema in (("events", EVENTS), ("hands", HANDS), ("settlements", SETTLEMENTS))
}


class Behind:
    """Takes the rows behind the findings of one partition; ``folder`` is where they are, a stream a table."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder, prefix="behind-"))
        self._open = ExitStack()
        self._streams = {
            table: self._open.enter_context(pa.ipc.new_stream(str(self.folder / table), schema))
            for table, schema in KEPT.items()
        }

    def add(self, rounds: pa.Table, events: pa.Table, batch: Batch) -> None:
        """Keep what of some rounds, their events and their results is behind findings."""
        concerned = batch.findings["round_id"].unique()
        if not len(concerned):
            return
        counts = rounds["event_count"].to_numpy().astype(np.int64)
        some = np.flatnonzero(_are_of(rounds, concerned))
        of_rounds = pa.array(rows_of(np.cumsum(counts) - counts, counts, some))
        self._write("events", events.select(COLUMNS["events"]).take(of_rounds))
        for table in ("hands", "settlements"):
            rows = getattr(batch, table).select(COLUMNS[table])
            self._write(table, rows.filter(pa.array(_are_of(rows, concerned))))

    def _write(self, table: str, rows: pa.Table) -> None:
        self._streams[table].write_table(rows.cast(KEPT[table]))

    def close(self) -> None:
        """Write to the end."""
        self._open.close()


def _are_of(rows: pa.Table, rounds: pa.Array) -> npt.NDArray[np.bool_]:
    """Which rows are of some rounds."""
    found = [np.zeros(0, np.bool_)]
    for chunk in rows["round_id"].chunks:
        ids = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        is_one = pc.is_in(ids, value_set=rounds).to_numpy(zero_copy_only=False)
        found.append(is_one if ids is chunk else is_one[chunk.indices.to_numpy()])
    return np.concatenate(found)


def rows_behind(folder: Path, table: str) -> Iterator[pa.RecordBatch]:
    """The rows of a table that were kept in a folder."""
    with pa.OSFile(str(folder / table)) as file, pa.ipc.open_stream(file) as stream:
        yield from stream
