"""The rows behind findings that are kept aside while a partition is replayed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from audit.behind import COLUMNS, Behind, rows_behind
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS, narrow
from rules_replay.replay import Batch
from rules_replay.venues import load_register
from tests.test_report_lake import CANBERRA, SCHEMAS, LakeBuilder


def test_they_are_those_of_the_rounds_with_findings(tmp_path: Path) -> None:
    lake = LakeBuilder()
    names = [f"R{number}" for number in range(6)]
    for name in names:
        lake.round(CANBERRA, name, event_count=2)
    for name in ("R4", "R1", "R4"):
        lake.finding(CANBERRA, name, "settle.odds", "breach", "10", wager="a", box=3, hand=1)
    tables = {
        table: pa.Table.from_pylist(lake.rows[table][CANBERRA], schema=SCHEMAS[table])
        for table in ("rounds", "events", "hands", "settlements", "findings")
    }
    behind = Behind(tmp_path, CANBERRA, load_register())
    for some in (names[:3], names[3:]):
        of_some = {
            table: rows.filter(pa.compute.is_in(rows["round_id"], pa.array(some)))
            for table, rows in tables.items()
        }
        # In two chunks, as a replay has them of rounds judged and rounds told.
        hands = [narrow(half, NARROW_HANDS) for half in (of_some["hands"][:3], of_some["hands"][3:])]
        behind.add(
            of_some["rounds"],
            of_some["events"],
            Batch(
                hands=pa.concat_tables(hands),
                settlements=narrow(of_some["settlements"], NARROW_SETTLEMENTS),
                findings=of_some["findings"],
            ),
        )
    behind.close()
    for table, columns in COLUMNS.items():
        rows = pa.Table.from_batches(rows_behind(behind.folder, table)).to_pylist()
        concerned = tables[table].select(columns).to_pylist()
        assert rows == [row for row in concerned if row["round_id"] in {"R1", "R4"}]
        assert rows


def test_there_are_none_without_findings(tmp_path: Path) -> None:
    behind = Behind(tmp_path, CANBERRA, load_register())
    behind.close()
    assert [*rows_behind(behind.folder, "events")] == []
