"""Findings gathered into causes: the likelihood, the manner, the place, and what is left alone."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import comb, log10
from pathlib import Path

import polars as pl
import pytest

from audit.causes.likelihood import log_tail
from audit.causes.manner import settled, told
from audit.causes.words import points_to, sentence
from audit.layout import Partition
from audit.report import ReportFiles
from rules_replay.venues import load_register
from tests.test_report_lake import CANBERRA, LakeBuilder, report
from tests.test_report_sheets import sheet

REGISTER = load_register()


class TestLikelihood:
    """The tail of the binomial distribution, against the sum of whole numbers that it stands for."""

    @pytest.mark.parametrize(
        ("trials", "hits", "part", "whole"), [(5, 5, 1, 4), (12, 9, 3, 80), (40, 12, 1, 10), (300, 9, 1, 50)]
    )
    def test_it_is_the_exact_sum(self, trials: int, hits: int, part: int, whole: int) -> None:
        share = Fraction(part, whole)
        exact = sum(
            comb(trials, each) * share**each * (1 - share) ** (trials - each)
            for each in range(hits, trials + 1)
        )
        assert log_tail(trials, hits, part, whole) == pytest.approx(
            log10(exact.numerator) - log10(exact.denominator), abs=1e-9
        )

    def test_what_is_to_be_expected_is_certain_and_what_cannot_be_is_not(self) -> None:
        assert log_tail(10, 1, 1, 2) == 0.0
        assert log_tail(10, 0, 1, 2) == 0.0
        assert log_tail(10, 10, 4, 4) == 0.0
        assert log_tail(10, 1, 0, 4) == float("-inf")

    def test_hundreds_of_findings_do_not_vanish(self) -> None:
        assert log_tail(4000, 4000, 1, 50) == pytest.approx(-4000 * log10(50))


def of_settlement(
    *, due: tuple[str, str | None, str, str], was: tuple[str | None, str, str], placed: str = "20",
    stake: str = "20", kind: str = "main", line: str = "stake",
) -> str:  # fmt: skip
    result, odds, due_paid, due_taken = due
    recorded, paid, taken = was
    return settled(
        line=line,
        kind=kind,
        placed=Decimal(placed),
        stake=Decimal(stake),
        due=(result, odds, Decimal(due_paid), Decimal(due_taken)),
        was=(recorded, Decimal(paid), Decimal(taken)),
    ).words


class TestManner:
    """What was done instead of what was due, whatever the stakes and cards."""

    def test_of_a_settlement(self) -> None:
        assert (
            of_settlement(due=("win", "3:2", "30", "0"), was=("win", "20", "0")) == "a win at 3:2 paid at 1:1"
        )
        assert (
            of_settlement(due=("stand_off", None, "0", "0"), was=("win", "20", "0"))
            == "a stand-off paid as a win at 1:1"
        )
        assert of_settlement(due=("lose", None, "0", "20"), was=("lose", "0", "0")) == "a loss not collected"
        assert (
            of_settlement(due=("lose", None, "0", "20"), was=("lose", "0", "10"))
            == "a loss of which 1/2 of the stake was collected"
        )
        assert (
            of_settlement(due=("win", "2:1", "40", "0"), was=("lose", "0", "20"), kind="insurance")
            == "insurance: a win at 2:1 collected as a loss"
        )
        assert (
            of_settlement(due=("win", "1:1", "20", "0"), was=(None, "0", "0")) == "a win at 1:1 not settled"
        )
        assert (
            of_settlement(due=("win", None, "1000", "0"), was=("win", "5000", "0"), line="super_bonus")
            == "super bonus: 5000 paid where 1000 are due"
        )

    def test_a_wager_above_the_sign_that_counts_in_full_is_one_manner_whatever_was_due(self) -> None:
        words = "a wager above the maximum on the sign settled in full"
        for due, was in (
            (("win", "3:2", "15", "0"), ("win", "30", "0")),
            (("lose", None, "0", "10"), ("lose", "0", "20")),
        ):
            assert of_settlement(due=due, was=was, placed="20", stake="10") == words
        assert (
            of_settlement(due=("win", "3:2", "15", "0"), was=("win", "20", "0"), placed="20", stake="10")
            == "a win at 3:2 paid at 2:1"
        )

    def test_stakes_and_names_make_no_difference_and_totals_do(self) -> None:
        late = [
            told("wager.late", "placed before the first card", f"placed after it, at event {n}")
            for n in (5, 9)
        ]
        assert late[0] == late[1]
        soft, hard = (
            told("dealer.under-draw", "a card on hard 16 or less", f"stopped at {total}")
            for total in ("soft 17", "hard 16")
        )
        assert soft.key != hard.key
        assert soft.words == "the dealer stopped at soft 17"
        one, other = (told("wager.multiples", f"a multiple of {each}", "11") for each in (5, 10))
        assert one.key != other.key


TABLES = 6
A_TABLE = 120


class Night:
    """A night of six tables of four dealers each, with a stand-off on box 3 in every round."""

    def __init__(self, *days: Partition) -> None:
        self.lake = LakeBuilder()
        self.days = days or (CANBERRA,)
        self.places: list[tuple[Partition, str, str, str]] = []
        for day in self.days:
            assert day.gaming_date is not None
            for table in range(1, TABLES + 1):
                for number in range(A_TABLE):
                    name = f"{day.gaming_date:%d}-P{table:02d}-{number:03d}"
                    dealer = f"D{table}{number // 10 % 4}"
                    self._round(day, name, f"P{table:02d}", dealer, number)
                    self.places.append((day, name, f"P{table:02d}", dealer))

    def _round(self, day: Partition, name: str, table: str, dealer: str, number: int) -> None:
        at = f"{day.gaming_date}T{18 + number // 30:02d}:{number % 30 * 2:02d}:00+11:00"
        self.lake.round(day, name, at=at, table=table, dealer=dealer)
        row = self.lake.rows["settlements"][day][-1]
        row |= {
            "expected_result": "stand_off", "expected_paid": Decimal(0), "expected_taken": Decimal(0),
            "recorded_result": "stand_off", "recorded_paid": Decimal(0), "recorded_taken": Decimal(0),
            "clause": "act-2018 14.1(h)", "status": "fixed",
        }  # fmt: skip

    def paid(self, day: Partition, name: str, ordinal: int = 0) -> None:
        """The stand-off of a round is paid as a win."""
        row = next(each for each in self.lake.rows["settlements"][day] if each["round_id"] == name)
        row |= {"recorded_result": "win", "recorded_paid": Decimal(25)}
        self.lake.finding(
            day, name, "settle.outcome", "breach", "25", wager="a", box=3, hand=1, ordinal=ordinal,
            clause="act-2018 14.1(h)", fingerprint=f"f-{name}",
        )  # fmt: skip

    def report(self, tmp_path: Path) -> ReportFiles:
        return report(tmp_path, self.lake, *self.days)


def name(table: int, number: int, day: int = 1) -> str:
    return f"{day:02d}-P{table:02d}-{number:03d}"


@pytest.mark.slow
class TestPlace:
    """The narrowest place that explains the findings, and no place for what nothing explains."""

    def test_a_table_from_some_hour_on(self, tmp_path: Path) -> None:
        night = Night()
        for number in range(75, A_TABLE):
            night.paid(CANBERRA, name(2, number))
        found = night.report(tmp_path).found
        (cause,) = found.several
        assert found.single == ()
        assert (cause.place, cause.pattern, cause.rounds) == ((("table", "P02"),), "every", 45)
        counted = cause.opportunities
        assert counted is not None
        assert (counted.unit, counted.number, counted.rounds, counted.missed) == ("wager", 45, 45, 45)
        assert (counted.before, counted.after, counted.others) == (75, 0, 225)
        assert sentence(cause, REGISTER) == (
            "45 rounds, table P02, one cause: a stand-off paid as a win at 1:1, every such wager "
            "between 20:30 and 21:58; since the first no right one"
        )
        assert "more like a setting, a sign or a button" in points_to(cause)

    def test_a_dealer_now_and_then(self, tmp_path: Path) -> None:
        night = Night()
        of_dealer = [each for _, each, _, dealer in night.places if dealer == "D31"]
        for each in of_dealer[::4]:
            night.paid(CANBERRA, each)
        (cause,) = night.report(tmp_path).found.several
        assert (cause.place, cause.pattern) == ((("dealer", "D31"),), "some")
        assert cause.rounds == len(of_dealer[::4])
        assert sentence(cause, REGISTER).startswith("8 rounds, dealer D31 (table P03), one cause: ")
        assert "8 of 29 such wagers" in sentence(cause, REGISTER)
        assert "The log names who was dealing, not who was at fault." in points_to(cause)

    def test_two_dealers_at_two_tables_are_not_the_venue(self, tmp_path: Path) -> None:
        """One cause for each of them, though the house as a whole has too many for slips of hand."""
        night = Night()
        of_dealers = {"D21": 9, "D51": 8}
        for dealer, number in of_dealers.items():
            for each in [each for _, each, _, of in night.places if of == dealer][: number * 3 : 3]:
                night.paid(CANBERRA, each)
        found = night.report(tmp_path).found
        assert {each.place for each in found.several} == {(("dealer", dealer),) for dealer in of_dealers}
        assert found.single == ()

    def test_slips_all_over_the_house_stay_apart(self, tmp_path: Path) -> None:
        night = Night()
        for table in range(1, TABLES + 1):
            night.paid(CANBERRA, name(table, table * 17))
        found = night.report(tmp_path).found
        assert found.several == ()
        assert len(found.single) == TABLES
        assert {each.pattern for each in found.single} == {"single"}
        assert len({each.id for each in found.single}) == TABLES

    def test_a_slip_elsewhere_is_not_drawn_into_a_cause(self, tmp_path: Path) -> None:
        night = Night()
        for number in range(90, A_TABLE):
            night.paid(CANBERRA, name(2, number))
        night.paid(CANBERRA, name(5, 100))
        found = night.report(tmp_path).found
        assert [(each.place, each.rounds) for each in found.several] == [((("table", "P02"),), 30)]
        assert [each.round_ids for each in found.single] == [(name(5, 100),)]

    def test_every_table_is_the_venue(self, tmp_path: Path) -> None:
        night = Night()
        for table in range(1, TABLES + 1):
            for number in range(60, A_TABLE):
                night.paid(CANBERRA, name(table, number))
        (cause,) = night.report(tmp_path).found.several
        assert (cause.place, cause.pattern, cause.rounds) == ((), "every", 360)
        assert "all of casino-canberra (6 tables)" in sentence(cause, REGISTER)
        assert "software, or a rule printed otherwise" in points_to(cause)

    def test_where_nobody_else_dealt_the_table_is_named_and_not_the_dealer(self, tmp_path: Path) -> None:
        night = Night()
        for number in range(110, A_TABLE):
            night.paid(CANBERRA, name(4, number))
        (cause,) = night.report(tmp_path).found.several
        assert cause.dealers == ("D43",)
        assert cause.place == (("table", "P04"),)
        assert "nobody else to compare" in points_to(cause)

    def test_findings_of_one_round_are_one_slip(self, tmp_path: Path) -> None:
        night = Night()
        for ordinal in range(3):
            night.paid(CANBERRA, name(1, 8), ordinal)
        found = night.report(tmp_path).found
        assert found.several == ()
        assert [(each.rounds, each.findings) for each in found.single] == [(1, 3)]

    def test_the_next_night_comes_under_the_same_id(self, tmp_path: Path) -> None:
        ids = []
        for day in (1, 2):
            partition = Partition("casino-canberra", date(2019, 3, day))
            night = Night(partition)
            for number in range(80, A_TABLE):
                night.paid(partition, name(2, number, day))
            folder = tmp_path / str(day)
            folder.mkdir()
            ids += [each.id for each in night.report(folder).found.several]
        assert len(ids) == 2
        assert len(set(ids)) == 1

    def test_partitions_in_which_a_cause_begins_and_ends_are_counted_by_the_round(
        self, tmp_path: Path
    ) -> None:
        days = [Partition("casino-canberra", date(2019, 3, day)) for day in (1, 2, 3)]
        night = Night(*days)
        for day, since in zip(days, (90, 0, 0), strict=True):
            for number in range(since, A_TABLE if day != days[2] else 40):
                night.paid(day, name(2, number, days.index(day) + 1))
            night.paid(day, name(4, 7, days.index(day) + 1))
        (cause,) = night.report(tmp_path).found.several
        assert cause.opportunities is not None
        assert cause.rounds == cause.opportunities.rounds == 30 + A_TABLE + 40
        assert (cause.opportunities.before, cause.opportunities.after) == (90, A_TABLE - 40)
        # Of the five other tables the rounds from 21:00 of the first night to 19:18 of the last.
        assert cause.opportunities.others == 5 * (30 + A_TABLE + 40)

    @pytest.mark.parametrize("stored", [1, 0])
    def test_a_round_that_is_not_stored_is_a_cause_of_its_own(self, stored: int, tmp_path: Path) -> None:
        lake = LakeBuilder()
        for _ in range(stored):
            lake.round(CANBERRA, "R1")
        for round_id in ("gone-1", "gone-2"):
            lake.finding(CANBERRA, round_id, "settle.missing", "breach", "5", recorded="none")
        found = report(tmp_path, lake, CANBERRA).found
        assert found.several == ()
        assert len(found.single) == 2


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    night = Night()
    for number in range(90, A_TABLE):
        night.paid(CANBERRA, name(2, number))
    night.paid(CANBERRA, name(5, 100))
    return night.report(tmp_path_factory.mktemp("causes"))


class TestReport:
    """The causes in every file of the report, each naming the findings that it explains."""

    def test_the_page_leads_with_them(self, files: ReportFiles) -> None:
        page = files.html.read_text(encoding="utf-8")
        assert page.index('<section id="causes">') < page.index('<section id="totals">')
        assert "30 rounds, table P02, one cause: a stand-off paid as a win at 1:1" in page
        assert "1 cause has one finding or one round; nothing else" in page
        assert page.count(f'data-cause="{files.found.several[0].id}"') == 30
        assert page.count('data-cause="on its own"') == 1

    def test_tables_and_summary(self, files: ReportFiles) -> None:
        (cause,) = files.found.several
        rows = pl.read_csv(files.causes_csv, infer_schema=False)
        assert rows["cause"].to_list() == [cause.id, files.found.single[0].id]
        assert rows["rounds"].to_list() == ["30", "1"]
        assert rows["overpaid"].to_list() == ["750", "25"]
        exceptions = pl.read_csv(files.csv, infer_schema=False)
        assert exceptions.filter(pl.col("cause") == cause.id).height == 30
        stored = pl.read_parquet(files.causes)
        assert stored["fingerprints"].list.len().to_list() == [30, 1]
        assert stored["overpaid"].to_list() == [Decimal("750.000"), Decimal("25.000")]
        told_of = json.loads(files.json.read_text(encoding="utf-8"))["causes"]
        assert told_of["single"] == 1
        (first,) = told_of["several"]
        assert first["place"] == {"table": "P02"}
        assert first["money"] == {"AUD": {"overpaid": "750", "underpaid": "0"}}
        assert first["opportunities"]["number"] == 30

    def test_the_workbook_names_the_same_causes(self, files: ReportFiles) -> None:
        for title, table, number in (("Exceptions", files.csv, 31), ("Causes", files.causes_csv, 2)):
            named = [row["cause"].value for row in sheet(files, title)]
            assert len(named) == number
            assert named == pl.read_csv(table, infer_schema=False)["cause"].to_list()

    def test_the_same_findings_give_the_same_bytes(self, files: ReportFiles, tmp_path: Path) -> None:
        night = Night()
        night.paid(CANBERRA, name(5, 100))
        for number in reversed(range(90, A_TABLE)):
            night.paid(CANBERRA, name(2, number))
        again = night.report(tmp_path)
        for one, other in zip(files.paths, again.paths, strict=True):
            assert one.read_bytes() == other.read_bytes(), one.name
