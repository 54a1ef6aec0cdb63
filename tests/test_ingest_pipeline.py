"""From files to the lake: nothing lost, nothing twice, nothing half."""

from __future__ import annotations

import errno
import gzip
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.errors import Imbalance, SourceFailed, StorageError
from audit.ingest import lines, pipeline, shelves, wire
from audit.ingest.columns import EMPTY, NARROW_EVENTS, Events
from audit.ingest.pipeline import IngestReport, ingest
from audit.ingest.readers import OpenSource
from audit.lake import Lake
from audit.layout import Partition
from audit.ledger import Ledger
from rules_replay.log import EVENTS, QUARANTINE, ROUNDS, Round
from rules_replay.venues import load_register
from tests.test_ingest_readers import BROKEN, json_lines, plain, write_csv

REGISTER = load_register()
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CANBERRA = Partition("casino-canberra", date(2019, 3, 1))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def put(folder: Path, name: str, *rounds: dict[str, Any] | bytes) -> Path:
    path = folder / name
    path.write_bytes(b"".join(each if isinstance(each, bytes) else json_lines([each]) for each in rounds))
    return path


def take(lake: Lake, *arguments: Path | str) -> IngestReport:
    report = ingest(arguments, lake, REGISTER, at=AT)
    for file in report.files:
        assert file.lines == file.stored + file.duplicates + file.quarantined
    return report


def stored(lake: Lake) -> list[Round]:
    return [round_ for partition in lake.partitions() for round_ in lake.read_rounds(partition)]


def contents(lake: Lake) -> dict[str, bytes]:
    """Every file below the lake's tables and ledgers, by its place."""
    return {
        path.relative_to(lake.root).as_posix(): path.read_bytes()
        for path in lake.root.rglob("*")
        if path.is_file() and not path.relative_to(lake.root).as_posix().startswith(".")
    }


def quarantine(lake: Lake) -> list[dict[str, Any]]:
    tables = [
        pq.read_table(path, partitioning=None)
        for partition in lake.partitions("quarantine")
        for path in lake.files("quarantine", partition)
    ]
    return [row for table in tables for row in table.to_pylist()]


def queried(sql: str) -> list[Any]:
    with duckdb.connect() as base:
        return base.execute(sql).fetchall()


