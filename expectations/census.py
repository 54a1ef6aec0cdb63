"""The census of a partition: what is counted in its tables, one scan of each, before they are judged.

Ids, events and settlements belong to one partition, so everything that is expected of the
rows of a table can be counted partition by partition, by the process that has just
replayed it, in memory bounded by the partition. The validation then judges the counts,
however many rounds they stand for.

Each expectation has a query that finds the rows that break it. A quick query over the
whole table tells first which of them can find any; only those are run. The quick query
answers "none" or "perhaps", never "none" for "some": where it cannot tell, or fails, the
exact query decides.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias, get_args

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from expectations.tables import TABLES, Partition, columns, glob_text, identifier, literal, partition_folder
from rules_replay.log import EVENT_KINDS, Line, Result, Shuffler, WagerKind
from rules_replay.results import Basis

MEMORY_LIMIT = "256MB"

CENSUS_TABLES = ("rounds", "events", "hands", "settlements", "findings", "coverage")
"""Tables of which a partition with rounds has a file each."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Rows to be counted in every partition, of which there should be none.

    ``query`` finds them in the tables of one partition.
    """

    code: str
    meaning: str
    query: str


Files: TypeAlias = Mapping[str, Sequence[Path]]
"""The Parquet files of one partition, by table of `CENSUS_TABLES`."""

SourceSpan: TypeAlias = tuple[str, int, int]
"""A source file by its SHA-256, and the first and last line of it in a partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """The counts of one partition.

    ``broken`` counts by code the rows that break an expectation, where there are any;
    ``errors`` says why others could not be counted. ``rounds`` is None, and so are ``totals``, by currency,
    where they could not be. ``ids`` are the first and last round id, ``sources`` the
    lines of each source file: partitions whose spans lie apart do not share a round.
    """

    partition: Partition
    broken: Mapping[str, int]
    errors: Mapping[str, str]
    rounds: int | None
    totals: Mapping[str, ControlTotals] | None
    ids: tuple[str, str] | None
    sources: tuple[SourceSpan, ...]


def files_of(root: Path, partition: Partition) -> dict[str, list[Path]]:
    """The files of a partition in a lake, by table."""
    return {
        table: sorted(partition_folder(root, table, partition).glob("*.parquet")) for table in CENSUS_TABLES
    }


def take_census(partition: Partition, files: Files, spill: Path) -> Census:
    """Count one partition.

    What cannot be counted, such as a table without a file, is an error of the
    expectations concerned and of no other. DuckDB takes one processor and at most
    `MEMORY_LIMIT`; what does not fit goes to the folder ``spill``.
    """
    return _Taker(_connection(spill), files).census(partition)


@lru_cache(maxsize=1)
def _connection(spill: Path) -> duckdb.DuckDBPyConnection:
    """One for many partitions: connecting takes as long as counting a small one."""
    return duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "threads": 1,
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
    )


