"""What people are told of an error with which a command ends, and the exit code it ends with."""

from __future__ import annotations

from audit.errors import AuditError, NothingChosen, UsageProblem, os_reason
from audit.exit_codes import INCOMPLETE, INTERRUPTED, TERMINATED, USAGE
from audit.stopping import Terminated
from rules_replay.errors import RulebookError


def failure(error: BaseException) -> tuple[str, int]:
    """The error in one line, and the exit code."""
    match error:
        case Terminated():
            return "Stopped by SIGTERM; nothing was published by halves.", TERMINATED
        case KeyboardInterrupt():
            return "Interrupted; nothing was published by halves.", INTERRUPTED
        case UsageProblem() | NothingChosen() | RulebookError():
            return str(error), USAGE
        case AuditError() | MemoryError():
            return str(error) or "out of memory", INCOMPLETE
        case OSError():
            return f"{error.filename or 'error'}: {os_reason(error)}", INCOMPLETE
        case _:
            told = f"{type(error).__name__}: {' '.join(str(error).split())}"
            return f"a fault of the program: {told}; `pontoon-audit --debug` shows where", INCOMPLETE
