"""How likely so many findings at one place are, if the place had nothing to do with them.

The binomial tail, term by term, as logarithms to the base of ten: of 400 findings its value is
far below what a float holds.
"""

from __future__ import annotations

from math import lgamma, log, log1p, log10

_LN10 = log(10)
_ENOUGH = 1e-17


def log_tail(trials: int, hits: int, part: int, whole: int) -> float:
    """Log10 of the likelihood of ``hits`` or more among ``trials``, each a hit in ``part`` of ``whole``.

    0 (certain) where so many are no more than what is to be expected. The logarithm is of the
    first term of the tail and of what the others add to it, each a known ratio to the one before.
    """
    if hits <= 0 or part >= whole or hits * whole <= trials * part:
        return 0.0
    if part <= 0 or hits > trials:
        return float("-inf")
    share = part / whole
    first = (
        lgamma(trials + 1)
        - lgamma(hits + 1)
        - lgamma(trials - hits + 1)
        + hits * log(share)
        + (trials - hits) * log1p(-share)
    )
    term = total = 1.0
    for each in range(hits, trials):
        term *= (trials - each) * share / ((each + 1) * (1 - share))
        total += term
        if term < _ENOUGH * total:
            break
    return min(0.0, first / _LN10 + log10(total))


def parted(hits: int, number: int, all_hits: int, whole: int) -> float:
    """Log10 of how much likelier two shares make what was found than one share does.

    ``hits`` of ``number`` were here, ``all_hits`` of the ``whole`` altogether.
    """
    two = _at_best(hits, number) + _at_best(all_hits - hits, whole - number)
    return max(0.0, (two - _at_best(all_hits, whole)) / _LN10)


def _at_best(hits: int, number: int) -> float:
    """Natural logarithm of the likelihood of ``hits`` in their order, under the share that fits best."""
    misses = max(number, hits) - hits
    return sum(part * log(part / (hits + misses)) for part in (hits, misses) if part)
