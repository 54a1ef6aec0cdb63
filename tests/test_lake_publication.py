"""The lake publishes whole or not at all, and every tampering shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.errors import LakeBusy, LakeError, StorageError, UsageProblem
from audit.ingest import wire
from audit.ingest.columns import Columns, Origin
from audit.lake import Lake
from audit.layout import TABLES, Partition, part_name, venue_folder
from audit.ledger import GENESIS, as_line, record_digest
from audit.staging import Staged, stage
from rules_replay.log import EVENTS, ROUNDS
from tests.test_ingest_readers import plain

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
DAY = Partition("casino-canberra", date(2019, 3, 1))
NEXT = Partition("casino-canberra", date(2019, 3, 2))
SCHEMA = pa.schema([pa.field("n", pa.int64(), nullable=False)])


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    found = Lake(tmp_path / "lake")
    with found.writing(create=True):
        pass
    return found


def numbers(*values: int) -> pa.Table:
    return pa.table({"n": list(values)}, schema=SCHEMA)


def replace_table(lake: Lake, value: int, *partitions: Partition, table: str = "findings") -> dict[str, Any]:
    with lake.writing(), lake.staging() as folder:
        staged = [stage(folder, table, each, [numbers(value)], SCHEMA) for each in partitions]
        read = [
            {"path": path.relative_to(lake.root).as_posix()}
            for each in partitions
            for path in lake.files("rounds", each)
        ]
        return lake.publish(folder, staged, "runs", {"kind": "run", "value": value, "inputs": read}, AT)


def add_part(lake: Lake, *values: int) -> dict[str, Any]:
    with lake.writing(), lake.staging() as folder:
        staged = stage(folder, "quarantine", DAY, [numbers(*values)], SCHEMA, name=None)
        return lake.publish(folder, [staged], "ingests", {"kind": "ingest", "files": []}, AT)


def values(lake: Lake, table: str, partition: Partition) -> list[int]:
    return [
        value
        for path in lake.files(table, partition)
        for value in pq.read_table(path, partitioning=None)["n"].to_pylist()
    ]


def snapshot(lake: Lake) -> dict[str, bytes]:
    return {
        path.relative_to(lake.root).as_posix(): path.read_bytes()
        for path in lake.root.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


class TestPublication:
    """Files are put in place and recorded together."""

    def test_evidence_is_added_and_named_after_its_content(self, lake: Lake) -> None:
        record = add_part(lake, 1)
        add_part(lake, 2)
        assert sorted(values(lake, "quarantine", DAY)) == [1, 2]
        (file,) = record["published"]
        assert file["path"].endswith(part_name(file["sha256"]))
        assert file["rows"] == 1
        assert file["bytes"] == (lake.root / file["path"]).stat().st_size

    def test_derived_tables_are_replaced_whole(self, lake: Lake) -> None:
        replace_table(lake, 1, DAY, NEXT)
        replace_table(lake, 2, DAY)
        assert values(lake, "findings", DAY) == [2]
        assert values(lake, "findings", NEXT) == [1]
        assert [path.name for path in lake.files("findings", DAY)] == ["data.parquet"]
        assert lake.verify().intact

    def test_the_same_rows_give_the_same_bytes(self, tmp_path: Path) -> None:
        one, two = (stage(tmp_path, "findings", DAY, [numbers(1), numbers(2)], SCHEMA) for _ in range(2))
        assert one.path != two.path
        assert one.sha256 == two.sha256

    def test_rounds_are_put_in_place_after_their_events(
        self, lake: Lake, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moved: list[str] = []
        move = Path.replace

        def noted(self: Path, to: Path) -> Path:
            moved.append(str(to))
            return move(self, to)

        monkeypatch.setattr(Path, "replace", noted)
        with lake.writing(), lake.staging() as folder:
            staged = [stage(folder, name, DAY, [numbers(1)], SCHEMA) for name in ("rounds", "events")]
            lake.publish(folder, staged, "ingests", {"files": []}, AT)
        tables = [Path(place).relative_to(lake.root).parts[0] for place in moved]
        assert [table for table in tables if table in TABLES] == ["events", "rounds"]

    def test_nothing_of_a_failed_publication_stays(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        replace_table(lake, 1, DAY)
        before = snapshot(lake)
        move, calls = Path.replace, 0

        def failing(self: Path, to: Path) -> Path:
            nonlocal calls
            calls += "findings" in to.parts
            if calls == 2:
                raise OSError(28, "No space left on device")
            return move(self, to)

        monkeypatch.setattr(Path, "replace", failing)
        with pytest.raises(StorageError, match="the disk is full"):
            replace_table(lake, 2, DAY, NEXT)
        assert snapshot(lake) == before
        assert lake.verify().intact

    def test_a_file_cannot_be_staged_on_a_full_disk(self, tmp_path: Path) -> None:
        with pytest.raises(StorageError, match=r"could not write findings: no such file or folder"):
            stage(tmp_path / "gone", "findings", DAY, [numbers(1)], SCHEMA)


KILLED = """
import os, sys
from datetime import date
from pathlib import Path
import pyarrow as pa
from audit import publication
from audit.lake import Lake
from audit.layout import Partition
from audit.ledger import Ledger
from audit.staging import stage