class _Taker:
    """Counts one partition in a connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, files: Files) -> None:
        self._connection = connection
        self._files = files
        self._broken: dict[str, int] = {}
        self._errors: dict[str, str] = {}
        self._left_out: dict[str, str] = {}

    def census(self, partition: Partition) -> Census:
        for table in CENSUS_TABLES:
            self._view(table)
        suspects, totals = self._suspects()
        for table in CENSUS_TABLES:
            for count in COUNTS[table]:
                if table in self._left_out:
                    self._errors[count.code] = self._left_out[table]
                elif count.code in suspects:
                    self._count(count.code, count.query.replace("$files", self._listed(table)))
        held = self._rows(_HELD)
        spans: list[tuple[Any, ...]] = held or []
        rounds: Counter[str] = Counter()
        for _, currency, count, *_ in spans:
            rounds[currency] += count
        ids = [each for *_, first, last in spans for each in (first, last) if each is not None]
        return Census(
            partition=partition,
            broken=self._broken,
            errors=self._errors,
            rounds=None if held is None else rounds.total(),
            totals=None if held is None else self._totals(rounds, totals),
            ids=(min(ids), max(ids)) if ids else None,
            sources=tuple((sha, first, last) for sha, _, _, first, last, *_ in spans if first is not None),
        )

    def _view(self, table: str) -> None:
        self._connection.execute(f"DROP VIEW IF EXISTS {table}")
        if not self._files[table]:
            self._left_out[table] = f"No files found for {table}"
            return
        scan = f"read_parquet([{self._listed(table)}], hive_partitioning = false)"
        try:
            self._connection.execute(f"CREATE VIEW {table} AS FROM {scan}")
        except duckdb.Error as error:
            self._left_out[table] = self._clean(str(error))

    def _listed(self, table: str) -> str:
        return listed_words([glob_text(path) for path in self._files[table]])

    def _suspects(self) -> tuple[set[str], dict[str, Any]]:
        """The codes that no quick query shows to be unbroken, and what else these queries tell."""
        suspects = {count.code for counts in COUNTS.values() for count in counts}
        told: dict[str, Any] = {}
        for table in CENSUS_TABLES:
            if self._files[table] and all(_as_written(table, path) for path in self._files[table]):
                suspects -= {f"{table}.schema", *(f"{table}.complete.{name}" for name in _required(table))}
        for quick in _QUICK:
            for row in self._rows(quick) or ():
                names = [column[0] for column in self._connection.description or ()]
                told |= dict(zip(names, row, strict=True))
        return suspects - {code for code, value in told.items() if value == 0}, told

    def _count(self, code: str, query: str) -> None:
        try:
            ((found,),) = self._connection.execute(f"SELECT count(*) FROM ({query})").fetchall()
        except duckdb.Error as error:
            self._errors[code] = self._reason(str(error))
            return
        if found:
            self._broken[code] = found

    def _rows(self, query: str) -> list[tuple[Any, ...]] | None:
        """The answer to a query; None where there is none, which the counts then report."""
        try:
            return self._connection.execute(query).fetchall()
        except duckdb.Error:
            return None

    def _totals(self, rounds: Mapping[str, int], told: Mapping[str, Any]) -> dict[str, ControlTotals] | None:
        sums = ", ".join(_SUMS.values())
        found: list[tuple[Any, ...]] | None
        if len(rounds) == 1:
            # Where all rounds are in one currency, so are the events.
            (currency,) = rounds
            known = all(name in told for name in _SUMS)
            found = (
                [tuple(told[name] for name in _SUMS)] if known else self._rows(f"SELECT {sums} FROM events")
            )
            found = found and [(currency, *found[0])]
        else:
            found = self._rows(
                f"SELECT currency, {sums} FROM events JOIN rounds USING (round_id) GROUP BY currency"
            )
        if found is None:
            return None
        amounts = {currency: map(int, counted) for currency, *counted in found}
        nothing = [0] * len(_SUMS)
        return {
            currency: ControlTotals(
                rounds=count, **dict(zip(_SUMS, amounts.get(currency, nothing), strict=True))
            )
            for currency, count in rounds.items()
        }

    def _reason(self, message: str) -> str:
        for table, reason in self._left_out.items():
            if f"Table with name {table} does not exist" in message:
                return reason
        return self._clean(message)

    def _clean(self, message: str) -> str:
        """A message that names no folder of this machine."""
        for folder in {path.parent for paths in self._files.values() for path in paths}:
            message = message.replace(f"{folder}/", "")
        return message


def _as_written(table: str, path: Path) -> bool:
    """Whether a file has exactly the columns that this program writes, so that none required is null."""
    try:
        with pq.ParquetFile(path) as file:
            return bool(file.schema.equals(_written(table)))
    except (OSError, pa.ArrowException):
        return False


@cache
def _written(table: str) -> Any:
    """The columns of a table as they are in a Parquet file, down to which of them can be null."""
    file = io.BytesIO()
    pq.write_table(TABLES[table].schema.empty_table(), file)
    return pq.ParquetFile(file).schema


# --- what is counted ---------------------------------------------------------------------


def listed_words(values: Sequence[str]) -> str:
    """Words as a list in SQL."""
    return ", ".join(map(literal, values))


def once(table: str, *key: str) -> str:
    """The keys that occur more than once.

    Hashes first: grouping the keys themselves takes several times the memory.
    """
    listed = ", ".join(key)
    return f"""
        WITH suspects AS (SELECT hash({listed}) AS h FROM {table} GROUP BY h HAVING count(*) > 1)
        SELECT {listed} FROM {table} WHERE hash({listed}) IN (SELECT h FROM suspects)
        GROUP BY {listed} HAVING count(*) > 1"""


def column_differences(table: str, files: str = "$files") -> str:
    """Every column of every file that is missing, extra, out of place or of another type."""
    stored = [each for each in columns(table) if each.name not in ("venue", "gaming_date")]
    expected = ", ".join(
        f"({place}, {literal(each.name)}, {literal(each.type)})" for place, each in enumerate(stored, 1)
    )
    return f"""
        WITH nodes AS (
            SELECT *, lag(repetition_type) OVER (PARTITION BY file_name ORDER BY column_id) AS above
            FROM parquet_schema([{files}])
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


_SUMS: Mapping[str, str] = {
    "events": "count(*)",
    "wagers": "count(*) FILTER (e = 'wager')",
    "stakes": "coalesce(sum(CAST(amount * 1000 AS HUGEINT)) FILTER (e = 'wager'), 0)",
    "paid": "coalesce(sum(CAST(paid * 1000 AS HUGEINT)), 0)",
    "taken": "coalesce(sum(CAST(taken * 1000 AS HUGEINT)), 0)",
}
"""The control totals of events, in the order of `MEASURES`."""

_EVENT_TOTALS = """
    WITH beyond AS (
        SELECT round_id, count(DISTINCT seq) AS seqs
        FROM events WHERE seq NOT BETWEEN 0 AND 126 GROUP BY round_id
    ), totals AS (
        SELECT round_id, count(*) AS events, min(seq) AS lowest, max(seq) AS highest,
               bit_count(bit_or(CASE WHEN seq BETWEEN 0 AND 126 THEN 1::HUGEINT << seq ELSE 0 END)) AS seqs
        FROM events GROUP BY round_id
    ), event_totals AS (
        SELECT totals.* REPLACE (totals.seqs + coalesce(beyond.seqs, 0) AS seqs)
        FROM totals LEFT JOIN beyond USING (round_id)
    )"""
"""Per round: its events, the distinct places they take, the lowest and the highest.

Places are counted in a bit set, because a DISTINCT over all of them takes several times
the memory; the few beyond it are counted apart.
"""

_CARDS_DIFFER = """
    card_count <> CASE cards WHEN '' THEN 0 ELSE len(cards) - len(replace(cards, ' ', '')) + 1 END"""
_DELTA_DIFFERS = """
    delta IS DISTINCT FROM
    coalesce(recorded_paid, 0) - coalesce(recorded_taken, 0) - (expected_paid - expected_taken)"""
_CURRENCY_DIFFERS = "NOT regexp_full_match(currency, '[A-Z][A-Z][A-Z]')"

_WORDS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "rounds": {"shuffler": get_args(Shuffler)},
    "hands": {},
    "settlements": {
        "line": get_args(Line),
        "kind": get_args(WagerKind),
        "status": ("fixed", "indeterminate"),
        "expected_result": get_args(Result),
        "recorded_result": get_args(Result),
        "basis": get_args(Basis),
    },
}
"""Columns that hold a word of the format, and the words."""

