"""What the ledgers beside the round log share: their texts, missing facts, and how a check is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, TypeAlias

from rules_replay.results import Finding


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that the log does not hold and without which a check cannot be made."""

    fact: str


Outcome: TypeAlias = Iterator[Finding | Missing]
"""What a check gives: findings, and facts it lacked. Neither means that all is in order."""


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
