"""The suites are the catalogue of checks and the schemas of the tables, said as expectations."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from expectations.census import MEASURES
from expectations.suites import PlannedSuite, check_suite, control_total_suite, evidence_suites
from expectations.tables import TABLES
from rules_replay.checks import catalogue
from rules_replay.severity import SEVERITIES


class TestChecks:
    """One expectation per check: no finding of its code at or above its severity."""

    def test_every_check_has_one_expectation_in_catalogue_order(self) -> None:
        found = [each.meta for each in check_suite(catalogue()).suite.expectations]
        assert [(m["code"], m["severity"], m["meaning"]) for m in found if m] == [
            (check.code, check.severity, check.meaning) for check in catalogue().values()
        ]

    def test_each_looks_at_its_own_severity_and_what_is_graver(self) -> None:
        for expectation in check_suite(catalogue()).suite.expectations:
            query = str(expectation.configuration.kwargs["unexpected_rows_query"])
            code = re.search(r"code = '([^']*)'", query)
            listed = re.search(r"severity IN \(([^)]*)\)", query)
            assert code
            assert listed
            severity = catalogue()[code[1]].severity
            assert re.findall(r"\w+", listed[1]) == list(SEVERITIES[: SEVERITIES.index(severity) + 1])

    def test_a_check_of_ones_own_is_one_more_expectation(self) -> None:
        one = {"settle.odds": catalogue()["settle.odds"]}
        assert len(check_suite(one).suite.expectations) == 1


class TestEvidence:
    """The tables are as the schemas say."""

    def test_every_table_has_a_suite(self) -> None:
        assert [planned.name for planned in evidence_suites()] == list(TABLES)

    def test_every_column_that_may_not_be_null_is_expected_not_to_be(self) -> None:
        for planned in evidence_suites():
            if planned.name == "events":
                continue
            expected = {
                f"{planned.name}.complete.{f.name}" for f in TABLES[planned.name].schema if not f.nullable
            }
            assert {code for code in _codes(planned) if ".complete." in code} == expected

    def test_codes_are_unique_over_all_suites(self) -> None:
        every = [*evidence_suites(), check_suite(catalogue()), control_total_suite()]
        codes = [code for planned in every for code in _codes(planned)]
        assert len(codes) == len(set(codes))

    def test_control_totals_cover_every_measure(self) -> None:
        assert _codes(control_total_suite()) == [f"control_totals.{measure}" for measure in MEASURES]


@pytest.mark.parametrize("module", ["audit.catalog", "expectations.report", "expectations.session"])
def test_only_the_validation_stage_imports_great_expectations(module: str) -> None:
    program = f"import sys, {module}; sys.exit('great_expectations' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def _codes(planned: PlannedSuite) -> list[str]:
    return [each.meta["code"] for each in planned.suite.expectations if each.meta]
