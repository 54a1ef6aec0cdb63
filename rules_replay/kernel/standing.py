"""Where each bet on a hand stands before the dealer plays.

A hand that reached 21 has won and a hand over 21 has lost, whatever was dealt to it
afterwards; a card that the rules do not fix leaves the bet *unknown*, with the reason.
"""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.book import (
    DECK_JOKER_PROMOTIONAL,
    FORFEIT_DEADLINE_NEXT_CARD,
    FORFEIT_NOT_DOUBLING_ALLOWED,
    READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN,
    READS_DOUBLED_21_HELD_BEATS_21,
    READS_DOUBLED_21_WINS_AT_ONCE,
    READS_SURRENDER_BINDS_BOX,
    SPLIT_CO_WAGERER_HAND_ANY,
)
from rules_replay.kernel.codes import (
    ACE,
    AS_DEALT,
    AS_REQUIRED,
    ASSIGN,
    BURNS,
    DEAL,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    DRAW,
    FORFEIT,
    FORFEITED,
    LOSE,
    MAIN,
    NEVER,
    NOT,
    ON_VOID_HAND,
    ON_VOID_ROUND,
    ON_VOID_WAGER,
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
    SETTLE_ORDER,
    SHORT_HAND,
    SPLIT,
    SPLIT_BET,
    STAND_OFF,
    SURRENDER,
    SURRENDERED,
    VOID,
    WIN,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import (
    best,
    fixed_aces,
    foreign,
    is_soft,
    may_begin_pontoon,
    rank,
    readable,
    value,
)
from rules_replay.kernel.facts import (
    after_stand,
    are_pontoon,
    captures,
    lacks_initial_card,
    late_first_card,
    refused_card,
    reported_for,
    upcard,
)
from rules_replay.kernel.reasons import (
    A_CARD_UNREADABLE,
    A_FOREIGN_CARD,
    BESIDE_VOID_HAND,
    CARD_AFTER_STAND,
    CARD_BURNED_OFF,
    CONTROLLER_WITHDREW,
    DOUBLED_FOR_MORE,
    HAND_DECLARED_VOID,
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
    ROUND_VOID,
    SAID_NOTHING,
    SPLIT_ACE_DOUBLED,
    SPLIT_ACE_MAY_BE_BURNED,
    SURRENDER_NOT_OPEN,
    TWENTY_ONE_DOUBLED,
    WAGER_DECLARED_VOID,
    WAGER_WITHDRAWN,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import did, happened, is_complete, last_stake_line, on_hand, reported
from rules_replay.kernel.windows import surrender_too_late


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


@compiled
def hand_under(table: Table, bet: int) -> int:
    """The hand that a bet, or the bet under a doubled portion, rides on."""
    return table.space.bets[table.space.bets[bet].under].hand


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
    if not doubled and not its.recount and in_time:
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
    while seq != NOT:
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
    if base.moved_late:
        return PLACE_UNKNOWN, MOVED_LATE
    if _beside_void_hand(table, at.under):
        return PLACE_UNKNOWN, BESIDE_VOID_HAND
    if table.space.head.n_foreign > 0 and _hangs_on_foreign_card(table, at.under):
        return PLACE_UNKNOWN, A_FOREIGN_CARD
    if base.surrendered_at != NOT and not _surrender_refused(table, at.under):
        if surrender_open(table, at.under):
            return PLACE_SURRENDERED, SAID_NOTHING
        return PLACE_UNKNOWN, SURRENDER_NOT_OPEN
    read_off = _read_off(table, at.under, SURRENDERED) or _lost_by_surrender(table, at.under)
    if read_off and base.forfeited_at == NOT:
        if _may_have_surrendered(table, at.under):
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
            if ends & PAST_21 and _last_result(table, at.under) in (WIN, STAND_OFF, RETURNED):
                return PLACE_UNKNOWN, OVER_OR_21
            return PLACE_BUST, SAID_NOTHING
        given_up = base.forfeited_at != NOT and not _forfeit_refused(table, at.under, at.points)
        if given_up and doubt == SAID_NOTHING and ends == UNDER:
            return PLACE_FORFEITED, SAID_NOTHING
        return PLACE_UNKNOWN, why
    if at.points > 21:
        return PLACE_BUST, SAID_NOTHING
    forfeited = base.forfeited_at != NOT and not _forfeit_refused(table, at.under, at.points)
    if forfeited or _forfeited_by_surrender(table, at.under) or _read_off(table, at.under, FORFEITED):
        return PLACE_FORFEITED, SAID_NOTHING
    doubled = table.space.hands[hand].doubled_at != NOT
    if not doubled and is_pontoon(table, bet, hand):
        return PLACE_PONTOON, SAID_NOTHING
    if at.points == 21 and not _held_21(table, at.under):
        return PLACE_TWENTY_ONE, SAID_NOTHING
    if at.points < 12 and _owed_cards(table, hand, doubled):
        return PLACE_SHORT, LEFT_BELOW_12
    return PLACE_LIVE, SAID_NOTHING


@inlined
def voiding(table: Table, bet: int) -> tuple[int, int]:
    """Why a bet is void and by which outcome (act-2018 def:Void, nz-2000 16.5)."""
    if table.space.head.round_void:
        return ROUND_VOID, ON_VOID_ROUND
    if not happened(table, VOID) and not happened(table, WITHDRAW):
        return SAID_NOTHING, NOT
    at = table.space.bets[bet]
    taken_back = _taken_back(table, bet)
    if taken_back == SAID_NOTHING and at.under != bet:
        taken_back = _taken_back(table, at.under)
    if taken_back == SAID_NOTHING and at.root != bet:
        taken_back = _taken_back(table, at.root)
    if taken_back != SAID_NOTHING:
        return taken_back, ON_VOID_WAGER
    if table.space.hands[hand_under(table, bet)].void_at != NOT:
        return HAND_DECLARED_VOID, ON_VOID_HAND
    if at.kind != MAIN and table.space.hands[table.space.bets[at.root].hand].void_at != NOT:
        if not _beside_void_hand(table, at.under):
            return HAND_DECLARED_VOID, ON_VOID_HAND
    box = table.space.box_at[at.box]
    first = NOT if box == NOT else table.space.boxes[box].first_main
    if first != NOT and table.space.bets[first].withdrawn_at != NOT and _binds_the_hand(table, at.box):
        return CONTROLLER_WITHDREW, ON_VOID_HAND
    return SAID_NOTHING, NOT


@compiled
def _beside_void_hand(table: Table, base: int) -> bool:
    """A split wager on another hand than the void one of the main wager, where single hands may be void
    (nz-2000 16.5; ruling 10).
    """
    at = table.space.bets[base]
    if at.kind != SPLIT_BET or table.book.irregularity_hand_may_be_void == 0:
        return False
    void_at = table.space.hands[table.space.bets[at.root].hand].void_at
    return bool(table.space.hands[at.hand].void_at == NOT and void_at != NOT)


@compiled
def _binds_the_hand(table: Table, box: int) -> bool:
    """Whether the controlling player who withdraws takes the others along: for a hand with too few cards,
    reported or seen (adelaide-2008 107), and not only for a dealer's late first card (105(d)(ii)) or where
    an exposed card was refused (103).
    """
    if table.book.draw_short_hand_options == 0:
        return False
    if reported_for(table, SHORT_HAND, box):
        return True
    if late_first_card(table):
        return False
    if reported(table, SHORT_HAND, box) < NEVER:
        return True
    for hand in range(1, table.space.head.n_hands):
        at = table.space.hands[hand]
        below_12 = _below_12(table, hand) and not refused_card(table, box)
        if at.box == box and (at.lacks_initial_card or below_12):
            return True
    return False


@compiled
def _below_12(table: Table, hand: int) -> bool:
    """Whether the cards of a hand, all of them readable, come to less than 12."""
    at = table.space.hands[hand]
    return bool(at.unreadable == 0 and best(at.points, at.aces, 0) < 12)


@compiled
def _taken_back(table: Table, bet: int) -> int:
    if table.space.bets[bet].void_at != NOT:
        return WAGER_DECLARED_VOID
    return SAID_NOTHING if table.space.bets[bet].withdrawn_at == NOT else WAGER_WITHDRAWN


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
    if dealer.unreadable > 0 or dealer.foreign > 0 or _annulled(table):
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
def surrender_open(table: Table, base: int) -> bool:
    """Whether surrender could ever be open for this bet: an unsplit hand under 21, the right first card."""
    card = upcard(table)
    if card == NOT or not may_begin_pontoon(card):
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == SURRENDER and act.seq == table.space.bets[base].surrendered_at:
            fixed = not act.of_split and not act.elsewhere
            return bool(fixed and best(act.points, act.aces, 0) < 21)
    return False


@compiled
def _first_cards(table: Table, hand: int, most: int) -> int:
    """What so many first cards of a hand come to."""
    points = 0
    aces = 0
    seq = table.space.hands[hand].first
    while seq != NOT and most > 0:
        card = int(table.space.events[seq].card)
        points += value(card)
        aces += rank(card) == ACE
        most -= 1
        seq = table.space.links[seq].next
    return best(points, aces, 0)


@compiled
def _may_have_surrendered(table: Table, base: int) -> bool:
    """Whether surrender was open for the first two cards of a hand, where only its settlement tells of it.

    Where each player decides for himself, others on the box may have split them (adelaide-2008 71).
    """
    card = upcard(table)
    if card == NOT or not may_begin_pontoon(card):
        return False
    at = table.space.bets[base]
    if not table.space.hands[at.hand].of_split:
        return _first_cards(table, int(at.hand), 2) != 21
    if at.kind != MAIN or _splits_too(table, base):
        return False
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == SPLIT and act.box == table.space.hands[at.hand].box:
            return bool(act.n == 2 and best(act.points, act.aces, 0) != 21)
    return False


@compiled
def _splits_too(table: Table, base: int) -> bool:
    """Whether the player of a main wager placed a split wager besides."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == SPLIT_BET and at.root == base:
            return True
    return False


@compiled
def did_not_double(table: Table, base: int) -> bool:
    """Whether a wager has no doubled portion to withdraw, others on its hand having one, and so no forfeit.

    nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(b); act-2018 12.6 gives it to any player on the hand.
    """
    if table.book.forfeit_not_doubling == FORFEIT_NOT_DOUBLING_ALLOWED:
        return False
    if table.space.bets[base].first_portion != NOT:
        return False
    hand = table.space.bets[base].hand
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and table.space.bets[bet].first_portion != NOT:
            return True
    return False


@compiled
def forfeited_undoubled(table: Table, bet: int) -> bool:
    """Whether a wager was forfeited before its hand had been doubled and given its card."""
    at = table.space.bets[bet]
    if at.forfeited_at == NOT:
        return bool(table.space.hands[at.hand].doubled_at == NOT)
    return not doubled_with_card(table, bet, at.forfeited_at)


@compiled
def doubled_with_card(table: Table, bet: int, moment: int) -> bool:
    """Whether the hand of a wager was doubled, and had its card at a moment."""
    its = table.space.hands[table.space.bets[bet].hand]
    if its.doubled_at == NOT:
        return False
    seq = its.first
    for _ in range(its.cards_at_double):
        if seq != NOT:
            seq = table.space.links[seq].next
    return bool(seq != NOT and seq < moment)


@compiled
def _read_off(table: Table, base: int, result: int) -> bool:
    """Where decisions are not recorded: whether the stake was last settled with this result."""
    if captures(table, DECISIONS):
        return False
    last = last_stake_line(table, base)
    return bool(last != NOT and table.space.events[last].result == result)


@compiled
def _lost_by_surrender(table: Table, base: int) -> bool:
    """Whether only a surrender nobody recorded, annulled by the dealer's Pontoon, has a wager lost in full.

    The others on its hand played on and came to 21 or more, or a hand of two cards below 12 would stand off
    (rws-2017 3.10.1, adelaide-2008 71 72 73 106(c)). Over 21 it is lost either way, and was not surrendered
    unless it is seen to have waited for the dealer.
    """
    if not _read_off(table, base, LOSE) or not _annulled(table):
        return False
    bet = table.space.bets[base]
    last = last_stake_line(table, base)
    if table.space.events[last].taken != bet.effective or bet.first_portion != NOT:
        return False
    hand = int(bet.hand)
    if not _may_have_surrendered(table, base):
        return False
    at = table.space.hands[hand]
    if best(at.points, at.aces, 0) < 12:
        owed = at.n == 2 and _owed_cards(table, hand, at.doubled_at != NOT)
        return bool(owed and not _reported_short(table, hand))
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX:
        return False
    riders = 0
    for other in range(table.space.head.n_bets):
        riders += on_hand(table, other, hand)
    total = best(at.points, at.aces, fixed_aces(table, hand))
    waited = captures(table, SETTLE_ORDER) and last > table.space.head.dealer_second_at
    return bool(riders > 1 and (total == 21 or (total > 21 and waited)))


@compiled
def _played_on(table: Table, base: int) -> bool:
    """All on the hand had surrendered, and then it was split or doubled: one fault (ruling 2)."""
    at = table.space.bets[base]
    for number in range(table.space.head.n_bets):
        its = table.space.bets[number]
        stays = its.surrendered_at == NOT and its.void_at == NOT and its.withdrawn_at == NOT
        if stays and its.kind <= SPLIT_BET and its.hand == at.hand:
            return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind in (SPLIT, DOUBLE) and act.hand == at.hand and act.seq > at.surrendered_at:
            return True
    return False


@inlined
def _surrender_refused(table: Table, base: int) -> bool:
    """A surrender too late, or of a hand that split or doubled on, settled as though there were none.

    The hand is then played as any other (act-2018 9.1 10.1, nz-2000 9.3, rws-2017 3.10, adelaide-2008 49 70).
    """
    if not _not_given_up(table, base) or not surrender_open(table, base):
        return False
    return surrendered_too_late(table, base) or _played_on(table, base)


@compiled
def _not_given_up(table: Table, base: int) -> bool:
    """Whether a wager was settled as one that was not surrendered.

    A dealer's Pontoon takes it in full either way: then only a further card shows that the hand was played.
    """
    last = last_stake_line(table, base)
    if last == NOT:
        return False
    settle = table.space.events[last]
    if settle.result not in (LOSE, FORFEITED):
        return settle.result in (WIN, STAND_OFF, RETURNED)
    at = table.space.bets[base]
    drew_on = table.space.hands[at.hand].last > at.surrendered_at
    return bool(settle.taken == at.effective and (drew_on or not _annulled(table)))


@compiled
def _annulled(table: Table) -> bool:
    """Whether the dealer's first two cards are a Pontoon."""
    dealer = table.space.hands[0]
    if dealer.n < 2 or late_first_card(table):
        return False
    second = table.space.events[table.space.links[dealer.first].next].card
    return are_pontoon(table.space.events[dealer.first].card, second)


@compiled
def surrendered_too_late(table: Table, base: int) -> bool:
    """Whether the surrender of a bet came after the moment at which the rulebook, as it is read, ends it."""
    surrendered_at = table.space.bets[base].surrendered_at
    for number in range(table.space.head.n_acts if surrendered_at != NOT else 0):
        act = table.space.acts[number]
        if act.kind == SURRENDER and act.seq == surrendered_at:
            return surrender_too_late(table, number)
    return False


@compiled
def surrender_without_effect(table: Table, base: int) -> bool:
    """A surrender that came too late and that the table did not give: the hand went on as it might."""
    if not _not_given_up(table, base) or not surrendered_too_late(table, base):
        return False
    return bool(surrender_open(table, base))


@compiled
def _forfeited_by_surrender(table: Table, base: int) -> bool:
    """A hand given up after its double by a surrender, which came too late, and settled as forfeited."""
    surrendered_at = table.space.bets[base].surrendered_at
    if surrendered_at == NOT or _last_result(table, base) != FORFEITED:
        return False
    return doubled_with_card(table, base, surrendered_at)


@compiled
def _double_lost(table: Table, base: int) -> bool:
    """Whether a doubled portion of a wager is recorded as lost."""
    portion = table.space.bets[base].first_portion
    while portion != NOT:
        if _last_result(table, portion) == LOSE:
            return True
        portion = table.space.bets[portion].next_portion
    return False


@inlined
def _forfeit_refused(table: Table, base: int, points: int) -> bool:
    """A forfeit that was not open, of a wager settled as though there were none.

    It was paid or stood off, or its doubled portion was lost with it. A hand with 21 is paid at once and has
    nothing left to forfeit (act-2018 10.2(b) 12.6, nz-2000 9.2 12.8, rws-2017 3.14, adelaide-2008 60 64(a));
    nor has who did not double (64(b)).
    """
    if _last_result(table, base) not in (WIN, STAND_OFF, RETURNED) and not _double_lost(table, base):
        return False
    moment = int(table.space.bets[base].forfeited_at)
    late = moment > table.space.head.dealer_second_at
    late = late or after_next_card(table, int(table.space.bets[base].hand), moment)
    return bool(late or points == 21 or forfeited_undoubled(table, base) or did_not_double(table, base))


@compiled
def _last_result(table: Table, bet: int) -> int:
    last = last_stake_line(table, bet)
    return NOT if last == NOT else int(table.space.events[last].result)


@compiled
def after_next_card(table: Table, hand: int, moment: int) -> bool:
    """Whether a card had come to anyone since the double's, where a forfeit is open only until then; one
    burned off its hand again has not come (nz-2000 12.8, 16.5).
    """
    doubled_at = table.space.hands[hand].doubled_at
    if doubled_at == NOT or table.book.forfeit_deadline != FORFEIT_DEADLINE_NEXT_CARD:
        return False
    card_at = moment
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == DRAW and act.hand == hand and act.seq > doubled_at:
            if not table.space.links[act.seq].undone:
                card_at = int(act.seq)
                break
    for seq in range(card_at + 1, moment):
        if table.space.events[seq].kind == DEAL and not table.space.links[seq].undone:
            return True
    return False


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
    return of_box and not _splits_too(table, base)


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
    if lacks_initial_card(table, hand) and not _reported_short(table, hand):
        return LACKED_A_CARD
    counting = table.space.bets[bet].counting
    if at.of_split and counting < 2 and not _owed_cards(table, hand, at.doubled_at != NOT):
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


UNDER: Final = 1
AT_21: Final = 2
PAST_21: Final = 4
OVER: Final = 8
"""Where a hand may have ended, a bit each."""
_UP_TO_21: Final = (1 << 22) - 1
_21: Final = 1 << 21
_SOFT_21: Final = 1 << 11


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


@compiled
def _reported_short(table: Table, hand: int) -> bool:
    """Whether it is the table, and not the log, that left a hand with one card (adelaide-2008 106)."""
    at = table.space.hands[hand]
    return _owed_cards(table, hand, at.doubled_at != NOT) and reported(table, SHORT_HAND, at.box) < NEVER


@compiled
def _owed_cards(table: Table, hand: int, doubled: bool) -> bool:
    """A hand left short of the cards due to it, whose options the log cannot show (adelaide-2008 105 106).

    One that refused an exposed card stands on what it has (103).
    """
    options = table.book.draw_short_hand_options != 0
    return options and not doubled and not refused_card(table, table.space.hands[hand].box)
