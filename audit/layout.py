"""The layout of a lake: its tables, its partitions and what their files are called.

The head of `audit.lake` shows all of it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from urllib.parse import quote, unquote

from audit.ingest.wire import RESERVED_VENUE

EVIDENCE = ("rounds", "events", "quarantine")
DERIVED = ("hands", "settlements", "findings", "coverage")
HISTORY = ("changes",)
TABLES = EVIDENCE + DERIVED + HISTORY
ARCHIVE = "archive"
SURVEILLANCE = "surveillance"
"""Folder of what `audit.surveil` publishes; it is about many partitions and has none."""
OTHER_PLACES = (ARCHIVE, SURVEILLANCE, "ledger", ".staging", ".lock", ".rounds", "report", "audit.duckdb")
DATA_FILE = "data.parquet"
ROUND_ORDER = ("table", "shoe", "round_no", "round_id")
"""How rounds are sorted within a file: as they were dealt."""

UNKNOWN = RESERVED_VENUE
"""Folder value of a venue or gaming date that could not be read; Hive readers see null."""


@dataclass(frozen=True, slots=True)
class Partition:
    """One venue and gaming date; None where a quarantined line does not tell."""

    venue: str | None
    gaming_date: date | None

    @property
    def folder(self) -> str:
        """The folder below that of a table, such as ``venue=a/gaming_date=2019-03-01``."""
        day = UNKNOWN if self.gaming_date is None else self.gaming_date.isoformat()
        return f"venue={venue_folder(self.venue)}/gaming_date={day}"

    @property
    def order(self) -> tuple[str, str]:
        """Sort key: venue, then gaming date, the unknown first."""
        return self.venue or "", self.gaming_date.isoformat() if self.gaming_date else ""


def is_lake(folder: Path) -> bool:
    """Whether a folder has the ledger with which a lake begins; False where it may not be looked into."""
    return os.access(folder / "ledger" / "ingests.jsonl", os.F_OK)


def venue_folder(venue: str | None) -> str:
    """A venue as a folder value: percent-encoded outside ``A-Z a-z 0-9 . _ -``."""
    if venue is None:
        return UNKNOWN
    return quote(venue, safe="").replace("~", "%7E")


def partition_named(venue: str, day: str) -> Partition | None:
    """The partition of two folders ``venue=…`` and ``gaming_date=…``; None where that is no date."""
    text = day.removeprefix("gaming_date=")
    try:
        found = None if text == UNKNOWN else date.fromisoformat(text)
    except ValueError:
        return None
    return Partition(_venue_of(venue.removeprefix("venue=")), found)


def _venue_of(value: str) -> str | None:
    return None if value == UNKNOWN else unquote(value)


def part_name(digest: str) -> str:
    """The name of an evidence file, after the digest of its content."""
    return f"part-{digest[:16]}.parquet"


def place_of(path: Path, root: Path) -> str:
    """Where in a lake a file is, relative to the lake."""
    return path.relative_to(root).as_posix()
