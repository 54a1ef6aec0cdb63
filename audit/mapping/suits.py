"""Cards of a vendor that records no suits.

The log has no card without a suit. A card is given one that cannot make a difference: suits go
round among the cards of a rank, so that no card comes twice before its rank came in all four.
Where the suits would make a difference, the card that decides it is written as one that could
not be read, and what depends on it is then indeterminate and never a fault: a 6-7-8 and a 7-7-7,
which pay by their suits, and the first two cards of a hand with a Perfect Pairs wager.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from audit.mapping.cards import NO_SUIT
from rules_replay.cards import SUITS, UNREADABLE

_BY_SUIT = ("678", "777")


def with_suits(events: Sequence[dict[str, Any]], hands: Sequence[Sequence[int]], pairs: set[int]) -> None:
    """Give every card of a round a suit, in place.

    ``hands`` are the events that dealt each hand its cards, in the order of the hand, the dealer's
    first. ``pairs`` are the places among them of hands with a Perfect Pairs wager.
    """
    dealer, players = hands[0], hands[1:]
    ranks = {seq: _rank(events[seq]) for hand in hands for seq in hand}
    doubtful: set[int] = set()
    for number, hand in enumerate(players, 1):
        first = [ranks[seq] for seq in hand[:3]]
        if "".join(sorted(first)) in _BY_SUIT:
            doubtful.add(hand[2])
        if number in pairs and len(first) > 1 and first[0] == first[1]:
            doubtful.add(hand[1])
        if first == ["7", "7", "7"] and dealer and ranks[dealer[0]] == "7":
            # A Super Bonus, if they are of one suit, and then there is a bonus for all at the table.
            doubtful.update(ranks)
    seen: Counter[str] = Counter()
    for seq, event in enumerate(events):
        if event["e"] not in ("deal", "burn") or not event["card"].endswith(NO_SUIT):
            continue
        rank = event["card"].removesuffix(NO_SUIT)
        if seq in doubtful or event["card"] == UNREADABLE:
            event["card"] = UNREADABLE
            continue
        event["card"] = rank + SUITS[seen[rank] % len(SUITS)]
        seen[rank] += 1


def _rank(event: dict[str, Any]) -> str:
    return str(event["card"]).removesuffix(NO_SUIT)
