"""``causes``: what most likely lies behind the findings of the latest run."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from audit.causes import Cause, Causes
from audit.causes.words import points_to, sentence
from audit.commands.show import show_lines
from audit.dispositions import standing
from audit.lake import Lake
from audit.law import Law
from audit.partitions import Choice
from audit.results import count
from rules_replay.log import amount_text
from rules_replay.venues import Register

LED = 5
"""Causes that ``run`` closes with; the report has all."""


def causes_of(lake: Lake, law: Law, choice: Choice) -> Causes:
    """The causes of the latest run, or of a part of its partitions.

    Raises what `audit.commands.lakes.reportable` raises, and `LakeBusy` during a run.
    """
    from audit.commands.lakes import reportable
    from audit.report.gather import open_lake

    with lake.reading(), tempfile.TemporaryDirectory(prefix="pontoon-causes-") as scratch:
        record, scope = reportable(lake, choice)
        disposed = standing(lake).values()
        with open_lake(lake.root, scope, law.register, Path(scratch), record["n"], disposed) as found:
            return found.causes()


def cause_lines(causes: Causes, register: Register, most: int = LED) -> list[str]:
    """The gravest causes of several findings, a line each, and how many findings stand alone."""
    lines = [f"Cause: {sentence(each, register)}{_money(each)}." for each in causes.several[:most]]
    more = len(causes.several) - len(lines)
    lines += [f"and {count(more, 'more cause')} of several findings; the report has them."] if more else []
    if causes.several and causes.single:
        lines.append(f"{count(len(causes.single), 'further cause')} of one finding or round each.")
    return lines


def show_causes(causes: Causes, register: Register) -> None:
    """Every cause of several findings with what it points to, and the number of the others."""
    if not causes.all:
        show_lines(("No findings, so no causes.",))
        return
    for each in causes.several:
        show_lines(
            (
                f"{each.id} {each.severity}: {sentence(each, register)}{_money(each)}.",
                f"    {points_to(each)}",
                f"    {', '.join(each.codes)}; {'; '.join(each.clauses)}",
            )
        )
    show_lines(_alone(causes.single, bool(causes.several)))


def _alone(single: Sequence[Cause], after_others: bool) -> list[str]:
    if not single:
        return []
    number = count(len(single), "further cause" if after_others else "cause")
    return [f"{number} of one finding or round each, which nothing else goes with."]


def _money(cause: Cause) -> str:
    parts = [
        f"{currency} {amount_text(int(amount.scaleb(3)))} {word}"
        for currency, moved in cause.currencies.items()
        for amount, word in zip(moved, ("overpaid", "underpaid"), strict=True)
        if amount
    ]
    return f" ({', '.join(parts)})" if parts else ""
