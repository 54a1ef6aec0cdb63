"""A validation says of everything whether it passed, failed, or could not be evaluated."""

from __future__ import annotations

import json
import re
import shutil
import socket
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from expectations import validate as stage
from expectations.census import MEASURES, ControlTotals
from expectations.engine import NoRows, Validator, gx
from expectations.pages import suite_page
from expectations.report import ExpectationResult, SuiteResult, ValidationReport
from expectations.session import Scope, build_session
from expectations.suites import PlannedSuite, catalogue_suite, control_total_suite, evidence_suites
from expectations.tables import TABLES
from rules_replay.checks import catalogue
from rules_replay.severity import Severity
from tests.test_catalog_views import AUCKLAND, CANBERRA, money, write_lake, write_part

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
TOTALS = {
    "AUD": ControlTotals(rounds=3, events=27, wagers=5, stakes=215_000, paid=125_000, taken=20_000),
    "NZD": ControlTotals(rounds=1, events=6, wagers=1, stakes=50_000, paid=55_000, taken=0),
}


def validate(
    root: Path,
    docs: Path,
    *,
    scope: Scope | None = None,
    totals: Mapping[str, ControlTotals] | None = TOTALS,
    fail_on: Severity = "breach",
) -> ValidationReport:
    scope = scope or Scope.whole(root)
    return stage.validate(root, scope, totals, docs, fail_on, run_id="run-1", at=AT)


def failed(suite: SuiteResult) -> dict[str, int | None]:
    return {each.code: each.observed for each in suite.expectations if each.outcome == "failed"}


def erred(suite: SuiteResult) -> dict[str, str | None]:
    return {each.code: each.error for each in suite.expectations if each.outcome == "error"}


