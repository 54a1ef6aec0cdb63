"""What the suites look at: a scratch DuckDB file about the partitions of one run.

It holds the counts of the censuses, which are few however many rounds they stand for, and
as tables the small ones of the lake: findings, coverage and, as a view, quarantine. A
relation or a count that cannot be made (no file, a column gone) is left out, with the
reason: every query that names it is an error, and the others are still run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Self, TypeAlias

import duckdb
import pyarrow as pa

from expectations.census import (
    COUNTS,
    MEASURES,
    Census,
    ControlTotals,
    column_differences,
    files_of,
    listed_words,
    once,
    take_census,
)
from expectations.tables import (
    UNKNOWN,
    Partition,
    checked_root,
    glob_text,
    nothing,
    partition_folder,
    partitions,
    scan,
)

MEMORY_LIMIT = "384MB"
_THREADS = 2


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
class Session:
    """The scratch file, and why each relation or count that is not in it could not be made."""

    path: Path
    left_out: dict[str, str]

    def explain(self, message: str) -> str:
        """A message of DuckDB's, or the reason if it misses what was left out."""
        missing = _MISSING.search(message)
        return self.left_out.get(missing[1] or missing[2], message) if missing else message


_MISSING = re.compile(r"Table with name (\w+) does not exist|no count of ([\w.-]+)")

_BROKEN = """
    CREATE MACRO broken(wanted) AS TABLE
    SELECT CASE count(broken) WHEN 1 THEN sum(broken)::BIGINT
                ELSE error('no count of ' || wanted) END AS broken
    FROM counts WHERE code = wanted
    HAVING count(broken) <> 1 OR sum(broken) > 0"""
"""The rows that break an expectation, in all partitions; no row where there are none."""


def build_session(
    lake_root: Path,
    scope: Scope,
    totals: Mapping[str, ControlTotals] | None,
    scratch: Path,
    censuses: Iterable[Census] = (),
) -> Session:
    """Write the scratch file for a scope into the folder ``scratch``.

    ``censuses`` are those taken already; of every other partition in scope one is taken
    here. Raises ``ValueError`` for a scope without a partition, in which nothing could fail.
    """
    if not scope.partitions:
        raise ValueError("nothing to validate: the scope names no partition")
    root = checked_root(lake_root)
    path = scratch / "validation.duckdb"
    taken = {each.partition: each for each in censuses}
    counted = [
        taken.get(partition) or take_census(partition, files_of(root, partition), scratch / "census")
        for partition in scope.partitions
    ]
    with duckdb.connect(str(path), config=duckdb_config(scratch)) as connection:
        session = Session(path=path, left_out={})
        for kind, name in (("TABLE", "findings"), ("TABLE", "coverage"), ("VIEW", "quarantine")):
            globs = _globs(root, name, scope)
            _make(connection, session, kind, name, _select(name, globs))
            if name == "quarantine":
                differences = column_differences(name, listed_words(globs)) if globs else _NO_FILE
                _make(connection, session, "TABLE", f"{name}_columns", differences)
        _make(connection, session, "TABLE", "finding_keys", _FINDING_KEYS)
        _make(connection, session, "TABLE", "coverage_totals", _COVERAGE_TOTALS)
        _lay_down(connection, session, root, counted)
        if totals is not None:
            _compare_totals(connection, session, totals, counted)
    return session


def duckdb_config(scratch: Path) -> dict[str, str | bool | int | float | list[str]]:
    """How DuckDB opens the scratch file: little memory, and the folder of the file to spill to."""
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": _THREADS,
        "temp_directory": str(scratch / "spill"),
        "preserve_insertion_order": False,
    }


_NO_FILE = "SELECT NULL::VARCHAR AS file WHERE false"

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
    if table != "quarantine":
        found = [partition_folder(root, table, key) for key in scope.partitions]
    else:
        wanted = set(scope.partitions)
        found = [
            folder
            for key, folder in partitions(root, table)
            if (key in wanted or UNKNOWN & set(key)) and any(folder.glob("*.parquet"))
        ]
    return [f"{glob_text(folder)}/*.parquet" for folder in found]


def _select(table: str, globs: list[str]) -> str:
    if not globs:
        return nothing(table)
    return f"SELECT venue, gaming_date, * EXCLUDE (venue, gaming_date) FROM {scan(table, globs)}"


# --- the counts --------------------------------------------------------------------------

Span: TypeAlias = tuple[Any, Any, Any, Partition]
"""A namespace of keys, the first and last key in it of a partition, and the partition."""


