"""The catalogue of checks: what each code means, how grave it is, what evidence it needs.

The catalogue is ``checks.csv`` beside this module. Its columns: ``code`` (a dotted
name that never changes), ``severity`` (the gravest a finding of the code can be),
``evaluable_with`` (the recorded fact without which the check is *not evaluable*),
``subject`` (what a round must contain for the check to apply) and ``meaning``.
The clause of a check differs by rulebook and stands in each rulebook's TOML.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import cast

from rules_replay.log import FACTS
from rules_replay.severity import SEVERITIES, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One entry of the catalogue."""

    code: str
    severity: Severity
    needs: str | None
    subject: str
    meaning: str

    @property
    def group(self) -> str:
        """The part of the code before the dot: ``settle`` of ``settle.odds``."""
        return self.code.partition(".")[0]


@cache
def catalogue() -> dict[str, Check]:
    """Every check by code, in catalogue order."""
    checks = checks_of("rules_replay")
    for check in checks.values():
        if check.needs is not None and check.needs not in FACTS:
            raise ValueError(f"checks.csv: {check.code}: unknown fact {check.needs!r}")
    return checks


def checks_of(package: str) -> dict[str, Check]:
    """The catalogue ``checks.csv`` of a package, by code; ``ValueError`` for an unknown severity.

    ``needs`` is the part of the package's ledger that is the evidence of the check.
    """
    text = files(package).joinpath("checks.csv").read_text(encoding="utf-8")
    checks: dict[str, Check] = {}
    for row in csv.DictReader(text.splitlines()):
        if row["severity"] not in SEVERITIES:
            raise ValueError(f"checks.csv: {row['code']}: unknown severity {row['severity']!r}")
        checks[row["code"]] = Check(
            code=row["code"],
            severity=cast(Severity, row["severity"]),
            needs=row["evaluable_with"] or None,
            subject=row["subject"],
            meaning=row["meaning"],
        )
    return checks
