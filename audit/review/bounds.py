"""Upper bounds of an error rate, exact and never rounded down.

Within one stratum: Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated
in the case of the binomial", Biometrika 26, one-sided. Whole numbers only, so that a bound is a
fact about the binomial distribution and not about a processor.

Of several strata together: with D of the M rounds of a stratum in error and n of them drawn without
replacement, the errors found are distributed like a sum of n independent trials (Vatutin and
Mikhailov 1982, Theory of Probability and its Applications 27), and so are those of all strata
together, with the expected number the sum of n D / M. Of all such sums with the same number of trials
and the same expected number the binomial has the heaviest lower tail beyond its mean (Hoeffding 1956,
"On the distribution of the number of successes in independent trials", Annals of Mathematical
Statistics 27, theorem 4). Where the binomial bound is exceeded, what was found is therefore unlikelier
than the confidence allows, whichever stratum the errors are in. What is left is to put as many
errors as fit under that bound into the strata: those drawn most thinly first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, floor

PLACES = 6
"""Decimals of a rate, rounded up."""
_STEPS = 10**PLACES


def upper_rate(errors: int, drawn: int, confidence: Fraction) -> Fraction:
    """The Clopper-Pearson upper bound of a rate, in steps of a millionth, rounded up.

    The least step at which so few errors, or fewer, would be found with a likelihood of no more than
    one less the confidence; 1 where nothing was drawn or all is in error.
    """
    if errors >= drawn:
        return Fraction(1)
    low, high = 0, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        if _unlikely(errors, drawn, middle, 1 - confidence):
            high = middle
        else:
            low = middle
    return Fraction(high, _STEPS)


def _unlikely(errors: int, drawn: int, steps: int, level: Fraction) -> bool:
    """Whether at most so many errors have a likelihood of at most ``level`` at a rate."""
    right = _STEPS - steps
    # the sum of comb(drawn, k) * steps**k * right**(errors - k), by Horner from the most errors down
    ways = comb(drawn, errors)
    total, power = ways, 1
    for left in range(errors, 0, -1):
        ways = ways * left // (drawn - left + 1)
        power *= right
        total = total * steps + ways * power
    likelihood = total * right ** (drawn - errors)
    return bool(likelihood * level.denominator <= level.numerator * _STEPS**drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A stratum: its ``rounds``, how many of them were ``drawn``, and in how many was an error."""

    rounds: int
    drawn: int
    errors: int

    @property
    def whole(self) -> bool:
        """Every round was drawn, so nothing is left to infer."""
        return self.drawn == self.rounds

    @property
    def share(self) -> Fraction:
        return Fraction(self.drawn, self.rounds)


def budget(strata: Sequence[Drawn], confidence: Fraction) -> Fraction:
    """The most that the errors of the strata, each weighed by its share drawn, may come to.

    Strata drawn whole are left out: theirs are known.
    """
    open_ = [each for each in strata if not each.whole]
    drawn, errors = sum(each.drawn for each in open_), sum(each.errors for each in open_)
    # Hoeffding's theorem holds from an expected number of one more than was found
    return max(drawn * upper_rate(errors, drawn, confidence), Fraction(errors + 1))


def most_errors(strata: Sequence[Drawn], confidence: Fraction) -> int:
    """The upper bound of the number of rounds in error in all strata together."""
    left = budget(strata, confidence)
    known = sum(each.errors for each in strata)
    open_ = [each for each in strata if not each.whole]
    left -= sum((each.share * each.errors for each in open_), Fraction(0))
    more = Fraction(0)
    for each in sorted(open_, key=lambda each: each.share):
        room = each.rounds - each.drawn
        if not each.drawn:
            more += room
            continue
        fits = min(Fraction(room), left / each.share)
        more += fits
        left -= fits * each.share
    return known + floor(more)


def rate_text(rate: Fraction, places: int = PLACES) -> str:
    """A rate as a decimal string, rounded up."""
    steps = ceil(rate * 10**places)
    whole, part = divmod(steps, 10**places)
    return f"{whole}.{part:0{places}d}"
