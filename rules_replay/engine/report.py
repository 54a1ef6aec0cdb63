"""Collecting findings: the code, the place, the clause.

Three rules hold for every check and so stand here: a check whose fact the recorder does
not capture finds nothing (it is counted as not evaluable), nor does a check of something
that the rulebook does not have, and conduct on which the rulebook is silent is reported
as a notice and never as a fault.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rules_replay.checks import Check, catalogue
from rules_replay.engine.pieces import Bet, Hand
from rules_replay.results import Basis, Finding
from rules_replay.rulebook import NONE, SILENT, Rulebook
from rules_replay.severity import Severity

_CONDUCT = frozenset({"wager", "split", "double", "surrender", "insurance", "side-bet"})


@dataclass(slots=True)
class Report:
    """The findings of one round, in the order in which the rules were looked at."""

    book: Rulebook
    facts: frozenset[str]
    findings: list[Finding] = field(default_factory=list)

    def find(
        self,
        code: str,
        *,
        expected: str,
        recorded: str,
        seq: int | None = None,
        hand: Hand | None = None,
        bet: Bet | None = None,
        box: int | None = None,
        delta: int | None = None,
        severity: Severity | None = None,
        clause: str | None = None,
        depends_on: str | None = None,
        basis: Basis = "as_required",
    ) -> None:
        """Add a finding; place, severity and clause default to the bet's, catalogue's and book's."""
        check = catalogue()[code]
        if check.needs is not None and check.needs not in self.facts:
            return
        if self.book.clauses[code] == NONE:
            return
        place = hand if hand is not None else (bet.hand if bet is not None else None)
        self.findings.append(
            Finding(
                code=code,
                severity=severity or self._severity(check),
                seq=seq,
                box=box if box is not None else (place.box if place is not None else None),
                hand=place.no if place is not None else None,
                wager=bet.id if bet is not None else None,
                player=bet.player if bet is not None else None,
                expected=expected,
                recorded=recorded,
                delta=delta,
                clause=clause or self.book.clause_of(code),
                depends_on=depends_on,
                basis=basis,
            )
        )

    def _severity(self, check: Check) -> Severity:
        silent = self.book.clauses[check.code] == SILENT
        return "notice" if silent and check.group in _CONDUCT else check.severity