class TestStored:
    """What was logged is in the lake, sorted, in a form any reader of Parquet understands."""

    def test_rounds_come_back_equal_and_as_they_were_dealt(self, lake: Lake, inbox: Path) -> None:
        rounds = [plain(number, table=table) for number in (3, 1, 2) for table in ("P1", "P0")]
        for place, each in enumerate(rounds):
            each["round_id"] = f"R-{place}"
        take(lake, put(inbox, "night.jsonl", *rounds))
        expected = sorted(rounds, key=lambda each: (each["table"], each["round_no"]))
        assert stored(lake) == [wire.decode_line(msgspec.json.encode(each)).round for each in expected]

    def test_a_bare_glob_reads_right_without_a_catalogue(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1), plain(2, venue="pit/1 ü%", currency="NZD")))
        take(lake, put(inbox, "b.jsonl", plain(3)))
        found = queried(
            "SELECT venue, gaming_date, count(*), sum(l.amount) FROM"
            f" read_parquet('{lake.root}/rounds/*/*/*.parquet') AS r JOIN"
            f" read_parquet('{lake.root}/events/*/*/*.parquet') AS l USING (venue, gaming_date, round_id)"
            " GROUP BY ALL ORDER BY 1"
        )
        day = date(2019, 3, 1)
        assert [row[:3] for row in found] == [("casino-canberra", day, 6), ("pit/1 ü%", day, 3)]
        frame = pl.scan_parquet(f"{lake.root}/rounds/**/*.parquet", hive_partitioning=True).collect()
        assert sorted(frame["venue"].to_list()) == ["casino-canberra", "casino-canberra", "pit/1 ü%"]

    def test_files_have_the_declared_columns_and_comments(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "night.jsonl", plain(1), b"nonsense\n"))
        for table, schema in (("rounds", ROUNDS), ("events", EVENTS), ("quarantine", QUARANTINE)):
            (partition,) = lake.partitions(table)
            (path,) = lake.files(table, partition)
            found = pq.read_schema(path)
            assert found.names == schema.names
            assert [each.nullable for each in found] == [each.nullable for each in schema]
            assert [each.metadata[b"comment"] for each in found] == [
                each.metadata[b"comment"] for each in schema
            ]
            assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"

    def test_where_a_round_came_from_and_what_else_it_said(self, lake: Lake, inbox: Path) -> None:
        path = put(inbox, "night.jsonl", b"nonsense\n", plain(1, pit="North"))
        report = take(lake, path)
        (row,) = pq.read_table(lake.files("rounds", CANBERRA)[0], partitioning=None).to_pylist()
        assert (row["source_file"], row["source_line"], row["source_offset"]) == ("night.jsonl", 2, 9)
        assert row["source_sha256"] == report.files[0].sha256
        assert row["extra"] == '{"pit":"North"}'
        assert row["started_at_text"] == "2019-03-01T20:14:05+11:00"
        assert report.files[0].unknown == {"pit": 1}

    def test_the_same_input_gives_the_same_bytes_wherever_it_lies(self, tmp_path: Path) -> None:
        lakes = []
        for name in ("one", "two"):
            folder = tmp_path / name
            folder.mkdir()
            put(folder, "night.jsonl", *(plain(number) for number in (2, 1, 3)), b"nonsense\n")
            lakes.append(Lake(folder / "lake"))
            take(lakes[-1], folder / "night.jsonl")
        one, two = map(contents, lakes)
        assert one == two
        assert not [place for place, content in one.items() if str(tmp_path).encode() in content]

    def test_a_csv_pair_gives_the_rounds_of_its_json(self, lake: Lake, inbox: Path) -> None:
        rounds = [plain(number) for number in (1, 2)]
        write_csv(inbox, rounds)
        assert take(lake, inbox).count("stored") == 2
        assert take(lake, put(inbox, "night.jsonl", *rounds)).count("duplicates") == 2

    def test_standard_input(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        data = gzip.compress(json_lines([plain(1)]))
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(data)))
        assert take(lake, "-").count("stored") == 1

    def test_a_venue_not_in_the_register_is_stored_and_named(self, lake: Lake, inbox: Path) -> None:
        report = take(lake, put(inbox, "night.jsonl", plain(1, venue="..")))
        assert report.as_json()["unregistered_venues"] == [".."]
        assert [path.parent.parent.name for path in lake.root.rglob("rounds/*/*/*.parquet")] == ["venue=.."]
        assert lake.partitions() == [Partition("..", date(2019, 3, 1))]


