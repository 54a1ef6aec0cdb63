"""How ``tournament`` prints: JSON Lines, CSV, one JSON object, or a table for people."""

from __future__ import annotations

from collections.abc import Iterable

from audit.commands.ledgers import Form, audited, closing_lines, left_out, write_csv, write_jsonl
from audit.commands.show import show_json, show_lines, show_table
from audit.observe.log import say_summary
from audit.results import count, finding_json
from audit.tournaments import (
    FINDING_FIELDS,
    TournamentAudit,
    TournamentItem,
    TournamentSummary,
    tournament_object,
)
from rules_replay.severity import SEVERITIES


def show_tournaments(audit: TournamentAudit, items: Iterable[TournamentItem], form: Form) -> None:
    """Print an audit of tournaments; rejected lines go to standard error, one each."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](audit, items)


def _jsonl(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    write_jsonl(tournament_object(replay) for replay in audited(items))
    say_summary(summary_lines(audit.summary))


def _json(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    rejected: list[str] = []
    tournaments = [tournament_object(replay) for replay in audited(items, rejected)]
    show_json({"tournaments": tournaments, "rejected": rejected, "summary": audit.summary.as_json()})


def _csv(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    rows = (
        (
            replay.tournament_id,
            replay.rulebook,
            *map(finding_json(finding, FINDING_FIELDS).get, FINDING_FIELDS),
        )
        for replay in audited(items)
        for finding in replay.findings
    )
    write_csv(("tournament_id", "rulebook", *FINDING_FIELDS), rows)
    say_summary(summary_lines(audit.summary))


def _table(audit: TournamentAudit, items: Iterable[TournamentItem]) -> None:
    found = [(replay.tournament_id, each) for replay in audited(items) for each in replay.findings]
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
                    finding_json(each, FINDING_FIELDS).get("delta"),
                    each.clause,
                )
                for tournament_id, each in sorted(found, key=lambda pair: SEVERITIES.index(pair[1].severity))
            ],
        )
    show_lines(summary_lines(audit.summary))


def summary_lines(summary: TournamentSummary) -> list[str]:
    """The summary in a few lines for people."""
    parts = [count(summary.lines, "line"), f"{count(summary.tournaments, 'tournament')} audited"]
    lines = [", ".join([*parts, *left_out(summary)]) + "."]
    if summary.rounds is not None and summary.rounds.files:
        beside = [count(summary.rounds.lines, "line"), *left_out(summary.rounds)]
        lines.append("Round log: " + ", ".join(beside) + ".")
    return lines + closing_lines(summary.findings, summary.unknown, summary.checks["not_evaluable"])
