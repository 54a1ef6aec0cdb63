"""What a census counts in a partition, and how the counts of many are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from expectations import census as stage
from expectations.census import COUNTS, Census, ControlTotals, files_of, take_census
from expectations.quick import CENSUS_TABLES, Evidence, Seen
from expectations.session import Scope, build_session
from expectations.tables import TABLES, Partition
from expectations.validate import validate
from tests.test_catalog_views import AUCKLAND, CANBERRA, money, write_lake, write_part

LATER = (CANBERRA[0], "2019-03-02")
CODES = {count.code for counts in COUNTS.values() for count in counts}


def take(root: Path, partition: Partition = CANBERRA) -> Census:
    return take_census(partition, files_of(root, partition), root / "spill")


def broken(root: Path, code: str) -> int | None:
    """What the validation reads of a code; None where nothing is broken."""
    (root / "scratch").mkdir()
    session = build_session(root, Scope.whole(root), None, root / "scratch")
    with duckdb.connect(str(session.path), read_only=True) as connection:
        found = connection.execute(f"FROM broken('{code}')").fetchone()
    return None if found is None else int(found[0])


SETTLEMENT = {
    "round_id": "CBR-1",
    "wager": "z",
    "line": "stake",
    "kind": "main",
    "status": "fixed",
    "basis": "as_required",
    "expected_paid": money("0"),
    "expected_taken": money("0"),
    "delta": money("0"),
}
HAND = {"round_id": "CBR-1", "box": 9, "hand": 1, "cards": "8S KD", "card_count": 2}
FAULTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "rounds.key": ("rounds", {"round_id": "CBR-1", "event_count": 7}),
    "rounds.source": ("rounds", {"round_id": "X", "source_sha256": "AUD" * 16, "source_line": 2}),
    "rounds.shuffler": ("rounds", {"round_id": "X", "shuffler": "robot"}),
    "rounds.currency": ("rounds", {"round_id": "X", "currency": "aud"}),
    "rounds.events": ("rounds", {"round_id": "X", "event_count": 2}),
    "events.key": ("events", {"round_id": "CBR-1", "seq": 0, "e": "cut_card"}),
    "events.order": ("events", {"round_id": "CBR-1", "seq": 40, "e": "cut_card"}),
    "events.round": ("events", {"round_id": "GHOST", "seq": 0, "e": "cut_card"}),
    "events.e": ("events", {"round_id": "CBR-1", "seq": 7, "e": "dance"}),
    "events.complete": ("events", {"round_id": "CBR-1", "seq": 7, "e": "wager", "wager": "q"}),
    "hands.key": ("hands", HAND | {"box": 1}),
    "hands.round": ("hands", HAND | {"round_id": "GHOST"}),
    "hands.card-count": ("hands", HAND | {"card_count": 3}),
    "settlements.key": ("settlements", SETTLEMENT | {"wager": "a"}),
    "settlements.round": ("settlements", SETTLEMENT | {"round_id": "GHOST"}),
    "settlements.line": ("settlements", SETTLEMENT | {"line": "cheque"}),
    "settlements.kind": ("settlements", SETTLEMENT | {"kind": "lunch"}),
    "settlements.status": ("settlements", SETTLEMENT | {"status": "maybe"}),
    "settlements.expected-result": ("settlements", SETTLEMENT | {"expected_result": "draw"}),
    "settlements.recorded-result": ("settlements", SETTLEMENT | {"recorded_result": "draw"}),
    "settlements.basis": ("settlements", SETTLEMENT | {"basis": "as_guessed"}),
    "settlements.delta": ("settlements", SETTLEMENT | {"delta": money("0.001")}),
    "findings.round": ("findings", {"round_id": "GHOST", "code": "settle.odds", "severity": "breach"}),
}


def exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exact queries decide on everything."""
    monkeypatch.setattr(stage, "look", lambda files, evidence: Seen())


