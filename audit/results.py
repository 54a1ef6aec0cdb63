"""What commands say of a tally: findings and money as JSON has them, numbers in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from rules_replay.log import amount_text
from rules_replay.replay import Moved
from rules_replay.results import Finding
from rules_replay.severity import SEVERITIES


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 partition``, ``2,000 rounds``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def decimal_text(amount: Decimal) -> str:
    """An amount without trailing zeros, as the round log writes it: ``12.5``."""
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def by_severity(findings: Mapping[str, int]) -> dict[str, int]:
    """Findings by severity, gravest first, those without any included."""
    return {severity: findings.get(severity, 0) for severity in SEVERITIES}


def finding_json(finding: Finding, fields: Iterable[str]) -> dict[str, Any]:
    """Some fields of a finding as they are printed: absent values left out, money as a decimal string."""
    found = {name: getattr(finding, name) for name in fields}
    if finding.delta is not None:
        found["delta"] = amount_text(finding.delta)
    return {name: value for name, value in found.items() if value not in (None, "")}


OVER_TIME = ("new", "continuing", "changed", "resolved", "reopened")
"""What findings are counted by when compared with earlier runs; changed ones are among the continuing."""


def over_time(counted: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Findings compared with earlier runs, the counts of several partitions added up."""
    total: Counter[str] = Counter()
    for each in counted:
        total.update(each)
    return {name: total[name] for name in OVER_TIME}


def money_json(money: Mapping[str, Moved]) -> dict[str, dict[str, str]]:
    """Money over- and underpaid by currency, as decimal strings."""
    return {currency: moved_json(money[currency]) for currency in sorted(money)}


def moved_json(moved: Moved) -> dict[str, str]:
    """Money over- and underpaid, as decimal strings."""
    return {"overpaid": amount_text(moved.overpaid), "underpaid": amount_text(moved.underpaid)}
