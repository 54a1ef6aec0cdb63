"""Which checks a round could support: passed, failed, or not evaluable and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules_replay.checks import Check, catalogue
from rules_replay.engine.pieces import NEVER
from rules_replay.engine.table import Table
from rules_replay.results import CoverageRow, Finding
from rules_replay.rulebook import NONE


def _upcard_may_be_seven(table: Table) -> bool:
    return table.upcard is not None and (table.upcard.rank == "7" or not table.upcard.readable)


def _mains(table: Table) -> bool:
    return any(box.mains for box in table.boxes.values())


def _decisions_missing(table: Table) -> bool:
    return "decisions" not in table.facts


def _forfeited_without_event(table: Table) -> bool:
    """Where no decisions are recorded a forfeit is read off its settlement (ruling 15)."""
    if not _decisions_missing(table):
        return False
    return any(
        "forfeit" in bet.recorded[0].result.split(" and ") for bet in table.bets.values() if bet.recorded
    )


SUBJECTS: Mapping[str, Callable[[Table], bool]] = {
    "round": lambda table: True,
    "claim": lambda table: table.round.rulebook is not None,
    "wager": lambda table: bool(table.bets),
    "limit": lambda table: bool(table.side_bets) or _mains(table),
    "side": lambda table: bool(table.side_bets),
    "pairs": lambda table: any(kind != "pandemonium" for kind in table.side_kinds),
    "jackpot": lambda table: "pandemonium" in table.side_kinds,
    "insurance": lambda table: bool(table.insurance_bets),
    "twenty-one": _mains,
    "surrender": _mains,
    "split": lambda table: bool(table.splits),
    "double": lambda table: bool(table.doubles),
    "forfeit": lambda table: bool(table.doubles) or _forfeited_without_event(table),
    "hand": lambda table: any(hand.cards for hand in table),
    "dealer": lambda table: bool(table.dealer.cards) and not table.void,
    "void": lambda table: table.void or any(b.void_at is not None for b in table.bets.values()),
    "super-bonus": _upcard_may_be_seven,
    "shoe": lambda table: True,
    "irregularity": lambda table: bool(table.irregularities),
    "burned": lambda table: table.burned_at < NEVER or "burns" not in table.facts,
    "call": lambda table: min(table.no_more_bets_at, table.first_card_at) < NEVER,
    "surrendered": lambda table: bool(table.surrenders) or (_decisions_missing(table) and _mains(table)),
    "assigned": lambda table: bool(table.assigns) or (_decisions_missing(table) and bool(table.splits)),
    "continuous": lambda table: table.round.shuffler == "continuous",
    "cutting-card": lambda table: table.cut_card_at < NEVER or "cut_card" not in table.facts,
    "last-rounds": lambda table: table.round.last_rounds,
}
"""What a round must contain for a check with that subject to apply to it.

What only a fact that is not captured would show may be there.
"""


def coverage(
    table: Table, findings: tuple[Finding, ...], open_: Mapping[str, str]
) -> tuple[CoverageRow, ...]:
    """One row for every check that applies to the round, in catalogue order.

    A check whose clause is ``none`` in the rulebook cannot apply under it. ``open_`` are the codes of those
    that the round cannot support, each with what it lacks.
    """
    failed = {finding.code for finding in findings}
    held = {subject for subject, is_held in SUBJECTS.items() if is_held(table)}
    clauses = table.book.clauses
    rows = []
    for check in catalogue().values():
        if check.code in failed:
            rows.append(CoverageRow(code=check.code, verdict="failed"))
        elif check.subject in held and clauses[check.code] != NONE:
            rows.append(_row(table, check, open_.get(check.code)))
    return tuple(rows)


def _row(table: Table, check: Check, lacks: str | None) -> CoverageRow:
    missing = check.needs if check.needs is not None and check.needs not in table.facts else lacks
    if missing is None:
        return CoverageRow(code=check.code, verdict="passed")
    return CoverageRow(code=check.code, verdict="not_evaluable", missing=missing)