def of(suite: SuiteResult, code: str) -> ExpectationResult:
    return {each.code: each for each in suite.expectations}[code]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lake(tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published") / "data-docs"


@pytest.fixture(scope="module")
def report(lake: Path, docs: Path) -> ValidationReport:
    return validate(lake, docs)


class TestInOrder:
    """Evidence that is whole passes; a check fails where it has a finding of its severity."""

    def test_every_suite_over_evidence_passes(self, report: ValidationReport) -> None:
        outcomes = {suite.name: suite.outcome for suite in report.suites}
        assert outcomes == dict.fromkeys((*TABLES, "control_totals"), "passed") | {"checks": "failed"}

    def test_a_check_fails_with_the_number_of_its_findings(self, report: ValidationReport) -> None:
        assert failed(report.suite("checks")) == {
            "settle.odds": 2,
            "settle.outcome": 1,
            "wager.late": 1,
            "wager.above-max": 1,
        }

    def test_an_ambiguous_finding_does_not_fail_a_check_of_breaches(self, report: ValidationReport) -> None:
        assert of(report.suite("checks"), "settle.taken").outcome == "passed"

    def test_a_night_without_a_finding_passes(self, tmp_path: Path) -> None:
        write_part(tmp_path, "rounds", CANBERRA, [{"round_id": "r", "currency": "AUD", "shuffler": "manual"}])
        for table in ("events", "hands", "settlements", "findings"):
            write_part(tmp_path, table, CANBERRA, [])
        seen = {"code": "settle.odds", "evaluated": 1, "passed": 1}
        write_part(tmp_path, "coverage", CANBERRA, [seen])
        one = ControlTotals(rounds=1, events=0, wagers=0, stakes=0, paid=0, taken=0)
        found = validate(tmp_path, tmp_path / "docs", totals={"AUD": one})
        assert {suite.name: suite.outcome for suite in found.suites} == dict.fromkeys(
            [*TABLES, "checks", "control_totals"], "passed"
        )
        assert {each.observed for suite in found.suites for each in suite.expectations} == {0}

    def test_a_pass_for_want_of_evidence_shows(self, report: ValidationReport) -> None:
        found = of(report.suite("checks"), "surrender.timing")
        assert (found.outcome, found.evaluated, found.not_evaluable) == ("passed", 0, 4)
        assert of(report.suite("checks"), "bonus.super").evaluated is None

    def test_the_report_is_plain_data(self, report: ValidationReport) -> None:
        plain = json.loads(json.dumps(report.to_json()))
        assert plain["outcome"] == report.outcome == "failed"
        assert [suite["name"] for suite in plain["suites"]] == [*TABLES, "checks", "control_totals"]
        odds = next(
            e for suite in plain["suites"] for e in suite["expectations"] if e["code"] == "settle.odds"
        )
        assert (odds["outcome"], odds["observed"], odds["severity"]) == ("failed", 2, "breach")

    def test_expectations_come_in_the_order_of_the_catalogue(self, report: ValidationReport) -> None:
        assert [each.code for each in report.suite("checks").expectations] == list(catalogue())


class TestThreshold:
    """``fail_on`` decides what a failed check means for the whole, and for nothing else."""

    @pytest.mark.parametrize(
        ("severity", "fail_on", "outcome"),
        [
            ("notice", "breach", "passed"),
            ("procedure", "breach", "passed"),
            ("breach", "breach", "failed"),
            ("procedure", "procedure", "failed"),
            ("notice", "notice", "failed"),
            (None, "breach", "failed"),
        ],
    )
    def test_a_failure(self, severity: Severity | None, fail_on: Severity, outcome: str) -> None:
        one = ExpectationResult(code="a", outcome="failed", meaning="", severity=severity)
        found = ValidationReport(
            run_id="r", fail_on=fail_on, suites=(SuiteResult(name="s", expectations=(one,)),)
        )
        assert (found.outcome, found.suites[0].outcome) == (outcome, "failed")

    def test_an_error_is_an_error_at_any_threshold(self) -> None:
        error = ExpectationResult(code="a", outcome="error", meaning="", severity="notice", error="gone")
        beside = replace(error, outcome="failed", error=None)
        suites = (SuiteResult(name="s", expectations=(beside, error)),)
        found = ValidationReport(run_id="r", fail_on="breach", suites=suites)
        assert (found.outcome, suites[0].outcome) == ("error", "error")


class TestScope:
    """Only the partitions in scope count, and nothing is judged that is not there."""

    def test_another_partition_is_not_looked_at(self, lake: Path, tmp_path: Path) -> None:
        totals = {"NZD": TOTALS["NZD"]}
        found = validate(lake, tmp_path / "docs", scope=Scope.of([AUCKLAND]), totals=totals)
        assert failed(found.suite("checks")) == {"settle.odds": 1}
        assert found.suite("control_totals").outcome == "passed"

    def test_without_totals_there_is_no_verdict_on_them(self, lake: Path, tmp_path: Path) -> None:
        found = validate(lake, tmp_path / "docs", totals=None)
        assert "control_totals" not in [suite.name for suite in found.suites]

    def test_a_scope_of_nothing_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="nothing to validate"):
            validate(tmp_path, tmp_path / "docs")

    def test_a_scope_is_sorted_and_has_no_doubles(self, lake: Path) -> None:
        assert Scope.of([AUCKLAND, CANBERRA, AUCKLAND]) == Scope.whole(lake)


class TestControlTotals:
    """What ingest counted is in the tables, per measure and currency."""

    def test_a_difference_fails_its_measure(self, lake: Path, tmp_path: Path) -> None:
        wrong = TOTALS | {
            "AUD": replace(TOTALS["AUD"], taken=20_001),
            "SGD": replace(TOTALS["NZD"], rounds=0),
        }
        found = validate(lake, tmp_path / "docs", totals=wrong).suite("control_totals")
        expected = {f"control_totals.{measure}": 1 for measure in MEASURES}
        assert failed(found) == expected | {"control_totals.taken": 2}

    def test_a_currency_that_ingest_did_not_count_fails_every_measure(
        self, lake: Path, tmp_path: Path
    ) -> None:
        found = validate(lake, tmp_path / "docs", totals={"AUD": TOTALS["AUD"]}).suite("control_totals")
        assert set(failed(found)) == {f"control_totals.{measure}" for measure in MEASURES}

    def test_two_currencies_in_one_partition_are_told_apart(self, tmp_path: Path) -> None:
        for round_id, currency in (("a", "AUD"), ("n", "NZD")):
            rounds = [{"round_id": round_id, "currency": currency, "event_count": 1}]
            wager = {"round_id": round_id, "seq": 0, "e": "wager", "amount": money("2.5")}
            write_part(tmp_path, "rounds", CANBERRA, rounds, f"{round_id}.parquet")
            write_part(tmp_path, "events", CANBERRA, [wager], f"{round_id}.parquet")
        (tmp_path / "scratch").mkdir()
        one = ControlTotals(rounds=1, events=1, wagers=1, stakes=2500, paid=0, taken=0)
        rows = _query(
            tmp_path, {"AUD": one, "NZD": one}, "SELECT * FROM control_totals WHERE expected <> found"
        )
        assert rows == []
        assert len(_query(tmp_path, {"AUD": one, "NZD": one}, "FROM control_totals")) == 2 * len(MEASURES)


