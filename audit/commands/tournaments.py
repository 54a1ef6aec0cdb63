"""How ``tournament`` prints: JSON Lines, CSV, one JSON object, or a table for people."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from audit.commands.show import show_json, show_lines, show_table
from audit.ingest.intake import Intake
from audit.results import by_severity, count
from audit.tournaments import (
    FINDING_FIELDS,
    TournamentAudit,
    TournamentItem,
    TournamentSummary,
    finding_object,
    tournament_object,
)
from rules_replay.results import SEVERITIES
from rules_replay.tournament import TournamentReplay

Form: TypeAlias = Literal["table", "jsonl", "csv", "json"]


def show_tournaments(audit: TournamentAudit, items: Iterable[TournamentItem], form: Form) -> None:
    """Print an audit of tournaments; rejected lines go to standard error, one each."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](audit, items)


def _audited(
    items: Iterable[TournamentItem], rejected: list[str] | None = None
) -> Iterator[TournamentReplay]:
    for item in items:
        if isinstance(item, TournamentReplay):
            yield item
            continue
        print(item.message, file=sys.stderr, flush=True)
        if rejected is not None:
            rejected.append(item.message)


def _summary_to_stderr(summary: TournamentSummary) -> None:
    for line in summary_lines(summary):
        print(line, file=sys.stderr)


def _jsonl(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    for replay in _audited(items):
        sys.stdout.write(msgspec.json.encode(tournament_object(replay)).decode() + "\n")
        sys.stdout.flush()
    _summary_to_stderr(audit.summary)


def _json(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    rejected: list[str] = []
    tournaments = [tournament_object(replay) for replay in _audited(items, rejected)]
    show_json({"tournaments": tournaments, "rejected": rejected, "summary": audit.summary.as_json()})


def _csv(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    # The report's own modules take a second to import.
    from audit.report.text import spreadsheet_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("tournament_id", "rulebook", *FINDING_FIELDS))
    for replay in _audited(items):
        for finding in replay.findings:
            found = finding_object(finding)
            values = (replay.tournament_id, replay.rulebook, *(found.get(each) for each in FINDING_FIELDS))
            writer.writerow([spreadsheet_text(each) if isinstance(each, str) else each for each in values])
    _summary_to_stderr(audit.summary)


def _table(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    found = [(replay.tournament_id, each) for replay in _audited(items) for each in replay.findings]
    if found:
        show_table(
            ("severity", "check", "tournament", "player", "expected", "recorded", "delta", "clause"),
            [
                (
                    each.severity,
                    each.code,
                    tournament_id,
                    each.player,
                    each.expected,
                    each.recorded,
                    finding_object(each).get("delta"),
                    each.clause,
                )
                for tournament_id, each in sorted(found, key=lambda pair: SEVERITIES.index(pair[1].severity))
            ],
        )
    show_lines(summary_lines(audit.summary))


def summary_lines(summary: TournamentSummary) -> list[str]:
    """The summary in a few lines for people."""
    parts = [count(summary.lines, "line"), f"{count(summary.tournaments, 'tournament')} audited"]
    parts += _left_out(summary)
    found = by_severity(summary.findings)
    lines = [", ".join(parts) + "."]
    if summary.rounds is not None and summary.rounds.files:
        beside = [count(summary.rounds.lines, "line"), *_left_out(summary.rounds)]
        lines.append("Round log: " + ", ".join(beside) + ".")
    lines += [
        "Findings: " + ", ".join(f"{found[severity]:,} {severity}" for severity in SEVERITIES) + ".",
    ]
    if summary.unknown:
        names = ", ".join(f"{name} ({number:,})" for name, number in sorted(summary.unknown.items()))
        lines.append(f"Fields outside the format, not read: {names}.")
    if summary.checks["not_evaluable"]:
        lines.append(f"Checks not evaluable for want of evidence: {summary.checks['not_evaluable']:,}.")
    return lines


def _left_out(intake: Intake) -> list[str]:
    parts = [f"{count(intake.duplicates, 'duplicate')} left out"] if intake.duplicates else []
    return parts + [f"{count(number, what)} rejected" for what, number in sorted(intake.rejected.items())]