_KEYS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("round_id",),
    "hands": ("round_id", "box", "hand"),
    "settlements": ("round_id", "wager", "line"),
}


def _required(table: str) -> list[str]:
    return [each.name for each in TABLES[table].schema if not each.nullable]


def _word_code(table: str, column: str) -> str:
    return f"{table}.{column.replace('_', '-')}"


def _rows_of(table: str) -> Iterator[Count]:
    """What is counted in a table whose rows stand one by one: nulls, keys, words, rounds."""
    yield _columns_of(table)
    for name in _required(table):
        yield Count(
            code=f"{table}.complete.{name}",
            meaning=f"{name} is never missing",
            query=f"SELECT * FROM {table} WHERE {identifier(name)} IS NULL",
        )
    yield Count(
        code=f"{table}.key",
        meaning=f"{', '.join(('venue', *_KEYS[table]))} occurs once",
        query=once(table, *_KEYS[table]),
    )
    if table != "rounds":
        yield _belonging(table)
    for column, words in _WORDS[table].items():
        yield Count(
            code=_word_code(table, column),
            meaning=f"{column} is a word of the format",
            query=f"SELECT * FROM {table} WHERE {column} NOT IN ({listed_words(words)})",
        )


def _columns_of(table: str) -> Count:
    return Count(
        code=f"{table}.schema",
        meaning="every file has the columns of the table, in order and of the right type",
        query=column_differences(table),
    )


