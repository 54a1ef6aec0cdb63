"""The dealer's hand: which cards had to come, which came, and what it is worth.

One card: a second is needed while any unsettled wager's outcome depends on it. From two
cards on: draw to hard 16 and soft 17 while a live hand remains, otherwise stop (act-2018
13.1, nz-2000 14.3 14.4, rws-2017 3.18, adelaide-2008 75 76). A card beyond that is left
out of the settlement; a card that is missing leaves it as dealt.
"""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.book import (
    INSURANCE_THIRD_PARTY_BARRED,
    READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY,
    READS_INSURANCE_LIFE_FALLS_IF_SURRENDERED,
    READS_INSURANCE_LIFE_LIVES,
    READS_SECOND_CARD_FOR_SURRENDER_DRAWN,
    READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON,
)
from rules_replay.kernel.codes import (
    ACE,
    AS_DEALT,
    AS_REQUIRED,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    DRAW,
    INSURANCE,
    KING,
    MAIN,
    NEVER,
    NOT,
    PLACE_BUST,
    PLACE_FORFEITED,
    PLACE_LIVE,
    PLACE_PONTOON,
    PLACE_SHORT,
    PLACE_SURRENDERED,
    PLACE_TWENTY_ONE,
    PLACE_UNKNOWN,
    SHORT_HAND,
    SPLIT,
    SPLIT_BET,
    STAND,
    SURRENDER,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, may_begin_pontoon, rank
from rules_replay.kernel.dealers_cards import begins_with_pontoon, must_draw
from rules_replay.kernel.facts import captures, late_first_card, upcard
from rules_replay.kernel.given_up import did_not_double, forfeited_undoubled
from rules_replay.kernel.reasons import (
    DEALER_EARLY_CARD,
    DEALER_FOREIGN,
    DEALER_LACKED_FIRST,
    DEALER_ONE_CARD,
    DEALER_UNREADABLE,
    DEALER_WITHOUT_CARD,
    DEALERS_CARD_BURNED,
    SAID_NOTHING,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.short_hands import finishes_short_hand, may_have_refused
from rules_replay.kernel.standing import beaten_by_pontoon_alone
from rules_replay.kernel.table import reported

NEEDED_NOT: Final = 0
NEEDED_PERHAPS: Final = 1
NEEDED: Final = 2
"""Whether a card of the dealer is needed, the strongest last."""


@inlined
def total_need(table: Table, bet: int) -> int:
    """Whether the dealer's total is needed for a bet once every player's hand is complete."""
    at = table.space.bets[bet]
    if at.kind >= DOUBLE_BET:
        return NEEDED_NOT
    second = table.space.head.dealer_second_at
    # Given up when it was not open, yet settled as played: the dealer may have seen it either way.
    if at.place == PLACE_LIVE and (at.surrendered_at != NOT or at.forfeited_at != NOT):
        return NEEDED_PERHAPS
    if beaten_by_pontoon_alone(table, bet):
        return NEEDED_NOT
    # His total decides a short hand too (adelaide-2008 106).
    if at.place == PLACE_LIVE or at.place == PLACE_SHORT or _finished_after_dealer(table, bet, second):
        return NEEDED
    undone = at.void_at > second or at.withdrawn_at > second or table.space.hands[at.hand].void_at > second
    perhaps = undone or at.place == PLACE_UNKNOWN
    if at.place == PLACE_SURRENDERED:
        perhaps = perhaps or at.surrendered_at > second
    elif at.place == PLACE_FORFEITED and at.points < 21:
        by_surrender = at.surrendered_at != NOT
        perhaps = perhaps or by_surrender or at.forfeited_at > second or forfeited_undoubled(table, bet)
        perhaps = perhaps or (at.forfeited_at != NOT and did_not_double(table, bet))
    return NEEDED_PERHAPS if perhaps else NEEDED_NOT


@compiled
def _finished_after_dealer(table: Table, bet: int, second: int) -> bool:
    """A short hand decided by a card that came after the dealer's own (adelaide-2008 106)."""
    at = table.space.bets[bet]
    if at.place != PLACE_TWENTY_ONE and at.place != PLACE_BUST:
        return False
    if table.space.hands[at.hand].last < second or table.book.draw_short_hand_options == 0:
        return False
    return bool(reported(table, SHORT_HAND, at.box) < NEVER)


@inlined
def second_need(table: Table, bet: int, possible: bool) -> int:
    """Whether the dealer's second card is needed for a bet though his total is not.

    Surrendered bets and insurance turn on whether it makes Pontoon, if that is ``possible``. Without
    recorded decisions a lost bet may have been one that was surrendered first. Under one reading no card
    is drawn for them alone; under another a 21 that was paid turns on it.
    """
    at = table.space.bets[bet]
    drawn_for = table.book.reads_second_card_for_surrender == READS_SECOND_CARD_FOR_SURRENDER_DRAWN
    if at.kind == INSURANCE:
        return _insurance_need(table, bet) if drawn_for else NEEDED_NOT
    if at.kind > SPLIT_BET or not possible:
        return NEEDED_NOT
    doubled = table.space.hands[at.hand].doubled_at != NOT
    if at.place == PLACE_SURRENDERED:
        return NEEDED if drawn_for else NEEDED_NOT
    if beaten_by_pontoon_alone(table, bet):
        return NEEDED
    if at.place == PLACE_UNKNOWN and at.surrendered_at != NOT:
        return NEEDED_PERHAPS
    if at.place == PLACE_TWENTY_ONE and not doubled:
        falls = table.book.reads_twenty_one_paid == READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON
        return NEEDED if falls else NEEDED_NOT
    if at.place == PLACE_BUST and not captures(table, DECISIONS):
        return NEEDED_PERHAPS
    reading = table.book.reads_doubled_bust_dealer_pontoon
    if at.place == PLACE_BUST and doubled and reading == READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY:
        return NEEDED
    return NEEDED_NOT


@inlined
def _insurance_need(table: Table, bet: int) -> int:
    if insurance_void(table, bet) or insurance_fell(table, bet):
        return NEEDED_NOT
    card = upcard(table)
    at = table.space.bets[bet]
    if card == NOT or rank(card) != ACE or at.on == NOT:
        return NEEDED_PERHAPS
    own = at.player == table.space.bets[at.on].player
    others_may = table.book.insurance_third_party != INSURANCE_THIRD_PARTY_BARRED
    return NEEDED if own or others_may else NEEDED_PERHAPS


@compiled
def insurance_fell(table: Table, bet: int) -> bool:
    """Whether insurance does not outlive the hand insured, under some readings of adelaide-2008 25, nz-2000
    10.6 and rws-2017 3.9.
    """
    on = table.space.bets[bet].on
    reading = table.book.reads_insurance_life
    if on == NOT or reading == READS_INSURANCE_LIFE_LIVES or table.space.bets[on].kind > DOUBLE_BET:
        return False
    place = table.space.bets[on].place
    if reading == READS_INSURANCE_LIFE_FALLS_IF_SURRENDERED:
        return bool(place == PLACE_SURRENDERED)
    return place in (PLACE_SURRENDERED, PLACE_BUST, PLACE_PONTOON, PLACE_TWENTY_ONE)


@compiled
def insurance_void(table: Table, bet: int) -> bool:
    """Insurance that is void: declared so, with its round, or with the hand (nz-2000 10.7)."""
    at = table.space.bets[bet]
    if table.space.head.round_void or at.void_at != NOT or at.withdrawn_at != NOT:
        return True
    if at.on == NOT or table.book.insurance_void_with_hand == 0:
        return False
    insured = table.space.bets[at.on]
    gone = insured.void_at != NOT or insured.withdrawn_at != NOT
    return bool(gone or table.space.hands[insured.hand].void_at != NOT)


@inlined
def play_dealer(table: Table) -> None:
    """Find the dealer's hand as the settlement has to see it, from the cards counted before."""
    head = table.space.head
    head.dealer_unknown = _unknown(table)
    head.dealer_finished = not _card_due(table)
    head.dealer_basis = AS_REQUIRED if head.dealer_finished else AS_DEALT


@inlined
def _card_due(table: Table) -> bool:
    head = table.space.head
    if head.dealer_counting < 2:
        return bool(head.need_second == NEEDED)
    return bool(head.need_total == NEEDED and must_draw(head.dealer_points, head.dealer_soft))


@inlined
def card_may_be_due(table: Table) -> bool:
    """Whether the dealer's hand goes on, if every hand that nobody can fix is taken for one in play."""
    head = table.space.head
    if head.dealer_counting < 2:
        return bool(head.need_second != NEEDED_NOT)
    return bool(head.need_total != NEEDED_NOT and must_draw(head.dealer_points, head.dealer_soft))


@inlined
def _unknown(table: Table) -> int:
    """Why nothing that depends on the dealer can be fixed."""
    counting = table.space.head.dealer_counting
    if counting == 0:
        return DEALER_WITHOUT_CARD
    if table.space.head.dealer_unread:
        return DEALER_UNREADABLE
    if table.space.head.dealer_foreign:
        return DEALER_FOREIGN
    if table.space.hands[0].disturbed_by != NOT:
        return DEALERS_CARD_BURNED
    if table.space.hands[0].lacks_initial_card and not late_first_card(table):
        return DEALER_LACKED_FIRST
    if early_card_left(table):
        return DEALER_EARLY_CARD
    return DEALER_ONE_CARD if counting == 1 else SAID_NOTHING


@compiled
def early_card_left(table: Table) -> bool:
    """The dealer's second card came before the players were done, and counts."""
    second = table.space.head.dealer_second_at
    return bool(second < NEVER and players_went_on(table, second))


@compiled
def early_second_card_at(table: Table) -> int:
    """Seq of a dealer's second card, left or burned, before the players' hands were complete; or `NOT`."""
    second = table.space.head.first_second_at
    return int(second) if second < NEVER and players_went_on(table, second) else NOT


@compiled
def players_went_on(table: Table, second: int) -> bool:
    """Whether players had cards or still acted after a second card; a surrender does once it is burned."""
    place = table.space.head.n_initial - 1
    while place >= 0 and table.space.initial[place] > second:
        seq = int(table.space.initial[place])
        if not finishes_short_hand(table, int(table.space.events[seq].box), seq):
            return True
        place -= 1
    number = table.space.head.n_acts - 1
    while number >= 0 and table.space.acts[number].seq > second:
        act = table.space.acts[number]
        moved = act.kind == DRAW and _was_its_turn(table, number, second)
        if act.kind in (SPLIT, DOUBLE):
            moved = not NOT < table.space.hands[act.hand].stood_at < second
        # A stand said again of a hand that had stood decides nothing, nor one of who refused that very card.
        if act.kind == STAND and act.seq == table.space.hands[act.hand].stood_at:
            moved = not may_have_refused(table, act.box, second)
        if moved and not _placed_after(table, act.hand, second):
            if not finishes_short_hand(table, int(act.box), int(act.seq)):
                return True
        if act.kind == SURRENDER and act.seq < table.space.head.dealer_second_at:
            return True
        number -= 1
    return False


@compiled
def _was_its_turn(table: Table, number: int, second: int) -> bool:
    """Whether a card, by its number among the acts, came to a hand that was not complete at the dealer's
    second card: it had not stood by then, nor come to 21 or more before the card, nor had the one card of its
    double or to a split ace.
    """
    act = table.space.acts[number]
    at = table.space.hands[act.hand]
    if NOT < at.stood_at < second or (at.split_aces and act.n >= 2):
        return False
    if NOT < at.doubled_at < second and act.n > at.cards_at_double:
        return False
    points = best(act.points, act.aces, 0)
    return bool(points < 21 or (points == 21 and (act.unreadable > 0 or act.n < 2)))


@compiled
def _placed_after(table: Table, hand: int, moment: int) -> bool:
    """Whether all wagers on a hand are main ones placed after a moment."""
    riders = 0
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.hand == hand and at.kind <= SPLIT_BET:
            if at.kind != MAIN or at.seq < moment:
                return False
            riders += 1
    return riders > 0


@compiled
def dealer_made_pontoon(table: Table) -> int:
    """Whether the dealer's first two cards are Pontoon, 1 or 0; `NOT` where the log cannot show it."""
    at = table.space.hands[0]
    card = upcard(table)
    if card == NOT:
        return NOT
    if late_first_card(table) or (rank(card) <= KING and not may_begin_pontoon(card)):
        return 0
    if at.n < 2:
        return NOT
    second = table.space.events[table.space.links[at.first].next].card
    if rank(card) > KING or rank(second) > KING:
        return NOT
    if table.space.head.dealer_unknown != SAID_NOTHING and at.unreadable == 0 and at.foreign == 0:
        return NOT
    return 1 if begins_with_pontoon(table) else 0