def _lay_down(
    connection: duckdb.DuckDBPyConnection, session: Session, root: Path, censuses: Sequence[Census]
) -> None:
    """``counts``, a row for each code that was counted in every partition; and ``census``, the partitions."""
    broken = {each.partition: dict(each.broken) for each in censuses}
    errors = {code: reason for each in reversed(censuses) for code, reason in each.errors.items()}
    spans: dict[tuple[str, ...], list[Span]] = {
        ("rounds.key", "venue", "round_id"): [
            (each.partition[0], *each.ids, each.partition) for each in censuses if each.ids is not None
        ],
        ("rounds.source", "source_sha256", "source_line"): [
            (*span, each.partition) for each in censuses for span in each.sources
        ],
    }
    for (code, *key), of_code in spans.items():
        for cluster in _overlapping(of_code):
            globs = [f"{glob_text(partition_folder(root, 'rounds', each))}/*.parquet" for each in cluster]
            try:
                repeated = once(scan("rounds", globs), *key)
                ((found,),) = connection.execute(f"SELECT count(*) FROM ({repeated})").fetchall()
            except duckdb.Error as error:
                errors[code] = str(error)
                break
            for partition in cluster:
                broken[partition].pop(code, None)
            broken[cluster[0]][code] = found
    session.left_out.update(errors)
    codes = [count.code for counts in COUNTS.values() for count in counts if count.code not in errors]
    total: Counter[str] = Counter()
    for each in broken.values():
        total.update(each)
    _fill(
        connection,
        "counts",
        pa.table({"code": codes, "broken": pa.array([total[code] for code in codes], pa.int64())}),
    )
    connection.execute(_BROKEN)
    if any(each.rounds is None for each in censuses):
        session.left_out["census"] = errors.get("rounds.key", "the rounds could not be counted")
        return
    _fill(
        connection,
        "census",
        pa.table(
            {
                "venue": pa.array([venue for venue, _ in broken], pa.string()),
                "gaming_date": pa.array([date.fromisoformat(day) for _, day in broken], pa.date32()),
                "rounds": pa.array([each.rounds for each in censuses], pa.int64()),
            }
        ),
    )


def _fill(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    connection.register("filling", rows)
    connection.execute(f"CREATE TABLE {name} AS FROM filling")
    connection.unregister("filling")


def _overlapping(spans: Iterable[Span]) -> Iterator[list[Partition]]:
    """Groups of partitions whose spans of keys overlap, so that only they can hold a key twice."""
    cluster: dict[Partition, None] = {}
    reached: tuple[Any, Any] | None = None
    for space, first, last, partition in sorted(spans):
        if reached is not None and reached[0] == space and first <= reached[1]:
            cluster[partition] = None
            reached = (space, max(last, reached[1]))
            continue
        if len(cluster) > 1:
            yield sorted(cluster)
        cluster, reached = {partition: None}, (space, last)
    if len(cluster) > 1:
        yield sorted(cluster)


def _compare_totals(
    connection: duckdb.DuckDBPyConnection,
    session: Session,
    expected: Mapping[str, ControlTotals],
    censuses: Sequence[Census],
) -> None:
    """``control_totals``: what ingest counted beside what the tables hold, per measure and currency."""
    found: dict[str, Counter[str]] = {}
    for each in censuses:
        if each.totals is None:
            reasons = [reason for code, reason in sorted(each.errors.items()) if code.startswith("events.")]
            session.left_out["control_totals"] = (reasons or ["the events could not be added up"])[0]
            return
        for currency, totals in each.totals.items():
            found.setdefault(currency, Counter()).update(asdict(totals))
    wanted = {currency: asdict(totals) for currency, totals in expected.items()}
    rows = [(measure, currency) for measure in sorted(MEASURES) for currency in sorted({*wanted, *found})]
    _fill(
        connection,
        "control_totals",
        pa.table(
            {
                "measure": pa.array([measure for measure, _ in rows], pa.string()),
                "currency": pa.array([currency for _, currency in rows], pa.string()),
                "expected": _amounts(wanted, rows),
                "found": _amounts(found, rows),
            }
        ),
    )


def _amounts(of_currency: Mapping[str, Mapping[str, int]], rows: Iterable[tuple[str, str]]) -> pa.Array:
    """Amounts that may be beyond 64 bits; null in a currency that is not there."""
    amounts = [
        of_currency[currency][measure] if currency in of_currency else None for measure, currency in rows
    ]
    return pa.array(amounts, pa.decimal128(38, 0))