lake, at = Lake(sys.argv[1]), sys.argv[2]
die = lambda *_, **__: os._exit(9)
if at == "first move":
    publication._put = die
elif at == "second move":
    put = publication._put
    def once(*given):
        publication._put = die
        put(*given)
    publication._put = once
elif at == "ledger":
    Ledger.append = die
elif at == "half a ledger line":
    def torn(self, record):
        with self.path.open("ab") as file:
            file.write(b'{"n":2,"kind')
        os._exit(9)
    Ledger.append = torn
elif at == "after the ledger":
    append = Ledger.append
    def last(self, record):
        append(self, record)
        os._exit(9)
    Ledger.append = last
elif at == "staging":
    Lake.publish = die
schema = pa.schema([pa.field("n", pa.int64(), nullable=False)])
with lake.writing(), lake.staging() as folder:
    days = [Partition("casino-canberra", date(2019, 3, day)) for day in (1, 2)]
    staged = [stage(folder, "findings", day, [pa.table({"n": [2]}, schema=schema)], schema) for day in days]
    lake.publish(folder, staged, "runs", {"value": 2})
"""


def kill_at(lake: Lake, step: str) -> None:
    """Publish the value 2 in another process that dies at a step."""
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(lake.root), step],
        env=os.environ | {"PYTHONPATH": str(root)},
        cwd=root,
        check=False,
    )
    assert done.returncode == 9


@pytest.mark.slow
class TestCutOff:
    """A writer killed at any moment leaves a lake that the next writer makes whole."""

    @pytest.mark.parametrize(
        "step", ["first move", "second move", "ledger", "half a ledger line", "after the ledger"]
    )
    def test_what_was_ready_is_finished(self, lake: Lake, step: str) -> None:
        replace_table(lake, 1, DAY)
        kill_at(lake, step)
        assert "a publication was cut off" in lake.verify().problems[0]
        with lake.writing():
            pass
        assert values(lake, "findings", DAY) == values(lake, "findings", NEXT) == [2]
        assert [record["value"] for record in lake.records("runs")] == [1, 2]
        assert lake.verify().intact
        assert list((lake.root / ".staging").iterdir()) == []

    def test_what_was_not_ready_is_dropped(self, lake: Lake) -> None:
        replace_table(lake, 1, DAY)
        kill_at(lake, "staging")
        with lake.writing():
            pass
        assert values(lake, "findings", DAY) == [1]
        assert list((lake.root / ".staging").iterdir()) == []
        assert lake.verify().intact

    def test_what_cannot_be_finished_is_undone(self, lake: Lake) -> None:
        replace_table(lake, 1, DAY)
        before = snapshot(lake)
        kill_at(lake, "second move")
        for path in lake.root.glob(".staging/*/*.parquet"):
            path.unlink()
        with lake.writing():
            pass
        assert snapshot(lake) == before
        assert lake.verify().intact


class TestLock:
    """Two writers never meet in one lake."""

    def test_a_second_writer_is_told_at_once(self, lake: Lake) -> None:
        other = Lake(lake.root)
        with (
            lake.writing(),
            pytest.raises(LakeBusy, match="another process is using this lake"),
            other.writing(),
        ):
            pass
        with other.writing():
            pass

    def test_verifying_waits_for_no_writer_and_reports_none_of_its_work(self, lake: Lake) -> None:
        with lake.writing():
            assert lake.verify().intact
            with pytest.raises(LakeBusy):
                Lake(lake.root).verify()

    def test_a_folder_with_other_things_is_not_made_a_lake(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("mine")
        with pytest.raises(UsageProblem, match="neither empty nor a lake"):
            Lake(tmp_path).writing(create=True).__enter__()
        assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

    def test_a_file_is_not_made_a_lake(self, tmp_path: Path) -> None:
        place = tmp_path / "night.jsonl"
        place.write_text("mine")
        with pytest.raises(UsageProblem, match="a file, and a lake is a folder"):
            Lake(place).writing(create=True).__enter__()
        assert place.read_text() == "mine"

    def test_a_lake_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(LakeError, match="no lake here"), Lake(tmp_path / "none").writing():
            pass


def edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")


class TestLedger:
    """Each record names the one before it, so that a changed or missing one shows."""

    def test_the_chain_begins_at_zeros_and_each_record_names_the_last(self, lake: Lake) -> None:
        for value in (1, 2, 3):
            replace_table(lake, value, DAY)
        records = list(lake.records("runs"))
        assert [each["n"] for each in records] == [1, 2, 3]
        assert [each["previous"] for each in records] == [GENESIS, *(each["sha256"] for each in records[:-1])]
        assert all(record_digest(each) == each["sha256"] for each in records)
        assert records[0]["at"] == "2026-01-02T03:04:05+00:00"
        found = lake.verify()
        assert (found.records, found.files, found.problems) == (3, 1, ())

    def test_a_record_without_files(self, lake: Lake) -> None:
        with lake.writing():
            lake.append("runs", {"kind": "note"}, AT)
        assert [each["kind"] for each in lake.records("runs")] == ["note"]

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (
                lambda rows: [rows[0], rows[1].replace('"value":2', '"value":9'), rows[2]],
                "line 2: the record does not match",
            ),
            (lambda rows: [rows[0], rows[2]], "line 2: does not follow the record before it"),
            (lambda rows: [rows[1], rows[0], rows[2]], "line 1: does not follow the record before it"),
            (lambda rows: [rows[0], rows[0], *rows[1:]], "line 2: does not follow the record before it"),
            (lambda rows: [rows[0], "{}", *rows[1:]], "line 2: not a ledger record"),
            (lambda rows: [rows[0], rows[1][:40], rows[2]], "line 2: not a ledger record"),
        ],
        ids=["altered", "taken out", "swapped", "repeated", "put in", "cut"],
    )
    def test_the_first_broken_link_is_named(
        self, lake: Lake, change: Callable[[list[str]], list[str]], words: str
    ) -> None:
        for value in (1, 2, 3):
            replace_table(lake, value, DAY)
        edit(lake.ledger_path("runs"), change)
        assert f"ledger/runs.jsonl: {words}" in lake.verify().problems[0]

    def test_a_record_altered_and_sealed_again_breaks_the_next_link(self, lake: Lake) -> None:
        for value in (1, 2):
            replace_table(lake, value, DAY)

        def forge(rows: list[str]) -> list[str]:
            record = json.loads(rows[0]) | {"value": 9}
            return [as_line(record | {"sha256": record_digest(record)}).decode(), rows[1]]

        edit(lake.ledger_path("runs"), forge)
        assert "line 2: does not follow" in lake.verify().problems[0]

    def test_records_cut_off_the_end_leave_their_files_unaccounted_for(self, lake: Lake) -> None:
        add_part(lake, 1)
        record = add_part(lake, 2)
        edit(lake.ledger_path("ingests"), lambda rows: rows[:-1])
        place = record["published"][0]["path"]
        assert lake.verify().problems == (f"{place}: in the lake, and in no ledger",)

    def test_a_line_that_is_no_record_stops_a_reader(self, lake: Lake) -> None:
        add_part(lake, 1)
        with lake.ledger_path("ingests").open("a") as file:
            file.write("nonsense\n")
        with pytest.raises(LakeError, match="line 2 is not a record"):
            list(lake.records("ingests"))


class TestFiles:
    """Every published file is held to its SHA-256."""

    def test_a_flipped_bit_shows(self, lake: Lake) -> None:
        place = add_part(lake, 1)["published"][0]["path"]
        path = lake.root / place
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        words = f"{place}: differs from the SHA-256 in the ledger; it was altered or damaged"
        assert lake.verify().problems == (words,)
        assert lake.damaged(DAY, ["quarantine"]) == [words]
        assert lake.damaged(NEXT, ["quarantine"]) == []

    def test_a_missing_file_shows(self, lake: Lake) -> None:
        place = add_part(lake, 1)["published"][0]["path"]
        (lake.root / place).unlink()
        assert lake.verify().problems == (f"{place}: published, and now missing",)
        assert lake.damaged(DAY, ["quarantine"]) == [f"{place}: published, and now missing"]

    def test_a_foreign_file_shows(self, lake: Lake) -> None:
        add_part(lake, 1)
        pq.write_table(numbers(7), lake.root / "quarantine" / DAY.folder / "mine.parquet")
        (problem,) = lake.damaged(DAY, ["quarantine"])
        assert "mine.parquet: in the lake, and in no ledger" in problem


class TestPartitions:
    """A partition is a venue and a gaming date, whatever the venue is called."""

    @pytest.mark.parametrize(
        "venue",
        [
            "casino-canberra",
            "..",
            ".",
            "a/b",
            "a b",
            "100%",
            "ü",
            "~",
            "=",
            "\n",
            "007",
        ],
    )
    def test_any_venue_is_a_safe_folder_and_comes_back(self, lake: Lake, venue: str) -> None:
        partition = Partition(venue, date(2019, 3, 1))
        replace_table(lake, 1, partition)
        assert lake.partitions("findings") == [partition]
        (path,) = lake.files("findings", partition)
        assert path.resolve().is_relative_to((lake.root / "findings").resolve())
        assert set(venue_folder(venue)) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-%"
        )
        found = pq.ParquetDataset(lake.root / "findings", partitioning="hive").read()["venue"].to_pylist()
        assert found == [int(venue) if venue == "007" else venue]

    def test_bounds_are_included_and_the_unknown_left_out(self, lake: Lake) -> None:
        days = [Partition("v", date(2019, 3, day)) for day in (1, 2, 3)]
        replace_table(
            lake, 1, *days, Partition("u", date(2019, 3, 2)), Partition(None, None), Partition("v", None)
        )
        assert lake.partitions("findings", "v", date(2019, 3, 2), date(2019, 3, 3)) == days[1:]
        assert lake.partitions("findings", until=date(2019, 3, 1)) == days[:1]
        assert len(lake.partitions("findings")) == 6

    def test_a_folder_that_is_no_date_is_named(self, lake: Lake) -> None:
        (lake.root / "rounds/venue=v/gaming_date=soon").mkdir(parents=True)
        with pytest.raises(LakeError, match="not a gaming date"):
            lake.partitions()

    def test_a_record_that_is_lost_is_told(self, lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
        add_part(lake, 1)
        path = lake.ledger_path("ingests")
        path.write_bytes(path.read_bytes()[:-20])
        with lake.writing():
            pass
        assert f"{path}: the last record was cut off" in capsys.readouterr().err
        assert [each.partition(": ")[2] for each in lake.verify().damaged] == [
            "in the lake, and in no ledger"
        ]
        with lake.writing():
            pass
        assert capsys.readouterr().err == ""

    def test_a_summary(self, lake: Lake) -> None:
        replace_table(lake, 1, DAY, NEXT, table="rounds")
        replace_table(lake, 1, DAY, table="coverage")
        assert lake.status() == {
            "venues": {
                "casino-canberra": {
                    "rounds": 2,
                    "gaming_dates": 2,
                    "first": "2019-03-01",
                    "last": "2019-03-02",
                    "not_replayed": 1,
                }
            },
            "rows": dict.fromkeys(["rounds", "events", "quarantine"], 0)
            | {"rounds": 2, "hands": 0, "settlements": 0, "findings": 0, "coverage": 1, "changes": 0},
            "ledgers": {"ingests": 0, "runs": 2, "dispositions": 0, "surveillance": 0},
        }

    def test_rounds_that_came_since_are_not_replayed(self, lake: Lake) -> None:
        replace_table(lake, 1, DAY, NEXT, table="rounds")
        replace_table(lake, 1, DAY, NEXT, table="coverage")
        assert lake.status()["venues"]["casino-canberra"]["not_replayed"] == 0
        with lake.writing(), lake.staging() as folder:
            staged = stage(folder, "rounds", DAY, [numbers(2)], SCHEMA, name=None)
            lake.publish(folder, [staged], "ingests", {"kind": "ingest", "files": []}, AT)
        assert lake.status()["venues"]["casino-canberra"]["not_replayed"] == 1
        replace_table(lake, 2, NEXT, table="coverage")
        assert lake.status()["venues"]["casino-canberra"]["not_replayed"] == 1
        replace_table(lake, 2, DAY, table="coverage")
        assert lake.status()["venues"]["casino-canberra"]["not_replayed"] == 0


class TestRoundsOfAPartition:
    """Rounds of several parts are read as they were dealt, shoe by shoe."""

    def publish(self, lake: Lake, *plains: dict[str, Any], events_kept: int | None = None) -> None:
        columns = Columns()
        for line, each in enumerate(plains, 1):
            round_ = wire.decode_line(msgspec.json.encode(each)).round
            columns.add(round_, extra=None, digest="d", origin=Origin("f", "s", line, 0))
        rounds, events = columns.tables()
        with lake.writing(), lake.staging() as folder:
            head = stage(folder, "rounds", DAY, [rounds], ROUNDS, name=None)
            tail = stage(folder, "events", DAY, [events[:events_kept]], EVENTS, name=head.name)
            lake.publish(folder, [head, tail], "ingests", {"files": []}, AT)

    def test_parts_are_merged(self, lake: Lake) -> None:
        order = [("P1", "S1", 1), ("P1", "S1", 2), ("P1", "S2", 1), ("P2", "S0", 1), ("P2", "S0", 9)]
        rounds = [
            plain(place, table=table, shoe=shoe, round_no=number)
            for place, (table, shoe, number) in enumerate(order)
        ]
        self.publish(lake, *rounds[::2])
        self.publish(lake, *rounds[1::2])
        assert len(lake.files("rounds", DAY)) == 2
        found = list(lake.read_rounds(DAY))
        assert [(each.table, each.shoe, each.round_no) for each in found] == order
        assert found == [wire.decode_line(msgspec.json.encode(each)).round for each in rounds]

    def test_missing_events_are_an_error_and_not_a_shorter_round(self, lake: Lake) -> None:
        self.publish(lake, plain(1), events_kept=2)
        with pytest.raises(LakeError, match="round R-1: events are missing"):
            list(lake.read_rounds(DAY))

    def test_stored_rounds_are_found_under_any_date(self, lake: Lake) -> None:
        self.publish(lake, plain(1), plain(2))
        found = lake.stored("casino-canberra", ["R-2", "R-3"])
        assert {name: each.source_line for name, each in found.items()} == {"R-2": 2}
        assert lake.stored("skycity-auckland", ["R-2"]) == {}


def test_a_staged_file_knows_its_place() -> None:
    staged = Staged("findings", DAY, Path("x"), "data.parquet", "d", 1, 1)
    assert staged.place == "findings/venue=casino-canberra/gaming_date=2019-03-01/data.parquet"
