"""Counting again what is about to be published, with another reader than its writer."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from audit.ingest.totals import CurrencyTotals, Totals

_COUNT_ROUNDS = "SELECT currency, count(*) FROM read_parquet(?) GROUP BY currency"
_COUNT_EVENTS = """
SELECT r.currency, count(*), count(*) FILTER (l.e = 'wager'),
       CAST(coalesce(sum(l.amount), 0) * 1000 AS HUGEINT),
       CAST(coalesce(sum(l.paid), 0) * 1000 AS HUGEINT),
       CAST(coalesce(sum(l.taken), 0) * 1000 AS HUGEINT)
FROM read_parquet(?) AS l JOIN read_parquet(?) AS r USING (round_id)
GROUP BY r.currency
"""


class Recount:
    """Counts the rows of files about to be published.

    DuckDB reads what Arrow wrote, so that neither is taken at its word.
    """

    def __init__(self, folder: Path) -> None:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": "128MB",
            "threads": 1,
            "temp_directory": str(folder / f"duckdb-{os.getpid()}"),
        }
        self._base = duckdb.connect(config=settings)

    def __enter__(self) -> Recount:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def pair(self, rounds: Path, events: Path, totals: Totals) -> int:
        """Add a part of rounds and its events to the totals; gives the number of rounds."""
        stored = 0
        for currency, count in self._base.execute(_COUNT_ROUNDS, [str(rounds)]).fetchall():
            totals.of(currency).rounds += count
            stored += count
        counted = self._base.execute(_COUNT_EVENTS, [str(events), str(rounds)]).fetchall()
        for currency, count, wagers, stakes, paid, taken in counted:
            found = CurrencyTotals(events=count, wagers=wagers, stakes=stakes, paid=paid, taken=taken)
            totals.of(currency).add(found)
        return stored

    def rows(self, path: Path) -> int:
        """The number of rows of a file."""
        return int(self._base.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()[0][0])
