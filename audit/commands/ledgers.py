"""What the ledgers beside the round log, tournaments and house books, have in common in print."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec

from audit.ingest.intake import Intake, Rejected
from audit.observe.log import say_rejected
from audit.results import by_severity, count
from rules_replay.severity import SEVERITIES

Form: TypeAlias = Literal["table", "jsonl", "csv", "json"]

T = TypeVar("T")


def audited(items: Iterable[T | Rejected], rejected: list[str] | None = None) -> Iterator[T]:
    """What was audited; what was rejected goes to standard error, and its messages to ``rejected``."""
    for item in items:
        if not isinstance(item, Rejected):
            yield item
            continue
        say_rejected(item.message)
        if rejected is not None:
            rejected.append(item.message)


def write_jsonl(objects: Iterable[dict[str, Any]]) -> None:
    """One object a line, each as soon as it is known."""
    for each in objects:
        sys.stdout.write(msgspec.json.encode(each).decode() + "\n")
        sys.stdout.flush()


def write_csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Rows of which no text is a formula to a spreadsheet."""
    # The report's own modules take a second to import.
    from audit.report.text import spreadsheet_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([spreadsheet_text(each) if isinstance(each, str) else each for each in row])


def left_out(intake: Intake) -> list[str]:
    """The duplicates and what was rejected, in words."""
    parts = [f"{count(intake.duplicates, 'duplicate')} left out"] if intake.duplicates else []
    return parts + [f"{count(number, what)} rejected" for what, number in sorted(intake.rejected.items())]


def closing_lines(findings: Counter[str], unknown: Counter[str], not_evaluable: int) -> list[str]:
    """The lines with which a summary ends."""
    found = by_severity(findings)
    lines = ["Findings: " + ", ".join(f"{found[severity]:,} {severity}" for severity in SEVERITIES) + "."]
    if unknown:
        names = ", ".join(f"{name} ({number:,})" for name, number in sorted(unknown.items()))
        lines.append(f"Fields outside the format, not read: {names}.")
    if not_evaluable:
        lines.append(f"Checks not evaluable for want of evidence: {not_evaluable:,}.")
    return lines
