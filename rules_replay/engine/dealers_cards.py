"""What the dealer's cards come to by themselves, whatever the players' hands need of him."""

from __future__ import annotations

from rules_replay.cards import Card, Total, counted, total
from rules_replay.engine.pieces import NEVER
from rules_replay.engine.table import Table


def must_draw(held: Total) -> bool:
    """The dealer draws to hard 16 and to soft 17."""
    return held.points <= 17 if held.soft else held.points <= 16


def counting_cards(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The dealer's cards up to where the rules make him stop."""
    points = aces = 0
    for count, each in enumerate(cards[:-1], 1):
        if not each.readable:
            return cards
        points += each.value
        aces += each.rank == "A"
        if count >= 2 and not must_draw(counted(points, aces)):
            return cards[:count]
    return cards


def is_dealer_pontoon(table: Table, cards: tuple[Card, ...]) -> bool:
    """An ace and a picture as the dealer's first two; with a foreign ten it is not known."""
    if len(cards) < 2 or late_first_card(table):
        return False
    pair = cards[:2]
    return any(each.rank == "A" for each in pair) and any(each.picture for each in pair)


def late_first_card(table: Table) -> bool:
    """The dealer lacked a card of the initial deal, as was reported, and so makes no Pontoon.

    adelaide-2008 105(d). Noticed before, the hands are reconstructed (105(a)).
    """
    missed = table.dealer.lacks_initial_card and table.reported("missed_first_card", 0) < NEVER
    return missed and table.book.flag("irregularity.late_first_card_no_pontoon")


def nothing_left_from(table: Table) -> int:
    """Seq of the card with which the dealer went over 21 or had Pontoon, `NEVER` where he did neither."""
    cards = counting_cards(table.dealer.faces)
    if not all(each.readable for each in cards):
        return NEVER
    decided = total(cards).bust or is_dealer_pontoon(table, cards)
    return table.dealer.cards[len(cards) - 1].seq if decided else NEVER