def _query(root: Path, totals: Mapping[str, ControlTotals], query: str) -> list[tuple[Any, ...]]:
    (root / "scratch" / "validation.duckdb").unlink(missing_ok=True)
    path = build_session(root, Scope.whole(root), totals, root / "scratch").path
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> ValidationReport:
    root = write_lake(tmp_path_factory.mktemp("faulty"))
    twice = {"round_id": "CBR-1", "source_sha256": "AUD" * 16, "source_line": 1}
    odd = {"round_id": "ODD", "shuffler": "robot", "currency": "aud", "event_count": 2, "source_line": 77}
    extra: dict[str, list[dict[str, Any]]] = {
        "rounds": [twice | {"event_count": 7, "shuffler": "manual", "currency": "AUD"}, odd],
        "events": [
            {"round_id": "CBR-1", "seq": 0, "e": "cut_card"},
            {"round_id": "ODD", "seq": 0, "e": "dance"},
            {"round_id": "ODD", "seq": 2, "e": "wager"},
            {"round_id": "GHOST", "seq": 0, "e": "cut_card"},
        ],
        "hands": [{"round_id": "GHOST", "box": 1, "hand": 1, "cards": "8S KD", "card_count": 3}] * 2,
        "settlements": [
            {
                "round_id": "GHOST",
                "line": "cheque",
                "kind": "lunch",
                "status": "maybe",
                "basis": "as_guessed",
                "expected_result": "draw",
                "expected_paid": money("0"),
                "expected_taken": money("5"),
                "recorded_result": "draw",
                "delta": money("4.999"),
            }
        ]
        * 2,
        "findings": [
            {"round_id": "GHOST", "code": "no.such-check", "severity": "grave", "basis": "as_guessed"},
            {"round_id": "GHOST", "code": "settle.odds", "severity": "ambiguous", "basis": "as_dealt"},
            {"round_id": "ODD", "code": "wager.below-min", "severity": "breach", "basis": "as_dealt"},
        ],
        "coverage": [{"code": "no.such-check", "evaluated": 3, "passed": 1, "failed": 1}],
        "quarantine": [{"bytes": b"abc", "byte_count": 2, "reason": " "}],
    }
    for table, rows in extra.items():
        write_part(root, table, CANBERRA, rows, "part-2.parquet")
    write_part(root, "coverage", AUCKLAND, [])
    _null_dealer_hand(root)
    return validate(root, root / "docs")


class TestFaultyEvidence:
    """Each way in which the tables can be wrong fails an expectation of its own."""

    @pytest.mark.parametrize(
        ("suite", "codes"),
        [
            ("rounds", "key source shuffler currency events"),
            ("events", "key order round e complete"),
            ("hands", "key round card-count complete.cards"),
            (
                "settlements",
                "key round line kind status basis expected-result recorded-result delta",
            ),
            ("findings", "key round code severity basis within-catalogue reading"),
            ("coverage", "code sum failed partitions"),
            ("quarantine", "reason bytes"),
            ("control_totals", "rounds events wagers stakes paid taken"),
        ],
    )
    def test_faults_of(self, faulty: ValidationReport, suite: str, codes: str) -> None:
        assert erred(faulty.suite(suite)) == {}
        assert set(failed(faulty.suite(suite))) == {f"{suite}.{code}" for code in codes.split()}


def _null_dealer_hand(root: Path) -> None:
    """A file whose writer let a column be null that may not be."""
    schema = pa.schema([field.with_nullable(True) for field in TABLES["hands"].schema])
    rows = [{"round_id": "CBR-1", "box": 9, "hand": 1, "card_count": 0}]
    others = {"total": 0, "soft": False, "doubled": False, "ended": "open"}
    table = pa.Table.from_pylist([row | others for row in rows], schema=schema)
    folder = root / "hands" / f"venue={CANBERRA[0]}" / f"gaming_date={CANBERRA[1]}"
    pq.write_table(table, folder / "part-3.parquet")


