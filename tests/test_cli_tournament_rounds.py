"""``tournament --rounds`` and ``--lake``: the rounds of a tournament looked up in the round log."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands import pontoon, write_log
from tests.test_tournament_rounds import SAMPLES, played, sample


class TestCommand:
    """``tournament --rounds`` and ``--lake``."""

    def log(self, folder: Path, *, leave_out: int = 0) -> Path:
        rounds = list(played(sample("act-2018")).values())
        return write_log(folder / "rounds.jsonl", rounds[leave_out:])

    def test_rounds_of_files_are_looked_up(self, tmp_path: Path) -> None:
        clean = SAMPLES / "act-2018.jsonl"
        ran = pontoon("tournament", clean, "--rounds", self.log(tmp_path), "--json")
        assert ran.code == 0
        (found,) = ran.object["tournaments"]
        assert (found["findings"], "not_evaluable" in found) == ([], False)
        assert ran.object["summary"]["rounds"]["rejected"] == {"line": 0, "file": 0}
        short = pontoon("tournament", clean, "--rounds", self.log(tmp_path, leave_out=1), "--format", "jsonl")
        assert [each["code"] for each in json.loads(short.out)["findings"]] == ["tournament.round-log"]
        assert "Round log: " in short.err

    def test_rounds_of_a_lake_are_looked_up(self, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        assert pontoon("ingest", self.log(tmp_path, leave_out=1), "--lake", lake).code == 0
        ran = pontoon("tournament", SAMPLES / "act-2018.jsonl", "--lake", lake, "--json")
        (found,) = ran.object["tournaments"]
        assert [each["code"] for each in found["findings"]] == ["tournament.round-log"]
        assert "not_evaluable" not in found

    def test_evidence_that_was_altered_is_3_and_not_trusted(self, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        pontoon("ingest", self.log(tmp_path), "--lake", lake)
        path = next(lake.glob("rounds/*/*/*.parquet"))
        other = next(each for each in lake.glob("events/*/*/*.parquet"))
        other.write_bytes(path.read_bytes())
        ran = pontoon("tournament", SAMPLES / "act-2018.jsonl", "--lake", lake)
        assert ran.code == 3
        assert "casino-canberra" in ran.err

    def test_a_line_rejected_in_the_round_log_is_3(self, tmp_path: Path) -> None:
        log = self.log(tmp_path)
        log.write_bytes(log.read_bytes() + b"{}\n")
        ran = pontoon("tournament", SAMPLES / "act-2018.jsonl", "--rounds", log, "--json")
        assert ran.code == 3
        assert ran.object["summary"]["rounds"]["rejected"] == {"line": 1, "file": 0}
        assert "rounds.jsonl:" in ran.err

    def test_both_or_none_that_is_there_is_2(self, tmp_path: Path) -> None:
        clean = SAMPLES / "act-2018.jsonl"
        log = self.log(tmp_path)
        for arguments in (("--rounds", log, "--lake", tmp_path), ("--rounds", tmp_path / "absent.jsonl")):
            ran = pontoon("tournament", clean, *arguments)
            assert (ran.code, ran.out) == (2, "")
