"""The instant at which something is recorded, the one thing that two equal runs differ in."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from audit.errors import UsageProblem

EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
"""Environment variable of the reproducible-builds convention: whole seconds since 1970, UTC."""


def now() -> datetime:
    """This second in UTC, or that of ``SOURCE_DATE_EPOCH`` where it is set.

    With it, the same input under the same code gives the same bytes in ledgers and reports too.
    Raises `UsageProblem` where it is set to something else than whole seconds.
    """
    fixed = os.environ.get(EPOCH_VARIABLE)
    if fixed is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise UsageProblem(f"{EPOCH_VARIABLE}={fixed}: expected whole seconds since 1970") from None
