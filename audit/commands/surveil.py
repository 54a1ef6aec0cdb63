"""``surveil`` as people and machines see it."""

from __future__ import annotations

import csv
import sys
from typing import Any, Literal, TypeAlias

import msgspec

from audit.commands.show import show_json, show_lines, show_table
from audit.results import count
from audit.surveil.page import money_words, number_text
from audit.surveil.publish import Published, counts
from audit.surveil.result import Result, as_table

Form: TypeAlias = Literal["table", "jsonl", "csv", "json"]

SHOWN = 50
"""Unusual results in the table for people, the least likely."""


def show_surveillance(published: Published, form: Form) -> None:
    """Print what was found: for people the unusual, for machines everything."""
    {"table": _table, "jsonl": _jsonl, "csv": _csv, "json": _json}[form](published)


def _rows(published: Published) -> list[dict[str, Any]]:
    table = as_table(published.found.results, published.found.level)
    return [
        {name: f"{value:f}" if hasattr(value, "normalize") else value for name, value in row.items()}
        for row in table.to_pylist()
    ]


def _jsonl(published: Published) -> None:
    for row in _rows(published):
        kept = {name: value for name, value in row.items() if value is not None}
        sys.stdout.write(msgspec.json.encode(kept).decode() + "\n")


def _csv(published: Published) -> None:
    from audit.report.text import spreadsheet_text

    rows = _rows(published)
    names = as_table((), published.found.level).column_names
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow(
            [spreadsheet_text(row[name]) if isinstance(row[name], str) else row[name] for name in names]
        )


def _json(published: Published) -> None:
    found = published.found
    show_json(
        {
            "anchor": published.anchor,
            "page": str(published.page),
            "rounds": found.rounds,
            "level": f"{found.level:g}",
            "counts": counts(found),
            "left_out": list(found.left_out),
            "unusual": [row for row in _rows(published) if row["verdict"] == "unusual"],
        }
    )


def _table(published: Published) -> None:
    found = published.found
    unusual = [each for each in found.results if each.verdict == "unusual"]
    if unusual:
        show_table(
            ("question", "about", "detail", "of", "observed", "expected", "q", "money"),
            (_line(each) for each in unusual[:SHOWN]),
        )
    lines = [f"{len(unusual[:SHOWN]):,} of {len(unusual):,} shown."] if len(unusual) > SHOWN else []
    lines += [each.limits for each in unusual[:1]]
    for question, verdicts in counts(found).items():
        told = ", ".join(f"{number:,} {verdict}" for verdict, number in verdicts.items() if number)
        lines.append(f"{question}: {told or 'nothing to ask'}.")
    lines += [f"Left out: {each}." for each in found.left_out]
    lines.append(
        f"{count(len(unusual), 'unusual result')} in {count(found.rounds, 'round')}, of which a share of "
        f"{found.level:g} may be chance. None of it says why, or that anybody did wrong."
    )
    lines += (
        [f"Incomplete: audit.duckdb is still the one before: {published.problem}"]
        if published.problem
        else []
    )
    lines += [f"Report: {published.page}", f"Recorded as {published.anchor}"]
    show_lines(lines)


def _line(each: Result) -> tuple[object, ...]:
    return (
        each.question,
        f"{each.kind} {each.subject}",
        each.detail,
        each.trials,
        number_text(each.observed),
        number_text(each.expected),
        each.q_text,
        money_words(each),
    )
