"""Cards that never come: the bet is fair, finds what lacks, and says how long that takes."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from audit.surveil.cards import Walked
from audit.surveil.likelihood import Ints
from audit.surveil.missing import MOST, bet_logs, card_logs, missing_answer, shoes_needed
from audit.surveil.result import Answer, Result
from rules_replay.cards import DECK
from tests.surveil_frames import exposure_of, rounds_of


def shoes(decks: int, count: int, drawn: int, *, lacks: tuple[str, ...] = (), seed: int = 1) -> Ints:
    """Copies of each card seen in so many shoes, shape (count, 48)."""
    copies = np.full(len(DECK), decks)
    for card in lacks:
        copies[DECK.index(card)] -= 1
    return np.random.default_rng(seed).multivariate_hypergeometric(copies, drawn, size=count).astype(np.int64)


def answer(seen: Ints, decks: int, rounds_a_shoe: int) -> Answer:
    """Shoes of one table and day, asked for missing cards."""
    count = len(seen) * rounds_a_shoe
    shoe = [number // rounds_a_shoe for number in range(count)]
    exposure = exposure_of(rounds_of(count, shoe_no=shoe, decks=[decks] * count))
    walked = Walked(seen, np.full(len(seen), -1, dtype=np.int64), {}, {})
    return missing_answer(exposure, walked, 0.01)


def of_the_day(found: Answer) -> Result:
    return next(each for each in found.results if each.kind == "table and date")


class TestTheBet:
    """A bet of 1 that cards are missing, spread on one to eight of them."""

    def test_against_every_choice_of_cards(self) -> None:
        seen = shoes(2, 3, 50, lacks=("KS",))
        cards = 2 * len(DECK)
        by_size = []
        for size in (1, 2):
            total = 0.0
            for chosen in combinations(range(len(DECK)), size):
                bet = 1.0
                for shoe in seen:
                    for step, card in enumerate(chosen):
                        bet *= (1 - shoe[card] / 2) * (cards - step) / (cards - int(shoe.sum()) - step)
                total += bet
            by_size.append(total / math.comb(len(DECK), size))
        alone = card_logs(seen, 2)
        assert np.exp(alone).mean() == pytest.approx(by_size[0])
        assert math.exp(bet_logs(seen, 2)[-1]) >= (by_size[0] + by_size[1]) / MOST - 1e-9

    def test_it_is_fair(self) -> None:
        """Over every hand of three out of a deck of 48 the bet is worth 1."""
        first = shoes(1, 1, 3)
        value = math.exp(bet_logs(first, 1)[0])
        assert value == pytest.approx(1, abs=1e-9), "with one deck any three cards are alike"

    def test_all_copies_seen_refutes_it(self) -> None:
        seen = np.full((1, len(DECK)), 1)
        seen[0, DECK.index("KS")] = 2
        assert card_logs(seen, 2)[DECK.index("KS")] < -1000

    def test_without_a_missing_card_it_seldom_passes(self) -> None:
        passed = sum(bet_logs(shoes(6, 30, 180, seed=seed), 6).max() >= math.log(20) for seed in range(200))
        assert passed <= 10, "1 in 20 at most"

    def test_with_one_it_grows(self) -> None:
        logs = bet_logs(shoes(3, 60, 86, lacks=("KS",)), 3)
        assert logs[-1] > math.log(1000)
        assert int(np.argmax(card_logs(shoes(3, 60, 86, lacks=("KS",)), 3))) == DECK.index("KS")


class TestPower:
    """How many shoes it takes, by dealing such shoes."""

    @pytest.mark.slow
    def test_fewer_decks_more_cards_seen_and_more_cards_missing_are_found_sooner(self) -> None:
        log_level = math.log(0.01)
        two, three = shoes_needed(2, 0.6, 1, log_level), shoes_needed(3, 0.6, 1, log_level)
        five = shoes_needed(2, 0.6, 5, log_level)
        assert two is not None
        assert three is not None
        assert five is not None
        assert five < two < three


class TestPublishedCases:
    """What regulators published, asked of shoes dealt so."""

    def test_two_decks_five_cards_short_for_438_rounds(self) -> None:
        """A shoe of two decks, 58 of its cards in 7 rounds: 62 shoes, and 9 would do."""
        found = answer(shoes(2, 62, 58, lacks=("KS", "4H", "9D", "AC", "7S")), 2, 7)
        day = of_the_day(found)
        assert day.verdict == "unusual"
        assert day.rounds == 434
        passed = int(day.limits.partition("Passed after ")[2].split()[0])
        assert passed <= 12
        assert all(card in day.limits for card in ("KS", "4H", "9D", "AC", "7S"))

    def test_five_cards_missing_from_two_of_eight_decks_for_438_rounds(self) -> None:
        """60 per cent of eight decks in 16 rounds: 27 shoes, and it takes 44 for nine chances in ten."""
        day = of_the_day(answer(shoes(8, 27, 230, lacks=("KS", "4H", "9D", "AC", "7S")), 8, 16))
        assert day.verdict != "ordinary", "27 shoes are no proof that nothing is missing"
        assert "One card missing of 8 decks is seen in" in day.limits

    def test_one_king_missing_for_twelve_hours_of_eight_decks(self) -> None:
        """45 rounds an hour, 16 to a shoe: 34 shoes, and it takes more than a hundred."""
        day = of_the_day(answer(shoes(8, 34, 230, lacks=("KS",)), 8, 16))
        assert day.verdict == "not evaluable"
        assert day.needed is not None
        assert day.needed > 100

    def test_one_king_missing_for_twelve_hours_of_three_decks(self) -> None:
        """45 rounds an hour, 7 to a shoe: 77 shoes, and 45 would do."""
        day = of_the_day(answer(shoes(3, 77, 86, lacks=("KS",)), 3, 7))
        assert day.verdict == "unusual"
        assert day.detail == "KS"

    def test_of_nothing_missing_enough_shoes_are_ordinary(self) -> None:
        assert of_the_day(answer(shoes(3, 120, 100), 3, 7)).verdict == "ordinary"
