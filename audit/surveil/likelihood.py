"""Exact tests, bets against chance, and control of false discoveries.

Two kinds of likelihood occur. A *p-value* is the probability, if nothing is out of the ordinary,
of something at least as far out. An *e-value* is what a bet of 1 against chance has grown to
(Ville 1939; Vovk and Wang 2021): fair, so that it reaches 1000 with probability of at most 1 in
1000, however often it is looked at. ``1 / e`` serves as p-value. Both are kept as
natural logarithms, because evidence soon leaves the range of a float.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

ODDS: tuple[float, ...] = (1 / 3, 1 / 2, 2 / 3, 4 / 5, 9 / 10, 10 / 9, 5 / 4, 3 / 2, 2, 3)
"""How much greater or smaller the odds of an event may be than they should: the bets are spread on these."""

POWER = 0.9
"""With what probability a test is wanted to see what its statement of power names."""

_LEAST = -1e5
"""Logarithm that stands for nothing at all, such as the e-value of a hypothesis that was refuted."""


# --- shares against those of the house -----------------------------------------------------


def hypergeometric_log(hits: Ints, drawn: int, marked: int, of: int) -> Floats:
    """Logarithm of the probability of so many marked ones among ``drawn`` out of ``of``."""
    return (
        _choose_log(marked, hits)
        + _choose_log(of - marked, drawn - hits)
        - _choose_log(np.int64(of), np.int64(drawn))
    )


def _choose_log(of: object, taken: object) -> Floats:
    n, k = np.asarray(of, dtype=float), np.asarray(taken, dtype=float)
    found: Floats = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found


def excess_log(hits: int, strata: Sequence[tuple[int, int, int]]) -> float:
    """Logarithm of the probability of so many hits or more where hits fall on trials by chance.

    Each stratum is (trials of the subject, hits of the house, trials of the house), the subject
    included. Within a stratum every way in which the hits can fall is equally likely, which is
    Fisher's exact test; several strata are added up by convolution.
    """
    parts = []
    lowest = 0
    for drawn, marked, of in strata:
        if drawn and marked:
            least, most = max(0, drawn - (of - marked)), min(drawn, marked)
            parts.append(hypergeometric_log(np.arange(least, most + 1), drawn, marked, of))
            lowest += least
    wanted = hits - lowest
    if wanted <= 0:
        return 0.0
    # Tilted so that the hits are in the middle: untilted their chances would be too small for a float.
    tilt = _tilt(parts, wanted)
    chances, scale = np.ones(1), 0.0
    for part in parts:
        tilted = part + tilt * np.arange(len(part))
        peak = float(tilted.max())
        scale += peak
        chances = np.convolve(chances, np.exp(tilted - peak))
    if wanted >= len(chances):
        return _LEAST
    places = np.arange(wanted, len(chances))
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(chances[wanted:], 0.0)) - tilt * places
    peak = float(logs.max())
    return min(0.0, scale + peak + math.log(float(np.exp(logs - peak).sum())))


def _tilt(parts: Sequence[Floats], wanted: int) -> float:
    """By what exponent each hit has to weigh more for so many to be the average; 0 where they are fewer."""
    low, high = 0.0, 60.0
    for _ in range(40):
        middle = (low + high) / 2
        mean = sum(_mean_tilted(part, middle) for part in parts)
        low, high = (middle, high) if mean < wanted else (low, middle)
    return low


def _mean_tilted(part: Floats, tilt: float) -> float:
    places = np.arange(len(part))
    logs = part + tilt * places
    weights = np.exp(logs - logs.max())
    return float((weights * places).sum() / weights.sum())


def furthest_log(strata: Sequence[tuple[int, int, int]]) -> float:
    """Logarithm of the smallest probability that `excess_log` can come to, whatever happened."""
    return sum(
        float(hypergeometric_log(np.array([min(drawn, marked)]), drawn, marked, of)[0])
        for drawn, marked, of in strata
        if drawn and marked
    )


def expected_hits(strata: Sequence[tuple[int, int, int]]) -> float:
    """How many hits a subject has on the average where they fall by chance."""
    return sum(drawn * marked / of for drawn, marked, of in strata if of)


def trials_needed(share: float, times: float, log_level: float) -> int | None:
    """Trials after which a share so many ``times`` as great is seen, with probability `POWER`.

    By the binomial test at the level whose logarithm is given; None where the share is nothing.
    """
    # It takes a third of a second to import.
    from scipy.stats import binom

    if share <= 0 or share >= 1:
        return None
    raised = min(times * share, (1 + share) / 2)
    level = math.exp(log_level)
    low, high = 1, 1
    while high < 10**8:
        least = binom.isf(level, high, share) + 1
        if binom.sf(least - 1, high, raised) >= POWER:
            break
        low, high = high, high * 2
    else:
        return None
    while low < high:
        middle = (low + high) // 2
        least = binom.isf(level, middle, share) + 1
        if binom.sf(least - 1, middle, raised) >= POWER:
            high = middle
        else:
            low = middle + 1
    return high


# --- bets against known chances --------------------------------------------------------------


def bets_log(chances: Floats, hits: NDArray[np.bool_], odds: float) -> Floats:
    """What each trial multiplies a bet by that the odds of a hit are ``odds`` times as great, as logarithms.

    ``chances`` are the probabilities of a hit given all that came before, so that the product of the
    multipliers is a fair bet.
    """
    return np.where(hits, math.log(odds), 0.0) - np.log1p(chances * (odds - 1))


def sums_of_runs(values: Floats, lengths: Sequence[int]) -> Floats:
    """The sums of runs of values along the first axis, added up in their order: the same bits each time."""
    starts = np.cumsum([0, *lengths])[:-1]
    return np.add.reduceat(values, starts, axis=0) if len(starts) else values[:0]


def mixed_log(logs: Floats) -> Floats:
    """Logarithm of the mean of bets, given as logarithms along the first axis."""
    most = logs.max(axis=0)
    found: Floats = most + np.log(np.exp(logs - most).mean(axis=0))
    return found


def growth_needed(chance: float, odds: float, log_level: float) -> int | None:
    """Trials of one chance after which the mixed bet against `ODDS` reaches ``1 / level``.

    With probability `POWER`, where the odds are ``odds`` times as great; by the binomial distribution
    of the hits, without looking before the end.
    """
    from scipy.stats import binom

    if not 0 < chance < 1:
        return None
    raised = odds * chance / (1 + chance * (odds - 1))

    def seen(trials: int) -> bool:
        hits = int(binom.isf(POWER, trials, raised) if odds > 1 else binom.ppf(POWER, trials, raised))
        logs = np.array([hits * math.log(each) - trials * math.log1p(chance * (each - 1)) for each in ODDS])
        return bool(mixed_log(logs) >= -log_level)

    low, high = 1, 1
    while not seen(high):
        if high > 10**9:
            return None
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        if seen(middle):
            high = middle
        else:
            low = middle + 1
    return high


# --- many tests ------------------------------------------------------------------------------


def adjusted_log(logs: Floats, tests: int | None = None) -> Floats:
    """Benjamini and Hochberg's q-values (1995) of p-values, all as logarithms.

    Those at or below a level are at most to that share false, on the average, where the tests are independent
    or move together. For p-values that are ``1 / e`` this is the procedure of Wang and Ramdas (2022),
    which holds whatever the tests have to do with one another. ``tests`` is how many there were, where
    those are left out whose p-value is one.
    """
    count = len(logs)
    if not count:
        return logs
    order = np.argsort(logs, kind="stable")
    ranked = logs[order] + math.log(count if tests is None else tests) - np.log(np.arange(1, count + 1))
    lowest = np.minimum.accumulate(ranked[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(lowest, 0.0)
    return adjusted


def log_text(log: float) -> str:
    """A likelihood for reading and for the same bytes each time: ``3.21e-05`` for its logarithm."""
    if log <= _LEAST:
        return "0"
    tens = log / math.log(10)
    exponent = math.floor(tens)
    digits = round(10 ** (tens - exponent), 2)
    if digits >= 10:
        digits, exponent = digits / 10, exponent + 1
    return f"{digits:.2f}e{exponent:+03d}"
