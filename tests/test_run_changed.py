"""``run --changed``: late rounds, corrected files and changed law are audited again, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from audit.errors import NothingChanged
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.run import RunOutcome, run
from rules_replay.log import Round
from tests.commands import copied, pontoon, write_log
from tests.rounds import play

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unvalidated")]

FIRST = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"
PAID_SHORT = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 10"


def dealt(number: int, day: int, cards: str = IN_ORDER, **head: Any) -> Round:
    """A round of a shoe of its own, so that no day hangs on the day before."""
    at = f"2023-03-{day:02}T20:{number:02}:00+11:00"
    head = {"round_id": f"R-{day}-{number}", "shoe": f"S{day}-{number}", "round_no": 1} | head
    return play("act-2018", cards, started_at=at, ended_at=at, **head)


def put(lake: Lake, folder: Path, name: str, *rounds: Round, supersede: bool = False) -> None:
    ingest([write_log(folder / name, rounds)], lake, load_law().register, supersede=supersede, at=FIRST)


def changed(lake: Lake, **law: Any) -> RunOutcome:
    return run(lake, load_law(**law), Choice(), jobs=1, only_changed=True, at=FIRST)


def days(outcome: RunOutcome) -> list[str]:
    return [each["gaming_date"] for each in outcome.record["partitions"]]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Lake:
    """Three gaming dates, audited."""
    folder = tmp_path_factory.mktemp("changed")
    lake = Lake(folder / "lake")
    put(lake, folder, "first.jsonl", *(dealt(1, day) for day in (1, 2, 3)))
    assert len(days(changed(lake))) == 3
    return lake


@pytest.fixture
def lake(audited: Lake, tmp_path: Path) -> Lake:
    """A copy of the audited lake."""
    return Lake(copied(audited.root, tmp_path / "lake"))


def test_nothing_changed_leaves_the_lake_as_it_is(lake: Lake) -> None:
    before = lake.ledger_path("runs").read_bytes()
    with pytest.raises(NothingChanged, match="3 partitions"):
        changed(lake)
    assert lake.ledger_path("runs").read_bytes() == before


def test_late_rounds_join_their_gaming_date_which_alone_is_audited_again(lake: Lake, tmp_path: Path) -> None:
    put(lake, tmp_path, "late.jsonl", dealt(2, 2))
    outcome = changed(lake)
    assert days(outcome) == ["2023-03-02"]
    assert outcome.record["partitions"][0]["rounds"] == 2
    assert outcome.record["counts"]["partitions_unchanged"] == 2


def test_a_day_whose_shoe_runs_on_from_late_rounds_is_audited_again(lake: Lake, tmp_path: Path) -> None:
    put(lake, tmp_path, "on.jsonl", dealt(5, 1, shoe="LONG"), dealt(6, 2, shoe="LONG", round_no=3))
    assert days(changed(lake)) == ["2023-03-01", "2023-03-02"]
    put(lake, tmp_path, "between.jsonl", dealt(7, 1, shoe="LONG", round_no=2))
    outcome = changed(lake)
    assert days(outcome) == ["2023-03-01", "2023-03-02"]
    assert not sum(outcome.record["counts"]["findings"].values())


def test_a_corrected_file_supersedes_and_keeps_the_old_version(lake: Lake, tmp_path: Path) -> None:
    put(lake, tmp_path, "corrected.jsonl", dealt(1, 3, PAID_SHORT), supersede=True)
    outcome = changed(lake)
    assert days(outcome) == ["2023-03-03"]
    assert outcome.record["counts"]["findings"]["breach"] == 1
    record = list(lake.records("ingests"))[-1]
    assert [each["round_id"] for each in record["superseded"]] == ["R-3-1"]
    archived = lake.root / record["retired"][0]["archived"]
    assert pq.read_table(archived, partitioning=None)["round_id"].to_pylist() == ["R-3-1"]
    assert lake.verify().intact


def test_a_mispay_that_the_table_corrected_is_counted_and_no_breach(lake: Lake, tmp_path: Path) -> None:
    put(lake, tmp_path, "mended.jsonl", dealt(8, 2, f"{PAID_SHORT} | undo a | a wins 20"))
    outcome = changed(lake)
    assert not sum(outcome.record["counts"]["findings"].values())
    assert outcome.record["counts"]["settlements_corrected"] == 1
    again = pontoon("run", "--lake", lake.root, "--date", "2023-03-02")
    assert (again.code, "1 settlement corrected at the table." in again.out) == (0, True)


def test_a_round_that_moves_to_another_day_leaves_nothing_behind(lake: Lake, tmp_path: Path) -> None:
    put(lake, tmp_path, "short.jsonl", dealt(1, 3, PAID_SHORT), supersede=True)
    assert changed(lake).record["counts"]["findings"]["breach"] == 1
    moved = dealt(1, 2, IN_ORDER, round_id="R-3-1", shoe="S3-1")
    put(lake, tmp_path, "moved.jsonl", moved, supersede=True)
    outcome = changed(lake)
    assert [(each["gaming_date"], each["rounds"]) for each in outcome.record["partitions"]] == [
        ("2023-03-02", 2),
        ("2023-03-03", 0),
    ]
    assert outcome.record["counts"]["over_time"]["resolved"] == 1
    assert lake.verify().intact
    with pytest.raises(NothingChanged):
        changed(lake)


def test_another_reading_is_another_law(lake: Lake) -> None:
    assert len(days(changed(lake, readings=["forfeit_limit=20"]))) == 3
    with pytest.raises(NothingChanged):
        changed(lake, readings=["forfeit_limit=20"])


def test_another_register_is_another_law(lake: Lake) -> None:
    law = load_law()
    outcome = run(lake, replace(law, register_sha256="0" * 64), Choice(), jobs=1, only_changed=True, at=FIRST)
    assert len(days(outcome)) == 3


def test_results_that_were_damaged_are_made_again(lake: Lake) -> None:
    (path,) = lake.root.glob("hands/*/gaming_date=2023-03-02/*.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert days(changed(lake)) == ["2023-03-02"]
    assert lake.verify().intact


def test_new_quarantined_lines_are_told_once(lake: Lake, tmp_path: Path) -> None:
    log = write_log(tmp_path / "broken.jsonl", [dealt(3, 3)])
    log.write_bytes(log.read_bytes()[:-20] + b"\n")
    ingest([log], lake, load_law().register, at=FIRST)
    outcome = changed(lake)
    assert outcome.exit_code == 3
    assert outcome.quarantined == 1
    with pytest.raises(NothingChanged):
        changed(lake)


@pytest.mark.usefixtures("validated")
def test_on_the_command_line(lake: Lake, tmp_path: Path) -> None:
    nothing = pontoon("run", "--lake", lake.root, "--changed")
    assert nothing.code == 0
    assert "Nothing has changed: 3 partitions" in nothing.out
    assert pontoon("run", "--lake", lake.root, "--changed", "--json").object == {
        "exit_code": 0,
        "unchanged": 3,
    }
    put(lake, tmp_path, "late.jsonl", dealt(4, 1))
    late = pontoon("run", "--lake", lake.root, "--changed")
    assert late.code == 0
    assert "2 partitions unchanged since the last audit" in late.out
