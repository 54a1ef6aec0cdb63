"""A raised stake is a bet made before the cards; what it says afterwards is fair."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from audit.surveil.result import Result
from audit.surveil.stakes import BEFORE, rounds_needed, stake_answer
from tests.surveil_frames import exposure_of, flows_of, rounds_of

ROUNDS = 1200
Raises = Callable[[Random, bool, bool], bool]
"""Whether a stake is raised, given whether the last round was won and whether this one will be."""


def played(raises: Raises, seed: int = 1) -> list[Result]:
    """A player who wins 43 of 100 rounds and raises his stake fivefold now and then, among others."""
    rng = Random(seed)
    stakes, nets, players = [], [], []
    last = False
    for number in range(ROUNDS):
        won = rng.random() < 0.43
        player = "P1" if number % 2 else f"other {number % 20}"
        up = player == "P1" and raises(rng, last, won)
        stake = 50_000 if up else 10_000
        stakes.append(stake)
        nets.append(stake if won else -stake)
        players.append(player)
        if player == "P1":
            last = won
    rounds = rounds_of(ROUNDS)
    flows = flows_of(rounds, player=players, staked=stakes, won=nets, net=nets)
    return list(stake_answer(exposure_of(rounds, flows=flows), 0.01).results)


def one(results: list[Result]) -> Result:
    return next(each for each in results if (each.kind, each.subject) == ("player", "P1"))


def test_who_raises_where_he_is_going_to_win_is_unusual() -> None:
    found = one(played(lambda rng, _, won: rng.random() < (0.2 if won else 0.01)))
    assert found.verdict == "unusual"
    assert found.net is not None
    assert found.net > 0
    assert "from 10 to 50" in found.limits


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "raises",
    [
        lambda rng, *_: rng.random() < 0.1,
        lambda rng, last, _: not last and rng.random() < 0.3,
        lambda rng, last, _: last and rng.random() < 0.3,
    ],
    ids=["at random", "after losses", "after wins"],
)
def test_whoever_does_not_know_is_not(raises: Raises, seed: int) -> None:
    assert one(played(raises, seed)).verdict != "unusual"


def test_a_stake_is_compared_with_those_before_it_only() -> None:
    stakes = [50_000] * BEFORE + [10_000] * BEFORE
    rounds = rounds_of(len(stakes))
    assert stake_answer(exposure_of(rounds, flows=flows_of(rounds, staked=stakes)), 0.01).results == []


def test_power() -> None:
    few, many = rounds_needed(0.45, -4.6), rounds_needed(0.45, -9.2)
    assert few is not None
    assert many is not None
    assert 10 < few < many
