"""Which checks a round could support: passed, failed, or not evaluable and for want of what."""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.codes import (
    A_READABLE_CARD,
    ASSIGN,
    BURN,
    CONTINUOUS,
    CUT_CARD,
    DOUBLE,
    INSURANCE,
    MAIN,
    NEVER,
    NONE_OF,
    NOT,
    PAIR,
    PANDEMONIUM,
    PERFECT_PAIRS,
    SEVEN,
    SHOE_CUT_CARD_MISSING,
    SHOE_CUT_POSITION,
    SPLIT,
    SURRENDER,
    THE_WHOLE_SHOE,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.count import rank
from rules_replay.kernel.facts import upcard
from rules_replay.kernel.records import Bools, Counts, Table

PASSED: Final = 0
FAILED: Final = 1
LACKS: Final = 2
"""Verdicts; from `LACKS` on one for each missing fact."""
VERDICTS: Final = LACKS + THE_WHOLE_SHOE + 1
"""How many verdicts there are."""

OF_ROUND: Final = 0
OF_CLAIM: Final = 1
OF_WAGER: Final = 2
OF_LIMIT: Final = 3
OF_SIDE: Final = 4
OF_PAIRS: Final = 5
OF_JACKPOT: Final = 6
OF_INSURANCE: Final = 7
OF_TWENTY_ONE: Final = 8
OF_SURRENDER: Final = 9
OF_SPLIT: Final = 10
OF_DOUBLE: Final = 11
OF_FORFEIT: Final = 12
OF_HAND: Final = 13
OF_DEALER: Final = 14
OF_VOID: Final = 15
OF_SUPER_BONUS: Final = 16
OF_SHOE: Final = 17
OF_IRREGULARITY: Final = 18
OF_BURNED: Final = 19
OF_CALL: Final = 20
OF_SURRENDERED: Final = 21
OF_ASSIGNED: Final = 22
OF_CONTINUOUS: Final = 23
OF_CUTTING_CARD: Final = 24
OF_LAST_ROUNDS: Final = 25
"""Subjects, as `rules_replay.kernel.book.SUBJECTS`."""


@compiled
def cover(table: Table, covered: Counts, failed: Bools, whole_shoe: bool) -> None:
    """Count the verdict of every check that applies to the round.

    ``covered`` counts by rulebook, check and verdict; ``failed`` says of every check whether the round
    or its shoe has a finding of it. Without ``whole_shoe`` nothing is shown about the cutting card.
    """
    subjects = _subjects(table)
    for code in range(len(failed)):
        verdict = FAILED if failed[code] else _verdict(table, code, subjects, whole_shoe)
        if verdict != NOT:
            covered[table.round.book, code, verdict] += 1


@compiled
def _verdict(table: Table, code: int, subjects: int, whole_shoe: bool) -> int:
    """The verdict on a check that found nothing, `NOT` where it does not apply."""
    book = table.book
    if book.says[code] == NONE_OF or not (subjects >> int(book.subject[code])) & 1:
        return NOT
    needs = book.needs[code]
    if needs != NOT and not (table.round.facts >> needs) & 1:
        return int(LACKS + needs)
    if book.about_cards[code] and table.space.head.n_unreadable > 0:
        return LACKS + A_READABLE_CARD
    about_shoe = code == SHOE_CUT_POSITION or code == SHOE_CUT_CARD_MISSING
    return LACKS + THE_WHOLE_SHOE if about_shoe and not whole_shoe else PASSED


@compiled
def _bit(holds: bool, subject: int) -> int:
    return 1 << subject if holds else 0


@compiled
def _subjects(table: Table) -> int:
    """What the round contains, a bit for each subject."""
    head = table.space.head
    up = upcard(table)
    found = 1 << OF_ROUND | 1 << OF_SHOE
    found |= _bit(table.round.claims, OF_CLAIM)
    found |= _bit(table.round.has_limits, OF_LIMIT)
    found |= _bit(table.space.hands[0].n > 0 and not head.round_void, OF_DEALER)
    found |= _bit(head.round_void, OF_VOID)
    found |= _bit(up != NOT and rank(up) == SEVEN, OF_SUPER_BONUS)
    found |= _bit(head.n_irregularities > 0, OF_IRREGULARITY)
    found |= _bit(head.no_more_bets_at < NEVER, OF_CALL)
    found |= _bit(table.round.shuffler == CONTINUOUS, OF_CONTINUOUS)
    found |= _bit(table.round.last_rounds, OF_LAST_ROUNDS)
    return found | _of_bets(table) | _of_acts(table) | _of_hands(table) | _of_events(table)


@compiled
def _of_bets(table: Table) -> int:
    found = _bit(table.space.head.n_bets > 0, OF_WAGER)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.void_at != NOT:
            found |= 1 << OF_VOID
        if at.kind >= PERFECT_PAIRS:
            found |= 1 << OF_SIDE
        if at.kind == MAIN:
            found |= 1 << OF_TWENTY_ONE | 1 << OF_SURRENDER
        elif at.kind == PERFECT_PAIRS or at.kind == PAIR:
            found |= 1 << OF_PAIRS
        elif at.kind == PANDEMONIUM:
            found |= 1 << OF_JACKPOT
        elif at.kind == INSURANCE:
            found |= 1 << OF_INSURANCE
    return found


@compiled
def _of_acts(table: Table) -> int:
    found = 0
    for number in range(table.space.head.n_acts):
        kind = table.space.acts[number].kind
        if kind == SPLIT:
            found |= 1 << OF_SPLIT
        elif kind == DOUBLE:
            found |= 1 << OF_DOUBLE | 1 << OF_FORFEIT
        elif kind == SURRENDER:
            found |= 1 << OF_SURRENDERED
        elif kind == ASSIGN:
            found |= 1 << OF_ASSIGNED
    return found


@compiled
def _of_hands(table: Table) -> int:
    """Whether any hand of a player holds a card."""
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].n > 0:
            return 1 << OF_HAND
    return 0


@compiled
def _of_events(table: Table) -> int:
    found = 0
    for seq in range(table.round.count):
        event = table.space.events[seq]
        if event.kind == BURN and not event.off_hand:
            found |= 1 << OF_BURNED
        elif event.kind == CUT_CARD:
            found |= 1 << OF_CUTTING_CARD
    return found