def _belonging(table: str) -> Count:
    return Count(
        code=f"{table}.round",
        meaning="every row belongs to a round in the lake",
        query=f"SELECT * FROM {table} ANTI JOIN rounds USING (round_id)",
    )


COUNTS: Mapping[str, tuple[Count, ...]] = {
    "rounds": (
        *_rows_of("rounds"),
        Count(
            code="rounds.source",
            meaning="no line of a source file gives two rounds",
            query=once("rounds", "source_sha256", "source_line"),
        ),
        Count(
            code="rounds.currency",
            meaning="currency is an ISO 4217 code",
            query=f"SELECT round_id FROM rounds WHERE {_CURRENCY_DIFFERS}",
        ),
        Count(
            code="rounds.events",
            meaning="every round has as many events in the lake as it had when it was read",
            query=f"""{_EVENT_TOTALS}
                SELECT round_id FROM rounds LEFT JOIN event_totals t USING (round_id)
                WHERE rounds.event_count <> coalesce(t.events, 0)""",
        ),
    ),
    "events": (
        _columns_of("events"),
        Count(
            code="events.key",
            meaning="venue, round_id, seq occurs once",
            query=f"{_EVENT_TOTALS} SELECT round_id FROM event_totals WHERE events <> seqs",
        ),
        Count(
            code="events.order",
            meaning="seq counts the events of a round from 0 without a gap",
            query=f"""{_EVENT_TOTALS}
                SELECT round_id FROM event_totals WHERE lowest <> 0 OR highest <> seqs - 1""",
        ),
        Count(
            code="events.round",
            meaning="every event belongs to a round in the lake",
            query="SELECT DISTINCT round_id FROM events ANTI JOIN rounds USING (round_id)",
        ),
        Count(
            code="events.e",
            meaning="every event is of a known kind",
            query=f"SELECT round_id, seq FROM events WHERE e NOT IN ({listed_words(EVENT_KINDS)})",
        ),
        Count(
            code="events.complete",
            meaning="every event has its round, its place, its kind and what its kind needs",
            query="""
                SELECT round_id, seq FROM events
                WHERE round_id IS NULL OR seq IS NULL OR e IS NULL
                   OR e = 'wager' AND (wager IS NULL OR player IS NULL OR kind IS NULL OR amount IS NULL)
                   OR e = 'deal' AND (box IS NULL OR card IS NULL)
                   OR e = 'settle' AND (wager IS NULL OR result IS NULL AND reverses IS NULL)""",
        ),
    ),
    "hands": (
        *_rows_of("hands"),
        Count(
            code="hands.card-count",
            meaning="card_count is the number of cards listed",
            query=f"SELECT round_id, box, hand FROM hands WHERE {_CARDS_DIFFER}",
        ),
    ),
    "settlements": (
        *_rows_of("settlements"),
        Count(
            code="settlements.delta",
            meaning="delta is the recorded net to the player less the required net",
            query=f"SELECT round_id, wager, line FROM settlements WHERE {_DELTA_DIFFERS}",
        ),
    ),
    "findings": (_columns_of("findings"), _belonging("findings")),
    "coverage": (_columns_of("coverage"),),
}
"""By table what is counted in each partition; ``$files`` are its files in the partition."""


_HELD = """
    SELECT coalesce(source_sha256, ''), coalesce(currency, ''), count(*), min(source_line), max(source_line),
           min(round_id), max(round_id)
    FROM rounds GROUP BY ALL ORDER BY ALL"""


# --- the quick queries -------------------------------------------------------------------


