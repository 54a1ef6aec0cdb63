"""One round laid out: every event applied in order, nothing judged and nothing repaired.

What a rule needs to know about the moment of an act (the cards then on the hand, how many hands
the box then had) is kept with the act.
"""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.book import (
    DECK_FOREIGN_CARD_ROUND_VOID,
    DECK_JOKER_PROMOTIONAL,
    SPLIT_CO_WAGERER_HAND_ANY,
)
from rules_replay.kernel.codes import (
    ACE,
    ASSIGN,
    BURN,
    DEAL,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    DRAW,
    FOREIGN,
    FORFEIT,
    INSURANCE,
    IRREGULARITY,
    JOKER_CARD,
    MAIN,
    NEVER,
    NO_MORE_BETS,
    NOT,
    OF_HAND,
    OF_ROUND,
    OF_WAGER,
    PERFECT_PAIRS,
    PRESS,
    SETTLE,
    SPLIT,
    SPLIT_BET,
    STAKE,
    STAND,
    SURRENDER,
    UNREADABLE,
    VOID,
    WAGER,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, foreign, rank, readable, value
from rules_replay.kernel.records import BOXES, Table


@compiled
def lay_out(table: Table) -> None:
    """Apply every event of the round."""
    _clear(table)
    _find_participants(table)
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
    head.round_void = head.void_round_at < NEVER or (head.n_foreign > 0 and foreign_voids)
    if head.dealer_second_at != NEVER or head.served_at != NEVER:
        _close_initial(table, head.dealer_second_at)
    elif head.initial_closed_at == NEVER and not head.round_void:
        _miss_initial_cards(table)


@compiled
def _miss_initial_cards(table: Table) -> None:
    """Cards of the initial deal that a log lacks in which nothing but settlements follows it.

    A box whose main wager was settled should have two cards by then, and the dealer one (act-2018 6.2,
    nz-2000 8.2, rws-2017 3.6). A settlement ends no deal, so only the end shows it.
    """
    head = table.space.head
    last = NOT
    for place in range(head.n_participants):
        box = table.space.participants[place]
        settled_at = _settled_at(table, box)
        last = max(last, settled_at)
        at = table.space.hands[hand_of(table, box, 1)]
        at.lacks_initial_card = settled_at != NOT and at.n < 2
        head.misdealt |= at.lacks_initial_card
    dealer = table.space.hands[0]
    dealer.lacks_initial_card = last != NOT and dealer.n == 0
    head.misdealt |= dealer.lacks_initial_card
    if last != NOT:
        head.initial_closed_at = last


@compiled
def _settled_at(table: Table, box: int) -> int:
    """Where a main wager that stayed on a box was last settled."""
    last = NOT
    bet = table.space.boxes[table.space.box_at[box]].first_main
    while bet != NOT:
        if gone_at(table, bet) == NEVER:
            last = max(last, last_stake_line(table, bet))
        bet = table.space.bets[bet].next_main
    return int(last)


@compiled
def last_stake_line(table: Table, bet: int) -> int:
    """The event of the last settlement of a wager's stake that stands; `NOT` where there is none."""
    last = NOT
    line = table.space.bets[bet].first_line
    while line != NOT:
        if table.space.events[line].line == STAKE and not table.space.links[line].undone:
            last = line
        line = table.space.links[line].next
    return last


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
    _new_hand(table, 0, 1)


@inlined
def _find_participants(table: Table) -> None:
    """Boxes with a main wager before the first card, in order: those the initial deal goes round.

    A box whose main wagers were all void or taken back by then, and that got no card, is none of them.
    """
    count = 0
    end = table.round.count
    taken_back = False
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == DEAL:
            end = seq
            break
        taken_back |= _takes_back(table, seq)
        if event.kind != WAGER or event.wager_kind != MAIN:
            continue
        place = count
        while place > 0 and table.space.participants[place - 1] > event.box:
            place -= 1
        if place > 0 and table.space.participants[place - 1] == event.box:
            continue
        for later in range(count, place, -1):
            table.space.participants[later] = table.space.participants[later - 1]
        table.space.participants[place] = event.box
        count += 1
    if taken_back:
        count = _leave_out_empty(table, count, end)
    table.space.head.n_participants = count


@compiled
def _takes_back(table: Table, seq: int) -> bool:
    """Whether an event makes one wager void."""
    event = table.space.events[seq]
    return bool(event.kind == WITHDRAW or (event.kind == VOID and event.scope == OF_WAGER))


@compiled
def _leave_out_empty(table: Table, count: int, end: int) -> int:
    """Leave out boxes without a wager left at a moment that never got a card; returns how many are kept."""
    kept = 0
    for place in range(count):
        box = table.space.participants[place]
        if _is_dealt_in(table, box, end):
            table.space.participants[kept] = box
            kept += 1
    return kept


@compiled
def _is_dealt_in(table: Table, box: int, end: int) -> bool:
    for seq in range(end):
        event = table.space.events[seq]
        if event.kind == WAGER and event.wager_kind == MAIN and event.box == box:
            if not _is_taken_back(table, event.wager, end):
                return True
    for seq in range(end, table.round.count):
        if table.space.events[seq].kind == DEAL and table.space.events[seq].box == box:
            return True
    return False


@compiled
def _is_taken_back(table: Table, wager: int, end: int) -> bool:
    for seq in range(end):
        if table.space.events[seq].wager == wager and _takes_back(table, seq):
            return True
    return False


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
        _deal(table, seq)
    elif kind == SETTLE:
        _settle(table, seq)
    elif kind == NO_MORE_BETS:
        table.space.head.no_more_bets_at = min(table.space.head.no_more_bets_at, seq)
    elif kind == BURN:
        _burn(table, seq)
    elif kind == SURRENDER:
        _surrender(table, seq)
    elif kind == SPLIT:
        _split(table, seq)
    elif kind == ASSIGN:
        _assign(table, seq)
    elif kind == DOUBLE:
        _close_initial(table, seq)
        _double(table, seq, hand_of(table, event.box, event.hand))
    elif kind == STAND:
        _close_initial(table, seq)
        hand = hand_of(table, event.box, event.hand)
        if table.space.hands[hand].stood_at == NOT:
            table.space.hands[hand].stood_at = seq
        _act(table, STAND, seq, hand)
    elif kind == FORFEIT:
        bet = table.space.bets[table.space.bet_at[event.wager]].under
        table.space.bets[bet].forfeited_at = seq
        act = _act(table, FORFEIT, seq, table.space.bets[bet].hand)
        act.bet = bet
    elif kind == PRESS:
        act = _bare_act(table, PRESS, seq)
        act.box = event.box
        if event.wager != NOT:
            act.bet = table.space.bet_at[event.wager]
    elif kind == VOID:
        _void(table, seq)
    elif kind == IRREGULARITY:
        table.space.head.n_irregularities += 1
        act = _bare_act(table, IRREGULARITY, seq)
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
    act = _act(table, ASSIGN, seq, hand)
    act.bet = bet


@compiled
def is_complete(table: Table, hand: int) -> bool:
    """Whether a hand takes no more cards: it stood, was doubled, has a card to a split ace, or 21 or more."""
    at = table.space.hands[hand]
    if at.stood_at != NOT or at.doubled_at != NOT:
        return True
    return bool(at.n >= 2 and (at.split_aces or best(at.points, at.aces, 0) >= 21))


@compiled
def box_of(table: Table, no: int) -> int:
    """The number of a box, made where there is none yet."""
    if table.space.box_at[no] == NOT:
        box = table.space.head.n_boxes
        table.space.head.n_boxes += 1
        table.space.box_at[no] = box
        at = table.space.boxes[box]
        at.no = no
        at.n_hands = 0
        at.n_mains = 0
        at.first_main = NOT
        at.last_main = NOT
        at.surrender_faults = 0
        for kind in range(len(at.sides)):
            at.sides[kind] = 0
    return table.space.box_at[no]


@compiled
def hand_of(table: Table, box: int, no: int) -> int:
    """The number of a hand, made where there is none yet; every hand of box 0 is the dealer's."""
    if box == 0:
        return 0
    hand = table.space.hand_at[box, no]
    if hand != NOT:
        return int(hand)
    table.space.boxes[box_of(table, box)].n_hands += 1
    return _new_hand(table, box, no)


@compiled
def _new_hand(table: Table, box: int, no: int) -> int:
    hand = table.space.head.n_hands
    table.space.head.n_hands += 1
    table.space.hand_at[box, no] = hand
    at = table.space.hands[hand]
    at.box = box
    at.no = no
    at.first = NOT
    at.last = NOT
    at.n = 0
    at.points = 0
    at.aces = 0
    at.unreadable = 0
    at.foreign = 0
    at.split_from = NOT
    at.formed_at = NOT
    at.of_split = False
    at.split_aces = False
    at.superfluous = False
    at.lacks_initial_card = False
    at.lacks_split_card = False
    at.recount = False
    at.doubled_at = NOT
    at.cards_at_double = 0
    at.stood_at = NOT
    at.void_at = NOT
    at.disturbed_by = NOT
    at.places = 0
    at.turn_over = False
    at.draw_faults = 0
    at.split_faults = 0
    at.double_fault = False
    at.surrender_called_at = NOT
    at.joined_by = NOT
    return hand


@compiled
def _next_act(table: Table, kind: int, seq: int) -> Any:
    act = table.space.acts[table.space.head.n_acts]
    table.space.head.n_acts += 1
    table.space.head.acts |= 1 << kind
    act.kind = kind
    act.seq = seq
    act.to = NOT
    act.bet = NOT
    act.card = NOT
    act.again = False
    act.in_order = False
    act.elsewhere = False
    act.hands_after = 0
    act.first = NOT
    act.second = NOT
    return act


@compiled
def _bare_act(table: Table, kind: int, seq: int) -> Any:
    """An act that is on no hand."""
    act = _next_act(table, kind, seq)
    act.hand = NOT
    act.box = NOT
    act.no = NOT
    act.of_split = False
    act.n = 0
    act.points = 0
    act.aces = 0
    act.unreadable = 0
    return act


@compiled
def _act(table: Table, kind: int, seq: int, hand: int) -> Any:
    """An act on a hand, which is counted as it now is."""
    if kind == DRAW or kind == SPLIT or kind == DOUBLE:
        table.space.moves[table.space.head.n_moves] = table.space.head.n_acts
        table.space.head.n_moves += 1
    act = _next_act(table, kind, seq)
    at = table.space.hands[hand]
    act.hand = hand
    act.box = at.box
    act.no = at.no
    act.of_split = at.of_split
    act.n = at.n
    act.points = at.points
    act.aces = at.aces
    act.unreadable = at.unreadable
    if at.n > 0:
        act.first = table.space.events[at.first].card
    if at.n > 1:
        act.second = table.space.events[table.space.links[at.first].next].card
    return act


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
    bet = _new_bet(table, seq, on, hand)
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
def _new_bet(table: Table, seq: int, on: int, hand: int) -> int:
    event = table.space.events[seq]
    bet = table.space.head.n_bets
    table.space.head.n_bets += 1
    table.space.head.wagers |= 1 << int(event.wager_kind)
    table.space.bet_at[event.wager] = bet
    at = table.space.bets[bet]
    at.seq = seq
    at.name = event.wager
    at.kind = event.wager_kind
    at.player = event.player
    at.box = event.box
    at.hand = hand
    at.on = on
    rests = on != NOT and (event.wager_kind == SPLIT_BET or event.wager_kind == DOUBLE_BET)
    at.root = table.space.bets[on].root if rests else bet
    at.under = on if on != NOT and event.wager_kind == DOUBLE_BET else bet
    at.next_main = NOT
    at.first_portion = NOT
    at.last_portion = NOT
    at.next_portion = NOT
    at.first_line = NOT
    at.last_line = NOT
    at.surrendered_at = NOT
    at.forfeited_at = NOT
    at.withdrawn_at = NOT
    at.void_at = NOT
    at.moved_late = False
    at.corrected = False
    at.amount = event.amount
    at.limit = event.limit
    at.super_bonus = 0
    at.other_bonus = 0
    at.bonus_unknown = False
    return bet


@inlined
def _deal(table: Table, seq: int) -> None:
    head = table.space.head
    event = table.space.events[seq]
    head.first_card_at = min(head.first_card_at, seq)
    head.last_deal_at = seq
    _leave_shoe(table, seq)
    table.space.dealt[event.box] += 1
    _note_odd_card(table, seq, event.card, event.box, event.hand)
    if event.card == JOKER_CARD and table.book.deck_joker == DECK_JOKER_PROMOTIONAL:
        return
    hand = hand_of(table, event.box, event.hand)
    if event.box == 0:
        _deal_to_dealer(table, seq)
        return
    at = table.space.hands[hand]
    if table.space.boxes[table.space.box_at[event.box]].n_mains == 0:
        at.superfluous = True
        head.misdealt = True
        _add_card(table, hand, seq, False)
        return
    if head.initial_closed_at == NEVER and not at.of_split and at.n < 2:
        _add_card(table, hand, seq, True)
        table.space.initial[head.n_initial] = seq
        head.n_initial += 1
        _end_initial_when_complete(table, seq)
        return
    _close_initial(table, seq)
    head.subsequent_at = min(head.subsequent_at, seq)
    _act(table, DRAW, seq, hand)
    _add_card(table, hand, seq, False)


@inlined
def _deal_to_dealer(table: Table, seq: int) -> None:
    head = table.space.head
    count = table.space.hands[0].n
    if count == 0 and head.initial_closed_at == NEVER:
        table.space.initial[head.n_initial] = seq
        head.n_initial += 1
    if count == 1:
        head.dealer_second_at = seq
        head.first_second_at = min(head.first_second_at, seq)
    elif count == 2:
        _close_initial(table, seq)
    _add_card(table, 0, seq, count == 0)
    if count == 0:
        _end_initial_when_complete(table, seq)


@compiled
def _add_card(table: Table, hand: int, seq: int, initial: bool) -> None:
    at = table.space.hands[hand]
    link = table.space.links[seq]
    link.initial = initial
    link.next = NOT
    link.previous = at.last
    if at.last == NOT:
        at.first = seq
    else:
        table.space.links[at.last].next = seq
    at.last = seq
    at.recount |= at.n >= 2 and best(at.points, at.aces, 0) >= 21
    _count_card(table, hand, seq, 1)


@compiled
def _take_card(table: Table, hand: int, seq: int) -> None:
    """Take a card off a hand, wherever it lies."""
    table.space.head.n_served = 0
    at = table.space.hands[hand]
    at.recount = True
    link = table.space.links[seq]
    if link.previous == NOT:
        at.first = link.next
    else:
        table.space.links[link.previous].next = link.next
    if link.next == NOT:
        at.last = link.previous
    else:
        table.space.links[link.next].previous = link.previous
    _count_card(table, hand, seq, -1)


@compiled
def _count_card(table: Table, hand: int, seq: int, way: int) -> None:
    at = table.space.hands[hand]
    card = table.space.events[seq].card
    at.n += way
    at.points += way * value(card)
    at.aces += way * (rank(card) == ACE)
    if not readable(card):
        at.unreadable += way
    if foreign(card):
        at.foreign += way


@compiled
def _leave_shoe(table: Table, seq: int) -> None:
    table.space.left[table.space.head.left_shoe] = seq
    table.space.head.left_shoe += 1


@inlined
def _note_odd_card(table: Table, seq: int, card: int, box: int, no: int) -> None:
    if not readable(card):
        table.space.head.n_unreadable += 1
        _odd_card(table, UNREADABLE, seq, card, box, no)
    if foreign(card):
        table.space.head.n_foreign += 1
        _odd_card(table, FOREIGN, seq, card, box, no)


@compiled
def _odd_card(table: Table, kind: int, seq: int, card: int, box: int, no: int) -> None:
    act = _bare_act(table, kind, seq)
    act.card = card
    act.box = box
    act.no = no


@compiled
def _end_initial_when_complete(table: Table, seq: int) -> None:
    head = table.space.head
    if head.initial_closed_at != NEVER or table.space.hands[0].n == 0:
        return
    while head.n_served < head.n_participants:
        if table.space.hands[hand_of(table, table.space.participants[head.n_served], 1)].n < 2:
            return
        head.n_served += 1
    head.served_at = min(head.served_at, seq)
    if not _late_box_waits(table):
        head.initial_done_at = seq
        head.initial_closed_at = seq


@compiled
def _late_box_waits(table: Table) -> bool:
    """Whether a box on which a main wager was placed after the first card has one card of the deal.

    The deal goes round to it as well (rws-2017 3.6, act-2018 6.2, nz-2000 8.2, adelaide-2008 47).
    """
    for hand in range(1, table.space.head.n_hands):
        at = table.space.hands[hand]
        if at.no != 1 or at.n != 1 or not table.space.links[at.first].initial:
            continue
        if table.space.boxes[table.space.box_at[at.box]].n_mains > 0:
            return True
    return False


@compiled
def _close_initial(table: Table, seq: int) -> None:
    """The initial deal is over by what follows it, whether or not every card came.

    It was over with the dealer's second card, unless cards of it came after that card (ruling 12).
    """
    head = table.space.head
    if head.initial_closed_at != NEVER:
        return
    if head.served_at != NEVER:
        # Only a box with a late wager waits for a card, and that in vain.
        head.initial_done_at = head.served_at
        head.initial_closed_at = head.served_at
        return
    head.initial_closed_at = min(seq, head.dealer_second_at)
    for place in range(head.n_participants):
        at = table.space.hands[hand_of(table, table.space.participants[place], 1)]
        at.lacks_initial_card = at.n < 2
        head.misdealt |= at.lacks_initial_card
    table.space.hands[0].lacks_initial_card = table.space.hands[0].n == 0
    head.misdealt |= table.space.hands[0].lacks_initial_card


@inlined
def _burn(table: Table, seq: int) -> None:
    event = table.space.events[seq]
    box = max(event.box, 0)
    if not event.off_hand:
        table.space.head.burned = True
        _leave_shoe(table, seq)
        if foreign(event.card):
            table.space.head.n_foreign += 1
            _odd_card(table, FOREIGN, seq, event.card, box, event.hand)
        return
    hand = hand_of(table, box, event.hand)
    last = table.space.hands[hand].last
    joker = event.card == JOKER_CARD and table.book.deck_joker == DECK_JOKER_PROMOTIONAL
    if last == NOT or joker:
        return
    _take_card(table, hand, last)
    table.space.links[last].undone = True
    act = _act(table, BURN, seq, hand)
    act.to = last
    act.in_order = table.space.links[last].initial and _came_in_order(table, hand, last)
    if table.space.links[last].initial:
        _take_back_initial(table, last)
    elif last == table.space.head.dealer_second_at:
        table.space.head.dealer_second_at = NEVER
    elif table.space.head.initial_done_at == NEVER and _only_interrupted(table, last):
        table.space.head.subsequent_at = NEVER
        _reopen_initial(table)


@compiled
def _came_in_order(table: Table, hand: int, seq: int) -> bool:
    """Whether a card of the initial deal, which lies on its hand no more, came once round and in turn.

    Once round the boxes, the dealer, once round again (act-2018 6.2, nz-2000 8.2, rws-2017 3.6,
    adelaide-2008 47).
    """
    head = table.space.head
    box = int(table.space.hands[hand].box)
    had = table.space.hands[hand].n if hand != 0 else 1
    takes_part = hand == 0
    if hand != 0 and _cards_before(table, 0, seq) != had:
        return False
    for place in range(head.n_participants):
        other = int(table.space.participants[place])
        if hand != 0 and other == box:
            takes_part = True
            continue
        due = had + 1 if hand != 0 and other < box else had
        if _cards_before(table, hand_of(table, other, 1), seq) != due:
            return False
    return takes_part


@compiled
def _cards_before(table: Table, hand: int, moment: int) -> int:
    count = 0
    seq = int(table.space.hands[hand].first)
    while seq != NOT:
        count += seq < moment
        seq = int(table.space.links[seq].next)
    return count


@compiled
def _only_interrupted(table: Table, seq: int) -> bool:
    """Whether a card burned off its hand had ended the initial deal, and nothing that counts came since.

    The deal goes on (act-2018 15.3, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105).
    """
    if seq != table.space.head.initial_closed_at:
        return False
    for number in range(table.space.head.n_acts - 1, -1, -1):
        act = table.space.acts[number]
        if act.seq < seq:
            return True
        if act.kind in (STAND, SURRENDER, SPLIT, DOUBLE):
            return False
        if act.kind == DRAW and not table.space.links[act.seq].undone:
            return False
    return True


@inlined
def _take_back_initial(table: Table, seq: int) -> None:
    """A card of the initial deal was removed: the deal is open again until play begins."""
    head = table.space.head
    kept = 0
    for place in range(head.n_initial):
        if table.space.initial[place] != seq:
            table.space.initial[kept] = table.space.initial[place]
            kept += 1
    head.n_initial = kept
    if head.subsequent_at == NEVER and head.dealer_second_at == NEVER:
        head.initial_done_at = NEVER
        _reopen_initial(table)


@compiled
def _reopen_initial(table: Table) -> None:
    table.space.head.initial_closed_at = NEVER
    table.space.head.served_at = NEVER
    for hand in range(table.space.head.n_hands):
        table.space.hands[hand].lacks_initial_card = False


@inlined
def _surrender(table: Table, seq: int) -> None:
    """A hand that has its cards is given up; the initial deal may go on (act-2018 9, adelaide-2008 47(d))."""
    event = table.space.events[seq]
    hand = hand_of(table, event.box, event.hand)
    if table.space.hands[hand].n < 2 or table.space.hands[0].n == 0:
        _close_initial(table, seq)
    only = NOT if event.wager == NOT else table.space.bet_at[event.wager]
    act = _act(table, SURRENDER, seq, hand)
    act.bet = only
    act.elsewhere = only != NOT and table.space.bets[only].hand != hand
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        meant = bet == only if only != NOT else at.hand == hand and at.kind <= SPLIT_BET
        if meant and at.surrendered_at == NOT:
            at.surrendered_at = seq


@inlined
def _split(table: Table, seq: int) -> None:
    _close_initial(table, seq)
    table.space.head.subsequent_at = min(table.space.head.subsequent_at, seq)
    event = table.space.events[seq]
    hand = hand_of(table, event.box, event.hand)
    new = hand_of(table, event.box, event.to)
    act = _act(table, SPLIT, seq, hand)
    act.to = new
    act.hands_after = table.space.boxes[table.space.box_at[event.box]].n_hands
    at = table.space.hands[hand]
    to = table.space.hands[new]
    aces = at.n == 2 and at.aces == 2
    both = aces or at.split_aces
    at.split_aces = both
    to.split_aces = both
    at.of_split = True
    to.of_split = True
    to.split_from = at.no
    if to.formed_at == NOT:
        to.formed_at = seq
    if at.n >= 2:
        second = table.space.links[at.first].next
        initial = table.space.links[second].initial
        _take_card(table, hand, second)
        _add_card(table, new, second, initial)
    else:
        to.lacks_split_card = True


@compiled
def _double(table: Table, seq: int, hand: int) -> None:
    table.space.head.subsequent_at = min(table.space.head.subsequent_at, seq)
    act = _act(table, DOUBLE, seq, hand)
    at = table.space.hands[hand]
    act.again = at.doubled_at != NOT and at.n > at.cards_at_double
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


@compiled
def gone_at(table: Table, main: int) -> int:
    """Seq at which a main wager was declared void, by itself or with its hand, or taken back; or `NEVER`."""
    at = table.space.bets[main]
    gone = NEVER
    if at.void_at != NOT:
        gone = min(gone, at.void_at)
    if at.withdrawn_at != NOT:
        gone = min(gone, at.withdrawn_at)
    void_at = table.space.hands[at.hand].void_at
    return int(min(gone, void_at)) if void_at != NOT else int(gone)


@compiled
def did(table: Table, kind: int) -> bool:
    """Whether there is any act of a kind."""
    return bool((table.space.head.acts >> kind) & 1)


@compiled
def placed(table: Table, kind: int) -> bool:
    """Whether there is any wager of a kind."""
    return bool((table.space.head.wagers >> kind) & 1)


@compiled
def placed_side(table: Table) -> bool:
    """Whether there is any side wager."""
    return bool(table.space.head.wagers >> PERFECT_PAIRS)


@compiled
def happened(table: Table, kind: int) -> bool:
    """Whether there is any event of a kind."""
    return bool((table.space.head.events >> kind) & 1)


@compiled
def stands(table: Table, place: int) -> bool:
    """Whether any main, split or doubled bet stands at a place."""
    return bool((table.space.head.places >> place) & 1)


@compiled
def reported(table: Table, code: int, box: int) -> int:
    """Seq of the first irregularity of a code reported for a box (`NOT`: for any) or the whole table."""
    if table.space.head.n_irregularities == 0:
        return NEVER
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == IRREGULARITY and table.space.events[act.seq].code == code:
            if box == NOT or act.box == NOT or act.box == box:
                return act.seq
    return NEVER


@compiled
def next_deal_after(table: Table, seq: int) -> int:
    """Seq of the first card dealt to anyone after a moment."""
    for place in range(min(seq, NEVER - 1) + 1, table.round.count):
        if table.space.events[place].kind == DEAL:
            return place
    return NEVER


@compiled
def next_kept_deal_after(table: Table, seq: int) -> int:
    """Seq of the first card after a moment that was not burned off its hand again."""
    further = next_deal_after(table, seq)
    while further != NEVER and table.space.links[further].undone:
        further = next_deal_after(table, further)
    return further


@compiled
def controller(table: Table, box: int, moment: int) -> int:
    """The main bet of whoever decided for a box at a moment: the first then in play; `NOT` for none."""
    first = table.space.boxes[box].first_main
    bet = first
    while bet != NOT:
        at = table.space.bets[bet]
        gave_up = table.book.reads_surrender_binds != 0 and NOT < at.surrendered_at < moment
        if not gave_up and gone_at(table, bet) >= moment:
            return bet
        bet = at.next_main
    return first


@compiled
def on_hand(table: Table, bet: int, hand: int) -> bool:
    """Whether a bet is a main or split bet that rides on a hand."""
    return table.space.bets[bet].hand == hand and table.space.bets[bet].kind <= SPLIT_BET
