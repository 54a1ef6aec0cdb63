"""The totals of a report for machines: ``summary.json``.

Amounts are decimal strings without trailing zeros; money stands by venue, gaming date and
currency and is never added up across them. Everything that differs between two runs over
the same rounds is under ``run``.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from audit.causes import Causes
from audit.causes.table import causes_json
from audit.layout import Partition
from audit.readings import question_of
from audit.report.model import Day, Figures, Hanging, Moved, RunHeader, Tally
from audit.report.text import meaning
from audit.report.verdict import verdict
from audit.results import decimal_text
from rules_replay.venues import Register


def write_summary(
    path: Path, figures: Figures, causes: Causes, header: RunHeader, register: Register
) -> None:
    """Write ``summary.json`` with sorted keys."""
    # As text, and with its last line added to a copy, it would be held four times.
    formatted = msgspec.json.format(_encoded(summary(figures, causes, header, register)), indent=1)
    with path.open("wb") as file:
        file.write(formatted)
        file.write(b"\n")


def _encoded(data: dict[str, Any]) -> bytes:
    return msgspec.json.encode(data, order="sorted")


def summary(figures: Figures, causes: Causes, header: RunHeader, register: Register) -> dict[str, Any]:
    """The totals as plain data."""
    return {
        "run": _run(header, figures),
        "scope": [_partition(each) for each in figures.scope.partitions],
        "verdict": verdict(figures),
        "rulebooks": list(figures.rulebooks),
        "totals": {
            "rounds": figures.rounds,
            "rounds_without_rulebook": figures.without_rulebook,
            "wagers": figures.wagers,
            "settlements_corrected": figures.corrected,
            "quarantined_lines": figures.quarantined,
            "findings": figures.exceptions,
            "findings_by_severity": dict(figures.findings),
        },
        "causes": causes_json(causes, register),
        "disposed": dict(figures.disposed),
        "money": [
            _partition(day.partition)
            | {
                "currency": line.currency,
                "rounds": line.staked.rounds,
                "wagers": line.staked.wagers,
                "staked": decimal_text(line.staked.staked),
                "settlements_corrected": line.staked.corrected,
                "breach": _moved(line.breach),
                "ambiguous": _moved(line.ambiguous),
            }
            for day, line in figures.money
        ],
        "checks": [
            {
                "check": check.code,
                "meaning": meaning(check.code),
                "rounds": check.rounds,
                "clauses": list(check.clauses),
                "findings_by_severity": check.tally.findings,
            }
            for check in figures.checks
        ],
        "on_readings": [_hanging(each, header) for each in figures.hanging],
        # One by one, since as plain data a day takes ten times the room.
        "days": [msgspec.Raw(_encoded(_day(day))) for day in figures.days],
        "not_evaluable": [asdict(gap) for gap in figures.gaps],
    }


def _run(header: RunHeader, figures: Figures) -> dict[str, Any]:
    """The header without the readings, which stand beside what hangs on them, and the run's line."""
    told = asdict(header) | {"finished_at": header.finished_at.isoformat()}
    del told["readings"], told["number"]
    return told if figures.over_time is None else told | {"over_time": dict(figures.over_time)}


def _partition(partition: Partition) -> dict[str, Any]:
    day: date | None = partition.gaming_date
    return {"venue": partition.venue, "gaming_date": None if day is None else day.isoformat()}


def _hanging(each: Hanging, header: RunHeader) -> dict[str, Any]:
    question = question_of(each.depends_on, str(each.partition.venue), each.rulebook, header.readings)
    return _partition(each.partition) | {
        "rulebook": each.rulebook,
        "reading": question.reading,
        "in_force": question.in_force,
        "other": question.other,
        "question": question.text,
        "clause": question.clause,
        "reason": question.reason,
        "currency": each.currency,
        "findings": each.findings,
        **_moved(each.money),
    }


def _day(day: Day) -> dict[str, Any]:
    return _partition(day.partition) | {
        "rounds": day.total.rounds,
        "rounds_without_rulebook": day.without_rulebook,
        "quarantined_lines": day.quarantined,
        "findings_by_severity": day.total.findings,
        "tables": [{"table": name} | _tally(tally) for name, tally in _sorted(day.tables)],
        "dealers": [{"dealer": name} | _tally(tally) for name, tally in _sorted(day.dealers)],
        "hours": [{"hour": hour} | _tally(tally) for hour, tally in day.hours.items()],
    }


def _sorted(tallies: dict[str | None, Tally]) -> list[tuple[str | None, Tally]]:
    return sorted(tallies.items(), key=lambda item: (item[0] is None, item[0] or ""))


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "rounds": tally.rounds,
        "findings_by_severity": tally.findings,
        "breach": {currency: _moved(moved) for currency, moved in tally.breach.items()},
        "ambiguous": {currency: _moved(moved) for currency, moved in tally.ambiguous.items()},
    }


def _moved(moved: Moved) -> dict[str, str]:
    return {"overpaid": decimal_text(moved.overpaid), "underpaid": decimal_text(moved.underpaid)}
