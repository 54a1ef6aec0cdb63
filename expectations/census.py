"""The census of a partition: what is counted in its tables, one scan of each, before they are judged.

Ids, events and settlements belong to one partition, so everything that is expected of the
rows of a table can be counted partition by partition, by the process that has just
replayed it, in memory bounded by the partition. The validation then judges the counts,
however many rounds they stand for.

Each expectation has a query that finds the rows that break it. A quick look at the columns
tells first which of them can find any (`expectations.quick`); only those are run. It
answers "none" or "perhaps", never "none" for "some": where it cannot tell, the exact query
decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from expectations.quick import CENSUS_TABLES, WORDS, Evidence, Files, Seen, look, required
from expectations.tables import Partition, columns, glob_text, identifier, literal, partition_folder
from rules_replay.log import EVENT_KINDS

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT = "256MB"


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

    ``query`` finds them in the tables of one partition, or makes what does.
    """

    code: str
    meaning: str
    query: str | Callable[[], str]

    @property
    def sql(self) -> str:
        """The query."""
        return self.query if isinstance(self.query, str) else self.query()


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


def take_census(partition: Partition, files: Files, spill: Path, evidence: Evidence | None = None) -> Census:
    """Count one partition.

    What cannot be counted, such as a table without a file, is an error of the
    expectations concerned and of no other. ``evidence`` is what was read of the rounds and
    events already, which then need not be read again. DuckDB takes one processor and at most
    `MEMORY_LIMIT`; what does not fit goes to the folder ``spill``.
    """
    return _Taker(files, spill, look(files, evidence)).census(partition)


@lru_cache(maxsize=1)
def _connect(spill: Path) -> duckdb.DuckDBPyConnection:
    """One for many partitions: connecting takes as long as counting a small one."""
    # A process that replays partitions in order does without it.
    import duckdb

    return duckdb.connect(
        config={
            "memory_limit": MEMORY_LIMIT,
            "threads": 1,
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
    )


class _Taker:
    """Counts one partition; it connects to DuckDB only if there is something to ask."""

    def __init__(self, files: Files, spill: Path, seen: Seen) -> None:
        self._files = files
        self._spill = spill
        self._seen = seen
        self._broken: dict[str, int] = {}
        self._errors: dict[str, str] = {}
        self._left_out = {table: f"No files found for {table}" for table in CENSUS_TABLES if not files[table]}

    def census(self, partition: Partition) -> Census:
        for table in CENSUS_TABLES:
            for count in COUNTS[table]:
                if count.code not in self._seen.unbroken:
                    self._count(table, count)
        held = self._rows(_HELD) if self._seen.held is None else self._seen.held
        spans: Sequence[tuple[Any, ...]] = held or []
        rounds: Counter[str] = Counter()
        for _, currency, count, *_ in spans:
            rounds[currency] += count
        ids = [each for *_, first, last in spans for each in (first, last) if each is not None]
        return Census(
            partition=partition,
            broken=self._broken,
            errors=self._errors,
            rounds=None if held is None else rounds.total(),
            totals=None if held is None else self._totals(rounds),
            ids=(min(ids), max(ids)) if ids else None,
            sources=tuple((sha, first, last) for sha, _, _, first, last, *_ in spans if first is not None),
        )

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        """A connection that has the tables as views; why others are not there is in ``_left_out``."""
        import duckdb

        connection = _connect(self._spill)
        for table in CENSUS_TABLES:
            connection.execute(f"DROP VIEW IF EXISTS {table}")
            if table in self._left_out:
                continue
            scan = f"read_parquet([{self._listed(table)}], hive_partitioning = false)"
            try:
                connection.execute(f"CREATE VIEW {table} AS FROM {scan}")
            except duckdb.Error as error:
                self._left_out[table] = self._clean(str(error))
        return connection

    def _listed(self, table: str) -> str:
        return listed_words([glob_text(path) for path in self._files[table]])

    def _count(self, table: str, count: Count) -> None:
        connection = self._connection
        if table in self._left_out:
            self._errors[count.code] = self._left_out[table]
            return
        import duckdb

        query = count.sql.replace("$files", self._listed(table))
        try:
            ((found,),) = connection.execute(f"SELECT count(*) FROM ({query})").fetchall()
        except duckdb.Error as error:
            self._errors[count.code] = self._reason(str(error))
            return
        if found:
            self._broken[count.code] = found

    def _rows(self, query: str) -> list[tuple[Any, ...]] | None:
        """The answer to a query; None where there is none, which the counts then report."""
        import duckdb

        try:
            return self._connection.execute(query).fetchall()
        except duckdb.Error:
            return None

    def _totals(self, rounds: Mapping[str, int]) -> dict[str, ControlTotals] | None:
        sums = ", ".join(_SUMS.values())
        found: list[tuple[Any, ...]] | None
        if len(rounds) == 1:
            # Where all rounds are in one currency, so are the events.
            (currency,) = rounds
            if self._seen.totals is not None:
                found = [tuple(self._seen.totals[name] for name in _SUMS)]
            else:
                found = self._rows(f"SELECT {sums} FROM events")
            found = found and [(currency, *found[0])]
        elif not rounds:
            found = []
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

_KEYS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("round_id",),
    "hands": ("round_id", "box", "hand"),
    "settlements": ("round_id", "wager", "line"),
}


def _word_code(table: str, column: str) -> str:
    return f"{table}.{column.replace('_', '-')}"


def _rows_of(table: str) -> Iterator[Count]:
    """What is counted in a table whose rows stand one by one: nulls, keys, words, rounds."""
    yield _columns_of(table)
    for name in required(table):
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
    for column, words in WORDS[table].items():
        yield Count(
            code=_word_code(table, column),
            meaning=f"{column} is a word of the format",
            query=f"SELECT * FROM {table} WHERE {column} NOT IN ({listed_words(words)})",
        )


def _columns_of(table: str) -> Count:
    return Count(
        code=f"{table}.schema",
        meaning="every file has the columns of the table, in order and of the right type",
        query=partial(column_differences, table),
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
