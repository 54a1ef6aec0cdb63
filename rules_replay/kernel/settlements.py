"""Rows of settlements: every line of every wager, what is due beside what was recorded."""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.clauses import of_outcomes
from rules_replay.kernel.codes import (
    AS_REQUIRED,
    BONUS,
    NEVER,
    NOT,
    ON_OTHER_BONUS,
    ON_SUPER_BONUS,
    PERFECT_PAIRS,
    STAKE,
    SUPER_BONUS,
    WIN,
)
from rules_replay.kernel.comparison import bonus_lines
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.facts import hand_under, initial_cards
from rules_replay.kernel.reasons import SAID_NOTHING
from rules_replay.kernel.records import Records, Table


@inlined
def settlement_rows(table: Table, number: int, rows: Records, n: int) -> int:
    """Add a row for every line from row ``n`` on: stakes first, then the bonus lines due or recorded.

    ``number`` is the place of the round among its rounds; returns how many rows there are then, which
    are at most three more for each bet.
    """
    for bet in range(table.space.head.n_bets):
        _fill_stake(table, number, bet, rows[n])
        n += 1
    if not bonus_lines(table):
        return n
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        n = _add_bonus(table, number, bet, SUPER_BONUS, at.super_bonus, rows, n)
        n = _add_bonus(table, number, bet, BONUS, at.other_bonus, rows, n)
    return n


@compiled
def _fill(table: Table, number: int, bet: int, row: Any) -> None:
    """What every line of a wager has: whose it is, and where."""
    at = table.space.bets[bet]
    row.round_at = number
    row.name = table.space.names[at.name]
    row.kind = at.kind
    row.player = at.player
    row.box = at.box
    row.hand = table.space.hands[at.hand].no
    row.stake = at.amount
    row.effective = at.effective


@inlined
def _fill_stake(table: Table, number: int, bet: int, row: Any) -> None:
    at = table.space.bets[bet]
    _fill(table, number, bet, row)
    row.line = STAKE
    if at.kind >= PERFECT_PAIRS:
        row.hand = 1
    row.fixed = at.fixed
    row.due_result = at.due_result
    row.due_paid = at.due_paid
    row.due_taken = at.due_taken
    row.settled = at.settled
    row.results = at.results
    row.paid = at.paid
    row.taken = at.taken
    row.odds[0] = at.odds[0]
    row.odds[1] = at.odds[1]
    row.clause = at.clause
    row.reading = at.reading
    row.basis = at.due_basis
    row.corrected = at.corrected
    row.entitled = False
    _fill_reason(table, bet, row)


@inlined
def _fill_reason(table: Table, bet: int, row: Any) -> None:
    """What the reason of a due tells beside its amounts, as numbers."""
    at = table.space.bets[bet]
    row.story = at.story
    row.told[0] = at.told[0]
    row.told[1] = at.told[1]
    row.told[2] = at.told[2]
    row.cards_at = table.space.hands[hand_under(table, bet)].cards_at
    row.counting = at.counting
    row.points = at.points
    row.soft = at.soft
    row.dealer_points = table.space.head.dealer_points
    row.dealer_soft = table.space.head.dealer_soft
    if at.kind >= PERFECT_PAIRS:
        _, row.one, row.two = initial_cards(table, at.box, NEVER)


@compiled
def _add_bonus(table: Table, number: int, bet: int, line: int, due: int, rows: Records, n: int) -> int:
    """A row for a bonus line, where anything is due or was recorded."""
    row = rows[n]
    row.settled = False
    row.results = 0
    row.paid = 0
    row.taken = 0
    seq = table.space.bets[bet].first_line
    while seq != NOT:
        event = table.space.events[seq]
        if event.line == line and not table.space.links[seq].undone:
            row.settled = True
            row.results = 1 << int(event.result)
            row.paid += max(event.paid, 0)
            row.taken += max(event.taken, 0)
        seq = table.space.links[seq].next
    if due == 0 and not row.settled:
        return n
    _fill(table, number, bet, row)
    row.line = line
    row.fixed = due != 0 and not table.space.bets[bet].bonus_unknown
    row.due_result = WIN
    row.due_paid = due
    row.due_taken = 0
    row.odds[0] = NOT
    row.odds[1] = NOT
    row.clause = of_outcomes(ON_SUPER_BONUS if line == SUPER_BONUS else ON_OTHER_BONUS)
    row.reading = NOT
    row.basis = AS_REQUIRED
    row.corrected = False
    row.entitled = due != 0
    row.story = SAID_NOTHING
    row.counting = 0
    return n + 1
