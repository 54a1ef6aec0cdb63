"""The table of what hands are due holds what the terms and readings of each rulebook say."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rules_replay.kernel import codes, dues, hands, reasons
from rules_replay.kernel.books import book_records
from rules_replay.kernel.clauses import clause_text
from rules_replay.kernel.records import TOTALS
from rules_replay.log import FACTS
from rules_replay.rulebook import Rulebook, load_rulebook, rulebook_ids

every_rulebook = pytest.mark.parametrize("rulebook", rulebook_ids())

ROWS = {
    dues.EARNS_OTHER: ("payout.other", "payout_other", reasons.ROW_OTHER),
    dues.EARNS_FIVE: ("payout.five_cards", "payout_five", reasons.ROW_FIVE),
    dues.EARNS_SIX: ("payout.six_cards", "payout_six", reasons.ROW_SIX),
    dues.EARNS_SEVEN: ("payout.seven_cards", "payout_seven", reasons.ROW_SEVEN),
    dues.EARNS_DOUBLED: ("payout.doubled", "doubled_odds", reasons.ROW_DOUBLED),
    dues.EARNS_678: ("payout.678_mixed", "payout_678_mixed", reasons.ROW_678_MIXED),
    dues.EARNS_678 + 1: ("payout.678_suited", "payout_678_suited", reasons.ROW_678_SUITED),
    dues.EARNS_777: ("payout.777_mixed", "payout_777_mixed", reasons.ROW_777_MIXED),
    dues.EARNS_777 + 1: ("payout.777_suited", "payout_777_suited", reasons.ROW_777_SUITED),
}
CARD_COUNT = (dues.EARNS_FIVE, dues.EARNS_SIX, dues.EARNS_SEVEN)


def _due(book: Rulebook, came_to: int, earns: int) -> Any:
    (record,) = book_records([book])
    return record["dues"][came_to * dues.EARNS + earns]


def _readings(rulebook: str, **answers: str) -> Rulebook:
    return load_rulebook(rulebook).with_readings(answers)


def _odds(due: Any) -> Fraction:
    return Fraction(*(int(each) for each in due["odds"]))


def _rows(book: Rulebook) -> Iterator[tuple[int, str, str, int]]:
    for earns, (term, outcome, name) in ROWS.items():
        if term in book.terms:
            yield earns, term, outcome, name


def test_totals_against_those_of_the_dealer() -> None:
    (record,) = book_records([load_rulebook("act-2018")])
    for dealers, total in product([*range(17, 27), dues.DEALER_PONTOON], range(4, 31)):
        found = record["came_to"][dealers * TOTALS + total]
        if total > 21:
            assert found == dues.CAME_TO_BUST
        elif total == 21:
            assert found == dues.CAME_TO_TWENTY_ONE
        elif dealers == dues.DEALER_PONTOON:
            assert found == dues.LOSES_TO_PONTOON
        elif dealers > 21:
            assert found == dues.BEATS_BUST
        else:
            expected = {-1: dues.IS_LOWER, 0: dues.IS_EQUAL, 1: dues.IS_HIGHER}
            assert found == expected[(total > dealers) - (total < dealers)]


@every_rulebook
def test_a_21_wins_by_its_row(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    for earns, term, outcome, name in _rows(book):
        due = _due(book, dues.CAME_TO_TWENTY_ONE, earns)
        assert (due["result"], due["taken"], due["waits"]) == (codes.WIN, 0, 0)
        assert _odds(due) == book.odds(term)
        assert due["under"] == due["odds"][1]
        assert clause_text(book, int(due["clause"])) == book.outcome_clause("win_21", outcome)
        assert due["story"] == reasons.TWENTY_ONE_AT_ONCE | name << 8 | reasons.SUM_EXACT << 16
        assert due["ended"] == hands.ENDED_TWENTY_ONE


@every_rulebook
def test_pontoon_wins_by_its_own_row_whatever_the_cards_would_earn(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    for earns in (dues.EARNS_OTHER, dues.EARNS_FIVE):
        due = _due(book, dues.CAME_TO_PONTOON, earns)
        assert _odds(due) == book.odds("payout.pontoon")
        assert clause_text(book, int(due["clause"])) == book.outcome_clause("win_pontoon", "payout_pontoon")
        assert due["story"] & 0xFFFF == reasons.PONTOON_AT_ONCE | reasons.ROW_PONTOON << 8
        assert due["waits"] == 0


@every_rulebook
@pytest.mark.parametrize("came_to", [dues.BEATS_BUST, dues.IS_HIGHER])
def test_rows_for_many_cards_hang_on_their_reading(rulebook: str, came_to: int) -> None:
    for answer in ("total_21", "any_winning_hand"):
        book = _readings(rulebook, card_count_rows=answer)
        for earns, term, _, name in _rows(book):
            if earns in CARD_COUNT:
                due = _due(book, came_to, earns)
                other = answer == "total_21"
                assert _odds(due) == book.odds("payout.other" if other else term)
                assert due["story"] >> 8 & 255 == (reasons.ROW_OTHER if other else name)
                assert due["waits"] == 1


def test_spades_earn_their_row_alone_or_beside_the_suited_one() -> None:
    for rulebook, answer in product(rulebook_ids(), ("alone", "added")):
        book = _readings(rulebook, spades_row=answer)
        for first, name in ((dues.EARNS_678, "678"), (dues.EARNS_777, "777")):
            if f"payout.{name}_spades" in book.terms:
                expected = book.odds(f"payout.{name}_spades")
                if answer == "added":
                    expected += book.odds(f"payout.{name}_suited")
                assert _odds(_due(book, dues.CAME_TO_TWENTY_ONE, first + 2)) == expected


@every_rulebook
def test_who_does_not_win_is_paid_nothing(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    for came_to, outcomes, sentence in (
        (dues.CAME_TO_BUST, ["lose_bust"], reasons.BUST),
        (dues.LOSES_TO_PONTOON, ["lose_dealer_pontoon"], reasons.LOST_TO_PONTOON),
        (dues.IS_LOWER, ["lose_lower"], reasons.LOWER),
        (dues.IS_EQUAL, ["stand_off"], reasons.STOOD_OFF),
    ):
        lost = came_to != dues.IS_EQUAL
        for earns in (dues.EARNS_OTHER, dues.EARNS_DOUBLED):
            due = _due(book, came_to, earns)
            doubled = earns == dues.EARNS_DOUBLED and came_to == dues.LOSES_TO_PONTOON
            expected = [*outcomes, "doubled_dealer_pontoon"] if doubled else outcomes
            assert clause_text(book, int(due["clause"])) == book.outcome_clause(*expected)
            assert (due["result"], due["taken"]) == ((codes.LOSE, 1) if lost else (codes.STAND_OFF, 0))
            assert (due["odds"].tolist(), due["under"]) == ([0, 0], 1)
            assert (due["story"], due["waits"]) == (sentence, int(came_to != dues.CAME_TO_BUST))


@every_rulebook
def test_a_hand_is_settled_at_once_where_a_check_would_find_that_it_is_not(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    (record,) = book_records([book])
    for came_to, check in (
        (dues.CAME_TO_BUST, codes.INTERIM_BUST_UNCOLLECTED),
        (dues.CAME_TO_PONTOON, codes.INTERIM_PONTOON_UNPAID),
        (dues.CAME_TO_TWENTY_ONE, codes.INTERIM_TWENTY_ONE_UNPAID),
    ):
        for earns in (dues.EARNS_OTHER, dues.EARNS_DOUBLED):
            needs = int(_due(book, came_to, earns)["needs"])
            exempt = book.word("interim.doubled_21") == "exempt" and earns == dues.EARNS_DOUBLED
            finds = record["says"][check] != codes.NONE_OF
            if not finds or (exempt and came_to == dues.CAME_TO_TWENTY_ONE):
                assert needs > (1 << len(FACTS)) - 1, "no round records it"
            elif record["needs"][check] == codes.NOT:
                assert needs == 0
            else:
                assert needs == 1 << record["needs"][check]
