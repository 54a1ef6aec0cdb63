"""The chances of cards: exact, and taken from what was seen before."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from audit.surveil.cards import HANDS, Trials, card_answers, trials_of, walked
from audit.surveil.result import as_table
from audit.surveil.walk import BUST, FINAL_COUNT, play_on
from audit.surveil.walk import FINALS as FIRST_FINAL
from rules_replay.cards import DECK
from rules_replay.dealer_finals import FINALS, finals_from
from tests.surveil_frames import draws_of, exposure_of, rounds_of

pytestmark = pytest.mark.slow

PONTOON, PAIR, PERFECT, THREE, MANY = range(5)


def trials(cards: str, *, decks: int = 3, live: bool = False, shuffler: str = "manual") -> Trials:
    """The trials of one round a line, each card as ``box:card``."""
    lines = [line.split() for line in cards.strip().splitlines()]
    drawn = [
        (number, int(box), card)
        for number, line in enumerate(lines)
        for box, _, card in (each.partition(":") for each in line)
    ]
    count = len(lines)
    rounds = rounds_of(count, decks=[decks] * count, live=[live] * count, shuffler=[shuffler] * count)
    (found,) = trials_of(exposure_of(rounds, draws_of(drawn)))
    return found


def told(found: Trials) -> list[tuple[int, Any, bool]]:
    return [
        (int(kind), float(chance), bool(hit))
        for kind, chance, hit in zip(found.kind, found.chance, found.hit, strict=True)
    ]


class TestHands:
    """The second card of a box: 144 cards of three decks, less those that came before."""

    def test_an_ace_then_a_king(self) -> None:
        pontoon, pair, perfect = told(trials("1:AS 0:9D 1:KH"))
        assert pontoon == (PONTOON, pytest.approx(36 / 142), True)
        assert pair == (PAIR, pytest.approx(11 / 142), False)
        assert perfect == (PERFECT, pytest.approx(2 / 142), False)

    def test_cards_of_rounds_before_are_gone(self) -> None:
        found = told(trials("1:KS 0:KD 1:KH\n1:AS 0:9D 1:KH"))
        assert (PONTOON, pytest.approx(33 / 139), True) in found

    def test_a_continuous_shuffler_has_them_back(self) -> None:
        found = told(trials("1:KS 0:KD 1:KH\n1:AS 0:9D 1:KH", shuffler="continuous"))
        assert (PONTOON, pytest.approx(36 / 142), True) in found

    def test_a_card_that_could_not_be_read_is_not_seen(self) -> None:
        found = told(trials("1:AS 2:?? 0:9D 1:KH 2:5C"))
        assert (PONTOON, pytest.approx(36 / 142), True) in found
        assert len(found) == 3, "a hand with a card that was not read is no trial"

    def test_six_and_seven_then_an_eight(self) -> None:
        found = told(trials("1:6S 0:9D 1:7H 1:8C"))
        assert found[-1] == (THREE, pytest.approx(12 / 141), True)

    def test_a_fifth_card_may_count_an_ace_as_one_or_eleven(self) -> None:
        """2-2-3-A is soft 18: a three makes 21, and nothing else does."""
        found = told(trials("1:2S 0:9D 1:2H 1:3C 1:AD 1:3S"))
        assert found[-1] == (MANY, pytest.approx(11 / 139), True)

    def test_a_card_too_many_breaks_the_shoe(self) -> None:
        found = trials("1:KS 2:KS 0:KS 1:KS 2:5H\n1:AS 0:9D 1:KH")
        assert found.broken[0] == 0
        assert told(found) == []


class TestTheDealer:
    """Every total from the cards left, as in fractions."""

    @pytest.mark.parametrize("seed", range(4))
    def test_from_what_is_left_of_a_shoe(self, seed: int) -> None:
        rng = Random(seed)
        shoe = [min("A23456789".find(card[0]) + 1 or 10, 10) for card in DECK] * 3
        rng.shuffle(shoe)
        first, *rest = shoe[40 * seed :]
        left = [rest.count(value) for value in range(1, 11)]
        chances = np.zeros(FINAL_COUNT)
        play_on(np.array([0, *left], dtype=np.int64), len(rest), first, int(first == 1), chances)
        exact = finals_from(tuple(left), first)
        assert chances == pytest.approx([float(exact[final]) for final in FINALS], abs=1e-12)
        assert sum(exact.values()) == 1

    def test_a_hand_played_to_the_end_is_a_trial_of_each_total(self) -> None:
        found = trials("1:KS 0:9D 1:9H 0:4C 0:KD", live=True)
        finals = [each for each in told(found) if each[0] >= FIRST_FINAL]
        assert [kind - FIRST_FINAL for kind, _, hit in finals if hit] == [BUST]
        assert sum(chance for _, chance, _ in finals) == pytest.approx(1)
        assert len(finals) == FINAL_COUNT - 1, "a nine cannot become a Pontoon"

    def test_a_card_beyond_the_rule_changes_no_total(self) -> None:
        found = trials("1:KS 0:9D 1:9H 0:8C 0:KD", live=True)
        assert [kind - FIRST_FINAL for kind, _, hit in told(found) if hit and kind >= FIRST_FINAL] == [0]

    def test_where_no_hand_is_left_there_is_none(self) -> None:
        assert all(kind < FIRST_FINAL for kind, *_ in told(trials("1:KS 0:9D 1:9H 0:8C")))


def test_a_dealer_whose_cards_come_too_well_is_unusual_and_others_are_not() -> None:
    """Two dealers of many rounds; one deals a pair in one of three."""
    rng = Random(1)
    drawn, dealers = [], []
    for number in range(1200):
        dealers.append("D1" if number % 2 else "D2")
        shoe = list(DECK) * 6
        rng.shuffle(shoe)
        first = shoe.pop()
        wanted = [card for card in shoe if card[0] == first[0]]
        second = rng.choice(wanted) if number % 2 and rng.random() < 0.27 else shoe.pop()
        drawn += [(number, 1, first), (number, 0, shoe.pop(0)), (number, 1, second)]
    rounds = rounds_of(1200, dealer=dealers, shuffler=["continuous"] * 1200)
    exposure = exposure_of(rounds, draws_of(drawn))
    cards, _ = card_answers(exposure, walked(exposure), 0.01)
    unusual = {(each.kind, each.subject, each.detail) for each in cards.of("unusual")}
    assert ("dealer", "D1", HANDS[PAIR]) in unusual
    assert not any(subject == "D2" for _, subject, _ in unusual)


@pytest.mark.parametrize("batch", [1, 50, 200])
def test_how_many_cards_are_looked_at_at_a_time_makes_no_difference(batch: int) -> None:
    """Shoes of six rounds, the dealer alternating; one of them holds a card that it cannot hold."""
    rng = Random(2)
    drawn, shoes = [], [number // 6 for number in range(120)]
    for number in range(120):
        if number % 6 == 0:
            shoe = list(DECK) * 2
            rng.shuffle(shoe)
        drawn += [(number, box, shoe.pop()) for box in (1, 2, 0, 1, 2, 0)]
    drawn[200:206] = [(drawn[200][0], 1, "KS")] * 6
    rounds = rounds_of(120, shoe_no=shoes, decks=[2] * 120, dealer=["D1", "D2"] * 60, live=[True] * 120)
    exposure = exposure_of(rounds, draws_of(drawn))
    whole, parts = walked(exposure, 10_000), walked(exposure, batch)
    assert len(list(trials_of(exposure, batch))) > 1 == len(list(trials_of(exposure, 10_000)))
    assert (whole.seen == parts.seen).all()
    assert (whole.broken == parts.broken).all()
    assert (whole.broken >= 0).sum() == 1
    for one, other in zip(
        card_answers(exposure, whole, 0.01), card_answers(exposure, parts, 0.01), strict=True
    ):
        assert as_table(one.results, 0.01) == as_table(other.results, 0.01)
        assert one.left_out == other.left_out
