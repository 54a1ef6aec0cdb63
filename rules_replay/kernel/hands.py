"""Rows of hands: what each hand came to at the end of its round, and how it ended."""

from __future__ import annotations

from typing import Any, Final

from rules_replay.kernel.codes import (
    NOT,
    PLACE_PONTOON,
    PLACE_SURRENDERED,
    PLACE_TWENTY_ONE,
    PLACE_VOID,
)
from rules_replay.kernel.compiled import inlined
from rules_replay.kernel.count import best, fixed_aces, is_soft
from rules_replay.kernel.excess import add_excess, count_excess
from rules_replay.kernel.records import Letters, Table

ENDED: Final = (
    "pontoon",
    "21",
    "bust",
    "stood",
    "doubled",
    "surrendered",
    "void",
    "one card",
    "open",
)
"""How a hand ended, in the order of the numbers."""

ENDED_PONTOON: Final = 0
ENDED_TWENTY_ONE: Final = 1
ENDED_BUST: Final = 2
ENDED_STOOD: Final = 3
ENDED_DOUBLED: Final = 4
ENDED_SURRENDERED: Final = 5
ENDED_VOID: Final = 6
ENDED_ONE_CARD: Final = 7
ENDED_OPEN: Final = 8


@inlined
def write_cards(table: Table, hand: int, cards: Letters, card: int) -> int:
    """Write down the cards of a hand by number, in the order drawn; returns the place after them.

    Those too many of the initial deal come last.
    """
    at = table.space.hands[hand]
    at.cards_at = card
    for first in (at.first, at.excess_first):
        seq = first
        while seq != NOT:
            cards[card] = table.space.events[seq].card
            card += 1
            seq = table.space.links[seq].next
    return card


@inlined
def fill_hand(table: Table, number: int, hand: int, row: Any) -> None:
    """Fill the row of a hand that holds cards; ``number`` is the place of the round among its rounds."""
    at = table.space.hands[hand]
    fixed = fixed_aces(table, hand)
    row.round_at = number
    row.box = at.box
    row.no = at.no
    row.n = at.n
    points, aces = at.points, at.aces
    if at.excess_first != NOT:
        more_points, more_aces, _ = add_excess(table, hand)
        row.n += count_excess(table, hand)
        points += more_points
        aces += more_aces
    row.total = best(points, aces, fixed)
    row.soft = is_soft(points, aces, fixed)
    row.doubled = at.doubled_at != NOT
    row.split_from = at.split_from
    row.ended = _dealer_ended(table) if hand == 0 else _ended(table, hand, row.total)


@inlined
def _dealer_ended(table: Table) -> int:
    if table.space.head.dealer_pontoon:
        return ENDED_PONTOON
    dealer = table.space.hands[0]
    if best(dealer.points, dealer.aces, 0) > 21:
        return ENDED_BUST
    return ENDED_STOOD if table.space.head.dealer_finished else ENDED_OPEN


@inlined
def _ended(table: Table, hand: int, total: int) -> int:
    """How a player's hand ended: as all bets on it did, else by its cards and what was done with it."""
    at = table.space.hands[hand]
    if at.places == 1 << PLACE_VOID:
        return ENDED_VOID
    if at.places == 1 << PLACE_SURRENDERED:
        return ENDED_SURRENDERED
    if at.places == 1 << PLACE_PONTOON:
        return ENDED_PONTOON
    if at.places == 1 << PLACE_TWENTY_ONE:
        return ENDED_TWENTY_ONE
    if total > 21:
        return ENDED_BUST
    if at.doubled_at != NOT:
        return ENDED_DOUBLED
    if at.split_aces:
        return ENDED_ONE_CARD
    return ENDED_STOOD if at.stood_at != NOT else ENDED_OPEN
