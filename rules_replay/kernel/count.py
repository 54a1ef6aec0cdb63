"""Cards and totals: what a card is, and how a hand is counted (act-2018 2.5, nz-2000 4.1)."""

from __future__ import annotations

from rules_replay.kernel.book import (
    READS_FIXED_ACES_INITIAL_DEAL,
    READS_FIXED_ACES_NONE,
    READS_LATER_ACES_ALL_AT_ONE,
    READS_LATER_ACES_FREE,
)
from rules_replay.kernel.codes import (
    ACE,
    CARDS_OF_A_DECK,
    JACK,
    JOKER_CARD,
    KING,
    NOT,
    UNREADABLE_CARD,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.records import Table


@compiled
def rank(card: int) -> int:
    """Its rank: 0 for an ace up to 11 for a king, 12 for a ten, 13 for a joker or an unreadable card."""
    return card >> 2


@compiled
def suit(card: int) -> int:
    """Spades, hearts, diamonds, clubs; meaningless for a joker or an unreadable card."""
    return card & 3


@compiled
def readable(card: int) -> bool:
    """False for a card that the recorder could not read."""
    return card != UNREADABLE_CARD


@compiled
def foreign(card: int) -> bool:
    """True for a ten or a joker."""
    return CARDS_OF_A_DECK <= card <= JOKER_CARD


@compiled
def picture(card: int) -> bool:
    """True for king, queen and jack."""
    return JACK <= (card >> 2) <= KING


@compiled
def may_begin_pontoon(card: int) -> bool:
    """An ace, a picture, or a card that could not be read and may be one."""
    return (card >> 2) == ACE or picture(card) or card == UNREADABLE_CARD


@compiled
def value(card: int) -> int:
    """Points with an ace at one; 0 for a joker or an unreadable card."""
    if card >= JOKER_CARD:
        return 0
    found = card >> 2
    return 10 if found >= JACK else found + 1


@compiled
def is_soft(points: int, aces: int, fixed_aces: int) -> bool:
    """Whether one ace stands at eleven."""
    return aces > fixed_aces and points <= 11


@compiled
def best(points: int, aces: int, fixed_aces: int) -> int:
    """The best total of a hand with so many points (aces at one) and aces, some of them fixed at one."""
    return points + 10 if is_soft(points, aces, fixed_aces) else points


@compiled
def fixed_aces(table: Table, hand: int) -> int:
    """How many aces of a doubled hand are held at one (act-2018 2.5(a), nz-2000 12.2)."""
    at = table.space.hands[hand]
    reading = table.book.reads_fixed_aces
    if at.doubled_at == NOT or reading == READS_FIXED_ACES_NONE:
        return 0
    later = table.book.reads_later_aces
    count = 0
    seq = at.first
    place = 0
    while seq != NOT:
        if later == READS_LATER_ACES_ALL_AT_ONE:
            held = True
        elif later != READS_LATER_ACES_FREE:
            held = place < at.cards_at_double
        elif reading == READS_FIXED_ACES_INITIAL_DEAL:
            held = bool(table.space.links[seq].initial)
        else:
            held = place < 2
        if held and rank(table.space.events[seq].card) == ACE:
            count += 1
        seq = table.space.links[seq].next
        place += 1
    return count
