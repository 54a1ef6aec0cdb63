"""What the main wagers on a hand of a plain round are due, by what it came to and the row that it earns.

That is one table a rulebook, made when its record is, so that for a hand only a place in it is to be found.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from rules_replay.kernel.book import (
    INTERIM_DOUBLED_21_EXEMPT,
    READS_CARD_COUNT_ROWS_ANY_WINNING_HAND,
    READS_SPADES_ROW_ADDED,
)
from rules_replay.kernel.codes import (
    INTERIM_BUST_UNCOLLECTED,
    INTERIM_PONTOON_UNPAID,
    INTERIM_TWENTY_ONE_UNPAID,
    LOSE,
    NONE_OF,
    NOT,
    ON_DOUBLED_DEALER_PONTOON,
    ON_DOUBLED_ODDS,
    ON_LOSE_BUST,
    ON_LOSE_DEALER_PONTOON,
    ON_LOSE_LOWER,
    ON_PAYOUT_678_MIXED,
    ON_PAYOUT_678_SPADES,
    ON_PAYOUT_678_SUITED,
    ON_PAYOUT_777_MIXED,
    ON_PAYOUT_777_SPADES,
    ON_PAYOUT_777_SUITED,
    ON_PAYOUT_FIVE,
    ON_PAYOUT_OTHER,
    ON_PAYOUT_PONTOON,
    ON_PAYOUT_SEVEN,
    ON_PAYOUT_SIX,
    ON_STAND_OFF,
    ON_WIN_21,
    ON_WIN_DEALER_BUST,
    ON_WIN_HIGHER,
    ON_WIN_PONTOON,
    STAND_OFF,
    WIN,
)
from rules_replay.kernel.hands import (
    ENDED_BUST,
    ENDED_DOUBLED,
    ENDED_ONE_CARD,
    ENDED_OPEN,
    ENDED_PONTOON,
    ENDED_STOOD,
    ENDED_TWENTY_ONE,
)
from rules_replay.kernel.reasons import (
    BUST,
    DEALER_BUST,
    HIGHER,
    LOST_TO_PONTOON,
    LOWER,
    PONTOON_AT_ONCE,
    ROW_678_MIXED,
    ROW_678_SPADES,
    ROW_678_SUITED,
    ROW_777_MIXED,
    ROW_777_SPADES,
    ROW_777_SUITED,
    ROW_DOUBLED,
    ROW_FIVE,
    ROW_OTHER,
    ROW_PONTOON,
    ROW_SEVEN,
    ROW_SIX,
    STOOD_OFF,
    SUM_EXACT,
    TWENTY_ONE_AT_ONCE,
)
from rules_replay.kernel.records import DUE, DUES, PLAIN_CARDS, TOTALS

CAME_TO_BUST: Final = 0
CAME_TO_TWENTY_ONE: Final = 1
CAME_TO_PONTOON: Final = CAME_TO_TWENTY_ONE + 1
LOSES_TO_PONTOON: Final = 3
BEATS_BUST: Final = 4
IS_HIGHER: Final = 5
IS_LOWER: Final = 6
IS_EQUAL: Final = 7
"""What a hand came to, by itself or against the dealer's."""

EARNS_OTHER: Final = 0
EARNS_FIVE: Final = 1
EARNS_SIX: Final = 2
EARNS_SEVEN: Final = 3
EARNS_DOUBLED: Final = 4
EARNS_678: Final = 5
EARNS_777: Final = 8
"""The row that a hand earns if it wins; from `EARNS_678` and `EARNS_777` on mixed, suited, in spades."""
EARNS: Final = 16
"""Room for so many rows."""
_EARNS_BY_CARDS: Final = tuple(max(0, min(cards, 7) - 4) + EARNS_OTHER for cards in range(PLAIN_CARDS + 1))
_ENDED_BY: Final = (ENDED_OPEN, ENDED_STOOD, ENDED_ONE_CARD, ENDED_ONE_CARD, *[ENDED_DOUBLED] * 4)
assert DUES == (IS_EQUAL + 1) * EARNS

DEALER_PONTOON: Final = TOTALS - 1
"""What a dealer's Pontoon counts as."""

_NOBODY_SEES: Final = 1 << 6
"""A fact that no round records."""


def _came_to(dealers: int, total: int) -> int:
    """What a hand with a total came to, neither Pontoon nor surrendered, against a total of the dealer's."""
    if total > 21:
        return CAME_TO_BUST
    if total == 21:
        return CAME_TO_TWENTY_ONE
    if dealers == DEALER_PONTOON:
        return LOSES_TO_PONTOON
    if dealers > 21:
        return BEATS_BUST
    if total == dealers:
        return IS_EQUAL
    return IS_HIGHER if total > dealers else IS_LOWER


_CAME_TO: Final = tuple(_came_to(*divmod(each, TOTALS)) for each in range(TOTALS * TOTALS))

