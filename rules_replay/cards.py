"""Cards of the 48-card Pontoon deck: ranks, suits, and how a hand is counted.

A card is written rank then suit, as in the round log: ``AS``, ``8H``, ``KD``. Four
kinds of text are legal in a log without being a card of the deck: a ten (``10S``
or ``TS``), a joker (``JK``) and a card the recorder could not read (``??``).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import msgspec

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 48 cards of one deck: the tens are removed (act-2018 2.1, nz-2000 3.3(a))."""

UNREADABLE = "??"
JOKER = "JK"
RED_SUITS = frozenset({"H", "D"})
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

_TENS = frozenset(prefix + suit for prefix in ("10", "T") for suit in SUITS)
LEGAL_TEXTS = frozenset(DECK) | _TENS | {UNREADABLE, JOKER}
"""Every text that a log may carry as a card."""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """One card as drawn; `card` reads it.

    ``rank`` is ``"10"`` for a ten, ``"JK"`` for a joker and ``"?"`` for a card that
    could not be read; ``suit`` is empty for the last two.
    """

    rank: str
    suit: str
    text: str
    """The card as the log writes it (a ten always as ``10`` and its suit)."""
    sign: str
    """The card as people read it: ``7♠``."""
    value: int
    """Point value with an ace at one; 0 for a joker or an unreadable card."""
    readable: bool
    """False for a card the recorder could not read."""
    foreign: bool
    """True for a card that is not one of the 48: a ten or a joker."""
    picture: bool
    """True for king, queen and jack."""
    may_begin_pontoon: bool
    """True for an ace or a picture card, and for a card that could not be read and may be one."""

    def __str__(self) -> str:
        return self.text


_VALUES = {"A": 1, "10": 10, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 10)}


@cache
def card(text: str) -> Card:
    """Read one card; raises ``ValueError`` for text that no log may carry."""
    if text not in LEGAL_TEXTS:
        raise ValueError(f"{text!r} is not a card: expected a rank and a suit such as 'AS' or '8H'")
    if text == UNREADABLE:
        return _card("?", "")
    if text == JOKER:
        return _card("JK", "")
    rank = "10" if text[:-1] == "T" else text[:-1]
    return _card(rank, text[-1])


def _card(rank: str, suit: str) -> Card:
    picture = rank in ("J", "Q", "K")
    return Card(
        rank=rank,
        suit=suit,
        text=UNREADABLE if rank == "?" else rank + suit,
        sign=rank + SUIT_SIGNS.get(suit, ""),
        value=_VALUES.get(rank, 0),
        readable=rank != "?",
        foreign=rank in ("10", "JK"),
        picture=picture,
        may_begin_pontoon=picture or rank in ("A", "?"),
    )


class Total(msgspec.Struct, frozen=True):
    """The count of a hand: its best total and whether an ace stands at eleven."""

    points: int
    soft: bool

    @property
    def bust(self) -> bool:
        return self.points > 21

    def __str__(self) -> str:
        return f"{'soft' if self.soft else 'hard'} {self.points}"


def total(cards: Iterable[Card], fixed_aces: int = 0) -> Total:
    """Count a hand, one ace at eleven where that does not exceed 21.

    ``fixed_aces`` is how many of the hand's aces are held at one because the hand
    was doubled (act-2018 2.5(a), nz-2000 4.1(c)(ii), rws-2017 3.5.2).
    """
    points = 0
    aces = 0
    for each in cards:
        points += each.value
        aces += each.rank == "A"
    return counted(points, aces, fixed_aces)


def counted(points: int, aces: int, fixed_aces: int = 0) -> Total:
    """The count of a hand whose cards come to so many points, aces at one, and hold so many aces."""
    soft = aces > fixed_aces and points <= 11
    return Total(points + 10 if soft else points, soft)
