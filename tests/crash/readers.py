"""What readers of a lake see who know nothing of its ledgers: bare globs, and the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from audit.catalog import open_read_only
from audit.layout import TABLES

Place = tuple[str, str, str]
"""A table, a venue and a gaming date."""

State = tuple[int, int]
"""Rows, and a digest that does not depend on their order."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Each partition of each table as DuckDB and as Polars see it."""

    by_duckdb: Mapping[Place, State]
    by_polars: Mapping[Place, State]


def seen(lake: Path) -> Seen:
    """Read every table through a bare glob, with both."""
    by_duckdb: dict[Place, State] = {}
    by_polars: dict[Place, State] = {}
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        for table in TABLES:
            if next(lake.glob(f"{table}/*/*/*.parquet"), None) is None:
                continue
            found = connection.execute(
                "SELECT venue, gaming_date, count(*), CAST(sum(hash(t)) % 18446744073709551557 AS UBIGINT) "
                f"FROM read_parquet('{lake}/{table}/*/*/*.parquet', hive_partitioning = true) AS t "
                "GROUP BY ALL"
            ).fetchall()
            for venue, day, rows, digest in found:
                by_duckdb[table, str(venue), str(day)] = rows, digest
            frame = pl.scan_parquet(
                lake / table / "**/*.parquet", hive_partitioning=True, try_parse_hive_dates=False
            ).collect()
            keyed = frame.select("venue", "gaming_date").with_columns(digest=_row_digests(frame))
            for venue, day, rows, digest in (
                keyed.group_by("venue", "gaming_date").agg(pl.len(), pl.col("digest").sum()).iter_rows()
            ):
                by_polars[table, str(venue), str(day)] = rows, digest
    return Seen(by_duckdb, by_polars)


def _row_digests(frame: pl.DataFrame) -> pl.Series:
    plain = frame.select(
        pl.col(name)
        if not isinstance(kind, pl.List | pl.Struct | pl.Decimal)
        else pl.col(name).cast(pl.String)
        for name, kind in frame.schema.items()
        if not isinstance(kind, pl.List | pl.Struct)
    )
    return plain.hash_rows().cast(pl.UInt64) % (1 << 40)


def catalogued(lake: Path) -> dict[str, int]:
    """The rows of every view of the catalogue."""
    with open_read_only(lake / "audit.duckdb") as session:
        names = [
            name
            for (name,) in session.execute(
                "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name"
            ).fetchall()
        ]
        return {name: session.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in names}
