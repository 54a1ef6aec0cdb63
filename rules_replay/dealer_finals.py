"""The dealer's final total by his first card, exact, from the cards still in a shoe.

The dealer draws to hard 16 and soft 17, without replacement. From a fresh shoe of 48-card
decks less his first card that is what basic strategy knows; from the cards left in the shoe
it is what everybody knows who has seen the cards that came out before.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias

Final: TypeAlias = Literal["17", "18", "19", "20", "21", "pontoon", "bust"]
FINALS: tuple[Final, ...] = ("17", "18", "19", "20", "21", "pontoon", "bust")
VALUES = tuple(range(1, 11))
"""Point values of a first card, an ace at one."""


def shoe_counts(decks: int) -> tuple[int, ...]:
    """Cards in the shoe by point value, from the ace; three ranks of four suits are worth ten."""
    return (4 * decks,) * 9 + (12 * decks,)


@cache
def dealer_finals(decks: int, first: int) -> dict[Final, Fraction]:
    """Probability of every final total; the probabilities add up to one exactly.

    ``first`` is the point value of the first card. A two-card 21 is ``pontoon``, and
    ``21`` is one of three cards or more.
    """
    left = list(shoe_counts(decks))
    left[first - 1] -= 1
    return finals_from(tuple(left), first)


def finals_from(left: tuple[int, ...], first: int) -> dict[Final, Fraction]:
    """The same from so many cards ``left`` in the shoe, by point value from the ace.

    Where the shoe may run out before the hand is complete, the probabilities add up to less than one.
    """
    reached: dict[tuple[int, ...], dict[Final, Fraction]] = {}

    def finals(drawn: tuple[int, ...], points: int, ace: bool) -> dict[Final, Fraction]:
        known = reached.get(drawn)
        if known is None:
            known = reached[drawn] = _further(drawn, points, ace)
        return known

    def _further(drawn: tuple[int, ...], points: int, ace: bool) -> dict[Final, Fraction]:
        ended = _ended(points, ace, len(drawn))
        if ended is not None:
            return {ended: Fraction(1)}
        cards = sum(left) - len(drawn)
        sums: dict[Final, Fraction] = {}
        for value in VALUES:
            count = left[value - 1] - drawn.count(value)
            if count <= 0:
                continue
            after = finals(tuple(sorted((*drawn, value))), points + value, ace or value == 1)
            for final, chance in after.items():
                sums[final] = sums.get(final, Fraction(0)) + chance * Fraction(count, cards)
        return sums

    sums = finals((), first, first == 1)
    return {final: sums.get(final, Fraction(0)) for final in FINALS}


def _ended(points: int, ace: bool, drawn: int) -> Final | None:
    """Where a hand of the first card and ``drawn`` more stops; None while it draws."""
    soft = ace and points <= 11
    total = points + 10 if soft else points
    if drawn == 0 or (total <= 17 if soft else total <= 16):
        return None
    if total > 21:
        return "bust"
    if total == 21 and drawn == 1:
        return "pontoon"
    return {17: "17", 18: "18", 19: "19", 20: "20", 21: "21"}[total]  # type: ignore[return-value]
