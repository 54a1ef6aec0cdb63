"""How ``book`` prints: JSON Lines, CSV, one JSON object, or a table for people."""

from __future__ import annotations

from collections.abc import Iterable

from audit.books import FINDING_FIELDS, BookAudit, BookItem, BookSummary, book_object, finding_object
from audit.commands.ledgers import Form, audited, closing_lines, left_out, write_csv, write_jsonl
from audit.commands.show import show_json, show_lines, show_table
from audit.observe.log import say_summary
from audit.results import count
from rules_replay.severity import SEVERITIES


def show_books(audit: BookAudit, items: Iterable[BookItem], form: Form) -> None:
    """Print an audit of house books; rejected lines go to standard error, one each."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](audit, items)


def _jsonl(audit: BookAudit, items: Iterable[BookItem]) -> None:
    write_jsonl(book_object(replay) for replay in audited(items))
    say_summary(summary_lines(audit.summary))


def _json(audit: BookAudit, items: Iterable[BookItem]) -> None:
    rejected: list[str] = []
    books = [book_object(replay) for replay in audited(items, rejected)]
    show_json({"books": books, "rejected": rejected, "summary": audit.summary.as_json()})


def _csv(audit: BookAudit, items: Iterable[BookItem]) -> None:
    rows = (
        (replay.venue, made.rulebook, *map(finding_object(made, finding).get, FINDING_FIELDS))
        for replay in audited(items)
        for made, finding in replay.findings
    )
    write_csv(("venue", "rulebook", *FINDING_FIELDS), rows)
    say_summary(summary_lines(audit.summary))


def _table(audit: BookAudit, items: Iterable[BookItem]) -> None:
    found = [pair for replay in audited(items) for pair in replay.findings]
    if found:
        show_table(
            ("severity", "check", "table", "about", "player", "expected", "recorded", "clause"),
            [
                (
                    each.severity,
                    each.code,
                    made.subject.table,
                    made.subject.entry_id or made.subject.round_id or str(made.subject.gaming_date),
                    each.player,
                    each.expected,
                    each.recorded,
                    each.clause,
                )
                for made, each in sorted(found, key=lambda pair: SEVERITIES.index(pair[1].severity))
            ],
        )
    show_lines(summary_lines(audit.summary))


def summary_lines(summary: BookSummary) -> list[str]:
    """The summary in a few lines for people."""
    entries = count(summary.entries, "entry", "entries")
    parts = [count(summary.lines, "line"), f"{entries} audited with {count(summary.taken, 'round')}"]
    parts += left_out(summary)
    parts += [
        f"{count(number, f'{what} of rounds', f'{what}s of rounds')} rejected"
        for what, number in sorted(summary.rounds.rejected.items())
    ]
    closing = closing_lines(summary.findings, summary.unknown, summary.checks["not_evaluable"])
    return [", ".join(parts) + ".", *closing]
