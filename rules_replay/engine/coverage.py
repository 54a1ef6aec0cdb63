"""Which checks a round could support: passed, failed, or not evaluable and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rules_replay.checks import Check, catalogue
from rules_replay.engine.table import NEVER, Table
from rules_replay.results import CoverageRow, Finding
from rules_replay.rulebook import NONE


def _upcard_seven(table: Table) -> bool:
    return table.upcard is not None and table.upcard.rank == "7"


SUBJECTS: Mapping[str, Callable[[Table], bool]] = {
    "round": lambda table: True,
    "claim": lambda table: table.round.rulebook is not None,
    "wager": lambda table: bool(table.bets),
    "limit": lambda table: table.round.limits is not None,
    "side": lambda table: bool(table.side_bets),
    "pairs": lambda table: any(kind != "pandemonium" for kind in table.side_kinds),
    "jackpot": lambda table: "pandemonium" in table.side_kinds,
    "insurance": lambda table: bool(table.insurance_bets),
    "twenty-one": lambda table: any(box.mains for box in table.boxes.values()),
    "surrender": lambda table: any(box.mains for box in table.boxes.values()),
    "split": lambda table: bool(table.splits),
    "double": lambda table: bool(table.doubles),
    "forfeit": lambda table: bool(table.doubles),
    "hand": lambda table: any(hand.cards for hand in table),
    "dealer": lambda table: bool(table.dealer.cards) and not table.void,
    "void": lambda table: table.void or any(b.void_at is not None for b in table.bets.values()),
    "super-bonus": _upcard_seven,
    "shoe": lambda table: True,
    "irregularity": lambda table: bool(table.irregularities),
    "burned": lambda table: table.burned_at < NEVER,
    "call": lambda table: table.no_more_bets_at < NEVER,
    "surrendered": lambda table: bool(table.surrenders),
    "assigned": lambda table: bool(table.assigns),
    "continuous": lambda table: table.round.shuffler == "continuous",
    "cutting-card": lambda table: table.cut_card_at < NEVER,
    "last-rounds": lambda table: table.round.last_rounds,
}
"""What a round must contain for a check with that subject to apply to it."""


def coverage(table: Table, findings: tuple[Finding, ...]) -> tuple[CoverageRow, ...]:
    """One row for every check that applies to the round, in catalogue order.

    A check whose clause is ``none`` in the rulebook cannot apply under it.
    """
    failed = {finding.code for finding in findings}
    held = {subject for subject, is_held in SUBJECTS.items() if is_held(table)}
    clauses = table.book.clauses
    rows = []
    for check in catalogue().values():
        if check.code in failed:
            rows.append(CoverageRow(code=check.code, verdict="failed"))
        elif check.subject in held and clauses[check.code] != NONE:
            rows.append(_row(table, check))
    return tuple(rows)


def _row(table: Table, check: Check) -> CoverageRow:
    if check.needs is not None and check.needs not in table.facts:
        return CoverageRow(code=check.code, verdict="not_evaluable", missing=check.needs)
    doubt = _unreadable_matters(table, check)
    if doubt:
        return CoverageRow(code=check.code, verdict="not_evaluable", missing="a readable card")
    return CoverageRow(code=check.code, verdict="passed")


def _unreadable_matters(table: Table, check: Check) -> bool:
    about_cards = ("settle", "draw", "dealer", "interim", "bonus", "split", "double")
    return bool(table.unreadable) and check.group in about_cards
