"""The frame: every audited round that could be drawn, with its stratum and the money at stake.

A round is drawn by its ticket, SHA-256 over ``seed``, venue and round id with a line feed between:
of each stratum the lowest tickets. Anybody can compute them again, with any tool.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import duckdb

from audit.errors import LakeError, NothingChosen, UsageProblem
from audit.lake import Lake
from audit.layout import Partition
from audit.partitions import Choice, partition_name
from audit.review.design import STRATA, Stratum
from expectations.tables import glob_text, literal, nothing, query_rows

_TABLES = ("rounds", "events", "hands", "settlements", "findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a frame is of: venues and the first and last gaming date, so that later nights add nothing."""

    venues: tuple[str, ...]
    since: date
    until: date


class Frame:
    """The audited rounds of a scope, open for drawing."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, scope: Scope) -> None:
        self.scope = scope
        self._connection = connection

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query over the tables of the lake and ``frame``."""
        return query_rows(self._connection, sql, parameters)

    def strata(self) -> tuple[Stratum, ...]:
        """The strata that hold any round, in the order of `STRATA`."""
        rounds: dict[str, int] = {}
        staked: dict[str, dict[str, Decimal]] = {}
        for name, currency, number, money in self.rows(_STRATA):
            rounds[name] = rounds.get(name, 0) + number
            staked.setdefault(name, {})[currency] = money
        return tuple(
            Stratum(name=name, rounds=rounds[name], staked=staked[name]) for name in STRATA if name in rounds
        )

    def digest(self) -> str:
        """SHA-256 over every round of the frame, what it says, its stratum and the money at stake."""
        found = hashlib.sha256()
        for row in self.rows(_DIGESTED):
            found.update("\x1f".join(map(str, row)).encode("utf-8", "surrogatepass") + b"\n")
        return found.hexdigest()

    def draw(self, seed: int, of_stratum: Mapping[str, int]) -> list[tuple[str, str, str, date]]:
        """So many rounds of each stratum: stratum, venue, round and gaming date, by stratum and ticket."""
        drawn = []
        for name in STRATA:
            found = self.rows(_DRAWN, [str(seed), name, of_stratum.get(name, 0)])
            drawn += [(name, *row) for row in found]
        return drawn

    def stakes(self, stratum: str, currency: str, most: int, known: Sequence[str]) -> list[Decimal]:
        """The highest stakes in a currency, ``most`` at most, without those of rounds already known."""
        rows = self.rows(_STAKES, [stratum, currency, list(known), most])
        return [money for (money,) in rows]

    def known_stakes(self, currency: str, known: Sequence[str]) -> list[Decimal]:
        """The stakes in a currency of rounds named by venue and id with a line feed between."""
        return [money for (money,) in self.rows(_KNOWN_STAKES, [currency, list(known)])]


@contextmanager
def open_frame(lake: Lake, choice: Choice, scratch: str) -> Iterator[Frame]:
    """The frame of the chosen partitions of a lake.

    Raises `NothingChosen` where nothing is stored under the choice, `UsageProblem` where some of it
    is not audited, `LakeError` where a file no longer matches the ledger.
    """
    partitions = [each for each in choice.of(lake) if each.venue is not None and each.gaming_date is not None]
    if not partitions:
        raise NothingChosen(f"{lake.root}: no rounds are stored of {choice.words}")
    unaudited = [each for each in partitions if not lake.files("settlements", each)]
    if unaudited:
        raise UsageProblem(
            f"{lake.root}: {partition_name(unaudited[0])} is not audited yet"
            f"{f', and {len(unaudited) - 1} more' if len(unaudited) > 1 else ''}; `pontoon-audit run` first, "
            "or choose with --venue, --since and --until"
        )
    known = lake.published()
    for each in partitions:
        for problem in lake.damaged(each, _TABLES, known):
            raise LakeError(f"{lake.root}: {problem}; a sample of it could not be trusted")
    days = [each.gaming_date for each in partitions if each.gaming_date is not None]
    venues = tuple(sorted({str(each.venue) for each in partitions}))
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '384MB'")
        connection.execute("SET threads = 2")
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute("SET TimeZone = 'UTC'")
        for table in _TABLES:
            connection.execute(f"CREATE VIEW {table} AS {_selected(lake, table, partitions)}")
        connection.execute(_FRAME)
        yield Frame(connection, Scope(venues=venues, since=min(days), until=max(days)))


def _selected(lake: Lake, table: str, partitions: Sequence[Partition]) -> str:
    files = [path for each in partitions for path in lake.files(table, each)]
    if not files:
        return nothing(table)
    listed = ", ".join(literal(glob_text(path)) for path in files)
    types = "{'venue': VARCHAR, 'gaming_date': DATE}"
    return f"SELECT * FROM read_parquet([{listed}], hive_partitioning = true, hive_types = {types})"


_FRAME = """
CREATE TABLE frame AS
WITH of_events AS (
    SELECT venue, gaming_date, round_id, coalesce(sum(amount) FILTER (e = 'wager'), 0) AS staked,
        coalesce(bool_or(card = '??'), false) AS unreadable,
        bool_or(e = 'settle' AND reverses IS NOT NULL) AS corrected,
        bool_or(e IN ('irregularity', 'void', 'withdraw')) AS decided
    FROM events GROUP BY ALL
),
of_findings AS (
    SELECT venue, gaming_date, round_id, bool_or(severity <> 'notice') AS found FROM findings GROUP BY ALL
),
told AS (
    SELECT r.venue, r.gaming_date, r.round_id, r.currency, r.content_sha256,
        coalesce(e.staked, 0)::DECIMAL(18, 3) AS staked,
        CASE WHEN f.found THEN 'findings' WHEN e.corrected THEN 'corrected'
            WHEN e.unreadable THEN 'unreadable' WHEN e.decided OR f.found IS NOT NULL THEN 'discretion'
            END AS risk
    FROM rounds r LEFT JOIN of_events e USING (venue, gaming_date, round_id)
    LEFT JOIN of_findings f USING (venue, gaming_date, round_id)
),
limits AS (
    SELECT currency, quantile_disc(staked, 0.9) AS high, quantile_disc(staked, 0.5) AS middle
    FROM told WHERE risk IS NULL GROUP BY currency
)
SELECT venue, gaming_date, round_id, currency, content_sha256, staked,
    coalesce(risk, CASE WHEN staked > high THEN 'high stakes' WHEN staked > middle THEN 'middle stakes'
        ELSE 'low stakes' END) AS stratum
FROM told LEFT JOIN limits USING (currency)
"""

_STRATA = """
SELECT stratum, currency, count(*), sum(staked)::DECIMAL(18, 3) FROM frame GROUP BY ALL ORDER BY ALL
"""

_DIGESTED = """
SELECT venue, gaming_date, round_id, content_sha256, currency, staked, stratum FROM frame
ORDER BY venue, gaming_date, round_id
"""

_DRAWN = """
SELECT venue, round_id, gaming_date FROM frame WHERE stratum = $2
ORDER BY sha256($1 || chr(10) || venue || chr(10) || round_id), venue, round_id LIMIT $3
"""

_KNOWN_STAKES = """
SELECT staked FROM frame
WHERE currency = $1 AND list_contains($2::VARCHAR[], venue || chr(10) || round_id)
"""

_STAKES = """
SELECT staked FROM frame
WHERE stratum = $1 AND currency = $2 AND NOT list_contains($3::VARCHAR[], venue || chr(10) || round_id)
ORDER BY staked DESC LIMIT $4
"""
