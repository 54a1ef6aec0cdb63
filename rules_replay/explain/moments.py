"""The cards as they lay at each moment of a round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rules_replay import log
from rules_replay.cards import Card, card, total
from rules_replay.engine.pieces import Hand
from rules_replay.engine.table import Table, hand_total
from rules_replay.explain.wording import total_words


class Moment(Protocol):
    """The cards as they lay after an event."""

    def cards(self, box: int, hand: int) -> tuple[Card, ...]:
        """The cards of a hand, none where there is no such hand."""
        ...

    def total(self, box: int, hand: int) -> str:
        """The total of a hand in words."""
        ...


def hand_at(table: Table, box: int, hand: int) -> Hand | None:
    """A hand of the engine's table, the dealer's for box 0."""
    if box == 0:
        return table.dealer
    return table.boxes[box].hands.get(hand) if box in table.boxes else None


@dataclass(frozen=True, slots=True)
class AtTable:
    """A moment as the engine lays it out, with totals as the rulebook counts them."""

    table: Table

    def cards(self, box: int, hand: int) -> tuple[Card, ...]:
        found = hand_at(self.table, box, hand)
        if found is None:
            return ()
        return tuple(each.card for each in sorted((*found.cards, *found.excess), key=lambda drawn: drawn.seq))

    def total(self, box: int, hand: int) -> str:
        found = hand_at(self.table, box, hand)
        if found is None:
            return str(total(()))
        return total_words(self.cards(box, hand), hand_total(self.table, found, found.lying))


@dataclass(frozen=True, slots=True)
class Laid:
    """A moment without a rulebook: the cards by box and hand, counted as cards are."""

    hands: Mapping[tuple[int, int], tuple[Card, ...]]

    def cards(self, box: int, hand: int) -> tuple[Card, ...]:
        return self.hands.get((box, 1 if box == 0 else hand), ())

    def total(self, box: int, hand: int) -> str:
        cards = self.cards(box, hand)
        return total_words(cards, total(cards))

    def after(self, event: log.AnyEvent) -> Laid:
        """The cards once an event has happened."""
        hands = dict(self.hands)
        if isinstance(event, log.Deal):
            place = (event.box, event.hand if event.box else 1)
            hands[place] = (*hands.get(place, ()), card(event.card))
        elif isinstance(event, log.Burn) and event.source == "hand":
            place = (event.box or 0, event.hand if event.box else 1)
            hands[place] = hands.get(place, ())[:-1]
        elif isinstance(event, log.Split):
            cards = hands.get((event.box, event.hand), ())
            hands[event.box, event.hand] = cards[:1] + cards[2:]
            hands[event.box, event.to] = (*hands.get((event.box, event.to), ()), *cards[1:2])
        return Laid(hands)
