"""Each run says which findings are new, continue, are resolved or are back, and keeps that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest

from audit.catalog import open_read_only
from audit.commands.lakes import rebuild_report
from audit.digests import file_digest
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.layout import DERIVED
from audit.partitions import Choice
from audit.run import RunOutcome, run
from rules_replay.log import CHANGES
from tests.commands import copied, pontoon
from tests.rounds import play
from tests.test_run_changed import FIRST, IN_ORDER, PAID_SHORT, dealt, put

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unvalidated")]

PAID_SHORTER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 5"
FIVE_CARDS_EVEN = "a 20@1 | 1:2C 0:9H 1:3D | 1:4H 1:5S 1:5C | stand 1 | 0:9D | a wins 20"
EVERYTHING = Choice()


def audit(lake: Lake, choice: Choice = EVERYTHING, **more: Any) -> RunOutcome:
    return run(lake, load_law(), choice, jobs=1, at=FIRST, **more)


def over_time(outcome: RunOutcome) -> dict[str, int]:
    """The counts that are not nought."""
    return {name: number for name, number in outcome.record["counts"]["over_time"].items() if number}


def parts(lake: Lake) -> list[Path]:
    return sorted(lake.root.glob("changes/*/*/*.parquet"))


def changes(lake: Lake) -> list[tuple[int, str, str]]:
    """Run, change and round of every row of the history, in the order of the runs."""
    rows = [row for path in parts(lake) for row in pq.read_table(path, partitioning=None).to_pylist()]
    return sorted((row["run"], row["change"], row["round_id"]) for row in rows)


def ask(lake: Lake, query: str) -> list[tuple[Any, ...]]:
    with open_read_only(lake.root / "audit.duckdb") as session:
        return session.execute(query).fetchall()


def states(lake: Lake) -> list[tuple[str, str]]:
    return ask(lake, "SELECT round_id, state FROM finding_states ORDER BY ALL")


def supersede(lake: Lake, folder: Path, name: str, cards: str, **head: Any) -> None:
    """Put another version of the round ``R-1-1`` in place of the one stored."""
    put(lake, folder, name, dealt(1, 1, cards, **head), supersede=True)


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Lake:
    """Two gaming dates, audited once: a round of the first was paid short, and one of the second."""
    folder = tmp_path_factory.mktemp("over-time")
    lake = Lake(folder / "lake")
    rounds = [dealt(1, 1, PAID_SHORT), dealt(2, 1), dealt(1, 2, PAID_SHORT), dealt(2, 2)]
    put(lake, folder, "first.jsonl", *rounds)
    assert over_time(audit(lake)) == {"new": 2}
    return lake


@pytest.fixture
def lake(audited: Lake, tmp_path: Path) -> Lake:
    """A copy of the audited lake."""
    return Lake(copied(audited.root, tmp_path / "lake"))


class TestHistory:
    """The history is added to where something changed, and otherwise left alone."""

    def test_the_first_run_finds_everything_new(self, audited: Lake) -> None:
        assert changes(audited) == [(1, "new", "R-1-1"), (1, "new", "R-2-1")]
        assert all(pq.read_schema(path).equals(CHANGES, check_metadata=True) for path in parts(audited))

    def test_the_same_again_continues_and_adds_nothing(self, lake: Lake) -> None:
        derived = [path for table in DERIVED for path in sorted((lake.root / table).rglob("*.parquet"))]
        before = {path: file_digest(path) for path in [*derived, *parts(lake)]}
        outcome = audit(lake)
        assert over_time(outcome) == {"continuing": 2}
        assert not [each for each in outcome.record["published"] if each["path"].startswith("changes/")]
        assert {path: file_digest(path) for path in [*derived, *parts(lake)]} == before
        assert states(lake) == [("R-1-1", "continuing"), ("R-2-1", "continuing")]

    def test_a_superseded_round_resolves_its_finding_and_another_version_brings_it_back(
        self, lake: Lake, tmp_path: Path
    ) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        assert over_time(audit(lake)) == {"continuing": 1, "resolved": 1}
        assert states(lake) == [("R-1-1", "resolved"), ("R-2-1", "continuing")]
        assert over_time(audit(lake)) == {"continuing": 1}
        supersede(lake, tmp_path, "again.jsonl", PAID_SHORT, dealer="D2")
        assert over_time(audit(lake)) == {"continuing": 1, "reopened": 1}
        assert states(lake) == [("R-1-1", "reopened"), ("R-2-1", "continuing")]
        assert changes(lake)[2:] == [(2, "resolved", "R-1-1"), (4, "reopened", "R-1-1")]
        audit(lake)
        assert states(lake) == [("R-1-1", "continuing"), ("R-2-1", "continuing")]
        assert ask(lake, "SELECT DISTINCT first_run FROM finding_states") == [(1,)]
        assert lake.verify().intact

    def test_another_reading_resolves_a_finding_and_the_old_one_brings_it_back(self, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        put(lake, tmp_path, "first.jsonl", play("adelaide-2008", FIVE_CARDS_EVEN, round_id="A1"))
        found = [
            over_time(run(lake, load_law(readings=readings), EVERYTHING, jobs=1, at=FIRST))
            for readings in ([], ["card_count_rows=total_21"], [])
        ]
        assert found == [{"new": 1}, {"resolved": 1}, {"reopened": 1}]

    def test_a_finding_at_another_amount_continues_changed(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "shorter.jsonl", PAID_SHORTER)
        assert over_time(audit(lake)) == {"continuing": 2, "changed": 1}
        assert changes(lake)[2:] == [(2, "changed", "R-1-1")]
        assert ask(lake, "SELECT CAST(delta AS VARCHAR), state FROM finding_states ORDER BY round_id") == [
            ("-15.000", "continuing"),
            ("-10.000", "continuing"),
        ]
        assert over_time(audit(lake)) == {"continuing": 2}

    def test_a_run_about_one_day_leaves_the_other_as_it_stood(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        day = date(2023, 3, 2)
        assert over_time(audit(lake, Choice(since=day, until=day))) == {"continuing": 1}
        assert states(lake) == [("R-1-1", "new"), ("R-2-1", "continuing")]

    def test_the_counts_stand_by_partition_too(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        found = [each["over_time"] for each in audit(lake).record["partitions"]]
        assert found == [
            {"new": 0, "continuing": 0, "changed": 0, "resolved": 1, "reopened": 0},
            {"new": 0, "continuing": 1, "changed": 0, "resolved": 0, "reopened": 0},
        ]

    def test_the_same_runs_give_the_same_history(self, tmp_path: Path) -> None:
        found = []
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            lake = Lake(tmp_path / name / "lake")
            put(lake, tmp_path, "first.jsonl", dealt(1, 1, PAID_SHORT))
            audit(lake)
            put(lake, tmp_path, "second.jsonl", dealt(1, 1), supersede=True)
            audit(lake)
            found.append([(path.name, path.read_bytes()) for path in parts(lake)])
        assert found[0] == found[1]


class TestFailure:
    """Nothing is said of a partition whose findings could not be compared."""

    def test_a_partition_that_cannot_be_replayed_keeps_its_states(self, lake: Lake) -> None:
        (path,) = lake.root.glob("rounds/*/gaming_date=2023-03-01/*.parquet")
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        outcome = audit(lake)
        assert outcome.exit_code == 3
        assert over_time(outcome) == {"continuing": 1}
        assert changes(lake) == [(1, "new", "R-1-1"), (1, "new", "R-2-1")]

    def test_a_damaged_history_fails_its_partition(self, lake: Lake) -> None:
        (path,) = lake.root.glob("changes/*/gaming_date=2023-03-01/*.parquet")
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        before = {path: file_digest(path) for path in lake.root.glob("findings/*/gaming_date=2023-03-01/*")}
        outcome = audit(lake)
        assert outcome.exit_code == 3
        (failed,) = [each for each in outcome.record["partitions"] if each["outcome"] == "failed"]
        assert failed["gaming_date"] == "2023-03-01"
        assert "changes/venue=casino-canberra/gaming_date=2023-03-01" in failed["reason"]
        assert "bring the file back" in failed["reason"]
        assert {path: file_digest(path) for path in before} == before

    def test_a_removed_part_of_the_history_fails_its_partition(self, lake: Lake) -> None:
        (path,) = lake.root.glob("changes/*/gaming_date=2023-03-01/*.parquet")
        path.unlink()
        (failed,) = [each for each in audit(lake).record["partitions"] if each["outcome"] == "failed"]
        assert "now missing" in failed["reason"]
        assert not lake.verify().intact

    def test_a_damaged_history_is_looked_at_by_a_run_of_what_changed(self, lake: Lake) -> None:
        (path,) = lake.root.glob("changes/*/gaming_date=2023-03-01/*.parquet")
        path.unlink()
        assert audit(lake, only_changed=True).exit_code == 3

    def test_a_run_killed_before_its_record_is_finished_with_its_history(
        self, lake: Lake, tmp_path: Path
    ) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        root = Path(__file__).parents[1]
        arguments = [sys.executable, "-c", KILLED, str(lake.root)]
        environment = os.environ | {"PYTHONPATH": str(root)}
        assert subprocess.run(arguments, env=environment, cwd=root, check=False).returncode == 9
        assert over_time(audit(lake)) == {"continuing": 1}
        assert changes(lake)[2:] == [(2, "resolved", "R-1-1")]
        assert [record["n"] for record in lake.records("runs")] == [1, 2, 3]
        assert lake.verify().intact


KILLED = """
import os, sys
from audit.lake import Lake
from audit.law import load_law
from audit.ledger import Ledger
from audit.partitions import Choice
from audit.run import _Night, run
from tests.unvalidated import passed

