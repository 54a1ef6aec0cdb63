"""Reads the chosen partitions of a lake with DuckDB, and counts.

Every file of a chosen partition is named to DuckDB, so nothing outside the scope is
opened. A table without files in the scope is an empty one. Totals are made in DuckDB, and
what comes out of it grows with the findings and the days, not with the rounds. Of the
rounds, hands, settlements and events behind the findings only those partitions are read
that have any.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from audit.behind import COLUMNS, KEPT, counted_behind, rows_behind
from audit.causes import Causes, Gathered, gather
from audit.causes.counting import Counted, Stored, count_in
from audit.dispositions import IN_FORCE, Disposition
from audit.layout import Partition
from audit.report.kept import EXCEPTIONS, QUARANTINED, RESOLVED, KeptRows, keep
from audit.report.model import (
    Aside,
    CheckCount,
    Day,
    ExceptionRow,
    Figures,
    Gap,
    HandDrawn,
    Hanging,
    Moved,
    QuarantinedLine,
    ReportScope,
    ResolvedRow,
    Staked,
    Tally,
)
from audit.report.text import local_time, zone_of
from audit.results import over_time
from expectations.tables import STORED, glob_text, identifier, literal, nothing, query_rows, settlement_of
from rules_replay.log import MONEY
from rules_replay.severity import SEVERITIES
from rules_replay.venues import DEFAULT_DAY_START, Register

_QUARTER_HOUR = 900_000_000
_HEAD_BYTES = 80
_BATCH = 10_000


class ScopedLake:
    """The chosen partitions of a lake, open for reading."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        scope: ReportScope,
        register: Register,
        files: Stored,
        run: int | None,
        scratch: Path,
        aside: Mapping[Partition, Aside],
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._register = register
        self._files = files
        self._run = run
        self._scratch = scratch
        self._aside = aside
        self._counted: dict[Partition, Path] = {}
        self._shown = 0
        self._is_resolved = False

    def _rows(self, sql: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        return query_rows(self._connection, sql, parameters)

    def figures(self) -> Figures:
        """Everything that the report counts."""
        # Asked for more than once.
        self._connection.execute("CREATE OR REPLACE TABLE covered AS SELECT * FROM coverage")
        days = {partition: self._day(partition) for partition in self._scope.partitions}
        self._count_rounds(days)
        self._count_stakes(days)
        self._count_findings(days)
        for venue, gaming_date, rounds in self._rows(_WITHOUT_RULEBOOK):
            days[Partition(venue, gaming_date)].without_rulebook = rounds
        for venue, gaming_date, lines in self._rows(_QUARANTINED):
            days[Partition(venue, gaming_date)].quarantined = lines
        ((exceptions,),) = self._rows("SELECT count(*) FROM exceptions")
        ((checks_evaluated,),) = self._rows("SELECT count(DISTINCT code) FROM covered WHERE evaluated > 0")
        return Figures(
            scope=self._scope,
            days=tuple(days.values()),
            checks=self._checks(),
            hanging=tuple(
                Hanging(
                    partition=Partition(venue, gaming_date),
                    rulebook=rulebook,
                    depends_on=depends_on,
                    currency=currency,
                    findings=findings,
                    money=Moved(over, under),
                )
                for rulebook, depends_on, venue, gaming_date, currency, findings, over, under in self._rows(
                    _ON_READINGS
                )
            ),
            gaps=tuple(
                Gap(code=code, rulebook=rulebook, reason=reason, evaluated=evaluated, not_evaluable=missing)
                for code, rulebook, reason, evaluated, missing in self._rows(_GAPS)
            ),
            checks_evaluated=checks_evaluated,
            rulebooks=tuple(name for (name,) in self._rows(_RULEBOOKS)),
            exceptions=exceptions,
            over_time=self._over_time(),
            disposed=dict.fromkeys((*IN_FORCE, "changed_since"), 0) | dict(self._rows(_DISPOSED)),
        )

    def _over_time(self) -> dict[str, int] | None:
        if self._run is None:
            return None
        ((resolved,),) = self._rows(_RESOLVED_COUNT, self._run)
        states = {name: (number, altered) for name, number, altered in self._rows(_STATES)}
        return over_time(
            [
                {"resolved": resolved, "changed": states.get("continuing", (0, 0))[1]},
                {name: number for name, (number, _) in states.items() if name is not None},
            ]
        )

    def causes(self) -> Causes:
        """The findings gathered by what most likely lies behind them."""
        return self.gathered().causes()

    def gathered(self) -> Gathered:
        """As `causes`, up to where it is known which findings have which cause."""
        partitions = [each for each, files in self._files["rounds"].items() if files or each in self._aside]
        return gather(self._connection, partitions, self._counts, self._register)

    def _counts(self, partition: Partition) -> Counted:
        """What was counted of a partition; of one of which nothing was kept aside it is counted now."""
        aside = self._aside.get(partition)
        if aside is not None:
            return Counted(partition, counted_behind(aside.folder))
        path = self._counted.get(partition)
        if path is None:
            path = self._counted[partition] = self._scratch / f"counted-{len(self._counted)}"
            count_in(self._files, partition, self._register, path)
        return Counted(partition, path)

    def resolved(self) -> Iterator[ResolvedRow]:
        """Findings that runs made and the latest did not, in the order of their rounds."""
        self._resolve()
        return map(ResolvedRow._make, self._rows(_RESOLVED))

    def _resolve(self) -> None:
        """Have the findings that are no longer made in the table ``resolved``."""
        if self._is_resolved:
            return
        self._is_resolved = True
        self._connection.execute(_GONE)
        places = {Partition(*each) for each in self._rows("SELECT DISTINCT venue, gaming_date FROM gone")}
        dealt = _selected("rounds", (self._files["rounds"].get(each, ()) for each in places))
        self._connection.execute(_DEALT.format(f"({dealt})"))

    def resolved_now(self, limit: int) -> list[ResolvedRow]:
        """The first ``limit`` of those that this run was the first not to make."""
        return list(islice((each for each in self.resolved() if each.since_run == self._run), limit))

    def exceptions(self, limit: int | None = None) -> Iterator[ExceptionRow]:
        """Findings in the order of the report, up to and with the number ``limit``."""
        return map(ExceptionRow._make, self._rows(_listed_exceptions(limit)))

    def hands(self, limit: int) -> Mapping[tuple[str, str], list[HandDrawn]]:
        """The hands of the rounds of the first ``limit`` exceptions, by venue and round."""
        self._show(limit)
        drawn: dict[tuple[str, str], list[HandDrawn]] = defaultdict(list)
        for venue, round_id, box, hand, cards, *rest in self._rows(_HANDS, limit):
            drawn[venue, round_id].append(HandDrawn(box, hand, tuple(cards.split()), *rest))
        return drawn

    def events(self, limit: int) -> Mapping[tuple[str, str, int], dict[str, object]]:
        """The event that each of the first ``limit`` exceptions points at, by venue, round and seq."""
        self._show(limit)
        names = COLUMNS["events"]
        columns = ", ".join(f'ev."{name}"' for name in names)
        found = {}
        for venue, *row in self._rows(_EVENTS.format(columns=columns), limit):
            event = dict(zip(names, row, strict=True))
            found[venue, str(event["round_id"]), int(str(event["seq"]))] = event
        return found

    def _show(self, limit: int) -> None:
        """Have the events of the rounds of the first ``limit`` exceptions in ``shown_events``.

        Partition by partition: of few rounds DuckDB then reads few pages.
        """
        if self._shown >= limit:
            return
        self._shown = limit
        self._connection.execute(
            f"CREATE OR REPLACE TABLE shown_events AS SELECT {_SHOWN} FROM events WHERE false"
        )
        wanted = self._rows(
            "SELECT venue, gaming_date, list(DISTINCT round_id) FROM exceptions WHERE number <= ? "
            "GROUP BY ALL ORDER BY ALL",
            limit,
        )
        elsewhere = []
        for venue, gaming_date, round_ids in list(wanted):
            if Partition(venue, gaming_date) in self._aside:
                elsewhere.append(Partition(venue, gaming_date))
                continue
            files = self._files["events"].get(Partition(venue, gaming_date))
            if files:
                self._connection.execute(
                    f"INSERT INTO shown_events SELECT {_SHOWN} FROM {_parquet(files)} "
                    "SEMI JOIN (SELECT unnest(?) AS round_id) USING (round_id)",
                    [round_ids],
                )
        _with_kept(
            self._connection,
            {each: self._aside[each] for each in elsewhere},
            "events",
            f"INSERT INTO shown_events SELECT {_SHOWN} FROM kept SEMI JOIN "
            f"(SELECT venue, gaming_date, round_id FROM exceptions WHERE number <= {limit:d}) "
            "USING (venue, gaming_date, round_id)",
        )

    def quarantined(self, limit: int | None = None) -> Iterator[QuarantinedLine]:
        """Quarantined lines by file and line."""
        return map(QuarantinedLine._make, self._rows(_quarantine_lines(limit)))

    def keep(self, folder: Path, exceptions: int, quarantined: int) -> KeptRows:
        """Write what is listed row by row into files of a folder, of some no more than so many rows."""
        self._resolve()
        for name, query in (
            (EXCEPTIONS, _listed_exceptions(exceptions)),
            (QUARANTINED, _quarantine_lines(quarantined)),
            (RESOLVED, _RESOLVED),
        ):
            keep(folder / name, self._connection.cursor().sql(query).to_arrow_reader(_BATCH))
        return KeptRows(folder)

    def _day(self, partition: Partition) -> Day:
        venue = self._register.venues.get(partition.venue or "")
        first = (venue.day_start if venue else DEFAULT_DAY_START).hour
        return Day(
            partition=partition,
            zone=venue.zone.key if venue else "the offset in the log",
            hours={hour % 24: Tally() for hour in range(first, first + 24)},
        )

    def _hour(self, day: Day, quarter: int, offset: str | None) -> Tally:
        """The tally of the hour in which a quarter of an hour lies on the clock of the venue."""
        zone = zone_of(self._register, day.partition.venue or "", offset)
        return day.hours[local_time(quarter * _QUARTER_HOUR, zone).hour]

    def _count_rounds(self, days: dict[Partition, Day]) -> None:
        known = ", ".join(map(literal, self._register.venues)) or "NULL"
        elsewhere = _selected("rounds", self._elsewhere("rounds"))
        self._connection.execute(_ACTIVITY.format(known=known, rounds=f"({elsewhere})"))
        for each in self._aside:
            self._take_rounds(days[each], self._counts(each))
        for venue, gaming_date, kind, name, quarter, offset, currency, rounds in self._rows(_ROUNDS_BY_PLACE):
            day = days[Partition(venue, gaming_date)]
            match kind:
                case "currency":
                    day.currencies.setdefault(currency, Staked()).rounds = rounds
                    day.total.rounds += rounds
                case "table":
                    day.tables[name] = Tally(rounds=rounds)
                case "dealer":
                    day.dealers[name] = Tally(rounds=rounds)
                case "quarter" if quarter is not None:
                    self._hour(day, quarter, offset).rounds += rounds

    def _take_rounds(self, day: Day, counted: Counted) -> None:
        """Have the rounds of a day by currency, table, dealer and hour from what was counted of it."""
        corrected = counted.corrected()
        for currency, rounds in counted.rounds_by_currency().items():
            day.currencies[currency] = Staked(rounds=rounds, corrected=corrected[currency])
            day.total.rounds += rounds
        for tallies, by in (
            (day.tables, counted.rounds_by_table()),
            (day.dealers, counted.rounds_by_dealer()),
        ):
            for name in sorted(by, key=lambda each: (each is None, each or "")):
                tallies[name] = Tally(rounds=by[name])
        for quarter, offset, rounds in counted.rounds_by_quarter():
            self._hour(day, quarter, offset).rounds += rounds

    def _elsewhere(self, table: str, known: Collection[Partition] | None = None) -> list[Sequence[Path]]:
        """The files of a table of the partitions of which nothing is known from what was kept aside."""
        known = self._aside if known is None else known
        return [files for each, files in self._files[table].items() if each not in known]

    def _count_stakes(self, days: dict[Partition, Day]) -> None:
        totalled = {each: aside.totals for each, aside in self._aside.items() if aside.totals is not None}
        for each, totals in totalled.items():
            for currency, total in totals.items():
                if total.wagers:
                    entry = days[each].currencies[currency]
                    entry.wagers, entry.staked = total.wagers, Decimal(total.stakes).scaleb(-3)
        wagers = _WAGERS.format(_selected("events", self._elsewhere("events", totalled)))
        for venue, gaming_date, currency, number, staked in self._of_currency(days, wagers, "sum(amount)"):
            entry = days[Partition(venue, gaming_date)].currencies[currency]
            entry.wagers, entry.staked = number, staked
        corrections = _CORRECTIONS.format(_selected("settlements", self._elsewhere("settlements")))
        for venue, gaming_date, currency, corrected in self._of_currency(days, corrections):
            days[Partition(venue, gaming_date)].currencies[currency].corrected = corrected

    def _of_currency(
        self, days: Mapping[Partition, Day], relation: str, *sums: str
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a relation by day and currency: their number, and sums.

        Where all rounds of a day are in one currency, no row needs its round to be looked up.
        """
        counted = ", ".join(("count(*)", *sums))
        for venue, gaming_date, *found in self._rows(
            f"SELECT venue, gaming_date, {counted} FROM {relation} GROUP BY ALL ORDER BY ALL"
        ):
            currencies = days[Partition(venue, gaming_date)].currencies
            if len(currencies) == 1:
                yield venue, gaming_date, next(iter(currencies)), *found
        mixed = [day.partition for day in days.values() if len(day.currencies) > 1]
        if mixed:
            places = ", ".join("(?, ?)" for _ in mixed)
            yield from self._rows(
                f"SELECT venue, gaming_date, currency, {counted} "
                f"FROM {relation} JOIN rounds USING (venue, gaming_date, round_id) "
                f"WHERE (venue, gaming_date) IN ({places}) GROUP BY ALL ORDER BY ALL",
                *(value for each in mixed for value in (each.venue, each.gaming_date)),
            )

    def _count_findings(self, days: dict[Partition, Day]) -> None:
        for venue, gaming_date, table, dealer, quarter, offset, *counted in self._rows(_FINDINGS_BY_PLACE):
            day = days[Partition(venue, gaming_date)]
            tallies = [day.total, day.tables[table], day.dealers[dealer]]
            if quarter is not None:
                tallies.append(self._hour(day, quarter, offset))
            currency, severity, findings, over, under = counted
            for tally in tallies:
                tally.add_findings(severity, findings, currency, over, under)

    def _checks(self) -> tuple[CheckCount, ...]:
        tallies: dict[str, Tally] = defaultdict(Tally)
        for code, currency, severity, findings, over, under in self._rows(_FINDINGS_BY_CHECK):
            tallies[code].add_findings(severity, findings, currency, over, under)
        concerned = {code: (rounds, clauses) for code, rounds, clauses in self._rows(_CHECKS)}
        return tuple(
            CheckCount(code=code, rounds=concerned[code][0], tally=tally, clauses=tuple(concerned[code][1]))
            for code, tally in sorted(tallies.items(), key=lambda item: (item[1].gravity, item[0]))
        )


@contextmanager
def open_lake(
    root: Path,
    scope: ReportScope,
    register: Register,
    scratch: Path,
    run: int | None,
    dispositions: Iterable[Disposition],
    aside: Mapping[Partition, Aside] | None = None,
) -> Iterator[ScopedLake]:
    """The partitions of ``scope`` as a run left them; what does not fit in memory is spilled to ``scratch``.

    ``run`` is the line of the run in its ledger, ``dispositions`` those in force; ``aside`` has what was
    kept aside of partitions while they were replayed.
    """
    aside = aside or {}
    scratch.mkdir(exist_ok=True)
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '384MB'")
        connection.execute("SET threads = 2")
        connection.execute("SET temp_directory = ?", [str(scratch)])
        connection.execute("SET preserve_insertion_order = false")
        files: dict[str, dict[Partition, list[Path]]] = {table: {} for table in STORED}
        for each in scope.partitions:
            folder = each.folder
            for table in STORED:
                files[table][each] = _parquet_files(f"{root}/{table}/{folder}")
        for table in STORED:
            kind = "TABLE" if table == "findings" else "VIEW"
            connection.execute(f"CREATE {kind} {table} AS {_selected(table, files[table].values())}")
        connection.execute(_CONCERNED)
        found = connection.execute("SELECT DISTINCT venue, gaming_date FROM concerned").fetchall()
        places = {Partition(venue, gaming_date) for venue, gaming_date in found}
        for table, columns in _BEHIND.items():
            some = [each for each in scope.partitions if each in places]
            kept = {each: aside[each] for each in some if each in aside}
            selected = _selected(table, (files[table][each] for each in some if each not in kept))
            connection.execute(f"CREATE TABLE {table}_concerned AS {_concerned(columns, f'({selected})')}")
            _with_kept(
                connection, kept, table, f"INSERT INTO {table}_concerned {_concerned(columns, 'kept')}"
            )
        _tell_dispositions(connection, dispositions)
        connection.execute(_EXCEPTIONS, [run])
        yield ScopedLake(connection, scope, register, files, run, scratch, aside)


def _parquet_files(folder: str) -> list[Path]:
    """The Parquet files of a folder, sorted; none where there is no folder."""
    try:
        with os.scandir(folder) as entries:
            paths = [each.path for each in entries if each.name.endswith(".parquet")]
    except FileNotFoundError:
        return []
    return [*map(Path, sorted(paths))]


def _concerned(columns: str, rows: str) -> str:
    """Those rows of a relation that are about rounds with findings."""
    return (
        f"SELECT venue, gaming_date, round_id, {columns} FROM {rows} "
        "SEMI JOIN concerned USING (venue, gaming_date, round_id)"
    )


def _with_kept(
    connection: duckdb.DuckDBPyConnection, aside: Mapping[Partition, Aside], table: str, query: str
) -> None:
    """Execute a query that reads the rows of a table that were kept aside as ``kept``."""
    if not aside:
        return
    schema = pa.schema([("venue", pa.string()), ("gaming_date", pa.date32()), *KEPT[table]])
    batches = _kept(aside, table, schema)
    connection.register("kept", pa.RecordBatchReader.from_batches(schema, batches))
    connection.execute(query)
    connection.unregister("kept")


def _kept(aside: Mapping[Partition, Aside], table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a table that were kept aside, as tables of the lake have them.

    Those of many partitions at a time, most of which have a few.
    """
    waiting: list[tuple[Partition, pa.RecordBatch]] = []
    size = 0
    for partition, each in aside.items():
        for rows in rows_behind(each.folder, table):
            waiting.append((partition, rows))
            size += len(rows)
        if size >= _BATCH:
            yield from _placed(waiting, schema)
            waiting, size = [], 0
    if waiting:
        yield from _placed(waiting, schema)


def _placed(parts: Sequence[tuple[Partition, pa.RecordBatch]], schema: pa.Schema) -> list[pa.RecordBatch]:
    """Rows of partitions with venue and gaming date before them."""
    rows = pa.Table.from_batches([rows for _, rows in parts]).combine_chunks()
    whose = pa.array(np.repeat(np.arange(len(parts)), [len(rows) for _, rows in parts]))
    venues = pa.array([each.venue for each, _ in parts], pa.string()).take(whose)
    days = pa.array([each.gaming_date for each, _ in parts], pa.date32()).take(whose)
    placed: list[pa.RecordBatch] = pa.Table.from_arrays(
        [venues, days, *rows.columns], schema=schema
    ).to_batches()
    return placed


_DISPOSED_COLUMNS = pa.schema(
    [
        ("fingerprint", pa.string()),
        ("status", pa.string()),
        ("by", pa.string()),
        ("at", pa.string()),
        ("note", pa.string()),
        ("severity", pa.string()),
        ("delta", MONEY),
        ("seq", pa.int32()),
    ]
)


def _tell_dispositions(connection: duckdb.DuckDBPyConnection, dispositions: Iterable[Disposition]) -> None:
    """Have the dispositions in force in the table ``disposed``."""
    rows = [
        {
            "fingerprint": each.fingerprint,
            "status": each.status,
            "by": each.by,
            "at": each.at.isoformat(),
            "note": each.note,
            "severity": each.severity,
            "delta": each.delta,
            "seq": each.seq,
        }
        for each in dispositions
    ]
    connection.register("given", pa.Table.from_pylist(rows, schema=_DISPOSED_COLUMNS))
    connection.execute("CREATE TABLE disposed AS SELECT * FROM given")
    connection.unregister("given")


def _selected(table: str, files: Iterable[Sequence[Path]]) -> str:
    listed = [path for some in files for path in some]
    return f"SELECT * FROM {_parquet(listed)}" if listed else nothing(table)


def _parquet(files: Sequence[Path]) -> str:
    listed = ", ".join(literal(glob_text(path)) for path in files)
    return (
        f"read_parquet([{listed}], hive_partitioning = true, "
        "hive_types = {'venue': VARCHAR, 'gaming_date': DATE})"
    )


_SEVERITY_ORDER = ", ".join(f"'{name}'" for name in SEVERITIES)
_QUARTER = f"epoch_us(started_at) // {_QUARTER_HOUR}"
_OFFSET = r"nullif(regexp_extract(started_at_text, '([Zz]|[+-]\d\d:\d\d)$'), '')"
_MOVED = "coalesce(sum(delta) FILTER (delta > 0), 0), coalesce(-sum(delta) FILTER (delta < 0), 0)"

_SHOWN = ", ".join(("venue", "gaming_date", *map(identifier, COLUMNS["events"])))

_CONCERNED = "CREATE TABLE concerned AS SELECT DISTINCT venue, gaming_date, round_id FROM findings"

_BEHIND = {
    table: ", ".join(map(identifier, COLUMNS[table][1:])) for table in ("rounds", "settlements", "hands")
}
"""What is read of the rounds that findings are about."""

_EXCEPTIONS = f"""
CREATE TABLE exceptions AS
SELECT
    row_number() OVER (
        ORDER BY list_position([{_SEVERITY_ORDER}], f.severity), abs(f.delta) DESC NULLS LAST,
            f.venue, f.gaming_date, r.started_at, f.round_id, f.ordinal
    ) AS number,
    f.severity, f.code, f.rulebook, f.clause, f.depends_on, f.basis, f.venue, f.gaming_date,
    r."table", r.dealer, r.supervisor, r.shoe, r.round_no, f.round_id,
    epoch_us(r.started_at) AS started_us, {_QUARTER} AS quarter, {_OFFSET} AS recorded_offset,
    f.seq, f.box, f.hand, f.wager, f.player, s.kind, s.stake, s.effective_stake, s.odds,
    f.expected, f.recorded, f.delta, r.currency, s.reason AS arithmetic, s.corrected,
    h.cards AS hand_cards, d.cards AS dealer_cards, r.source_file, r.source_line, r.source_sha256,
    f.fingerprint, c.since_run,
    CASE WHEN c.run = $1 AND c.change <> 'changed' THEN c.change
        WHEN c.run IS NOT NULL AND $1::BIGINT IS NOT NULL THEN 'continuing' END AS state,
    coalesce(c.run = $1 AND c.change = 'changed', false) AS altered,
    m.status AS disposition, m."by" AS disposed_by, m."at" AS disposed_at, m.note,
    m.status IS NOT NULL AND (m.severity IS DISTINCT FROM f.severity
        OR m.delta IS DISTINCT FROM f.delta OR m.seq IS DISTINCT FROM f.seq) AS changed_since
FROM findings f
LEFT JOIN (
    SELECT venue, gaming_date, fingerprint, max(run) AS run, arg_max(change, run) AS change,
        max(run) FILTER (change <> 'changed') AS since_run
    FROM changes GROUP BY ALL
) c USING (venue, gaming_date, fingerprint)
LEFT JOIN disposed m ON m.fingerprint = f.fingerprint
LEFT JOIN rounds_concerned r USING (venue, gaming_date, round_id)
LEFT JOIN settlements_concerned s ON {settlement_of("f")}
LEFT JOIN hands_concerned h
    ON h.venue = f.venue AND h.gaming_date = f.gaming_date AND h.round_id = f.round_id
    AND h.box = f.box AND h.hand = coalesce(f.hand, s.hand, 1)
LEFT JOIN hands_concerned d
    ON d.venue = f.venue AND d.gaming_date = f.gaming_date AND d.round_id = f.round_id
    AND d.box = 0 AND d.hand = 1
"""

_ACTIVITY = f"""
CREATE TABLE activity AS
SELECT venue, gaming_date, "table", dealer, {_QUARTER} AS quarter,
    CASE WHEN venue IN ({{known}}) THEN NULL ELSE {_OFFSET.replace("{", "{{").replace("}", "}}")} END
        AS recorded_offset,
    currency, count(*) AS rounds
FROM {{rounds}} GROUP BY ALL
"""

_ROUNDS_BY_PLACE = """
SELECT venue, gaming_date,
    CASE 0 WHEN grouping(currency) THEN 'currency' WHEN grouping("table") THEN 'table'
        WHEN grouping(dealer) THEN 'dealer' ELSE 'quarter' END AS kind,
    coalesce("table", dealer) AS name, quarter, recorded_offset, currency, sum(rounds)::BIGINT
FROM activity
GROUP BY GROUPING SETS ((venue, gaming_date, currency), (venue, gaming_date, "table"),
    (venue, gaming_date, dealer), (venue, gaming_date, quarter, recorded_offset))
ORDER BY ALL
"""
"""Rounds by day and by one thing more: the currency, the table, the dealer or the quarter of an hour."""

_FINDINGS_BY_PLACE = f"""
SELECT venue, gaming_date, "table", dealer, quarter, recorded_offset, coalesce(currency, ''), severity,
    count(*), {_MOVED}
FROM exceptions GROUP BY ALL ORDER BY ALL
"""

_FINDINGS_BY_CHECK = f"""
SELECT code, coalesce(currency, ''), severity, count(*), {_MOVED}
FROM exceptions GROUP BY ALL ORDER BY ALL
"""

_ON_READINGS = f"""
SELECT rulebook, depends_on, venue, gaming_date, coalesce(currency, '') AS currency, count(*), {_MOVED}
FROM exceptions WHERE depends_on IS NOT NULL GROUP BY ALL ORDER BY ALL
"""

_CHECKS = """
SELECT code, count(DISTINCT (venue, round_id)), list_sort(list(DISTINCT clause) FILTER (clause <> ''))
FROM exceptions GROUP BY code
"""

_STATES = "SELECT state, count(*), count_if(altered) FROM exceptions GROUP BY state"
_DISPOSED = """
SELECT CASE WHEN changed_since THEN 'changed_since' ELSE disposition END AS made, count(*)
FROM exceptions WHERE disposition IS NOT NULL GROUP BY made
"""
_RESOLVED_COUNT = "SELECT count(*) FROM changes WHERE run = ? AND change = 'resolved'"
_GONE = """
CREATE TABLE gone AS SELECT *, run AS since_run FROM changes
QUALIFY row_number() OVER (PARTITION BY venue, gaming_date, fingerprint ORDER BY run DESC) = 1
    AND change = 'resolved'
"""
_DEALT = f"""
CREATE TABLE resolved AS
SELECT {", ".join(map(identifier, ResolvedRow._fields))}
FROM gone LEFT JOIN (
    SELECT venue, gaming_date, round_id, currency FROM {{}}
    SEMI JOIN gone USING (venue, gaming_date, round_id)
) USING (venue, gaming_date, round_id)
"""
_RESOLVED = f"""
SELECT {", ".join(map(identifier, ResolvedRow._fields))} FROM resolved
ORDER BY venue, gaming_date, round_id, code, box NULLS FIRST, hand NULLS FIRST, wager NULLS FIRST, fingerprint
"""

_WAGERS = "(SELECT venue, gaming_date, round_id, amount FROM ({}) WHERE e = 'wager')"
_CORRECTIONS = "(SELECT venue, gaming_date, round_id FROM ({}) WHERE corrected)"

_WITHOUT_RULEBOOK = """
SELECT venue, gaming_date, count(DISTINCT round_id)
FROM findings WHERE code = 'rulebook.none-in-force' GROUP BY ALL
"""

_QUARANTINED = "SELECT venue, gaming_date, count(*) FROM quarantine GROUP BY ALL"

_GAPS = """
SELECT code, rulebook, coalesce(reason, '') AS missing_fact,
    (sum(sum(evaluated)) OVER (PARTITION BY code, rulebook))::BIGINT,
    sum(not_evaluable)::BIGINT AS missing
FROM covered GROUP BY code, rulebook, missing_fact
QUALIFY missing > 0
ORDER BY missing DESC, code, rulebook, missing_fact
"""

_RULEBOOKS = """
SELECT rulebook FROM covered WHERE rulebook IS NOT NULL
UNION SELECT rulebook FROM findings WHERE rulebook IS NOT NULL
ORDER BY rulebook
"""

_HANDS = """
WITH chosen AS (SELECT DISTINCT venue, gaming_date, round_id FROM exceptions WHERE number <= ?),
moves AS (
    SELECT venue, round_id, box, coalesce(hand, 1) AS hand, e, seq,
        min(seq) FILTER (e = 'double')
            OVER (PARTITION BY venue, round_id, box, coalesce(hand, 1)) AS doubled_at
    FROM shown_events SEMI JOIN chosen USING (venue, gaming_date, round_id)
    WHERE e IN ('deal', 'double') OR (e = 'burn' AND "from" = 'hand')
),
late AS (
    SELECT venue, round_id, box, hand, sum(CASE e WHEN 'deal' THEN 1 WHEN 'burn' THEN -1 ELSE 0 END) AS cards
    FROM moves WHERE seq > doubled_at GROUP BY venue, round_id, box, hand
)
SELECT h.venue, h.round_id, h.box, h.hand, h.cards, h.total, h.soft, h.doubled, h.split_from, h.ended,
    greatest(coalesce(late.cards, 0), 0)::INTEGER
FROM hands_concerned h SEMI JOIN chosen USING (venue, gaming_date, round_id)
LEFT JOIN late ON late.venue = h.venue AND late.round_id = h.round_id
    AND late.box = h.box AND late.hand = h.hand
ORDER BY h.venue, h.round_id, h.box, h.hand
"""

_EVENTS = """
SELECT ev.venue, {columns}
FROM shown_events ev SEMI JOIN (SELECT venue, gaming_date, round_id, seq FROM exceptions WHERE number <= ?)
    USING (venue, gaming_date, round_id, seq)
"""


def _listed_exceptions(limit: int | None) -> str:
    columns = ", ".join(map(identifier, ExceptionRow._fields))
    where = "" if limit is None else f"WHERE number <= {limit:d}"
    return f"SELECT {columns} FROM exceptions {where} ORDER BY number"


def _quarantine_lines(limit: int | None) -> str:
    head = f"bytes[1:{_HEAD_BYTES}] AS head"
    columns = ", ".join(head if name == "head" else name for name in QuarantinedLine._fields)
    return (
        f"SELECT {columns} FROM quarantine ORDER BY source_file, source_sha256, source_line, field, reason"
        f"{'' if limit is None else f' LIMIT {limit:d}'}"
    )
