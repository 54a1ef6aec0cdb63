"""``counterfactual``: recorded rounds settled as played under another rulebook or reading."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from audit.commands.rules import held
from audit.commands.show import begun, show_lines, show_table
from audit.errors import UsageProblem
from audit.ingest.intake import ROUNDS, Intake, Rejected, taken
from audit.lake import Lake
from audit.law import Law
from audit.mapping.coverage import extras_in
from audit.mapping.model import LogMapping
from audit.mapping.support import missing_for, unrecorded_in
from audit.observe.log import say_rejected, say_summary
from audit.partitions import Choice, Plan, partition_name
from audit.results import count
from rules_replay.counterfactual import Comparisons, Counterfactual, LineDue, RoundComparison
from rules_replay.errors import ReplayFailed
from rules_replay.log import Round, amount_text
from rules_replay.results import Finding, Money

Form: TypeAlias = Literal["table", "jsonl", "csv", "json"]
Item: TypeAlias = RoundComparison | str
"""A round compared, or why something was not, in one line for people."""

SHOWN = 200
"""Rows in the table for people; all of them are in the other formats."""


@dataclass(slots=True, kw_only=True)
class Summary(Intake):
    """What a comparison came to: rounds and money, duplicates left out, and what was rejected."""

    found: Comparisons = field(default_factory=Comparisons)

    def as_json(self) -> dict[str, Any]:
        """The summary ready for JSON."""
        found = self.found
        return {
            "complete": self.complete,
            "rounds": found.rounds,
            "rounds_without_rulebook": found.without_rulebook,
            "rounds_changed": found.changed_rounds,
            "duplicates": self.duplicates,
            "rejected": dict(sorted(self.rejected.items())),
            "lines": found.lines,
            "lines_changed": found.changed_lines,
            "lines_not_fixed": {name: found.not_fixed[name] for name in ("in force", "under", "both")},
            "not_allowed": dict(sorted(found.barred.items())),
            "money": {
                currency: {
                    "due_in_force": amount_text(due.in_force),
                    "due_under": amount_text(due.under),
                    "difference": amount_text(due.difference),
                    "difference_on_boxes_with_an_option_not_allowed": amount_text(due.on_barred),
                }
                for currency, due in sorted(found.money.items())
            },
        }


class Compare:
    """One comparison of some rounds; ``summary`` is whole once the items are exhausted.

    Raises `UsageProblem` where neither a rulebook nor a reading is named, or one that is not held.
    """

    def __init__(self, law: Law, under: str | None) -> None:
        if under is None and not law.readings:
            raise UsageProblem("nothing to compare with: name a rulebook with --under, or a --reading")
        book = None if under is None else held(under).id
        self._law = Counterfactual(law.register, book, law.readings)
        self.summary = Summary()

    def files(self, arguments: Iterable[str | Path], mapping: LogMapping | None = None) -> Iterator[Item]:
        """The rounds of files, folders, patterns or standard input (``-``), in their order.

        With a ``mapping`` they are a vendor's.
        """
        for each in taken(arguments, ROUNDS, self.summary, mapping=mapping):
            if isinstance(each, Rejected):
                yield each.message
            else:
                yield from self._compared(each.item.round, each.item.extra, f"{each.where}: ")

    def lake(self, lake: Lake, choice: Choice) -> Iterator[Item]:
        """The rounds of a lake, partition after partition.

        Raises `NothingChosen` where nothing is stored under the choice. A partition whose
        evidence no longer matches the ledger is rejected.
        """
        plan = Plan(lake, lake.published(), choice)
        for failed in plan.failed:
            message = f"{partition_name(failed.partition)}: {failed.reason}"
            yield self.summary.reject(message, "partition").message
        for planned in plan.planned:
            extras = extras_in(lake, planned.partition)
            for round_ in lake.read_rounds(planned.partition):
                yield from self._compared(round_, extras.get(round_.round_id), "")

    def _compared(self, round_: Round, extra: str | None, where: str) -> Iterator[Item]:
        try:
            found = self._law.compare(round_)
        except ReplayFailed as failure:
            yield self.summary.reject(f"{where}{failure}", "round").message
            return
        if found is not None:
            found = _supported(found, extra)
        self.summary.found.add(found)
        if found is not None:
            yield found


def _supported(found: RoundComparison, extra: str | None) -> RoundComparison:
    """The comparison without objections that rest on what a vendor does not record."""
    unrecorded = unrecorded_in(extra)
    barred = tuple(each for each in found.barred if missing_for(each.code, unrecorded) is None)
    if len(barred) == len(found.barred):
        return found
    boxes = {each.box for each in barred}
    lines = tuple(replace(line, barred=line.box in boxes) for line in found.lines)
    return replace(found, lines=lines, barred=barred)


# --- how it is printed ---------------------------------------------------------------------

COLUMNS = (
    *("what", "round_id", "venue", "rulebook", "under", "box", "hand", "wager", "line", "kind", "player"),
    *("stake", "due_in_force", "due_under", "difference", "clause_in_force", "clause_under", "reason"),
)
"""One row a line that changes (``changed``) or cannot be fixed (``not fixed``), or an option barred
(``not allowed``). Amounts are the net to the player."""


def _rows(found: RoundComparison) -> Iterator[dict[str, Any]]:
    head = {
        "round_id": found.round_id,
        "venue": found.venue,
        "rulebook": found.in_force,
        "under": found.under,
    }
    for line in found.changed:
        yield {"what": "changed", **head, **_line_object(line)}
    for line in found.not_fixed:
        if line.in_force is not None:
            yield {"what": "not fixed", **head, **_line_object(line)}
    for finding in found.barred:
        yield {"what": "not allowed", **head, **_barred_object(finding)}


def _line_object(line: LineDue) -> dict[str, Any]:
    return {
        "box": line.box,
        "hand": line.hand,
        "wager": line.wager,
        "line": line.line,
        "kind": line.kind,
        "player": line.player,
        "stake": amount_text(line.stake),
        "due_in_force": _net(line.in_force),
        "due_under": _net(line.under),
        "difference": None if line.difference is None else amount_text(line.difference),
        "clause_in_force": line.clause_in_force,
        "clause_under": line.clause_under,
        "reason": line.reason,
    }


def _net(money: Money | None) -> str | None:
    return None if money is None else amount_text(money.net)


def _barred_object(finding: Finding) -> dict[str, Any]:
    return {
        "box": finding.box,
        "hand": finding.hand,
        "wager": finding.wager,
        "player": finding.player,
        "clause_under": finding.clause,
        "reason": f"{finding.code}: {finding.recorded}; {finding.expected}",
    }


def round_object(found: RoundComparison) -> dict[str, Any]:
    """One round with something to list, as JSON has it; absent values are left out."""
    rows = list(_rows(found))
    listed: dict[str, list[dict[str, Any]]] = {"changed": [], "not_fixed": [], "not_allowed": []}
    shared = ("what", "round_id", "venue", "rulebook", "under")
    for row in rows:
        kept = {name: value for name, value in row.items() if name not in shared and value is not None}
        listed[row["what"].replace(" ", "_")].append(kept)
    return {
        "round_id": found.round_id,
        "venue": found.venue,
        "rulebook": found.in_force,
        "under": found.under,
        "currency": found.currency,
        "difference": amount_text(sum(line.difference or 0 for line in found.changed)),
        **listed,
    }


def show_comparison(compare: Compare, items: Iterable[Item], form: Form) -> None:
    """Print a comparison as it goes; what is rejected goes to standard error, one line each."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](compare, begun(items))


