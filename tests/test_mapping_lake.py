"""Vendors' files into a lake: the ledger, drift, another version of a mapping, and a run over them."""

from __future__ import annotations

import copy
import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from audit.lake import Lake
from tests.commands import night, pontoon
from tests.mappings import SAMPLES, json_document, shipped_text

GAMES: list[dict[str, Any]] = json.loads((SAMPLES / "live-replay.json").read_bytes())["games"]


def ingested(lake: Path, file: Path, *options: str | Path, by: str | Path = "live-replay") -> Any:
    ran = pontoon("ingest", file, "--mapping", by, "--lake", lake, "--json", *options)
    assert ran.code in (0, 3), ran.err
    return ran.object


def written(folder: Path, name: str, games: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_bytes(json_document(games))
    return path


def versioned(folder: Path, version: int, *changes: tuple[str, str]) -> Path:
    """The live mapping under another number, and with something changed."""
    text = shipped_text("live-replay").replace("version = 1", f"version = {version}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"live-{version}.toml"
    path.write_text(text, encoding="utf-8")
    return path


DECKS = ('decks      = "table.decks"', "decks = 7")


def records(lake: Path) -> list[dict[str, Any]]:
    return list(Lake(lake).records("ingests"))


def column(lake: Path, name: str) -> list[Any]:
    paths = sorted(lake.glob("rounds/*/*/*.parquet"))
    return [each for path in paths for each in pq.read_table(path, partitioning=None)[name].to_pylist()]


def test_the_ledger_names_the_mapping_and_the_file(tmp_path: Path) -> None:
    lake, sample = tmp_path / "lake", SAMPLES / "live-replay.json"
    report = ingested(lake, sample)
    assert (report["stored"], report["quarantined"], report["complete"]) == (48, 0, True)
    (record,) = records(lake)
    sha256 = hashlib.sha256(shipped_text("live-replay").encode()).hexdigest()
    assert record["mapping"] == report["mapping"] == {"id": "live-replay", "version": 1, "sha256": sha256}
    (file,) = record["files"]
    assert file["sha256"] == hashlib.sha256(sample.read_bytes()).hexdigest()
    assert file["fields"]["dealer.cards.*.code"] == ["text"]
    assert (file["drift"], file["left_out"]) == (None, 2)
    assert pontoon("verify", "--lake", lake).code == 0


@pytest.mark.slow
def test_a_round_leads_back_to_the_vendors_record(tmp_path: Path) -> None:
    lake, sample = tmp_path / "lake", SAMPLES / "live-replay.json"
    ingested(lake, sample)
    data = sample.read_bytes()
    names = ("round_id", "source_file", "source_line", "source_offset")
    for round_id, file, line, offset in zip(*(column(lake, name) for name in names), strict=True):
        assert file == "live-replay.json"
        assert GAMES[line - 1]["gameId"] == round_id
        game, _ = json.JSONDecoder().raw_decode(data.decode(), offset)
        assert game["gameId"] == round_id


def test_the_same_file_again_is_left_alone(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, SAMPLES / "live-replay.json")
    assert ingested(lake, SAMPLES / "live-replay.json")["unchanged"] == ["live-replay.json"]
    assert len(records(lake)) == 1


@pytest.mark.slow
def test_the_same_rounds_under_another_version_are_duplicates(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, SAMPLES / "live-replay.json")
    again = ingested(lake, SAMPLES / "live-replay.json", by=versioned(tmp_path, 2))
    assert (again["lines"], again["duplicates"], again["stored"]) == (48, 48, 0)
    assert [each["mapping"]["version"] for each in records(lake)] == [1, 2]


def test_other_rounds_under_another_version_are_a_conflict_until_superseded(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, SAMPLES / "live-replay.json")
    other = versioned(tmp_path, 2, DECKS)
    conflict = ingested(lake, SAMPLES / "live-replay.json", by=other)
    assert (conflict["conflicts"], conflict["quarantined"], conflict["complete"]) == (48, 48, False)
    assert (
        "is already stored with other content, from live-replay.json line 1" in conflict["first_refused"][0]
    )
    assert set(column(lake, "decks")) != {7}
    taken = ingested(lake, SAMPLES / "live-replay.json", "--supersede", by=other)
    assert (taken["superseding"], taken["quarantined"]) == (48, 0)
    assert set(column(lake, "decks")) == {7}
    assert pontoon("verify", "--lake", lake).code == 0


def test_a_version_is_one_text(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, written(tmp_path, "one.json", GAMES[:2]), by=versioned(tmp_path, 2))
    path = versioned(tmp_path, 2, DECKS)
    ran = pontoon("ingest", written(tmp_path, "two.json", GAMES[2:4]), "--mapping", path, "--lake", lake)
    assert ran.code == 2
    assert "the lake knows another text as live-replay version 2; a mapping that was changed" in ran.err
    assert len(records(lake)) == 1


def test_refused_records_are_in_quarantine_byte_for_byte(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    games = copy.deepcopy(GAMES[:4])
    games[2]["table"]["decks"] = "six"
    report = ingested(lake, written(tmp_path, "night.json", games))
    assert (report["lines"], report["stored"], report["quarantined"]) == (4, 3, 1)
    (path,) = lake.glob("quarantine/*/*/*.parquet")
    (row,) = pq.read_table(path, partitioning=None).to_pylist()
    assert json.loads(row["bytes"]) == games[2]
    assert (row["source_line"], row["field"], row["round_id"]) == (3, "round.decks", games[2]["gameId"])
    assert row["reason"] == "table.decks: expected a whole number, found 'six'"


def renamed(game: dict[str, Any]) -> dict[str, Any]:
    """A game after the vendor's update: a field renamed, one of another type, one more."""
    changed = copy.deepcopy(game)
    changed["dealer"]["nick"] = changed["dealer"].pop("name")
    changed["shoe"]["id"] = 12
    changed["room"] = "north"
    return changed


def test_drift_is_told_on_stderr_in_the_report_and_in_the_ledger(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, written(tmp_path, "monday.json", GAMES[:3]))
    tuesday = written(tmp_path, "tuesday.json", [renamed(each) for each in GAMES[3:6]])
    ran = pontoon("ingest", tuesday, "--mapping", "live-replay", "--lake", lake, "--json")
    assert "tuesday.json: field dealer.nick appeared since monday.json" in ran.err
    assert "tuesday.json: field dealer.name vanished since monday.json" in ran.err
    assert "tuesday.json: field shoe.id was text and is number since monday.json" in ran.err
    drift = ran.object["files"][0]["drift"]
    assert drift["since"] == "monday.json"
    assert {"dealer.nick", "room"} <= set(drift["appeared"])
    assert drift["changed"] == {"shoe.id": {"was": ["text"], "is": ["number"]}}
    assert records(lake)[-1]["files"][0]["drift"] == drift
    wednesday = written(tmp_path, "wednesday.json", [renamed(each) for each in GAMES[6:9]])
    last = ingested(lake, wednesday, by=versioned(tmp_path, 2))["files"][0]["drift"]
    assert last["since"] == "tuesday.json"
    assert "dealer.nick" not in last["appeared"]


@pytest.mark.slow
def test_drift_is_an_event_to_machines(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    ingested(lake, written(tmp_path, "monday.json", GAMES[:1]))
    tuesday = written(tmp_path, "tuesday.json", [renamed(GAMES[2])])
    ran = pontoon(
        "--log-format", "json", "ingest", tuesday, "--mapping", "live-replay", "--lake", lake, "--json"
    )
    drifts = [each for each in map(json.loads, ran.err.splitlines()) if each["event"] == "mapping.drift"]
    assert {each["file"] for each in drifts} == {"tuesday.json"}
    assert {each["level"] for each in drifts} == {"warning"}


@pytest.mark.slow
def test_a_folder_is_searched_for_the_vendors_files_only(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json.gz").write_bytes(gzip.compress(json_document(GAMES[:2])))
    written(folder, "b.json", GAMES[2:4])
    (folder / "hands.csv").write_text("a;b\n", encoding="utf-8")
    report = ingested(tmp_path / "lake", folder)
    assert [(each["name"], each["stored"]) for each in report["files"]] == [("a.json.gz", 2), ("b.json", 2)]
    ran = pontoon("check", folder, "--mapping", "hand-table")
    assert "hands.csv" not in ran.out
    assert ran.code == 0
    (folder / "hands.csv").unlink()
    assert "expected names ending .csv" in pontoon("check", folder, "--mapping", "hand-table").err


def test_a_vendors_file_may_come_from_standard_input() -> None:
    ran = pontoon("check", "-", "--mapping", "live-replay", "--json", stdin=json_document(GAMES[2:5]))
    assert ran.object["summary"]["rounds"] == 3


@pytest.mark.slow
@pytest.mark.usefixtures("validated")
def test_a_run_counts_what_vendors_do_not_record_as_not_evaluable(tmp_path: Path) -> None:
    """Also where rounds of a recorder that captures everything lie in the same partition."""
    lake = tmp_path / "lake"
    ingested(lake, SAMPLES / "live-replay.json")
    ingested(lake, SAMPLES / "hand-table.csv", by="hand-table")
    rounds = (json.loads(line) for line in night("act-2018").read_bytes().splitlines())
    moved = [each | {"started_at": "2023-09-30T20:00:00+10:00", "ended_at": None} for each in rounds]
    lines = [{name: value for name, value in each.items() if value is not None} for each in moved]
    (tmp_path / "ours.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert pontoon("ingest", tmp_path / "ours.jsonl", "--lake", lake).code == 0
    assert pontoon("run", "--lake", lake).code == 1
    counted = duckdb.execute(
        "SELECT rulebook, passed, failed, not_evaluable, reason "
        f"FROM read_parquet('{lake}/coverage/*/*/*.parquet') WHERE code = 'deal.order' ORDER BY ALL"
    ).fetchall()
    order = "the order of cards, wagers and decisions"
    ours = len(lines)
    assert [row for row in counted if row[4] is not None] == [("act-2018", 0, 0, 66, order)]
    assert [(row[0], row[1] + row[2]) for row in counted if row[4] is None] == [
        ("act-2018", ours),
        ("nz-2000", 48),
    ]
    codes = duckdb.execute(
        f"SELECT DISTINCT code FROM read_parquet('{lake}/findings/venue=skycity-auckland/*/*.parquet')"
    ).fetchall()
    assert {code for (code,) in codes} == {
        "draw.after-bust",
        "dealer.under-draw",
        "settle.double",
        "settle.outcome",
        "split.aces-extra-card",
        "double.one-card",
        "settle.odds",
        "settle.surrender",
    }


@pytest.mark.slow
@pytest.mark.usefixtures("unvalidated")
def test_a_case_says_that_its_round_was_a_record_of_a_vendors_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the file lies beside it: its third record is not its third line."""
    lake, case = tmp_path / "lake", tmp_path / "case"
    ingested(lake, SAMPLES / "live-replay.json")
    assert pontoon("run", "--lake", lake).code == 1
    monkeypatch.chdir(SAMPLES)
    name = "AKL-P01-20140405-2026-09-003"
    found = pontoon("export", "--lake", lake, "--case", name, "--out", case, "--json").object
    reason = "it was a record of a vendor's file, read by the mapping live-replay version 1"
    assert found["source"]["absent_because"] == reason
    assert pontoon("recheck", case).code == 0


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel", "unvalidated")
def test_both_engines_leave_the_same_checks_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name, fast_from in (("readable", 10**9), ("compiled", 0)):
        monkeypatch.setattr("audit.engines.FAST_FROM", fast_from)
        lake = tmp_path / name
        ingested(lake, SAMPLES / "hand-table.csv", by="hand-table")
        assert pontoon("run", "--lake", lake).code == 1
        (path,) = lake.glob("coverage/*/*/*.parquet")
        found.append(pq.read_table(path, partitioning=None).to_pylist())
    assert found[0] == found[1]
