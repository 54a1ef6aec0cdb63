"""One round laid out: every event applied in order, nothing judged and nothing repaired.

What a rule needs to know about the moment of an act (the cards then on the hand, how many hands
the box then had) is kept with the act.
"""

from __future__ import annotations

from rules_replay.kernel.acts import add_act, add_bare_act
from rules_replay.kernel.book import DECK_FOREIGN_CARD_ROUND_VOID, SPLIT_CO_WAGERER_HAND_ANY
from rules_replay.kernel.codes import (
    ASSIGN,
    BURN,
    DEAL,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    FOREIGN,
    FORFEIT,
    INSURANCE,
    IRREGULARITY,
    MAIN,
    NEVER,
    NO_MORE_BETS,
    NOT,
    OF_HAND,
    OF_ROUND,
    PERFECT_PAIRS,
    PRESS,
    SETTLE,
    SETTLE_ORDER,
    SPLIT,
    SPLIT_BET,
    STAND,
    SURRENDER,
    VOID,
    WAGER,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.facts import captures
from rules_replay.kernel.initial_deal import burn, close_initial, deal, find_participants, miss_initial_cards
from rules_replay.kernel.pieces import add_card, new_bet, new_hand, take_card
from rules_replay.kernel.records import BOXES, Table
from rules_replay.kernel.table import box_of, gone_at, hand_of, is_complete, last_stake_line


@compiled
def lay_out(table: Table) -> None:
    """Apply every event of the round."""
    _clear(table)
    find_participants(table)
    events, highest_box = 0, 0
    for seq in range(table.round.count):
        event = table.space.events[seq]
        events |= 1 << int(event.kind)
        highest_box = max(highest_box, int(event.box))
        _apply(table, seq)
    _sort_hands(table)
    head = table.space.head
    head.events = events
    head.highest_box = highest_box
    foreign_voids = table.book.deck_foreign_card == DECK_FOREIGN_CARD_ROUND_VOID
    foreign_voids = foreign_voids and head.n_foreign > 0
    head.round_void = head.void_round_at < NEVER or (foreign_voids and _foreign_card_in_progress(table))
    if head.dealer_second_at != NEVER or head.served_at != NEVER:
        close_initial(table, head.dealer_second_at)
    elif head.initial_closed_at == NEVER and not head.round_void:
        miss_initial_cards(table)


@compiled
def _foreign_card_in_progress(table: Table) -> bool:
    """Whether a foreign card was found before all was settled: one found after it is in no round.

    rws-2017 5.1.1, def:Round of play. It counts as in it where the order of settlements is not recorded.
    """
    head = table.space.head
    if head.last_settled_at == NOT or not captures(table, SETTLE_ORDER):
        return True
    for bet in range(head.n_bets):
        if table.space.bets[bet].first_line == NOT and gone_at(table, bet) == NEVER:
            return True
    for number in range(head.n_acts):
        act = table.space.acts[number]
        if act.kind == FOREIGN:
            return bool(act.seq < head.last_settled_at)
    return True


@inlined
def _clear(table: Table) -> None:
    head = table.space.head
    for hand in range(head.n_hands):
        at = table.space.hands[hand]
        table.space.hand_at[at.box, at.no] = NOT
        table.space.box_at[at.box] = NOT
    for box in range(BOXES):
        table.space.dealt[box] = 0
    head.n_boxes = 0
    head.n_hands = 0
    head.n_bets = 0
    head.n_acts = 0
    head.n_initial = 0
    head.n_foreign = 0
    head.n_unreadable = 0
    head.n_irregularities = 0
    head.acts = 0
    head.wagers = 0
    head.lines = 0
    head.n_served = 0
    head.n_moves = 0
    head.first_card_at = NEVER
    head.no_more_bets_at = NEVER
    head.initial_done_at = NEVER
    head.initial_closed_at = NEVER
    head.served_at = NEVER
    head.subsequent_at = NEVER
    head.dealer_second_at = NEVER
    head.first_second_at = NEVER
    head.void_round_at = NEVER
    head.last_deal_at = NOT
    head.last_settled_at = NOT
    head.left_shoe = 0
    head.burned = False
    head.wager_void = False
    head.misdealt = False
    head.passed_over = False
    head.looked_to = NOT
    head.goes_on = False
    new_hand(table, 0, 1)


@inlined
def _sort_hands(table: Table) -> None:
    """Players' hands by box and number."""
    for hand in range(1, table.space.head.n_hands):
        box, no = table.space.hands[hand].box, table.space.hands[hand].no
        place = hand - 1
        while place > 0:
            before = table.space.hands[table.space.order[place - 1]]
            if (before.box, before.no) < (box, no):
                break
            table.space.order[place] = table.space.order[place - 1]
            place -= 1
        table.space.order[place] = hand


@inlined
def _apply(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    kind = event.kind
    if kind == WAGER:
        _place(table, seq)
    elif kind == DEAL:
        deal(table, seq)
    elif kind == SETTLE:
        _settle(table, seq)
    elif kind == NO_MORE_BETS:
        table.space.head.no_more_bets_at = min(table.space.head.no_more_bets_at, seq)
    elif kind == BURN:
        burn(table, seq)
    elif kind == SURRENDER:
        _surrender(table, seq)
    elif kind == SPLIT:
        _split(table, seq)
    elif kind == ASSIGN:
        _assign(table, seq)
    elif kind == DOUBLE:
        close_initial(table, seq)
        _double(table, seq, hand_of(table, event.box, event.hand))
    elif kind == STAND:
        close_initial(table, seq)
        hand = hand_of(table, event.box, event.hand)
        if table.space.hands[hand].stood_at == NOT:
            table.space.hands[hand].stood_at = seq
        add_act(table, STAND, seq, hand)
    elif kind == FORFEIT:
        bet = table.space.bets[table.space.bet_at[event.wager]].under
        table.space.bets[bet].forfeited_at = seq
        act = add_act(table, FORFEIT, seq, table.space.bets[bet].hand)
        act.bet = bet
    elif kind == PRESS:
        act = add_bare_act(table, PRESS, seq)
        act.box = event.box
        if event.wager != NOT:
            act.bet = table.space.bet_at[event.wager]
    elif kind == VOID:
        _void(table, seq)
    elif kind == IRREGULARITY:
        table.space.head.n_irregularities += 1
        act = add_bare_act(table, IRREGULARITY, seq)
        act.box = event.box
        act.no = event.hand
    elif kind == WITHDRAW:
        table.space.bets[table.space.bet_at[event.wager]].withdrawn_at = seq


@inlined
def _assign(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    bet = table.space.bet_at[event.wager]
    at = table.space.bets[bet]
    hand = hand_of(table, event.box, event.hand)
    if hand != at.hand and (is_complete(table, at.hand) or last_stake_line(table, bet) != NOT):
        at.moved_late = True
    at.hand = hand
    act = add_act(table, ASSIGN, seq, hand)
    act.bet = bet


@inlined
def _place(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    on = NOT if event.on == NOT else table.space.bet_at[event.on]
    no = event.hand
    if (event.wager_kind == DOUBLE_BET or event.wager_kind == INSURANCE) and on != NOT:
        no = table.space.hands[table.space.bets[on].hand].no
    if event.wager_kind >= PERFECT_PAIRS:
        no = 1
    if event.wager_kind == DOUBLE_BET and on != NOT and _shows_hand(table, seq, on):
        no = event.hand
        table.space.bets[on].hand = hand_of(table, event.box, no)
    hand = hand_of(table, event.box, no)
    bet = new_bet(table, seq, on, hand)
    misplaced = event.wager_kind == DOUBLE_BET and on != NOT and _doubles_another(table, seq, on)
    table.space.bets[bet].misplaced = misplaced
    if event.wager_kind == DOUBLE_BET and on != NOT and not misplaced:
        under = table.space.bets[on]
        if under.first_portion == NOT:
            under.first_portion = bet
        else:
            table.space.bets[under.last_portion].next_portion = bet
        under.last_portion = bet
    if event.wager_kind == MAIN:
        box = table.space.boxes[box_of(table, event.box)]
        if box.first_main == NOT:
            box.first_main = bet
        else:
            table.space.bets[box.last_main].next_main = bet
        box.last_main = bet
        box.n_mains += 1
    if event.wager_kind == DOUBLE_BET and table.space.hands[hand].doubled_at == NOT and not misplaced:
        _double(table, seq, hand)


@compiled
def _doubles_another(table: Table, seq: int, on: int) -> bool:
    """Whether a portion lies on a hand that was doubled and waits for its card, and its wager on another.

    That one was not doubled (act-2018 12.3, nz-2000 15.3(c), adelaide-2008 80).
    """
    event = table.space.events[seq]
    at = table.space.bets[on]
    if (table.round.facts >> DECISIONS) & 1 == 0 or at.box != event.box:
        return False
    if table.space.hands[at.hand].doubled_at != NOT:
        return False
    named = table.space.hand_at[event.box, event.hand]
    if named == NOT:
        return False
    doubled = table.space.hands[named]
    return bool(doubled.doubled_at != NOT and doubled.n == doubled.cards_at_double)


@compiled
def _shows_hand(table: Table, seq: int, on: int) -> bool:
    """Whether a doubled portion shows which hand a co-wagerer chose, decisions not being recorded.

    nz-2000 15.3(d), rws-2017 3.13.
    """
    if (table.round.facts >> DECISIONS) & 1 or table.book.split_co_wagerer_hand != SPLIT_CO_WAGERER_HAND_ANY:
        return False
    event = table.space.events[seq]
    at = table.space.bets[on]
    if at.kind != MAIN or at.box != event.box or table.space.hand_at[event.box, event.hand] == NOT:
        return False
    return bool(table.space.boxes[table.space.box_at[at.box]].first_main != on)


@inlined
def _surrender(table: Table, seq: int) -> None:
    """A hand that has its cards is given up; the initial deal may go on (act-2018 9, adelaide-2008 47(d))."""
    event = table.space.events[seq]
    hand = hand_of(table, event.box, event.hand)
    if table.space.hands[hand].n < 2 or table.space.hands[0].n == 0:
        close_initial(table, seq)
    only = NOT if event.wager == NOT else table.space.bet_at[event.wager]
    act = add_act(table, SURRENDER, seq, hand)
    act.bet = only
    act.elsewhere = only != NOT and table.space.bets[only].hand != hand
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        meant = bet == only if only != NOT else at.hand == hand and at.kind <= SPLIT_BET
        if meant and at.surrendered_at == NOT:
            at.surrendered_at = seq


@inlined
def _split(table: Table, seq: int) -> None:
    close_initial(table, seq)
    table.space.head.subsequent_at = min(table.space.head.subsequent_at, seq)
    event = table.space.events[seq]
    hand = hand_of(table, event.box, event.hand)
    new = hand_of(table, event.box, event.to)
    act = add_act(table, SPLIT, seq, hand)
    act.to = new
    act.hands_after = table.space.boxes[table.space.box_at[event.box]].n_hands
    at = table.space.hands[hand]
    to = table.space.hands[new]
    _cut_short(table, hand, seq)
    aces = at.n == 2 and at.aces == 2
    both = aces or at.split_aces
    at.split_aces = both
    to.split_aces = both
    at.of_split = True
    to.of_split = True
    to.split_from = at.no
    to.overdealt = at.overdealt
    if to.formed_at == NOT:
        to.formed_at = seq
    if at.n >= 2:
        second = table.space.links[at.first].next
        initial = table.space.links[second].initial
        take_card(table, hand, second)
        add_card(table, new, second, initial)
    else:
        to.lacks_split_card = True


@compiled
def _cut_short(table: Table, hand: int, seq: int) -> None:
    """A hand from a split is played on: before its second card, which it is to have first, or not."""
    at = table.space.hands[hand]
    if at.of_split and at.n < 2 and at.cut_short_at == NOT:
        at.cut_short_at = seq


@compiled
def _double(table: Table, seq: int, hand: int) -> None:
    table.space.head.subsequent_at = min(table.space.head.subsequent_at, seq)
    act = add_act(table, DOUBLE, seq, hand)
    at = table.space.hands[hand]
    act.again = at.doubled_at != NOT and at.n > at.cards_at_double
    # Without decisions a double stands where its wager was noted down, before its time or after it.
    if captures(table, DECISIONS):
        _cut_short(table, hand, seq)
    if at.doubled_at == NOT:
        at.doubled_at = seq
        at.cards_at_double = at.n


@inlined
def _void(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    if event.scope == OF_ROUND:
        table.space.head.void_round_at = min(table.space.head.void_round_at, seq)
    elif event.scope == OF_HAND and event.box != NOT:
        table.space.hands[hand_of(table, event.box, event.hand)].void_at = seq
    elif event.wager != NOT and table.space.bet_at[event.wager] != NOT:
        table.space.bets[table.space.bet_at[event.wager]].void_at = seq
        table.space.head.wager_void = True


@inlined
def _settle(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    table.space.head.last_settled_at = seq
    at = table.space.bets[table.space.bet_at[event.wager]]
    if event.reverses != NOT:
        at.corrected = True
        undone = event.reverses
        if undone < table.round.count and table.space.events[undone].kind == SETTLE:
            if table.space.events[undone].wager == event.wager:
                table.space.links[undone].undone = True
        return
    table.space.head.lines |= 1 << int(event.line)
    link = table.space.links[seq]
    link.next = NOT
    if at.first_line == NOT:
        at.first_line = seq
    else:
        table.space.links[at.last_line].next = seq
    at.last_line = seq