def _notable(items: Iterable[Item]) -> Iterator[RoundComparison]:
    for item in items:
        if isinstance(item, str):
            say_rejected(item)
        elif item.notable:
            yield item


def _jsonl(compare: Compare, items: Iterable[Item]) -> None:
    for found in _notable(items):
        sys.stdout.write(msgspec.json.encode(round_object(found)).decode() + "\n")
    say_summary(summary_lines(compare.summary))


def _json(compare: Compare, items: Iterable[Item]) -> None:
    """One object, written as it goes: the rounds, then the summary."""
    sys.stdout.write('{"rounds":[')
    between = "\n"
    for found in _notable(items):
        sys.stdout.write(between + msgspec.json.encode(round_object(found)).decode())
        between = ",\n"
    summary = msgspec.json.encode(compare.summary.as_json()).decode()
    sys.stdout.write(f'\n],"summary":{summary}}}\n')


def _csv(compare: Compare, items: Iterable[Item]) -> None:
    # The report's own modules take a second to import.
    from audit.report.text import spreadsheet_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for found in _notable(items):
        for row in _rows(found):
            values: Sequence[Any] = [row.get(name) for name in COLUMNS]
            money = ("stake", "due_in_force", "due_under", "difference")
            writer.writerow(
                spreadsheet_text(value) if isinstance(value, str) and name not in money else value
                for name, value in zip(COLUMNS, values, strict=True)
            )
    say_summary(summary_lines(compare.summary))


def _table(compare: Compare, items: Iterable[Item]) -> None:
    kept: list[dict[str, Any]] = []
    total = 0
    for found in _notable(items):
        for row in _rows(found):
            total += 1
            if len(kept) < SHOWN:
                kept.append(row)
    if kept:
        show_table(
            ("", "round", "box", "wager", "line", "stake", "due in force", "due under", "difference", "why"),
            (
                (
                    row["what"],
                    row["round_id"],
                    row["box"],
                    row["wager"],
                    row.get("line"),
                    *(row.get(name) for name in ("stake", "due_in_force", "due_under", "difference")),
                    f"{row['clause_under']}: {row['reason']}",
                )
                for row in kept
            ),
        )
    if total > len(kept):
        print(f"{len(kept):,} of {total:,} rows shown; --format csv or jsonl has them all.\n")
    show_lines(summary_lines(compare.summary))


def summary_lines(summary: Summary) -> list[str]:
    """A comparison in a few lines for people."""
    found = summary.found
    rounds, wagers = count(found.rounds, "round"), count(found.lines, "wager line")
    lines = [f"{rounds}, {found.changed_rounds:,} changed; {wagers}, {found.changed_lines:,} changed."]
    if summary.duplicates:
        lines.append(f"{count(summary.duplicates, 'duplicate')} left out.")
    if found.without_rulebook:
        lines.append(f"No rulebook was in force for {found.without_rulebook:,} of the rounds; not compared.")
    if found.not_fixed:
        parts = ", ".join(f"{number:,} {name}" for name, number in sorted(found.not_fixed.items()))
        lines.append(f"Lines that cannot be fixed, left out of the money: {parts}.")
    if found.barred:
        parts = ", ".join(f"{code} ({number:,})" for code, number in sorted(found.barred.items()))
        lines.append(f"Done at the table and not allowed under the other: {parts}.")
    for currency, due in sorted(found.money.items()):
        lines.append(
            f"{currency}: due to players {amount_text(due.in_force)} in force, {amount_text(due.under)} "
            f"under the other: a difference of {amount_text(due.difference)}"
            + (
                f", of it {amount_text(due.on_barred)} on boxes with something not allowed."
                if due.on_barred
                else "."
            )
        )
    lines += [f"{count(number, what)} rejected." for what, number in sorted(summary.rejected.items())]
    return lines
