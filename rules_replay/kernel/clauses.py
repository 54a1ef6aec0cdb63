"""Clauses behind a due as one number, from which the edge makes the text of the citation."""

from __future__ import annotations

from typing import Final, get_args

from rules_replay.checks import catalogue
from rules_replay.kernel.codes import NOT
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.log import IrregularityCode
from rules_replay.rulebook import OUTCOMES, READINGS, Rulebook

_OF_OUTCOMES: Final = 0
_OF_CHECK: Final = 1
_OF_READING: Final = 2
_OF_IRREGULARITY: Final = 3
"""What the lowest byte of a packed clause says about the bytes above it."""

_ANSWERS: Final = 16


@compiled
def of_outcomes(one: int) -> int:
    """The clauses behind an outcome."""
    return _OF_OUTCOMES | (one + 1) << 8


@compiled
def of_outcomes2(one: int, two: int) -> int:
    """The clauses behind two outcomes, in this order."""
    return _OF_OUTCOMES | (one + 1) << 8 | (two + 1) << 16


@inlined
def first_outcome(clause: int) -> int:
    """The first of the outcomes behind a clause."""
    return (int(clause) >> 8 & 255) - 1


@inlined
def of_outcomes3(one: int, two: int, three: int) -> int:
    """The clauses behind three outcomes, in this order."""
    return _OF_OUTCOMES | (one + 1) << 8 | (two + 1) << 16 | (three + 1) << 24


@compiled
def of_check(code: int) -> int:
    """The clause that a check holds."""
    return _OF_CHECK | code << 8


@compiled
def of_reading(question: int) -> int:
    """The clauses that leave a question open."""
    return _OF_READING | question << 8


@inlined
def of_irregularity(code: int) -> int:
    """The clause that governs an irregularity reported by the table."""
    return _OF_IRREGULARITY | code << 8


@compiled
def answer(question: int, number: int) -> int:
    """An answer to an open question, as a due names the reading that it rests on."""
    return _ANSWERS * question + number


_QUESTIONS: Final = {question: number for number, question in enumerate(READINGS)}

ON_DOUBLED_BUST_DEALER_PONTOON: Final = _QUESTIONS["doubled_bust_dealer_pontoon"]
ON_DOUBLED_SPLIT_ODDS: Final = _QUESTIONS["doubled_split_odds"]
ON_DOUBLE_CUTS_BOX_ODDS: Final = _QUESTIONS["double_cuts_box_odds"]
ON_SPLIT_ODDS: Final = _QUESTIONS["split_odds"]
ON_SPLIT_BUST_TAKES: Final = _QUESTIONS["split_bust_takes"]
ON_BUST_ABOVE_ORIGINAL: Final = _QUESTIONS["bust_above_original"]
ON_SUPER_BONUS_WITH_TABLE: Final = _QUESTIONS["super_bonus_with_table"]
ON_INSURANCE_LIFE: Final = _QUESTIONS["insurance_life"]
ON_SECOND_CARD_FOR_SURRENDER: Final = _QUESTIONS["second_card_for_surrender"]
ON_PAIRS_PAYOUT: Final = _QUESTIONS["pairs_payout"]
"""Open questions by number."""


def clause_text(book: Rulebook, packed: int) -> str:
    """Edition and clauses, as they are cited."""
    kind, rest = packed & 255, packed >> 8
    if kind == _OF_CHECK:
        return book.clause_of(tuple(catalogue())[rest])
    if kind == _OF_READING:
        return book.cite(book.readings[tuple(READINGS)[rest]].clause)
    if kind == _OF_IRREGULARITY:
        return book.irregularity_clause(get_args(IrregularityCode)[rest])
    outcomes = []
    while rest:
        outcomes.append(OUTCOMES[(rest & 255) - 1])
        rest >>= 8
    return book.outcome_clause(*outcomes)


def reading_text(packed: int) -> str | None:
    """A reading that a due rests on, as ``question=answer``; None for none."""
    if packed == NOT:
        return None
    question, number = divmod(packed, _ANSWERS)
    name = tuple(READINGS)[question]
    return f"{name}={READINGS[name][number]}"