_LOST: Final = {
    CAME_TO_BUST: (LOSE, ON_LOSE_BUST, BUST),
    LOSES_TO_PONTOON: (LOSE, ON_LOSE_DEALER_PONTOON, LOST_TO_PONTOON),
    IS_LOWER: (LOSE, ON_LOSE_LOWER, LOWER),
    IS_EQUAL: (STAND_OFF, ON_STAND_OFF, STOOD_OFF),
}
"""Result, outcome and sentence where nothing is won."""
_WON: Final = {
    CAME_TO_PONTOON: (ON_WIN_PONTOON, PONTOON_AT_ONCE),
    CAME_TO_TWENTY_ONE: (ON_WIN_21, TWENTY_ONE_AT_ONCE),
    BEATS_BUST: (ON_WIN_DEALER_BUST, DEALER_BUST),
    IS_HIGHER: (ON_WIN_HIGHER, HIGHER),
}
"""Outcome and sentence where something is."""
_ENDED: Final = {
    CAME_TO_BUST: ENDED_BUST,
    CAME_TO_PONTOON: ENDED_PONTOON,
    CAME_TO_TWENTY_ONE: ENDED_TWENTY_ONE,
}
_SETTLED_AT_ONCE: Final = {
    CAME_TO_BUST: INTERIM_BUST_UNCOLLECTED,
    CAME_TO_PONTOON: INTERIM_PONTOON_UNPAID,
    CAME_TO_TWENTY_ONE: INTERIM_TWENTY_ONE_UNPAID,
}
"""The check that finds it if that is not done."""
_ROWS: Final = {
    EARNS_OTHER: ("payout_other", ON_PAYOUT_OTHER, ROW_OTHER),
    EARNS_FIVE: ("payout_five_cards", ON_PAYOUT_FIVE, ROW_FIVE),
    EARNS_SIX: ("payout_six_cards", ON_PAYOUT_SIX, ROW_SIX),
    EARNS_SEVEN: ("payout_seven_cards", ON_PAYOUT_SEVEN, ROW_SEVEN),
    EARNS_DOUBLED: ("payout_doubled", ON_DOUBLED_ODDS, ROW_DOUBLED),
    EARNS_678: ("payout_678_mixed", ON_PAYOUT_678_MIXED, ROW_678_MIXED),
    EARNS_678 + 1: ("payout_678_suited", ON_PAYOUT_678_SUITED, ROW_678_SUITED),
    EARNS_678 + 2: ("payout_678_spades", ON_PAYOUT_678_SPADES, ROW_678_SPADES),
    EARNS_777: ("payout_777_mixed", ON_PAYOUT_777_MIXED, ROW_777_MIXED),
    EARNS_777 + 1: ("payout_777_suited", ON_PAYOUT_777_SUITED, ROW_777_SUITED),
    EARNS_777 + 2: ("payout_777_spades", ON_PAYOUT_777_SPADES, ROW_777_SPADES),
}
"""Odds, outcome and name of each."""
_PONTOON: Final = ("payout_pontoon", ON_PAYOUT_PONTOON, ROW_PONTOON)


def fill_dues(book: Any) -> None:
    """Fill the ``dues`` of a `BOOK` record from its terms and readings, and what leads to a place in them."""
    book["came_to"] = _CAME_TO
    book["earns_by_cards"] = _EARNS_BY_CARDS
    book["ended_by"] = _ENDED_BY
    for came_to in range(IS_EQUAL + 1):
        for earns in _ROWS:
            book["dues"][came_to * EARNS + earns] = _due(book, came_to, earns)


def _due(book: Any, came_to: int, earns: int) -> tuple[Any, ...]:
    """What is due for a row, as the fields of a `DUE`."""
    doubled = earns == EARNS_DOUBLED
    over, under, name, arithmetic = 0, 0, 0, 0
    if came_to in _WON:
        result = WIN
        outcome, sentence = _WON[came_to]
        over, under, on_row, name = _row(book, came_to, earns)
        outcomes = [outcome, on_row]
        arithmetic = SUM_EXACT
    else:
        result, outcome, sentence = _LOST[came_to]
        outcomes = [outcome]
        if came_to == LOSES_TO_PONTOON and doubled:
            outcomes.append(ON_DOUBLED_DEALER_PONTOON)
    due = {
        "odds": (over, under),
        "clause": sum((each + 1) << 8 * place for place, each in enumerate(outcomes, 1)),
        "story": sentence | name << 8 | arithmetic << 16,
        "under": max(under, 1),
        "result": result,
        "ended": _ENDED.get(came_to, 0),
        "needs": _facts_needed(book, came_to, doubled),
        "taken": result == LOSE,
        "waits": came_to not in _ENDED,
    }
    return tuple(due[field] for field in DUE.names or ())


def _row(book: Any, came_to: int, earns: int) -> tuple[int, int, int, int]:
    """Odds, outcome and name of the row that a winning hand is paid by."""
    term, on_row, name = _ROWS[earns]
    if came_to == CAME_TO_PONTOON:
        term, on_row, name = _PONTOON
    elif EARNS_FIVE <= earns <= EARNS_SEVEN and came_to != CAME_TO_TWENTY_ONE:
        if book["reads_card_count_rows"] != READS_CARD_COUNT_ROWS_ANY_WINNING_HAND:
            term, on_row, name = _ROWS[EARNS_OTHER]
    over, under = (int(each) for each in book[term])
    if term.endswith("_spades") and book["reads_spades_row"] == READS_SPADES_ROW_ADDED:
        suited = (int(each) for each in book[_ROWS[earns - 1][0]])
        over, under = (Fraction(over, under) + Fraction(*suited)).as_integer_ratio()
    return over, under, on_row, name


def _facts_needed(book: Any, came_to: int, doubled: bool) -> int:
    """The facts by which it shows whether a wager is settled before the next card, if it has to be."""
    check = _SETTLED_AT_ONCE.get(came_to)
    exempt = doubled and book["interim_doubled_21"] == INTERIM_DOUBLED_21_EXEMPT
    if check is None or book["says"][check] == NONE_OF or (exempt and came_to == CAME_TO_TWENTY_ONE):
        return _NOBODY_SEES
    needs = int(book["needs"][check])
    return 0 if needs == NOT else 1 << needs
