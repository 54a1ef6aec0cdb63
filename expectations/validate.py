"""The validation stage of a run: suites over the lake, a verdict each, and Data Docs.

Importing this module imports Great Expectations, which takes seconds; nothing but the
validation stage does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import duckdb

from expectations.census import Census, ControlTotals
from expectations.engine import (
    ExpectationSuiteIdentifier,
    RunIdentifier,
    SQLDatasource,
    ValidationResultIdentifier,
    Validator,
    open_context,
    open_datasource,
    raised_by,
)
from expectations.pages import write_pages
from expectations.report import ExpectationResult, SuiteResult, ValidationReport
from expectations.session import Scope, Session, build_session
from expectations.suites import PlannedSuite, catalogue_suite, control_total_suite, evidence_suites
from expectations.tables import checked_root
from rules_replay.severity import Severity

Evidence: TypeAlias = Mapping[str, tuple[int, int]]


def validate(
    lake_root: Path,
    scope: Scope,
    totals: Mapping[str, ControlTotals] | None,
    docs_dir: Path,
    fail_on: Severity = "breach",
    *,
    run_id: str,
    at: datetime,
    censuses: Iterable[Census] = (),
) -> ValidationReport:
    """Run every suite over the partitions in scope and write Data Docs to ``docs_dir``.

    ``totals`` are by currency what ingest counted for exactly these partitions; with
    None the control totals are left out of the report. ``run_id`` and ``at`` (with its
    offset) stand on the pages, so that the same run gives the same pages. ``censuses``
    are the counts of partitions that were counted before; the others are counted here,
    which takes time by their rounds. An expectation that could not be evaluated is an
    error, never a failure or a pass. A partition in scope that lacks a file of a table
    makes errors of what needs it; only quarantine may have none. Raises ``ValueError``
    for an empty scope.
    """
    root = checked_root(lake_root)
    planned = [*evidence_suites(), catalogue_suite()]
    if totals is not None:
        planned.append(control_total_suite())
    docs_dir.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".validation-", dir=docs_dir.parent) as folder:
        scratch = Path(folder)
        session = build_session(root, scope, totals, scratch, censuses)
        evidence = _evidence(session.path)
        datasource = open_datasource(open_context(), session.path)
        try:
            identifier = RunIdentifier(run_name=run_id, run_time=at)
            clean = partial(_clean, session=session, places=(str(scratch), str(root)))
            results: dict[ValidationResultIdentifier, Any] = {}
            suites = tuple(_run(datasource, each, identifier, evidence, clean, results) for each in planned)
            report = ValidationReport(run_id=run_id, fail_on=fail_on, suites=suites)
            write_pages(report, planned, results, docs_dir, scratch)
        finally:
            datasource.get_execution_engine().close()
    return report


def _evidence(scratch_file: Path) -> Evidence:
    """Rounds evaluated and not evaluable by check; empty if coverage cannot be read."""
    with duckdb.connect(str(scratch_file), read_only=True) as connection:
        try:
            rows = connection.execute("SELECT code, evaluated, not_evaluable FROM coverage_totals").fetchall()
        except duckdb.Error:
            return {}
    return {code: (evaluated, not_evaluable) for code, evaluated, not_evaluable in rows}


def _run(
    datasource: SQLDatasource,
    planned: PlannedSuite,
    identifier: RunIdentifier,
    evidence: Evidence,
    clean: Callable[[str], str],
    results: dict[ValidationResultIdentifier, Any],
) -> SuiteResult:
    """The verdict of a suite; its result is put with the others, for the pages."""
    asset = datasource.add_query_asset(name=planned.name, query=f"SELECT * FROM {planned.relation}")
    try:
        # A validation definition would put suite and result into stores, and out of them again.
        validator = Validator(batch_definition=asset.add_batch_definition_whole_table(planned.name))
        result = _told(validator.validate_expectation_suite(planned.suite), identifier, clean)
    except Exception as error:
        # Whatever broke, what is known of these expectations is that they have no verdict.
        reason = clean(f"the suite could not be run: {type(error).__name__}: {error}")
        return SuiteResult(
            name=planned.name,
            expectations=tuple(_unevaluated(meta, reason) for meta in _metas(planned)),
        )
    suite = ExpectationSuiteIdentifier(name=planned.name)
    results[ValidationResultIdentifier(suite, identifier, validator.active_batch_id)] = result
    by_code = {each.expectation_config.meta["code"]: each for each in result.results}
    return SuiteResult(
        name=planned.name,
        expectations=tuple(_verdict(meta, by_code.get(meta["code"]), evidence) for meta in _metas(planned)),
    )


def _metas(planned: PlannedSuite) -> list[dict[str, Any]]:
    return [each.meta or {} for each in planned.suite.expectations]


def _told(result: Any, identifier: RunIdentifier, clean: Callable[[str], str]) -> Any:
    """The result of a suite as its page tells it, without what differs between runs."""
    result.meta["run_id"] = identifier.to_json_dict()
    result.meta.pop("batch_markers", None)
    for each in result.results:
        for raised in raised_by(each):
            raised |= {"exception_message": clean(raised["exception_message"]), "exception_traceback": ""}
    return result


def _unevaluated(meta: Mapping[str, Any], error: str) -> ExpectationResult:
    return ExpectationResult(
        code=meta["code"],
        outcome="error",
        meaning=meta["meaning"],
        severity=meta.get("severity"),
        error=error,
    )


def _verdict(meta: Mapping[str, Any], result: Any, evidence: Evidence) -> ExpectationResult:
    """The verdict on one expectation.

    One that raised has ``success`` False like one that failed; only a count tells that
    it was evaluated.
    """
    if result is None:
        return _unevaluated(meta, "no result came back")
    if raised := raised_by(result):
        return _unevaluated(
            meta, min(each["exception_message"] for each in raised) or "raised without a message"
        )
    counts = result.result or {}
    observed = counts.get("unexpected_count", counts.get("observed_value"))
    if counts.get("element_count") == 0:
        observed = 0
    if observed is None or result.success != (observed == 0):
        return _unevaluated(meta, f"success is {result.success} with a count of {observed}")
    severity = meta.get("severity")
    evaluated, not_evaluable = evidence.get(meta["code"], (None, None)) if severity else (None, None)
    return ExpectationResult(
        code=meta["code"],
        outcome="passed" if result.success else "failed",
        meaning=meta["meaning"],
        severity=severity,
        observed=observed,
        evaluated=evaluated,
        not_evaluable=not_evaluable,
    )


_DRIVER = re.compile(r"^\(_?duckdb\.\w+\) ")
_SQL_AND_ADVICE = re.compile(r"\n+(LINE \d+:|\[SQL:|Candidate bindings).*", re.DOTALL)


def _clean(message: str, session: Session, places: tuple[str, ...]) -> str:
    """A message for people: the reason alone, naming no place on this machine."""
    message = _DRIVER.sub("", _SQL_AND_ADVICE.sub("", session.explain(message)))
    for place in places:
        message = message.replace(place, "lake")
    return message
