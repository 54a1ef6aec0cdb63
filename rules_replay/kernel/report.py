"""Collecting findings: the code, the place, the amount; the texts are the readable engine's.

Three rules hold for every check and so stand here: a check whose fact the recorder does not
capture finds nothing, nor does a check of something that the rulebook does not have, and
conduct on which the rulebook is silent is a notice.
"""

from __future__ import annotations

from typing import Any, Final

from rules_replay.kernel.codes import AS_REQUIRED, NONE_OF, NOT
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.records import Table

BY_CHECK: Final = -1
"""A finding under the clause of its check."""


@compiled
def counts(table: Table, code: int) -> bool:
    """Whether a check can find anything in this round: it applies, and its fact is recorded."""
    book = table.book
    needs = book.needs[code]
    if needs != NOT and not (table.round.facts >> needs) & 1:
        return False
    return bool(book.says[code] != NONE_OF)


@compiled
def add(table: Table, code: int, seq: int) -> Any:
    """The next finding, filled with what a finding is where nothing else is said."""
    head = table.space.head
    place = head.n_found
    if place < len(table.space.found):
        head.n_found += 1
    else:
        head.overflow = True
        place -= 1
    found = table.space.found[place]
    found.code = code
    found.severity = table.book.severity[code]
    found.basis = AS_REQUIRED
    found.seq = seq
    found.box = NOT
    found.hand = NOT
    found.bet = NOT
    found.has_delta = False
    found.delta = 0
    found.clause = BY_CHECK
    return found


@compiled
def find(table: Table, code: int, seq: int, severity: int) -> None:
    """A finding about the round; ``severity`` is `NOT` for that of the check."""
    if counts(table, code):
        found = add(table, code, seq)
        if severity != NOT:
            found.severity = severity


@compiled
def find_box(table: Table, code: int, seq: int, box: int, severity: int) -> None:
    """A finding about a box, whose number ``box`` is."""
    if counts(table, code):
        found = add(table, code, seq)
        found.box = box
        if severity != NOT:
            found.severity = severity


@compiled
def find_place(table: Table, code: int, seq: int, box: int, no: int, severity: int) -> None:
    """A finding about a hand by the numbers of its box and within it."""
    if counts(table, code):
        found = add(table, code, seq)
        found.box = box
        found.hand = no
        if severity != NOT:
            found.severity = severity


@compiled
def find_hand(table: Table, code: int, seq: int, hand: int, severity: int) -> None:
    """A finding about a hand."""
    at = table.space.hands[hand]
    find_place(table, code, seq, at.box, at.no, severity)


@compiled
def find_bet(table: Table, code: int, seq: int, bet: int, severity: int) -> None:
    """A finding about a bet and the hand that it rides on."""
    if counts(table, code):
        found = add(table, code, seq)
        at = table.space.hands[table.space.bets[bet].hand]
        found.box = at.box
        found.hand = at.no
        found.bet = bet
        if severity != NOT:
            found.severity = severity


@compiled
def find_bet_on(table: Table, code: int, seq: int, bet: int, hand: int) -> None:
    """A finding about a bet at the place of another hand."""
    if counts(table, code):
        found = add(table, code, seq)
        at = table.space.hands[hand]
        found.box = at.box
        found.hand = at.no
        found.bet = bet


@compiled
def find_money(
    table: Table, code: int, seq: int, bet: int, severity: int, basis: int, delta: int, clause: int
) -> None:
    """A finding about the money of a bet: recorded net to the player less the required net."""
    if counts(table, code):
        found = add(table, code, seq)
        at = table.space.hands[table.space.bets[bet].hand]
        found.box = at.box
        found.hand = at.no
        found.bet = bet
        found.basis = basis
        found.has_delta = True
        found.delta = delta
        found.clause = clause
        if severity != NOT:
            found.severity = severity
