"""What one line of one wager is due, and the word for it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rules_replay.engine.pieces import Bet
from rules_replay.engine.table import Table
from rules_replay.results import Basis, Money

Family: TypeAlias = Literal["hand", "double", "surrender", "forfeit", "void", "insurance", "pairs", "jackpot"]
"""Which group of settle codes a difference falls under."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """The required settlement of a line; ``expected`` is None where the log cannot fix it.

    ``acceptable`` holds the amounts among which the texts leave an undecided line:
    the first is the reading in force.
    """

    bet: Bet
    family: Family
    expected: Money | None
    odds: str | None
    clause: str
    reason: str
    basis: Basis = "as_required"
    reading: str | None = None
    acceptable: tuple[Money, ...] = ()


def indeterminate(
    bet: Bet, family: Family, clause: str, reason: str, acceptable: tuple[Money, ...] = ()
) -> Due:
    """A line that the log cannot fix, and why."""
    return Due(
        bet=bet,
        family=family,
        expected=None,
        odds=None,
        clause=clause,
        reason=reason,
        basis="as_dealt",
        acceptable=acceptable,
    )


def void_due(table: Table, bet: Bet, reason: str, outcome: str) -> Due:
    """A void line: the stake goes back, under the clause of the outcome."""
    return Due(
        bet=bet,
        family="void",
        expected=Money(result="void"),
        odds=None,
        clause=table.book.outcome_clause(outcome),
        reason=f"{reason}: the stake goes back",
    )
