"""The initial deal: who is dealt to, when it is over, and how it opens again."""

from __future__ import annotations

from rules_replay.kernel.acts import add_act, add_bare_act
from rules_replay.kernel.book import DECK_JOKER_PROMOTIONAL
from rules_replay.kernel.codes import (
    BURN,
    DEAL,
    DOUBLE,
    DRAW,
    FOREIGN,
    JOKER_CARD,
    MAIN,
    NEVER,
    NOT,
    OF_WAGER,
    SPLIT,
    STAND,
    SURRENDER,
    UNREADABLE,
    VOID,
    WAGER,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import foreign, readable
from rules_replay.kernel.excess import deal_too_many, is_excess, look_back, take_back_excess
from rules_replay.kernel.pieces import add_card, take_card
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import gone_at, hand_of, last_stake_line


@inlined
def find_participants(table: Table) -> None:
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
def deal(table: Table, seq: int) -> None:
    """A card comes to a hand: one of the initial deal until that is over, and a draw after it."""
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
        add_card(table, hand, seq, False)
        return
    if head.initial_closed_at == NEVER and not at.of_split and at.n < 2:
        add_card(table, hand, seq, True)
        table.space.initial[head.n_initial] = seq
        head.n_initial += 1
        _end_initial_when_complete(table, seq)
        return
    if is_excess(table, seq):
        deal_too_many(table, hand, seq)
        return
    close_initial(table, seq)
    head.subsequent_at = min(head.subsequent_at, seq)
    add_act(table, DRAW, seq, hand)
    add_card(table, hand, seq, False)


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
        close_initial(table, seq)
    add_card(table, 0, seq, count == 0)
    if count == 0:
        _end_initial_when_complete(table, seq)


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
    act = add_bare_act(table, kind, seq)
    act.card = card
    act.box = box
    act.no = no


@compiled
def _leave_shoe(table: Table, seq: int) -> None:
    table.space.left[table.space.head.left_shoe] = seq
    table.space.head.left_shoe += 1


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
    look_back(table)
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
def close_initial(table: Table, seq: int) -> None:
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


@compiled
def miss_initial_cards(table: Table) -> None:
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


@inlined
def burn(table: Table, seq: int) -> None:
    """A card leaves the shoe, or the hand on which it was the last."""
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
    if table.space.hands[hand].excess_last > last:
        take_back_excess(table, hand)
        return
    take_card(table, hand, last)
    table.space.links[last].undone = True
    act = add_act(table, BURN, seq, hand)
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
