"""How ``book`` prints: JSON Lines, CSV, one JSON object, or a table for people."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

from audit.books import FINDING_FIELDS, BookAudit, BookItem, BookSummary, book_object, finding_object
from audit.commands.show import show_json, show_lines, show_table
from audit.results import by_severity, count
from rules_replay.book import BookReplay
from rules_replay.results import SEVERITIES

Form: TypeAlias = Literal["table", "jsonl", "csv", "json"]


def show_books(audit: BookAudit, items: Iterable[BookItem], form: Form) -> None:
    """Print an audit of house books; rejected lines go to standard error, one each."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](audit, items)


def _audited(items: Iterable[BookItem], rejected: list[str] | None = None) -> Iterator[BookReplay]:
    for item in items:
        if isinstance(item, BookReplay):
            yield item
            continue
        print(item.message, file=sys.stderr, flush=True)
        if rejected is not None:
            rejected.append(item.message)


def _summary_to_stderr(summary: BookSummary) -> None:
    for line in summary_lines(summary):
        print(line, file=sys.stderr)


def _jsonl(audit: BookAudit, items: Iterable[BookItem]) -> None:
    for replay in _audited(items):
        sys.stdout.write(msgspec.json.encode(book_object(replay)).decode() + "\n")
        sys.stdout.flush()
    _summary_to_stderr(audit.summary)


def _json(audit: BookAudit, items: Iterable[BookItem]) -> None:
    rejected: list[str] = []
    books = [book_object(replay) for replay in _audited(items, rejected)]
    show_json({"books": books, "rejected": rejected, "summary": audit.summary.as_json()})


def _csv(audit: BookAudit, items: Iterable[BookItem]) -> None:
    # The report's own modules take a second to import.
    from audit.report.text import spreadsheet_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("venue", "rulebook", *FINDING_FIELDS))
    for replay in _audited(items):
        for made, finding in replay.findings:
            found = finding_object(made, finding)
            values = (replay.venue, made.rulebook, *(found.get(each) for each in FINDING_FIELDS))
            writer.writerow([spreadsheet_text(each) if isinstance(each, str) else each for each in values])
    _summary_to_stderr(audit.summary)


def _table(audit: BookAudit, items: Iterable[BookItem]) -> None:
    found = [pair for replay in _audited(items) for pair in replay.findings]
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
    parts += [f"{count(summary.duplicates, 'duplicate')} left out"] if summary.duplicates else []
    parts += [f"{count(number, what)} rejected" for what, number in sorted(summary.rejected.items())]
    parts += [
        f"{count(number, f'{what} of rounds', f'{what}s of rounds')} rejected"
        for what, number in sorted(summary.rounds.rejected.items())
    ]
    found = by_severity(summary.findings)
    lines = [
        ", ".join(parts) + ".",
        "Findings: " + ", ".join(f"{found[severity]:,} {severity}" for severity in SEVERITIES) + ".",
    ]
    if summary.unknown:
        names = ", ".join(f"{name} ({number:,})" for name, number in sorted(summary.unknown.items()))
        lines.append(f"Fields outside the format, not read: {names}.")
    if summary.checks["not_evaluable"]:
        lines.append(f"Checks not evaluable for want of evidence: {summary.checks['not_evaluable']:,}.")
    return lines
