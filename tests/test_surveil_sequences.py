"""Cards that come again in order: chance has a bound, and a false shuffle passes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest

from audit.surveil.result import Answer, Result
from audit.surveil.sequences import (
    LONGEST,
    SHORTEST,
    Match,
    Shoe,
    _pairs,
    bet_log,
    match_log,
    run_needed,
    sequence_answer,
    shoes_of,
)
from rules_replay.cards import DECK
from tests.surveil_frames import draws_of, exposure_of, rounds_of

SEEN = 150
DECKS = 6


def shoe(rng: Random, kept: Sequence[str] = ()) -> list[str]:
    """The cards seen of a shuffled shoe, with some cards in a given order ten cards from its front."""
    cards = list(DECK) * DECKS
    for card in kept:
        cards.remove(card)
    rng.shuffle(cards)
    return [*cards[:10], *kept, *cards[10:]][:SEEN]


def asked(shoes: Sequence[Sequence[str]]) -> list[Result]:
    """What is said of shoes of one table, one round each."""
    return list(answered(shoes).results)


def answered(shoes: Sequence[Sequence[str]]) -> Answer:
    """The same, with what is left out of it."""
    draws = draws_of([(number, 1, card) for number, cards in enumerate(shoes) for card in cards])
    names = [f"S{number}" for number in range(len(shoes))]
    rounds = rounds_of(len(shoes), shoe_no=range(len(shoes)), shoe=names)
    return sequence_answer(exposure_of(rounds, draws), 0.01)


def unusual(results: Sequence[Result]) -> set[tuple[str, str]]:
    return {(each.kind, each.subject) for each in results if each.verdict == "unusual"}


class TestShoes:
    """Each shoe is compared with the two before it on the table, and with all others of the venue."""

    def test_shuffled_shoes_have_nothing_in_common(self) -> None:
        rng = Random(1)
        assert unusual(asked([shoe(rng) for _ in range(40)])) == set()

    @pytest.mark.parametrize("backwards", [False, True])
    def test_a_run_left_in_its_order_is_found(self, backwards: bool) -> None:
        rng = Random(2)
        first = shoe(rng)
        run = first[60:72]
        found = asked([first, shoe(rng, run[::-1] if backwards else run), *(shoe(rng) for _ in range(10))])
        assert ("next shoes", "S0 and S1") in unusual(found)
        pair = next(each for each in found if each.subject == "S0 and S1")
        assert pair.observed == 12
        assert ("backwards" in pair.detail) == backwards

    def test_a_shoe_laid_out_again_much_later_is_found(self) -> None:
        rng = Random(3)
        first = shoe(rng)
        shoes = [first, *(shoe(rng) for _ in range(12)), shoe(rng, first[:30])]
        assert ("earlier shoes", "S0 and S13") in unusual(asked(shoes))

    def test_many_short_runs_are_found_as_one_long_run_is(self) -> None:
        rng = Random(4)
        first = shoe(rng)
        pieces = [first[start : start + 6] for start in range(0, 60, 6)]
        rng.shuffle(pieces)
        kept = [card for piece in pieces for card in piece]
        assert ("next shoes", "S0 and S1") in unusual(asked([first, shoe(rng, kept), shoe(rng), shoe(rng)]))

    def test_a_card_that_was_not_read_breaks_a_run(self) -> None:
        rng = Random(5)
        first = shoe(rng)
        second = shoe(rng, first[60:72])
        second[16] = "??"
        pair = next(each for each in asked([first, second]) if each.subject == "S0 and S1")
        assert pair.observed == 6


class TestTheSearch:
    """In blocks of any size, every longest match is found, once and in the same order."""

    @pytest.mark.parametrize("block", [1, 700, 20_000])
    def test_as_card_by_card(self, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Twenty shoes of one deck, of which some cards keep their order, and some could not be read."""
        monkeypatch.setattr("audit.surveil.sequences._BLOCK", block)
        rng = Random(7)
        dealt: list[list[str]] = []
        for number in range(20):
            cards = list(DECK)
            rng.shuffle(cards)
            cards[5:9] = dealt[0][30:34] if number % 3 == 1 else cards[5:9]
            cards[17] = "??"
            dealt.append(cards)
        draws = draws_of(
            [
                (number, place % 4, card)
                for number, cards in enumerate(dealt)
                for place, card in enumerate(cards)
            ]
        )
        rounds = rounds_of(20, shoe_no=range(20), shoe=[f"S{number}" for number in range(20)])
        shoes = list(shoes_of(exposure_of(rounds, draws)))
        found, left_out = _pairs(shoes, {each.number: each.number for each in shoes})
        assert left_out == 0
        told = {
            pair: sorted((order, each.earlier, each.later, each.length) for order, each in matches)
            for pair, matches in found.items()
        }
        assert told == card_by_card(shoes)

    def test_of_very_many_pairs_the_least_likely_are_listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = Random(8)
        first = shoe(rng)
        shoes = [first, *(shoe(rng) for _ in range(40)), shoe(rng, first[:14])]
        whole = answered(shoes)
        monkeypatch.setattr("audit.surveil.sequences.LISTED", 3)
        few = answered(shoes)
        far = [each for each in whole.results if each.kind == "earlier shoes"]
        listed = [each for each in few.results if each.kind == "earlier shoes"]
        assert len(far) > len(listed) == 3
        assert {each.subject for each in listed} == {
            each.subject for each in sorted(far, key=lambda each: each.log_p or 0.0)[:3]
        }
        assert [each for each in few.results if each.verdict == "unusual"] == [
            each for each in whole.results if each.verdict == "unusual"
        ]
        assert {each.tests for each in listed} == {each.tests for each in far}
        (told,) = few.left_out
        assert told.startswith(f"{len(far) - 3} pairs of earlier shoes with a run in common: tested, and not")


