"""When things were done: collections, payments, surrenders and calls in the order the rulebook sets.

A settlement belongs to the moment at which it was first recorded: one undone and made again
later was in time. A wager that was never settled, or settled wrongly, is found as that and not
also as late.
"""

from __future__ import annotations

from rules_replay.kernel.book import READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY
from rules_replay.kernel.codes import (
    ASSIGN,
    DEAL,
    DEAL_LATE_CALL,
    DOUBLE_BET,
    INSURANCE,
    INSURANCE_LOST_UNCOLLECTED,
    INSURANCE_WON_PAID_EARLY,
    INTERIM_BUST_UNCOLLECTED,
    JACKPOT_PRESS_ORDER,
    LOSE,
    NEVER,
    NOT,
    PLACE_BUST,
    PLACE_FORFEITED,
    PLACE_PONTOON,
    PLACE_SURRENDERED,
    PLACE_TWENTY_ONE,
    PLACE_VOID,
    PRESS,
    SPLIT,
    SPLIT_ASSIGN_LATE,
    STAKE,
    SURRENDER,
    SURRENDER_BEFORE_INTERIM,
    SURRENDER_HALF_EARLY,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.facts import pontoon_possible, ridden, third_party_allowed
from rules_replay.kernel.interim import deciding_card_at
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find, find_bet, find_box, find_hand
from rules_replay.kernel.table import did, next_deal_after, placed, stands


@inlined
def check_timing(table: Table) -> None:
    """The moments of a round, in the order of play."""
    _check_call(table)
    if did(table, PRESS):
        _check_presses(table)
    if did(table, ASSIGN):
        _check_assigned_in_time(table)
    if table.space.head.round_void:
        return
    if did(table, SURRENDER):
        _check_pontoons_before_surrender(table)
    if stands(table, PLACE_BUST):
        _check_busts_collected(table)
    if placed(table, INSURANCE):
        _check_insurance_moments(table)
    if stands(table, PLACE_SURRENDERED):
        _check_halves_collected(table)


@inlined
def _check_call(table: Table) -> None:
    """act-2018 6.2, nz-2000 8.2, adelaide-2008 15."""
    called_at = table.space.head.no_more_bets_at
    if table.space.head.first_card_at < called_at < NEVER:
        find(table, DEAL_LATE_CALL, called_at, NOT)


@inlined
def _check_presses(table: Table) -> None:
    """rws-2017 3.8.1: the button goes clockwise from the dealer's left."""
    highest = 0
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != PRESS:
            continue
        if act.box < highest:
            find_box(table, JACKPOT_PRESS_ORDER, act.seq, act.box, NOT)
            return
        highest = act.box


@inlined
def _check_assigned_in_time(table: Table) -> None:
    """nz-2000 15.3(d): the co-wagerer chooses before any further card since his own hand was split."""
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != ASSIGN:
            continue
        own = ridden(table, int(act.bet), int(act.seq))
        split_at = NEVER
        for before in range(number):
            earlier = table.space.acts[before]
            if earlier.kind == SPLIT and earlier.hand == own:
                split_at = int(earlier.seq)
        if next_deal_after(table, split_at) < act.seq:
            find_bet(table, SPLIT_ASSIGN_LATE, act.seq, act.bet, NOT)


@inlined
def _check_pontoons_before_surrender(table: Table) -> None:
    """act-2018 9.1, nz-2000 def:Surrender, adelaide-2008 61 70.

    A Pontoon still unpaid when a further card came is `interim.pontoon-unpaid` and not also this.
    """
    paid_last = _pontoons_paid_last(table)
    for box in range(table.space.head.n_boxes):
        table.space.boxes[box].mark = NOT
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != SURRENDER or act.seq >= paid_last:
            continue
        box = table.space.boxes[table.space.box_at[act.box]]
        if box.mark == NOT:
            box.mark = act.seq
            find_hand(table, SURRENDER_BEFORE_INTERIM, act.seq, act.hand, NOT)


@inlined
def _pontoons_paid_last(table: Table) -> int:
    """The moment of the last payment of a Pontoon before a card that followed the initial deal, or `NOT`."""
    last = NOT
    if table.space.head.initial_done_at == NEVER:
        further = NEVER
    else:
        further = next_deal_after(table, table.space.head.initial_done_at)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind <= DOUBLE_BET and at.place == PLACE_PONTOON and at.settled_at < further:
            last = max(last, at.settled_at)
    return last


@inlined
def _check_busts_collected(table: Table) -> None:
    """nz-2000 14.2, rws-2017 3.16, adelaide-2008 51.

    A card to the hand that is over 21 is `draw.after-bust` and not also this.
    """
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind > DOUBLE_BET or at.place != PLACE_BUST or at.taken == 0:
            continue
        if _waits_for_dealer(table, bet):
            continue
        over = max(deciding_card_at(table, bet), at.seq)
        further = _next_deal_elsewhere(table, table.space.bets[at.under].hand, over)
        if further < at.settled_at:
            find_bet(table, INTERIM_BUST_UNCOLLECTED, further, bet, NOT)


@inlined
def _waits_for_dealer(table: Table, bet: int) -> bool:
    """Under one reading a doubled bust still turns on the dealer's Pontoon."""
    if table.book.reads_doubled_bust_dealer_pontoon != READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY:
        return False
    doubled_at = table.space.hands[table.space.bets[table.space.bets[bet].under].hand].doubled_at
    return bool(doubled_at != NOT and pontoon_possible(table))


@inlined
def _next_deal_elsewhere(table: Table, hand: int, after: int) -> int:
    at = table.space.hands[hand]
    for seq in range(after + 1, table.round.count):
        event = table.space.events[seq]
        if event.kind == DEAL and (event.box != at.box or event.hand != at.no):
            return seq
    return NEVER


@inlined
def _check_insurance_moments(table: Table) -> None:
    """Insurance that nobody could place has no moment of its own."""
    second_at = NOT
    third_at = NEVER
    if table.space.hands[0].n >= 2:
        second_at = table.space.links[table.space.hands[0].first].next
        if table.space.hands[0].n > 2:
            third_at = table.space.links[second_at].next
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind != INSURANCE or second_at == NOT or at.settled_at == NEVER:
            continue
        if not at.fixed or not _could_insure(table, bet):
            continue
        if at.due_result == LOSE and at.taken > 0:
            _check_lost_insurance(table, bet, second_at, third_at)
        elif at.due_result == WIN and at.paid > 0:
            _check_won_insurance(table, bet)


@inlined
def _could_insure(table: Table, bet: int) -> bool:
    at = table.space.bets[bet]
    if at.on == NOT:
        return False
    return bool(at.player == table.space.bets[at.on].player or third_party_allowed(table, at.on))


@compiled
def _stands_from(table: Table, bet: int) -> int:
    """Seq of the first settlement of a bet's stake that was not undone, `NEVER` where there is none."""
    seq = table.space.bets[bet].first_line
    while seq != NOT:
        if table.space.events[seq].line == STAKE and not table.space.links[seq].undone:
            return int(seq)
        seq = table.space.links[seq].next
    return NEVER


@inlined
def _check_lost_insurance(table: Table, bet: int, second_at: int, third_at: int) -> None:
    """act-2018 7.5[2](a), nz-2000 10.6, adelaide-2008 26(b)."""
    settled_at = table.space.bets[bet].settled_at
    in_time = second_at < settled_at < third_at or second_at < _stands_from(table, bet) < third_at
    if table.space.bets[bet].seq < third_at and not in_time:
        find_bet(table, INSURANCE_LOST_UNCOLLECTED, settled_at, bet, NOT)


@inlined
def _check_won_insurance(table: Table, bet: int) -> None:
    """act-2018 7.5[2](b): paid on completion of the final settlement, to which interim ones do not belong."""
    settled_at = table.space.bets[bet].settled_at
    stands_from = _stands_from(table, bet)
    for other in range(table.space.head.n_bets):
        at = table.space.bets[other]
        if at.kind <= DOUBLE_BET and not _decided(at.place) and stands_from < at.settled_at < NEVER:
            find_bet(table, INSURANCE_WON_PAID_EARLY, settled_at, bet, NOT)
            return


@inlined
def _decided(place: int) -> bool:
    """Whether a bet was decided before the dealer played."""
    by_rule = place == PLACE_VOID or place == PLACE_FORFEITED
    by_cards = place == PLACE_PONTOON or place == PLACE_TWENTY_ONE or place == PLACE_BUST
    return bool(by_rule or by_cards)


@inlined
def _check_halves_collected(table: Table) -> None:
    """act-2018 9.4, nz-2000 9.5. A card that the dealer should not have drawn delays nothing."""
    complete = _dealer_complete_at(table)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind > DOUBLE_BET or at.place != PLACE_SURRENDERED or at.taken == 0:
            continue
        if _stands_from(table, bet) < complete:
            find_bet(table, SURRENDER_HALF_EARLY, at.settled_at, bet, NOT)


@inlined
def _dealer_complete_at(table: Table) -> int:
    """Seq of the last card that counts for the dealer, `NOT` where there is none."""
    last = NOT
    seq = table.space.hands[0].first
    for _ in range(table.space.head.dealer_counting):
        last = seq
        seq = table.space.links[seq].next
    return int(last)
