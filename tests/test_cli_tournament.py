"""``tournament``: what is printed, where, the exit code, and which lines are rejected."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from audit.ingest.tournaments import decode_tournament
from audit.ingest.wire import Rejected
from rules_replay.tournament.checks import JOINED
from tests.commands import GOLDEN, encoded, pontoon

SAMPLES = Path(__file__).parents[1] / "data_samples" / "tournaments"
CLEAN = SAMPLES / "act-2018.jsonl"
FAULTS = SAMPLES / "faults.jsonl"


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def log_of(folder: Path, **changes: Any) -> Path:
    """A log of the clean sample with some fields set."""
    path = folder / "log.jsonl"
    plain = json.loads(CLEAN.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps(plain) + "\n", encoding="utf-8")
    return path


class TestFormats:
    """A table for people, JSON Lines and CSV, one object for machines."""

    def test_json_lines_have_one_object_a_tournament_in_input_order(self) -> None:
        ran = pontoon("tournament", SAMPLES / "act-2005.jsonl", FAULTS, "--format", "jsonl")
        found = objects(ran.out)
        labels = objects((SAMPLES / "faults.truth").read_text(encoding="utf-8"))
        assert [each["tournament_id"] for each in found[1:]] == [each["tournament_id"] for each in labels]
        assert found[0] == {
            "tournament_id": "CBR-T-20081115",
            "rulebook": "act-2005",
            "findings": [],
            "not_evaluable": dict.fromkeys(JOINED, "the round log"),
        }
        assert "10 tournaments audited" in ran.err

    def test_a_finding_as_it_is_printed(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, refunds=[{"player": "ash", "amount": "55.00"}])
        (found,) = objects(pontoon("tournament", path, "--format", "jsonl").out)
        assert found["findings"] == [
            {
                "code": "tournament.refund",
                "severity": "breach",
                "player": "ash",
                "expected": "no refund",
                "recorded": "55",
                "delta": "55",
                "clause": "act-2018 20.21",
            }
        ]

    def test_what_could_not_be_checked_is_told_with_what_it_lacked(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, refunds=None, director=None)
        ran = pontoon("tournament", path, "--format", "jsonl")
        (found,) = objects(ran.out)
        lacking = {"tournament.director": "director", "tournament.refund": "refunds"}
        assert found["not_evaluable"] == lacking | dict.fromkeys(JOINED, "the round log")
        assert "not evaluable for want of evidence: 5" in ran.err

    def test_csv_has_one_row_a_finding_and_never_starts_a_formula(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, refunds=[{"player": "=ash", "amount": "55"}])
        (row,) = csv.DictReader(pontoon("tournament", path, "--format", "csv").out.splitlines())
        assert (row["code"], row["player"], row["delta"]) == ("tournament.refund", "'=ash", "55")

    def test_the_table_shows_the_gravest_first_and_no_control_characters(self, tmp_path: Path) -> None:
        director = {"name": "\x1b[31m", "named_by": "other"}
        path = log_of(tmp_path, director=director, refunds=[{"player": "ash", "amount": "5"}])
        ran = pontoon("tournament", path)
        assert "\x1b" not in ran.out
        assert ran.out.index("tournament.refund") < ran.out.index("tournament.director")
        assert "Findings: 1 breach, 1 procedure" in ran.out

    def test_json_is_one_object_with_everything(self) -> None:
        found = pontoon("tournament", FAULTS, "--json").object
        assert len(found["tournaments"]) == found["summary"]["tournaments"] == found["summary"]["lines"]
        assert found["rejected"] == []
        assert found["summary"]["findings"]["breach"] > 0
        assert found["summary"]["complete"] is True

    def test_standard_input_and_compressed_files_are_read(self, tmp_path: Path) -> None:
        packed = tmp_path / "log.jsonl.gz"
        packed.write_bytes(gzip.compress(FAULTS.read_bytes()))
        wanted = pontoon("tournament", FAULTS, "--format", "jsonl").out
        assert pontoon("tournament", packed, "--format", "jsonl").out == wanted
        assert pontoon("tournament", "-", "--format", "jsonl", stdin=FAULTS.read_bytes()).out == wanted

    def test_fields_outside_the_format_are_told_with_their_number(self, tmp_path: Path) -> None:
        entries = json.loads(CLEAN.read_text(encoding="utf-8"))["entries"]
        path = log_of(tmp_path, weather="hot", entries=[each | {"colour": "red"} for each in entries])
        ran = pontoon("tournament", path, "--format", "jsonl")
        assert ran.code == 0
        assert "entries[].colour (1), weather (1)" in ran.err


class TestExitCode:
    """0 in order, 1 at or above ``--fail-on``, 2 for a wrong command, 3 incomplete; 3 wins."""

    @pytest.mark.parametrize(
        ("path", "fail_on", "code"),
        [(CLEAN, "notice", 0), (FAULTS, "breach", 1), (FAULTS, "never", 0)],
    )
    def test_by_severity(self, path: Path, fail_on: str, code: int) -> None:
        assert pontoon("tournament", path, "--fail-on", fail_on).code == code

    def test_a_fault_of_procedure_counts_from_procedure_on(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, director={"name": "S1", "named_by": "other"})
        codes = [pontoon("tournament", path, "--fail-on", each).code for each in ("breach", "procedure")]
        assert codes == [0, 1]

    def test_a_rejected_line_is_one_line_and_3_although_there_is_a_breach(self, tmp_path: Path) -> None:
        path = tmp_path / "log.jsonl"
        path.write_bytes(FAULTS.read_bytes() + b'{"format": \n\n')
        ran = pontoon("tournament", path, "--format", "jsonl")
        assert ran.code == 3
        told = [line for line in ran.err.splitlines() if line.startswith("log.jsonl:")]
        assert len(told) == 2
        assert told[0].startswith("log.jsonl:10: not JSON")
        assert told[1] == "log.jsonl:11: blank line; expected one tournament as a JSON object"

    def test_no_input_at_all_is_2(self, tmp_path: Path) -> None:
        ran = pontoon("tournament", tmp_path / "absent.jsonl")
        assert (ran.code, ran.out) == (2, "")
        assert "absent.jsonl" in ran.err

    def test_an_absent_file_beside_a_present_one_is_3(self, tmp_path: Path) -> None:
        ran = pontoon("tournament", CLEAN, tmp_path / "absent.jsonl", "--format", "jsonl")
        assert (ran.code, len(objects(ran.out))) == (3, 1)

    def test_a_csv_pair_is_told_that_it_holds_rounds(self, tmp_path: Path) -> None:
        for name in ("rounds.csv", "events.csv"):
            (tmp_path / name).write_text("round_id,seq,e\n", encoding="utf-8")
        ran = pontoon("tournament", tmp_path / "rounds.csv")
        assert ran.code == 3
        assert "expected tournaments as JSON Lines" in ran.err

    def test_a_round_log_is_rejected_line_by_line(self) -> None:
        ran = pontoon("tournament", GOLDEN, "--format", "jsonl")
        assert (ran.code, ran.out) == (3, "")
        assert "expected pontoon-tournament/1" in ran.err

    def test_the_same_again_is_a_duplicate_and_other_content_is_rejected(self, tmp_path: Path) -> None:
        line = CLEAN.read_bytes()
        path = tmp_path / "log.jsonl"
        path.write_bytes(line + line.replace(b'"55"', b'"55.00"'))
        twice = pontoon("tournament", path, "--json")
        assert (twice.code, twice.object["summary"]["duplicates"]) == (0, 1)
        path.write_bytes(line + line.replace(b'"cedar"', b'"yew"'))
        other = pontoon("tournament", path, "--json")
        assert other.code == 3
        assert "came before with other content, from log.jsonl line 1" in other.err

    def test_another_register_resolves_another_edition(self, tmp_path: Path) -> None:
        register = tmp_path / "venues.toml"
        register.write_text(
            '[[venue]]\nid = "casino-canberra"\nzone = "Australia/Sydney"\ncurrency = "AUD"\n'
            'day_start = "06:00"\n[[venue.window]]\nrulebook = "act-2005"\n'
            'since = 2000-01-01T00:00:00+11:00\nnote = "for a test"\n',
            encoding="utf-8",
        )
        (found,) = objects(pontoon("tournament", CLEAN, "--venues", register, "--format", "jsonl").out)
        assert found["rulebook"] == "act-2005"
        assert "tournament.entry" in {each["code"] for each in found["findings"]}


class TestReadings:
    """``--reading`` answers what section 20 leaves open, and nothing else."""

    def test_the_answer_chosen_is_the_one_in_force(self, tmp_path: Path) -> None:
        conditions = json.loads(CLEAN.read_text(encoding="utf-8"))["conditions"]
        path = log_of(tmp_path, conditions=conditions | {"varies": [{"clause": "9.1", "applied": True}]})
        (found,) = objects(pontoon("tournament", path, "--format", "jsonl").out)
        assert [each["depends_on"] for each in found["findings"]] == ["the_rules=section_20"]
        chosen = pontoon("tournament", path, "--reading", "the_rules=section_20", "--format", "jsonl")
        assert objects(chosen.out)[0]["findings"] == []

    @pytest.mark.parametrize(
        ("reading", "told"),
        [
            ("the_rules", "expected ID=VALUE, such as conditions_reach=all_of_section_20"),
            ("forfeit_limit=20", "--reading forfeit_limit: unknown; known are conditions_reach, the_rules"),
            ("the_rules=none", "--reading the_rules: expected one of all_rules, section_20, got 'none'"),
        ],
    )
    def test_another_question_or_answer_is_2(self, reading: str, told: str) -> None:
        ran = pontoon("tournament", CLEAN, "--reading", reading)
        assert (ran.code, ran.out) == (2, "")
        assert told in ran.err

    def test_a_command_on_rounds_does_not_know_them(self) -> None:
        ran = pontoon("check", GOLDEN, "--reading", "the_rules=section_20")
        assert ran.code == 2
        assert "--reading the_rules: unknown" in ran.err


class TestRejectedLines:
    """A line that cannot be read is told in one line: which field, what was found, what was expected."""

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            (b'"fee":"55"', b'"fee":55', "conditions.fee: expected an amount as a decimal string, got 55"),
            (b'"fee":"55"', b'"fee":"-5"', "conditions.fee: expected a decimal string"),
            (b'"chips":100', b'"chips":-1', "stakes[0].chips: expected a whole number of at least 0, got -1"),
            (
                b'"form":"points"',
                b'"form":"league"',
                "conditions.form: unknown form 'league'; expected one",
            ),
            (b'"stage":"heat"', b'"stage":"quarter"', "sessions[0].stage: unknown stage 'quarter'"),
            (b'"named_by":"gaming_shift_manager"', b'"named_by":"pit"', "unknown named_by 'pit'"),
            (b'"kind":"buy_back"', b'"kind":"gift"', "unknown kind 'gift'; expected one of entry, reserve"),
            (b'"reason":"below_minimum"', b'"reason":"rude"', "unknown reason 'rude'; expected one of below"),
            (b'"by":"ballot"', b'"by":"choice"', "unknown by 'choice'; expected one of ballot, other"),
            (b'"session_ties":"share"', b'"session_ties":"toss"', "unknown session_ties 'toss'"),
            (b'"final_ties":"share"', b'"final_ties":"toss"', "unknown final_ties 'toss'"),
            (b'"elimination"', b'"knocking-out"', "unknown states 'knocking-out'; expected one of start"),
            (b'"venue":"casino-canberra",', b"", "venue: missing; the format requires it"),
            (b"2023-11-18T15:00:00+11:00", b"2023-11-18T15:00:00", "held_at: expected a date and time"),
            (b'"session":"session-2"', b'"session":"session-1"', "2 sessions are called 'session-1'"),
            (b'"percent":"60"', b'"label":"60"', "conditions.prizes[0]: expected either an amount or a perc"),
            (b'"after":"T', b'"after":"X', "eliminations[0].after: no round of the session is called 'X2"),
            (b'"refunds":[]', b'"refunds":[],"refunds":[]', "refunds: the key stands twice"),
            (b'"tournament_id":"CBR', b'"tournament_id":"C B', "tournament_id: expected 1 to 64 of the char"),
        ],
    )
    def test_is_told_which_field_and_what(self, old: bytes, new: bytes, told: str) -> None:
        line = CLEAN.read_bytes()
        assert old in line
        with pytest.raises(Rejected) as caught:
            decode_tournament(line.replace(old, new, 1))
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("line", [b"", b"\0", b"\xff", b"[1]", b"7", b"{" * 100_000, b'{"a":' * 100_000])
    def test_anything_else_is_rejected_as_well(self, line: bytes) -> None:
        with pytest.raises(Rejected):
            decode_tournament(line)

    def test_a_change_of_chips_knows_its_words(self) -> None:
        plain = json.loads(CLEAN.read_text(encoding="utf-8"))
        for change, told in (
            ({"way": "swapped", "chips": 1}, "unknown way 'swapped'; expected one of added, removed"),
            ({"way": "added", "chips": 1, "why": "luck"}, "unknown why 'luck'; expected one of buy_back"),
        ):
            plain["sessions"][0]["seats"][0]["changes"] = [change]
            with pytest.raises(Rejected, match=told):
                decode_tournament(json.dumps(plain).encode())

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])
    def test_a_tournament_written_again_is_the_same(self, rulebook: str) -> None:
        tournament = decode_tournament((SAMPLES / f"{rulebook}.jsonl").read_bytes()).item
        assert decode_tournament(encoded(tournament)).item == tournament