def card_by_card(shoes: Sequence[Shoe]) -> dict[tuple[int, int], list[tuple[int, int, int, int]]]:
    """Every longest match of four cards or more, by trying every place of every pair."""
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for place, later in enumerate(shoes):
        there = later.dealt.tolist()
        for earlier in shoes[:place]:
            dealt, taken = earlier.dealt.tolist(), earlier.taken.tolist()
            for order, here in enumerate((dealt, dealt[::-1], taken, taken[::-1])):
                alike = [[a == b >= 0 for b in there] for a in here]
                for i, row in enumerate(alike):
                    for j, same in enumerate(row):
                        if not same or (i and j and alike[i - 1][j - 1]):
                            continue
                        length = 1
                        while (
                            i + length < len(here)
                            and j + length < len(there)
                            and alike[i + length][j + length]
                        ):
                            length += 1
                        if length >= SHORTEST:
                            found.setdefault((earlier.number, later.number), []).append((order, i, j, length))
    return {pair: sorted(matches) for pair, matches in found.items()}


class TestTheBound:
    """Expected matches are known whatever the earlier shoe was."""

    def test_of_one_card_it_is_exact(self) -> None:
        """Any of 10 places of the one and any of 288 of the other match with a chance of 1 in 48."""
        assert math.exp(match_log(10, 288, 6, 1)) == pytest.approx(10 * 288 / 48)

    def test_it_is_an_upper_bound_by_trial(self) -> None:
        rng = Random(6)
        pairs = 0
        for _ in range(300):
            one, other = shoe(rng), shoe(rng)
            pairs += sum(
                one[i] == other[j] and one[i + 1] == other[j + 1]
                for i in range(SEEN - 1)
                for j in range(0, SEEN - 1, 10)
            )
        most = math.exp(match_log(SEEN, SEEN, DECKS, 2)) * len(range(0, SEEN - 1, 10)) / (SEEN - 1)
        assert pairs / 300 <= 1.2 * most, "300 trials are off by a sixteenth"

    def test_how_long_a_run_is_enough(self) -> None:
        needed = run_needed(SEEN, 288, DECKS, math.log(0.01 / 1000))
        assert needed is not None
        assert needed < LONGEST
        for length, enough in ((needed, True), (needed - 1, False)):
            log_e = bet_log([(0, Match(earlier=0, later=0, length=length))], SEEN, 288, DECKS)
            assert (log_e >= math.log(100_000)) == enough
