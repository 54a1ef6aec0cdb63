"""What the suites look at: a scratch DuckDB file over the partitions of one run.

Views read the lake's Parquet; what several expectations need, or what must be read in
one pass to be affordable (events), is a table in the scratch file. A relation that
cannot be made (no file, a column gone) is left out, with the reason: every query that
names it is an error, and the others are still run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

import duckdb

from expectations.tables import (
    TABLES,
    UNKNOWN,
    Partition,
    checked_root,
    columns,
    glob_text,
    literal,
    nothing,
    partition_folder,
    partitions,
    scan,
)

MEMORY_LIMIT = "512MB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The partitions that a validation is about, each a venue and a gaming date."""

    partitions: tuple[Partition, ...]

    @classmethod
    def of(cls, wanted: Iterable[Partition]) -> Self:
        """A scope of some partitions, in order and each once."""
        return cls(partitions=tuple(sorted(set(wanted))))

    @classmethod
    def whole(cls, lake_root: Path) -> Self:
        """Every partition of a lake that holds rounds."""
        root = checked_root(lake_root)
        return cls.of(partition for partition, _ in partitions(root, "rounds"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlTotals:
    """What ingest counted in one currency; money in thousandths.

    ``wagers`` and ``stakes`` are over ``wager`` events; ``paid`` and ``taken`` over
    ``settle`` events as recorded, those later reversed included.
    """

    rounds: int
    events: int
    wagers: int
    stakes: int
    paid: int
    taken: int


MEASURES: tuple[str, ...] = tuple(field.name for field in fields(ControlTotals))

_EVENT_TOTALS = """
    WITH beyond AS (
        SELECT venue, gaming_date, round_id, count(DISTINCT seq) AS seqs
        FROM events WHERE seq NOT BETWEEN 0 AND 126 GROUP BY ALL
    ), totals AS (
        SELECT venue, gaming_date, round_id, count(*) AS events, min(seq) AS lowest, max(seq) AS highest,
               bit_count(bit_or(CASE WHEN seq BETWEEN 0 AND 126 THEN 1::HUGEINT << seq ELSE 0 END)) AS seqs
        FROM events GROUP BY venue, gaming_date, round_id
    )
    SELECT totals.* REPLACE (totals.seqs + coalesce(beyond.seqs, 0) AS seqs)
    FROM totals LEFT JOIN beyond USING (venue, gaming_date, round_id)"""
"""Per round: its events, the distinct places they take, the lowest and the highest.

Places are counted in a bit set, because a DISTINCT over a hundred million events does
not fit in the memory allowed; the few beyond it are counted apart.
"""

_SUMS = """
    count(*) AS events,
    count_if(e = 'wager') AS wagers,
    sum(CAST(amount * 1000 AS HUGEINT)) FILTER (e = 'wager') AS stakes,
    sum(CAST(paid * 1000 AS HUGEINT)) AS paid,
    sum(CAST(taken * 1000 AS HUGEINT)) AS taken"""

_FOUND_TOTALS = f"""
    WITH kept AS (
        SELECT venue, gaming_date, currency, count(*) AS rounds FROM rounds GROUP BY ALL
    ), single AS (
        SELECT venue, gaming_date, any_value(currency) AS currency FROM kept
        GROUP BY ALL HAVING count(*) = 1
    ), by_partition AS (
        SELECT venue, gaming_date, {_SUMS} FROM events GROUP BY ALL
    ), summed AS (
        SELECT currency, by_partition.* EXCLUDE (venue, gaming_date)
        FROM by_partition JOIN single USING (venue, gaming_date)
        UNION ALL
        SELECT currency, {_SUMS}
        FROM events JOIN (SELECT venue, gaming_date, round_id, currency
                          FROM rounds ANTI JOIN single USING (venue, gaming_date))
             USING (venue, gaming_date, round_id)
        GROUP BY currency
    ), counted AS (
        SELECT currency, sum(rounds) AS rounds FROM kept GROUP BY currency
    )
    SELECT currency, any_value(rounds) AS rounds,
           {", ".join(f"coalesce(sum({each}), 0) AS {each}" for each in MEASURES[1:])}
    FROM counted LEFT JOIN summed USING (currency)
    GROUP BY currency"""
"""Per currency what the tables hold. A partition of one currency is summed without a join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The scratch file, and why each relation that is not in it could not be made."""

    path: Path
    left_out: dict[str, str]

    def explain(self, message: str) -> str:
        """A message of DuckDB's, or the reason if it misses a relation that was left out."""
        missing = _MISSING.search(message)
        return self.left_out.get(missing[1], message) if missing else message


_MISSING = re.compile(r"Table with name (\w+) does not exist")


def build_session(
    lake_root: Path, scope: Scope, totals: Mapping[str, ControlTotals] | None, scratch: Path
) -> Session:
    """Write the scratch file for a scope into the folder ``scratch``.

    Raises ``ValueError`` for a scope without a partition, in which nothing could fail.
    """
    if not scope.partitions:
        raise ValueError("nothing to validate: the scope names no partition")
    root = checked_root(lake_root)
    path = scratch / "validation.duckdb"
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": str(scratch / "spill"),
        "preserve_insertion_order": "false",
    }
    with duckdb.connect(str(path), config=config) as connection:
        session = Session(path=path, left_out={})
        files = {name: _globs(root, name, scope) for name in TABLES}
        for name, globs in files.items():
            _make(connection, session, "VIEW", name, _select(name, globs))
            _make(connection, session, "TABLE", f"{name}_columns", _column_differences(name, globs))
        _make(connection, session, "TABLE", "event_totals", _EVENT_TOTALS)
        _make(connection, session, "TABLE", "finding_keys", _FINDING_KEYS)
        _make(connection, session, "TABLE", "coverage_totals", _COVERAGE_TOTALS)
        if totals is not None:
            _expected_totals(connection, totals)
            _make(connection, session, "TABLE", "control_totals", _CONTROL_TOTALS)
    return session


_FINDING_KEYS = "SELECT venue, gaming_date, round_id, code, severity FROM findings"

_COVERAGE_TOTALS = """
    SELECT code, sum(evaluated)::BIGINT AS evaluated, sum(not_evaluable)::BIGINT AS not_evaluable
    FROM coverage GROUP BY code"""


def _make(connection: duckdb.DuckDBPyConnection, session: Session, kind: str, name: str, select: str) -> None:
    """Make a relation, or note why it cannot be made."""
    try:
        connection.execute(f"CREATE {kind} {name} AS {select}")
    except duckdb.Error as error:
        session.left_out[name] = session.explain(str(error))


def _globs(root: Path, table: str, scope: Scope) -> list[str]:
    """Globs of a table's files in scope; a missing partition stays in, so that reading it fails."""
    folders = dict(partitions(root, table))
    if table == "quarantine":
        wanted = [key for key in folders if key in scope.partitions or UNKNOWN & set(key)]
        found = [folders[key] for key in wanted if any(folders[key].glob("*.parquet"))]
    else:
        found = [folders.get(key, partition_folder(root, table, key)) for key in scope.partitions]
    return [f"{glob_text(folder)}/*.parquet" for folder in found]


def _select(table: str, globs: list[str]) -> str:
    if not globs:
        return nothing(table)
    return f"SELECT venue, gaming_date, * EXCLUDE (venue, gaming_date) FROM {scan(table, globs)}"


def _column_differences(table: str, globs: list[str]) -> str:
    """Every column of every file that is missing, extra, out of place or of another type."""
    stored = [each for each in columns(table) if each.name not in ("venue", "gaming_date")]
    expected = ", ".join(
        f"({place}, {literal(each.name)}, {literal(each.type)})" for place, each in enumerate(stored, 1)
    )
    listed = ", ".join(map(literal, globs))
    if not globs:
        return "SELECT NULL::VARCHAR AS file WHERE false"
    return f"""
        WITH nodes AS (
            SELECT *, lag(repetition_type) OVER (PARTITION BY file_name ORDER BY column_id) AS above
            FROM parquet_schema([{listed}])
        ), found AS (
            SELECT file_name, name, duckdb_type AS type,
                   row_number() OVER (PARTITION BY file_name ORDER BY column_id) AS place
            FROM nodes
            WHERE column_id > 0 AND repetition_type <> 'REPEATED' AND above IS DISTINCT FROM 'REPEATED'
        ), expected AS (
            SELECT file_name, place, name, type
            FROM (SELECT DISTINCT file_name FROM nodes), (VALUES {expected}) AS wanted (place, name, type)
        )
        SELECT parse_filename(file_name) AS file, place, name, expected.type AS expected, found.type AS found
        FROM expected FULL JOIN found USING (file_name, place, name)
        WHERE expected.type IS DISTINCT FROM found.type"""


_CONTROL_TOTALS = f"""
    WITH found_totals AS ({_FOUND_TOTALS}),
    expected AS (UNPIVOT expected_totals ON {", ".join(MEASURES)} INTO NAME measure VALUE expected),
    found AS (
        UNPIVOT (SELECT currency, {", ".join(f"{m}::HUGEINT AS {m}" for m in MEASURES)} FROM found_totals)
        ON {", ".join(MEASURES)} INTO NAME measure VALUE found
    )
    SELECT measure, currency, expected, found
    FROM expected FULL JOIN found USING (measure, currency)
    ORDER BY measure, currency"""


def _expected_totals(connection: duckdb.DuckDBPyConnection, totals: Mapping[str, ControlTotals]) -> None:
    listed = ", ".join(f"{measure} HUGEINT" for measure in MEASURES)
    connection.execute(f"CREATE TABLE expected_totals (currency VARCHAR, {listed})")
    for currency, counted in sorted(totals.items()):
        connection.execute(
            f"INSERT INTO expected_totals VALUES ({', '.join('?' * (len(MEASURES) + 1))})",
            [currency, *asdict(counted).values()],
        )
