"""What lies on the table: hands, the cards on them, and wagers."""

from __future__ import annotations

from rules_replay.kernel.codes import ACE, DOUBLE_BET, NOT, SPLIT_BET
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, foreign, rank, readable, value
from rules_replay.kernel.records import Table


@compiled
def new_hand(table: Table, box: int, no: int) -> int:
    """The number of a hand that is made here, without a card on it."""
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
    at.cut_short_at = NOT
    at.overdealt = False
    at.passed_over = False
    at.excess_first = NOT
    at.excess_last = NOT
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


@inlined
def new_bet(table: Table, seq: int, on: int, hand: int) -> int:
    """The number of the wager that an event places, ``on`` another or on none (`NOT`)."""
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


@compiled
def add_card(table: Table, hand: int, seq: int, initial: bool) -> None:
    """The card dealt at an event comes on a hand."""
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
def take_card(table: Table, hand: int, seq: int) -> None:
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