def _named(expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{expression} AS {identifier(code)}" for code, expression in expressions.items())


def _rows_where(condition: str) -> str:
    # `count_if` is null where there is no row at all.
    return f"count(*) FILTER ({condition})"


def _plain(table: str, **more: str) -> dict[str, str]:
    """What can be counted of a table in one scan."""
    return {
        **{
            _word_code(table, column): _rows_where(f"{column} NOT IN ({listed_words(words)})")
            for column, words in _WORDS[table].items()
        },
        **{f"{table}.{code.replace('_', '-')}": expression for code, expression in more.items()},
    }


def _repeats(*key: str) -> str:
    # Equal keys have equal hashes, so as many hashes as rows means that no key occurs twice.
    return f"count(*) - count(DISTINCT hash({', '.join(key)}))"


def _scan(table: str, expressions: Mapping[str, str]) -> str:
    return f"SELECT {_named(expressions)} FROM {table}"


_UNKNOWN_KIND = f"e NOT IN ({listed_words(EVENT_KINDS)})"

_QUICK: tuple[str, ...] = (
    _scan(
        "rounds",
        _plain(
            "rounds",
            key=_repeats(*_KEYS["rounds"]),
            source=_repeats("source_sha256", "source_line"),
            currency=_rows_where(_CURRENCY_DIFFERS),
        ),
    ),
    """
    WITH totals AS (
        SELECT round_id, count(*) AS n, min(seq) AS lowest, max(seq) AS highest,
               bit_count(bit_or(CASE WHEN seq BETWEEN 0 AND 126 THEN 1::HUGEINT << seq ELSE 0 END)) AS seqs
        FROM events GROUP BY round_id
    )
    SELECT count(*) FILTER (n <> seqs) AS "events.key",
           count(*) FILTER (lowest <> 0 OR highest <> seqs - 1) AS "events.order",
           count(*) FILTER (n IS NOT NULL AND rounds.round_id IS NULL) AS "events.round",
           count(*) FILTER (event_count <> coalesce(n, 0)) AS "rounds.events"
    FROM totals FULL JOIN rounds ON totals.round_id = rounds.round_id""",
    f"""
    WITH kinds AS (
        SELECT e, count(*) AS n, count(round_id) + count(seq) + count(e) AS placed, count(wager) AS wagers,
               count(player) + count(kind) + count(amount) AS entries, count(box) + count(card) AS dealt,
               count(*) FILTER (result IS NULL AND reverses IS NULL) AS unsettled,
               sum(amount) AS amount, sum(paid) AS paid, sum(taken) AS taken
        FROM events GROUP BY e
    )
    SELECT coalesce(sum(n) FILTER ({_UNKNOWN_KIND}), 0) AS "events.e",
           coalesce(sum(3 * n - placed), 0)
           + coalesce(sum(n - wagers + 3 * n - entries) FILTER (e = 'wager'), 0)
           + coalesce(sum(2 * n - dealt) FILTER (e = 'deal'), 0)
           + coalesce(sum(n - wagers + unsettled) FILTER (e = 'settle'), 0) AS "events.complete",
           coalesce(sum(n), 0) AS events, coalesce(sum(n) FILTER (e = 'wager'), 0) AS wagers,
           coalesce(CAST(sum(amount) FILTER (e = 'wager') * 1000 AS HUGEINT), 0) AS stakes,
           coalesce(CAST(sum(paid) * 1000 AS HUGEINT), 0) AS paid,
           coalesce(CAST(sum(taken) * 1000 AS HUGEINT), 0) AS taken
    FROM kinds""",
    _scan(
        "hands",
        _plain("hands", key=_repeats(*_KEYS["hands"]), card_count=_rows_where(_CARDS_DIFFER)),
    ),
    _scan(
        "settlements",
        _plain("settlements", key=_repeats(*_KEYS["settlements"]), delta=_rows_where(_DELTA_DIFFERS)),
    ),
    """
    SELECT count(*) FILTER (found_in = 'hands') AS "hands.round",
           count(*) FILTER (found_in = 'settlements') AS "settlements.round",
           count(*) FILTER (found_in = 'findings') AS "findings.round"
    FROM (SELECT DISTINCT round_id, 'hands' AS found_in FROM hands
          UNION ALL SELECT DISTINCT round_id, 'settlements' FROM settlements
          UNION ALL SELECT DISTINCT round_id, 'findings' FROM findings)
    ANTI JOIN rounds USING (round_id)""",
)
"""Each answers, under the codes it knows of, 0 where no row breaks the expectation.

The one over kinds of event also gives the control totals, which would take another scan.
"""
