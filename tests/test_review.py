"""Samples for the cameras: the bounds are exact and hold, the shares are fair, the worksheet is harmless."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb
from pathlib import Path
from random import Random

import openpyxl
import pytest
from scipy.stats import beta

from audit.errors import UsageProblem
from audit.review.bounds import Drawn, budget, most_errors, rate_text, upper_rate
from audit.review.conclude import confidence_of, only_draw
from audit.review.design import STRATA, Stratum, allocate
from audit.review.draw import Draw, Look
from audit.review.frame import Scope
from audit.review.worksheet import read_worksheet, write_worksheet

LEVEL = Fraction("0.95")


class TestOneStratum:
    """Clopper and Pearson, in whole numbers and rounded up."""

    @pytest.mark.parametrize(
        ("errors", "drawn"), [(0, 1), (0, 60), (0, 300), (1, 60), (7, 40), (39, 40), (250, 900)]
    )
    @pytest.mark.parametrize("level", ["0.9", "0.95", "0.999"])
    def test_it_is_the_quantile_of_the_beta_distribution_rounded_up(
        self, errors: int, drawn: int, level: str
    ) -> None:
        bound = upper_rate(errors, drawn, Fraction(level))
        quantile = float(beta.ppf(float(level), errors + 1, drawn - errors))
        assert 0 <= float(bound) - quantile < 1.000001e-6 + 1e-12

    def test_without_an_error_it_is_what_the_rule_of_three_comes_near(self) -> None:
        assert upper_rate(0, 300, LEVEL) == Fraction("0.009937")
        assert (1 - upper_rate(0, 300, LEVEL)) ** 300 <= 1 - LEVEL
        assert (1 - upper_rate(0, 300, LEVEL) + Fraction(1, 10**6)) ** 300 > 1 - LEVEL

    def test_nothing_drawn_or_nothing_right_says_nothing(self) -> None:
        assert upper_rate(0, 0, LEVEL) == 1
        assert upper_rate(5, 5, LEVEL) == 1

    def test_a_rate_is_never_rounded_down(self) -> None:
        assert rate_text(Fraction(1, 3)) == "0.333334"
        assert rate_text(Fraction(1, 10**7)) == "0.000001"
        assert rate_text(Fraction(0)) == "0.000000"
        assert rate_text(Fraction(1)) == "1.000000"


class TestAllStrata:
    """The bound of all strata together holds wherever the errors are."""

    def test_drawn_alike_it_is_that_of_one_stratum(self) -> None:
        parted = [Drawn(rounds=each, drawn=each // 10, errors=0) for each in (500, 1_500, 1_000)]
        assert most_errors(parted, LEVEL) == most_errors([Drawn(rounds=3_000, drawn=300, errors=0)], LEVEL)
        assert Fraction(most_errors(parted, LEVEL), 3_000) <= upper_rate(0, 300, LEVEL)

    def test_what_was_drawn_whole_is_known(self) -> None:
        whole = [Drawn(rounds=20, drawn=20, errors=3), Drawn(rounds=7, drawn=7, errors=0)]
        assert most_errors(whole, LEVEL) == 3

    def test_no_more_rounds_can_be_wrong_than_were_not_seen_right(self) -> None:
        assert most_errors([Drawn(rounds=10, drawn=1, errors=0)], LEVEL) == 9
        assert most_errors([Drawn(rounds=10, drawn=2, errors=2)], LEVEL) == 10

    def test_an_error_more_is_never_a_lower_bound(self) -> None:
        for place in range(3):
            found = []
            for errors in range(11):
                strata = [Drawn(rounds=400, drawn=30, errors=1), Drawn(rounds=90, drawn=20, errors=0)]
                strata.insert(place, Drawn(rounds=60, drawn=10, errors=errors))
                found.append(most_errors(strata, LEVEL))
            assert all(one < other for one, other in pairwise(found))

    def test_the_binomial_has_the_heavier_tail(self) -> None:
        """Hoeffding's theorem on sums of unlike trials, beyond one over what was found."""
        shares = [Fraction(1, 20)] * 6 + [Fraction(3, 10)] * 4 + [Fraction(9, 10)] * 3
        chances = [Fraction(1)]
        for share in shares:
            chances = [
                (chances[each] if each < len(chances) else 0) * (1 - share)
                + (chances[each - 1] * share if each else 0)
                for each in range(len(chances) + 1)
            ]
        mean = sum(shares) / len(shares)
        for errors in range(len(shares)):
            if errors <= sum(shares) - 1:
                alike = sum(
                    comb(len(shares), each) * mean**each * (1 - mean) ** (len(shares) - each)
                    for each in range(errors + 1)
                )
                assert sum(chances[: errors + 1]) <= alike

    @pytest.mark.parametrize(
        "wrong", [(0, 0, 40), (12, 0, 0), (0, 25, 0), (4, 9, 30), (30, 0, 3), (1, 1, 1), (60, 100, 240)]
    )
    def test_it_covers_the_truth_as_often_as_it_says(self, wrong: tuple[int, int, int]) -> None:
        """2,000 samples drawn from a known population: the bound is below the truth in 1 of 20 at most."""
        rounds, drawn = (60, 140, 600), (20, 25, 30)
        rng = Random(20190301)

        @cache
        def bound(found: tuple[int, ...]) -> int:
            strata = [
                Drawn(rounds=of, drawn=out, errors=errors)
                for of, out, errors in zip(rounds, drawn, found, strict=True)
            ]
            return most_errors(strata, LEVEL)

        missed = 0
        for _ in range(2_000):
            found = tuple(
                sum(each < bad for each in rng.sample(range(of), out))
                for of, out, bad in zip(rounds, drawn, wrong, strict=True)
            )
            missed += bound(found) < sum(wrong)
        assert missed <= 100 + 3 * 10  # three standard deviations of so many samples

    def test_the_budget_is_never_under_one_more_than_was_found(self) -> None:
        assert budget([Drawn(rounds=9, drawn=1, errors=0)], LEVEL) == 1


