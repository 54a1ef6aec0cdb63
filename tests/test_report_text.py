"""Texts, amounts and verdicts of the report."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.layout import Partition
from audit.report import ReportScope
from audit.report.model import Day, Figures, Moved, Staked
from audit.report.text import (
    card_line,
    card_parts,
    days_text,
    difference,
    event_words,
    local_time,
    missing_words,
    money,
    shortened,
    spreadsheet_text,
    visible,
    zone_of,
)
from audit.report.verdict import verdict
from rules_replay.log import EVENTS, FACTS
from rules_replay.venues import load_register


class TestTextsOfTheLog:
    """A text of the log is shown in full and can neither hide nor act."""

    @given(st.text())
    def test_no_control_or_direction_character_is_left(self, text: str) -> None:
        hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        assert not [each for each in visible(text) if unicodedata.category(each) in hidden]

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("D17", "D17"),
            ("Zoë ♥ 李", "Zoë ♥ 李"),
            ("a\nb\tc\x00", r"a\nb\tc\x00"),
            ("paid\u202e05.21", r"paid\u202e05.21"),
            ("zero\u200bwidth", r"zero\u200bwidth"),
        ],
    )
    def test_what_cannot_be_seen_is_written_as_an_escape(self, text: str, shown: str) -> None:
        assert visible(text) == shown

    @given(st.sampled_from("=+-@\t\r＝＋－＠"), st.text())  # noqa: RUF001 - full-width signs start formulas too
    def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(self, sign: str, rest: str) -> None:
        cell = spreadsheet_text(sign + rest)
        try:
            Decimal(sign + rest)
        except ArithmeticError:
            assert cell.startswith("'")

    @pytest.mark.parametrize(
        ("text", "cell"),
        [
            ('=HYPERLINK("x")', '\'=HYPERLINK("x")'),
            ("+61 2 6257", "'+61 2 6257"),
            ("-12.5", "-12.5"),
            ("-7", "-7"),
            ("-12.5+cmd", "'-12.5+cmd"),
            ("-", "'-"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("  =1", "'  =1"),
            ("stand-off", "stand-off"),
            ("", ""),
        ],
    )
    def test_only_plain_numbers_keep_their_sign_in_front(self, text: str, cell: str) -> None:
        assert spreadsheet_text(text) == cell

    def test_a_long_text_says_how_much_is_left_out(self) -> None:
        assert shortened("abcdef", 6) == "abcdef"
        assert shortened("abcdef", 4) == "abcd… (2 more characters)"


class TestAmounts:
    @pytest.mark.parametrize(
        ("amount", "shown"),
        [
            ("1312.500", "AUD 1,312.50"),
            ("0.000", "AUD 0.00"),
            ("37.125", "AUD 37.125"),
            ("-12.500", "−AUD 12.50"),  # noqa: RUF001 - a true minus sign
            ("123456789012345.678", "AUD 123,456,789,012,345.678"),
        ],
    )
    def test_two_decimals_and_a_third_only_where_it_counts(self, amount: str, shown: str) -> None:
        assert money(Decimal(amount), "AUD") == shown

    def test_a_difference_says_which_way_the_money_went(self) -> None:
        assert difference(Decimal("12.5"), "NZD") == "NZD 12.50 overpaid"
        assert difference(Decimal("-12.5"), "NZD") == "NZD 12.50 underpaid"
        assert difference(Decimal(0), "NZD") == "no money"


class TestCardsAndPlaces:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("AS", ("A", "♠", False)),
            ("8H", ("8", "♥", True)),
            ("10D", ("10", "♦", True)),
            ("TC", ("10", "♣", False)),
            ("JK", ("Joker", "", False)),
            ("??", ("?", "", False)),
        ],
    )
    def test_every_card_a_log_may_carry(self, text: str, parts: tuple[str, str, bool]) -> None:
        assert card_parts(text) == parts

    def test_a_hand_on_one_line(self) -> None:
        assert card_line("8S 8H ?? 10D") == "8♠ 8♥ ? 10♦"
        assert card_line(None) == ""

    @pytest.mark.parametrize(
        ("event", "words"),
        [
            ({"e": "deal", "box": 3, "hand": 2, "card": "9C"}, "9♣ dealt to box 3, hand 2"),
            ({"e": "deal", "box": 0, "hand": 1, "card": "KH"}, "K♥ dealt to the dealer"),
            ({"e": "burn", "card": "4D", "from": "shoe"}, "4♦ burned from the shoe"),
            ({"e": "double", "box": 1, "hand": 1}, "double on box 1"),
            ({"e": "split", "box": 1, "hand": 1, "to": 2}, "split of box 1 into hand 2"),
            (
                {"e": "wager", "wager": "b", "player": "P2", "kind": "main", "amount": Decimal(5), "box": 2},
                "P2 places wager b (main) of AUD 5.00 on box 2",
            ),
            (
                {"e": "settle", "wager": "a", "result": "win", "paid": Decimal("37.5"), "taken": Decimal(0)},
                "wager a settled: win, AUD 37.50 paid",
            ),
            ({"e": "settle", "wager": "a", "result": "stand_off"}, "wager a settled: stand-off"),
            ({"e": "settle", "wager": "a", "reverses": 9}, "the settlement of wager a at event 9 undone"),
            ({"e": "press", "box": 2, "multiplier": 5}, "Pandemonium button pressed on box 2, multiplier 5"),
            ({"e": "irregularity", "code": "shoe_exhausted"}, "irregularity reported: shoe exhausted"),
            ({"e": "void", "scope": "round"}, "round declared void"),
            ({"e": "forfeit", "wager": "a"}, "forfeit of wager a"),
            ({"e": "cut_card"}, "cut card"),
        ],
    )  # fmt: skip
    def test_events_are_told_in_words(self, event: dict[str, object], words: str) -> None:
        assert event_words({each.name: None for each in EVENTS} | event, "AUD") == words

    def test_each_fact_that_may_be_missing_is_told_in_words(self) -> None:
        assert all("does not capture" in missing_words(fact) for fact in FACTS)
        assert missing_words("a readable card") == "The log lacks a readable card"
        assert missing_words("") == "The log does not say what was missing"


class TestTimes:
    def test_a_known_venue_goes_by_its_zone_across_the_end_of_summer_time(self) -> None:
        zone = zone_of(load_register(), "casino-canberra", "+00:00")
        shown = [
            local_time(int(instant.timestamp()) * 1_000_000, zone).isoformat()
            for instant in (
                datetime(2019, 4, 6, 15, 30, tzinfo=UTC),
                datetime(2019, 4, 6, 16, 30, tzinfo=UTC),
            )
        ]
        assert shown == ["2019-04-07T02:30:00+11:00", "2019-04-07T02:30:00+10:00"]

    def test_an_unknown_venue_goes_by_the_offset_in_the_log(self) -> None:
        register = load_register()
        assert zone_of(register, "elsewhere", "+09:30") == timezone(timedelta(hours=9, minutes=30))
        assert zone_of(register, "elsewhere", "z") == UTC
        assert zone_of(register, "elsewhere", None) == UTC

    def test_gaming_dates_in_words(self) -> None:
        first = date(2019, 3, 1)
        week = [first + timedelta(days=number) for number in range(7)]
        assert days_text([first]) == "1 March 2019"
        assert days_text(week[:2]) == "1 March 2019 and 2 March 2019"
        assert days_text(week) == "1 March 2019 to 7 March 2019 (7 gaming dates)"
        assert days_text([None]) == "no date"


def figures(*days: Day) -> Figures:
    scope = ReportScope(tuple(day.partition for day in days))
    return Figures(
        scope=scope, days=days, checks=(), hanging=(), gaps=(), checks_evaluated=0, rulebooks=(),
        exceptions=sum(day.total.total for day in days), over_time=None, disposed={},
    )  # fmt: skip


def a_day(rounds: int, currency: str = "AUD", **findings: int) -> Day:
    day = Day(partition=Partition(f"venue-{currency}", date(2019, 3, 1)), zone="Australia/Sydney")
    day.total.rounds = rounds
    day.total.findings.update(findings)
    day.currencies[currency] = Staked(rounds=rounds)
    return day


class TestVerdict:
    """The verdict claims no more than was audited, and never adds up two venues' money."""

    def test_nothing_found(self) -> None:
        assert verdict(figures(a_day(1500))) == "No exceptions in 1,500 rounds."

    def test_lesser_findings_only(self) -> None:
        assert (
            verdict(figures(a_day(1, notice=1))) == "No breach in 1 round, and 1 other exception to look at."
        )

    def test_one_breach_without_money(self) -> None:
        assert verdict(figures(a_day(10, breach=1))) == "1 breach in 10 rounds, no money misdirected."

    def test_money_of_one_day_is_named(self) -> None:
        day = a_day(10, breach=2)
        day.total.breach["AUD"] = Moved(Decimal("12.500"), Decimal("7.000"))
        assert verdict(figures(day)) == "2 breaches in 10 rounds, AUD 12.50 overpaid and AUD 7.00 underpaid."

    def test_money_of_two_venues_is_not_added_up(self) -> None:
        days = [a_day(10, breach=1), a_day(10, "NZD", breach=1)]
        for day, currency in zip(days, ("AUD", "NZD"), strict=True):
            day.total.breach[currency] = Moved(overpaid=Decimal(5))
        assert verdict(figures(*days)) == "2 breaches in 20 rounds, with money over- or underpaid."

    def test_what_was_not_audited_is_said(self) -> None:
        day = a_day(10)
        day.quarantined = 1
        assert verdict(figures(day)) == (
            "No exceptions in 10 rounds; 1 line of the log could not be read and was not audited."
        )
        day.without_rulebook = 4
        assert verdict(figures(day)) == (
            "No exceptions in 10 rounds; 4 rounds had no rulebook in force and "
            "1 line of the log could not be read and were not audited."
        )

    def test_without_any_rulebook_nothing_was_audited(self) -> None:
        day = a_day(10, notice=10)
        day.without_rulebook = 10
        assert (
            verdict(figures(day))
            == "No rulebook was in force for any of the 10 rounds, so nothing was audited."
        )

    def test_an_empty_scope_is_no_clean_bill(self) -> None:
        assert verdict(figures()) == "No rounds are stored, so nothing was audited."
