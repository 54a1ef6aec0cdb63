"""``book``: what is printed, where, the exit code, and which lines are rejected."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audit.ingest.books import BOOK_FORMAT
from audit.ingest.wire import Rejected
from tests.commands import GOLDEN, encoded, pontoon

SAMPLES = Path(__file__).parents[1] / "data_samples" / "books"
CLEAN = SAMPLES / "act-2018.jsonl"
FAULTS = SAMPLES / "faults.jsonl"
ROUNDS = SAMPLES / "rounds.jsonl"
LINES = {json.loads(line)["entry"]: line for line in CLEAN.read_bytes().splitlines()}
"""A line of the clean sample of each kind that it has."""


def book_of(folder: Path, kind: str, **changes: Any) -> Path:
    """A book of one entry of the clean sample, with some fields set."""
    path = folder / "book.jsonl"
    path.write_text(json.dumps(json.loads(LINES[kind]) | changes) + "\n", encoding="utf-8")
    return path


def closure(folder: Path, **changes: Any) -> Path:
    """A book of one closure without notice."""
    return book_of(folder, "closure", **({"notice_at": None} | changes))


class TestFormats:
    """A table for people, JSON Lines and CSV, one object for machines."""

    def test_json_lines_have_one_object_a_venue(self, tmp_path: Path) -> None:
        other = book_of(tmp_path, "closure", venue="skycity-adelaide", notice_at=None)
        ran = pontoon("book", CLEAN, other, "--rounds", ROUNDS, "--format", "jsonl")
        found = [json.loads(line) for line in ran.out.splitlines()]
        assert [each["venue"] for each in found] == ["casino-canberra", "skycity-adelaide"]
        assert [each["code"] for each in found[0]["findings"]] == ["book.late-entry"]
        assert "23 entries audited with 10 rounds" in ran.err

    def test_a_finding_as_it_is_printed(self, tmp_path: Path) -> None:
        found = json.loads(pontoon("book", closure(tmp_path), "--format", "jsonl").out)
        assert found["findings"] == [
            {
                "code": "book.closure",
                "severity": "procedure",
                "table": "P03",
                "entry_id": "CBR-B-0301-20",
                "expected": "notice before 2019-03-01T20:40:00+11:00",
                "recorded": "no notice",
                "clause": "act-2018 16.2",
            }
        ]

    def test_a_finding_on_a_table_names_its_gaming_date(self) -> None:
        found = json.loads(pontoon("book", FAULTS, "--rounds", ROUNDS, "--format", "jsonl").out)
        (hours,) = (each for each in found["findings"] if each["code"] == "book.hours")
        assert (hours["table"], hours["gaming_date"]) == ("P07", "2019-03-01")

    def test_what_could_not_be_checked_is_told_with_what_it_lacked(self, tmp_path: Path) -> None:
        ran = pontoon("book", book_of(tmp_path, "late_entry"), "--format", "jsonl")
        lacking = json.loads(ran.out)["not_evaluable"]
        assert {each["code"] for each in lacking} == {"book.late-entry-reach", "book.late-entry-stake"}
        assert lacking[0] == {
            "code": "book.late-entry-reach",
            "rulebook": "act-2018",
            "table": "P03",
            "entry_id": "CBR-B-0301-16",
            "lacks": "round 1 of P03-1",
        }
        assert "not evaluable for want of evidence: 2" in ran.err

    def test_without_rounds_nothing_that_needs_them_passes(self) -> None:
        summary = pontoon("book", CLEAN, "--json").object["summary"]
        with_rounds = pontoon("book", CLEAN, "--rounds", ROUNDS, "--json").object["summary"]
        assert with_rounds["checks"]["not_evaluable"] == 0
        assert summary["checks"]["not_evaluable"] > 0
        assert (summary["rounds"], with_rounds["rounds"]) == (0, 10)

    def test_csv_has_one_row_a_finding_and_never_starts_a_formula(self, tmp_path: Path) -> None:
        path = closure(tmp_path, table="=P03")
        (row,) = csv.DictReader(pontoon("book", path, "--format", "csv").out.splitlines())
        assert (row["venue"], row["rulebook"], row["code"]) == ("casino-canberra", "act-2018", "book.closure")
        assert row["table"] == "'=P03"

    def test_the_table_shows_the_gravest_first_and_no_control_characters(self, tmp_path: Path) -> None:
        path = book_of(tmp_path, "late_entry", player="\x1b[31m", round_no=1)
        path.write_bytes(path.read_bytes() + FAULTS.read_bytes().replace(b"CBR-B-0301-16", b"another"))
        ran = pontoon("book", path, "--rounds", ROUNDS)
        assert "\x1b" not in ran.out
        assert ran.out.index("breach") < ran.out.index("procedure") < ran.out.index("notice")
        assert "Findings: 7 breach" in ran.out

    def test_json_is_one_object_with_everything(self) -> None:
        found = pontoon("book", FAULTS, "--rounds", ROUNDS, "--json").object
        assert found["summary"]["entries"] == found["summary"]["lines"] == 20
        assert found["rejected"] == []
        assert len(found["books"]) == 1
        assert found["summary"]["complete"] is True

    def test_standard_input_and_compressed_files_are_read(self, tmp_path: Path) -> None:
        packed = tmp_path / "book.jsonl.gz"
        packed.write_bytes(gzip.compress(FAULTS.read_bytes()))
        wanted = pontoon("book", FAULTS, "--format", "jsonl").out
        assert pontoon("book", packed, "--format", "jsonl").out == wanted
        assert pontoon("book", "-", "--format", "jsonl", stdin=FAULTS.read_bytes()).out == wanted

    def test_the_same_book_in_another_order_gives_the_same(self, tmp_path: Path) -> None:
        path = tmp_path / "book.jsonl"
        path.write_bytes(b"\n".join(FAULTS.read_bytes().splitlines()[::-1]) + b"\n")
        told = [
            json.loads(pontoon("book", each, "--rounds", ROUNDS, "--format", "jsonl").out)["findings"]
            for each in (FAULTS, path)
        ]
        assert sorted(map(json.dumps, told[0])) == sorted(map(json.dumps, told[1]))

    def test_fields_outside_the_format_are_told_with_their_number(self, tmp_path: Path) -> None:
        seats = [{"box": 1, "player": "ann", "colour": "red"}, {"box": 2, "player": "cay", "colour": "blue"}]
        path = book_of(tmp_path, "cut", weather="hot", seats=seats)
        ran = pontoon("book", path, "--format", "jsonl")
        assert ran.code == 0
        assert "seats[].colour (1), weather (1)" in ran.err


class TestRounds:
    """Where the rounds are: files, or a lake; those of other venues are passed over."""

    def test_a_lake_gives_the_same_as_the_files(self, tmp_path: Path) -> None:
        assert pontoon("ingest", ROUNDS, "--lake", tmp_path / "lake").code == 0
        of_lake = pontoon("book", FAULTS, "--lake", tmp_path / "lake", "--format", "jsonl")
        of_files = pontoon("book", FAULTS, "--rounds", ROUNDS, "--format", "jsonl")
        assert (of_lake.code, of_lake.out) == (of_files.code, of_files.out)

    def test_a_lake_gives_the_days_that_the_book_is_about(self, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        later = tmp_path / "later.jsonl"
        later.write_bytes(ROUNDS.read_bytes().replace(b"0301", b"0401").replace(b"2019-03-", b"2019-04-"))
        assert pontoon("ingest", ROUNDS, later, "--lake", lake).code == 0
        assert pontoon("book", CLEAN, "--lake", lake, "--json").object["summary"]["rounds"] == 10
        approval = book_of(tmp_path, "approval")
        assert pontoon("book", approval, "--lake", lake, "--json").object["summary"]["rounds"] == 20

    def test_both_at_once_is_2(self, tmp_path: Path) -> None:
        ran = pontoon("book", CLEAN, "--rounds", ROUNDS, "--lake", tmp_path)
        assert (ran.code, ran.out) == (2, "")
        assert "either --rounds FILE or --lake DIR" in ran.err

    def test_a_lake_that_is_none_is_2(self, tmp_path: Path) -> None:
        assert pontoon("book", CLEAN, "--lake", tmp_path / "absent").code == 2

    def test_a_lake_with_nothing_of_the_venue_is_2(self, tmp_path: Path) -> None:
        assert pontoon("ingest", ROUNDS, "--lake", tmp_path / "lake").code == 0
        book = book_of(tmp_path, "closure", venue="skycity-adelaide")
        assert pontoon("book", book, "--lake", tmp_path / "lake").code == 2

    def test_a_damaged_partition_is_3(self, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        assert pontoon("ingest", ROUNDS, "--lake", lake).code == 0
        (part,) = (lake / "rounds").glob("*/*/*.parquet")
        part.chmod(0o644)
        part.write_bytes(part.read_bytes() + b"x")
        ran = pontoon("book", CLEAN, "--lake", lake, "--json")
        assert ran.code == 3
        assert ran.object["summary"]["rounds_rejected"]["partition"] == 1
        assert "casino-canberra 2019-03-01" in ran.err

    def test_rounds_of_other_venues_are_passed_over(self) -> None:
        found = pontoon("book", CLEAN, "--rounds", ROUNDS, "--rounds", GOLDEN, "--json").object
        canberra = sum(b'"casino-canberra"' in line for line in GOLDEN.read_bytes().splitlines())
        assert found["summary"]["rounds"] == 10 + canberra

    def test_a_rejected_round_is_3(self, tmp_path: Path) -> None:
        bad = tmp_path / "rounds.jsonl"
        bad.write_bytes(ROUNDS.read_bytes() + b"{}\n")
        ran = pontoon("book", CLEAN, "--rounds", bad, "--json")
        assert ran.code == 3
        assert ran.object["summary"]["rounds_rejected"] == {"line": 1, "file": 0, "partition": 0}
        assert ran.object["rejected"] == ["rounds.jsonl:11: format: missing; the format requires it"]

    def test_no_rounds_in_the_files_named_is_2(self, tmp_path: Path) -> None:
        assert pontoon("book", CLEAN, "--rounds", tmp_path / "absent.jsonl").code == 2


class TestExitCode:
    """0 in order, 1 at or above ``--fail-on``, 2 for a wrong command, 3 incomplete; 3 wins."""

    @pytest.mark.parametrize(
        ("path", "fail_on", "code"),
        [(CLEAN, "procedure", 0), (CLEAN, "notice", 1), (FAULTS, "breach", 1), (FAULTS, "never", 0)],
    )
    def test_by_severity(self, path: Path, fail_on: str, code: int) -> None:
        assert pontoon("book", path, "--rounds", ROUNDS, "--fail-on", fail_on).code == code

    def test_a_rejected_line_is_one_line_and_3_although_there_is_a_breach(self, tmp_path: Path) -> None:
        path = tmp_path / "book.jsonl"
        path.write_bytes(FAULTS.read_bytes() + b'{"format": \n\n')
        ran = pontoon("book", path, "--rounds", ROUNDS, "--format", "jsonl")
        assert ran.code == 3
        told = [line for line in ran.err.splitlines() if line.startswith("book.jsonl:")]
        assert len(told) == 2
        assert told[0].startswith("book.jsonl:21: not JSON")
        assert told[1] == "book.jsonl:22: blank line; expected one entry as a JSON object"

    def test_no_input_at_all_is_2(self, tmp_path: Path) -> None:
        ran = pontoon("book", tmp_path / "absent.jsonl")
        assert (ran.code, ran.out) == (2, "")
        assert "absent.jsonl" in ran.err

    def test_an_absent_file_beside_a_present_one_is_3(self, tmp_path: Path) -> None:
        assert pontoon("book", CLEAN, tmp_path / "absent.jsonl").code == 3

    def test_a_csv_pair_is_told_that_it_holds_rounds(self, tmp_path: Path) -> None:
        for name in ("rounds.csv", "events.csv"):
            (tmp_path / name).write_text("round_id,seq,e\n", encoding="utf-8")
        ran = pontoon("book", tmp_path / "rounds.csv")
        assert ran.code == 3
        assert "expected entries of a house book as JSON Lines" in ran.err

    def test_a_round_log_is_rejected_line_by_line(self) -> None:
        ran = pontoon("book", ROUNDS, "--format", "jsonl")
        assert (ran.code, ran.out) == (3, "")
        told = "format: unknown format 'pontoon-round/1'; expected pontoon-book/1"
        assert ran.err.count(told) == 10

    def test_a_round_log_in_the_folder_of_a_book_is_told_as_one(self) -> None:
        ran = pontoon("book", ROUNDS.parent, "--format", "jsonl")
        assert ran.code == 3
        told = "format: unknown format 'pontoon-round/1'; expected pontoon-book/1"
        assert f"{ROUNDS.name}:1: {told}" in ran.err

    def test_the_same_again_is_a_duplicate_and_other_content_is_rejected(self, tmp_path: Path) -> None:
        line = LINES["closure"]
        path = tmp_path / "book.jsonl"
        path.write_bytes(line + b"\n" + line.replace(b"20:40:00+11:00", b"09:40:00Z") + b"\n")
        twice = pontoon("book", path, "--json")
        assert (twice.code, twice.object["summary"]["duplicates"]) == (0, 1)
        path.write_bytes(line + b"\n" + line.replace(b"20:40:00", b"20:41:00") + b"\n")
        other = pontoon("book", path, "--json")
        assert other.code == 3
        assert "entry_id: entry CBR-B-0301-20 came before with other content, from" in other.err

    def test_another_register_resolves_another_rulebook(self, tmp_path: Path) -> None:
        register = tmp_path / "venues.toml"
        register.write_text(
            '[[venue]]\nid = "casino-canberra"\nzone = "Australia/Sydney"\ncurrency = "AUD"\n'
            'day_start = "06:00"\n[[venue.window]]\nrulebook = "adelaide-2008"\n'
            'since = 2000-01-01T00:00:00+11:00\nnote = "for a test"\n',
            encoding="utf-8",
        )
        ran = pontoon("book", closure(tmp_path), "--venues", register, "--format", "csv")
        (row,) = csv.DictReader(ran.out.splitlines())
        assert row["clause"] == "adelaide-2008 121"


class TestRejectedLines:
    """A line that cannot be read is told in one line: which field, what was found, what was expected."""

    @pytest.mark.parametrize(
        ("kind", "changes", "told"),
        [
            ("closure", {"entry": "party"}, "entry: unknown entry 'party'; expected one of book, hours"),
            ("closure", {"format": "pontoon-round/1"}, "format: unknown format 'pontoon-round/1'"),
            ("closure", {"entry_id": "a b"}, "entry_id: expected 1 to 64 of the characters"),
            ("closure", {"at": "2019-03-01T20:40:00"}, "at: expected a date and time with its offset"),
            ("closure", {"at": None}, "at: expected a date and time with its offset"),
            ("closure", {"notice_at": "soon"}, "notice_at: expected a date and time with its offset"),
            ("closure", {"last_rounds": 3}, "last_rounds: expected true or false, got 3"),
            ("book", {"keeps": ["cut", "cats"]}, "keeps[1]: unknown keeps 'cats'; expected one of hours"),
            ("book", {"until": "2019-03-01T06:00:00+11:00"}, "until: expected an instant after since"),
            ("approval", {"until": "2018-11-05T09:00:00+11:00"}, "until: expected an instant after at"),
            ("approval", {"of": "pandemonium"}, "of: unknown of 'pandemonium'; expected one of table"),
            ("restriction", {"until": "2019-03-01T18:00:00+11:00"}, "until: expected an instant after at"),
            ("restriction", {"procedures": "maybe"}, "procedures: unknown procedures 'maybe'"),
            ("hours", {"first_day": "March"}, "first_day: expected a date such as 2019-03-01, got 'March'"),
            ("hours", {"first_day": 3}, "first_day: expected a date such as 2019-03-01, got 3"),
            ("hours", {"last_day": "2018-12-31"}, "last_day: expected a day not before first_day"),
            (
                "hours",
                {"week": [{"days": ["mon"], "opens": "9:00", "closes": "04:00"}]},
                "week[0].opens: expected a time of day such as 11:30, got '9:00'",
            ),
            (
                "hours",
                {"week": [{"days": ["monday"], "opens": "09:00", "closes": "04:00"}]},
                "week[0].days[0]: unknown days 'monday'; expected one of mon, tue",
            ),
            ("card_check", {"when": "noon"}, "when: unknown when 'noon'; expected one of opening, closing"),
            ("card_check", {"by": [{"name": "D1"}]}, "by[0].post: missing; the format requires it"),
            ("card_check", {"by": [{"name": "D1", "post": "cook"}]}, "by[0].post: unknown post 'cook'"),
            ("card_change", {"cards": "few"}, "cards: unknown cards 'few'; expected one of all, some"),
            ("cut", {"ground": "habit"}, "ground: unknown ground 'habit'; expected one of start"),
            (
                "cut",
                {"seats": [{"box": 1, "player": "a"}, {"box": 1, "player": "b"}]},
                "seats: 2 players sit at box 1; expected one",
            ),
            (
                "fault",
                {"seats": [{"box": 0, "player": "a"}]},
                "seats[0].box: expected a whole number of at least 1, got 0",
            ),
            ("fault", {"finished_from": "hand"}, "finished_from: unknown finished_from 'hand'"),
            ("seating", {"last_round": 0}, "last_round: expected a whole number of at least 1, got 0"),
            (
                "seating",
                {"first_round": 4, "last_round": 3},
                "last_round: expected a number of at least first",
            ),
            ("loading", {"why": "boredom"}, "why: unknown why 'boredom'; expected one of new_cards, jam"),
            ("late_entry", {"round_no": "4"}, "round_no: expected a whole number, got '4'"),
            ("voiding", {"ground": "whim"}, "ground: unknown ground 'whim'"),
        ],
    )
    def test_is_told_which_field_and_what(self, kind: str, changes: dict[str, Any], told: str) -> None:
        line = json.dumps(json.loads(LINES[kind]) | changes).encode()
        with pytest.raises(Rejected) as caught:
            BOOK_FORMAT.decode(line)
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("kind", sorted(LINES))
    def test_every_required_field_is_asked_for(self, kind: str) -> None:
        plain = json.loads(LINES[kind])
        entry = BOOK_FORMAT.decode(LINES[kind]).item
        required = [each.name for each in msgspec.structs.fields(type(entry)) if each.required]
        for name in ("entry", *required):
            with pytest.raises(Rejected) as caught:
                BOOK_FORMAT.decode(json.dumps({k: v for k, v in plain.items() if k != name}).encode())
            assert str(caught.value) == f"{name}: missing; the format requires it"

    def test_a_key_that_stands_twice(self) -> None:
        line = LINES["closure"].replace(b'"table": "P03"', b'"table": "P03", "table": "P03"')
        with pytest.raises(Rejected, match="table: the key stands twice"):
            BOOK_FORMAT.decode(line)

    @pytest.mark.parametrize("line", [b"", b"\0", b"\xff", b"[1]", b"7", b"{" * 100_000, b'{"a":' * 100_000])
    def test_anything_else_is_rejected_as_well(self, line: bytes) -> None:
        with pytest.raises(Rejected):
            BOOK_FORMAT.decode(line)

    @pytest.mark.parametrize("kind", sorted(LINES))
    def test_an_entry_written_again_is_the_same(self, kind: str) -> None:
        item = BOOK_FORMAT.decode(LINES[kind]).item
        assert BOOK_FORMAT.decode(encoded(item)).item == item

    def test_no_notice_and_no_record_of_one_are_told_apart(self) -> None:
        plain = json.loads(LINES["closure"])
        none = BOOK_FORMAT.decode(json.dumps(plain | {"notice_at": None}).encode()).item
        del plain["notice_at"]
        unset = BOOK_FORMAT.decode(json.dumps(plain).encode()).item
        assert none != unset
        assert b"notice_at" not in encoded(unset)
        assert b'"notice_at":null' in encoded(none)
