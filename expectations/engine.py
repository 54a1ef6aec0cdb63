"""Great Expectations on DuckDB: the engine, the expectation, and quiet.

The stock SQLAlchemy engine releases the connection before a DuckDB result is fetched
and the result is lost; `DuckDBExecutionEngine` keeps one open. One statement that fails
aborts the transaction, which would make errors of every later expectation: it is rolled
back. Regex expectations do not work on DuckDB, and neither do those on column types; an
SQL condition does (`NoRows`).
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import sqlalchemy

from rules_replay.spared import later

# Great Expectations has them for expectations and pages that are none of ours; to load them takes longer than
# a night of few rounds.
with warnings.catch_warnings(), later("altair", "scipy.stats"):
    warnings.filterwarnings("ignore", r"module 'sre_(constants|parse)' is deprecated", DeprecationWarning)
    import great_expectations as gx
    from great_expectations.compatibility import pydantic
    from great_expectations.core.run_identifier import RunIdentifier
    from great_expectations.data_context.data_context.ephemeral_data_context import (
        EphemeralDataContext,
    )
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.data_context.types.resource_identifiers import (
        ExpectationSuiteIdentifier,
        ValidationResultIdentifier,
    )
    from great_expectations.datasource.fluent.sql_datasource import SQLDatasource
    from great_expectations.execution_engine.sqlalchemy_execution_engine import (
        SqlAlchemyExecutionEngine,
    )
    from great_expectations.expectations.core.expect_column_values_to_be_in_set import (
        ExpectColumnValuesToBeInSet as InSet,
    )
    from great_expectations.expectations.core.expect_column_values_to_not_be_null import (
        ExpectColumnValuesToNotBeNull as NotNull,
    )
    from great_expectations.expectations.core.unexpected_rows_expectation import UnexpectedRowsExpectation
    from great_expectations.expectations.expectation import Expectation
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
    from great_expectations.expectations.metadata_types import FailureSeverity
    from great_expectations.render.renderer.page_renderer import (
        ExpectationSuitePageRenderer,
        ValidationResultsPageRenderer,
    )
    from great_expectations.render.view.view import DefaultJinjaPageView
    from great_expectations.validator.v1_validator import Validator

__all__ = [
    "DefaultJinjaPageView",
    "DuckDBExecutionEngine",
    "EphemeralDataContext",
    "ExpectColumnValuesToBeInSet",
    "ExpectColumnValuesToNotBeNull",
    "Expectation",
    "ExpectationSuiteIdentifier",
    "ExpectationSuitePageRenderer",
    "FailureSeverity",
    "NoRows",
    "NoneCounted",
    "RunIdentifier",
    "SQLDatasource",
    "ValidationResultIdentifier",
    "ValidationResultsPageRenderer",
    "Validator",
    "gx",
    "open_context",
    "open_datasource",
    "raised_by",
]

from expectations.session import duckdb_config


class DuckDBExecutionEngine(SqlAlchemyExecutionEngine):
    """The SQLAlchemy engine with one connection, kept open, and errors that stay where they happen."""

    @contextmanager
    def get_connection(self) -> Iterator[sqlalchemy.Connection]:
        if self._connection is None:
            self._connection = self.engine.connect()
        try:
            yield self._connection
        except BaseException:
            self._connection.rollback()
            raise

    def close(self) -> None:
        """Release the scratch file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.engine.dispose()


SQLDatasource.execution_engine_override = DuckDBExecutionEngine  # type: ignore[misc]


# It would warn that classes of ours take the places of two of its own.
logging.getLogger("great_expectations").setLevel(logging.CRITICAL)


class _MadeOnce(Expectation):
    """An expectation whose configuration is put together once, as it is not altered once it is made.

    Great Expectations puts it together anew for every key that it looks up, some forty times a verdict.
    """

    _configuration: ExpectationConfiguration | None = pydantic.PrivateAttr(default=None)

    @property
    def configuration(self) -> ExpectationConfiguration:
        if self._configuration is None:
            self._configuration = super().configuration
        return self._configuration


class ExpectColumnValuesToNotBeNull(_MadeOnce, NotNull):
    """No value of a column is null."""


class ExpectColumnValuesToBeInSet(_MadeOnce, InSet):
    """Every value of a column is one of some."""


class NoRows(_MadeOnce, UnexpectedRowsExpectation):
    """No row comes back from a query over the scratch file.

    Unlike its parent it runs the query once (for the count: Great Expectations caps the
    rows it keeps) and names tables of the scratch file instead of ``{batch}``.
    """

    metric_dependencies: ClassVar[tuple[str, ...]] = ("unexpected_rows_query.row_count",)

    @pydantic.validator("unexpected_rows_query")
    def _validate_query(cls, query: str) -> str:  # noqa: N805
        return query.strip()

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: Any = None,
    ) -> dict[str, Any]:
        count = metrics["unexpected_rows_query.row_count"]
        return {"success": count == 0, "result": {"observed_value": count}}


class NoneCounted(NoRows):
    """Nothing was counted: the query gives the count in a row, under ``broken``, or no row."""

    metric_dependencies: ClassVar[tuple[str, ...]] = ("unexpected_rows_query.table",)

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: Any = None,
    ) -> dict[str, Any]:
        count = sum(row["broken"] for row in metrics["unexpected_rows_query.table"])
        return {"success": count == 0, "result": {"observed_value": count}}


def open_context() -> EphemeralDataContext:
    """A context that lives in memory, sends nothing and draws no progress bars."""
    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


def open_datasource(context: EphemeralDataContext, scratch_file: Path) -> SQLDatasource:
    """The scratch file as a datasource, read only."""
    config = duckdb_config(scratch_file.parent)
    datasource = SQLDatasource(
        name="lake",
        connection_string=f"duckdb:///{scratch_file}",
        kwargs={"connect_args": {"read_only": True, "config": config}},
        create_temp_table=False,
    )
    return context.data_sources.add_sql(datasource=datasource)


def raised_by(result: Any) -> list[dict[str, Any]]:
    """What an expectation raised, in Great Expectations' own entries: none if it was evaluated.

    Its result holds one entry, or one for each metric that failed.
    """
    info = result.exception_info or {}
    entries = [info] if "raised_exception" in info else list(info.values())
    return [each for each in entries if each["raised_exception"]]
