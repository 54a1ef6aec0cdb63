"""``check``: what is printed, where, and the exit code."""

from __future__ import annotations

import csv
import gzip
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from rules_replay.log import Round
from tests.commands import BROKEN, CASES, GOLDEN, night, pontoon, write_log
from tests.rounds import play

IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"
UNDERPAID = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 10"
LEFT_BELOW_12 = "a 20@1 | 1:5S 0:9D 1:6H | stand 1 | 0:8C | a loses 20"


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def log_of(folder: Path, *texts: str) -> Path:
    rounds = (play("act-2018", text, round_id=f"R{n}", round_no=n) for n, text in enumerate(texts, 1))
    return write_log(folder / "log.jsonl", rounds)


class TestJsonLines:
    """One object a round in input order: the settlements required, and the findings."""

    def test_the_golden_rounds_come_out_as_wanted(self) -> None:
        ran = pontoon("check", GOLDEN, "--format", "jsonl")
        found = objects(ran.out)
        wanted = objects((CASES / "golden.want.jsonl").read_text(encoding="utf-8"))
        assert [each["round_id"] for each in found] == [each["round_id"] for each in wanted]
        for each, want in zip(found, wanted, strict=True):
            due = {(line["wager"], line["line"]): line for line in each["settlements"]}
            for line in want["settlements"]:
                assert due[line["wager"], line["line"]] == line, want["title"]
            codes = {finding["code"] for finding in each["findings"]}
            assert {finding["code"] for finding in want["findings"]} <= codes, want["title"]
        assert ran.code == 1

    def test_a_finding_as_it_is_printed(self, tmp_path: Path) -> None:
        ran = pontoon("check", log_of(tmp_path, UNDERPAID), "--format", "jsonl")
        (found,) = objects(ran.out)
        (finding,) = found.pop("findings")
        assert found == {
            "round_id": "R1",
            "rulebook": "act-2018",
            "settlements": [{"wager": "a", "line": "stake", "result": "win", "paid": "20", "taken": "0"}],
        }
        assert finding.pop("expected").startswith("win, 20 paid")
        assert finding.pop("clause").startswith("act-2018 14.1")
        assert finding == {
            "code": "settle.odds",
            "severity": "breach",
            "seq": 6,
            "box": 1,
            "hand": 1,
            "wager": "a",
            "recorded": "win, 10 paid",
            "delta": "-10",
        }

    def test_a_wager_that_the_log_cannot_fix_is_left_out(self, tmp_path: Path) -> None:
        unreadable = "a 20@1 | 1:KS 0:9D 1:?? | stand 1 | 0:8C | a wins 20"
        (found,) = objects(pontoon("check", log_of(tmp_path, unreadable), "--format", "jsonl").out)
        assert found["settlements"] == []

    def test_a_round_without_a_rulebook_names_none(self, tmp_path: Path) -> None:
        path = write_log(
            tmp_path / "log.jsonl", [play("act-2018", IN_ORDER, started_at="2018-01-05T20:00:00+11:00")]
        )
        ran = pontoon("check", path, "--format", "jsonl")
        (found,) = objects(ran.out)
        assert "rulebook" not in found
        assert [each["code"] for each in found["findings"]] == ["rulebook.none-in-force"]
        assert ran.code == 0
        assert "No rulebook was in force for 1 of them" in ran.err

    def test_rounds_stand_in_the_order_of_the_input(self, tmp_path: Path) -> None:
        paths = [night("rws-2017"), night("nz-2000")]
        found = objects(pontoon("check", *paths, "--format", "jsonl").out)
        lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
        assert [each["round_id"] for each in found] == [json.loads(line)["round_id"] for line in lines]

    def test_the_shoe_is_followed_from_round_to_round(self, tmp_path: Path) -> None:
        rounds = [play("act-2018", IN_ORDER, round_id=f"R{n}", round_no=n) for n in (1, 2, 5)]
        found = objects(pontoon("check", write_log(tmp_path / "log.jsonl", rounds), "--format", "jsonl").out)
        assert [[each["code"] for each in one["findings"]] for one in found] == [[], [], ["shoe.round-gap"]]


