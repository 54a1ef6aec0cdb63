"""The exit codes, and which one a command that looked for findings ends with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from rules_replay.severity import SEVERITIES, Severity, at_or_above

FailOn: TypeAlias = Severity | Literal["never"]

DONE = 0
"""Done, and nothing at or above ``--fail-on``."""
FOUND = 1
"""Findings at or above it, or a file that differs from the ledger."""
USAGE = 2
"""The command or its configuration is wrong."""
INCOMPLETE = 3
"""Lines quarantined, a partition failed, or the work could not be done; wins over `FOUND`."""
INTERRUPTED = 130
READER_GONE = 141
TERMINATED = 143


def exit_code(complete: bool, findings: Mapping[str, int], fail_on: FailOn) -> int:
    """The code for so many findings by severity."""
    if not complete:
        return INCOMPLETE
    if fail_on == "never":
        return DONE
    counts = any(findings.get(severity, 0) for severity in SEVERITIES if at_or_above(severity, fail_on))
    return FOUND if counts else DONE
