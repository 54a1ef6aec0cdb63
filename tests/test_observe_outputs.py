"""Metrics, lineage, SARIF and JUnit of one night: what they say, and that they are what they claim to be."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest

from audit.exit_codes import FailOn
from audit.lake import Lake
from audit.observe import files, junit, prometheus
from audit.observe.findings import Told
from audit.observe.sarif import Invocation, sarif
from audit.observe.stages import Stages
from audit.observe.watch import Outputs, Watch
from rules_replay.checks import catalogue
from rules_replay.rulebook import load_rulebook
from tests.commands import GOLDEN, Ran, copied, night, pontoon, write_log
from tests.rounds import play

INSTANT = "1767323045"
SCHEMAS = Path(__file__).parent / "schemas"

NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
LABEL = rf'{NAME}="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(
    rf"(?P<name>{NAME})\{{(?P<labels>{LABEL}(?:,{LABEL})*)\}} (?P<value>-?[0-9]+(?:[.][0-9]+)?)"
)


@dataclass(frozen=True, slots=True)
class Night:
    """A lake audited once, with all four files beside it."""

    folder: Path
    ran: Ran

    @property
    def lake(self) -> Lake:
        return Lake(self.folder / "lake")

    @property
    def record(self) -> dict[str, Any]:
        *_, last = self.lake.records("runs")
        return last

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


def outputs(folder: Path) -> list[str | Path]:
    return [
        *("--metrics-file", folder / "run.prom", "--lineage-file", folder / "lineage.jsonl"),
        *("--sarif", folder / "findings.sarif", "--junit", folder / "junit.xml"),
    ]


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """A night with findings, a quarantined line and another venue in order."""
    folder = tmp_path_factory.mktemp("observed")
    broken = folder / "broken day#1.jsonl"
    broken.write_text("not a round\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SOURCE_DATE_EPOCH", INSTANT)
        ingested = pontoon(
            *("ingest", night("act-2018"), night("nz-2000"), broken, "--lake", folder / "lake"),
            *("--metrics-file", folder / "ingest.prom", "--lineage-file", folder / "lineage.jsonl"),
        )
        assert ingested.code == 3, ingested.err
        ran = pontoon("run", "--lake", folder / "lake", "--jobs", "1", *outputs(folder))
    assert ran.code == 3, ran.err
    return Night(folder, ran)


def samples(text: str) -> dict[str, dict[str, Decimal]]:
    """The samples of an exposition by metric and labels (``lake`` left out), its form held on the way."""
    assert text.endswith("\n")
    found: dict[str, dict[str, Decimal]] = {}
    told: list[str] = []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in found, f"{name} is told twice"
            found[name] = {}
            told.append(line)
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {list(found)[-1]} gauge"
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match["name"] == list(found)[-1]
            first, _, labels = match["labels"].partition(",")
            assert first.startswith("lake=")
            assert labels not in found[match["name"]]
            found[match["name"]][labels] = Decimal(match["value"])
    assert all(name.startswith("pontoon_audit_") for name in found)
    assert all(len(line.split()) > 4 for line in told)
    return found


class TestMetrics:
    def test_say_what_the_record_says(self, audited: Night) -> None:
        found = samples(audited.text("run.prom"))
        record, counts = audited.record, audited.record["counts"]
        assert found["pontoon_audit_run_exit_code"] == {"": 3}
        assert found["pontoon_audit_run_timestamp_seconds"] == {"": int(INSTANT)}
        assert found["pontoon_audit_rounds"] == {"": counts["rounds"]}
        assert found["pontoon_audit_quarantined_lines"] == {"": 1}
        by_severity: Counter[str] = Counter()
        for labels, value in found["pontoon_audit_findings"].items():
            by_severity[labels.split('severity="')[1].rstrip('"')] += int(value)
        assert dict(by_severity) == counts["findings"]
        assert sum(by_severity.values()) > 0
        for way in ("overpaid", "underpaid"):
            assert found[f"pontoon_audit_{way}"] == {
                f'currency="{currency}"': Decimal(moved[way]) for currency, moved in record["money"].items()
            }
        assert {labels for labels, value in found["pontoon_audit_validation"].items() if value} == {
            'outcome="passed"'
        }
        assert found["pontoon_audit_partitions"]['outcome="replayed"'] == 4
        stages = ("plan", "replay", "compare", "validate", "report", "publish")
        assert list(found["pontoon_audit_run_stage_seconds"]) == [f'stage="{each}"' for each in stages]

    def test_of_an_ingest_count_its_lines(self, audited: Night) -> None:
        found = samples(audited.text("ingest.prom"))
        assert found["pontoon_audit_ingest_lines"] == {
            'outcome="stored"': 120,
            'outcome="duplicates"': 0,
            'outcome="quarantined"': 1,
        }
        assert found["pontoon_audit_ingest_files"]['outcome="read"'] == 3
        assert found["pontoon_audit_ingest_exit_code"] == {"": 3}

    def test_name_no_venue_outside_the_register(self, audited: Night) -> None:
        (findings,) = (
            each for each in prometheus.run_metrics(audited.record, {}, {}) if each.name == "findings"
        )
        assert {labels["venue"] for labels, _ in findings.samples} == {"unregistered"}
        assert sum(int(value) for _, value in findings.samples) == sum(
            audited.record["counts"]["findings"].values()
        )

    def test_escape_what_a_label_holds(self) -> None:
        gauge = prometheus.Gauge("x", 'says "a\\b"\nc', [({"a": 'b"\\\n'}, Decimal("1E+7")), ({}, 2)])
        assert prometheus.exposition([gauge], {"lake": "/é"}) == (
            '# HELP pontoon_audit_x says "a\\\\b"\\nc\n# TYPE pontoon_audit_x gauge\n'
            'pontoon_audit_x{lake="/é",a="b\\"\\\\\\n"} 10000000\npontoon_audit_x{lake="/é"} 2\n'
        )

    def test_tell_of_a_run_that_failed_before_it_began(self, tmp_path: Path) -> None:
        ran = pontoon("run", "--lake", tmp_path / "none", *outputs(tmp_path))
        assert ran.code == 2
        found = samples((tmp_path / "run.prom").read_text(encoding="utf-8"))
        assert found["pontoon_audit_run_exit_code"] == {"": 2}
        assert "pontoon_audit_findings" not in found
        start, end = events((tmp_path / "lineage.jsonl").read_text(encoding="utf-8"))
        assert (start["eventType"], end["eventType"]) == ("START", "FAIL")
        assert end["run"]["facets"]["errorMessage"]["message"] in ran.err
        assert not (tmp_path / "findings.sarif").exists()


def events(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    schema = json.loads((SCHEMAS / "openlineage.json").read_text(encoding="utf-8"))
    for each in found:
        jsonschema.Draft202012Validator(schema).validate(each)
    return found


class TestLineage:
    def test_has_a_start_and_an_end_for_each_job(self, audited: Night) -> None:
        found = events(audited.text("lineage.jsonl"))
        assert [(each["job"]["name"], each["eventType"]) for each in found] == [
            ("ingest", "START"),
            ("ingest", "COMPLETE"),
            ("run", "START"),
            ("run", "COMPLETE"),
        ]
        ids = [each["run"]["runId"] for each in found]
        assert ids[0] == ids[1] != ids[2] == ids[3]
        assert {uuid.UUID(each).version for each in ids} == {5}

    def test_names_what_came_of_what(self, audited: Night) -> None:
        *_, ingest, _, run = events(audited.text("lineage.jsonl"))
        lake = str(audited.lake.root.absolute())
        read = {each["name"] for each in ingest["inputs"]}
        assert str(audited.folder / "broken day#1.jsonl") in read
        assert len(read) == 3
        assert [each["name"] for each in run["inputs"]] == [
            f"{lake}/{name}" for name in ("rounds", "events", "quarantine")
        ]
        written = {each["name"].rpartition("/")[2]: each for each in run["outputs"]}
        assert list(written) == ["hands", "settlements", "findings", "coverage", "changes"]
        rows = {
            name: sum(
                each["rows"] for each in audited.record["published"] if each["path"].startswith(f"{name}/")
            )
            for name in written
        }
        for name, each in written.items():
            assert each["outputFacets"]["outputStatistics"]["rowCount"] == rows[name] > 0
        described = written["findings"]["facets"]["schema"]["fields"]
        assert {"name", "type", "description"} == set(described[0])
        assert "clause" in [each["name"] for each in described]

    def test_names_the_record_and_the_code(self, audited: Night) -> None:
        *_, run = events(audited.text("lineage.jsonl"))
        own = run["run"]["facets"]["pontoonAudit_run"]
        assert own["record"] == audited.record["sha256"]
        assert own["codeSha256"] == audited.record["code_sha256"]
        assert (own["run_id"], own["exitCode"]) == (audited.record["run_id"], 3)

    def test_an_interruption_aborts(self, tmp_path: Path) -> None:
        with (
            pytest.raises(KeyboardInterrupt),
            Watch("run", tmp_path, Outputs(lineage=tmp_path / "lineage.jsonl")),
        ):
            raise KeyboardInterrupt
        found = events((tmp_path / "lineage.jsonl").read_text(encoding="utf-8"))
        assert [each["eventType"] for each in found] == ["START", "ABORT"]


def log_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    schema = json.loads((SCHEMAS / "sarif.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    (run,) = found["runs"]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        for location in result["locations"]:
            place = location["physicalLocation"]["artifactLocation"]
            assert run["artifacts"][place["index"]]["location"]["uri"] == place["uri"]
    return found


class TestSarif:
    def test_has_every_finding_with_its_level_and_fingerprint(self, audited: Night) -> None:
        (run,) = log_of(audited.text("findings.sarif"))["runs"]
        levels = Counter(each["level"] for each in run["results"])
        found = audited.record["counts"]["findings"]
        assert levels["error"] == found["breach"]
        assert levels["note"] == found["notice"]
        assert levels.total() == sum(found.values())
        names = [each["partialFingerprints"]["pontoonFinding/v1"] for each in run["results"]]
        assert len(set(names)) == len(names)
        assert {each["baselineState"] for each in run["results"]} == {"new"}

    def test_points_at_the_line_and_the_place(self, audited: Night) -> None:
        (run,) = log_of(audited.text("findings.sarif"))["runs"]
        for result in run["results"]:
            (location,) = result["locations"]
            path = location["physicalLocation"]
            line = path["region"]["startLine"]
            log = night(path["artifactLocation"]["uri"].removesuffix(".jsonl"))
            round_ = json.loads(log.read_text(encoding="utf-8").splitlines()[line - 1])
            properties = result["properties"]
            assert round_["round_id"] == properties["round_id"]
            (logical,) = location["logicalLocations"]
            assert logical["fullyQualifiedName"].startswith(f"venue:{properties['venue']}/table:")
            assert properties["clause"] in result["message"]["text"]
            if "delta" in properties:
                assert re.fullmatch(r"-?[0-9]+(?:[.][0-9]+)?", properties["delta"])

    def test_has_a_rule_for_every_check_with_its_clauses(self, audited: Night) -> None:
        (run,) = log_of(audited.text("findings.sarif"))["runs"]
        rules = run["tool"]["driver"]["rules"]
        assert [each["id"] for each in rules] == list(catalogue())
        for rule in rules:
            assert rule["properties"]["clauses"]["act-2018"] == load_rulebook("act-2018").clause_of(
                rule["id"]
            )

    def test_says_that_the_run_is_incomplete(self, audited: Night) -> None:
        (run,) = log_of(audited.text("findings.sarif"))["runs"]
        (invocation,) = run["invocations"]
        assert (invocation["exitCode"], invocation["executionSuccessful"]) == (3, False)
        assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
            "1 line in quarantine, not audited"
        ]

    def test_of_a_check_has_the_findings_of_the_check(self) -> None:
        ran = pontoon("check", GOLDEN, "--format", "sarif")
        (run,) = log_of(ran.out)["runs"]
        lines = pontoon("check", GOLDEN, "--format", "jsonl").out.splitlines()
        found = [finding for line in lines for finding in json.loads(line)["findings"]]
        assert [each["ruleId"] for each in run["results"]] == [each["code"] for each in found]
        assert [each["properties"].get("delta") for each in run["results"]] == [
            each.get("delta") for each in found
        ]
        assert run["invocations"][0]["exitCode"] == ran.code == 1

    def test_two_files_of_one_name_are_told_apart(self) -> None:
        both = [told(source_sha256="a" * 64), told(source_sha256="b" * 64), told(source_sha256="a" * 64)]
        pieces = sarif(both, lambda: Invocation(exit_code=1, complete=True))
        (run,) = log_of(b"".join(pieces).decode())["runs"]
        assert [each["hashes"]["sha-256"][0] for each in run["artifacts"]] == ["a", "b"]
        assert [
            each["locations"][0]["physicalLocation"]["artifactLocation"]["index"] for each in run["results"]
        ] == [0, 1, 0]

    def test_a_hostile_name_stays_a_name(self) -> None:
        name = "../a:b/\udcff<script>\n.jsonl"
        pieces = sarif(
            [told(source_file=name, round_id="r/1 ü", wager=None)],
            lambda: Invocation(exit_code=1, complete=True),
        )
        (run,) = log_of(b"".join(pieces).decode())["runs"]
        (location,) = run["results"][0]["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == (
            "../a%3Ab/%FF%3Cscript%3E%0A.jsonl"
        )
        assert location["logicalLocations"][0]["fullyQualifiedName"].endswith(
            "round:r%2F1%20%C3%BC/box:2/hand:1"
        )

    def test_what_was_settled_is_suppressed(self) -> None:
        pieces = sarif(
            [told(settled="explained by A: why", state="continuing", altered=True)],
            lambda: Invocation(exit_code=0, complete=True),
        )
        (result,) = log_of(b"".join(pieces).decode())["runs"][0]["results"]
        assert result["suppressions"] == [
            {"kind": "external", "status": "accepted", "justification": "explained by A: why"}
        ]
        assert result["baselineState"] == "updated"


def told(**changes: Any) -> Told:
    facts: dict[str, Any] = {
        "code": "settle.odds",
        "severity": "breach",
        "clause": "act-2018 14.1",
        "rulebook": "act-2018",
        "depends_on": None,
        "basis": "as_required",
        "venue": "casino-canberra",
        "gaming_date": "2023-09-30",
        "table": "P02",
        "shoe": "S1",
        "round_no": 1,
        "round_id": "r1",
        "seq": 4,
        "box": 2,
        "hand": 1,
        "wager": "w1",
        "player": "p1",
        "expected": "20 paid",
        "recorded": "30 paid",
        "delta": Decimal("10.5"),
        "currency": "AUD",
        "source_file": "night.jsonl",
        "source_line": 7,
        "source_sha256": None,
        "fingerprint": "0123456789abcdef0123",
    }
    return Told(**{**facts, **changes})


def suites_of(text: str | bytes) -> dict[str, Xml.Element]:
    """The suites of a JUnit document by name; every count in it held on the way."""
    root = Xml.fromstring(text)
    assert root.tag == "testsuites"
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    for suite in root:
        cases = suite.findall("testcase")
        assert len({each.get("name") for each in cases}) == len(cases) == int(suite.get("tests", ""))
        assert {each.get("classname") for each in cases} <= {suite.get("name")}
        for attribute, kind in kinds.items():
            assert int(suite.get(attribute, "")) == sum(each.find(kind) is not None for each in cases)
        for case in cases:
            assert [each.tag for each in case] in (
                *([], ["failure"], ["error"], ["skipped"], ["system-out"]),
                *(["failure", "system-out"], ["skipped", "system-out"]),
            )
            for child in case:
                assert child.tag == "system-out" or child.get("message")
    for attribute in ("tests", "failures", "errors"):
        assert int(root.get(attribute, "")) == sum(int(each.get(attribute, "")) for each in root)
    return {each.get("name", ""): each for each in root}


class TestJUnit:
    def test_has_a_suite_for_each_partition_and_a_case_for_each_check(self, audited: Night) -> None:
        suites = suites_of(audited.text("junit.xml"))
        assert list(suites) == [
            "pontoon-audit",
            "unknown venue without a date",
            *(f"{each['venue']} {each['gaming_date']}" for each in audited.record["partitions"]),
        ]
        for entry in audited.record["partitions"]:
            suite = suites[f"{entry['venue']} {entry['gaming_date']}"]
            names = {str(each.get("name")) for each in suite}
            assert names <= catalogue().keys()
            assert len(names) > 70
            told = "\n".join(each.text or "" for case in suite for each in case)
            for severity, number in entry["findings"].items():
                assert len(re.findall(rf"^{severity}: ", told, flags=re.MULTILINE)) == number
            failing = "\n".join(each.text or "" for each in suite.iter("failure"))
            assert len(re.findall(r"^breach: ", failing, flags=re.MULTILINE)) == entry["findings"]["breach"]
            assert not re.findall(r"^notice: ", failing, flags=re.MULTILINE)

    def test_quarantined_lines_are_an_error(self, audited: Night) -> None:
        (case,) = suites_of(audited.text("junit.xml"))["unknown venue without a date"]
        (error,) = case
        assert (error.tag, error.get("message")) == ("error", "1 line in quarantine, not audited")

    def test_what_cannot_be_evaluated_is_skipped_with_the_reason(self, audited: Night) -> None:
        reasons = [
            each.get("message", "") for each in Xml.fromstring(audited.text("junit.xml")).iter("skipped")
        ]
        assert reasons
        assert all(each.startswith(("The recorder does not capture", "The log lacks")) for each in reasons)

    @pytest.mark.parametrize(
        ("severity", "fail_on", "fails"),
        [
            ("breach", "breach", True),
            ("procedure", "breach", False),
            ("notice", "notice", True),
            ("breach", "never", False),
        ],
    )
    def test_fails_what_makes_the_exit_code(self, severity: str, fail_on: FailOn, fails: bool) -> None:
        suites = suites_of(junit.junit_of_check([told(severity=severity)], [], fail_on))
        (case,) = suites["casino-canberra"]
        assert [each.tag for each in case] == (["failure"] if fails else ["system-out"])

    def test_tells_a_bounded_number_and_the_total(self) -> None:
        many = [told(round_id=f"r{number}") for number in range(1234)]
        ((case,),) = [suites_of(junit.junit_of_check(many, [], "breach"))["casino-canberra"]]
        (failure,) = case
        lines = (failure.text or "").splitlines()
        assert failure.get("message", "").startswith("1,234 findings: ")
        assert len(lines) == junit.SHOWN + 1
        assert lines[-1] == "and 1,214 more; 1,234 in all"

    def test_no_text_of_a_log_breaks_it(self) -> None:
        evil = "]]><x a='\"&\x00\x0b\x1b\ufffe\udcff\u202e\n\r"
        found = junit.junit_of_check(
            [told(venue=evil, round_id=evil, expected=evil, source_file=evil)], [evil, "x" * 9999], "breach"
        )
        whole, suite = suites_of(found).values()
        assert "\\x00\\x0b\\x1b\\ufffe\\udcff\\u202e\\n\\r" in str(suite.get("name"))
        (error,) = whole[0]
        assert max(len(line) for line in (error.text or "").splitlines()) < 2100

    def test_of_a_check_has_what_was_rejected(self, tmp_path: Path) -> None:
        (tmp_path / "x.jsonl").write_text("no round\n", encoding="utf-8")
        ran = pontoon("check", GOLDEN, tmp_path / "x.jsonl", "--format", "junit")
        assert ran.code == 3
        suites = suites_of(ran.out.encode())
        (case,) = suites["pontoon-audit"]
        assert "x.jsonl:1: not JSON" in (case[0].text or "")
        assert sum(each.find("failure") is not None for suite in suites.values() for each in suite) > 10


@pytest.mark.slow
class TestAfterTheRun:
    """The files come last, and change nothing of the run."""

    def test_the_same_run_gives_the_same_bytes(self, audited: Night, tmp_path: Path) -> None:
        again = pontoon(
            *("report", "--lake", audited.lake.root, "--report-dir", tmp_path / "report"),
            *("--sarif", tmp_path / "again.sarif", "--junit", tmp_path / "again.xml"),
        )
        assert again.code == 0
        assert (tmp_path / "again.sarif").read_text(encoding="utf-8") == audited.text("findings.sarif")
        assert (tmp_path / "again.xml").read_text(encoding="utf-8") == audited.text("junit.xml")

    def test_a_part_of_the_run_can_be_told(self, audited: Night, tmp_path: Path) -> None:
        venue = audited.record["partitions"][0]["venue"]
        pontoon(
            *("report", "--lake", audited.lake.root, "--report-dir", tmp_path / "report", "--venue", venue),
            *("--sarif", tmp_path / "part.sarif"),
        )
        (run,) = log_of((tmp_path / "part.sarif").read_text(encoding="utf-8"))["runs"]
        assert {each["properties"]["venue"] for each in run["results"]} == {venue}

    def test_a_run_with_nothing_to_do_tells_of_the_latest_that_had(
        self, audited: Night, tmp_path: Path
    ) -> None:
        lake = copied(audited.lake.root, tmp_path / "lake")
        ran = pontoon("run", "--lake", lake, "--changed", *outputs(tmp_path))
        assert ran.code == 0, ran.err
        assert "Nothing has changed" in ran.out
        found = samples((tmp_path / "run.prom").read_text(encoding="utf-8"))
        before = samples(audited.text("run.prom"))
        assert found["pontoon_audit_findings"] == before["pontoon_audit_findings"]
        assert found["pontoon_audit_run_exit_code"] == {"": 0}
        assert "pontoon_audit_run_stage_seconds" not in found
        assert (tmp_path / "junit.xml").read_text(encoding="utf-8") == audited.text("junit.xml")
        start, end = events((tmp_path / "lineage.jsonl").read_text(encoding="utf-8"))
        assert (end["eventType"], end["outputs"]) == ("COMPLETE", [])
        assert start["run"]["runId"] == end["run"]["runId"]

    @pytest.mark.parametrize("option", ["--metrics-file", "--lineage-file", "--sarif", "--junit"])
    def test_one_that_cannot_be_written_is_exit_code_3(
        self, audited: Night, tmp_path: Path, option: str
    ) -> None:
        lake = copied(audited.lake.root, tmp_path / "lake")
        ran = pontoon(
            "run", "--lake", lake, "--changed", *outputs(tmp_path), option, tmp_path / "none" / "file"
        )
        assert ran.code == 3
        told = r"none/file: could not write the \w+ file: no such file or folder; check the name\n"
        assert re.search(told, ran.err)
        if option != "--metrics-file":
            found = samples((tmp_path / "run.prom").read_text(encoding="utf-8"))
            assert found["pontoon_audit_run_exit_code"] == {"": 3}
        assert len(list(Lake(lake).records("runs"))) == 1

    def test_a_failed_partition_is_told_everywhere(self, tmp_path: Path) -> None:
        rounds = [play("act-2018", "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20")]
        lake = tmp_path / "lake"
        assert pontoon("ingest", write_log(tmp_path / "a.jsonl", rounds), "--lake", lake).code == 0
        (part,) = lake.glob("rounds/*/*/*.parquet")
        part.write_bytes(part.read_bytes()[:-1] + b"?")
        ran = pontoon("--log-format", "json", "run", "--lake", lake, "--jobs", "1", *outputs(tmp_path))
        assert ran.code == 3
        said = [json.loads(line) for line in ran.err.splitlines()]
        (failed,) = (each for each in said if each["event"] == "partition.failed")
        assert failed["level"] == "error"
        assert failed["venue"] == "casino-canberra"
        (run,) = log_of((tmp_path / "findings.sarif").read_text(encoding="utf-8"))["runs"]
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert failed["reason"] in note["message"]["text"]
        (whole,) = suites_of((tmp_path / "junit.xml").read_bytes()).values()
        assert [each.tag for case in whole for each in case] == ["error"]
        found = samples((tmp_path / "run.prom").read_text(encoding="utf-8"))
        assert found["pontoon_audit_partitions"]['outcome="failed"'] == 1
        assert found["pontoon_audit_validation"]['outcome="none"'] == 1
        *_, end = events((tmp_path / "lineage.jsonl").read_text(encoding="utf-8"))
        assert (end["eventType"], end["outputs"]) == ("COMPLETE", [])


class TestFiles:
    def test_an_error_leaves_the_file_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "x.prom"
        path.write_text("before", encoding="utf-8")
        with pytest.raises(KeyError):
            self._write_half(path)
        assert [each.name for each in tmp_path.iterdir()] == ["x.prom"]
        assert path.read_text(encoding="utf-8") == "before"

    def _write_half(self, path: Path) -> None:
        with files.replacing(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_text(encoding="utf-8") == "before"
            assert [*path.parent.glob("*.prom")] == [path]
            assert len([*path.parent.iterdir()]) == 2
            raise KeyError

    def test_a_torn_line_is_ended_before_the_next(self, tmp_path: Path) -> None:
        path = tmp_path / "lines"
        files.append_lines(path, [b"a"])
        path.write_bytes(path.read_bytes() + b"torn")
        files.append_lines(path, [b"b", b"c"])
        assert path.read_bytes() == b"a\ntorn\nb\nc\n"


def test_stages_follow_one_another() -> None:
    ticks = iter([1.0, 2.0, 5.0, 5.5])
    stages = Stages(lambda: next(ticks))
    for name in ("plan", "replay", "plan"):
        stages.done(name)
    assert stages.seconds == {"plan": 1.5, "replay": 3.0}
