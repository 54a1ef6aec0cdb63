"""The commands that work on a lake, from ingest to query."""

from __future__ import annotations

import csv
import errno
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from audit.commands.query import open_session, prompt
from audit.digests import file_digest
from audit.lake import Lake
from tests.commands import BROKEN, Ran, copied, night, pontoon, write_log
from tests.rounds import play

pytestmark = pytest.mark.usefixtures("unvalidated")

IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Path:
    """A night ingested and audited by the commands."""
    folder = tmp_path_factory.mktemp("commands") / "lake"
    assert pontoon("ingest", night("act-2018"), "--lake", folder).code == 0
    assert pontoon("run", "--lake", folder).code == 1
    return folder


def small(folder: Path, text: str = IN_ORDER) -> Path:
    log = write_log(folder / "log.jsonl", [play("act-2018", text)])
    assert pontoon("ingest", log, "--lake", folder / "lake").code == 0
    return folder / "lake"


class TestIngest:
    """0 when every line is stored, 3 when one is quarantined, 2 when there is no input."""

    def test_the_report(self, tmp_path: Path) -> None:
        ran = pontoon("ingest", night("rws-2017"), "--lake", tmp_path / "lake", "--json")
        assert (ran.code, ran.object["stored"], ran.object["quarantined"]) == (0, 60, 0)
        again = pontoon("ingest", night("rws-2017"), "--lake", tmp_path / "lake")
        assert again.code == 0
        assert "rws-2017.jsonl: ingested before, nothing to do" in again.out

    def test_a_quarantined_line_is_3(self, tmp_path: Path) -> None:
        log = write_log(tmp_path / "log.jsonl", [play("act-2018", IN_ORDER)])
        log.write_bytes(log.read_bytes() + b"{}\n")
        ran = pontoon("ingest", log, "--lake", tmp_path / "lake")
        assert ran.code == 3
        assert "log.jsonl:2: " in ran.out

    def test_a_lake_beside_the_logs_is_passed_over_and_said_once(self, tmp_path: Path) -> None:
        folder = small(tmp_path)
        told = f"{folder}: a lake, passed over; `pontoon-audit run --lake {folder}` audits what it holds\n"
        ran = pontoon("ingest", tmp_path, "--lake", folder)
        assert (ran.code, ran.err.count(told)) == (0, 1)
        ran = pontoon("check", tmp_path)
        assert (ran.code, ran.err.count(told)) == (0, 1)
        assert "1 line, 1 round replayed." in ran.out
        assert pontoon("check", folder).code == 2

    def test_no_input_is_2_and_makes_no_lake(self, tmp_path: Path) -> None:
        ran = pontoon("ingest", tmp_path / "none.jsonl", "--lake", tmp_path / "lake")
        assert ran.code == 2
        assert not (tmp_path / "lake").exists()

    def test_what_no_lake_can_be_made_of_is_2(self, tmp_path: Path) -> None:
        log = write_log(tmp_path / "log.jsonl", [play("act-2018", IN_ORDER)])
        for place, told in ((log, "a file, and a lake is a folder"), (tmp_path, "neither empty nor a lake")):
            ran = pontoon("ingest", log, "--lake", place)
            assert (ran.code, ran.out) == (2, "")
            assert f"{place}: {told}; name a new folder" in ran.err
        assert list(tmp_path.iterdir()) == [log]

    def test_a_file_cut_short_is_3(self, tmp_path: Path) -> None:
        ran = pontoon("ingest", BROKEN / "truncated.jsonl.gz", "--lake", tmp_path / "lake")
        assert ran.code == 3
        assert "truncated.jsonl.gz: the gzip data ends too early" in ran.out

    def test_other_content_is_a_conflict_until_superseded(self, tmp_path: Path) -> None:
        folder = small(tmp_path)
        other = write_log(
            tmp_path / "other.jsonl", [play("act-2018", IN_ORDER.replace("wins 20", "wins 10"))]
        )
        assert pontoon("ingest", other, "--lake", folder).code == 3
        assert pontoon("ingest", other, "--lake", folder, "--supersede", "--json").object["superseding"] == 1


