"""What the stake of a bet is due: the ways in which a due is written down."""

from __future__ import annotations

from rules_replay.kernel.clauses import of_outcomes
from rules_replay.kernel.codes import (
    AS_DEALT,
    AS_REQUIRED,
    FAMILY_VOID,
    LOSE,
    NOT,
    RETURNED,
    VOIDED,
    WIN,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.payout import win
from rules_replay.kernel.reasons import STAKE_GOES_BACK, story
from rules_replay.kernel.records import Table


@compiled
def fix(table: Table, bet: int, family: int, result: int, taken: int, clause: int, reason: int) -> None:
    """A due without payment: what becomes of the stake, and the story."""
    at = table.space.bets[bet]
    at.family = family
    at.due_basis = AS_REQUIRED
    at.due_result = result
    at.fixed = True
    at.open = False
    at.due_paid = 0
    at.due_taken = taken
    at.odds[0] = 0
    at.odds[1] = 0
    at.clause = clause
    at.reading = NOT
    at.story = reason


@compiled
def leave_open(table: Table, bet: int, family: int, clause: int, reason: int) -> None:
    """A due that the log cannot fix, and why."""
    fix(table, bet, family, NOT, 0, clause, reason)
    at = table.space.bets[bet]
    at.due_basis = AS_DEALT
    at.fixed = False


@compiled
def void(table: Table, bet: int, why: int, outcome: int) -> None:
    """A void wager: the stake goes back, under the clause of the outcome."""
    fix(table, bet, FAMILY_VOID, VOIDED, 0, of_outcomes(outcome), story(STAKE_GOES_BACK, why, 0))


@compiled
def lose(table: Table, bet: int, family: int, clause: int, reason: int) -> None:
    """The whole stake is lost."""
    fix(table, bet, family, LOSE, table.space.bets[bet].effective, clause, reason)


@compiled
def give_back(table: Table, bet: int, family: int, clause: int, reason: int) -> None:
    """The stake is neither lost nor won upon."""
    fix(table, bet, family, RETURNED, 0, clause, reason)


@compiled
def pay(
    table: Table, bet: int, family: int, over: int, under: int, clause: int, sentence: int, inner: int
) -> None:
    """A win at odds of ``over`` to ``under``, left open where the chips cannot fix it."""
    at = table.space.bets[bet]
    paid, exact, cut, arithmetic = win(table, at.effective, over, under)
    reason = story(sentence, inner, arithmetic)
    if paid == NOT:
        leave_open(table, bet, family, clause, reason)
    else:
        fix(table, bet, family, WIN, 0, clause, reason)
        at.due_paid = paid
    at.odds[0] = over
    at.odds[1] = under
    at.told[0] = exact
    at.told[1] = paid
    at.told[2] = cut
