"""What the rules ask of a table: which hand, who decides, what came when."""

from __future__ import annotations

from rules_replay.kernel.codes import (
    DEAL,
    IRREGULARITY,
    NEVER,
    NOT,
    PERFECT_PAIRS,
    SPLIT_BET,
    STAKE,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.count import best
from rules_replay.kernel.pieces import new_hand
from rules_replay.kernel.records import Table


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
    return new_hand(table, box, no)


@compiled
def on_hand(table: Table, bet: int, hand: int) -> bool:
    """Whether a bet is a main or split bet that rides on a hand."""
    return table.space.bets[bet].hand == hand and table.space.bets[bet].kind <= SPLIT_BET


@compiled
def is_complete(table: Table, hand: int) -> bool:
    """Whether a hand takes no more cards: it stood, was doubled, has a card to a split ace, or 21 or more."""
    at = table.space.hands[hand]
    if at.stood_at != NOT or at.doubled_at != NOT:
        return True
    return bool(at.n >= 2 and (at.split_aces or best(at.points, at.aces, 0) >= 21))


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
def last_stake_line(table: Table, bet: int) -> int:
    """The event of the last settlement of a wager's stake that stands; `NOT` where there is none."""
    last = NOT
    line = table.space.bets[bet].first_line
    while line != NOT:
        if table.space.events[line].line == STAKE and not table.space.links[line].undone:
            last = line
        line = table.space.links[line].next
    return last


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