def strata(**rounds: tuple[int, str]) -> list[Stratum]:
    return [
        Stratum(name=name.replace("_", " "), rounds=number, staked={"AUD": Decimal(money)})
        for name, (number, money) in rounds.items()
    ]


class TestAllocation:
    def test_money_and_risk_are_looked_at_more_closely(self) -> None:
        found = allocate(
            100,
            strata(
                findings=(50, "5000"),
                high_stakes=(100, "50000"),
                middle_stakes=(400, "30000"),
                low_stakes=(450, "15000"),
            ),
        )
        assert sum(found.values()) == 100
        shares = {"findings": found["findings"] / 50, "high stakes": found["high stakes"] / 100}
        assert shares["findings"] > found["low stakes"] / 450
        assert shares["high stakes"] > found["middle stakes"] / 400 > found["low stakes"] / 450

    def test_a_larger_sample_holds_the_smaller(self) -> None:
        parts = strata(findings=(3, "90"), discretion=(1, "10"), low_stakes=(500, "4000"))
        found = [allocate(number, parts) for number in range(3, 200)]
        for one, other in pairwise(found):
            assert all(one[name] <= other[name] for name in one)
            assert sum(other.values()) == sum(one.values()) + 1
        assert found[-1]["findings"] == 3

    def test_no_more_than_there_are(self) -> None:
        parts = strata(findings=(3, "0"), low_stakes=(4, "0"))
        assert allocate(100, parts) == {"findings": 3, "low stakes": 4}

    def test_fewer_than_strata_is_refused(self) -> None:
        with pytest.raises(ValueError, match="1 rounds cannot be of 2 strata"):
            allocate(1, strata(findings=(3, "9"), low_stakes=(4, "1")))

    def test_every_stratum_has_a_place(self) -> None:
        assert len(set(STRATA)) == len(STRATA) == 7


FORMULA = '=HYPERLINK("http://example.invalid","x")'


def a_draw(*rounds: str) -> Draw:
    return Draw(
        seed=7,
        rounds=len(rounds),
        scope=Scope(venues=("casino-canberra",), since=date(2019, 3, 1), until=date(2019, 3, 2)),
        frame_sha256="ab" * 32,
        strata=tuple(strata(low_stakes=(40, "900"))),
        allocated={"low stakes": len(rounds)},
        drawn=tuple(("low stakes", "casino-canberra", each, date(2019, 3, 1)) for each in rounds),
    )


