"""Cards too many of the initial deal: a third one to a box while others waited for theirs.

They end no deal and no option that is open until it is over; the log does not say whose they were, nor what
their hand became. Where the later cards may be further ones, it may lack those of the deal instead.
"""

from __future__ import annotations

from rules_replay.kernel.book import DECK_JOKER_PROMOTIONAL
from rules_replay.kernel.codes import (
    ABSENT_PLAYER,
    ACE,
    ASSIGN,
    BURN,
    DEAL,
    DECISIONS,
    DOUBLE,
    DOUBLE_BET,
    EXPOSED_CARD,
    FORFEIT,
    INSURANCE,
    IRREGULARITY,
    JOKER_CARD,
    NEVER,
    NOT,
    SHORT_HAND,
    SPLIT,
    SPLIT_BET,
    STAND,
    SURRENDER,
    WAGER,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.count import best, rank, readable, value
from rules_replay.kernel.facts import captures
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import did, hand_of, placed


@compiled
def is_excess(table: Table, seq: int) -> bool:
    """Whether a card to a hand that has its two is one too many of the initial deal, which then went on.

    Nothing that comes after that deal had come, and nothing of it came before every box had two cards and the
    dealer one (act-2018 6.2 9.1 10.1, nz-2000 8.2, rws-2017 3.6, adelaide-2008 47). Where he alone lacked
    his, the deal had gone round and was taken to be over.
    """
    head = table.space.head
    if head.initial_closed_at != NEVER or head.served_at != NEVER or not _box_waits(table):
        return False
    if head.looked_to < seq:
        head.goes_on = False
        head.looked_to = NEVER
        if not _has_gone_on(table):
            _look_ahead(table, seq)
    return bool(head.goes_on)


@compiled
def _box_waits(table: Table) -> bool:
    for place in range(table.space.head.n_participants):
        if table.space.hands[hand_of(table, table.space.participants[place], 1)].n < 2:
            return True
    return False


@compiled
def _has_gone_on(table: Table) -> bool:
    if did(table, STAND) or did(table, SURRENDER) or did(table, SPLIT) or did(table, DOUBLE):
        return True
    if did(table, FORFEIT) or did(table, ASSIGN):
        return True
    return bool(placed(table, INSURANCE) or placed(table, SPLIT_BET) or placed(table, DOUBLE_BET))


@compiled
def _look_ahead(table: Table, start: int) -> None:
    """Find where in the log the initial deal is complete, or what first shows that it did not go on."""
    head = table.space.head
    waiting = _count_waiting(table)
    for seq in range(start, table.round.count):
        event = table.space.events[seq]
        if _comes_after_the_deal(table, seq):
            head.looked_to = seq
            return
        if event.kind != DEAL and event.kind != BURN:
            continue
        box = max(int(event.box), 0)
        hand = 0 if box == 0 else int(table.space.hand_at[box, 1])
        if hand == NOT or (box != 0 and event.hand != 1) or table.space.hands[hand].ahead == NOT:
            continue
        at = table.space.hands[hand]
        due = 1 if box == 0 else 2
        waited = at.ahead < due
        at.ahead = max(at.ahead + _more_cards(table, seq), 0)
        if box == 0 and at.ahead > 2:
            head.looked_to = seq
            return
        waiting += int(at.ahead < due) - int(waited)
        if waiting == 0:
            head.looked_to = seq
            head.goes_on = True
            return


@compiled
def _count_waiting(table: Table) -> int:
    """How many of the boxes, and the dealer, wait for cards; notes ``ahead`` how many each has."""
    head = table.space.head
    for hand in range(head.n_hands):
        table.space.hands[hand].ahead = NOT
    dealer = table.space.hands[0]
    dealer.ahead = dealer.n
    waiting = int(dealer.n < 1)
    for place in range(head.n_participants):
        hand = hand_of(table, table.space.participants[place], 1)
        at = table.space.hands[hand]
        at.ahead = at.n + count_excess(table, hand)
        waiting += at.ahead < 2
    return int(waiting)


@compiled
def count_excess(table: Table, hand: int) -> int:
    """How many cards too many lie beside a hand."""
    count = 0
    seq = int(table.space.hands[hand].excess_last)
    while seq != NOT:
        count += 1
        seq = int(table.space.links[seq].previous)
    return count


@compiled
def _comes_after_the_deal(table: Table, seq: int) -> bool:
    event = table.space.events[seq]
    if event.kind == WAGER:
        wager = event.wager_kind
        return bool(wager == INSURANCE or wager == SPLIT_BET or wager == DOUBLE_BET)
    return event.kind in (STAND, SURRENDER, SPLIT, DOUBLE, FORFEIT, ASSIGN)


@compiled
def _more_cards(table: Table, seq: int) -> int:
    """How many more cards lie on a hand by an event; a promotional joker lies on none (adelaide-2008 6)."""
    event = table.space.events[seq]
    if event.card == JOKER_CARD and table.book.deck_joker == DECK_JOKER_PROMOTIONAL:
        return 0
    if event.kind == DEAL:
        return 1
    return -1 if event.off_hand else 0


@compiled
def deal_too_many(table: Table, hand: int, seq: int) -> None:
    """The card lies beside the hand: what is done with that is judged by the others."""
    head = table.space.head
    head.passed_over = True
    for place in range(head.n_participants):
        waits = table.space.hands[hand_of(table, table.space.participants[place], 1)]
        waits.passed_over |= waits.n < 2
    table.space.hands[0].passed_over |= table.space.hands[0].n == 0
    at = table.space.hands[hand]
    at.overdealt = True
    link = table.space.links[seq]
    link.initial = False
    link.next = NOT
    link.previous = at.excess_last
    if at.excess_last == NOT:
        at.excess_first = seq
    else:
        table.space.links[at.excess_last].next = seq
    at.excess_last = seq
    table.space.initial[head.n_initial] = seq
    head.n_initial += 1


@compiled
def look_back(table: Table) -> None:
    """The initial deal is complete: did a card too many come, or does the log lack one of others?"""
    head = table.space.head
    if not head.passed_over:
        return
    unsure = False
    for hand in range(1, head.n_hands):
        if table.space.hands[hand].excess_first != NOT:
            unsure = unsure or _may_be_done(table, hand)
    for hand in range(head.n_hands):
        at = table.space.hands[hand]
        if at.passed_over:
            at.lacks_initial_card = unsure
    head.misdealt |= unsure
    if unsure:
        _leave_excess_out(table)


@compiled
def _may_be_done(table: Table, hand: int) -> bool:
    """Whether a hand may have taken its further cards and was finished without a stand.

    So is one with 21 or over it, and one whose player was absent, short of cards or refused one (act-2018
    10.2 15.7, nz-2000 16.4 16.6, rws-2017 3.11, adelaide-2008 50 103 105). Then the later cards of those that
    waited may be further ones too.
    """
    if not captures(table, DECISIONS) or _reported_undecided(table):
        return True
    at = table.space.hands[hand]
    points, aces, unreadable = add_excess(table, hand)
    return bool(at.unreadable + unreadable > 0 or best(at.points + points, at.aces + aces, 0) >= 21)


@compiled
def _reported_undecided(table: Table) -> bool:
    for number in range(table.space.head.n_acts if table.space.head.n_irregularities else 0):
        act = table.space.acts[number]
        if act.kind == IRREGULARITY:
            if table.space.events[act.seq].code in (ABSENT_PLAYER, SHORT_HAND, EXPOSED_CARD):
                return True
    return False


@compiled
def add_excess(table: Table, hand: int) -> tuple[int, int, int]:
    """What the cards too many of a hand add to it: points, aces, and cards that could not be read."""
    points, aces, unreadable = 0, 0, 0
    seq = int(table.space.hands[hand].excess_last)
    while seq != NOT:
        card = int(table.space.events[seq].card)
        points += value(card)
        aces += rank(card) == ACE
        unreadable += not readable(card)
        seq = int(table.space.links[seq].previous)
    return points, int(aces), int(unreadable)


@compiled
def _leave_excess_out(table: Table) -> None:
    """The sequence of the initial deal without the cards too many."""
    head = table.space.head
    kept = 0
    for place in range(head.n_initial):
        if table.space.links[table.space.initial[place]].initial:
            table.space.initial[kept] = table.space.initial[place]
            kept += 1
    head.n_initial = kept


@compiled
def take_back_excess(table: Table, hand: int) -> None:
    """The last of the cards too many of a hand is burned."""
    head = table.space.head
    at = table.space.hands[hand]
    removed = int(at.excess_last)
    at.excess_last = table.space.links[removed].previous
    if at.excess_last == NOT:
        at.excess_first = NOT
    else:
        table.space.links[at.excess_last].next = NOT
    at.overdealt = at.excess_last != NOT
    table.space.links[removed].undone = True
    kept = 0
    for place in range(head.n_initial):
        if table.space.initial[place] != removed:
            table.space.initial[kept] = table.space.initial[place]
            kept += 1
    head.n_initial = kept
    if head.served_at != NEVER:
        look_back(table)
