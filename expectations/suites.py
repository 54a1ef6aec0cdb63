"""The suites: one expectation per check of the catalogue, and those of the ingested tables.

Every expectation carries in its ``meta`` a ``code``, a ``meaning`` and, for a check, the
``severity`` at and above which a finding fails it. A suite is the verdict; the complete
list of exceptions is the ``findings`` table, since Great Expectations caps its rows.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import Any, get_args

from expectations.census import COUNTS, MEASURES, once
from expectations.engine import (
    Expectation,
    ExpectColumnValuesToBeInSet,
    ExpectColumnValuesToNotBeNull,
    FailureSeverity,
    NoneCounted,
    NoRows,
    gx,
)
from expectations.tables import TABLES, literal
from rules_replay.checks import Check, catalogue
from rules_replay.results import Basis
from rules_replay.severity import SEVERITIES, Severity, at_or_above

_GX_SEVERITY: Mapping[Severity, FailureSeverity] = {
    "breach": FailureSeverity.CRITICAL,
    "procedure": FailureSeverity.WARNING,
    "ambiguous": FailureSeverity.INFO,
    "indeterminate": FailureSeverity.INFO,
    "notice": FailureSeverity.INFO,
}

_ROUND = "venue, gaming_date, round_id"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedSuite:
    """A suite and the relation of the scratch file that it is run on. Running it does not alter it."""

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


@cache
def catalogue_suite() -> PlannedSuite:
    """The suite of the checks in force."""
    return check_suite(catalogue())


@cache
def evidence_suites() -> tuple[PlannedSuite, ...]:
    """One suite per table of the lake: schema, keys, completeness, referential integrity.

    What is expected of the rows of every table but the small ones was counted by the
    censuses, and each expectation judges its count.
    """
    small = {"findings": _findings, "coverage": _coverage, "quarantine": _quarantine}
    return tuple(
        PlannedSuite(
            relation=name if name in small else "counts",
            suite=_suite(name, [*_counted(name), *(small[name]() if name in small else ())]),
        )
        for name in TABLES
    )


@cache
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


def _counted(table: str) -> Iterator[Expectation]:
    """What was counted in every partition."""
    for count in COUNTS.get(table, ()):
        exact = "".join(f"-- {line}\n" for line in dedent(count.sql).strip("\n").splitlines())
        yield NoneCounted(
            unexpected_rows_query=f"-- in every partition:\n{exact}FROM broken({literal(count.code)})",
            **_about(count.code, count.meaning),
        )


def _common(table: str) -> Iterator[Expectation]:
    """What holds for every row of a small table: no null where none may be."""
    for field in TABLES[table].schema:
        if not field.nullable:
            yield ExpectColumnValuesToNotBeNull(
                column=field.name,
                **_about(f"{table}.complete.{field.name}", f"{field.name} is never missing"),
            )


def _one_of(table: str, column: str, values: Iterable[str]) -> Expectation:
    return ExpectColumnValuesToBeInSet(
        column=column,
        value_set=list(values),
        **_about(f"{table}.{column.replace('_', '-')}", f"{column} is a word of the format"),
    )


def _findings() -> Iterator[Expectation]:
    yield from _common("findings")
    yield _no_rows(
        "findings.key",
        "venue, round_id, ordinal occurs once",
        once("findings", "venue", "round_id", "ordinal"),
    )
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
    yield from _common("coverage")
    yield _one_of("coverage", "code", catalogue())
    yield _no_rows(
        "coverage.partitions",
        "every partition with rounds has been checked",
        """
        SELECT venue, gaming_date FROM census
        ANTI JOIN coverage USING (venue, gaming_date) WHERE rounds > 0""",
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
        "quarantine.schema",
        "every file has the columns of the table, in order and of the right type",
        "SELECT * FROM quarantine_columns",
    )
    yield from _common("quarantine")
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