class TestGamingDate:
    """A gaming day begins at six by the clock on the wall, on days of 23 and 25 hours too."""

    @pytest.mark.parametrize(
        ("started_at", "gaming_date"),
        [
            ("2019-03-02T05:59:59.999999+11:00", "2019-03-01"),
            ("2019-03-02T06:00:00+11:00", "2019-03-02"),
            # The clock goes from 02:00+10:00 to 03:00+11:00: a gaming day of 23 hours.
            ("2019-10-05T05:59:59+10:00", "2019-10-04"),
            ("2019-10-05T06:00:00+10:00", "2019-10-05"),
            ("2019-10-06T05:59:59+11:00", "2019-10-05"),
            ("2019-10-06T05:00:00+10:00", "2019-10-06"),
            ("2019-10-06T06:00:00+11:00", "2019-10-06"),
            # The clock goes from 03:00+11:00 back to 02:00+10:00: a gaming day of 25 hours.
            ("2019-04-06T06:00:00+11:00", "2019-04-06"),
            ("2019-04-07T02:30:00+11:00", "2019-04-06"),
            ("2019-04-07T02:30:00+10:00", "2019-04-06"),
            ("2019-04-07T05:59:59+10:00", "2019-04-06"),
            ("2019-04-07T06:30:00+11:00", "2019-04-06"),
            ("2019-04-07T06:00:00+10:00", "2019-04-07"),
            ("2019-03-01T18:59:59Z", "2019-03-01"),
            ("2019-03-01T19:00:00Z", "2019-03-02"),
        ],
    )
    def test_sydney(self, lake: Lake, inbox: Path, started_at: str, gaming_date: str) -> None:
        take(lake, put(inbox, "night.jsonl", plain(1, started_at=started_at)))
        assert lake.partitions() == [Partition("casino-canberra", date.fromisoformat(gaming_date))]

    @pytest.mark.parametrize(
        ("first", "last", "hours"),
        [
            ("2019-10-05T06:00:00+10:00", "2019-10-06T06:00:00+11:00", 23),
            ("2019-04-06T06:00:00+11:00", "2019-04-07T06:00:00+10:00", 25),
        ],
        ids=["spring", "autumn"],
    )
    def test_length_of_the_day(self, first: str, last: str, hours: int) -> None:
        start, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
        assert (end - start).total_seconds() == hours * 3600
        seen = {
            REGISTER.gaming_date("casino-canberra", datetime.fromtimestamp(second, UTC))
            for second in range(int(start.timestamp()), int(end.timestamp()), 600)
        }
        assert seen == {start.date()}


class TestAgain:
    """The same file is a no-op, the same round a duplicate, other content a conflict."""

    def test_the_same_file_again_changes_nothing(self, lake: Lake, inbox: Path) -> None:
        path = put(inbox, "night.jsonl", plain(1), b"nonsense\n")
        take(lake, path)
        before = contents(lake)
        report = take(lake, path.rename(inbox / "renamed.jsonl"))
        assert report.unchanged == ["renamed.jsonl"]
        assert report.record is None
        assert contents(lake) == before

    def test_one_file_under_two_names_counts_once(self, lake: Lake, inbox: Path) -> None:
        report = take(lake, put(inbox, "a.jsonl", plain(1)), put(inbox, "b.jsonl", plain(1)))
        assert report.count("stored") == 1
        assert report.unchanged == ["b.jsonl"]

    def test_the_same_round_again_is_a_counted_duplicate(self, lake: Lake, inbox: Path) -> None:
        again = plain(1)
        again["events"][0]["amount"] = "25.00"
        report = take(lake, put(inbox, "a.jsonl", plain(1), again, plain(2)))
        assert (report.count("stored"), report.count("duplicates")) == (2, 1)
        report = take(lake, put(inbox, "b.jsonl", again, plain(3), again))
        assert (report.count("stored"), report.count("duplicates")) == (1, 2)
        assert [each.round_no for each in stored(lake)] == [1, 2, 3]
        assert quarantine(lake) == []

    @pytest.mark.parametrize("together", [True, False], ids=["in one ingest", "in two"])
    def test_other_content_is_quarantined_naming_what_is_stored(
        self, lake: Lake, inbox: Path, together: bool
    ) -> None:
        first = put(inbox, "a.jsonl", plain(7), plain(1))
        second = put(inbox, "b.jsonl", plain(1, decks=8, started_at="2020-01-01T20:00:00+11:00"))
        report = take(lake, first, second) if together else (take(lake, first), take(lake, second))[1]
        assert report.count("conflicts") == report.count("quarantined") == 1
        assert not report.complete
        (row,) = quarantine(lake)
        assert row["bytes"] + b"\n" == second.read_bytes()
        assert row["field"] == "round_id"
        assert row["reason"] == "round R-1 is already stored with other content, from a.jsonl line 2"
        assert [each.decks for each in stored(lake)] == [6, 6]

    def test_ids_are_unique_within_a_venue_only(self, lake: Lake, inbox: Path) -> None:
        report = take(lake, put(inbox, "a.jsonl", plain(1), plain(1, venue="skycity-auckland")))
        assert report.count("stored") == 2

    def test_a_file_of_duplicates_only_is_known_afterwards(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1)))
        path = put(inbox, "b.jsonl", plain(1), plain(1))
        assert take(lake, path).count("duplicates") == 2
        assert take(lake, path).unchanged == ["b.jsonl"]


