"""What a winning hand earns: the row of the payout table, and amounts the chips can pay."""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.book import (
    READS_ACES_ARE_A_PAIR_NO,
    READS_AMOUNTS_CHIP_DOWN,
    READS_AMOUNTS_CHIP_UP,
    READS_AMOUNTS_EXACT,
    READS_AMOUNTS_PAYABLE,
    READS_CARD_COUNT_ROWS_ANY_WINNING_HAND,
    READS_DOUBLED_SPLIT_ODDS_EVEN,
    READS_MIXED_SUITS_ALL_DIFFERENT,
    READS_OVER_MAX_BASE_AS_PLACED,
    READS_SPADES_ROW_ADDED,
)
from rules_replay.kernel.codes import (
    ACE,
    DOUBLE_BET,
    INSURANCE,
    JOKER_CARD,
    NOT,
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
    PAIR,
    PANDEMONIUM,
    PERFECT_PAIRS,
    SEVEN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import rank, suit
from rules_replay.kernel.facts import limit_of
from rules_replay.kernel.reasons import (
    HALF_EXACT,
    HALF_IN_CHIPS,
    HALF_NO_THOUSANDTH,
    ROW_678_MIXED,
    ROW_678_SPADES,
    ROW_678_SUITED,
    ROW_777_MIXED,
    ROW_777_SPADES,
    ROW_777_SUITED,
    ROW_COLOURED_PAIR,
    ROW_FIVE,
    ROW_MIXED_PAIR,
    ROW_OTHER,
    ROW_PAIR,
    ROW_PERFECT_PAIR,
    ROW_PONTOON,
    ROW_SEVEN,
    ROW_SIX,
    SUM_CUT,
    SUM_EXACT,
    SUM_NO_THOUSANDTH,
    SUM_NOT_IN_CHIPS,
    SUM_RAISED,
    SUM_ROUNDED,
)
from rules_replay.kernel.records import Table

SIX_SEVEN_EIGHT = 678
THREE_SEVENS = 777
SPADES = 0
HEARTS = 1
DIAMONDS = 2


@inlined
def effective_stake(table: Table, bet: int) -> int:
    """The stake that amounts are computed on: up to the maximum (act-2018 3.5, adelaide-2008 119)."""
    at = table.space.bets[bet]
    if table.book.reads_over_max_base == READS_OVER_MAX_BASE_AS_PLACED or at.kind == INSURANCE:
        return at.amount
    most = limit_of(table, at.root) if at.kind <= DOUBLE_BET else table.round.limit_side_max
    return at.amount if most == NOT else min(at.amount, most)


@compiled
def three_cards(table: Table, hand: int) -> tuple[int, int, int]:
    """The first three cards of a hand that has them."""
    first = table.space.hands[hand].first
    second = table.space.links[first].next
    third = table.space.links[second].next
    return table.space.events[first].card, table.space.events[second].card, table.space.events[third].card


@compiled
def special(one: int, two: int, three: int) -> tuple[int, int]:
    """Which special 21 three cards are, or `NOT`, and in how many suits."""
    suits = 1
    if suit(two) != suit(one):
        suits += 1
    if suit(three) != suit(one) and suit(three) != suit(two):
        suits += 1
    low = min(rank(one), rank(two), rank(three))
    high = max(rank(one), rank(two), rank(three))
    if low == SEVEN and high == SEVEN:
        return THREE_SEVENS, suits
    if low == SEVEN - 1 and high == SEVEN + 1 and rank(one) + rank(two) + rank(three) == 3 * SEVEN:
        return SIX_SEVEN_EIGHT, suits
    return NOT, suits


@inlined
def suited_sevens(table: Table, bet: int, hand: int) -> bool:
    """Three sevens of one suit."""
    if table.space.bets[bet].counting != 3:
        return False
    one, two, three = three_cards(table, hand)
    kind, suits = special(one, two, three)
    return kind == THREE_SEVENS and suits == 1


@inlined
def payout_row(table: Table, bet: int, hand: int, pontoon: bool) -> tuple[int, int, int, int]:
    """The one row of the payout table that an undoubled winning hand earns.

    Odds as two numbers, the outcome that has its clause, and its name.
    """
    at = table.space.bets[bet]
    one, two, three = three_cards(table, hand) if at.counting == 3 else (0, 0, 0)
    return row_of_cards(table, at.counting, at.points, pontoon, one, two, three)


@compiled
def row_of_cards(
    table: Table, counting: int, points: int, pontoon: bool, one: int, two: int, three: int
) -> tuple[int, int, int, int]:
    """The same of so many cards with so many points, of which the first three count where there are three."""
    book = table.book
    if pontoon:
        return book.payout_pontoon[0], book.payout_pontoon[1], ON_PAYOUT_PONTOON, ROW_PONTOON
    # Three cards that are special are 21, and whether there are three is hard to foresee.
    if points == 21 and counting == 3:
        kind, suits = special(one, two, three)
        different = suits == 3 or book.reads_mixed_suits != READS_MIXED_SUITS_ALL_DIFFERENT
        if kind != NOT and (suits == 1 or different):
            return _special_row(table, kind, suits, suits == 1 and suit(one) == SPADES)
    if points == 21 or book.reads_card_count_rows == READS_CARD_COUNT_ROWS_ANY_WINNING_HAND:
        if counting >= 7:
            return book.payout_seven_cards[0], book.payout_seven_cards[1], ON_PAYOUT_SEVEN, ROW_SEVEN
        if counting == 6:
            return book.payout_six_cards[0], book.payout_six_cards[1], ON_PAYOUT_SIX, ROW_SIX
        if counting == 5:
            return book.payout_five_cards[0], book.payout_five_cards[1], ON_PAYOUT_FIVE, ROW_FIVE
    return book.payout_other[0], book.payout_other[1], ON_PAYOUT_OTHER, ROW_OTHER


@inlined
def _special_row(table: Table, kind: int, suits: int, spades: bool) -> tuple[int, int, int, int]:
    book = table.book
    sixes = kind == SIX_SEVEN_EIGHT
    if suits > 1:
        mixed = book.payout_678_mixed if sixes else book.payout_777_mixed
        if sixes:
            return mixed[0], mixed[1], ON_PAYOUT_678_MIXED, ROW_678_MIXED
        return mixed[0], mixed[1], ON_PAYOUT_777_MIXED, ROW_777_MIXED
    suited = book.payout_678_suited if sixes else book.payout_777_suited
    if not spades and sixes:
        return suited[0], suited[1], ON_PAYOUT_678_SUITED, ROW_678_SUITED
    if not spades:
        return suited[0], suited[1], ON_PAYOUT_777_SUITED, ROW_777_SUITED
    odds = book.payout_678_spades if sixes else book.payout_777_spades
    over, under = odds[0], odds[1]
    if book.reads_spades_row == READS_SPADES_ROW_ADDED:
        over, under = _added(over, under, suited[0], suited[1])
    if sixes:
        return over, under, ON_PAYOUT_678_SPADES, ROW_678_SPADES
    return over, under, ON_PAYOUT_777_SPADES, ROW_777_SPADES


@inlined
def _added(over: int, under: int, more: int, more_under: int) -> tuple[int, int]:
    """Two odds added, in lowest terms."""
    top = over * more_under + more * under
    bottom = under * more_under
    one, two = top, bottom
    while two != 0:
        one, two = two, one % two
    return top // one, bottom // one


@compiled
def pair_row(table: Table, kind: int, first: int, second: int) -> tuple[int, int, int]:
    """Odds and name of the row that a pairs wager earns on the first two cards.

    The name is `NOT` where they are no pair.
    """
    book = table.book
    no_pair = rank(first) != rank(second) or (first >= JOKER_CARD and first != second)
    if kind == PAIR and rank(first) == ACE and book.reads_aces_are_a_pair == READS_ACES_ARE_A_PAIR_NO:
        no_pair = True
    if no_pair:
        return 0, 1, NOT
    if kind == PAIR:
        return book.payout_any_pair[0], book.payout_any_pair[1], ROW_PAIR
    if suit(first) == suit(second):
        return book.payout_perfect_pair[0], book.payout_perfect_pair[1], ROW_PERFECT_PAIR
    if _red(first) == _red(second):
        return book.payout_coloured_pair[0], book.payout_coloured_pair[1], ROW_COLOURED_PAIR
    return book.payout_mixed_pair[0], book.payout_mixed_pair[1], ROW_MIXED_PAIR


@compiled
def _red(card: int) -> bool:
    return suit(card) == HEARTS or suit(card) == DIAMONDS


@compiled
def win(table: Table, stake: int, over: int, under: int) -> tuple[int, int, int, int]:
    """What a stake wins at odds of ``over`` to ``under``, under the reading on what chips can pay.

    The payment (`NOT` where the chips cannot fix it), the exact amount, the stake if it is cut, and
    which arithmetic led there.
    """
    paid = stake * over
    if under != 1:
        if paid % under != 0:
            return NOT, 0, 0, SUM_NO_THOUSANDTH
        paid //= under
    chip = table.round.limit_smallest_chip
    reading = table.book.reads_amounts
    if reading == READS_AMOUNTS_EXACT or chip <= 0 or paid % chip == 0:
        return paid, paid, 0, SUM_EXACT
    down = paid - paid % chip
    if reading == READS_AMOUNTS_CHIP_DOWN:
        return down, paid, 0, SUM_ROUNDED
    if reading == READS_AMOUNTS_CHIP_UP:
        return down + chip, paid, 0, SUM_ROUNDED
    if table.round.limit_multiples <= 0:
        return down + chip, paid, 0, SUM_RAISED
    return _payable(table, stake, over, under, paid)


@inlined
def _payable(table: Table, stake: int, over: int, under: int, exact: int) -> tuple[int, int, int, int]:
    """adelaide-2008 120: the stake is cut where multiples are posted."""
    unit = table.round.limit_min if table.round.limit_min > 0 else table.round.limit_multiples
    cut = stake - stake % unit
    if cut == 0 or cut * over % under != 0:
        return NOT, exact, cut, SUM_NOT_IN_CHIPS
    paid = cut * over // under
    if paid % table.round.limit_smallest_chip != 0:
        return NOT, exact, cut, SUM_NOT_IN_CHIPS
    return paid, exact, cut, SUM_CUT


@compiled
def most_paid(table: Table, bet: int) -> int:
    """The most that a wager may be paid, whatever the cards, in thousandths: its stake at the best odds there
    are for it, rounded up to a chip.
    """
    at = table.space.bets[bet]
    over, under = _best_odds(table, int(at.kind))
    paid = -(-int(at.amount) * over // under)
    chip = table.round.limit_smallest_chip
    return paid + -paid % chip if chip > 0 else paid


@compiled
def _best_odds(table: Table, kind: int) -> tuple[int, int]:
    """The best odds there are for a kind of wager."""
    book = table.book
    if kind == INSURANCE:
        return int(book.payout_insurance[0]), int(book.payout_insurance[1])
    if kind == PAIR:
        return int(book.payout_any_pair[0]), int(book.payout_any_pair[1])
    best = 0, 1
    if kind == PANDEMONIUM:
        for place in range(book.multipliers):
            best = max(best[0], int(book.jackpot_multipliers[place])), 1
        return best
    if kind == PERFECT_PAIRS:
        best = _better(book.payout_mixed_pair, best)
        best = _better(book.payout_coloured_pair, best)
        return _better(book.payout_perfect_pair, best)
    if kind == DOUBLE_BET and book.reads_doubled_split_odds == READS_DOUBLED_SPLIT_ODDS_EVEN:
        return int(book.payout_doubled[0]), int(book.payout_doubled[1])
    for row in (
        book.payout_pontoon,
        book.payout_five_cards,
        book.payout_six_cards,
        book.payout_seven_cards,
        book.payout_other,
        book.payout_678_mixed,
        book.payout_678_suited,
        book.payout_678_spades,
        book.payout_777_mixed,
        book.payout_777_suited,
        book.payout_777_spades,
    ):
        best = _better(row, best)
    if book.reads_spades_row == READS_SPADES_ROW_ADDED:
        one, two = book.payout_678_spades, book.payout_678_suited
        sixes = _added(one[0], one[1], two[0], two[1])
        one, two = book.payout_777_spades, book.payout_777_suited
        sevens = _added(one[0], one[1], two[0], two[1])
        best = _better(sevens, _better(sixes, best))
    return best


@compiled
def _better(row: Any, best: tuple[int, int]) -> tuple[int, int]:
    if int(row[0]) * best[1] > best[0] * int(row[1]):
        return int(row[0]), int(row[1])
    return best


@inlined
def half_taken(table: Table, stake: int) -> tuple[int, int, int]:
    """Half of a surrendered stake; exact but for the readings that round what goes back to a chip.

    What is taken (`NOT`: no whole thousandth), the amount that its story tells, and the story.
    """
    if stake % 2 != 0:
        return NOT, 0, HALF_NO_THOUSANDTH
    half = stake // 2
    chip = table.round.limit_smallest_chip
    reading = table.book.reads_amounts
    in_chips = reading != READS_AMOUNTS_EXACT and reading != READS_AMOUNTS_PAYABLE
    if not in_chips or chip <= 0 or half % chip == 0:
        return half, half, HALF_EXACT
    back = half - half % chip
    if reading == READS_AMOUNTS_CHIP_UP:
        back += chip
    return stake - back, back, HALF_IN_CHIPS
