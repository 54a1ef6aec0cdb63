"""How a sample is parted into strata and how many rounds each of them gives.

What is riskier, or has more money on it, is looked at more closely: half the weight of a stratum is
its share of rounds and half its share of the money at stake; where the log itself gives a reason to
look, it counts double. Every stratum gives one round at least. Each further round goes to the stratum
with the most weight for each round it has given, so a larger sample holds the smaller one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

RISKS: Mapping[str, str] = {
    "findings": "a rule was broken by the log as it stands",
    "corrected": "a settlement was undone and made again at the table",
    "unreadable": "a card that the recorder could not read",
    "discretion": "the casino decided something: an irregularity, a void, a withdrawal, a notice",
}
"""Strata in which the log itself gives a reason to look, first that fits."""

STAKES: Mapping[str, str] = {
    "high stakes": "more at stake than in nine rounds of ten",
    "middle stakes": "more at stake than in half of the rounds",
    "low stakes": "the rest",
}
"""All other rounds, by the money at stake among them in their currency."""

STRATA = (*RISKS, *STAKES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The rounds of a stratum in the frame, and the money at stake in them by currency."""

    name: str
    rounds: int
    staked: Mapping[str, Decimal]


def allocate(wanted: int, strata: Sequence[Stratum]) -> dict[str, int]:
    """How many rounds each stratum gives; ``ValueError`` where there are fewer than strata."""
    found = {each.name: min(1, each.rounds) for each in strata}
    if wanted < sum(found.values()):
        raise ValueError(f"{wanted} rounds cannot be of {sum(found.values())} strata; draw more")
    weights = _weights(strata)
    for _ in range(min(wanted, sum(each.rounds for each in strata)) - sum(found.values())):
        name = max(
            (each.name for each in strata if found[each.name] < each.rounds),
            key=lambda name: (weights[name] / (found[name] + 1), -STRATA.index(name)),
        )
        found[name] += 1
    return found


def _weights(strata: Sequence[Stratum]) -> dict[str, Fraction]:
    rounds = sum(each.rounds for each in strata)
    currencies = sorted({currency for each in strata for currency in each.staked})
    totals = {
        currency: sum((each.staked.get(currency, Decimal(0)) for each in strata), Decimal(0))
        for currency in currencies
    }
    weights = {}
    for each in strata:
        # no rate of exchange: in each currency the share of its money, and the currencies count alike
        money = [
            Fraction(each.staked.get(currency, Decimal(0))) / Fraction(total)
            for currency, total in totals.items()
            if total
        ]
        of_money = sum(money, Fraction(0)) / max(1, len(money))
        weight = Fraction(each.rounds, max(1, rounds)) + of_money
        weights[each.name] = weight * (2 if each.name in RISKS else 1) / 2
    return weights
