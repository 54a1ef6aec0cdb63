"""Exact tests against enumeration, and bets against their own fairness."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, false_discovery_control, hypergeom

from audit.surveil.likelihood import (
    ODDS,
    POWER,
    adjusted_log,
    bets_log,
    excess_log,
    expected_hits,
    furthest_log,
    growth_needed,
    log_text,
    mixed_log,
    trials_needed,
)

STRATA = [(5, 4, 20), (3, 6, 10), (2, 0, 9), (0, 3, 7)]


class TestExcess:
    """Fisher's exact test within each stratum, the strata added up."""

    @pytest.mark.parametrize("hits", range(8))
    def test_two_strata_are_enumerated(self, hits: int) -> None:
        tail = sum(
            hypergeom.pmf(one, 20, 4, 5) * hypergeom.pmf(other, 10, 6, 3)
            for one, other in product(range(5), range(4))
            if one + other >= hits
        )
        assert math.exp(excess_log(hits, STRATA)) == pytest.approx(tail, rel=1e-9)

    def test_far_out_it_neither_vanishes_nor_loses_digits(self) -> None:
        exact = hypergeom.logsf(753, 12_000, 760, 754)
        assert excess_log(754, [(754, 760, 12_000)]) == pytest.approx(exact, rel=1e-9)

    def test_no_more_than_all_can_be_hit(self) -> None:
        assert excess_log(8, STRATA) < -1e4

    def test_the_least_that_it_can_come_to(self) -> None:
        assert furthest_log(STRATA) == pytest.approx(excess_log(7, STRATA))

    def test_expected(self) -> None:
        assert expected_hits(STRATA) == pytest.approx(5 * 4 / 20 + 3 * 6 / 10)


class TestPower:
    """What a test says it needs is the least that gives it its power."""

    def test_of_a_share(self) -> None:
        needed = trials_needed(0.02, 3, math.log(0.001))
        assert needed is not None

        def power(trials: int) -> float:
            return float(binom.sf(binom.isf(0.001, trials, 0.02), trials, 0.06))

        assert power(needed) >= POWER
        assert power(needed - 1) < POWER

    def test_of_nothing_there_is_none(self) -> None:
        assert trials_needed(0.0, 3, math.log(0.01)) is None

    def test_of_a_bet(self) -> None:
        needed = growth_needed(0.3, 1.5, math.log(0.01))
        assert needed is not None
        chance = 0.45 / 1.15
        hits = np.arange(needed + 1)
        logs = np.stack([hits * math.log(odds) - needed * math.log1p(0.3 * (odds - 1)) for odds in ODDS])
        passed = (mixed_log(logs) >= math.log(100)) & (hits >= 0.3 * needed)
        assert binom.pmf(hits[passed], needed, chance).sum() >= POWER - 0.01


class TestBets:
    """Whatever the chances, a bet is worth 1 before it is made."""

    @pytest.mark.parametrize("odds", ODDS)
    @pytest.mark.parametrize("chance", [0.001, 0.3, 0.9])
    def test_each_is_fair(self, odds: float, chance: float) -> None:
        logs = bets_log(np.array([chance, chance]), np.array([True, False]), odds)
        assert np.exp(logs) @ [chance, 1 - chance] == pytest.approx(1)

    def test_a_mixture_is_their_mean(self) -> None:
        assert np.exp(mixed_log(np.log(np.array([[1.0], [3.0]])))) == pytest.approx(2)

    def test_a_mixture_of_what_no_float_holds(self) -> None:
        assert mixed_log(np.array([[-4000.0], [4000.0]]))[0] == pytest.approx(4000 - math.log(2))


class TestManyTests:
    """The share of false discoveries is held by the procedure of Benjamini and Hochberg."""

    def test_as_scipy_has_it(self) -> None:
        values = np.array([0.001, 0.2, 0.008, 0.039, 0.041, 0.9, 0.008])
        assert np.exp(adjusted_log(np.log(values))) == pytest.approx(false_discovery_control(values))

    def test_of_none(self) -> None:
        assert len(adjusted_log(np.zeros(0))) == 0

    def test_tests_that_found_nothing_need_not_be_listed(self) -> None:
        """Of hundreds of millions of pairs of shoes no list is made."""
        logs = np.log([0.3, 1e-9, 0.004])
        whole = adjusted_log(np.concatenate([logs, np.zeros(997)]))
        assert adjusted_log(logs, 1000).tolist() == whole[:3].tolist()
        assert adjusted_log(logs, 10**9)[1] == pytest.approx(math.log(1e-9 * 10**9))


@pytest.mark.parametrize(
    ("log", "text"),
    [
        (0.0, "1.00e+00"),
        (math.log(0.05), "5.00e-02"),
        (math.log(9.999), "1.00e+01"),
        (-43428 * math.log(10), "1.00e-43428"),
        (-1e5, "0"),
    ],
)
def test_a_likelihood_in_fixed_digits(log: float, text: str) -> None:
    assert log_text(log) == text