def refuse_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an exact query fail the test."""

    def refuse(spill: Path) -> None:
        raise AssertionError

    monkeypatch.setattr(stage, "_connect", refuse)


@pytest.mark.slow
class TestQuickLook:
    """It spares the exact queries where nothing is broken, and hides nothing that is."""

    def test_it_is_enough_for_tables_in_order(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        refuse_queries(monkeypatch)
        found = take(write_lake(tmp_path / "lake"))
        assert (found.broken, found.errors) == ({}, {})

    def test_it_is_enough_for_evidence_with_amounts_as_integers(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = write_lake(tmp_path / "lake")
        for table in ("rounds", "events"):
            for path in (root / table).rglob("*.parquet"):
                pq.write_table(pq.ParquetFile(path).read(), path, store_decimal_as_integer=True)
        refuse_queries(monkeypatch)
        found = take(root)
        assert (found.broken, found.errors) == ({}, {})

    def test_tables_without_a_row_are_in_order(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for table in CENSUS_TABLES:
            write_part(tmp_path, table, CANBERRA, [])
        quick = take(tmp_path)
        exactly(monkeypatch)
        assert quick == take(tmp_path)
        assert (quick.broken, quick.errors, quick.rounds, quick.totals) == ({}, {}, 0, {})

    @pytest.mark.parametrize("code", FAULTS)
    def test_a_fault_is_counted_as_the_exact_queries_count_it(
        self, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = write_lake(tmp_path / "lake")
        table, row = FAULTS[code]
        whole = {"shuffler": "manual", "currency": "AUD", "source_line": 99} if table == "rounds" else {}
        write_part(root, table, CANBERRA, [whole | row], "part-2.parquet")
        quick = take(root)
        exactly(monkeypatch)
        assert quick == take(root)
        assert quick.broken[code] == 1
        assert not quick.errors

    def test_every_expectation_that_is_not_on_columns_has_a_fault(self) -> None:
        on_columns = {code for code in CODES if ".complete." in code or code.endswith(".schema")}
        assert set(FAULTS) == CODES - on_columns

    def test_a_null_in_a_column_that_may_hold_none(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        path = next((root / "settlements" / f"venue={CANBERRA[0]}").rglob("*.parquet"))
        table = pq.ParquetFile(path).read()
        column = table.schema.get_field_index("clause")
        nulls = pa.nulls(table.num_rows, pa.string())
        pq.write_table(table.set_column(column, pa.field("clause", pa.string()), nulls), path)
        assert take(root).broken == {"settlements.complete.clause": table.num_rows}

    def test_a_round_beyond_a_bit_set_is_counted_exactly(self, tmp_path: Path) -> None:
        places = {
            "whole": [*range(300)],
            "gap": [seq for seq in range(300) if seq != 200],
            "twice": [*range(300), 250],
        }
        events = [
            {"round_id": name, "seq": seq, "e": "cut_card"} for name, seqs in places.items() for seq in seqs
        ]
        rounds = [
            {"round_id": name, "currency": "AUD", "shuffler": "manual", "event_count": len(seqs)}
            | {"source_line": line}
            for line, (name, seqs) in enumerate(places.items())
        ]
        for table, rows in (("rounds", rounds), ("events", events)):
            write_part(tmp_path, table, CANBERRA, rows)
        for table in ("hands", "settlements", "findings", "coverage"):
            write_part(tmp_path, table, CANBERRA, [])
        assert take(tmp_path).broken == {"events.key": 1, "events.order": 1}


class TestEvidence:
    """Rounds and events that were read already need not be read again."""

    def evidence(self, root: Path, rounds: slice = slice(None), events: slice = slice(None)) -> Evidence:
        def read(table: str) -> pa.Table:
            (path,) = files_of(root, CANBERRA)[table]
            texts = [each.name for each in TABLES[table].schema if each.type == pa.string()]
            kept = [name for name in texts if (table, name) != ("rounds", "round_id")]
            return pq.ParquetFile(path, read_dictionary=kept).read()

        evidence = Evidence()
        evidence.add(read("rounds")[rounds], read("events")[events].to_batches())
        return evidence

    def counted(self, root: Path, evidence: Evidence) -> Census:
        return take_census(CANBERRA, files_of(root, CANBERRA), root / "spill", evidence)

    def test_it_gives_the_counts_that_the_files_give(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        assert self.counted(root, self.evidence(root)) == take(root)

    def test_it_is_what_is_counted(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        of_files = take(root)
        evidence = self.evidence(root)
        for path in files_of(root, CANBERRA)["events"]:
            table = pq.ParquetFile(path).read()
            place = table.schema.get_field_index("paid")
            nothing = pa.nulls(table.num_rows, table.schema.field(place).type)
            pq.write_table(table.set_column(place, table.schema.field(place), nothing), path)
        assert self.counted(root, evidence).totals == of_files.totals != take(root).totals

    @pytest.mark.parametrize(
        "part", [{"rounds": slice(1), "events": slice(0)}, {"events": slice(3)}], ids=["rounds", "events"]
    )
    def test_fewer_rows_than_the_files_hold_are_not_relied_on(
        self, part: dict[str, slice], tmp_path: Path
    ) -> None:
        root = write_lake(tmp_path / "lake")
        assert self.counted(root, self.evidence(root, **part)) == take(root)


class TestTotals:
    def test_they_are_counted_by_currency(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        aud = ControlTotals(rounds=3, events=27, wagers=5, stakes=215_000, paid=125_000, taken=20_000)
        assert take(root).totals == {"AUD": aud}
        write_part(root, "rounds", CANBERRA, [{"round_id": "N", "currency": "NZD"}], "part-2.parquet")
        write_part(root, "events", CANBERRA, [{"round_id": "N", "seq": 0, "e": "cut_card"}], "part-2.parquet")
        nzd = ControlTotals(rounds=1, events=1, wagers=0, stakes=0, paid=0, taken=0)
        assert take(root).totals == {"AUD": aud, "NZD": nzd}


class TestAcrossPartitions:
    """A round id is unique within the venue, a line within its file, whatever the gaming date."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        return write_lake(tmp_path / "lake")

    @staticmethod
    def another_day(root: Path, *round_ids: str, **row: Any) -> None:
        rows = [
            {"round_id": each, "currency": "AUD", "shuffler": "manual", "source_line": 500 + place} | row
            for place, each in enumerate(round_ids)
        ]
        write_part(root, "rounds", LATER, rows)
        for table in ("events", "hands", "settlements", "findings", "coverage"):
            write_part(root, table, LATER, [])

    def test_the_same_id_at_another_venue_is_another_round(self, root: Path) -> None:
        assert take(root, AUCKLAND).ids == ("CBR-1", "CBR-1")
        assert broken(root, "rounds.key") is None

    def test_the_same_id_on_another_day_is_found(self, root: Path) -> None:
        self.another_day(root, "CBR-0", "CBR-2", "CBR-9")
        assert broken(root, "rounds.key") == 1

    def test_ids_between_those_of_another_day_are_in_order(self, root: Path) -> None:
        self.another_day(root, "CBR-0", "CBR-21")
        assert broken(root, "rounds.key") is None

    def test_a_line_of_a_file_that_gave_a_round_on_another_day(self, root: Path) -> None:
        self.another_day(root, "D", source_sha256="AUD" * 16, source_line=2)
        assert broken(root, "rounds.source") == 1

    def test_partitions_apart_are_not_read_again(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.another_day(root, "CBR-4", "CBR-5")
        taken = [take(root, each) for each in (CANBERRA, AUCKLAND, LATER)]
        for path in (root / "rounds").rglob("*.parquet"):
            path.unlink()
        (root / "scratch").mkdir()
        session = build_session(
            root, Scope.of(each.partition for each in taken), None, root / "scratch", taken
        )
        assert not {"rounds.key", "rounds.source"} & set(session.left_out)


@pytest.mark.slow
class TestTakenBefore:
    """A validation judges the censuses that it is given and takes those that it is not."""

    @staticmethod
    def judge(root: Path, *censuses: Census) -> dict[str, str]:
        at = datetime(2026, 1, 2, tzinfo=UTC)
        scope = Scope.of([CANBERRA])
        found = validate(root, scope, None, root / "docs", run_id="r", at=at, censuses=censuses)
        return {each.code: each.outcome for suite in found.suites for each in suite.expectations}

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        return write_lake(tmp_path / "lake")

    def test_the_verdict_is_the_same(self, root: Path) -> None:
        write_part(root, "hands", CANBERRA, [HAND | {"card_count": 3}], "part-2.parquet")
        found = self.judge(root)
        assert found == self.judge(root, take(root))
        assert found["hands.card-count"] == "failed"

    @pytest.mark.parametrize(
        ("change", "outcome"),
        [
            (lambda census: {"broken": {"hands.key": 2}}, "failed"),
            (lambda census: {"errors": {"hands.key": "a disk that failed"}}, "error"),
        ],
    )
    def test_what_they_say_is_judged(
        self, root: Path, change: Callable[[Census], dict[str, Any]], outcome: str
    ) -> None:
        from dataclasses import replace

        census = take(root)
        assert self.judge(root, replace(census, **change(census)))["hands.key"] == outcome


class TestErrors:
    def test_a_file_that_is_no_parquet_is_an_error_that_names_no_folder(self, tmp_path: Path) -> None:
        root = write_lake(tmp_path / "lake")
        next((root / "hands" / f"venue={CANBERRA[0]}").rglob("*.parquet")).write_bytes(b"PAR1 cut off")
        found = take(root)
        assert set(found.errors) == {code for code in CODES if code.startswith("hands.")}
        assert not any(str(root) in reason for reason in found.errors.values())
        assert found.rounds == 3
