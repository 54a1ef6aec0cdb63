"""What the ledgers beside the round log share: catalogues, missing facts, and how a check is counted."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, TypeAlias, cast

from rules_replay.checks import Check
from rules_replay.results import Finding
from rules_replay.severity import Severity


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that the log does not hold and without which a check cannot be made."""

    fact: str


Outcome: TypeAlias = Iterator[Finding | Missing]
"""What a check gives: findings, and facts it lacked. Neither means that all is in order."""


def load_checks(package: str) -> dict[str, Check]:
    """The catalogue ``checks.csv`` of a package, by code; its columns are those of `rules_replay.checks`.

    ``needs`` is the part of the ledger that is the evidence of the check.
    """
    return {
        row["code"]: Check(
            code=row["code"],
            severity=cast(Severity, row["severity"]),
            needs=row["evaluable_with"] or None,
            subject=row["subject"],
            meaning=row["meaning"],
        )
        for row in csv.DictReader(ledger_text(package, "checks.csv").splitlines())
    }


def ledger_text(package: str, name: str) -> str:
    """A text file that lies in a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Judged:
    """One check made: its findings, its verdict, and the first fact it lacked.

    A check with a finding has failed, whatever it lacked besides.
    """

    findings: tuple[Finding, ...]
    verdict: Literal["passed", "failed", "not_evaluable"]
    missing: str | None


def judge(outcome: Outcome) -> Judged:
    """Run a check to its end."""
    findings: list[Finding] = []
    lacked: list[str] = []
    for each in outcome:
        if isinstance(each, Finding):
            findings.append(each)
        else:
            lacked.append(each.fact)
    if findings:
        return Judged(tuple(findings), "failed", None)
    return Judged((), "not_evaluable", lacked[0]) if lacked else Judged((), "passed", None)
