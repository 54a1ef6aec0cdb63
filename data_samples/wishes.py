"""Wishes for cards: which of the remaining cards may come next in a stacked stretch.

A wish is a card (``7H``) or ranks any of which will do (``7``, ``23456``), with ``X``
for king, queen and jack.
"""

from __future__ import annotations

from rules_replay.cards import DECK, SUITS

Wish = frozenset[str]


def wish(text: str) -> Wish:
    """Read one wish."""
    if text in DECK:
        return frozenset({text})
    ranks = text.replace("X", "JQK")
    found = frozenset(rank + suit for rank in ranks for suit in SUITS)
    if not found <= frozenset(DECK):
        raise ValueError(f"{text!r} wishes for a card that no deck has")
    return found


def wishes(text: str) -> list[Wish]:
    """Read wishes with spaces between them, in the order of dealing."""
    return [wish(each) for each in text.split()]