class TestRoundsOutOfOrder:
    """``round_no`` gives the order of a shoe's rounds, wherever their lines stand."""

    CUT = "decks 3 | a 20@1 | 1:KC 0:9S 1:9C | cut card | stand 1 | 0:8C | a wins 20"
    NEXT = "decks 3 | a 20@1 | 1:KC 0:9H 1:9D | stand 1 | 0:8D | a wins 20"
    THIRD = "decks 3 | a 20@1 | 1:KC 0:9H 1:KC | stand 1 | 0:8D | a wins 20"

    def _rounds(self) -> list[Round]:
        shoe = [
            play("act-2018", text, round_id=f"R{n}", round_no=n, shoe="S1")
            for n, text in enumerate((self.CUT, self.NEXT, self.THIRD), 1)
        ]
        return [*shoe, play("act-2018", UNDERPAID, round_id="B1", round_no=1, shoe="S2")]

    @pytest.mark.parametrize("stdin", [False, True])
    def test_the_same_is_found_in_whatever_order_lines_stand(self, tmp_path: Path, stdin: bool) -> None:
        said = {}
        for order in permutations(self._rounds()):
            path = write_log(tmp_path / "log.jsonl", order)
            if stdin:
                ran = pontoon("check", "-", "--format", "jsonl", stdin=path.read_bytes())
            else:
                ran = pontoon("check", path, "--format", "jsonl")
            assert ran.code == 1
            found = {each.pop("round_id"): each for each in objects(ran.out)}
            said[tuple(each.round_id for each in order)] = dict(sorted(found.items()))
        first, *others = said.values()
        assert {name: [each["code"] for each in one["findings"]] for name, one in first.items()} == {
            "B1": ["settle.odds"],
            "R1": ["shoe.cut-position"],
            "R2": ["shoe.shuffle-due"],
            "R3": ["shoe.shuffle-due", "deck.composition"],
        }
        assert all(each == first for each in others)

    def test_those_of_such_a_shoe_come_last_and_in_their_order(self, tmp_path: Path) -> None:
        one, two, _, other = self._rounds()
        ran = pontoon("check", write_log(tmp_path / "a.jsonl", [two, one, other]), "--format", "jsonl")
        assert [each["round_id"] for each in objects(ran.out)] == ["B1", "R1", "R2"]
        ran = pontoon("check", write_log(tmp_path / "a.jsonl", [one, other, two]), "--format", "jsonl")
        assert [each["round_id"] for each in objects(ran.out)] == ["R1", "B1", "R2"]

    def test_files_named_together_are_one_run_of_rounds(self, tmp_path: Path) -> None:
        one, two, _, other = self._rounds()
        late = write_log(tmp_path / "late.jsonl", [two, other])
        early = write_log(tmp_path / "early.jsonl.gz", [one])
        early.write_bytes(gzip.compress(early.read_bytes()))
        ran = pontoon("check", late, early, "--format", "csv")
        assert [row["code"] for row in csv.DictReader(ran.out.splitlines())] == [
            "settle.odds",
            "shoe.cut-position",
            "shoe.shuffle-due",
        ]

    def test_a_shoe_of_the_night_before_comes_before(self, tmp_path: Path) -> None:
        """Whoever names shoes by number begins anew each night."""
        rounds = [
            play("act-2018", IN_ORDER, round_id=f"{day}-{n}", round_no=n, started_at=f"2026-03-{day}T{hour}")
            for day, hour in ((14, "20:00:00+11:00"), (15, "21:00:00+11:00"))
            for n in (1, 2)
        ]
        ran = pontoon("check", write_log(tmp_path / "a.jsonl", rounds), "--format", "jsonl")
        assert [each["round_id"] for each in objects(ran.out)] == ["14-1", "14-2", "15-1", "15-2"]
        ran = pontoon("check", write_log(tmp_path / "a.jsonl", rounds[::-1]), "--format", "jsonl")
        assert [each["round_id"] for each in objects(ran.out)] == ["14-1", "14-2", "15-1", "15-2"]

    def test_what_is_rejected_or_comes_twice_counts_as_ever(self, tmp_path: Path) -> None:
        one, two, *_ = self._rounds()
        path = write_log(tmp_path / "a.jsonl", [two, one, two])
        path.write_bytes(b"no json\n" + path.read_bytes())
        ran = pontoon("check", path, tmp_path / "absent.jsonl", "--json")
        assert ran.code == 3
        summary = ran.object["summary"]
        assert (summary["rounds"], summary["duplicates"], summary["lines"]) == (2, 1, 4)
        assert summary["rejected"] == {"line": 1, "file": 1, "round": 0}
        assert [each["round_id"] for each in ran.object["rounds"]] == ["R1", "R2"]


