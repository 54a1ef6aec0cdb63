"""The head of an explanation: which round it was, the verdict, and what moved wrongly."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import get_args

from rules_replay import log
from rules_replay.explain.data import Heading
from rules_replay.explain.wording import FACT_WORDS, amount, count, figure, listed
from rules_replay.log import Round, amount_text
from rules_replay.results import RoundReplay
from rules_replay.rulebook import Rulebook
from rules_replay.severity import SEVERITIES

_NOUNS = {
    "breach": ("breach", "breaches"),
    "procedure": ("fault of procedure", "faults of procedure"),
    "ambiguous": (
        "finding that depends on how a clause is read",
        "findings that depend on how a clause is read",
    ),
    "indeterminate": ("point that the log cannot decide", "points that the log cannot decide"),
    "notice": ("notice", "notices"),
}
_LEADS = {
    "breach": "Not in order",
    "procedure": "Not in order",
    "ambiguous": "Open to argument",
    "indeterminate": "Undecided",
    "notice": "In order",
}


def heading(round_: Round, replay: RoundReplay, book: Rulebook | None) -> Heading:
    """The head of a round, judged under a rulebook or by none."""
    return Heading(
        round_id=round_.round_id,
        venue=round_.venue,
        table=round_.table,
        shoe=round_.shoe,
        round_no=round_.round_no,
        started_at=round_.started_at.isoformat(),
        ended_at=clock_time(round_, round_.ended_at),
        decks=round_.decks,
        shuffler=round_.shuffler,
        currency=round_.currency,
        dealer=round_.dealer,
        supervisor=round_.supervisor,
        sign=sign_words(round_.limits),
        not_recorded=tuple(FACT_WORDS[fact] for fact in get_args(log.Fact) if fact not in round_.facts),
        rulebook=book.id if book is not None else None,
        title=book.title if book is not None else None,
        instrument=book.instrument if book is not None else None,
        verdict=_verdict(replay, book),
        money=_moved(replay, round_.currency),
    )


def clock_time(round_: Round, instant: datetime | None) -> str | None:
    """An instant of a round by the clock that its start is recorded by, ISO 8601; None where there is none.

    A log may give each instant an offset of its own, and a lake keeps that of the start alone.
    """
    return None if instant is None else instant.astimezone(round_.started_at.tzinfo).isoformat()


def sign_words(limits: log.Limits | None) -> str:
    """The table's sign in words; empty where the log has none."""
    if limits is None:
        return ""
    names = {
        "min": "at least",
        "max": "at most",
        "box_max": "together on a box at most",
        "multiples": "in multiples of",
        "side_min": "side wagers at least",
        "side_max": "side wagers at most",
        "smallest_chip": "smallest chip",
    }
    found = ((words, getattr(limits, name)) for name, words in names.items())
    return ", ".join(f"{words} {figure(amount_text(limit))}" for words, limit in found if limit is not None)


def _verdict(replay: RoundReplay, book: Rulebook | None) -> str:
    if book is None:
        return (
            "Not judged: no rulebook is held for this venue at this time. What happened is told as recorded."
        )
    numbers = Counter(finding.severity for finding in replay.findings)
    found = [severity for severity in SEVERITIES if numbers[severity]]
    counts = listed(count(numbers[each], *_NOUNS[each]) for each in found)
    open_ = sum(row.expected is None and row.line == "stake" for row in replay.settlements)
    if open_ and set(found) <= {"notice"}:
        undecided = f"what {count(open_, 'wager')} {'was' if open_ == 1 else 'were'} due"
        return f"Undecided: the log cannot show {undecided}{'; ' + counts if counts else ''}."
    if not found:
        return "In order: every wager was settled as the rules require, and no rule was found broken."
    return f"{_LEADS[found[0]]}: {counts}."


def _moved(replay: RoundReplay, currency: str) -> tuple[str, ...]:
    """What the findings say each player got too much or too little.

    What rests on an ambiguous clause is kept apart and said to do so.
    """
    told: list[str] = []
    surely: set[str] = set()
    for ambiguous in (False, True):
        sums: dict[str, int] = {}
        for finding in replay.findings:
            if finding.delta and finding.player and (finding.severity == "ambiguous") == ambiguous:
                sums[finding.player] = sums.get(finding.player, 0) + finding.delta
        told += [
            f"{'On the reading applied here, ' if ambiguous else ''}{player} received "
            f"{'a further ' if ambiguous and player in surely else ''}"
            f"{amount(abs(moved), currency)} too {'much' if moved > 0 else 'little'}."
            for player, moved in sums.items()
            if moved
        ]
        surely = set(sums)
    rows = replay.settlements
    as_due = all(row.expected is not None and row.recorded == row.expected for row in rows)
    if replay.findings and not told and rows and as_due:
        told.append("Every wager was settled as due.")
    return tuple(told)
