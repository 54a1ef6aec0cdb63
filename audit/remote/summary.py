"""What is in a lake on object storage, told from its manifest and its ledgers alone."""

from __future__ import annotations

from typing import Any

from audit.commands.lakes import told_status
from audit.lake import Lake
from audit.layout import TABLES
from audit.remote.working_copy import WorkingCopy

_OF_TABLES = tuple(f"{table}/" for table in TABLES)


def status(copy: WorkingCopy) -> dict[str, Any]:
    """As `audit.commands.lakes.status`, and which snapshot it is of. A snapshot leaves nothing unfinished."""
    lake = Lake(copy.root)
    recorded = lake.recorded_rows()
    rows = {place: recorded[place] for place in copy.snapshot.files if place.startswith(_OF_TABLES)}
    return {
        **told_status(lake, lake.status(rows), []),
        "snapshot": copy.snapshot.summary(copy.store.url),
    }