class TestExitCode:
    """0 in order, 1 at or above ``--fail-on``, 2 for a wrong command, 3 incomplete; 3 wins."""

    @pytest.mark.parametrize(
        ("text", "fail_on", "code"),
        [
            (IN_ORDER, "notice", 0),
            (UNDERPAID, "breach", 1),
            (UNDERPAID, "never", 0),
            (LEFT_BELOW_12, "breach", 0),
            (LEFT_BELOW_12, "procedure", 1),
        ],
    )
    def test_by_severity(self, tmp_path: Path, text: str, fail_on: str, code: int) -> None:
        assert pontoon("check", log_of(tmp_path, text), "--fail-on", fail_on).code == code

    def test_a_rejected_line_is_one_line_and_3_although_there_is_a_breach(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, UNDERPAID)
        path.write_bytes(path.read_bytes() + b"no json\n" + b"\0" * 50 + b"\n")
        ran = pontoon("check", path, "--format", "jsonl")
        assert ran.code == 3
        assert len(objects(ran.out)) == 1
        rejected = [line for line in ran.err.splitlines() if line.startswith("log.jsonl:")]
        assert len(rejected) == 2
        assert rejected[0].startswith("log.jsonl:2: not JSON")
        assert "NUL" in rejected[1]

    def test_a_file_cut_short_is_3_and_the_others_go_on(self, tmp_path: Path) -> None:
        ran = pontoon(
            "check",
            BROKEN / "truncated.jsonl.gz",
            log_of(tmp_path, IN_ORDER),
            "--format",
            "jsonl",
        )
        assert (ran.code, len(objects(ran.out))) == (3, 1)
        assert "ends too early" in ran.err

    def test_no_input_at_all_is_2(self, tmp_path: Path) -> None:
        ran = pontoon("check", tmp_path / "absent.jsonl")
        assert (ran.code, ran.out) == (2, "")
        assert "absent.jsonl" in ran.err

    def test_a_round_with_other_content_is_rejected_and_the_same_one_counted(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, IN_ORDER)
        line = path.read_bytes()
        path.write_bytes(line + line)
        twice = pontoon("check", path, "--json")
        assert (twice.code, twice.object["summary"]["duplicates"], len(twice.object["rounds"])) == (0, 1, 1)
        path.write_bytes(line + line.replace(b"P01-1", b"P01-2"))
        other = pontoon("check", path, "--json")
        assert (other.code, other.object["summary"]["rejected"]["line"]) == (3, 1)
        assert "came before with other content, from log.jsonl line 1" in other.err


class TestReadings:
    """``--reading ID=VALUE`` answers an open question; an unknown one is told what is known."""

    def test_a_reading_changes_what_is_due(self, tmp_path: Path) -> None:
        five_cards_20 = "a 20@1 | 1:2S 0:9D 1:3H | 1:4C | 1:5D | 1:6S | stand 1 | 0:8C | a wins 20"
        path = log_of(tmp_path, five_cards_20)
        paid = [
            objects(pontoon("check", path, "--format", "jsonl", "--reading", reading).out)[0]["settlements"][
                0
            ]["paid"]
            for reading in ("card_count_rows=total_21", "card_count_rows=any_winning_hand")
        ]
        assert paid == ["20", "30"]

    @pytest.mark.parametrize(
        ("reading", "told"),
        [
            ("nonsense=1", "known are aces_are_a_pair, amounts"),
            ("forfeit_limit=22", "expected one of 21, 20"),
            ("forfeit_limit", "expected ID=VALUE"),
        ],
    )
    def test_an_unknown_one_is_2(self, reading: str, told: str) -> None:
        ran = pontoon("check", GOLDEN, "--reading", reading)
        assert (ran.code, ran.out) == (2, "")
        assert told in ran.err

    def test_two_answers_to_one_question_are_2(self) -> None:
        ran = pontoon("check", GOLDEN, "--reading", "forfeit_limit=20", "--reading", "forfeit_limit=21")
        assert ran.code == 2
        assert "given twice" in ran.err


