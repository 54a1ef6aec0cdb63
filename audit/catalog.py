"""``audit.duckdb``: what an investigator opens.

The file holds views over the lake's Parquet, macros and comments, and no data. It is
written at storage version v1.0.0, so that clients from DuckDB 1.0 on open it, aside
and then swapped in, so that a session that has the old one open is not disturbed.

The views name the lake by its absolute path: a view over a relative path depends on
the directory a client happens to be started in. The file is no evidence and is not
published; each run rebuilds it, and so does `build_catalog` after the lake has moved.
A table without a file is an empty view of the right columns until the next build.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from audit.catalog_history import VIEWS as HISTORY_VIEWS
from audit.catalog_history import View, ledger_lines
from audit.causes.view import CAUSES_VIEW
from audit.surveil.views import surveillance_views
from expectations.tables import STORED, checked_root, columns, glob_text, identifier, literal, nothing, scan

STORAGE_VERSION = "v1.0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro:
    """A table macro: its parameters, its query, and what it answers."""

    name: str
    parameters: tuple[str, ...]
    comment: str
    query: str

    @property
    def call(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"


_FINDING = """
    f.venue, f.gaming_date, r."table", r.shoe, r.round_no, r.started_at, r.dealer, r.currency,
    f.* EXCLUDE (venue, gaming_date)"""

MACROS: tuple[Macro, ...] = (
    Macro(
        name="rounds_of",
        parameters=("at_venue", "at_table", "on_date"),
        comment="rounds of a table on a gaming date, in the order played",
        query="""
            SELECT * FROM rounds
            WHERE venue = at_venue AND "table" = at_table AND gaming_date = CAST(on_date AS DATE)
            ORDER BY started_at, shoe, round_no""",
    ),
    Macro(
        name="findings_of_dealer",
        parameters=("dealer_id",),
        comment="findings in rounds dealt by a dealer, with table, shoe and currency of the round",
        query=f"""
            SELECT {_FINDING}
            FROM findings f JOIN rounds r USING (venue, gaming_date, round_id)
            WHERE r.dealer = dealer_id
            ORDER BY r.started_at, f.round_id, f.ordinal""",
    ),
    Macro(
        name="findings_of_round",
        parameters=("of_round",),
        comment="findings of a round, with table, shoe and currency of the round",
        query=f"""
            SELECT {_FINDING}
            FROM findings f JOIN rounds r USING (venue, gaming_date, round_id)
            WHERE f.round_id = of_round
            ORDER BY f.venue, f.ordinal""",
    ),
    Macro(
        name="findings_of_cause",
        parameters=("of_cause",),
        comment="findings that a cause of the report explains, with table, shoe and currency of the round",
        query=f"""
            SELECT {_FINDING}
            FROM findings f JOIN rounds r USING (venue, gaming_date, round_id)
            WHERE f.fingerprint IN (SELECT unnest(fingerprints) FROM causes WHERE cause = of_cause)
            ORDER BY r.started_at, f.round_id, f.ordinal""",
    ),
    Macro(
        name="history_of_finding",
        parameters=("of_fingerprint",),
        comment="what runs saw change about a finding and what people made of it, in order",
        query="""
            SELECT * EXCLUDE (line) FROM (
                SELECT r."at", c.change AS what, r.run_id AS by_whom, c.severity, c.delta, NULL AS note,
                       c.run AS line
                FROM changes c LEFT JOIN runs r ON r.line = c.run
                WHERE c.fingerprint = of_fingerprint
                UNION ALL
                SELECT d."at", d.status, d.disposed_by, d.severity, d.delta, d.note, d.line
                FROM dispositions d
                WHERE d.fingerprint = of_fingerprint
            ) ORDER BY "at", line""",
    ),
    Macro(
        name="events_of_round",
        parameters=("of_round",),
        comment="what happened in a round, in order",
        query="SELECT * FROM events WHERE round_id = of_round ORDER BY venue, seq",
    ),
    Macro(
        name="hands_of_round",
        parameters=("of_round",),
        comment="hands of a round as they ended, the dealer's (box 0) first",
        query="SELECT * FROM hands WHERE round_id = of_round ORDER BY venue, box, hand",
    ),
    Macro(
        name="settlements_of_round",
        parameters=("of_round",),
        comment="wagers of a round: what the rules require beside what was recorded",
        query="SELECT * FROM settlements WHERE round_id = of_round ORDER BY venue, box, hand, wager, line",
    ),
    Macro(
        name="net_difference_of_player",
        parameters=("player_id",),
        comment="net to a player beyond what the rules require, per currency; negative when short-changed",
        query="""
            SELECT r.currency,
                   count(*) AS settlements,
                   count_if(s.delta <> 0) AS settled_differently,
                   count_if(s.delta IS NULL) AS not_fixed,
                   CAST(sum(s.delta) AS DECIMAL(18, 3)) AS net_difference
            FROM settlements s JOIN rounds r USING (venue, gaming_date, round_id)
            WHERE s.player = player_id
            GROUP BY r.currency
            ORDER BY r.currency""",
    ),
    Macro(
        name="money_by_check",
        parameters=(),
        comment="findings per check, severity and currency, with the money paid too much and too little",
        query="""
            SELECT f.code, f.severity, r.currency,
                   count(*) AS findings,
                   count(DISTINCT (f.venue, f.round_id)) AS rounds,
                   CAST(coalesce(sum(f.delta) FILTER (f.delta > 0), 0) AS DECIMAL(18, 3)) AS overpaid,
                   CAST(coalesce(-sum(f.delta) FILTER (f.delta < 0), 0) AS DECIMAL(18, 3)) AS underpaid,
                   CAST(coalesce(sum(f.delta), 0) AS DECIMAL(18, 3)) AS net_difference
            FROM findings f JOIN rounds r USING (venue, gaming_date, round_id)
            GROUP BY f.code, f.severity, r.currency
            ORDER BY overpaid + underpaid DESC, findings DESC, f.code, f.severity, r.currency""",
    ),
    Macro(
        name="shoe_cards",
        parameters=("at_venue", "of_shoe"),
        comment="how often each card left a shoe, dealt or burned from it, beside the copies its decks hold",
        query="""
            SELECT e.card, count(*) AS copies, max(r.decks) AS decks
            FROM events e JOIN rounds r USING (venue, gaming_date, round_id)
            WHERE r.venue = at_venue AND r.shoe = of_shoe
              AND (e.e = 'deal' OR (e.e = 'burn' AND coalesce(e."from", 'shoe') = 'shoe'))
            GROUP BY e.card
            ORDER BY copies DESC, e.card""",
    ),
)

RUNS: Mapping[str, tuple[str, str]] = {
    "line": ("BIGINT", "line of the ledger, from 1"),
    "run_id": ("VARCHAR", "the run; null where the line is damaged"),
    "at": ("TIMESTAMP WITH TIME ZONE", "instant of the run"),
    "code_version": ("VARCHAR", "version of this program that ran"),
    "counts": ("JSON", "what the run counted"),
    "record": ("JSON", "the whole record; a damaged line is kept as a JSON string"),
}


VIEWS: tuple[View, ...] = (*HISTORY_VIEWS, CAUSES_VIEW)
"""Views that are more than a table, in the order in which they need one another."""


def build_catalog(lake_root: Path, target: Path | None = None) -> Path:
    """Write the catalogue of a lake and return its path, ``audit.duckdb`` in the lake by default.

    A reader never sees half a catalogue: it is built beside the target and renamed
    over it. Raises ``ValueError`` for a lake whose path DuckDB would misread.
    """
    root = checked_root(lake_root)
    final = target if target is not None else root / "audit.duckdb"
    aside = final.with_name(f".{final.name}.{os.getpid()}.building")
    final.parent.mkdir(parents=True, exist_ok=True)
    aside.unlink(missing_ok=True)
    try:
        with duckdb.connect() as connection:
            connection.execute(
                f"ATTACH {literal(str(aside))} AS catalogue (STORAGE_VERSION {literal(STORAGE_VERSION)})"
            )
            connection.execute("USE catalogue")
            # Hundreds of small changes, each of which would otherwise be written to the disk by itself.
            connection.execute("BEGIN")
            for statement in _statements(root):
                connection.execute(statement)
            connection.execute("COMMIT")
            connection.execute("USE memory")
            connection.execute("DETACH catalogue")
        aside.replace(final)
    finally:
        aside.unlink(missing_ok=True)
    return final


def definitions() -> dict[str, str]:
    """The views on ledgers and findings over time, and the macros, by name: the text that each stands for."""
    nowhere = Path("/")
    views = {view.name: view.query(nowhere) for view in VIEWS}
    return {**views, **{macro.name: macro.query for macro in MACROS}}


def _statements(root: Path) -> Iterator[str]:
    yield f"CREATE MACRO lake_root() AS {literal(str(root))}"
    yield "COMMENT ON MACRO lake_root IS 'directory of the lake that the views read'"
    for table in STORED.values():
        yield f"CREATE VIEW {table.name} AS {_table_view(root, table.name)}"
        yield from _comments(table.name, table.meaning, {c.name: c.comment for c in columns(table.name)})
    yield f"CREATE VIEW runs AS {_runs_view(root)}"
    yield from _comments(
        "runs", "the run ledger, one row per run", {name: comment for name, (_, comment) in RUNS.items()}
    )
    for view in (*VIEWS, *surveillance_views()):
        yield f"CREATE VIEW {view.name} AS {view.query(root)}"
        yield from _comments(view.name, view.meaning, {each.name: each.comment for each in view.columns})
    for macro in MACROS:
        yield f"CREATE MACRO {macro.call} AS TABLE {macro.query}"
        yield f"COMMENT ON MACRO TABLE {macro.name} IS {literal(macro.comment)}"


def _comments(view: str, meaning: str, by_column: Mapping[str, str]) -> Iterator[str]:
    yield f"COMMENT ON VIEW {view} IS {literal(meaning)}"
    for column, comment in by_column.items():
        yield f"COMMENT ON COLUMN {view}.{identifier(column)} IS {literal(comment)}"


def _table_view(root: Path, table: str) -> str:
    if next((root / table).glob("venue=*/gaming_date=*/*.parquet"), None) is None:
        return nothing(table)
    listed = ", ".join(identifier(each.name) for each in columns(table))
    return (
        f"SELECT {listed} FROM {scan(table, [glob_text(root / table) + '/venue=*/gaming_date=*/*.parquet'])}"
    )


def _runs_view(root: Path) -> str:
    listed = ", ".join(
        f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, (kind, _) in RUNS.items()
    )
    return f"""
        WITH records AS ({ledger_lines(root, "runs")}), fields AS (
            SELECT line, record, record ->> '$.run_id' AS run_id,
                   TRY_CAST(record ->> '$.at' AS TIMESTAMPTZ) AS "at",
                   record ->> '$.code_version' AS code_version, record -> '$.counts' AS counts
            FROM records
        )
        SELECT {listed} FROM fields ORDER BY line"""


class RefusedStatement(Exception):
    """A statement other than a query was given to a read-only session."""


class ReadOnlySession:
    """A DuckDB session that reads one lake and does nothing else.

    DuckDB's own confinement keeps it to the lake's directory, without extensions and
    with its configuration locked, but would let ``COPY … TO`` overwrite a file of the
    lake; so only queries (SELECT, FROM, DESCRIBE, SHOW, SUMMARIZE, VALUES) are passed on.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def execute(self, query: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> Self:
        """Run a query; raises `RefusedStatement` or ``duckdb.Error``."""
        statements = self._connection.extract_statements(query)
        if len(statements) != 1:
            raise RefusedStatement(f"expected one query, got {len(statements)} statements")
        if statements[0].type != duckdb.StatementType.SELECT:
            raise RefusedStatement(
                f"{statements[0].type.name}: this session only reads the lake; give a query such as SELECT"
            )
        self._connection.execute(statements[0], parameters)
        return self

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns of the last query."""
        return tuple(column[0] for column in self._connection.description or ())

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._connection.fetchall()

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        return self._connection.fetchmany(size)

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._connection.fetchone()

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_read_only(path: Path, lake: Path | None = None) -> ReadOnlySession:
    """Open a catalogue to read the lake it lies in, or another that is named; instants shown in UTC.

    The session is confined before anything in the file is looked at: whoever may write to the
    lake may have put a file of his own there. Raises ``FileNotFoundError`` where there is no catalogue yet.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no catalogue here; run the audit on this lake to build it")
    root = path.resolve().parent if lake is None else lake.resolve()
    connection = duckdb.connect(str(path), read_only=True)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET python_enable_replacements = false")
        allowed = ", ".join(literal(each) for each in (str(root), glob_text(root)))
        connection.execute(f"SET allowed_directories = [{allowed}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return ReadOnlySession(connection)
