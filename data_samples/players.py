"""Players and their habits: how much they stake, and what they decide on a hand."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from rules_replay.cards import Total


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """How often a player takes an option that is open, each a chance from 0 to 1.

    ``loose`` is how often a double is made on a hand that the book would only draw to,
    ``stake`` the usual wager in units of the table minimum.
    """

    name: str
    stake: int
    loose: float = 0.0
    insures: float = 0.0
    surrenders: float = 0.3
    splits_tens: float = 0.0
    joins: float = 0.5
    sides: float = 0.0
    boxes: int = 1


HABITS = (
    Habit(name="by the book", stake=2, surrenders=0.6, joins=0.9),
    Habit(name="loose doubler", stake=3, loose=0.4, splits_tens=0.1, joins=0.8, surrenders=0.1),
    Habit(name="insurer", stake=4, insures=0.9, surrenders=0.7),
    Habit(name="side bettor", stake=1, sides=0.8, insures=0.2, surrenders=0.0),
    Habit(name="several boxes", stake=5, loose=0.1, insures=0.3, sides=0.2, boxes=2),
    Habit(name="table maximum", stake=40, loose=0.05, insures=0.4, surrenders=0.5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a player sees when asked: his cards' values, the total, the dealer's first card, the options."""

    values: tuple[int, ...]
    total: Total
    upcard: int
    options: frozenset[str]

    @property
    def pair(self) -> bool:
        return len(self.values) == 2 and self.values[0] == self.values[1]


def wants_surrender(habit: Habit, view: View, rng: Random) -> bool:
    """Hard 14 to 16 is what players give up."""
    return not view.total.soft and 14 <= view.total.points <= 16 and rng.random() < habit.surrenders


def wants_insurance(habit: Habit, rng: Random) -> bool:
    """Insurance is a matter of habit alone."""
    return rng.random() < habit.insures


def decision(habit: Habit, view: View, rng: Random) -> str:
    """One of the options, by basic strategy and the player's habit."""
    if "split" in view.options and _wants_split(habit, view, rng):
        return "split"
    if "double" in view.options and _wants_double(habit, view, rng):
        return "double"
    if "stand" not in view.options:
        return "hit"
    return "stand" if _content(view) else "hit"


def _wants_split(habit: Habit, view: View, rng: Random) -> bool:
    value = view.values[0]
    if value in (1, 8):
        return True
    if value == 10:
        return rng.random() < habit.splits_tens
    if value in (2, 3, 6, 7):
        return 2 <= view.upcard <= 7
    return value == 9 and view.upcard not in (1, 7, 10)


def _wants_double(habit: Habit, view: View, rng: Random) -> bool:
    total = view.total
    if not total.soft and total.points in (10, 11) and 2 <= view.upcard <= 8:
        return True
    if not total.soft and total.points == 9 and 3 <= view.upcard <= 6:
        return True
    return total.points <= 18 and rng.random() < habit.loose


def _content(view: View) -> bool:
    if view.total.soft:
        return view.total.points >= (19 if view.upcard in (1, 9, 10) else 18)
    if view.total.points >= 17:
        return True
    return 2 <= view.upcard <= 6


def wants_forfeit(total: int, upcard: int, rng: Random) -> bool:
    """Players give up a doubled hand that can only win by the dealer's bust."""
    return total < 17 and upcard in (1, 7, 8, 9, 10) and rng.random() < 0.3