class TestRun:
    """Exit code by what was found; what it did on standard output, how far it is on standard error."""

    @pytest.mark.usefixtures("validated")
    def test_in_order_is_0(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_log(tmp_path / "log.jsonl", [play("act-2018", IN_ORDER)])
        monkeypatch.chdir(tmp_path)
        assert pontoon("ingest", "log.jsonl", "--lake", "lake").code == 0
        ran = pontoon("run", "--lake", "lake")
        assert ran.code == 0
        assert "Validation: rounds passed" in ran.out
        assert "Validating" in ran.err
        assert pontoon("verify", "--lake", "lake").code == 0

    def test_a_breach_is_0_when_nothing_is_to_fail(self, tmp_path: Path) -> None:
        folder = small(tmp_path, IN_ORDER.replace("wins 20", "wins 10"))
        ran = pontoon("run", "--lake", folder, "--fail-on", "never")
        assert ran.code == 0
        assert "AUD: 0 overpaid to players, 10 underpaid." in ran.out

    @pytest.mark.usefixtures("validated")
    def test_json_is_one_object(self, tmp_path: Path) -> None:
        ran = pontoon("run", "--lake", small(tmp_path), "--json", "--report-dir", tmp_path / "out")
        assert ran.object["exit_code"] == 0
        assert ran.object["partitions"][0]["gaming_date"] == "2019-03-01"
        assert {each["name"] for each in ran.object["validation"]["suites"]} >= {"checks", "control_totals"}
        assert (tmp_path / "out" / "report.html").is_file()

    @pytest.mark.slow
    def test_3_wins_over_1(self, lake: Path, tmp_path: Path) -> None:
        altered = copied(lake, tmp_path / "lake")
        path = Lake(altered).files("rounds", Lake(altered).partitions()[0])[0]
        path.write_bytes(path.read_bytes() + b"?")
        ran = pontoon("run", "--lake", altered)
        assert ran.code == 3
        assert "Incomplete: 1 partition could not be replayed" in ran.out
        assert "differs from the SHA-256" in ran.err
        assert "audit.duckdb is still the one before" in ran.err

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--date", "1999-01-01"], "nothing is stored for gaming date 1999-01-01"),
            (["--venue", "nowhere"], "nothing is stored for venue nowhere"),
            (["--date", "2019-01-01", "--since", "2018-01-01"], "--date stands alone"),
            (["--since", "2019-01-02", "--until", "2019-01-01"], "--since 2019-01-02 is after"),
            (["--date", "yesterday"], "expected a date such as"),
            (["--reading", "x=y"], "unknown"),
        ],
    )
    def test_a_choice_of_nothing_is_2(self, lake: Path, arguments: list[str], told: str) -> None:
        ran = pontoon("run", "--lake", lake, *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert told in " ".join(ran.err.split())

    @pytest.mark.parametrize("command", [["run"], ["run", "--changed"], ["report"], ["verify"]])
    def test_a_file_for_the_folder_of_the_report_is_2(
        self, lake: Path, tmp_path: Path, command: list[str]
    ) -> None:
        file = tmp_path / "report.html"
        file.write_text("mine")
        before = (lake / "ledger" / "runs.jsonl").read_bytes()
        ran = pontoon(*command, "--lake", lake, "--report-dir", file)
        assert (ran.code, ran.out) == (2, "")
        assert f"{file}: a file, and a report is a folder; name a folder with --report-dir" in ran.err
        assert (lake / "ledger" / "runs.jsonl").read_bytes() == before

    @pytest.mark.parametrize("command", ["run", "report", "verify", "status", "query"])
    def test_no_lake_is_2(self, tmp_path: Path, command: str) -> None:
        ran = pontoon(command, "--lake", tmp_path / "none")
        assert ran.code == 2
        assert "no lake here" in ran.err
        assert not (tmp_path / "none").exists()


class TestReport:
    """Rebuilt, the report has the bytes that the run gave it."""

    def test_the_same_bytes(self, lake: Path, tmp_path: Path) -> None:
        assert pontoon("report", "--lake", lake, "--report-dir", tmp_path / "out").code == 0
        for path in (tmp_path / "out").iterdir():
            assert file_digest(path) == file_digest(lake / "report" / path.name)

    def test_of_one_date(self, lake: Path, tmp_path: Path) -> None:
        day = str(Lake(lake).partitions()[0].gaming_date)
        ran = pontoon("report", "--lake", lake, "--date", day, "--report-dir", tmp_path / "out", "--json")
        scope = json.loads(Path(ran.object["json"]).read_text(encoding="utf-8"))["scope"]
        assert [each["gaming_date"] for each in scope] == [day]

    def test_before_a_run_there_is_none(self, tmp_path: Path) -> None:
        ran = pontoon("report", "--lake", small(tmp_path))
        assert ran.code == 2
        assert "no run yet" in ran.err

    def test_results_that_were_altered_are_not_reported(self, lake: Path, tmp_path: Path) -> None:
        altered = copied(lake, tmp_path / "lake")
        path = Lake(altered).files("findings", Lake(altered).partitions()[0])[0]
        path.write_bytes(path.read_bytes() + b"?")
        ran = pontoon("report", "--lake", altered)
        assert ran.code == 3
        assert "differs from the SHA-256" in ran.err


class TestVerifyAndStatus:
    """What the ledgers say, and whether the files agree."""

    def test_intact(self, lake: Path) -> None:
        ran = pontoon("verify", "--lake", lake, "--json")
        assert ran.code == 0
        assert ran.object["intact"] is True
        assert "intact" in pontoon("verify", "--lake", lake).out

    @pytest.mark.parametrize("closed", ["rounds", "rounds/venue=casino-canberra"])
    @pytest.mark.parametrize("command", ["verify", "status", "query"])
    def test_a_folder_that_may_not_be_read_is_3_and_named(
        self, lake: Path, closed: str, command: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Tests may run as somebody who may read everything.
        def refusing(path: str | Path) -> Any:
            if str(path) == str(lake / closed):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return scandir(path)

        scandir = os.scandir
        monkeypatch.setattr(os, "scandir", refusing)
        ran = pontoon(command, "--lake", lake, *(["SELECT 1"] if command == "query" else []))
        assert (ran.code, ran.out) == (3, "")
        assert f"{lake / closed}: could not look into the folder: permission denied" in ran.err

    def test_an_altered_file_is_1_and_named(self, lake: Path, tmp_path: Path) -> None:
        altered = copied(lake, tmp_path / "lake")
        path = Lake(altered).files("hands", Lake(altered).partitions()[0])[0]
        path.write_bytes(path.read_bytes() + b"?")
        ran = pontoon("verify", "--lake", altered)
        assert ran.code == 1
        assert path.relative_to(altered).as_posix() in ran.out

    def test_status(self, lake: Path) -> None:
        found = pontoon("status", "--lake", lake, "--json").object
        assert found["venues"]["casino-canberra"]["rounds"] == 60
        assert found["latest_run"]["run_id"].startswith("0001-")
        people = pontoon("status", "--lake", lake).out
        assert "casino-canberra" in people
        assert "Latest run 0001-" in people

    def test_status_before_a_run(self, tmp_path: Path) -> None:
        assert "No run yet." in pontoon("status", "--lake", small(tmp_path)).out


class TestQuery:
    """SQL over the views; the session reads the lake and nothing else."""

    COUNT = "SELECT count(*) AS rounds FROM rounds"

    def test_formats(self, lake: Path) -> None:
        assert pontoon("query", self.COUNT, "--lake", lake, "--format", "csv").out == "rounds\n60\n"
        assert pontoon("query", self.COUNT, "--lake", lake, "--format", "jsonl").out == '{"rounds":60}\n'
        assert pontoon("query", self.COUNT, "--lake", lake, "--json").object == {
            "columns": ["rounds"],
            "rows": [[60]],
        }
        assert "60" in pontoon("query", self.COUNT, "--lake", lake).out

    def test_from_standard_input(self, lake: Path) -> None:
        ran = pontoon("query", "--lake", lake, "--format", "csv", stdin=f"{self.COUNT}; SELECT 'a;b' AS x;")
        assert ran.out == "rounds\n60\nx\na;b\n"

    def test_one_object_answers_one_query(self, lake: Path) -> None:
        ran = pontoon("query", f"{self.COUNT}; SELECT 2", "--lake", lake, "--json")
        assert (ran.code, ran.out) == (2, "")
        assert "--json prints one object, and there are 2 queries" in ran.err

    def test_money_is_never_a_float(self, lake: Path) -> None:
        ran = pontoon("query", "SELECT sum(stake) AS stakes FROM settlements", "--lake", lake, "--json")
        assert isinstance(ran.object["rows"][0][0], str)

    def test_the_table_says_when_it_is_cut(self, lake: Path) -> None:
        ran = pontoon("query", "SELECT * FROM range(1001)", "--lake", lake)
        assert "Only the first 1,000 rows" in ran.err
        whole = pontoon("query", "SELECT * FROM range(1001)", "--lake", lake, "--format", "csv")
        assert len(list(csv.reader(whole.out.splitlines()))) == 1002

    @pytest.mark.parametrize(
        "query",
        [
            "SELEC 1",
            "COPY rounds TO 'out.parquet'",
            "SELECT * FROM read_text('/etc/passwd')",
            "",
            "SELECT nothing",
        ],
    )
    def test_what_cannot_be_asked_is_2(self, lake: Path, query: str) -> None:
        ran = pontoon("query", query, "--lake", lake)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("pontoon-audit: ")

    @pytest.mark.parametrize("query", ["FROM '/etc/passwd'", "FROM 'x.csv'", "FROM read_csv('x.csv')"])
    def test_a_file_is_not_read_and_what_can_be_is_said(self, lake: Path, query: str) -> None:
        ran = pontoon("query", query, "--lake", lake)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.endswith("Only the lake can be read; SHOW TABLES lists its views\n")
        assert "pg_" not in ran.err

    def test_the_nearest_view_is_named(self, lake: Path) -> None:
        assert 'Did you mean "findings"?' in pontoon("query", "FROM findngs", "--lake", lake).err

    def test_the_prompt_runs_until_the_end_of_input(
        self, lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        typed = iter(["SELECT 1", "AS one;", "SELEC;", "", "SELECT 2 AS two;"])

        def asked(prompt: str) -> str:
            line = next(typed, None)
            if line is None:
                raise EOFError
            return line

        monkeypatch.setattr("builtins.input", asked)
        with open_session(lake, unsafe=False) as session:
            prompt(session, "csv")
        told = capsys.readouterr()
        assert told.out == "one\n1\ntwo\n2\n"
        assert "syntax error" in told.err

    def test_unsafe_may_read_elsewhere(self, lake: Path, tmp_path: Path) -> None:
        (tmp_path / "x.csv").write_text("a\n1\n", encoding="utf-8")
        query = f"SELECT a FROM '{tmp_path / 'x.csv'}'"
        assert pontoon("query", query, "--lake", lake).code == 2
        assert pontoon("query", query, "--lake", lake, "--unsafe", "--format", "csv").out == "a\n1\n"

    @pytest.mark.parametrize("how", [(), ("--unsafe",)])
    def test_a_damaged_catalogue_is_3_and_how_to_have_another_is_said(
        self, lake: Path, tmp_path: Path, how: tuple[str, ...]
    ) -> None:
        damaged = copied(lake, tmp_path / "lake")
        (damaged / "audit.duckdb").write_bytes(b"x\n")
        ran = pontoon("query", self.COUNT, "--lake", damaged, *how)
        assert (ran.code, ran.out) == (3, "")
        assert f"{damaged / 'audit.duckdb'}: the catalogue cannot be opened" in ran.err
        assert f"`pontoon-audit run --lake {damaged}` builds it anew" in ran.err

    def test_before_a_run_there_is_no_catalogue(self, tmp_path: Path) -> None:
        ran = pontoon("query", self.COUNT, "--lake", small(tmp_path))
        assert ran.code == 2
        assert "no catalogue here" in ran.err


class TestExplain:
    """One round from a file or a lake, told the same."""

    def told(self, *arguments: str | Path) -> Ran:
        return pontoon("explain", *arguments)

    def test_from_both_places_alike(self, lake: Path) -> None:
        round_id = json.loads(night("act-2018").read_text(encoding="utf-8").splitlines()[3])["round_id"]
        from_lake = self.told(round_id, "--lake", lake)
        from_file = self.told(round_id, "--file", night("act-2018"))
        assert from_lake.code == from_file.code == 0
        assert from_lake.out.startswith(f"Round {round_id}\n")
        assert from_lake.out == from_file.out

    def test_instants_of_several_offsets_alike(self, tmp_path: Path) -> None:
        line = json.loads(night("act-2018").read_text(encoding="utf-8").splitlines()[3])
        started = datetime.fromisoformat(line["started_at"])
        line["ended_at"] = (started + timedelta(minutes=2)).astimezone(UTC).isoformat()
        line["events"][0]["at"] = (started + timedelta(seconds=1)).astimezone(UTC).isoformat()
        log, lake = tmp_path / "log.jsonl", tmp_path / "lake"
        log.write_text(json.dumps(line) + "\n", encoding="utf-8")
        assert pontoon("ingest", log, "--lake", lake).code == 0
        from_lake = self.told(line["round_id"], "--lake", lake, "--level", "3")
        assert from_lake.out == self.told(line["round_id"], "--file", log, "--level", "3").out
        assert f"{started + timedelta(seconds=1):%H:%M:%S}" in from_lake.out
        assert "+00:00" not in from_lake.out

    def test_levels_and_json(self, lake: Path) -> None:
        round_id = json.loads(night("act-2018").read_text(encoding="utf-8").splitlines()[0])["round_id"]
        sizes = [len(self.told(round_id, "--lake", lake, "--level", str(level)).out) for level in (1, 2, 3)]
        assert sizes[0] < sizes[1] < sizes[2]
        assert self.told(round_id, "--lake", lake, "--json").object["heading"]["round_id"] == round_id

    def test_findings_of_the_shoe_are_told(self, tmp_path: Path) -> None:
        rounds = [play("act-2018", IN_ORDER, round_id=f"R{n}", round_no=n) for n in (1, 2, 5)]
        log = write_log(tmp_path / "log.jsonl", rounds)
        assert pontoon("ingest", log, "--lake", tmp_path / "lake").code == 0
        for place in (("--file", log), ("--lake", tmp_path / "lake")):
            assert "2 missing" in self.told("R5", *place).out

    def test_an_id_of_two_venues_wants_the_venue(self, tmp_path: Path) -> None:
        rounds = [play("act-2018", IN_ORDER), play("nz-2000", IN_ORDER)]
        log = write_log(tmp_path / "log.jsonl", rounds)
        pontoon("ingest", log, "--lake", tmp_path / "lake")
        for place in (("--file", log), ("--lake", tmp_path / "lake")):
            several = self.told("round", *place)
            assert several.code == 2
            assert "name one with --venue: casino-canberra, skycity-auckland" in several.err
            assert "skycity-auckland" in self.told("round", *place, "--venue", "skycity-auckland").out

    @pytest.mark.parametrize("arguments", [["nothing"], ["nothing", "--file", "x.jsonl"]])
    def test_an_unknown_place_is_2(self, arguments: list[str]) -> None:
        assert self.told(*arguments).code == 2

    def test_an_unknown_round_is_2(self, lake: Path) -> None:
        for place in (("--lake", lake), ("--file", night("act-2018"))):
            ran = self.told("no-such-round", *place)
            assert (ran.code, ran.out) == (2, "")
            assert "no round no-such-round" in ran.err

    def test_evidence_that_was_altered_is_3(self, lake: Path, tmp_path: Path) -> None:
        altered = copied(lake, tmp_path / "lake")
        partition = Lake(altered).partitions()[0]
        round_id = next(Lake(altered).read_rounds(partition)).round_id
        path = Lake(altered).files("events", partition)[0]
        path.write_bytes(path.read_bytes() + b"?")
        ran = self.told(round_id, "--lake", altered)
        assert ran.code == 3
        assert "cannot be trusted" in ran.err
