"""Rulebooks to records: words, answers and checks become numbers, and what hands are due is made ready."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, cast, get_args

import numpy as np
import numpy.typing as npt

from rules_replay.checks import catalogue
from rules_replay.kernel.book import BOOK, SUBJECTS, WAGER_KINDS, WORDS, Records
from rules_replay.kernel.codes import ACE, CARDS_OF_A_DECK, NONE_OF, NORMAL, NOT, SILENT_ON
from rules_replay.kernel.dues import fill_dues
from rules_replay.kernel.lacking import leave_open
from rules_replay.log import FACTS, IrregularityCode
from rules_replay.rulebook import NONE, READINGS, SILENT, TERMS, Rulebook
from rules_replay.severity import SEVERITIES

_CONDUCT: Final = frozenset({"wager", "split", "double", "surrender", "insurance", "side-bet"})


def book_records(books: Sequence[Rulebook]) -> Records:
    """Rulebooks as records, in their order."""
    records = np.zeros(len(books), BOOK)
    for number, book in enumerate(books):
        _fill(records[number], book)
    return cast(Records, records.view(np.recarray))


def _fill(record: npt.NDArray[np.void] | np.void, book: Rulebook) -> None:
    for term in TERMS:
        name = term.replace(".", "_")
        if term.startswith("payout."):
            record[name] = book.odds(term).as_integer_ratio() if term in book.terms else (0, 1)
        elif term == "side.kinds":
            record[name] = sum(1 << WAGER_KINDS.index(kind) for kind in book.side_kinds())
        elif term == "irregularity.wager_back_after":
            known_codes = get_args(IrregularityCode)
            record[name] = sum(1 << known_codes.index(code) for code in book.wager_back_after())
        elif term == "jackpot.multipliers":
            known = book.multipliers()
            record["multipliers"] = len(known)
            record[name][: len(known)] = known
        elif term in WORDS and term in book.terms:
            record[name] = WORDS[term].index(book.word(term))
        elif term in book.terms:
            record[name] = int(cast(int, book.terms[term].value))
    for question in READINGS:
        record[f"reads_{question}"] = READINGS[question].index(book.reads(question))
    checks = catalogue().values()
    clauses = [book.clauses[check.code] for check in checks]
    record["says"] = [{NONE: NONE_OF, SILENT: SILENT_ON}.get(clause, NORMAL) for clause in clauses]
    record["severity"] = [
        SEVERITIES.index("notice" if clause == SILENT and check.group in _CONDUCT else check.severity)
        for check, clause in zip(checks, clauses, strict=True)
    ]
    for name, column in _of_checks().items():
        record[name] = column
    record["counted"] = [
        1 | _points(card) << 16 | (card >> 2 == ACE) << 32 for card in range(CARDS_OF_A_DECK)
    ]
    fill_dues(record)


def _points(card: int) -> int:
    """Its points, an ace at one."""
    return min((card >> 2) + 1, 10)


@cache
def _of_checks() -> dict[str, list[int]]:
    """What a record has of each check whatever the rulebook."""
    checks = catalogue().values()
    return {
        "subject": [SUBJECTS.index(check.subject) for check in checks],
        "left_open_by": [leave_open(check.code) for check in checks],
        "needs": [NOT if check.needs is None else FACTS.index(cast(Any, check.needs)) for check in checks],
    }
