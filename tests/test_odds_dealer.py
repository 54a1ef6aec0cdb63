"""The dealer's final totals by first card."""

from __future__ import annotations

import csv
import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from data_samples.odds.report import DECKS, dealer_csv
from rules_replay.cards import DECK, card, total
from rules_replay.dealer_finals import FINALS, VALUES, dealer_finals, shoe_counts

DOCS = Path(__file__).parents[1] / "docs"


def straightforward(decks: int, first: int) -> dict[str, Fraction]:
    """The same by dealing every sequence of cards in full, the hand counted by the project's own count."""
    face = {1: "AS", 10: "KS"}
    left = dict(zip(VALUES, shoe_counts(decks), strict=True))
    left[first] -= 1
    finals: dict[str, Fraction] = dict.fromkeys(FINALS, Fraction(0))

    def deal(hand: list[int], chance: Fraction) -> None:
        counted = total(card(face.get(value, f"{value}S")) for value in hand)
        if len(hand) > 1 and counted.points > (17 if counted.soft else 16):
            if counted.bust:
                finals["bust"] += chance
            else:
                finals["pontoon" if len(hand) == 2 and counted.points == 21 else str(counted.points)] += (
                    chance
                )
            return
        cards = sum(left.values())
        for value in VALUES:
            if left[value]:
                count = left[value]
                left[value] -= 1
                deal([*hand, value], chance * Fraction(count, cards))
                left[value] += 1

    deal([first], Fraction(1))
    return finals


class TestDealerFinals:
    """Exact probabilities from a full shoe less the first card."""

    @pytest.mark.parametrize(("decks", "first"), list(itertools.product((1, 4, 6, 8), VALUES)))
    def test_they_add_up_to_one_exactly(self, decks: int, first: int) -> None:
        assert sum(dealer_finals(decks, first).values()) == 1

    @pytest.mark.parametrize("first", [1, 6, 7, 10])
    def test_they_are_those_of_dealing_every_sequence(self, first: int) -> None:
        assert dealer_finals(6, first) == straightforward(6, first)

    @pytest.mark.parametrize("decks", DECKS)
    def test_pontoon_is_the_chance_of_the_one_right_card(self, decks: int) -> None:
        left = 48 * decks - 1
        assert dealer_finals(decks, 1)["pontoon"] == Fraction(12 * decks, left)
        assert dealer_finals(decks, 10)["pontoon"] == Fraction(4 * decks, left)
        assert all(dealer_finals(decks, first)["pontoon"] == 0 for first in range(2, 10))

    def test_a_shoe_holds_the_48_card_decks(self) -> None:
        values = [min(card(text).value, 10) for text in DECK] * 6
        assert shoe_counts(6) == tuple(values.count(value) for value in VALUES)

    def test_the_published_table_is_this_one(self) -> None:
        text = (DOCS / "odds-dealer.csv").read_text(encoding="utf-8")
        assert text == dealer_csv()
        rows = list(csv.DictReader(text.splitlines()))
        assert len(rows) == len(DECKS) * len(VALUES) * len(FINALS)
