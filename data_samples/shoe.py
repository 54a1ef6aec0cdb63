"""A true shoe: so many decks of 48 cards, shuffled, with a cutting card in it.

Cards are only ever moved, never made: a stacked stretch takes its cards from those
still in the shoe. The one exception is `Shoe.smuggle`, the fault of a card that
belongs to another deck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from rules_replay.cards import DECK

CARDS_BEHIND = 72
"""Least number of cards behind the cutting card: enough to finish any round dealt from them.

The rules ask for one deck at least and half of the decks at most (act-2018 5.3, nz-2000
7.5 and 7.6, adelaide-2008 38); half of the three decks that are fewest is 72 cards.
"""

KEPT_BEHIND = 40
"""Most cards in front of those that a shuffle left in their order."""


class ShoeEmpty(Exception):
    """The last card left the shoe before the round was over."""


class Shoe:
    """The cards still to be dealt, the top one last.

    ``continuous`` is a shuffler that takes the cards back after every round and has
    no cutting card. ``lacks`` are cards missing from the decks, one copy each, and ``kept`` cards that the
    shuffle left in this order, near the front.
    """

    def __init__(
        self,
        decks: int,
        rng: Random,
        *,
        continuous: bool = False,
        lacks: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        self.decks = decks
        self._lacks = tuple(lacks)
        self._kept = tuple(kept)
        self.order: list[str] = []
        self.continuous = continuous
        self.cut_card_out = False
        self._rng = rng
        self._undealt: list[str] = []
        self._held = 0
        self._behind = 0
        self.dealt: Counter[str] = Counter()
        self.shuffle()

    def shuffle(self) -> None:
        """Put every card back, shuffle and place the cutting card."""
        self._undealt = list(DECK) * self.decks
        for card in (*self._lacks, *self._kept):
            self._undealt.remove(card)
        self._rng.shuffle(self._undealt)
        if self._kept:
            place = len(self._undealt) - self._rng.randint(0, KEPT_BEHIND)
            self._undealt[place:place] = reversed(self._kept)
        self._behind = self._rng.randint(CARDS_BEHIND, max(CARDS_BEHIND, self.decks * len(DECK) // 2))
        # Who counts the cards in front of it thinks that all are there.
        self._behind -= len(self._lacks)
        self._held = 0
        self.cut_card_out = False
        self.dealt.clear()
        self.order.clear()

    @property
    def left(self) -> int:
        """Cards not yet dealt."""
        return len(self._undealt) + self._held

    @property
    def cut_card_next(self) -> bool:
        """True when the cutting card is what the dealer would draw now."""
        return not self.continuous and not self.cut_card_out and self.left <= self._behind

    def misplace_cutting_card(self, ahead: int) -> None:
        """Put the cutting card behind so many of the cards to come, wherever it lay."""
        self._behind = self.left - ahead

    def draw(self) -> str:
        """The next card. A cutting card in front of it is taken out first."""
        if not self._undealt:
            raise ShoeEmpty(f"a shoe of {self.decks} decks ran out within a round; deal to fewer boxes")
        self._pass_cut_card()
        card = self._undealt.pop()
        self.dealt[card] += 1
        self.order.append(card)
        return card

    def hold(self, wanted: Iterable[frozenset[str]]) -> list[str] | None:
        """Set aside one card for each wish, in order; None, and nothing moved, if one has none left."""
        undealt = list(self._undealt)
        held: list[str] = []
        for wish in wanted:
            place = next((n for n in range(len(undealt) - 1, -1, -1) if undealt[n] in wish), None)
            if place is None:
                return None
            held.append(undealt.pop(place))
        self._undealt = undealt
        self._held += len(held)
        return held

    def draw_held(self, card: str) -> str:
        """Deal a card that was set aside, as the next one."""
        self._pass_cut_card()
        self._held -= 1
        self.dealt[card] += 1
        self.order.append(card)
        return card

    def release(self, held: Iterable[str]) -> None:
        """Put cards that were set aside and not dealt back on top."""
        cards = list(held)
        self._undealt.extend(reversed(cards))
        self._held -= len(cards)

    def smuggle(self, card: str) -> str:
        """Deal a card that was never in this shoe; the top card stays where it is."""
        self.dealt[card] += 1
        return card

    def _pass_cut_card(self) -> None:
        if self.cut_card_next:
            self.cut_card_out = True
