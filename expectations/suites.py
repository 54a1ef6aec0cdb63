"""The suites: one expectation per check of the catalogue, and those of the ingested tables.

Every expectation carries in its ``meta`` a ``code``, a ``meaning`` and, for a check, the
``severity`` at and above which a finding fails it. A suite is the verdict; the complete
list of exceptions is the ``findings`` table, since Great Expectations caps its rows.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from expectations.engine import (
    Expectation,
    ExpectColumnValuesToBeInSet,
    ExpectColumnValuesToNotBeNull,
    FailureSeverity,
    NoRows,
    gx,
)
from expectations.session import MEASURES
from expectations.tables import TABLES, literal
from rules_replay.checks import Check, catalogue
from rules_replay.log import EVENT_KINDS, Line, Result, Shuffler, WagerKind
from rules_replay.results import SEVERITIES, Basis, Severity, at_or_above

_GX_SEVERITY: Mapping[Severity, FailureSeverity] = {
    "breach": FailureSeverity.CRITICAL,
    "procedure": FailureSeverity.WARNING,
    "ambiguous": FailureSeverity.INFO,
    "indeterminate": FailureSeverity.INFO,
    "notice": FailureSeverity.INFO,
}

_ROUND = "venue, gaming_date, round_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSuite:
    """A suite and the relation of the scratch file that it is run on."""

    relation: str
    suite: gx.ExpectationSuite

    @property
    def name(self) -> str:
        return str(self.suite.name)


def check_suite(checks: Mapping[str, Check]) -> PlannedSuite:
    """One expectation per check: no finding of its code at or above its severity.

    A finding below it (an ambiguous one of a breach, which is right on another reading)
    does not fail the check.
    """
    return PlannedSuite(
        relation="finding_keys",
        suite=_suite("checks", (_check(each) for each in checks.values())),
    )


def evidence_suites() -> tuple[PlannedSuite, ...]:
    """One suite per table of the lake: schema, keys, completeness, referential integrity."""
    specific = {
        "rounds": _rounds,
        "events": _events,
        "hands": _hands,
        "settlements": _settlements,
        "findings": _findings,
        "coverage": _coverage,
        "quarantine": _quarantine,
    }
    return tuple(
        PlannedSuite(relation=name, suite=_suite(name, [*_common(name), *specific[name]()]))
        for name in TABLES
    )


def control_total_suite() -> PlannedSuite:
    """The tables hold what ingest counted, per measure and in every currency."""
    return PlannedSuite(
        relation="control_totals",
        suite=_suite(
            "control_totals",
            (
                _no_rows(
                    f"control_totals.{measure}",
                    f"{measure} in the tables are what ingest counted, in every currency",
                    f"SELECT * FROM control_totals WHERE measure = {literal(measure)} "
                    "AND expected IS DISTINCT FROM found",
                )
                for measure in MEASURES
            ),
        ),
    )


def _suite(name: str, expectations: Iterable[Expectation]) -> gx.ExpectationSuite:
    return gx.ExpectationSuite(name=name, expectations=list(expectations))


def _about(code: str, meaning: str, *, shown: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "description": html.escape(f"{code}: {shown or meaning}", quote=False),
        "meta": {"code": code, "meaning": meaning, **more},
    }


def _no_rows(code: str, meaning: str, query: str) -> NoRows:
    return NoRows(unexpected_rows_query=query, **_about(code, meaning))


def _check(check: Check) -> NoRows:
    graver = [each for each in SEVERITIES if at_or_above(each, check.severity)]
    query = (
        f"SELECT * FROM finding_keys WHERE code = {literal(check.code)} AND severity IN ({_listed(graver)})"
    )
    return NoRows(
        unexpected_rows_query=query,
        severity=_GX_SEVERITY[check.severity],
        **_about(
            check.code,
            check.meaning,
            shown=f"none of: {check.meaning} ({check.severity})",
            severity=check.severity,
        ),
    )


def _listed(values: Iterable[str]) -> str:
    return ", ".join(map(literal, values))


def _common(table: str) -> Iterator[Expectation]:
    """What holds for every table: its columns, and no null where none may be."""
    yield _no_rows(
        f"{table}.schema",
        "every file has the columns of the table, in order and of the right type",
        f"SELECT * FROM {table}_columns",
    )
    if table == "events":
        return
    for field in TABLES[table].schema:
        if not field.nullable:
            yield ExpectColumnValuesToNotBeNull(
                column=field.name,
                **_about(f"{table}.complete.{field.name}", f"{field.name} is never missing"),
            )


def _once(code: str, meaning: str, table: str, *key: str) -> NoRows:
    # Hashes first: grouping the keys themselves takes several times the memory.
    listed = ", ".join(key)
    return _no_rows(
        code,
        meaning,
        f"""
        WITH suspects AS (SELECT hash({listed}) AS h FROM {table} GROUP BY h HAVING count(*) > 1)
        SELECT {listed} FROM {table} WHERE hash({listed}) IN (SELECT h FROM suspects)
        GROUP BY {listed} HAVING count(*) > 1""",
    )


def _key(table: str, *key: str) -> NoRows:
    return _once(f"{table}.key", f"{', '.join(key)} occurs once", table, *key)


def _belongs(table: str, relation: str | None = None) -> NoRows:
    return _no_rows(
        f"{table}.round",
        "every row belongs to a round in the lake",
        f"SELECT {_ROUND} FROM {relation or table} ANTI JOIN rounds USING ({_ROUND})",
    )


def _one_of(table: str, column: str, values: Iterable[str]) -> Expectation:
    return ExpectColumnValuesToBeInSet(
        column=column,
        value_set=list(values),
        **_about(f"{table}.{column.replace('_', '-')}", f"{column} is a word of the format"),
    )


def _rounds() -> Iterator[Expectation]:
    yield _key("rounds", "venue", "round_id")
    yield _once(
        "rounds.source",
        "no line of a source file gives two rounds",
        "rounds",
        "source_sha256",
        "source_line",
    )
    yield _one_of("rounds", "shuffler", get_args(Shuffler))
    yield _no_rows(
        "rounds.currency",
        "currency is an ISO 4217 code",
        "SELECT round_id FROM rounds WHERE NOT regexp_full_match(currency, '[A-Z][A-Z][A-Z]')",
    )
    yield _no_rows(
        "rounds.events",
        "every round has as many events in the lake as it had when it was read",
        f"""
        SELECT {_ROUND} FROM rounds LEFT JOIN event_totals t USING ({_ROUND})
        WHERE rounds.event_count <> coalesce(t.events, 0)""",
    )


def _events() -> Iterator[Expectation]:
    yield _no_rows(
        "events.key",
        "venue, round_id, seq occurs once",
        f"SELECT {_ROUND} FROM event_totals WHERE events <> seqs",
    )
    yield _no_rows(
        "events.order",
        "seq counts the events of a round from 0 without a gap",
        f"SELECT {_ROUND} FROM event_totals WHERE lowest <> 0 OR highest <> seqs - 1",
    )
    yield _belongs("events", "event_totals")
    yield _no_rows(
        "events.e",
        "every event is of a known kind",
        f"SELECT {_ROUND}, seq FROM events WHERE e NOT IN ({_listed(EVENT_KINDS)})",
    )
    yield _no_rows(
        "events.complete",
        "every event has its round, its place, its kind and what its kind needs",
        f"""
        SELECT {_ROUND}, seq FROM events
        WHERE round_id IS NULL OR seq IS NULL OR e IS NULL
           OR e = 'wager' AND (wager IS NULL OR player IS NULL OR kind IS NULL OR amount IS NULL)
           OR e = 'deal' AND (box IS NULL OR card IS NULL)
           OR e = 'settle' AND (wager IS NULL OR result IS NULL AND reverses IS NULL)""",
    )


def _hands() -> Iterator[Expectation]:
    yield _key("hands", "venue", "round_id", "box", "hand")
    yield _belongs("hands")
    yield _no_rows(
        "hands.card-count",
        "card_count is the number of cards listed",
        f"""
        SELECT {_ROUND}, box, hand FROM hands
        WHERE card_count <> CASE cards WHEN '' THEN 0
                            ELSE len(cards) - len(replace(cards, ' ', '')) + 1 END""",
    )


def _settlements() -> Iterator[Expectation]:
    yield _key("settlements", "venue", "round_id", "wager", "line")
    yield _belongs("settlements")
    yield _one_of("settlements", "line", get_args(Line))
    yield _one_of("settlements", "kind", get_args(WagerKind))
    yield _one_of("settlements", "status", ("fixed", "indeterminate"))
    yield _one_of("settlements", "expected_result", get_args(Result))
    yield _one_of("settlements", "recorded_result", get_args(Result))
    yield _one_of("settlements", "basis", get_args(Basis))
    yield _no_rows(
        "settlements.delta",
        "delta is the recorded net to the player less the required net",
        f"""
        SELECT {_ROUND}, wager, line FROM settlements
        WHERE delta IS DISTINCT FROM
              coalesce(recorded_paid, 0) - coalesce(recorded_taken, 0) - (expected_paid - expected_taken)""",
    )


def _findings() -> Iterator[Expectation]:
    yield _key("findings", "venue", "round_id", "ordinal")
    yield _belongs("findings")
    yield _one_of("findings", "code", catalogue())
    yield _one_of("findings", "severity", SEVERITIES)
    yield _one_of("findings", "basis", get_args(Basis))
    graver = " OR ".join(
        f"code = {literal(check.code)} AND severity IN ({_listed(above)})"
        for check in catalogue().values()
        if (above := SEVERITIES[: SEVERITIES.index(check.severity)])
    )
    yield _no_rows(
        "findings.within-catalogue",
        "no finding is graver than the catalogue has its check",
        f"SELECT {_ROUND}, ordinal FROM findings WHERE {graver}",
    )
    yield _no_rows(
        "findings.reading",
        "an ambiguous finding names the reading that would remove it",
        f"SELECT {_ROUND}, ordinal FROM findings WHERE severity = 'ambiguous' AND depends_on IS NULL",
    )


def _coverage() -> Iterator[Expectation]:
    yield _one_of("coverage", "code", catalogue())
    yield _no_rows(
        "coverage.partitions",
        "every partition with rounds has been checked",
        """
        SELECT DISTINCT venue, gaming_date FROM rounds
        ANTI JOIN coverage USING (venue, gaming_date)""",
    )
    yield _no_rows(
        "coverage.sum",
        "rounds evaluated are rounds passed and rounds failed",
        """
        SELECT * FROM coverage
        WHERE evaluated <> passed + failed OR least(passed, failed, not_evaluable) < 0""",
    )
    yield _no_rows(
        "coverage.failed",
        "rounds failed are the rounds with a finding of the check",
        """
        WITH found AS (
            SELECT venue, gaming_date, code, count(DISTINCT round_id) AS rounds FROM finding_keys GROUP BY ALL
        ), counted AS (
            SELECT venue, gaming_date, code, sum(failed) AS failed FROM coverage GROUP BY ALL
        )
        SELECT * FROM found FULL JOIN counted USING (venue, gaming_date, code)
        WHERE coalesce(rounds, 0) <> coalesce(failed, 0)""",
    )


def _quarantine() -> Iterator[Expectation]:
    yield _no_rows(
        "quarantine.reason",
        "every line says why it is there",
        "SELECT source_file, source_line FROM quarantine WHERE trim(reason) = ''",
    )
    yield _no_rows(
        "quarantine.bytes",
        "no more bytes are kept of a line than it had",
        "SELECT source_file, source_line FROM quarantine WHERE octet_length(bytes) > byte_count",
    )
