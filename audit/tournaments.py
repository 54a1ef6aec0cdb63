"""``tournament``: tournament logs read, held against section 20, and reported one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from audit.ingest.intake import Intake, Rejected, taken
from audit.ingest.tournaments import TOURNAMENTS
from audit.law import Law
from audit.results import by_severity, finding_json
from audit.tournament_rounds import RoundSource
from rules_replay.tournament import Tournament, TournamentReplay, audit_tournament

TournamentItem: TypeAlias = TournamentReplay | Rejected


@dataclass(slots=True, kw_only=True)
class TournamentSummary(Intake):
    """What an audit of tournaments came to.

    ``lines`` is the sum of the tournaments audited, ``duplicates`` and the lines rejected.
    ``rounds`` is what came in of the round log beside them, None where none was given.
    """

    tournaments: int = 0
    rounds: Intake | None = None
    findings: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """True when nothing was rejected, of the round log neither."""
        return not self.rejected.total() and (self.rounds is None or self.rounds.complete)

    def as_json(self) -> dict[str, Any]:
        """The summary ready for JSON."""
        return {
            "complete": self.complete,
            "files": self.files,
            "lines": self.lines,
            "tournaments": self.tournaments,
            "duplicates": self.duplicates,
            "rejected": {name: self.rejected[name] for name in ("line", "file")},
            "unknown_fields": dict(sorted(self.unknown.items())),
            "rounds": None if self.rounds is None else _rounds_json(self.rounds),
            "findings": by_severity(self.findings),
            "checks": {name: self.checks[name] for name in ("passed", "failed", "not_evaluable")},
        }


def _rounds_json(rounds: Intake) -> dict[str, Any]:
    return {
        "files": rounds.files,
        "lines": rounds.lines,
        "duplicates": rounds.duplicates,
        "rejected": {name: rounds.rejected[name] for name in ("line", "file")},
    }


class TournamentAudit:
    """One audit of some inputs; ``summary`` is whole once `items` is exhausted.

    ``rounds`` is the round log in which the rounds of the tournaments are looked up.
    """

    def __init__(self, law: Law, rounds: RoundSource | None = None) -> None:
        self._law = law
        self._rounds = rounds
        self.summary = TournamentSummary(rounds=None if rounds is None else rounds.intake)

    def items(self, arguments: Iterable[str | Path]) -> Iterator[TournamentItem]:
        """Every tournament of files, folders, patterns or standard input (``-``), and what was rejected.

        Raises `UsageProblem` where the arguments name no input at all.
        """
        if self._rounds is not None:
            yield from self._rounds.read()
        for each in taken(arguments, TOURNAMENTS, self.summary):
            yield each if isinstance(each, Rejected) else self._audited(each.item.item)

    def _audited(self, tournament: Tournament) -> TournamentReplay:
        logged = None if self._rounds is None else self._rounds.of(tournament)
        replay = audit_tournament(tournament, self._law.register, self._law.readings, logged)
        self.summary.tournaments += 1
        self.summary.findings.update(each.severity for each in replay.findings)
        self.summary.checks.update(each.verdict for each in replay.coverage)
        return replay


FINDING_FIELDS = ("code", "severity", "player", "expected", "recorded", "delta", "clause", "depends_on")


def tournament_object(replay: TournamentReplay) -> dict[str, Any]:
    """One tournament as ``--format jsonl`` prints it: findings, and checks with the fact they lacked."""
    found: dict[str, Any] = {"tournament_id": replay.tournament_id}
    if replay.rulebook is not None:
        found["rulebook"] = replay.rulebook
    found["findings"] = [finding_json(each, FINDING_FIELDS) for each in replay.findings]
    lacking = {row.code: row.missing for row in replay.coverage if row.verdict == "not_evaluable"}
    return found | ({"not_evaluable": lacking} if lacking else {})