@pytest.mark.slow
class TestErrors:
    """What could not be evaluated is an error: never a failure, never a pass, and only where it is."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        return write_lake(tmp_path / "lake")

    def test_a_column_that_is_gone(self, root: Path, tmp_path: Path) -> None:
        for path in (root / "settlements").rglob("*.parquet"):
            table = pq.ParquetFile(path).read()
            pq.write_table(table.drop_columns(["delta", "basis"]), path)
        found = validate(root, tmp_path / "docs")
        suite = found.suite("settlements")
        assert (found.outcome, suite.outcome) == ("error", "error")
        errors = erred(suite)
        assert set(errors) == {"settlements.delta", "settlements.basis", "settlements.complete.basis"}
        assert all("delta" in str(text) or "basis" in str(text) for text in errors.values())
        assert set(failed(suite)) == {"settlements.schema"}
        assert of(suite, "settlements.delta").observed is None
        others = {
            each.name: each.outcome for each in found.suites if each.name not in ("settlements", "checks")
        }
        assert set(others.values()) == {"passed"}

    def test_a_column_of_another_type(self, root: Path, tmp_path: Path) -> None:
        for path in (root / "hands").rglob("*.parquet"):
            table = pq.ParquetFile(path).read()
            place = table.column_names.index("total")
            pq.write_table(table.set_column(place, "total", table["total"].cast(pa.int64())), path)
        suite = validate(root, tmp_path / "docs").suite("hands")
        assert failed(suite) == {"hands.schema": 2}
        assert erred(suite) == {}

    @pytest.mark.parametrize("table", ["findings", "coverage", "rounds"])
    def test_a_partition_without_its_file(self, root: Path, tmp_path: Path, table: str) -> None:
        scope = Scope.whole(root)
        shutil.rmtree(root / table / f"venue={AUCKLAND[0]}")
        found = validate(root, tmp_path / "docs", scope=scope)
        suite = found.suite(table)
        assert found.outcome == "error"
        assert set(erred(suite)) == {each.code for each in suite.expectations}
        assert all("No files found" in str(text) for text in erred(suite).values())
        if table == "findings":
            assert {each.outcome for each in found.suite("checks").expectations} == {"error"}

    def test_a_file_that_is_no_parquet(self, root: Path, tmp_path: Path) -> None:
        next((root / "events").rglob("*.parquet")).write_bytes(b"PAR1 and then the disk was full")
        found = validate(root, tmp_path / "docs")
        assert {each.outcome for each in found.suite("events").expectations} == {"error"}
        assert set(erred(found.suite("rounds"))) == {"rounds.events"}
        assert {each.outcome for each in found.suite("control_totals").expectations} == {"error"}

    def test_a_query_that_is_wrong_errs_alone(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        queries = [
            "SELECT * FROM findings WHERE false",
            "SELECT nonsense FROM nowhere",
            "SELEC 1",
            "FROM findings",
        ]
        planned = PlannedSuite(
            relation="findings",
            suite=gx.ExpectationSuite(
                name="mine",
                expectations=[
                    NoRows(unexpected_rows_query=query, meta={"code": f"mine.{place}", "meaning": query})
                    for place, query in enumerate(queries)
                ],
            ),
        )
        monkeypatch.setattr(stage, "evidence_suites", lambda: (planned,))
        suite = validate(root, tmp_path / "docs").suite("mine")
        assert [each.outcome for each in suite.expectations] == ["passed", "error", "error", "failed"]
        assert "nowhere" in str(suite.expectations[1].error)
        assert "syntax error" in str(suite.expectations[2].error)

    def test_a_suite_that_cannot_be_run(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        judged = Validator.validate_expectation_suite

        def stumble(validator: Validator, suite: gx.ExpectationSuite) -> Any:
            if suite.name == "hands":
                raise RuntimeError("out of luck")
            return judged(validator, suite)

        monkeypatch.setattr(Validator, "validate_expectation_suite", stumble)
        found = validate(root, tmp_path / "docs")
        assert set(erred(found.suite("hands")).values()) == {
            "the suite could not be run: RuntimeError: out of luck"
        }
        assert found.suite("rounds").outcome == "passed"
        index = (tmp_path / "docs" / "index.html").read_text()
        assert re.search(r"<td>hands\s.*?<span class=\"error\">error</span>", index, re.DOTALL)

    @pytest.mark.parametrize(
        ("success", "result"),
        [(True, {}), (False, {}), (True, {"observed_value": 3}), (False, {"unexpected_count": 0})],
    )
    def test_a_result_that_contradicts_itself(self, success: bool, result: dict[str, int]) -> None:
        odd = SimpleNamespace(success=success, result=result, exception_info=None)
        verdict = stage._verdict({"code": "a", "meaning": "b"}, odd, {})
        assert verdict.outcome == "error"
        assert stage._verdict({"code": "a", "meaning": "b"}, None, {}).outcome == "error"

    def test_messages_name_no_place_on_this_machine(self, root: Path, tmp_path: Path) -> None:
        scope = Scope.whole(root)
        shutil.rmtree(root / "hands")
        found = validate(root, tmp_path / "docs", scope=scope)
        assert str(tmp_path) not in json.dumps(found.to_json())
        pages = "".join(path.read_text() for path in (tmp_path / "docs").rglob("*.html"))
        assert str(tmp_path) not in pages
        assert "Traceback" not in pages
        assert re.search(r'<span class="error">error</span>', (tmp_path / "docs" / "index.html").read_text())


class TestQuiet:
    """Nothing leaves the machine, and nothing is printed."""

    def test_no_connection_and_no_output(
        self, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        asked: list[Any] = []
        monkeypatch.setattr(socket.socket, "connect", lambda _, address: asked.append(address))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: asked.append(address))
        shutil.copytree(lake, tmp_path / "lake")
        shutil.rmtree(tmp_path / "lake" / "coverage")
        assert validate(tmp_path / "lake", tmp_path / "docs").outcome == "error"
        assert asked == []
        assert capfd.readouterr() == ("", "")


@pytest.mark.slow
class TestPages:
    """Data Docs: readable without a network, the same for the same run."""

    def test_the_first_page_leads_to_every_suite(self, report: ValidationReport, docs: Path) -> None:
        index = (docs / "index.html").read_text()
        links = re.findall(r'href="([^"]+)"', index)
        assert len(links) == 2 * len(report.suites)
        assert all((docs / link).is_file() for link in links)
        for suite in report.suites:
            assert f'<span class="{suite.outcome}">{suite.outcome}</span>' in index

    def test_every_page_leads_back(self, report: ValidationReport, docs: Path) -> None:
        pages = [path for path in docs.rglob("*.html") if path.name != "index.html"]
        assert len(pages) == 2 * len(report.suites)
        for page in pages:
            home = re.search(r'<a href="([^"]+)">All suites', page.read_text())
            assert home
            assert (page.parent / home[1]).resolve() == docs / "index.html"

    def test_they_need_nothing_from_elsewhere(self, report: ValidationReport, docs: Path) -> None:
        assert report.suites
        for path in docs.rglob("*"):
            if path.is_file():
                assert not re.search(r"https?:|<script|<link|src=|@import|url\(", path.read_text()), path

    def test_a_failed_check_stands_there_with_its_count(self, report: ValidationReport, docs: Path) -> None:
        assert report.suites
        (page,) = (docs / "validations" / "checks").rglob("*.html")
        text = re.sub(r"<[^>]+>|\s+", " ", page.read_text())
        assert "settle.odds: none of: a wager won rightly and paid at wrong odds (breach)" in text

    def test_the_same_run_gives_the_same_bytes_in_place_of_the_old(
        self, lake: Path, report: ValidationReport, docs: Path, tmp_path: Path
    ) -> None:
        again = tmp_path / "docs"
        again.mkdir()
        (again / "stale.html").write_text("from another run")
        assert validate(lake, again) == report
        assert _content(again) == _content(docs)
        assert [each.name for each in tmp_path.iterdir()] == ["docs"]

    def test_suites_that_have_run_are_as_those_made_anew(self, report: ValidationReport) -> None:
        """A process makes them, and the pages about them, once for all its runs."""
        made = [
            *evidence_suites.__wrapped__(),
            catalogue_suite.__wrapped__(),
            control_total_suite.__wrapped__(),
        ]
        used = [*evidence_suites(), catalogue_suite(), control_total_suite()]
        assert [each.name for each in used] == [each.name for each in report.suites]
        assert [each.suite.to_json_dict() for each in used] == [each.suite.to_json_dict() for each in made]
        assert [suite_page.__wrapped__(each) for each in used] == [suite_page(each) for each in made]


def _content(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
