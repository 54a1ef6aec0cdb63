"""How ``check`` prints: JSON Lines, CSV, one JSON object, or a table for people."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec

from audit.check import FINDING_FIELDS, Check, Checked, Item, Summary, round_object
from audit.commands.show import begun, show_table
from audit.exit_codes import FailOn, exit_code
from audit.observe.log import say_rejected, say_summary
from audit.results import by_severity, count, finding_json
from rules_replay.severity import SEVERITIES

Form: TypeAlias = Literal["table", "jsonl", "csv", "json", "sarif", "junit"]

SHOWN = 200
"""Findings in the table for people, the gravest; all of them are in the other formats."""


def show_check(check: Check, items: Iterable[Item], form: Form, fail_on: FailOn = "breach") -> None:
    """Print a check as it goes; rejected lines go to standard error, one each.

    Findings from ``fail_on`` on fail a case of JUnit.
    """
    items = begun(items)
    match form:
        case "sarif":
            _sarif(check, items, fail_on)
        case "junit":
            _junit(check, items, fail_on)
        case _:
            {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](check, items)


def _checked(items: Iterable[Item], rejected: list[str] | None = None) -> Iterable[Checked]:
    """The rounds that were checked; messages about the rest are added to ``rejected``."""
    for item in items:
        if isinstance(item, Checked):
            yield item
            continue
        say_rejected(item.message)
        if rejected is not None:
            rejected.append(item.message)


def _jsonl(check: Check, items: Iterable[Item]) -> None:
    for item in _checked(items):
        sys.stdout.write(msgspec.json.encode(round_object(item.replay)).decode() + "\n")
        sys.stdout.flush()
    say_summary(summary_lines(check.summary))


def _json(check: Check, items: Iterable[Item]) -> None:
    """One object, written as it goes: the rounds, what was rejected, the summary."""
    rejected: list[str] = []
    sys.stdout.write('{"rounds":[')
    between = "\n"
    for item in items:
        if isinstance(item, Checked):
            sys.stdout.write(between + msgspec.json.encode(round_object(item.replay)).decode())
            between = ",\n"
        else:
            say_rejected(item.message)
            rejected.append(item.message)
    for name, value in (("rejected", rejected), ("summary", check.summary.as_json())):
        sys.stdout.write(
            f'\n{"]" if name == "rejected" else ""},"{name}":{msgspec.json.encode(value).decode()}'
        )
    sys.stdout.write("}\n")


def _sarif(check: Check, items: Iterable[Item], fail_on: FailOn) -> None:
    # Here and below: the report's own modules take a second to import.
    from audit.observe.findings import told_of_check
    from audit.observe.sarif import Invocation, Problem, sarif

    rejected: list[str] = []

    def ended() -> Invocation:
        summary = check.summary
        return Invocation(
            exit_code=exit_code(summary.complete, summary.tally.findings, fail_on),
            complete=summary.complete,
            problems=tuple(Problem("input.rejected", each) for each in rejected),
        )

    for piece in sarif(told_of_check(_checked(items, rejected)), ended):
        sys.stdout.write(piece.decode())
    say_summary(summary_lines(check.summary))


def _junit(check: Check, items: Iterable[Item], fail_on: FailOn) -> None:
    from audit.observe.findings import told_of_check
    from audit.observe.junit import junit_of_check

    rejected: list[str] = []
    text = junit_of_check(told_of_check(_checked(items, rejected)), rejected, fail_on)
    sys.stdout.write(text.decode())
    say_summary(summary_lines(check.summary))


def _csv(check: Check, items: Iterable[Item]) -> None:
    from audit.report.text import spreadsheet_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("round_id", "rulebook", *FINDING_FIELDS))
    for item in _checked(items):
        for finding in item.replay.findings:
            found = finding_json(finding, FINDING_FIELDS)
            values = (
                item.replay.round_id,
                item.replay.rulebook,
                *(found.get(each) for each in FINDING_FIELDS),
            )
            writer.writerow([spreadsheet_text(each) if isinstance(each, str) else each for each in values])
        sys.stdout.flush()
    say_summary(summary_lines(check.summary))


def _table(check: Check, items: Iterable[Item]) -> None:
    kept: dict[str, list[tuple[Any, ...]]] = {severity: [] for severity in SEVERITIES}
    for item in _checked(items):
        for finding in item.replay.findings:
            if len(kept[finding.severity]) < SHOWN:
                found = finding_json(finding, FINDING_FIELDS)
                place = f"{finding.box or ''}{f'.{finding.hand}' if finding.hand else ''}"
                kept[finding.severity].append(
                    (
                        finding.severity,
                        finding.code,
                        item.replay.round_id,
                        "dealer" if finding.box == 0 else place,
                        finding.wager,
                        finding.expected,
                        finding.recorded,
                        found.get("delta"),
                        finding.clause,
                    )
                )
    shown = [row for severity in SEVERITIES for row in kept[severity]][:SHOWN]
    total = check.summary.tally.findings.total()
    if shown:
        headings = ("severity", "check", "round", "box", "wager", "expected", "recorded", "delta", "clause")
        show_table(headings, shown)
    if total > len(shown):
        print(
            f"{len(shown):,} of {total:,} findings shown, the gravest; --format csv or jsonl has them all.\n"
        )
    for line in summary_lines(check.summary):
        print(line)


def summary_lines(summary: Summary) -> list[str]:
    """The summary of a check in a few lines for people."""
    tally = summary.tally
    parts = [count(summary.lines, "line"), f"{count(tally.rounds, 'round')} replayed"]
    parts += [f"{count(summary.duplicates, 'duplicate')} left out"] if summary.duplicates else []
    parts += [f"{count(number, what)} rejected" for what, number in sorted(summary.rejected.items())]
    lines = [", ".join(parts) + "."]
    if tally.rulebooks[None]:
        lines.append(f"No rulebook was in force for {tally.rulebooks[None]:,} of them; not audited.")
    found = by_severity(tally.findings)
    lines.append("Findings: " + ", ".join(f"{found[severity]:,} {severity}" for severity in SEVERITIES) + ".")
    lines += money_lines(summary.as_json()["money"])
    if summary.unknown:
        names = ", ".join(f"{name} ({number:,})" for name, number in sorted(summary.unknown.items()))
        lines.append(f"Fields outside the format, kept and not read: {names}.")
    if tally.checks["not_evaluable"]:
        lines.append(f"Checks not evaluable for want of evidence: {tally.checks['not_evaluable']:,}.")
    return lines


def money_lines(money: dict[str, dict[str, str]]) -> list[str]:
    """The money of the breaches, one line a currency."""
    return [
        f"{currency}: {moved['overpaid']} overpaid to players, {moved['underpaid']} underpaid."
        for currency, moved in money.items()
    ]
