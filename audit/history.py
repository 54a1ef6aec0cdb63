"""Findings over time: what a run finds, compared with what the runs before it found.

The history of a partition's findings is its part of the table ``changes``: a row wherever a run
was the first to make a finding, found it with other facts, no longer made it, or made it again.
A run that changes nothing adds nothing. The facts of a finding are its severity, its amount
and the event that it points at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from audit.lake import Lake
from audit.layout import HISTORY, Partition
from audit.partitions import Failed, Replayed
from audit.results import over_time
from audit.staging import Staged, stage
from expectations.tables import glob_text, literal, nothing
from rules_replay.log import CHANGES

_GROUP_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Compared:
    """A partition replayed, with what changed among its findings staged beside them.

    ``counts`` are those of `audit.results.OVER_TIME`.
    """

    replayed: Replayed
    counts: Mapping[str, int]


def with_history(
    lake: Lake, folder: Path, known: Mapping[str, str], run: int, replayed: Iterable[Replayed]
) -> Iterator[Compared | Failed]:
    """Compare what was found in each partition with its history.

    ``run`` is the line that the run will have in its ledger, ``known`` the SHA-256 of every
    published file. A partition whose history was damaged fails: nobody could tell what is new.
    """
    published: dict[str, dict[str, str]] = {}
    for path, digest in known.items():
        published.setdefault(path.rpartition("/")[0], {})[path] = digest
    with _connected(folder) as connection:
        for done in replayed:
            own = published.get(f"changes/{done.partition.folder}", {})
            problems = lake.damaged(done.partition, HISTORY, own)
            if problems:
                reason = f"{problems[0]}; bring the file back from a copy of the lake"
                yield Failed(partition=done.partition, reason=reason)
                continue
            (findings,) = (each.path for each in done.staged if each.table == "findings")
            parts = lake.files("changes", done.partition)
            changes, counts = compare(connection, parts, findings, run)
            staged = _staged(folder, done.partition, changes)
            yield Compared(replace(done, staged=(*done.staged, *staged)), counts)


def compare(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[Path], findings: Path, run: int
) -> tuple[pa.Table, dict[str, int]]:
    """What a run changes among the findings of a partition, as rows of ``changes``, and the counts.

    ``parts`` are the history of the partition, ``findings`` what the run found there.
    """
    query = _COMPARED.format(known=_last_changes(parts), findings=_file(findings))
    connection.execute(f"CREATE OR REPLACE TEMP TABLE compared AS {query}")
    counts: Counter[str] = Counter()
    for state, differs, number in connection.execute(_COUNTS).fetchall():
        counts[state] += number
        counts["changed"] += number if differs and state == "continuing" else 0
    rows = connection.sql(_CHANGES, params=[run]).to_arrow_table().select(CHANGES.names).cast(CHANGES)
    return rows, over_time([counts])


@contextmanager
def _connected(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '384MB'")
        connection.execute("SET threads = 2")
        connection.execute("SET temp_directory = ?", [str(folder / "spill")])
        yield connection


def _last_changes(parts: Sequence[Path]) -> str:
    """A query for the last change of every finding in some parts of ``changes``."""
    if not parts:
        return f"SELECT * EXCLUDE (venue, gaming_date) FROM ({nothing('changes')})"
    listed = ", ".join(literal(glob_text(path)) for path in parts)
    return (
        f"SELECT * FROM read_parquet([{listed}], hive_partitioning = false) "
        "QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY run DESC) = 1"
    )


def _staged(folder: Path, partition: Partition, changes: pa.Table) -> list[Staged]:
    if not changes.num_rows:
        return []
    groups = (changes.slice(first, _GROUP_ROWS) for first in range(0, changes.num_rows, _GROUP_ROWS))
    return [stage(folder, "changes", partition, groups, CHANGES, name=None)]


def _file(path: Path) -> str:
    return f"read_parquet({literal(glob_text(path))}, hive_partitioning = false)"


_FACTS = ("round_id", "code", "severity", "seq", "box", "hand", "wager", "delta")
_KEPT = ", ".join(
    f"CASE WHEN f.fingerprint IS NULL THEN k.{name} ELSE f.{name} END AS {name}" for name in _FACTS
)

_COMPARED = f"""
WITH known AS ({{known}}), found AS (SELECT fingerprint, {", ".join(_FACTS)} FROM {{findings}})
SELECT
    CASE WHEN k.fingerprint IS NULL THEN 'new' WHEN f.fingerprint IS NULL THEN 'resolved'
        WHEN k.change = 'resolved' THEN 'reopened' ELSE 'continuing' END AS state,
    f.severity IS DISTINCT FROM k.severity OR f.delta IS DISTINCT FROM k.delta
        OR f.seq IS DISTINCT FROM k.seq AS differs,
    coalesce(f.fingerprint, k.fingerprint) AS fingerprint, {_KEPT}
FROM found f FULL JOIN known k ON f.fingerprint = k.fingerprint
WHERE f.fingerprint IS NOT NULL OR k.change <> 'resolved'
"""

_COUNTS = "SELECT state, differs, count(*) FROM compared GROUP BY ALL"

_CHANGES = """
SELECT ?::BIGINT AS run, CASE state WHEN 'continuing' THEN 'changed' ELSE state END AS change, *
FROM compared WHERE state <> 'continuing' OR differs
ORDER BY round_id, code, box NULLS FIRST, hand NULLS FIRST, wager NULLS FIRST, fingerprint
"""
