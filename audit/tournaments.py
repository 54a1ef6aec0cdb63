"""``tournament``: tournament logs read, held against section 20, and reported one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from audit.check import Rejected
from audit.errors import SourceFailed, UsageProblem
from audit.ingest import wire
from audit.ingest.lines import BOM, Line, too_long
from audit.ingest.readers import Source, find_sources, open_source
from audit.ingest.tournaments import DecodedTournament, decode_tournament
from audit.law import Law
from audit.results import by_severity
from rules_replay.log import amount_text
from rules_replay.results import Finding
from rules_replay.tournament import TournamentReplay, audit_tournament

TournamentItem: TypeAlias = TournamentReplay | Rejected


@dataclass(slots=True)
class TournamentSummary:
    """What an audit of tournaments came to.

    ``lines`` is the sum of the tournaments audited, ``duplicates`` (seen before with the same
    content) and the lines rejected.
    """

    files: int = 0
    lines: int = 0
    tournaments: int = 0
    duplicates: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """True when every line of every input was audited."""
        return not self.rejected.total()

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
            "findings": by_severity(self.findings),
            "checks": {name: self.checks[name] for name in ("passed", "failed", "not_evaluable")},
        }


class TournamentAudit:
    """One audit of some inputs; ``summary`` is whole once `items` is exhausted."""

    def __init__(self, law: Law) -> None:
        self._register = law.register
        self._seen: dict[tuple[str, str], tuple[DecodedTournament, str]] = {}
        self.summary = TournamentSummary()

    def items(self, arguments: Iterable[str | Path]) -> Iterator[TournamentItem]:
        """Every tournament of files, folders, patterns or standard input (``-``), and what was rejected.

        Raises `UsageProblem` where the arguments name no input at all.
        """
        sources, missing = find_sources(arguments)
        if not sources:
            raise UsageProblem("; ".join(str(each) for each in missing))
        for failure in missing:
            yield self._reject(str(failure), "file")
        for source in sources:
            self.summary.files += 1
            try:
                yield from self._source(source)
            except SourceFailed as failure:
                yield self._reject(str(failure), "file")

    def _source(self, source: Source) -> Iterator[TournamentItem]:
        if source.events is not None:
            raise SourceFailed(source.name, "a CSV pair holds rounds; expected tournaments as JSON Lines")
        with open_source(source) as opened:
            for line in opened.lines():
                self.summary.lines += 1
                where = f"{source.name}:{line.number}"
                try:
                    item = self._audited(line, where)
                except wire.Rejected as rejected:
                    item = self._reject(f"{where}: {rejected}", "line")
                if item is not None:
                    yield item

    def _audited(self, line: Line, where: str) -> TournamentItem | None:
        if line.size > wire.MAX_LINE:
            raise too_long(line.size)
        decoded = decode_tournament(line.data.removeprefix(BOM) if line.number == 1 else line.data)
        tournament = decoded.tournament
        self.summary.unknown.update(decoded.unknown)
        before, place = self._seen.setdefault((tournament.venue, tournament.tournament_id), (decoded, where))
        if place != where:
            if before != decoded:
                raise wire.Rejected(
                    "tournament_id",
                    f"tournament {tournament.tournament_id} came before with other content, from {place}",
                )
            self.summary.duplicates += 1
            return None
        replay = audit_tournament(tournament, self._register)
        self.summary.tournaments += 1
        self.summary.findings.update(each.severity for each in replay.findings)
        self.summary.checks.update(each.verdict for each in replay.coverage)
        return replay

    def _reject(self, message: str, what: str) -> Rejected:
        self.summary.rejected[what] += 1
        return Rejected(message, "file" if what == "file" else "line")


FINDING_FIELDS = ("code", "severity", "player", "expected", "recorded", "delta", "clause", "depends_on")


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding as it is printed: absent values left out, money as a decimal string."""
    found = {name: getattr(finding, name) for name in FINDING_FIELDS}
    if finding.delta is not None:
        found["delta"] = amount_text(finding.delta)
    return {name: value for name, value in found.items() if value not in (None, "")}


def tournament_object(replay: TournamentReplay) -> dict[str, Any]:
    """One tournament as ``--format jsonl`` prints it: findings, and checks with the fact they lacked."""
    found: dict[str, Any] = {"tournament_id": replay.tournament_id}
    if replay.rulebook is not None:
        found["rulebook"] = replay.rulebook
    found["findings"] = [finding_object(each) for each in replay.findings]
    lacking = {row.code: row.missing for row in replay.coverage if row.verdict == "not_evaluable"}
    return found | ({"not_evaluable": lacking} if lacking else {})
