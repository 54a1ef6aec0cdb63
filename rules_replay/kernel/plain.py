"""Plain rounds, judged on a short way: most of those that a table plays.

In a plain round nothing happens but this: main and side wagers are placed and the initial deal goes
round; players insure, surrender or press the button of the jackpot; hands draw, stand, double and split
in their turns; the dealer plays, and every wager is settled once, in time and as it is due; a surrender
or forfeit may show in that alone, where no decisions are recorded. Its hands and settlements are
written down straight from the events. As soon as anything is otherwise, or a reading is in force that
is not provided for, the round is none: nothing of it counts and its shoe is as it was, and it is laid
out and judged like any other. So nothing is ever found here, and a round that is refused without need
costs time and nothing else.
"""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.book import (
    READS_BUST_ON_DEALERS_TOTAL_STAND_OFF,
    READS_DOUBLED_21_WINS_AT_ONCE,
    READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY,
    READS_SECOND_CARD_FOR_SURRENDER_DRAWN,
    READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON,
)
from rules_replay.kernel.codes import NOT, PAIR, PANDEMONIUM, PERFECT_PAIRS, SEVEN
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import rank
from rules_replay.kernel.coverage import (
    OF_ASSIGNED,
    OF_CALL,
    OF_CUTTING_CARD,
    OF_DEALER,
    OF_DOUBLE,
    OF_FORFEIT,
    OF_HAND,
    OF_INSURANCE,
    OF_JACKPOT,
    OF_LIMIT,
    OF_PAIRS,
    OF_SIDE,
    OF_SPLIT,
    OF_SUPER_BONUS,
    OF_SURRENDER,
    OF_SURRENDERED,
    OF_TWENTY_ONE,
    OF_WAGER,
    bit,
    kind_of,
    subjects_of_round,
)
from rules_replay.kernel.evidence import lacking_of_record, lacking_of_sign
from rules_replay.kernel.plain_dues import decide_hands, settle_wagers
from rules_replay.kernel.plain_play import card_of, play_plainly
from rules_replay.kernel.records import PLAIN_CARDS, Ints, Letters, Records, Table
from rules_replay.kernel.shoe import follows_in_order, take_plain


@compiled
def judge_plain(
    table: Table,
    events: Records,
    local: Ints,
    shoe: Any,
    number: int,
    hands: Records,
    hand: int,
    settled: Records,
    row: int,
    cards: Letters,
    card: int,
) -> bool:
    """Judge a round if it is plain: write its hands, settlements and cards from the places on that are given.

    ``local`` has room for every number of a wager's name, and `NOT` everywhere before and after. What there
    is then of each can be read off ``table.space.plain``.
    """
    plain = table.space.plain
    plain.n_bets = 0
    done = _may_be_plain(table, shoe) and play_plainly(table, events, local)
    if done:
        room = hand + plain.n_hands <= len(hands) and row + plain.n_bets <= len(settled)
        done = room and card + plain.n_cards + PLAIN_CARDS <= len(cards)
    if done:
        done = decide_hands(table, number, hands, hand, cards, card)
    for bet in range(plain.n_bets):
        local[events[table.round.first + plain.bets[bet].seq].wager] = NOT
    if done:
        done = settle_wagers(table, events, number, settled, row)
    if done:
        done = take_plain(table, shoe, cards, card, card + plain.n_cards, plain.cut_after)
    plain.rounds += int(done)
    return done


@inlined
def _may_be_plain(table: Table, shoe: Any) -> bool:
    """What can be said before the events are looked at."""
    round_ = table.round
    book = table.book
    if round_.misclaimed:
        return False
    least = int(book.deck_minimum)
    if round_.offers != NOT and (round_.offers >> PERFECT_PAIRS) & 1:
        least = max(least, int(book.deck_minimum_with_perfect_pairs))
    if round_.decks < least or round_.decks > book.deck_maximum:
        return False
    if book.reads_doubled_21 != READS_DOUBLED_21_WINS_AT_ONCE:
        return False
    if book.reads_bust_on_dealers_total == READS_BUST_ON_DEALERS_TOTAL_STAND_OFF:
        return False
    if book.reads_twenty_one_paid == READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON:
        return False
    if book.reads_doubled_bust_dealer_pontoon == READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY:
        return False
    if book.reads_second_card_for_surrender != READS_SECOND_CARD_FOR_SURRENDER_DRAWN:
        return False
    return follows_in_order(table, shoe)


@compiled
def plain_kind(table: Table, shoe: Any) -> int:
    """The kind of a plain round, of those that support the same checks."""
    plain = table.space.plain
    found = subjects_of_round(table) | 1 << OF_WAGER | 1 << OF_TWENTY_ONE | 1 << OF_SURRENDER
    found |= 1 << OF_HAND | 1 << OF_DEALER | 1 << OF_LIMIT | 1 << OF_CALL
    found |= bit(rank(card_of(plain.hands[0], 0)) == SEVEN, OF_SUPER_BONUS)
    found |= bit(plain.cut_after != NOT, OF_CUTTING_CARD)
    found |= bit(plain.insured, OF_INSURANCE)
    found |= bit(plain.blind or plain.surrendered, OF_SURRENDERED)
    found |= bit(plain.sides != 0, OF_SIDE) | bit((plain.sides >> PANDEMONIUM) & 1 != 0, OF_JACKPOT)
    found |= bit(plain.sides & (1 << PERFECT_PAIRS | 1 << PAIR) != 0, OF_PAIRS)
    found |= bit(plain.split, OF_SPLIT) | bit(plain.blind and plain.split, OF_ASSIGNED)
    found |= bit(plain.doubled, OF_DOUBLE) | bit(plain.doubled, OF_FORFEIT)
    lacks = lacking_of_record(table, plain.called, plain.surrendered)
    lacks |= lacking_of_sign(table, True, plain.sides != 0, plain.unlimited)
    return kind_of(table, found, lacks, shoe)
