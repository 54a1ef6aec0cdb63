"""Nights that nobody validates, for tests about something else: Great Expectations takes seconds of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit.exit_codes import FailOn
from audit.partitions import Replayed
from audit.run import VALIDATION_FOLDER, _Night
from expectations.report import ValidationReport


def passed(
    night: _Night, inside: Path, replayed: Sequence[Replayed], fail_on: FailOn, record: dict[str, Any]
) -> ValidationReport:
    """In place of the validation of a night: it passed, and left a page."""
    page = night._folder / "report" / VALIDATION_FOLDER / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text("Nobody has validated this lake.", encoding="utf-8")
    record["validation"] = {"outcome": "passed", "suites": {}, "errors": []}
    return ValidationReport(
        run_id=record["run_id"], fail_on="notice" if fail_on == "never" else fail_on, suites=()
    )
