"""Told to stop, killed, or not alone: a command ends in order, and so does all that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from audit.digests import file_digest
from audit.lake import Lake
from audit.ledger import record_digest
from audit.publication import INTENT
from audit.stopping import Terminated, end_on_sigterm, unstopped
from tests.commands import copied, night, pontoon
from tests.crash.aftermath import right_when_run_again
from tests.crash.kills import kill_group
from tests.crash.lakes import Scenario, Stage, bytes_of, changed_log, ended, started

pytestmark = pytest.mark.slow

PATIENCE = 120.0
STOPS = [(signal.SIGTERM, 143, "Stopped by SIGTERM"), (signal.SIGINT, 130, "Interrupted")]
ids = ["SIGTERM", "Ctrl-C"]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("signals"), validated=False)


@contextmanager
def until(scenario: Scenario, reached: Callable[[str], bool], **given: object) -> Iterator[BaseProcess]:
    """A command that has got so far; ``reached`` is asked with what it has said on standard error."""
    scenario.restore()
    errors = scenario.lake.with_name("errors")
    errors.write_text("")
    process = started(scenario.driven(errors=errors, **given))
    try:
        end = time.monotonic() + PATIENCE
        while not reached(errors.read_text()):
            assert process.is_alive(), errors.read_text()
            assert time.monotonic() < end
            time.sleep(0.002)
        yield process
    finally:
        kill_group(process)


def working(scenario: Scenario) -> Callable[[str], bool]:
    return lambda _: any(scenario.lake.glob(".staging/*"))


def said(words: str) -> Callable[[str], bool]:
    return lambda errors: words in errors


def children(pid: int) -> list[int]:
    """The workers of a process, each a child of one of its threads."""
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += [
                int(each)
                for each in listed.read_text().split()
                if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()
            ]
    return found


def gone(pids: list[int]) -> bool:
    end = time.monotonic() + 20
    while any(_lives(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(process: BaseProcess, scenario: Scenario) -> tuple[int, str]:
    """The exit code of a command, and its last line."""
    process.join(PATIENCE)
    assert process.exitcode is not None
    return process.exitcode, scenario.lake.with_name("errors").read_text().strip().splitlines()[-1]


class TestToldToStop:
    """SIGTERM and Ctrl-C: one line, the conventional exit code, nothing by halves, nobody left."""

    @pytest.mark.parametrize(("number", "code", "words"), STOPS, ids=ids)
    def test_an_ingest_at_work(self, stage: Stage, number: int, code: int, words: str) -> None:
        scenario = stage.scenario("supersede")
        with until(scenario, working(scenario)) as process:
            os.kill(process.pid or 0, number)
            assert ends(process, scenario) == (
                code,
                f"pontoon-audit: {words}; nothing was published by halves.",
            )
        assert bytes_of(scenario.lake) == scenario.bytes_before
        assert Lake(scenario.lake).unfinished() == []

    @pytest.mark.parametrize(("number", "code", "words"), STOPS, ids=ids)
    @pytest.mark.parametrize("step", [2, 9])
    def test_an_ingest_that_is_publishing(
        self, stage: Stage, number: int, code: int, words: str, step: int
    ) -> None:
        scenario = stage.scenario("supersede")
        scenario.restore()
        errors = scenario.lake.with_name("errors")
        assert ended(scenario.driven(kill_at=step, by=number, errors=errors)) == code
        assert words in errors.read_text()
        assert bytes_of(scenario.lake) in (scenario.bytes_before, scenario.after[scenario.records + 1])
        assert Lake(scenario.lake).unfinished() == []
        if step > 2:
            assert scenario.written() > scenario.records

    @pytest.mark.parametrize(
        ("words", "number"),
        [("Validating", signal.SIGTERM), ("Writing the report", signal.SIGINT)],
    )
    def test_a_run(self, stage: Stage, words: str, number: int) -> None:
        scenario = replace(stage.scenario("run-jobs"), validated=True)
        with until(scenario, said(words)) as process:
            os.kill(process.pid or 0, number)
            code, line = ends(process, scenario)
        assert code == 128 + number
        assert line.endswith("nothing was published by halves.")
        assert bytes_of(scenario.lake) == scenario.bytes_before

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_the_workers_of_a_run_end_with_it(self, stage: Stage, number: int) -> None:
        scenario = stage.scenario("run-jobs")
        workers: list[int] = []
        with until(scenario, working(scenario)) as process:
            while len(workers) < 2 and process.is_alive():
                workers = children(process.pid or 0)
            os.kill(process.pid or 0, number)
            assert ends(process, scenario)[0] == 128 + number
            assert gone(workers)
        assert bytes_of(scenario.lake) == scenario.bytes_before

    def test_the_command_itself(self, tmp_path: Path) -> None:
        pipe = tmp_path / "log.jsonl"
        os.mkfifo(pipe)
        process = subprocess.Popen(
            [sys.executable, "-m", "audit.cli", "ingest", str(pipe), "--lake", str(tmp_path / "lake")],
            stderr=subprocess.PIPE,
            text=True,
        )
        end = time.monotonic() + PATIENCE
        while not any(tmp_path.glob("lake/.staging/*/0")) and time.monotonic() < end:
            time.sleep(0.01)
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 143
        assert errors == "pontoon-audit: Stopped by SIGTERM; nothing was published by halves.\n"
        assert list((tmp_path / "lake" / ".staging").iterdir()) == []

    def test_a_signal_is_put_off_and_not_forgotten(self) -> None:
        before = signal.getsignal(signal.SIGTERM)
        done: list[str] = []

        def work() -> None:
            with unstopped():
                signal.raise_signal(signal.SIGTERM)
                done.append("all of it")

        try:
            end_on_sigterm()
            with pytest.raises(Terminated):
                work()
            assert done
        finally:
            signal.signal(signal.SIGTERM, before)


class TestWorkersKilled:
    """A worker that is killed costs the command nothing but time, or ends it in order."""

    def test_of_a_run(self, stage: Stage) -> None:
        scenario = stage.scenario("run-jobs")
        workers: list[int] = []
        with until(scenario, working(scenario)) as process:
            while not workers and process.is_alive():
                workers = children(process.pid or 0)
            os.kill(workers[0], signal.SIGKILL)
            assert ends(process, scenario)[0] == scenario.code
        assert bytes_of(scenario.lake) == scenario.after[scenario.records + 1]

    def test_of_an_ingest(self, stage: Stage) -> None:
        scenario = stage.scenario("supersede")
        workers: list[int] = []
        with until(scenario, working(scenario), readers=2) as process:
            while not workers and process.is_alive():
                workers = children(process.pid or 0)
            os.kill(workers[0], signal.SIGKILL)
            code, line = ends(process, scenario)
        assert code == 3
        assert line.endswith("nothing was published, run again")
        assert bytes_of(scenario.lake) == scenario.bytes_before
        right_when_run_again(scenario)

    def test_orphans_end_and_hold_nothing(self, stage: Stage) -> None:
        scenario = stage.scenario("run-jobs")
        workers: list[int] = []
        with until(scenario, working(scenario)) as process:
            while len(workers) < 2 and process.is_alive():
                workers = children(process.pid or 0)
            process.kill()
            process.join()
            with Lake(scenario.lake).writing():
                pass
            assert gone(workers)
        with Lake(scenario.lake).writing():
            pass
        assert bytes_of(scenario.lake) == scenario.bytes_before


class TestTwoAtOnce:
    """One command writes to a lake at a time; a lock dies with its holder."""

    @pytest.mark.parametrize("command", ["ingest", "run"])
    def test_the_second_refuses(self, tmp_path: Path, stage: Stage, command: str) -> None:
        scenario = stage.scenario("supersede")
        given = [changed_log(tmp_path / "log.jsonl", night("act-2005"))] if command == "ingest" else []
        with until(scenario, working(scenario)) as process:
            os.kill(process.pid or 0, signal.SIGSTOP)
            second = pontoon(command, *given, "--lake", scenario.lake)
            assert second.code == 3
            assert "another process is using this lake; run again later" in second.err
            assert pontoon("verify", "--lake", scenario.lake).code == 3
            status = pontoon("status", "--lake", scenario.lake)
            assert "Another process is at work in this lake." in status.out
            assert "Unfinished" not in status.out
        assert {each.what for each in Lake(scenario.lake).unfinished() or ()} == {"work"}
        assert "Unfinished: .staging/" in pontoon("status", "--lake", scenario.lake).out
        assert bytes_of_published(scenario.lake) == scenario.bytes_before
        right_when_run_again(scenario)

    def test_looking_on_refuses_nobody(self, tmp_path: Path) -> None:
        lake = tmp_path / "lake"
        assert pontoon("ingest", night("nz-2000"), "--lake", lake).code == 0
        looker = Lake(lake)
        with looker.reading():
            assert pontoon("ingest", night("act-2018"), "--lake", lake).code == 3
        assert looker.unfinished() == []
        assert pontoon("ingest", night("act-2018"), "--lake", lake).code == 0


def bytes_of_published(lake: Path) -> dict[str, str]:
    return {place: digest for place, digest in bytes_of(lake).items() if not place.startswith(".staging/")}


class TestStatus:
    """What was left behind is said, and then cleared up."""

    def test_a_catalogue_cut_off(self, tmp_path: Path, stage: Stage) -> None:
        lake = copied(stage.scenario("supersede").before, tmp_path / "lake")
        (lake / ".audit.duckdb.123.building").write_bytes(b"half")
        (lake / "report" / ".report-x1").mkdir()
        (lake / "audit.duckdb").unlink()
        assert [each.what for each in Lake(lake).unfinished() or ()] == ["catalogue", "report", "catalogue"]
        with Lake(lake).writing():
            pass
        left = [each.text for each in Lake(lake).unfinished() or ()]
        assert left == ["audit.duckdb: not there; the next run builds it"]

    def test_an_intent_that_no_publication_writes_moves_nothing(self, tmp_path: Path, stage: Stage) -> None:
        lake = copied(stage.scenario("supersede").before, tmp_path / "lake")
        mine = tmp_path / "mine.txt"
        mine.write_text("mine")
        before = bytes_of(lake)
        record = {"previous": Lake(lake).heads()["runs"].sha256, "published": [], "retired": []}
        record["sha256"] = record_digest(record)
        for number, move in enumerate((("../mine.txt", "x"), ("x", str(mine)))):
            folder = lake / ".staging" / str(number)
            folder.mkdir()
            moves = [[*move, file_digest(mine)]]
            (folder / INTENT).write_text(json.dumps({"ledger": "runs", "record": record, "moves": moves}))
        (lake / ".staging" / "linked").symlink_to(tmp_path)
        with Lake(lake).writing():
            pass
        assert mine.read_text() == "mine"
        assert bytes_of(lake) == before
