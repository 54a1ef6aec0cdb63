"""The tables of the lake as DuckDB reads them: columns, types, comments, and the SQL of a scan.

The lake is Hive-partitioned Parquet, ``<table>/venue=…/gaming_date=…/*.parquet``; the
schemas and the meaning of each column come from `rules_replay.log`. The two partition
columns come first in every table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote, unquote

import pyarrow as pa

from rules_replay.log import CHANGES, COVERAGE, EVENTS, FINDINGS, HANDS, QUARANTINE, ROUNDS, SETTLEMENTS

if TYPE_CHECKING:
    import duckdb

Partition: TypeAlias = tuple[str, str]
"""A venue and a gaming date, as text."""

UNKNOWN = frozenset({"_unknown", "__HIVE_DEFAULT_PARTITION__"})
"""Folder values of a quarantined line whose venue or gaming date could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of the lake: its Arrow schema without the partition columns, and its meaning."""

    name: str
    schema: pa.Schema
    meaning: str

    @property
    def date_type(self) -> str:
        """Type of ``gaming_date``: text in quarantine, where there may be no date to read."""
        return "VARCHAR" if self.name == "quarantine" else "DATE"


TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        Table(name="rounds", schema=ROUNDS, meaning="rounds of play as recorded, one row per round"),
        Table(name="events", schema=EVENTS, meaning="what happened in each round, one row per event"),
        Table(name="hands", schema=HANDS, meaning="hands as they ended, the dealer's (box 0) included"),
        Table(
            name="settlements",
            schema=SETTLEMENTS,
            meaning="one row per settlement line of a wager: what the rules require beside what was recorded",
        ),
        Table(name="findings", schema=FINDINGS, meaning="every rule that did not hold, with its evidence"),
        Table(
            name="coverage",
            schema=COVERAGE,
            meaning="per check: rounds evaluated, passed, failed, and not evaluable for want of evidence",
        ),
        Table(
            name="quarantine",
            schema=QUARANTINE,
            meaning="lines that could not be replayed, kept byte for byte with the reason",
        ),
    )
}
"""The tables that a run is judged on."""

HISTORY = Table(
    name="changes",
    schema=CHANGES,
    meaning="findings that a run was the first to make, found altered, or no longer made",
)

STORED: Mapping[str, Table] = {**TABLES, HISTORY.name: HISTORY}
"""Every table of the lake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a table in DuckDB: its type as DuckDB spells it, and what it holds."""

    name: str
    type: str
    comment: str
    nullable: bool = False


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """The columns of a file that is no table of the lake, by DuckDB; each field has a comment."""
    # A process that replays partitions in order does without it.
    import duckdb

    with duckdb.connect() as connection:
        return _described(schema, [*map(str, connection.from_arrow(schema.empty_table()).types)])


def _described(schema: pa.Schema, types: Sequence[str]) -> tuple[Column, ...]:
    return tuple(
        Column(
            name=field.name,
            type=kind,
            comment=field.metadata[b"comment"].decode(),
            nullable=field.nullable,
        )
        for field, kind in zip(schema, types, strict=True)
    )


@cache
def columns(table: str) -> tuple[Column, ...]:
    """The columns of a table, the partition columns first."""
    found = STORED[table]
    stored = _described(found.schema, _types()[table])
    return (
        Column(name="venue", type="VARCHAR", comment="key into the venue register"),
        Column(name="gaming_date", type=found.date_type, comment="gaming date at the venue"),
        *stored,
    )


@cache
def _types() -> dict[str, list[str]]:
    """The types of the columns of every table as DuckDB has them: asked once, as connecting takes long."""
    import duckdb

    with duckdb.connect() as connection:
        return {
            table: list(map(str, connection.from_arrow(found.schema.empty_table()).types))
            for table, found in STORED.items()
        }


def literal(text: str) -> str:
    """Text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as a quoted SQL identifier: ``table``, ``on`` and ``limit`` are keywords."""
    return '"' + name.replace('"', '""') + '"'


def glob_text(path: Path) -> str:
    """A path as text in which DuckDB's glob characters stand for themselves."""
    return re.sub(r"[\[*]", r"[\g<0>]", str(path))


def checked_root(lake_root: Path) -> Path:
    """The lake's directory as an absolute path.

    Raises ``ValueError`` for a path that DuckDB would misread: a folder above the lake
    named like a partition overrides the partition, a backslash cannot be escaped in a
    glob, and a question mark ends the path of a database.
    """
    root = lake_root.resolve()
    for part in root.parts:
        if part.startswith(("venue=", "gaming_date=")):
            raise ValueError(
                f"{lake_root}: the folder {part!r} reads as a partition; move or rename the lake"
            )
        for sign in "\\?":
            if sign in part:
                raise ValueError(f"{lake_root}: the folder {part!r} has a {sign!r}; move or rename the lake")
    return root


def partitions(root: Path, table: str) -> Iterator[tuple[Partition, Path]]:
    """The partitions of a table that have a folder, with it, in order of their names."""
    for folder in sorted((root / table).glob("venue=*/gaming_date=*")):
        venue = unquote(folder.parent.name.partition("=")[2])
        yield (venue, unquote(folder.name.partition("=")[2])), folder


def partition_folder(root: Path, table: str, partition: Partition) -> Path:
    """Where a partition lies, whether or not it is there."""
    venue, gaming_date = (quote(part, safe="") for part in partition)
    return root / table / f"venue={venue}" / f"gaming_date={gaming_date}"


def scan(table: str, globs: Sequence[str]) -> str:
    """``read_parquet(…)`` over some globs, the partition columns typed."""
    listed = ", ".join(literal(each) for each in globs)
    types = f"{{'venue': 'VARCHAR', 'gaming_date': '{STORED[table].date_type}'}}"
    return f"read_parquet([{listed}], hive_partitioning = true, hive_types = {types})"


def nothing(table: str) -> str:
    """A SELECT with the columns of a table and no row, for a table that has no file yet."""
    listed = ", ".join(f"NULL::{each.type} AS {identifier(each.name)}" for each in columns(table))
    return f"SELECT {listed} WHERE false"


def settlement_of(finding: str) -> str:
    """The condition that a settlement ``s`` is the line of a wager that a finding, by its alias, is about."""
    same = " AND ".join(f"s.{key} = {finding}.{key}" for key in ("venue", "gaming_date", "round_id", "wager"))
    return (
        f"{same} AND s.line = CASE {finding}.code WHEN 'bonus.super' THEN 'super_bonus' "
        "WHEN 'bonus.other-wagers' THEN 'bonus' ELSE 'stake' END"
    )


_FETCHED = 10_000
"""Rows fetched at once."""


def query_rows(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object] = ()
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query, which others of the connection may come between."""
    cursor = connection.cursor().execute(sql, list(parameters))
    while fetched := cursor.fetchmany(_FETCHED):
        yield from fetched
