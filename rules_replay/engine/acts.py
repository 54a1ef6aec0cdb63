"""What was done, with what the table held at that moment."""

from __future__ import annotations

import msgspec

from rules_replay.cards import Card
from rules_replay.engine.pieces import Bet, Drawn, Hand, Pile


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """A card dealt after the initial deal to a player's hand, and the hand before it."""

    seq: int
    hand: Hand
    before: Pile
    dealer_cards: int


class SplitAct(msgspec.Struct, frozen=True, kw_only=True):
    """A split: the cards of the hand split and how many hands the box then had."""

    seq: int
    hand: Hand
    to: Hand
    held: Pile
    hands_after: int

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class DoubleAct(msgspec.Struct, frozen=True, kw_only=True):
    """A double: the cards then on the hand, and whether a double had brought it a card before.

    One reported for each player who doubles is one double.
    """

    seq: int
    hand: Hand
    held: Pile
    again: bool

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class SurrenderAct(msgspec.Struct, frozen=True, kw_only=True):
    """A surrender of a hand or of one bet on it; ``of_split`` as the hand then was.

    ``elsewhere`` marks one that names a bet which rode on another hand: the log contradicts itself.
    """

    seq: int
    hand: Hand
    bet: Bet | None
    held: Pile
    of_split: bool
    elsewhere: bool

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class StandAct(msgspec.Struct, frozen=True, kw_only=True):
    """A hand that wanted no further card."""

    seq: int
    hand: Hand
    held: Pile

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """A card burned off a hand, and what lay ``below`` it.

    ``in_order`` marks one of the initial deal that had come in its turn.
    """

    seq: int
    hand: Hand
    drawn: Drawn
    below: Pile
    in_order: bool


class ForfeitAct(msgspec.Struct, frozen=True, kw_only=True):
    """A bet given up after doubling."""

    seq: int
    bet: Bet
    held: Pile
    dealer_cards: int

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class AssignAct(msgspec.Struct, frozen=True, kw_only=True):
    """A co-wagerer's choice of hand."""

    seq: int
    bet: Bet
    hand: Hand
