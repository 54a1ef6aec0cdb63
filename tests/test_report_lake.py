"""A lake built by hand for the report's tests, and what the report counts in it."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audit.layout import Partition
from audit.report import ReportFiles, ReportScope, RunHeader, write_report
from rules_replay.log import CHANGES, COVERAGE, EVENTS, FINDINGS, HANDS, QUARANTINE, ROUNDS, SETTLEMENTS

CANBERRA = Partition("casino-canberra", date(2019, 3, 1))
AUCKLAND = Partition("skycity-auckland", date(2019, 3, 1))
HEADER = RunHeader(
    run_id="run-0001",
    finished_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    code_version="0.1.0",
    rounds_compared=150,
    rounds_disagreed=0,
)

SCHEMAS = {
    "rounds": ROUNDS,
    "events": EVENTS,
    "hands": HANDS,
    "settlements": SETTLEMENTS,
    "findings": FINDINGS,
    "coverage": COVERAGE,
    "quarantine": QUARANTINE,
    "changes": CHANGES,
}


class LakeBuilder:
    """Collects rows by table and partition; columns not given are null, or empty where they may not be."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[Partition, list[dict[str, Any]]]] = {
            table: defaultdict(list) for table in SCHEMAS
        }

    def add(self, table: str, partition: Partition, /, **columns: Any) -> None:
        row = {each.name: None if each.nullable else _empty(each.type) for each in SCHEMAS[table]}
        unknown = set(columns) - set(row)
        assert not unknown, f"{table} has no column {unknown}"
        self.rows[table][partition].append(row | columns)

    def round(
        self,
        partition: Partition,
        round_id: str,
        *,
        at: str = "2019-03-01T20:14:05+11:00",
        **columns: Any,
    ) -> None:
        """A round with a main wager of 25 on box 3, lost to a dealer who made 20."""
        started = datetime.fromisoformat(at)
        self.add(
            "rounds",
            partition,
            round_id=round_id,
            started_at=started,
            started_at_text=at,
            **{
                "table": "P03",
                "shoe": "P03-04",
                "round_no": 7,
                "decks": 6,
                "currency": "AUD",
                "dealer": "D17",
                "supervisor": "S2",
                "source_file": "night.jsonl.gz",
                "source_line": 12,
            }
            | columns,
        )
        self.add(
            "events",
            partition,
            round_id=round_id,
            seq=0,
            e="wager",
            wager="a",
            box=3,
            hand=1,
            player="P1",
            kind="main",
            amount=Decimal("25.000"),
        )
        self.add("events", partition, round_id=round_id, seq=1, e="deal", box=3, hand=1, card="9S")
        self.hand(partition, round_id, 0, "KS QH", 20, "stood")
        self.hand(partition, round_id, 3, "9S 8H 2D", 19, "stood")
        self.add(
            "settlements", partition, round_id=round_id, wager="a", line="stake", kind="main", player="P1",
            box=3, hand=1, stake=Decimal("25.000"), effective_stake=Decimal("25.000"),
            reason="19 against 20 loses", clause="act-2018 14.1",
        )  # fmt: skip

    def hand(
        self,
        partition: Partition,
        round_id: str,
        box: int,
        cards: str,
        total: int,
        ended: str,
        **columns: Any,
    ) -> None:
        self.add(
            "hands",
            partition,
            round_id=round_id,
            box=box,
            cards=cards,
            total=total,
            ended=ended,
            **{"hand": 1, "card_count": len(cards.split())} | columns,
        )

    def finding(
        self,
        partition: Partition,
        round_id: str,
        code: str,
        severity: str,
        delta: str | None = None,
        **columns: Any,
    ) -> None:
        self.add(
            "findings",
            partition,
            round_id=round_id,
            code=code,
            severity=severity,
            delta=None if delta is None else Decimal(delta).quantize(Decimal("0.001")),
            **{
                "expected": "lose, 25 taken",
                "recorded": "stand-off",
                "clause": "act-2018 14.1",
                "basis": "as_required",
                "rulebook": "act-2018",
            }
            | columns,
        )

    def write(self, root: Path) -> Path:
        for table, partitions in self.rows.items():
            for partition, rows in partitions.items():
                folder = root / table / partition.folder
                folder.mkdir(parents=True)
                pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMAS[table]), folder / "data.parquet")
        return root