class TestSupersede:
    """Only when asked does a round with other content take the place of the stored one."""

    def supersede(self, lake: Lake, *paths: Path) -> IngestReport:
        return ingest(paths, lake, REGISTER, supersede=True, at=AT)

    def archived(self, lake: Lake) -> list[str]:
        return sorted(
            path.relative_to(lake.root / "archive").parts[0] for path in lake.root.rglob("archive/*/*/*/*")
        )

    def test_the_round_changes_and_its_neighbours_stay(self, lake: Lake, inbox: Path) -> None:
        listed = plain(1, records=["burns"], offers=[])
        take(lake, put(inbox, "a.jsonl", listed, plain(2), plain(3)))
        report = self.supersede(lake, put(inbox, "b.jsonl", plain(2, decks=8), plain(3), plain(4)))
        counts = [report.count(name) for name in ("stored", "superseding", "duplicates", "quarantined")]
        assert counts == [2, 1, 1, 0]
        assert report.complete
        assert [(each.round_no, each.decks) for each in stored(lake)] == [(1, 6), (2, 8), (3, 6), (4, 6)]
        assert stored(lake)[0].records == ("burns",)
        assert stored(lake)[0].offers == ()
        assert lake.verify().intact

    def test_what_was_superseded_is_kept_in_the_archive_and_named(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1), plain(2)))
        before = {path.name: path.read_bytes() for path in lake.root.rglob("r*/*/*/part-*")}
        self.supersede(lake, put(inbox, "b.jsonl", plain(2, decks=8)))
        assert self.archived(lake) == ["events", "rounds"]
        assert {path.name: path.read_bytes() for path in lake.root.rglob("archive/r*/*/*/part-*")} == before
        *_, record = lake.records("ingests")
        assert record["superseded"] == [
            {"venue": "casino-canberra", "round_id": "R-2", "file": "a.jsonl", "line": 2}
        ]
        assert len(record["retired"]) == 2
        for path in lake.root.rglob("archive/events/*/*/*"):
            path.unlink()
        assert "published, and now missing" in lake.verify().problems[0]

    def test_a_part_with_nothing_left_goes(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1)))
        moved = plain(1, started_at="2019-05-01T20:00:00+10:00")
        self.supersede(lake, put(inbox, "b.jsonl", moved))
        assert lake.partitions() == [Partition("casino-canberra", date(2019, 5, 1))]
        assert lake.verify().intact

    def test_a_file_whose_conflict_was_quarantined_can_be_given_again(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1)))
        path = put(inbox, "b.jsonl", plain(1, decks=8), b"nonsense\n")
        take(lake, path)
        kept = quarantine(lake)
        report = self.supersede(lake, path)
        assert (report.count("superseding"), report.count("quarantined")) == (1, 1)
        assert quarantine(lake) == kept
        assert [each.decks for each in stored(lake)] == [8]
        assert self.supersede(lake, path).count("duplicates") == 1
        assert lake.verify().intact

    def test_two_contents_in_one_ingest_stay_a_conflict(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1)))
        report = self.supersede(lake, put(inbox, "b.jsonl", plain(1, decks=8), plain(1, decks=7)))
        assert (report.count("superseding"), report.count("conflicts")) == (1, 1)
        assert "from b.jsonl line 1" in quarantine(lake)[0]["reason"]
        assert [each.decks for each in stored(lake)] == [8]

    def test_a_disk_full_leaves_the_old_round(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1), plain(2)))
        before = contents(lake)

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Ledger, "append", full)
        with pytest.raises(StorageError, match="the disk is full"):
            self.supersede(lake, put(inbox, "b.jsonl", plain(2, decks=8)))
        assert contents(lake) == before
        assert lake.verify().intact

    def test_a_neighbour_lost_on_the_way_publishes_nothing(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        take(lake, put(inbox, "a.jsonl", plain(1), plain(2), plain(3)))
        before = contents(lake)
        whole = pipeline._filtered

        def dropping(path: Path, round_ids: set[str], *, keep: bool) -> pa.Table:
            return whole(path, round_ids if keep else round_ids | {"R-1"}, keep=keep)

        monkeypatch.setattr(pipeline, "_filtered", dropping)
        with pytest.raises(Imbalance, match="AUD rounds: 3 in, 2 out"):
            self.supersede(lake, put(inbox, "b.jsonl", plain(2, decks=8)))
        assert contents(lake) == before


class TestQuarantine:
    """Every refused line is kept with bytes, file, line, offset, field and reason."""

    def test_a_refused_line_keeps_everything(self, lake: Lake, inbox: Path) -> None:
        bad = (BROKEN / "unknown-result.jsonl").read_bytes()
        path = put(inbox, "night.jsonl", plain(1), bad, plain(2))
        report = take(lake, path)
        assert (report.count("stored"), report.count("quarantined")) == (2, 1)
        (row,) = quarantine(lake)
        assert row == {
            "source_file": "night.jsonl",
            "source_sha256": report.files[0].sha256,
            "source_line": 2,
            "source_offset": len(json_lines([plain(1)])),
            "bytes": bad[:-1],
            "byte_count": len(bad) - 1,
            "field": "events[6].result",
            "reason": "unknown result 'won'; expected one of win, lose, stand_off, surrender, forfeit, "
            "returned, void",
            "round_id": "CBR-P03-000123",
        }
        assert lake.partitions("quarantine") == [CANBERRA]
        assert report.first_refused[0].startswith("night.jsonl:2: events[6].result: unknown result 'won'")

    def test_a_line_of_no_known_venue_stands_under_null(self, lake: Lake, inbox: Path) -> None:
        take(lake, put(inbox, "night.jsonl", b"nonsense\n", json_lines([plain(1, started_at="noon")])))
        assert lake.partitions("quarantine") == [Partition(None, None), Partition("casino-canberra", None)]
        found = queried(
            f"SELECT venue, gaming_date FROM '{lake.root}/quarantine/*/*/*.parquet' ORDER BY source_line"
        )
        assert found == [(None, None), ("casino-canberra", None)]

    def test_every_broken_input_beside_a_good_one(self, lake: Lake, inbox: Path) -> None:
        good = put(inbox, "good.jsonl", plain(1))
        broken = sorted(BROKEN.iterdir())
        report = take(lake, good, *broken)
        assert not report.complete
        touched = {each.name for each in report.files} | {each.source for each in report.failed}
        assert len(touched) >= len({path.name for path in broken if path.is_file()})
        assert "R-1" in {each.round_id for each in stored(lake)}
        assert len(quarantine(lake)) == report.count("quarantined") >= 60
        assert lake.verify().intact

    @pytest.mark.parametrize(
        "name", ["truncated.jsonl.gz", "truncated.jsonl.zst", "damaged.jsonl.gz", "empty.jsonl"]
    )
    def test_a_file_that_fails_gives_nothing_and_the_others_go_on(
        self, lake: Lake, inbox: Path, name: str
    ) -> None:
        report = take(lake, BROKEN / name, put(inbox, "good.jsonl", plain(1)))
        assert [each.source for each in report.failed] == [name]
        assert report.as_json()["failed"][0]["reason"]
        assert not report.complete
        assert [each.round_id for each in stored(lake)] == ["R-1"]

    def test_a_failed_file_is_taken_once_it_is_whole(self, lake: Lake, inbox: Path) -> None:
        whole = gzip.compress(json_lines([plain(1)]))
        assert take(lake, put(inbox, "night.jsonl.gz", whole[:-4])).failed
        assert take(lake, put(inbox, "night.jsonl.gz", whole)).count("stored") == 1

    def test_nothing_but_failures_makes_no_record(self, lake: Lake) -> None:
        report = take(lake, BROKEN / "empty.jsonl", BROKEN / "none.jsonl")
        assert len(report.failed) == 2
        assert report.record is None
        assert list(lake.records("ingests")) == []

    def test_a_file_that_fails_half_way_is_left_out_whole(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(lines, "BATCH_BYTES", 1)
        read = OpenSource.batches

        def failing(self: OpenSource) -> Iterator[Any]:
            for place, batch in enumerate(read(self)):
                if self.source.name == "b.jsonl" and place == 2:
                    raise SourceFailed("b.jsonl", "could not be read to its end: the disk reported an error")
                yield batch

        monkeypatch.setattr(OpenSource, "batches", failing)
        a = put(inbox, "a.jsonl", plain(1), plain(2))
        b = put(inbox, "b.jsonl", plain(3), plain(4), plain(5))
        c = put(inbox, "c.jsonl", plain(4, decks=8))
        report = take(lake, a, b, c)
        assert [each.name for each in report.files] == ["a.jsonl", "c.jsonl"]
        assert [each.source for each in report.failed] == ["b.jsonl"]
        assert [each.round_no for each in stored(lake)] == [1, 2, 4]
        assert report.totals_in.as_json() == report.totals_out.as_json()
        assert quarantine(lake) == []


class TestControlTotals:
    """What went in must come out, by count and by amount, or nothing is published."""

    def test_they_are_counted_by_currency(self, lake: Lake, inbox: Path) -> None:
        rounds = [plain(1), plain(2), plain(3, currency="NZD"), plain(1)]
        rounds[1]["events"][2] |= {"result": "win", "paid": "37.5", "taken": "0"}
        report = take(lake, put(inbox, "night.jsonl", *rounds))
        aud = {"rounds": 2, "events": 6, "wagers": 2, "stakes": "50", "paid": "37.5", "taken": "25"}
        nzd = {"rounds": 1, "events": 3, "wagers": 1, "stakes": "25", "paid": "0", "taken": "25"}
        assert report.totals_out.as_json() == {"AUD": aud, "NZD": nzd}
        assert report.totals_in.as_json()["AUD"] == aud | {
            "rounds": 3,
            "events": 9,
            "wagers": 3,
            "stakes": "75",
            "taken": "50",
        }
        (record,) = lake.records("ingests")
        assert record["totals"] == report.totals_out.as_json()

    @pytest.mark.parametrize(
        ("table", "words"),
        [
            ("rounds", "lines: 4 in, 3 out; AUD rounds: 3 in, 2 out; AUD events: 9 in, 6 out"),
            ("events", "AUD events: 9 in, 8 out; AUD taken: 75 in, 50 out"),
            ("quarantine", "lines: 4 in, 3 out"),
        ],
    )
    def test_a_writer_that_drops_a_row_publishes_nothing(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch, table: str, words: str
    ) -> None:
        take(lake, put(inbox, "before.jsonl", plain(9)))
        before = contents(lake)
        write = pq.ParquetWriter.write_table
        schema = {"rounds": ROUNDS, "events": NARROW_EVENTS, "quarantine": QUARANTINE}[table]

        def dropping(self: Any, rows: pa.Table, **options: Any) -> None:
            write(self, rows.slice(0, rows.num_rows - 1) if rows.schema.equals(schema) else rows, **options)

        monkeypatch.setattr(pq.ParquetWriter, "write_table", dropping)
        with pytest.raises(Imbalance) as caught:
            take(lake, put(inbox, "night.jsonl", plain(1), plain(2), plain(3), b"nonsense\n"))
        assert words in str(caught.value)
        assert "nothing was published" in str(caught.value)
        assert contents(lake) == before
        assert list((lake.root / ".staging").iterdir()) == []

    def test_an_amount_that_changes_on_the_way_publishes_nothing(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        exact = Events.narrow

        def off_by_a_thousandth(self: Events, round_ids: pa.Array) -> pa.Table:
            amounts = self.cells["amount"]
            more = np.where(amounts == EMPTY, EMPTY, amounts + 1)
            return exact(replace(self, cells=self.cells | {"amount": more}), round_ids)

        monkeypatch.setattr(Events, "narrow", off_by_a_thousandth)
        with pytest.raises(Imbalance, match=r"AUD stakes: 25 in, 25\.001 out"):
            take(lake, put(inbox, "night.jsonl", plain(1)))
        assert lake.partitions() == []


@pytest.mark.slow
class TestBoundedMemory:
    """However small the batches, shelves and parts, the lake holds the same rounds."""

    @pytest.mark.parametrize(
        "limits",
        [
            {"BATCH_BYTES": 1_000},
            {"BATCH_BYTES": 1},
            {"BATCH_BYTES": 1, "SHELF_BYTES": 1},
            {"BATCH_BYTES": 1_000, "PART_BYTES": 1},
            {"BATCH_BYTES": 1, "PART_BYTES": 3_000},
            {"GROUP_EVENTS": 4},
        ],
        ids=["batches", "lines", "shelves", "parts", "lines and parts", "row groups"],
    )
    def test_the_same_rounds_in_the_same_order(
        self, tmp_path: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
    ) -> None:
        logged = [
            plain(
                number,
                started_at=f"2019-03-0{1 + number % 3}T20:00:00+11:00",
                events=plain(1)["events"][: number % 4],
            )
            for number in (*range(20, 0, -1), *range(5, 9))
        ]
        path = put(
            inbox,
            "night.jsonl",
            *(each for each in logged if len(each["events"]) < 3),
            b"nonsense\n",
            *logged,
        )
        plainly = Lake(tmp_path / "plainly")
        expected = take(plainly, path)
        for name, value in limits.items():
            monkeypatch.setattr(lines if name.startswith("BATCH") else shelves, name, value)
        lake = Lake(tmp_path / "lake")
        report = take(lake, path)
        assert report.as_json() | {"record": None} == expected.as_json() | {"record": None}
        assert stored(lake) == stored(plainly)
        assert quarantine(lake) == quarantine(plainly)
        assert lake.verify().intact


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Let the operating system refuse to let any file grow beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestDiskRefuses:
    """A full disk or a refused write gives one clear line and leaves the lake as it was."""

    @pytest.mark.parametrize("size", [0, 3_000, 12_000, 20_000])
    def test_files_may_not_grow(self, lake: Lake, inbox: Path, size: int) -> None:
        take(lake, put(inbox, "before.jsonl", plain(0, round_no=1)))
        before = contents(lake)
        path = put(inbox, "night.jsonl", *(plain(number, table=f"P{number**3}") for number in range(1, 800)))
        with no_file_above(size), pytest.raises(StorageError) as caught:
            take(lake, path)
        assert "\n" not in str(caught.value)
        assert "run again" in str(caught.value)
        assert contents(lake) == before
        assert take(lake, path).count("stored") == 799
        assert lake.verify().intact

    @pytest.mark.parametrize("step", ["stage", "rename", "ledger"])
    def test_a_disk_full_at_any_step(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch, step: str
    ) -> None:
        take(lake, put(inbox, "before.jsonl", plain(9)))
        before = contents(lake)
        calls = 0

        def full(*_: object, **__: object) -> Any:
            nonlocal calls
            calls += 1
            raise OSError(errno.ENOSPC, "No space left on device")

        target, name = {
            "stage": (pq.ParquetWriter, "write_table"),
            "rename": (Path, "replace"),
            "ledger": (Ledger, "append"),
        }[step]
        with monkeypatch.context() as patch:
            patch.setattr(target, name, full)
            with pytest.raises(StorageError, match="the disk is full; free some space and run again"):
                take(lake, put(inbox, "night.jsonl", plain(1), b"nonsense\n"))
        assert calls >= 1
        assert contents(lake) == before
        assert list((lake.root / ".staging").iterdir()) == []
        assert take(lake, inbox / "night.jsonl").count("stored") == 1

    def test_a_lake_that_may_not_be_written(
        self, lake: Lake, inbox: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(Path, "mkdir", refuse)
        with pytest.raises(StorageError, match="could not make the lake: permission denied"):
            take(lake, BROKEN / "blank-line.jsonl")
