"""Recorded rounds settled as played under another rulebook or reading."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from rules_replay import counterfactual as module
from rules_replay.counterfactual import (
    Comparisons,
    Counterfactual,
    LineDue,
    RoundComparison,
    compare,
)
from rules_replay.errors import ReplayFailed, RulebookError
from rules_replay.log import amount_text
from rules_replay.results import Money
from rules_replay.venues import load_register
from tests.commands import BROKEN, Ran, copied, night, pontoon, write_log
from tests.rounds import book, play

PAIR = "a 20@1 | x 5@1 perfect_pairs by P1 | 1:8S 0:9D 1:8H | stand 1 | 0:8C"
DOUBLED_14 = "a 20@1 | 1:8S 0:9D 1:6H | double 1 with d 20 on a | 1:5C | 0:8C"
FIVE_CARDS_19 = "a 20@1 | 1:2S 0:9D 1:3H | 1:4C | 1:5D | 1:5C | stand 1 | 0:9C"
SPLIT_AGAINST_PONTOON = (
    "a 20@1 | 1:8S 0:KD 1:8H | split 1 with s 20 on a | 1:KC | stand 1 | 1.2:QC | stand 1.2 | 0:AC"
)
INSURED_LATE = (
    "a 20@1 | b 20@2 | 1:KC 2:KD 0:AS 1:2C 2:7D | 1:7C | stand 1 | irregularity option_not_offered 2 "
    "| i 10 insures b | stand 2 | 0:8C"
)
PLAIN = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C"
UNREADABLE = "a 20@1 | 1:KS 0:9D 1:?? | stand 1 | 0:8C"
SEVENS = "a 24@1 | b 10@2 | 1:7H 2:KS 0:7C 1:7H 2:9S | 1:7H | stand 2 | 0:KC"


def compared(rulebook: str, other: str, text: str, **readings: str) -> RoundComparison:
    return compare(play(rulebook, text), book(rulebook), book(other, **readings))


def differences(found: RoundComparison) -> dict[str, str]:
    """The lines that change: ``{"x": "5"}``, a bonus line as ``a/super_bonus``."""
    return {
        line.wager if line.line == "stake" else f"{line.wager}/{line.line}": amount_text(line.difference or 0)
        for line in found.changed
    }


def log_of(folder: Path, *texts: str, rulebook: str = "act-2018") -> Path:
    rounds = (play(rulebook, text, round_id=f"R{n}", round_no=n) for n, text in enumerate(texts, 1))
    return write_log(folder / "log.jsonl", rounds)


class TestCompare:
    """Decisions stay as recorded; only what is due changes."""

    def test_other_odds_change_the_wager_and_nothing_else(self) -> None:
        found = compared("act-2018", "adelaide-2008", PAIR)
        assert differences(found) == {"x": "-5"}
        (line,) = found.changed
        assert (line.in_force, line.under) == (
            Money(result="win", paid=30000),
            Money(result="win", paid=25000),
        )
        assert line.clause_in_force.startswith("act-2018 18.12")
        assert line.clause_under.startswith("adelaide-2008 99")

    def test_the_same_rulebook_changes_nothing(self) -> None:
        found = compared("act-2018", "act-2018", SPLIT_AGAINST_PONTOON)
        assert (found.changed, found.not_fixed, found.barred, found.notable) == ((), (), (), False)

    def test_another_outcome_of_a_split_against_the_dealers_pontoon(self) -> None:
        found = compared("act-2018", "adelaide-2008", SPLIT_AGAINST_PONTOON)
        assert differences(found) == {"s": "-20"}

    def test_a_reading_alone(self) -> None:
        found = compare(
            play("adelaide-2008", FIVE_CARDS_19),
            book("adelaide-2008"),
            book("adelaide-2008", card_count_rows="total_21"),
        )
        assert differences(found) == {"a": "-10"}

    def test_an_option_that_the_other_bars_is_named_and_the_wager_still_settled_as_played(self) -> None:
        found = compared("act-2018", "adelaide-2008", DOUBLED_14)
        assert [each.code for each in found.barred] == ["double.hand"]
        assert found.barred[0].clause == "adelaide-2008 62"
        assert differences(found) == {}
        assert all(line.barred for line in found.lines)
        assert found.notable

    def test_what_both_object_to_is_no_difference(self) -> None:
        late = "1:KS 0:9D 1:QH | a 20@1"
        found = compared("act-2018", "act-2005", f"b 20@2 | {late} | 2:8H | stand 2 | 0:8C")
        assert found.barred == ()

    def test_when_the_dealer_settled_is_no_option_of_the_player(self) -> None:
        pontoon_unpaid = "a 20@1 | x 5@1 perfect_pairs by P1 | 1:AS 0:9D 1:KH | 0:8C | x loses 5"
        assert compared("nz-2000", "act-2018", pontoon_unpaid).barred == ()

    def test_a_side_wager_that_the_other_does_not_have_goes_back(self) -> None:
        found = compared("act-2018", "nz-2000", PAIR)
        assert differences(found) == {"x": "-30"}
        assert [each.code for each in found.barred] == ["side-bet.not-offered"]

    def test_bonus_lines(self) -> None:
        found = compared("nz-2000", "adelaide-2008", SEVENS)
        assert differences(found) == {"a/super_bonus": "-1000", "b/bonus": "-50"}
        assert differences(compared("nz-2000", "act-2018", SEVENS)) == {}

    def test_what_neither_can_fix_is_no_money(self) -> None:
        found = compared("act-2018", "adelaide-2008", UNREADABLE)
        (line,) = found.not_fixed
        assert (line.difference, found.changed, found.notable) == (None, (), False)

    def test_a_line_that_only_the_other_cannot_fix_is_told(self) -> None:
        short = "a 20@1 | 1:5S 0:9D 1:4H | irregularity short_hand 1 | 0:8C"
        found = compared("act-2018", "adelaide-2008", short)
        (line,) = found.not_fixed
        assert (line.in_force is None, line.under) == (False, None)
        assert found.notable


class TestCounterfactual:
    """The rulebook in force comes from the register, the other one from whoever asks."""

    def test_under_none_the_rulebook_stays_and_the_reading_changes(self) -> None:
        other = Counterfactual(load_register(), None, {"card_count_rows": "total_21"})
        found = other.compare(play("adelaide-2008", FIVE_CARDS_19))
        assert found is not None
        assert (found.in_force, found.under) == ("adelaide-2008", "adelaide-2008")
        assert differences(found) == {"a": "-10"}

    def test_readings_answer_for_the_other_side_only(self) -> None:
        other = Counterfactual(load_register(), "adelaide-2008", {"card_count_rows": "total_21"})
        found = other.compare(play("adelaide-2008", FIVE_CARDS_19))
        assert found is not None
        assert found.changed[0].in_force == Money(result="win", paid=30000)

    def test_without_a_rulebook_in_force_there_is_nothing_to_compare(self) -> None:
        gap = play("act-2018", PLAIN, started_at="2018-01-05T20:00:00+11:00")
        assert Counterfactual(load_register(), "act-2018").compare(gap) is None

    def test_an_unknown_rulebook_or_reading(self) -> None:
        with pytest.raises(KeyError):
            Counterfactual(load_register(), "act-1999")
        with pytest.raises(RulebookError):
            Counterfactual(load_register(), "act-2005", {"no_such": "x"}).compare(play("act-2018", PLAIN))

    def test_a_round_that_cannot_be_settled_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> None:
            raise ZeroDivisionError("by nothing")

        monkeypatch.setattr(module, "play", broken)
        with pytest.raises(ReplayFailed, match="round round could not be replayed"):
            Counterfactual(load_register(), "act-2005").compare(play("act-2018", PLAIN))


class TestComparisons:
    """Totals: money of lines that both fix, and apart from it what is not fixed or not allowed."""

    def test_what_a_run_comes_to(self) -> None:
        totals = Comparisons()
        for text in (PAIR, DOUBLED_14, PLAIN, UNREADABLE):
            totals.add(compared("act-2018", "adelaide-2008", text))
        totals.add(None)
        assert (totals.rounds, totals.without_rulebook, totals.changed_rounds) == (5, 1, 1)
        assert (totals.lines, totals.changed_lines) == (6, 1)
        assert totals.not_fixed == {"both": 1}
        assert totals.barred == {"double.hand": 1}
        due = totals.money["AUD"]
        assert (due.difference, due.under - due.in_force, due.on_barred) == (-5000, -5000, 0)

    def test_the_difference_on_boxes_with_a_barred_option_is_told_apart(self) -> None:
        totals = Comparisons()
        totals.add(compared("act-2018", "nz-2000", PAIR))
        assert totals.money["AUD"].on_barred == -30000

    @pytest.mark.parametrize(
        ("in_force", "under", "word"),
        [(None, Money(result="win"), "in force"), (Money(result="win"), None, "under"), (None, None, "both")],
    )
    def test_who_cannot_fix_a_line(self, in_force: Money | None, under: Money | None, word: str) -> None:
        line = LineDue(
            wager="a", line="stake", kind="main", player="P", box=1, hand=1, stake=1, in_force=in_force,
            under=under, clause_in_force="", clause_under="", reason="", barred=False,
        )  # fmt: skip
        totals = Comparisons()
        totals.add(
            RoundComparison(
                round_id="r", venue="v", currency="AUD", in_force="x", under="y", lines=(line,), barred=()
            )
        )
        assert totals.not_fixed == {word: 1}


def objects(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


class TestTheCommandOnFiles:
    """What is printed, where, and the exit code."""

    def test_jsonl_lists_rounds_with_something_to_tell(self, tmp_path: Path) -> None:
        log = log_of(tmp_path, PAIR, PLAIN, DOUBLED_14)
        ran = pontoon("counterfactual", log, "--under", "adelaide-2008", "--format", "jsonl")
        pair, doubled = objects(ran)
        assert (ran.code, pair["round_id"], doubled["round_id"]) == (0, "R1", "R3")
        assert (pair["currency"], pair["difference"]) == ("AUD", "-5")
        (line,) = pair["changed"]
        assert (line["due_in_force"], line["due_under"], line["difference"]) == ("30", "25", "-5")
        assert doubled["not_allowed"][0]["clause_under"] == "adelaide-2008 62"
        assert "3 rounds, 1 changed" in ran.err

    def test_json_is_one_object_with_a_summary(self, tmp_path: Path) -> None:
        log = log_of(tmp_path, PAIR, PLAIN, DOUBLED_14)
        found = pontoon("counterfactual", log, "--under", "adelaide-2008", "--json").object
        assert [each["round_id"] for each in found["rounds"]] == ["R1", "R3"]
        summary = found["summary"]
        assert (summary["complete"], summary["rounds"], summary["rounds_changed"]) == (True, 3, 1)
        assert summary["not_allowed"] == {"double.hand": 1}
        assert summary["money"]["AUD"]["difference"] == "-5"

    def test_csv_has_one_row_a_line_or_option(self, tmp_path: Path) -> None:
        log = log_of(tmp_path, PAIR, DOUBLED_14)
        ran = pontoon("counterfactual", log, "--under", "adelaide-2008", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        assert [(row["what"], row["round_id"], row["difference"]) for row in rows] == [
            ("changed", "R1", "-5"),
            ("not allowed", "R2", ""),
        ]

    def test_for_people(self, tmp_path: Path) -> None:
        ran = pontoon("counterfactual", log_of(tmp_path, PAIR, DOUBLED_14), "--under", "adelaide-2008")
        assert ran.code == 0
        assert "not allowed" in ran.out
        assert "not allowed under the other: double.hand (1)." in ran.out
        assert "a difference of -5." in ran.out

    def test_nothing_changed_has_no_table(self, tmp_path: Path) -> None:
        ran = pontoon("counterfactual", log_of(tmp_path, PLAIN), "--under", "act-2005")
        assert (ran.code, "due under" in ran.out) == (0, False)
        assert "1 round, 0 changed" in ran.out

    def test_a_reading_without_another_rulebook(self, tmp_path: Path) -> None:
        log = log_of(tmp_path, FIVE_CARDS_19, rulebook="adelaide-2008")
        ran = pontoon("counterfactual", log, "--reading", "card_count_rows=total_21", "--format", "jsonl")
        (found,) = objects(ran)
        assert (found["rulebook"], found["under"], found["difference"]) == (
            "adelaide-2008",
            "adelaide-2008",
            "-10",
        )

    def test_a_whole_night_adds_up(self) -> None:
        ran = pontoon("counterfactual", night("act-2018"), "--under", "nz-2000", "--json")
        rounds, summary = ran.object["rounds"], ran.object["summary"]
        assert ran.code == 0
        told = sum(Decimal(each["difference"]) for each in rounds)
        assert told == Decimal(summary["money"]["AUD"]["difference"])
        assert sum(len(each["changed"]) for each in rounds) == summary["lines_changed"] > 0
        assert sum(len(each["not_fixed"]) for each in rounds) == summary["lines_not_fixed"]["under"]

    def test_the_same_input_gives_the_same_bytes(self) -> None:
        once, again = (
            pontoon("counterfactual", night("rws-2017"), "--under", "act-2005", "--format", "csv").out
            for _ in range(2)
        )
        assert once == again

    def test_a_duplicate_counts_once_and_a_conflict_is_3(self, tmp_path: Path) -> None:
        rounds = [play("act-2018", text, round_id="R1") for text in (PAIR, PAIR, PLAIN)]
        ran = pontoon("counterfactual", write_log(tmp_path / "log.jsonl", rounds), "--under", "act-2005")
        assert ran.code == 3
        assert "1 duplicate left out." in ran.out
        assert "came before with other content" in ran.err

    def test_a_round_without_a_rulebook_is_counted(self, tmp_path: Path) -> None:
        gap = play("act-2018", PLAIN, started_at="2018-01-05T20:00:00+11:00")
        ran = pontoon("counterfactual", write_log(tmp_path / "log.jsonl", [gap]), "--under", "act-2018")
        assert (ran.code, "No rulebook was in force for 1 of the rounds" in ran.out) == (0, True)

    def test_lines_refused_are_3(self) -> None:
        ran = pontoon("counterfactual", BROKEN, "--under", "act-2005")
        assert ran.code == 3
        assert ran.err

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["log"], "name a rulebook with --under, or a --reading"),
            (["log", "--under", "act-1999"], "held are nz-2000"),
            (["log", "--under", "act-2005", "--reading", "forfeit_limit=22"], "expected one of 21, 20"),
            (["log", "--under", "act-2005", "--date", "2019-03-01"], "choose rounds of a lake"),
            (["--under", "act-2005"], "either FILE... or --lake DIR"),
            (["no-such-file", "--under", "act-2005"], "no-such-file"),
        ],
    )
    def test_wrong_words_are_2(self, tmp_path: Path, arguments: list[str], says: str) -> None:
        log = log_of(tmp_path, PLAIN)
        ran = pontoon("counterfactual", *(log if each == "log" else each for each in arguments))
        assert (ran.code, ran.out) == (2, "")
        assert says in ran.err

    @pytest.mark.parametrize(("extra", "objections"), [("", 1), (',"unrecorded":["wager_times"]}', 0)])
    def test_an_option_that_only_an_unrecorded_fact_would_bar_is_not_objected_to(
        self, tmp_path: Path, extra: str, objections: int
    ) -> None:
        """Late insurance, of a vendor that does not record when wagers were placed."""
        log = log_of(tmp_path, INSURED_LATE, rulebook="nz-2000")
        log.write_text(log.read_text(encoding="utf-8").removesuffix("}\n") + (extra or "}") + "\n")
        lake = tmp_path / "lake"
        assert pontoon("ingest", log, "--lake", lake).code == 0
        for place in ((log,), ("--lake", lake)):
            found = pontoon("counterfactual", *place, "--under", "act-2018", "--json").object
            assert found["summary"]["not_allowed"] == ({"insurance.late": objections} if objections else {})
            assert found["summary"]["rounds"] == 1

    def test_it_has_help(self) -> None:
        ran = pontoon("counterfactual", "--help")
        assert (ran.code, "--under" in ran.out) == (0, True)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("counterfactual") / "lake"
    assert pontoon("ingest", night("act-2018"), night("nz-2000"), "--lake", folder).code == 0
    return folder


class TestTheCommandOnALake:
    """The same, of rounds stored before."""

    def test_it_finds_what_the_file_gave(self, lake: Path) -> None:
        told = {
            where: pontoon("counterfactual", *source, "--under", "act-2005", "--json").object["summary"]
            for where, source in {
                "file": (night("act-2018"),),
                "lake": ("--lake", lake, "--venue", "casino-canberra"),
            }.items()
        }
        assert told["lake"] == told["file"]

    def test_without_a_choice_it_takes_everything(self, lake: Path) -> None:
        summary = pontoon("counterfactual", "--lake", lake, "--under", "act-2005", "--json").object["summary"]
        assert summary["money"].keys() == {"AUD", "NZD"}

    def test_nothing_under_the_choice_is_2(self, lake: Path) -> None:
        assert (
            pontoon("counterfactual", "--lake", lake, "--under", "act-2005", "--date", "1999-01-01").code == 2
        )

    def test_no_lake_is_2(self, tmp_path: Path) -> None:
        assert pontoon("counterfactual", "--lake", tmp_path / "none", "--under", "act-2005").code == 2

    def test_damaged_evidence_is_3_and_not_compared(self, lake: Path, tmp_path: Path) -> None:
        damaged = copied(lake, tmp_path / "lake")
        for path in damaged.glob("events/venue=casino-canberra/*/*.parquet"):
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        ran = pontoon("counterfactual", "--lake", damaged, "--under", "act-2005", "--json")
        assert ran.code == 3
        assert ran.object["summary"]["money"].keys() == {"NZD"}
        assert "casino-canberra" in ran.err
