"""Where each bet on a hand stands before the dealer plays.

A hand that reached 21 has won and a hand over 21 has lost, whatever was dealt to it
afterwards; a card that the rules do not fix leaves the bet *unknown*, with the reason.
"""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.book import (
    DECK_JOKER_PROMOTIONAL,
    READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN,
    READS_DOUBLED_21_HELD_BEATS_21,
    READS_DOUBLED_21_WINS_AT_ONCE,
    SPLIT_CO_WAGERER_HAND_ANY,
)
from rules_replay.kernel.codes import (
    ACE,
    AS_DEALT,
    AS_REQUIRED,
    ASSIGN,
    BURNS,
    DECISIONS,
    DOUBLE_BET,
    FORFEIT,
    FORFEITED,
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
    PLACE_VOID,
    RETURNED,
    SPLIT,
    STAND_OFF,
    SURRENDERED,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import (
    best,
    fixed_aces,
    foreign,
    is_soft,
    rank,
    readable,
    value,
)
from rules_replay.kernel.dealers_cards import nothing_left_from
from rules_replay.kernel.facts import are_pontoon, captures, hand_under
from rules_replay.kernel.given_up import (
    annulled,
    forfeit_refused,
    forfeited_by_surrender,
    last_result,
    lost_by_surrender,
    may_have_forfeited,
    may_have_surrendered,
    read_off,
    splits_too,
    surrender_open,
    surrender_refused,
)
from rules_replay.kernel.reasons import (
    A_CARD_UNREADABLE,
    A_FOREIGN_CARD,
    BESIDE_VOID_HAND,
    CARD_AFTER_STAND,
    CARD_BURNED_OFF,
    CARD_TOO_MANY,
    DOUBLED_FOR_MORE,
    FORFEIT_NOT_RECORDED,
    HAND_NOT_RECORDED,
    LACKED_A_CARD,
    LEFT_BELOW_12,
    MOVED_LATE,
    NO_SECOND_CARD,
    NOT_IN_INITIAL_DEAL,
    NOT_ONE_CARD_AFTER_DOUBLE,
    ONE_CARD_DOUBLED,
    ONE_CARD_SPLIT,
    OVER_OR_21,
    PORTION_ELSEWHERE,
    SAID_NOTHING,
    SPLIT_ACE_DOUBLED,
    SPLIT_ACE_MAY_BE_BURNED,
    SURRENDER_NOT_OPEN,
    TWENTY_ONE_DOUBLED,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.short_hands import (
    after_stand,
    lacks_initial_card,
    owed_cards,
    reported_short,
)
from rules_replay.kernel.table import did, is_complete
from rules_replay.kernel.voiding import beside_void_hand, voiding

UNDER: Final = 1
AT_21: Final = 2
PAST_21: Final = 4
OVER: Final = 8
"""Where a hand may have ended, a bit each."""
_UP_TO_21: Final = (1 << 22) - 1
_21: Final = 1 << 21
_SOFT_21: Final = 1 << 11


@inlined
def stand(table: Table, bet: int) -> int:
    """Find where a main, split or doubled bet stands; returns a bit for the place.

    Other bets stand nowhere (`NOT`), without a bit.
    """
    at = table.space.bets[bet]
    if at.kind > DOUBLE_BET:
        at.place = NOT
        return 0
    _stand(table, bet)
    place = 1 << int(at.place)
    if at.kind != DOUBLE_BET:
        table.space.hands[at.hand].places |= place
    return place


@inlined
def _stand(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    hand = hand_under(table, bet)
    unreadable = _count(table, bet, hand)
    split_aces = table.space.hands[hand].split_aces
    at.basis = AS_DEALT if split_aces and at.counting > 2 else AS_REQUIRED
    at.why, at.void_as = voiding(table, bet)
    if at.why != SAID_NOTHING:
        at.place = PLACE_VOID
        return
    at.place, at.why = _place(table, bet, hand, unreadable)


@inlined
def _count(table: Table, bet: int, hand: int) -> int:
    """Count a bet's cards up to the one that decided the hand: 21 wins at once, over 21 loses at once.

    A doubled hand is decided by its one further card. Returns how many of the cards could not be
    read.
    """
    at = table.space.bets[bet]
    its = table.space.hands[hand]
    doubled = its.doubled_at != NOT
    stood_at = NEVER if its.stood_at == NOT else its.stood_at
    least = its.cards_at_double + 1 if doubled else 2
    in_time = stood_at == NEVER or (its.last < stood_at and not its.of_split)
    concluded_at = _concluded_at(table, hand)
    if not doubled and not its.recount and in_time and its.last < concluded_at:
        at.counting = its.n
        at.points = best(its.points, its.aces, 0)
        at.soft = is_soft(its.points, its.aces, 0)
        return int(its.unreadable)
    fixed = reading_aces(table, at.under)
    counting = 0
    points = 0
    aces = 0
    unreadable = 0
    seq = table.space.hands[hand].first
    while seq != NOT and seq < concluded_at:
        card = int(table.space.events[seq].card)
        counting += 1
        points += value(card)
        aces += rank(card) == ACE
        unreadable += not readable(card)
        if (counting == least or (counting > least and not doubled)) and best(points, aces, fixed) >= 21:
            break
        seq = table.space.links[seq].next
    at.counting = counting
    at.points = best(points, aces, fixed)
    at.soft = is_soft(points, aces, fixed)
    return unreadable


@compiled
def _concluded_at(table: Table, hand: int) -> int:
    """Seq from which the dealer, over 21 or with Pontoon, leaves a hand reported short nothing to draw for.

    One below 12 is then paid or stands off, and no further card is drawn (adelaide-2008 106(a) 106(c)). Nor
    is one due to any other, but after a stand on 12 or more it leaves the hand open. `NEVER` if all count.
    """
    if not reported_short(table, hand):
        return NEVER
    concluded_at = nothing_left_from(table)
    stood_at = table.space.hands[hand].stood_at
    points = 0
    aces = 0
    seq = table.space.hands[hand].first
    while seq != NOT and seq < concluded_at:
        card = int(table.space.events[seq].card)
        if not readable(card):
            return NEVER
        points += value(card)
        aces += rank(card) == ACE
        seq = table.space.links[seq].next
    stood = NOT < stood_at < concluded_at and best(points, aces, 0) >= 12
    return NEVER if stood else concluded_at


@inlined
def reading_aces(table: Table, base: int) -> int:
    """Aces held at one for this bet: a co-wagerer who did not double may count his own."""
    at = table.space.bets[base]
    alone = at.kind != DOUBLE_BET and at.first_portion == NOT
    if alone and table.book.reads_co_wagerer_not_doubling_total == READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN:
        return 0
    return fixed_aces(table, at.hand)


@inlined
def _place(table: Table, bet: int, hand: int, unreadable: int) -> tuple[int, int]:
    """The place of a bet that is not void, and the reason where it is unknown or short."""
    at = table.space.bets[bet]
    base = table.space.bets[at.under]
    if at.misplaced:
        return PLACE_UNKNOWN, PORTION_ELSEWHERE
    if base.moved_late:
        return PLACE_UNKNOWN, MOVED_LATE
    if beside_void_hand(table, at.under):
        return PLACE_UNKNOWN, BESIDE_VOID_HAND
    if table.space.head.n_foreign > 0 and _hangs_on_foreign_card(table, at.under):
        return PLACE_UNKNOWN, A_FOREIGN_CARD
    if table.space.hands[hand].overdealt and not is_pontoon(table, bet, hand):
        return PLACE_UNKNOWN, CARD_TOO_MANY
    if base.surrendered_at != NOT and not surrender_refused(table, at.under):
        if surrender_open(table, at.under):
            return PLACE_SURRENDERED, SAID_NOTHING
        return PLACE_UNKNOWN, SURRENDER_NOT_OPEN
    seen = read_off(table, at.under, SURRENDERED) or lost_by_surrender(table, at.under)
    if seen and base.forfeited_at == NOT:
        if may_have_surrendered(table, at.under):
            return PLACE_SURRENDERED, SAID_NOTHING
        return PLACE_UNKNOWN, SURRENDER_NOT_OPEN
    if _hand_not_recorded(table, at.under):
        return PLACE_UNKNOWN, HAND_NOT_RECORDED
    doubt = _doubt(table, bet, hand)
    if unreadable > 0 or doubt != SAID_NOTHING:
        why = A_CARD_UNREADABLE if unreadable > 0 else doubt
        ends = _ends(table, bet, hand)
        lost = ends & (UNDER | AT_21 | OVER) == OVER and not table.space.hands[hand].superfluous
        if _may_be_burned(table, hand, at.counting) or table.space.hands[hand].disturbed_by != NOT:
            lost = False
        # What of a double was more than the wager may go back or be taken (ruling 2).
        if lost and not (at.under != bet and _doubled_for_more(table, at.under)):
            # Nobody who collected is taken to have dealt to a 21; nor is it known of who paid.
            if ends & PAST_21 and last_result(table, at.under) in (WIN, STAND_OFF, RETURNED):
                return PLACE_UNKNOWN, OVER_OR_21
            return PLACE_BUST, SAID_NOTHING
        given_up = base.forfeited_at != NOT and not forfeit_refused(table, at.under, at.points)
        if given_up and doubt == SAID_NOTHING and ends == UNDER:
            return PLACE_FORFEITED, SAID_NOTHING
        return PLACE_UNKNOWN, why
    if at.points > 21:
        return PLACE_BUST, SAID_NOTHING
    forfeited = base.forfeited_at != NOT and not forfeit_refused(table, at.under, at.points)
    if forfeited or forfeited_by_surrender(table, at.under):
        return PLACE_FORFEITED, SAID_NOTHING
    doubled = table.space.hands[hand].doubled_at != NOT
    if read_off(table, at.under, FORFEITED):
        return (PLACE_FORFEITED, SAID_NOTHING) if doubled else (PLACE_UNKNOWN, PORTION_ELSEWHERE)
    if may_have_forfeited(table, at.under):
        return PLACE_UNKNOWN, FORFEIT_NOT_RECORDED
    if not doubled and is_pontoon(table, bet, hand):
        return PLACE_PONTOON, SAID_NOTHING
    if at.points == 21 and not _held_21(table, at.under):
        return PLACE_TWENTY_ONE, SAID_NOTHING
    if at.points < 12 and owed_cards(table, hand, doubled):
        return PLACE_SHORT, LEFT_BELOW_12
    return PLACE_LIVE, SAID_NOTHING


@compiled
def _hangs_on_foreign_card(table: Table, base: int) -> bool:
    """A foreign card decides what its box did next: whether it could split, draw or stand.

    A hand of the box that was complete by then does not hang on it (ruling 11), unless the dealer may have
    Pontoon: of all wagers of a player on the box that takes the original one.
    """
    box = table.space.hands[table.space.bets[base].hand].box
    came = NEVER
    for other in range(table.space.head.n_hands):
        at = table.space.hands[other]
        if at.box == box and at.foreign > 0:
            came = min(came, _first_foreign(table, other))
    if came == NEVER:
        return False
    dealer = table.space.hands[0]
    if dealer.unreadable > 0 or dealer.foreign > 0 or annulled(table):
        return True
    return not _done_before(table, base, came)


@compiled
def _first_foreign(table: Table, hand: int) -> int:
    """Where the first foreign card on a hand came."""
    seq = int(table.space.hands[hand].first)
    while not foreign(table.space.events[seq].card):
        seq = int(table.space.links[seq].next)
    return seq


@compiled
def _done_before(table: Table, base: int, moment: int) -> bool:
    """Whether a bet's hand was complete before a moment, and nothing was dealt or decided since.

    Who assigns a wager or forfeits it decides for that wager alone.
    """
    hand = int(table.space.bets[base].hand)
    if not is_complete(table, hand) or table.space.hands[hand].last >= moment:
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.seq < moment:
            continue
        if act.kind in (ASSIGN, FORFEIT):
            if act.bet == base:
                return False
        elif hand in (act.hand, act.to):
            return False
    return True


@compiled
def _hand_not_recorded(table: Table, base: int) -> bool:
    """Whether a co-wagerer who did not split had the choice of a hand, and decisions are not recorded.

    nz-2000 15.3(d), rws-2017 3.13; elsewhere he stays with the first hand.
    """
    if captures(table, DECISIONS) or not did(table, SPLIT):
        return False
    at = table.space.bets[base]
    if at.kind != MAIN or table.book.split_co_wagerer_hand != SPLIT_CO_WAGERER_HAND_ANY:
        return False
    if table.space.boxes[table.space.box_at[at.box]].first_main == base or at.first_portion != NOT:
        return False
    of_box = False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        of_box = of_box or (act.kind == SPLIT and act.box == at.box)
        if act.kind == ASSIGN and act.bet == base:
            return False
    return of_box and not splits_too(table, base)


@inlined
def _doubt(table: Table, bet: int, hand: int) -> int:
    """Why the log cannot fix what the hand under a bet became, or the bet's share in it.

    Cards that could not be read are left aside. Only what was placed to double shares in the doubt how much
    of it counts (ruling 2).
    """
    at = table.space.hands[hand]
    if at.disturbed_by != NOT:
        return CARD_BURNED_OFF
    if at.superfluous or at.n == 0:
        return NOT_IN_INITIAL_DEAL
    if lacks_initial_card(table, hand) and not reported_short(table, hand):
        return LACKED_A_CARD
    counting = table.space.bets[bet].counting
    if at.of_split and counting < 2 and not owed_cards(table, hand, at.doubled_at != NOT):
        return NO_SECOND_CARD
    if at.lacks_split_card:
        return ONE_CARD_SPLIT
    if at.doubled_at != NOT and at.cards_at_double < 2:
        return ONE_CARD_DOUBLED
    if at.doubled_at != NOT and counting - at.cards_at_double != 1:
        return NOT_ONE_CARD_AFTER_DOUBLE
    if at.doubled_at != NOT and at.split_aces:
        return SPLIT_ACE_DOUBLED
    if won_before_double(table, hand):
        return TWENTY_ONE_DOUBLED
    if _may_be_burned(table, hand, counting):
        return SPLIT_ACE_MAY_BE_BURNED
    if at.stood_at != NOT and _card_after_stand(table, hand, counting):
        return CARD_AFTER_STAND
    under = table.space.bets[bet].under
    if under != bet and _doubled_for_more(table, under):
        return DOUBLED_FOR_MORE
    return SAID_NOTHING


@compiled
def _may_be_burned(table: Table, hand: int, counting: int) -> bool:
    """Whether nobody recorded if a split ace's card too many was burned off it."""
    return bool(table.space.hands[hand].split_aces and counting > 2 and not captures(table, BURNS))


@compiled
def won_before_double(table: Table, hand: int) -> bool:
    """Whether a hand had come to Pontoon or 21 before it was doubled, and had won.

    act-2018 8.1 10.2(b), nz-2000 9.1 9.2, rws-2017 3.14, adelaide-2008 60.
    """
    at = table.space.hands[hand]
    if at.doubled_at == NOT:
        return False
    points, aces = 0, 0
    seq = at.first
    for number in range(min(at.cards_at_double, at.n)):
        card = int(table.space.events[seq].card)
        if not readable(card):
            return False
        points += value(card)
        aces += rank(card) == ACE
        if number >= 1 and best(points, aces, 0) == 21:
            return True
        seq = table.space.links[seq].next
    return False


@inlined
def _card_after_stand(table: Table, hand: int, counting: int) -> bool:
    """Whether one of the first so many cards of a hand came after its stand and was not its to take."""
    seq = table.space.hands[hand].first
    for _ in range(counting):
        if after_stand(table, hand, seq):
            return True
        seq = table.space.links[seq].next
    return False


@inlined
def _ends(table: Table, bet: int, hand: int) -> int:
    """Where the hand of a bet may have ended, whatever the cards were that could not be read.

    Of the cards that were due to it: none after a stand, one after a double, none after a double of a 21.
    With 21 it has won, whatever came after (act-2018 10.2(b)): it is then past it. A promotional joker is no
    card of the hand (adelaide-2008 6).
    """
    at = table.space.hands[hand]
    most = table.space.bets[bet].counting
    if at.doubled_at != NOT:
        most = min(most, at.cards_at_double + (0 if won_before_double(table, hand) else 1))
    least_unread = 0 if table.book.deck_joker == DECK_JOKER_PROMOTIONAL else 1
    ends = 0
    # A bit for each number of points that the cards may have, without an ace and with one.
    hard = 1
    soft = 0
    seq = at.first
    for _ in range(most):
        if at.stood_at == NOT or seq < at.stood_at:
            if ends & AT_21:
                ends = ends & ~AT_21 | PAST_21
            card = int(table.space.events[seq].card)
            least = value(card) if readable(card) else least_unread
            greatest = value(card) if readable(card) else 10
            hard_after = 0
            soft_after = 0
            for points in range(least, greatest + 1):
                soft_after |= soft << points
                if points == 1:
                    soft_after |= hard << 1
                else:
                    hard_after |= hard << points
            if (hard_after & _21) | (soft_after & (_21 | _SOFT_21)):
                ends |= AT_21
            if (hard_after | soft_after) > _UP_TO_21:
                ends |= OVER
            hard = hard_after & _UP_TO_21 & ~_21
            soft = soft_after & _UP_TO_21 & ~(_21 | _SOFT_21)
        seq = table.space.links[seq].next
    return ends | UNDER if (hard | soft) != 0 else ends


@compiled
def most_doubled(table: Table, base: int) -> int:
    """For how much a main or split wager may be doubled: the original, or itself if it is more (ruling 3)."""
    at = table.space.bets[base]
    return max(int(at.amount), int(table.space.bets[at.root].amount))


@inlined
def _doubled_for_more(table: Table, base: int) -> bool:
    """Whether a portion, with those before it that are not void, exceeds the wager that they double."""
    together = 0
    portion = table.space.bets[base].first_portion
    while portion != NOT:
        its = table.space.bets[portion]
        if together + its.amount > most_doubled(table, base):
            return True
        if its.void_at == NOT and its.withdrawn_at == NOT:
            together += its.amount
        portion = its.next_portion
    return False


@inlined
def is_pontoon(table: Table, bet: int, hand: int) -> bool:
    """An ace and a ten-value card as the first two cards, not after a split (act-2018 11.7)."""
    if table.space.hands[hand].of_split or table.space.bets[bet].counting != 2:
        return False
    first = table.space.hands[hand].first
    return are_pontoon(table.space.events[first].card, table.space.events[table.space.links[first].next].card)


@inlined
def _held_21(table: Table, base: int) -> bool:
    """Under one reading of rws-2017 3.15 a doubled 21 waits for the dealer."""
    if table.book.reads_doubled_21 == READS_DOUBLED_21_WINS_AT_ONCE:
        return False
    return bool(table.space.bets[base].first_portion != NOT)


@inlined
def beaten_by_pontoon_alone(table: Table, bet: int) -> bool:
    """A doubled 21 that is held, under the reading by which it beats whatever total the dealer makes."""
    if table.book.reads_doubled_21 != READS_DOUBLED_21_HELD_BEATS_21:
        return False
    at = table.space.bets[bet]
    return bool(at.place == PLACE_LIVE and at.points == 21)