class TestVenues:
    """``--venues FILE`` replaces the shipped register."""

    REGISTER = """
[[venue]]
id = "casino-canberra"
zone = "Australia/Sydney"
currency = "AUD"
day_start = "06:00"

[[venue.window]]
rulebook = "{}"
since = 2000-01-01T00:00:00+11:00
note = "for a test"
"""

    def test_another_register_resolves_another_rulebook(self, tmp_path: Path) -> None:
        register = tmp_path / "venues.toml"
        register.write_text(self.REGISTER.format("nz-2000"), encoding="utf-8")
        log = log_of(tmp_path, IN_ORDER)
        ran = pontoon("check", log, "--venues", register, "--format", "jsonl")
        assert objects(ran.out)[0]["rulebook"] == "nz-2000"

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (REGISTER.format("old-rules"), "'old-rules' is not held"),
            ("[[venue]]\nid = 1", "venue[0].id: expected text"),
            ("not toml", "not TOML"),
        ],
    )
    def test_a_wrong_one_is_2(self, tmp_path: Path, content: str, told: str) -> None:
        register = tmp_path / "venues.toml"
        register.write_text(content, encoding="utf-8")
        ran = pontoon("check", GOLDEN, "--venues", register)
        assert ran.code == 2
        assert told in ran.err

    def test_an_absent_one_is_2(self, tmp_path: Path) -> None:
        ran = pontoon("check", GOLDEN, "--venues", tmp_path / "none.toml")
        assert ran.code == 2
        assert "no such file" in ran.err


class TestFormats:
    """A table for people, CSV for sheets, one object for machines."""

    @pytest.mark.parametrize(
        "form", ["", "--json", "--format csv", "--format jsonl", "--format sarif", "--format junit"]
    )
    def test_nothing_is_printed_where_no_input_is_there(self, tmp_path: Path, form: str) -> None:
        ran = pontoon("check", tmp_path / "none.jsonl", *form.split())
        assert (ran.code, ran.out) == (2, "")
        assert "no such file" in ran.err

    def test_csv_has_one_row_a_finding(self, tmp_path: Path) -> None:
        ran = pontoon("check", log_of(tmp_path, UNDERPAID, IN_ORDER, UNDERPAID), "--format", "csv")
        rows = list(csv.DictReader(ran.out.splitlines()))
        assert [(row["round_id"], row["code"], row["delta"]) for row in rows] == [
            ("R1", "settle.odds", "-10"),
            ("R3", "settle.odds", "-10"),
        ]

    def test_csv_never_starts_a_formula(self, tmp_path: Path) -> None:
        path = write_log(tmp_path / "log.jsonl", [play("act-2018", UNDERPAID)])
        path.write_bytes(path.read_bytes().replace(b'"a"', b'"=a"'))
        (row,) = csv.DictReader(pontoon("check", path, "--format", "csv").out.splitlines())
        assert row["wager"] == "'=a"

    def test_the_table_shows_the_gravest_first_and_no_control_characters(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, LEFT_BELOW_12, UNDERPAID)
        path.write_bytes(path.read_bytes().replace(b'"a"', b'"\\u001b[31m"'))
        ran = pontoon("check", path)
        assert "\x1b" not in ran.out
        assert "\\x1b[31m" in ran.out
        assert ran.out.index("settle.odds") < ran.out.index("draw.below-12")
        assert "Findings: 1 breach, 1 procedure" in ran.out
        assert "AUD: 0 overpaid to players, 10 underpaid." in ran.out

    def test_json_is_one_object_with_everything(self, tmp_path: Path) -> None:
        found = pontoon("check", log_of(tmp_path, UNDERPAID, IN_ORDER), "--json").object
        assert [each["round_id"] for each in found["rounds"]] == ["R1", "R2"]
        assert found["rejected"] == []
        assert found["summary"]["findings"]["breach"] == 1
        assert found["summary"]["money"] == {"AUD": {"overpaid": "0", "underpaid": "10"}}
        assert found["summary"]["lines"] == found["summary"]["rounds"] == 2

    def test_standard_input_is_read(self) -> None:
        ran = pontoon("check", "-", "--format", "jsonl", stdin=GOLDEN.read_bytes())
        assert ran.out == pontoon("check", GOLDEN, "--format", "jsonl").out

    def test_fields_outside_the_format_are_reported_once(self, tmp_path: Path) -> None:
        path = log_of(tmp_path, IN_ORDER, IN_ORDER)
        path.write_bytes(path.read_bytes().replace(b'{"format"', b'{"weather":"hot","format"'))
        ran = pontoon("check", path, "--format", "jsonl")
        assert ran.err.count("weather") == 1
        assert "weather (2)" in ran.err
