"""The croupier's shoe and the wishes that stack a stretch of it: cards are moved, never made."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_samples.shoe import CARDS_BEHIND, Shoe, ShoeEmpty
from data_samples.wishes import wish, wishes
from rules_replay.cards import DECK


def drawn(shoe: Shoe, count: int) -> list[str]:
    return [shoe.draw() for _ in range(count)]


class TestShoe:
    """So many decks of 48 cards with a cutting card in them."""

    @given(decks=st.integers(3, 8), seed=st.integers(0, 10**6))
    def test_holds_every_card_of_its_decks_once_a_deck(self, decks: int, seed: int) -> None:
        shoe = Shoe(decks, Random(seed))
        assert Counter(drawn(shoe, shoe.left)) == Counter(list(DECK) * decks)

    @given(decks=st.integers(3, 8), seed=st.integers(0, 10**6))
    def test_cutting_card_lies_a_deck_in_and_no_deeper_than_half(self, decks: int, seed: int) -> None:
        shoe = Shoe(decks, Random(seed))
        while not shoe.cut_card_next:
            shoe.draw()
        assert max(len(DECK), CARDS_BEHIND) <= shoe.left <= decks * len(DECK) // 2
        before = shoe.cut_card_out
        shoe.draw()
        assert (before, shoe.cut_card_out, shoe.cut_card_next) == (False, True, False)

    def test_continuous_shuffler_has_no_cutting_card(self) -> None:
        shoe = Shoe(4, Random(1), continuous=True)
        drawn(shoe, shoe.left)
        assert not shoe.cut_card_out

    def test_says_so_when_the_last_card_is_gone(self) -> None:
        shoe = Shoe(3, Random(1))
        drawn(shoe, shoe.left)
        with pytest.raises(ShoeEmpty, match="3 decks ran out"):
            shoe.draw()

    def test_shuffling_puts_every_card_back(self) -> None:
        shoe = Shoe(3, Random(1))
        drawn(shoe, 140)
        shoe.shuffle()
        assert shoe.left == 3 * len(DECK)
        assert not shoe.cut_card_out


class TestStackedStretch:
    """Which of the remaining cards come next may be chosen; which cards remain may not."""

    @given(seed=st.integers(0, 10**6), before=st.integers(0, 60))
    def test_held_cards_fit_and_leave_the_shoe_whole(self, seed: int, before: int) -> None:
        shoe = Shoe(3, Random(seed))
        out = drawn(shoe, before)
        held = shoe.hold(wishes("A2345 X 6789"))
        assert held is not None
        assert [card in fits for card, fits in zip(held, wishes("A2345 X 6789"), strict=True)] == [True] * 3
        out += [shoe.draw_held(card) for card in held[:2]]
        shoe.release(held[2:])
        assert shoe.draw() == held[2]
        out.append(held[2])
        assert Counter([*out, *drawn(shoe, shoe.left)]) == Counter(list(DECK) * 3)

    def test_nothing_moves_when_a_wish_has_no_card_left(self) -> None:
        shoe, same = Shoe(3, Random(4)), Shoe(3, Random(4))
        assert shoe.hold(wishes("7H 7H 7H 7H")) is None
        assert drawn(shoe, 20) == drawn(same, 20)


class TestWish:
    """A wish is one card or any of some ranks."""

    def test_one_card(self) -> None:
        assert wish("7H") == {"7H"}

    def test_any_of_some_ranks(self) -> None:
        assert wish("89") == {"8S", "8H", "8D", "8C", "9S", "9H", "9D", "9C"}

    def test_x_is_king_queen_and_jack(self) -> None:
        assert wish("X") == wish("KQJ")

    @pytest.mark.parametrize("text", ["10", "7X9Z", "0H"])
    def test_a_card_that_no_deck_has_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="no deck has"):
            wish(text)
