"""What is settled before the first card: boxes, wagers, and a script for a stacked stretch.

A plan without a script is played as the cards and the players' habits fall. A script
names the cards that come next for some hands and the decisions taken on them; an
unlawful decision in a script is a mistake the table makes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal, TypeAlias, cast

from data_samples.law import Law
from data_samples.players import Habit
from data_samples.shoe import Shoe
from data_samples.tables import Table
from data_samples.wishes import Wish, wishes
from rules_replay.cards import DECK

Move: TypeAlias = Literal["hit", "stand", "double", "split", "surrender", "forfeit"]
SideKind: TypeAlias = Literal["perfect_pairs", "pair", "pandemonium"]
Place: TypeAlias = tuple[int, int]
"""A box and a hand of it; (0, 1) is the dealer's hand."""

DEALER: Place = (0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """A wager about to be placed, in thousandths."""

    player: str
    kind: Literal["main"] | SideKind
    amount: int
    limit: int | None = None


@dataclass(slots=True, kw_only=True)
class BoxPlan:
    """One box: main wagers with the controlling player's first, side wagers, habits by player."""

    number: int
    mains: list[Bet]
    sides: list[Bet]
    habits: dict[str, Habit]

    @property
    def controller(self) -> str:
        return self.mains[0].player


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A finding that a fault must lead to. ``delta`` is in thousandths, None where it is not fixed."""

    code: str
    box: int | None = None
    hand: int | None = None
    wager: str | None = None
    delta: int | None = None


@dataclass(slots=True, kw_only=True)
class Script:
    """Cards and decisions fixed in advance.

    ``cards`` and ``moves`` go by hand. ``joins`` says for a hand whether every
    co-wagerer follows a double or a split, ``leads`` whether the controlling player puts
    up his own part of it, ``assigns`` the hand on which the others' wagers ride and
    ``amounts`` what is put up. ``insured`` are boxes whose controlling player insures,
    ``rider_surrenders`` is one whose last co-wagerer surrenders alone.
    ``dealer`` holds the dealer's decisions from the second card on. ``turns`` are the
    boxes in the order played, and ``early_second_card`` is the box before which the
    dealer takes his second card. ``side``, ``player`` and ``box`` are for a fault to remember.
    """

    cards: dict[Place, list[Wish]] = field(default_factory=dict)
    moves: dict[Place, list[Move]] = field(default_factory=dict)
    joins: dict[Place, bool] = field(default_factory=dict)
    leads: dict[Place, bool] = field(default_factory=dict)
    assigns: dict[Place, int] = field(default_factory=dict)
    amounts: dict[Place, int] = field(default_factory=dict)
    insured: set[int] = field(default_factory=set)
    rider_surrenders: int | None = None
    side: str | None = None
    player: str | None = None
    box: int = 0
    dealer: list[str] = field(default_factory=list)
    turns: tuple[int, ...] | None = None
    early_second_card: int | None = None
    alien_card_to: int | None = None
    skip_number: bool = False
    expected: list[Expected] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Plan:
    """One round about to be dealt."""

    law: Law
    table: Table
    boxes: list[BoxPlan]
    rng: Random
    shoe: Shoe
    recorded: Counter[str]
    shuffle_overdue: bool = False
    staged: bool = False
    script: Script = field(default_factory=Script)

    def copy(self) -> Plan:
        """The same table with wagers of its own to change and an empty script."""
        boxes = [
            BoxPlan(number=box.number, mains=list(box.mains), sides=list(box.sides), habits=dict(box.habits))
            for box in self.boxes
        ]
        return replace(self, boxes=boxes, script=Script())

    def exhausted(self) -> list[str]:
        """Cards of which the record already shows every copy of this shoe, in deck order."""
        return [card for card in DECK if self.recorded[card] == self.table.decks]

    @property
    def whole_shoe(self) -> bool:
        """Whether the record shows every card that left this shoe before the round."""
        return self.recorded == self.shoe.dealt

    def box(self, number: int) -> BoxPlan:
        return next(box for box in self.boxes if box.number == number)

    def any_box(self) -> int:
        """A box with a wager, at random."""
        return self.rng.choice(self.boxes).number

    def deal(self, box: int, cards: str, hand: int = 1) -> None:
        """Stack the shoe for a hand of a box (0: the dealer)."""
        self.script.cards.setdefault((box, hand), []).extend(wishes(cards))

    def decide(self, box: int, moves: str, hand: int = 1) -> None:
        """Fix the decisions on a hand, with spaces between them."""
        self.script.moves.setdefault((box, hand), []).extend(cast(list[Move], moves.split()))

    def expect(
        self, code: str, box: int | None = None, hand: int | None = None, wager: str | None = None
    ) -> None:
        """Say what an audit of this script must find."""
        self.script.expected.append(Expected(code=code, box=box, hand=hand, wager=wager))

    def live_box(self, besides: int) -> bool:
        """Script a lawful standing hand of 18 on another box, so that the dealer has to play.

        False where there is no other box.
        """
        others = [box.number for box in self.boxes if box.number != besides]
        if others:
            box = self.rng.choice(others)
            self.deal(box, "X 8")
            self.decide(box, "stand")
        return bool(others)