_Night._validate = passed
Ledger.append = lambda *_: os._exit(9)
run(Lake(sys.argv[1]), load_law(), Choice(), jobs=1)
"""


class TestTold:
    """The counts stand on the terminal, in the report and in its JSON."""

    @pytest.mark.usefixtures("validated")
    def test_on_the_terminal(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        told = pontoon("run", "--lake", lake.root)
        assert "Since the runs before: 0 new, 1 continuing, 0 reopened; 1 resolved." in told.out
        found = pontoon("run", "--lake", lake.root, "--json").object["counts"]["over_time"]
        assert found == {"new": 0, "continuing": 1, "changed": 0, "resolved": 0, "reopened": 0}

    def test_in_the_report(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "shorter.jsonl", PAID_SHORTER)
        put(lake, tmp_path, "corrected.jsonl", dealt(1, 2), supersede=True)
        put(lake, tmp_path, "late.jsonl", dealt(3, 2, PAID_SHORT))
        outcome = audit(lake)
        page = (lake.root / "report" / "report.html").read_text()
        assert "<strong>1 new</strong>, 1 continuing (1 with another severity, amount or event)" in page
        assert "No longer found: 1 finding of earlier runs" in page
        assert page.count("continuing: a run before found it too, with another severity") == 1
        workbook = openpyxl.load_workbook(lake.root / "report" / "exceptions.xlsx")
        header, row = workbook["Resolved"].iter_rows(values_only=True)
        resolved = dict(zip(header, row, strict=True))
        assert (resolved["round id"], resolved["delta to player"], resolved["since run"]) == ("R-2-1", -10, 2)
        csv = (lake.root / "report" / "exceptions.csv").read_text("utf-8-sig")
        ((name,),) = ask(lake, "SELECT fingerprint FROM finding_states WHERE state = 'new'")
        assert f"{name},2,,,,," in csv
        summary = (lake.root / "report" / "summary.json").read_text()
        assert json.loads(summary)["run"]["over_time"] == outcome.record["counts"]["over_time"]

    def test_the_sheets_are_the_same_when_nothing_changed(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        audit(lake)
        sheets = [lake.root / "report" / name for name in ("exceptions.csv", "exceptions.xlsx")]
        before = [path.read_bytes() for path in sheets]
        audit(lake)
        assert [path.read_bytes() for path in sheets] == before

    def test_a_report_made_again_has_the_same_bytes(self, lake: Lake, tmp_path: Path) -> None:
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        audit(lake)
        files = rebuild_report(lake, load_law(), EVERYTHING, tmp_path / "again")
        for path in (files.html, files.csv, files.xlsx, files.json):
            assert path.read_bytes() == (lake.root / "report" / path.name).read_bytes(), path.name


def test_ingest_leaves_the_history_alone(lake: Lake, tmp_path: Path) -> None:
    before = parts(lake)
    log = tmp_path / "late.jsonl"
    put(lake, tmp_path, log.name, dealt(4, 1, PAID_SHORT))
    ingest([log], lake, load_law().register, at=FIRST)
    assert parts(lake) == before