def look(round_id: str, **other: str) -> Look:
    at = datetime(2019, 3, 1, 9, 14, 5, tzinfo=UTC)
    given: Mapping[str, str] = {"table": "P03", "log": "box 1", "look_at": "everything", **other}
    return Look(
        stratum="low stakes", venue="casino-canberra", round_id=round_id, gaming_date=date(2019, 3, 1),
        dealer="D17", boxes=(1, 3), started=at, camera_from=at, camera_to=at, currency="AUD",
        staked=Decimal("12.500"), table=given["table"], log=given["log"], look_at=given["look_at"],
    )  # fmt: skip


def answered(path: Path, *answers: str) -> Path:
    """A CSV worksheet filled in as a person would."""
    rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    for row, answer in zip(rows[1:], answers, strict=True):
        row[1] = answer
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


class TestWorksheet:
    @pytest.mark.parametrize("name", ["sheet.csv", "sheet.xlsx"])
    def test_it_comes_back_blank_with_its_ids_and_its_draw(self, tmp_path: Path, name: str) -> None:
        rounds = ("R1", "-R2", "R-3")
        drawn = a_draw(*rounds)
        write_worksheet(tmp_path / name, drawn, map(look, rounds))
        found = read_worksheet(tmp_path / name)
        assert [each.round_id for each in found] == list(rounds)
        assert {each.answer for each in found} == {None}
        assert only_draw(found) == drawn.text

    @pytest.mark.parametrize("name", ["sheet.csv", "sheet.xlsx"])
    def test_the_same_sample_gives_the_same_bytes(self, tmp_path: Path, name: str) -> None:
        for folder in ("one", "other"):
            (tmp_path / folder).mkdir()
            write_worksheet(tmp_path / folder / name, a_draw("R1"), [look("R1")])
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()

    def test_no_text_of_the_log_is_a_formula(self, tmp_path: Path) -> None:
        rounds = [look("R1", table=FORMULA, log=FORMULA, look_at="@SUM(A1)")]
        for name in ("sheet.csv", "sheet.xlsx"):
            write_worksheet(tmp_path / name, a_draw("R1"), rounds)
        text = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
        (row,) = csv.DictReader(text.splitlines())
        assert row["table"] == row["log_in_short"] == "'" + FORMULA
        assert row["look_at"] == "'@SUM(A1)"
        book = openpyxl.load_workbook(tmp_path / "sheet.xlsx")
        assert {cell.data_type for line in book["Rounds"].iter_rows() for cell in line} <= {"s", "n"}

    def test_answers_are_read_however_they_are_spelt(self, tmp_path: Path) -> None:
        path = tmp_path / "sheet.csv"
        write_worksheet(path, a_draw("R1", "R2", "R3"), map(look, ("R1", "R2", "R3")))
        found = read_worksheet(answered(path, "Agrees", "  cannot  be seen ", "DIFFERS"))
        assert [each.answer for each in found] == ["agrees", "cannot be seen", "differs"]

    def test_an_answer_that_is_none_is_refused_with_its_line(self, tmp_path: Path) -> None:
        path = tmp_path / "sheet.csv"
        write_worksheet(path, a_draw("R1", "R2"), map(look, ("R1", "R2")))
        with pytest.raises(UsageProblem, match=r"line 3: 'probably' is no answer; write agrees, differs"):
            read_worksheet(answered(path, "agrees", "probably"))

    def test_semicolons_of_another_country_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "sheet.csv"
        write_worksheet(path, a_draw("R1"), [look("R1")])
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(rows)
        assert [each.round_id for each in read_worksheet(path)] == ["R1"]

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("sheet.txt", b"", "expected a worksheet named .xlsx or .csv"),
            ("sheet.xlsx", b"PK no workbook", "no Excel workbook that can be read"),
            ("sheet.csv", b"\xff\xfe\x00", "no CSV file in UTF-8"),
            ("sheet.csv", b"a,b\r\n1,2\r\n", "no column answer, venue, round_id, draw"),
        ],
    )
    def test_what_is_no_worksheet_is_refused(
        self, tmp_path: Path, name: str, content: bytes, words: str
    ) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(UsageProblem, match=words):
            read_worksheet(tmp_path / name)


def test_a_confidence_is_a_share() -> None:
    assert confidence_of("0.99") == Fraction(99, 100)
    for text in ("1", "0", "95", "-0.5", "much", "1/0"):
        with pytest.raises(UsageProblem, match="expected a number between 0 and 1"):
            confidence_of(text)