def _empty(kind: pa.DataType) -> Any:
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_binary(kind):
        return b""
    if pa.types.is_boolean(kind):
        return False
    if pa.types.is_decimal(kind):
        return Decimal(0)
    return 0


def report(
    tmp_path: Path, lake: LakeBuilder, *partitions: Partition, header: RunHeader = HEADER
) -> ReportFiles:
    """Write the lake and report the partitions."""
    root = tmp_path / "lake"
    root.mkdir(exist_ok=True)
    return write_report(lake.write(root), tmp_path / "out", ReportScope.of(partitions), header)


def summary(files: ReportFiles) -> dict[str, Any]:
    found = json.loads(files.json.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


class TestTotals:
    """Rounds, wagers, stakes and findings, and money that is never added up across venues or currencies."""

    def test_counts_of_one_day(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for name in ("R1", "R2", "R3"):
            lake.round(CANBERRA, name)
        lake.finding(CANBERRA, "R1", "settle.outcome", "breach", "25", wager="a", box=3, hand=1)
        lake.finding(CANBERRA, "R1", "settle.odds", "breach", "-12.5", ordinal=1)
        lake.finding(CANBERRA, "R2", "settle.odds", "breach", "-0.125")
        lake.finding(CANBERRA, "R2", "settle.surrender", "ambiguous", "7", ordinal=1)
        lake.finding(CANBERRA, "R3", "settle.attribution", "procedure", "99")
        found = summary(report(tmp_path, lake, CANBERRA))
        assert found["totals"] == {
            "rounds": 3,
            "rounds_without_rulebook": 0,
            "wagers": 3,
            "settlements_corrected": 0,
            "quarantined_lines": 0,
            "findings": 5,
            "findings_by_severity": {
                "breach": 3,
                "procedure": 1,
                "ambiguous": 1,
                "indeterminate": 0,
                "notice": 0,
            },
        }
        assert found["money"] == [
            {
                "venue": "casino-canberra",
                "gaming_date": "2019-03-01",
                "currency": "AUD",
                "rounds": 3,
                "wagers": 3,
                "staked": "75",
                "settlements_corrected": 0,
                "breach": {"overpaid": "25", "underpaid": "12.625"},
                "ambiguous": {"overpaid": "7", "underpaid": "0"},
            }
        ]
        assert found["run"] == {
            "run_id": "run-0001",
            "finished_at": "2026-01-02T03:04:05+00:00",
            "code_version": "0.1.0",
            "not_replayed": [],
            "rounds_compared": 150,
            "rounds_disagreed": 0,
        }

    def test_venues_days_and_currencies_are_kept_apart(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        second_day = Partition("casino-canberra", date(2019, 3, 2))
        for partition, currency in (
            (CANBERRA, "AUD"),
            (CANBERRA, "USD"),
            (second_day, "AUD"),
            (AUCKLAND, "NZD"),
        ):
            lake.round(partition, f"R-{currency}", currency=currency)
            lake.finding(partition, f"R-{currency}", "settle.odds", "breach", "10")
        found = summary(report(tmp_path, lake, CANBERRA, second_day, AUCKLAND))
        assert [
            (line["venue"], line["gaming_date"], line["currency"], line["rounds"], line["breach"]["overpaid"])
            for line in found["money"]
        ] == [
            ("casino-canberra", "2019-03-01", "AUD", 1, "10"),
            ("casino-canberra", "2019-03-01", "USD", 1, "10"),
            ("casino-canberra", "2019-03-02", "AUD", 1, "10"),
            ("skycity-auckland", "2019-03-01", "NZD", 1, "10"),
        ]
        assert found["verdict"] == "4 breaches in 4 rounds, with money over- or underpaid."

    def test_only_the_partitions_in_scope_are_read(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.round(AUCKLAND, "R2")
        lake.finding(AUCKLAND, "R2", "settle.odds", "breach", "10")
        found = summary(report(tmp_path, lake, CANBERRA))
        assert (found["totals"]["rounds"], found["totals"]["findings"]) == (1, 0)

    def test_part_files_of_one_partition_are_read_together(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        files = report(tmp_path, lake, CANBERRA)
        folder = tmp_path / "lake" / "rounds" / "venue=casino-canberra" / "gaming_date=2019-03-01"
        pq.write_table(
            pq.read_table(folder / "data.parquet", partitioning=None).set_column(
                0, ROUNDS.field("round_id"), [["R2"]]
            ),
            folder / "other.parquet",
        )
        again = write_report(tmp_path / "lake", tmp_path / "again", ReportScope.of([CANBERRA]), HEADER)
        assert (summary(files)["totals"]["rounds"], summary(again)["totals"]["rounds"]) == (1, 2)

    def test_a_lake_without_a_single_file_is_an_empty_report(self, tmp_path: Path) -> None:
        found = summary(report(tmp_path, LakeBuilder(), CANBERRA))
        assert found["totals"]["rounds"] == 0
        assert found["verdict"] == "No rounds are stored, so nothing was audited."

    @pytest.mark.parametrize("venue", ["a b", "a%2Fb", "it's [one]", "50%"])
    def test_a_venue_of_any_name_is_found_under_its_escaped_folder(self, tmp_path: Path, venue: str) -> None:
        partition = Partition(venue, date(2019, 3, 1))
        lake = LakeBuilder()
        lake.round(partition, "R1")
        lake.round(CANBERRA, "R2")
        assert summary(report(tmp_path, lake, partition))["totals"]["rounds"] == 1

    def test_quarantined_lines_without_a_date_are_counted(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.rows["quarantine"][Partition(None, None)].append(
            {
                "source_file": "night.jsonl", "source_sha256": "", "source_line": 4, "source_offset": 0,
                "bytes": b"{", "byte_count": 1, "field": "", "reason": "not JSON", "round_id": None,
            }
        )  # fmt: skip
        files = write_report(
            lake.write(tmp_path / "lake"),
            tmp_path / "out",
            ReportScope.of([CANBERRA, Partition(None, None)]),
            HEADER,
        )
        assert summary(files)["totals"]["quarantined_lines"] == 1

    def test_a_settlement_put_right_at_the_table_is_counted(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.rows["settlements"][CANBERRA][0]["corrected"] = True
        assert summary(report(tmp_path, lake, CANBERRA))["totals"]["settlements_corrected"] == 1

    def test_rounds_without_a_rulebook_are_counted_once(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for name in ("R1", "R2"):
            lake.round(CANBERRA, name)
            lake.finding(CANBERRA, name, "rulebook.none-in-force", "notice", rulebook=None)
        found = summary(report(tmp_path, lake, CANBERRA))
        assert found["totals"]["rounds_without_rulebook"] == 2
        assert found["verdict"].startswith("No rulebook was in force for any of the 2 rounds")

    def test_a_check_without_its_evidence_is_listed_with_what_was_missing(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.add("coverage", CANBERRA, code="settle.odds", rulebook="act-2018", evaluated=9, passed=9)
        for reason, missing in (("burns", 3), ("a card could not be read", 1)):
            lake.add(
                "coverage", CANBERRA, code="dealer.over-draw", rulebook="act-2018", evaluated=2, passed=2,
                not_evaluable=missing, reason=reason,
            )  # fmt: skip
        found = summary(report(tmp_path, lake, CANBERRA))
        assert [(gap["code"], gap["reason"], gap["not_evaluable"]) for gap in found["not_evaluable"]] == [
            ("dealer.over-draw", "burns", 3),
            ("dealer.over-draw", "a card could not be read", 1),
        ]


class TestPlaces:
    """Findings by table, dealer and hour, the hour on the venue's clock."""

    def test_hours_follow_the_gaming_day(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for name, at in (("R1", "2019-03-01T06:00:00+11:00"), ("R2", "2019-03-01T18:59:59Z")):
            lake.round(CANBERRA, name, at=at)
        lake.finding(CANBERRA, "R2", "settle.odds", "breach", "10")
        hours = summary(report(tmp_path, lake, CANBERRA))["days"][0]["hours"]
        assert [each["hour"] for each in hours] == [*range(6, 24), *range(6)]
        assert {each["hour"]: each["rounds"] for each in hours if each["rounds"]} == {6: 1, 5: 1}
        assert hours[-1]["findings_by_severity"]["breach"] == 1

    def test_a_venue_outside_the_register_goes_by_the_recorded_offset(self, tmp_path: Path) -> None:
        partition = Partition("elsewhere", date(2019, 3, 1))
        lake = LakeBuilder()
        lake.round(partition, "R1", at="2019-03-01T20:14:05+05:45")
        hours = summary(report(tmp_path, lake, partition))["days"][0]["hours"]
        assert [each["hour"] for each in hours if each["rounds"]] == [20]

    def test_each_table_and_dealer_has_its_own_count(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1", table="P01", dealer="D1")
        lake.round(CANBERRA, "R2", table="P02", dealer=None)
        lake.finding(CANBERRA, "R2", "settle.odds", "breach", "-10")
        day = summary(report(tmp_path, lake, CANBERRA))["days"][0]
        assert [(each["table"], each["rounds"], each["breach"]) for each in day["tables"]] == [
            ("P01", 1, {}),
            ("P02", 1, {"AUD": {"overpaid": "0", "underpaid": "10"}}),
        ]
        assert [(each["dealer"], each["rounds"]) for each in day["dealers"]] == [("D1", 1), (None, 1)]


class TestSameBytes:
    """The same partitions give the same files; only the run header may differ."""

    def test_a_second_run_differs_in_the_header_alone(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for number in range(30):
            lake.round(CANBERRA, f"R{number}", dealer=f"D{number % 4}", table=f"P{number % 3}")
            lake.finding(CANBERRA, f"R{number}", "settle.odds", "breach", "10", wager="a", box=3, hand=1)
        first = report(tmp_path, lake, CANBERRA)
        later = RunHeader(
            run_id="run-0002",
            finished_at=datetime(2027, 5, 6, tzinfo=UTC),
            code_version="0.2.0",
            rounds_compared=7,
        )
        second = write_report(tmp_path / "lake", tmp_path / "second", ReportScope.of([CANBERRA]), later)
        assert first.csv.read_bytes() == second.csv.read_bytes()
        assert first.xlsx.read_bytes() == second.xlsx.read_bytes()
        assert summary(first) | {"run": None} == summary(second) | {"run": None}
        pages = [files.html.read_text(encoding="utf-8").splitlines() for files in (first, second)]
        differing = [line for line, other in zip(*pages, strict=True) if line != other]
        assert len(differing) == 1
        assert "run-0001" in differing[0]

    def test_the_folder_of_the_lake_leaves_no_trace(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.finding(CANBERRA, "R1", "settle.odds", "breach", "10")
        files = report(tmp_path, lake, CANBERRA)
        for path in (files.html, files.csv, files.json):
            assert str(tmp_path) not in path.read_text(encoding="utf-8")
        assert sorted(each.name for each in files.html.parent.iterdir()) == [
            "causes.csv",
            "causes.parquet",
            "exceptions.csv",
            "exceptions.xlsx",
            "report.html",
            "summary.json",
        ]
