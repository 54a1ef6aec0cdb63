"""Counting again what is about to be published, with another reader than its writer."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from audit.ingest.totals import CurrencyTotals, Totals

_COUNTS = """
count(*), count(*) FILTER (e = 'wager'),
CAST(coalesce(sum(amount), 0) * 1000 AS HUGEINT),
CAST(coalesce(sum(paid), 0) * 1000 AS HUGEINT),
CAST(coalesce(sum(taken), 0) * 1000 AS HUGEINT)
"""
_COUNT_ROUNDS = """
SELECT currency, count(*), sum((hash(round_id) % 1000000007)::HUGEINT * event_count)
FROM read_parquet(?) GROUP BY currency
"""
_COUNT_EVENTS = f"""
SELECT coalesce(sum((hash(round_id) % 1000000007)::HUGEINT), 0), {_COUNTS} FROM read_parquet(?)
"""
_COUNT_JOINED = f"""
SELECT r.currency, {_COUNTS} FROM read_parquet(?) AS l JOIN read_parquet(?) AS r USING (round_id)
GROUP BY r.currency
"""


class Recount:
    """Counts the rows of files about to be published.

    DuckDB reads what Arrow wrote, so that neither is taken at its word.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _base(self) -> duckdb.DuckDBPyConnection:
        """Opened at the first count: most files have nothing for the second counter to count."""
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": "128MB",
            "threads": 1,
            "temp_directory": str(self._folder / f"duckdb-{os.getpid()}"),
        }
        return duckdb.connect(config=settings)

    def __enter__(self) -> Recount:
        return self

    def __exit__(self, *_: object) -> None:
        if "_base" in self.__dict__:
            self._base.close()

    def pair(self, rounds: Path, events: Path, totals: Totals) -> int:
        """Add a part of rounds and its events to the totals; gives the number of rounds.

        An event whose round is not in the part is not counted.
        """
        found = self._base.execute(_COUNT_ROUNDS, [str(rounds)]).fetchall()
        for currency, count, _ in found:
            totals.of(currency).rounds += count
        for currency, *counts in self._events(found, rounds, events):
            totals.of(currency).add(CurrencyTotals(0, *counts))
        return sum(count for _, count, _ in found)

    def _events(self, found: list[tuple[Any, ...]], rounds: Path, events: Path) -> list[tuple[Any, ...]]:
        """The counts of events by currency, joined to their rounds where that could make a difference.

        It makes none where all rounds have one currency and the ids of the events add up to
        those of the rounds, each taken as often as its round has events.
        """
        if len(found) == 1:
            ((currency, _, named),) = found
            ((names, *counts),) = self._base.execute(_COUNT_EVENTS, [str(events)]).fetchall()
            if names == named:
                return [(currency, *counts)]
        return self._base.execute(_COUNT_JOINED, [str(events), str(rounds)]).fetchall()

    def rows(self, path: Path) -> int:
        """The number of rows of a file."""
        return int(self._base.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()[0][0])
