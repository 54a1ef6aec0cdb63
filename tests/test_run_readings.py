"""What hangs on a reading: told by the run, its record, its report and the machine-readable totals."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from audit.commands.lakes import rebuild_report
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.readings import Answers, question_of
from audit.run import RunOutcome, run
from rules_replay.auditor import Auditor
from rules_replay.replay import Replay
from rules_replay.rulebook import load_rulebook
from rules_replay.venues import load_register
from tests.commands import pontoon, write_log
from tests.rounds import book, play, settled
from tests.test_readings import LATE_SURRENDER
from tests.test_report_lake import CANBERRA, LakeBuilder, report, summary
from tests.test_report_page import Page

pytestmark = pytest.mark.usefixtures("unvalidated")

FIVE_CARDS_EVEN = "a 20@1 | 1:2C 0:9H 1:3D | 1:4H 1:5S 1:5C | stand 1 | 0:9D | a wins 20"
PAID_SHORT = "a 20@1 | 1:KC 0:9H 1:9D | stand 1 | 0:8C | a wins 10"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def on_reading(rulebook: str, told: str, round_id: str, **head: Any) -> Any:
    return play(rulebook, told, round_id=round_id, shoe=round_id, **head)


def stored(folder: Path) -> Lake:
    """Two Adelaide rounds on one reading, on two days; one in Canberra; and a plain breach."""
    later = "2012-10-08T20:14:05+10:30"
    rounds = [
        on_reading("adelaide-2008", FIVE_CARDS_EVEN, "A1"),
        on_reading("adelaide-2008", FIVE_CARDS_EVEN, "A2", started_at=later),
        on_reading("adelaide-2008", PAID_SHORT, "A3", started_at=later),
        settled(
            on_reading("act-2018", LATE_SURRENDER, "C1"),
            book("act-2018", surrender_window="own_turn"),
        ),
    ]
    lake = Lake(folder / "lake")
    ingest([write_log(folder / "night.jsonl", rounds)], lake, load_law().register, at=AT)
    return lake


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> tuple[Lake, RunOutcome]:
    lake = stored(tmp_path_factory.mktemp("readings"))
    return lake, run(lake, load_law(), Choice(), jobs=1, at=AT)


FIVE_CARDS = {
    "venue": "skycity-adelaide",
    "rulebook": "adelaide-2008",
    "reading": "card_count_rows",
    "in_force": "any_winning_hand",
    "other": "total_21",
    "currency": "AUD",
    "overpaid": "0",
}


@pytest.mark.slow
class TestRun:
    """By venue, currency and reading: how many findings another reading removes, and their money."""

    def test_the_record_has_count_and_money_of_every_reading(self, audited: tuple[Lake, RunOutcome]) -> None:
        lake, outcome = audited
        (record,) = lake.records("runs")
        found = record["on_readings"]
        assert outcome.as_json()["on_readings"] == found
        (five,) = [each for each in found if each["venue"] == "skycity-adelaide"]
        assert five == {**FIVE_CARDS, "clause": five["clause"], "findings": 2, "underpaid": "20"}
        assert five["clause"] == load_rulebook("adelaide-2008").readings["card_count_rows"].clause
        assert {each["reading"] for each in found if each["venue"] == "casino-canberra"} == {
            "surrender_window"
        }
        assert sum(each["findings"] for each in found) == record["counts"]["findings"]["ambiguous"]

    def test_money_of_a_breach_is_not_among_it(self, audited: tuple[Lake, RunOutcome]) -> None:
        assert audited[1].record["money"] == {"AUD": {"overpaid": "0", "underpaid": "10"}}

    def test_the_command_tells_it_in_a_line(self, tmp_path: Path) -> None:
        ran = pontoon("run", "--lake", stored(tmp_path).root)
        clause = load_rulebook("adelaide-2008").readings["card_count_rows"].clause
        assert (
            "skycity-adelaide: 2 findings on the reading card_count_rows=any_winning_hand "
            f"(adelaide-2008 {clause}), in order under total_21: AUD 0 overpaid, 20 underpaid."
        ) in ran.out

    @pytest.mark.slow
    def test_under_the_other_reading_nothing_hangs_on_it(self, tmp_path: Path) -> None:
        law = load_law(None, ["card_count_rows=total_21", "surrender_window=own_turn"])
        outcome = run(stored(tmp_path), law, Choice(), jobs=1, at=AT)
        assert outcome.record["on_readings"] == []
        assert outcome.record["counts"]["findings"]["ambiguous"] == 0

    def test_tallies_of_two_partitions_add_up(self) -> None:
        tallies = []
        for number in (1, 2):
            replay = Replay(Auditor(load_register()))
            list(replay.batches([on_reading("adelaide-2008", FIVE_CARDS_EVEN, f"A{number}")]))
            tallies.append(replay.tally)
        tallies[0].add(tallies[1])
        (hanging,) = tallies[0].readings.values()
        assert (hanging.findings, hanging.money.overpaid, hanging.money.underpaid) == (2, 0, 20_000)


class TestReport:
    """The report has a section of its own: question, both answers, clause, reason and money by day."""

    def test_page_and_summary_tell_it_by_day(self, audited: tuple[Lake, RunOutcome]) -> None:
        folder = audited[0].root / "report"
        reading = load_rulebook("adelaide-2008").readings["card_count_rows"]
        found = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["on_readings"]
        adelaide = [each for each in found if each["venue"] == "skycity-adelaide"]
        assert [each["gaming_date"] for each in adelaide] == sorted(
            {each["gaming_date"] for each in adelaide}
        )
        assert len(adelaide) == 2
        for each in adelaide:
            assert FIVE_CARDS.items() <= each.items()
            assert (each["findings"], each["underpaid"]) == (1, "10")
            assert (each["question"], each["clause"], each["reason"]) == (
                reading.question,
                reading.clause,
                reading.reason,
            )
        text = Page(folder / "report.html").text
        assert "What hangs on a reading" in text
        for told in (
            reading.question,
            "card_count_rows=any_winning_hand",
            "card_count_rows=total_21",
            reading.reason,
        ):
            assert told in text

    @pytest.mark.slow
    def test_a_rebuilt_report_knows_the_readings_of_its_run(self, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        paid = on_reading("adelaide-2008", FIVE_CARDS_EVEN.replace("wins 20", "wins 30"), "A1")
        ingest([write_log(tmp_path / "night.jsonl", [paid])], lake, load_law().register, at=AT)
        run(lake, load_law(None, ["card_count_rows=total_21"]), Choice(), jobs=1, at=AT)
        again = rebuild_report(lake, load_law(), Choice(), tmp_path / "again")
        assert again.html.read_bytes() == (lake.root / "report" / "report.html").read_bytes()
        (found,) = summary(again)["on_readings"]
        assert (found["in_force"], found["other"], found["overpaid"]) == (
            "total_21",
            "any_winning_hand",
            "10",
        )

    def test_without_such_findings_it_says_so(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        files = report(tmp_path, lake, CANBERRA)
        assert summary(files)["on_readings"] == []
        assert "No finding hangs on how an ambiguous clause is read." in Page(files.html).text

    def test_a_reading_that_no_rulebook_knows_is_still_told(self, tmp_path: Path) -> None:
        lake = LakeBuilder()
        lake.round(CANBERRA, "R1")
        lake.finding(CANBERRA, "R1", "settle.odds", "ambiguous", "-5", depends_on="no_such=x", rulebook=None)
        files = report(tmp_path, lake, CANBERRA)
        (found,) = summary(files)["on_readings"]
        assert (found["reading"], found["in_force"], found["other"]) == ("no_such", "", "x")
        assert (found["overpaid"], found["underpaid"]) == ("0", "5")
        assert "no_such=not recorded" in Page(files.html).text


class TestQuestion:
    """The answer in force is the one the run went by; without a record of it, the default."""

    def test_without_a_record_it_is_the_default(self) -> None:
        found = question_of("forfeit_limit=20", "casino-canberra", "act-2018", ())
        assert (found.reading, found.in_force, found.other) == ("forfeit_limit", "21", "20")

    def test_two_answers_at_two_times_are_both_named(self) -> None:
        given = [
            Answers(venue="v", rulebook="act-2018", answers={"amounts": answer})
            for answer in ("exact", "chip_up", "chip_down")
        ]
        assert question_of("amounts=chip_down", "v", "act-2018", given).in_force == "chip_up or exact"

    def test_a_rulebook_that_is_not_held_leaves_the_question_blank(self) -> None:
        found = question_of("forfeit_limit=20", "v", "act-1999", ())
        assert (found.in_force, found.text, found.clause) == ("", "", "")
