"""What a validation says: a verdict per expectation, per suite and in all."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from rules_replay.severity import Severity, at_or_above

Outcome: TypeAlias = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationResult:
    """The verdict on one expectation.

    ``severity`` is the check's, None for the evidence itself. ``observed`` counts the
    rows that break it, ``error`` says why there is no verdict. ``evaluated`` and
    ``not_evaluable`` count the rounds behind the verdict on a check, so that a pass
    for want of evidence shows; they are None where coverage says nothing of it.
    """

    code: str
    outcome: Outcome
    meaning: str
    severity: Severity | None = None
    observed: int | None = None
    error: str | None = None
    evaluated: int | None = None
    not_evaluable: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """The verdicts of one suite."""

    name: str
    expectations: tuple[ExpectationResult, ...]

    @property
    def outcome(self) -> Outcome:
        """An error if any expectation erred, else failed if any failed."""
        found = {each.outcome for each in self.expectations}
        return "error" if "error" in found else "failed" if "failed" in found else "passed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """All verdicts of one validation; ``fail_on`` is the severity from which a check counts."""

    run_id: str
    fail_on: Severity
    suites: tuple[SuiteResult, ...]

    @property
    def outcome(self) -> Outcome:
        """An error if any suite erred; else failed if the evidence did, or a check from ``fail_on`` on."""
        if any(suite.outcome == "error" for suite in self.suites):
            return "error"
        failed = [e.severity for suite in self.suites for e in suite.expectations if e.outcome == "failed"]
        counts = any(severity is None or at_or_above(severity, self.fail_on) for severity in failed)
        return "failed" if counts else "passed"

    def suite(self, name: str) -> SuiteResult:
        """A suite by name; ``KeyError`` if it was not run."""
        return {each.name: each for each in self.suites}[name]

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, the outcomes included."""
        return {
            "run_id": self.run_id,
            "fail_on": self.fail_on,
            "outcome": self.outcome,
            "suites": [
                {
                    "name": suite.name,
                    "outcome": suite.outcome,
                    "expectations": [asdict(each) for each in suite.expectations],
                }
                for suite in self.suites
            ],
        }
