"""Runs on a Spark of this machine: the same bytes, whoever is killed, and who is refused.

``make test-spark`` runs them. PySpark is not among the libraries of the project, so it is imported by none
of the tests that run without it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import psutil
import pytest

from audit.digests import files_in
from audit.engines import Engine, Work
from audit.engines.choice import chosen_engine
from audit.engines.remote import ATTEMPTS
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import Law, load_law
from audit.partitions import Choice, Failed, Plan, Replayed
from audit.progress import Advance, Progress
from audit.run import run
from data_samples.bulk import deal_original
from rules_replay.auditor import Auditor
from rules_replay.log import Round
from rules_replay.results import RoundReplay
from tests.bench.lake import write_lake
from tests.cluster import HOME, PATIENCE, published
from tests.commands import copied

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MASTER = "local[2]"
EVENING = 120
EVENINGS = 12
KILLS = 4

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """The bundled samples, ingested."""
    lake = Lake(tmp_path_factory.mktemp("samples") / "lake")
    ingest([HOME / "data_samples" / "nights"], lake, load_law().register, at=AT)
    return lake


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Evenings of two houses, each a partition that takes a moment to replay."""
    lake = Lake(tmp_path_factory.mktemp("spark") / "lake")
    dealt = {name: deal_original(name, EVENING, rate=0.05) for name in ("act-2018", "rws-2017")}
    write_lake(lake.root, dealt, len(dealt) * EVENING * EVENINGS, jobs=1, at=AT)
    return lake


@pytest.fixture(autouse=True)
def spark_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Spark that listens on this machine only, and workers that run this code."""
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(HOME), os.environ.get("PYTHONPATH", ""))))


def spark() -> Engine:
    return chosen_engine("spark", MASTER, None)


def by_one_machine(lake: Lake, folder: Path) -> dict[str, str]:
    """What a run on one machine publishes of a copy of a lake."""
    own = Lake(copied(lake.root, folder / "local"))
    run(own, load_law(), Choice(), jobs=1, at=AT, progress=Progress(StringIO()))
    return published(own)


def at_work() -> list[psutil.Process]:
    """The processes of this machine's Spark that replay just now."""
    found = []
    for each in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "pyspark.daemon" in each.cmdline() and each.cpu_percent(interval=0.05) > 10:
                found.append(each)
    return found


def spark_run(lake: Path, inside: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process and a Java of its own, inside a folder without this code."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "audit.cli", "run", "--lake", str(lake)),
            *("--engine", "spark", "--scheduler", MASTER),
        ],
        cwd=inside,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def begun(lake: Lake, errors: Path) -> subprocess.Popen[bytes]:
    """The command, once it is replaying."""
    with errors.open("wb") as stream:
        command = subprocess.Popen(
            [
                *(sys.executable, "-m", "audit.cli", "--log-format", "json", "run"),
                *("--lake", str(lake.root), "--engine", "spark", "--scheduler", MASTER),
            ],
            stdout=subprocess.DEVNULL,
            stderr=stream,
            # A shell that starts the tests in the background has them ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
    until = time.monotonic() + PATIENCE
    while '"work.started"' not in errors.read_text() and command.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.02)
    return command


class TestSameBytes:
    """What is published does not show where it was replayed, nor who was killed meanwhile."""

    def test_of_the_samples(self, samples: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(samples.root, tmp_path / "lake"))
        outcome = run(lake, load_law(), Choice(), engine=spark(), at=AT, progress=Progress(StringIO()))
        assert outcome.failed == ()
        assert published(lake) == by_one_machine(samples, tmp_path)
        assert list((lake.root / ".staging").iterdir()) == []
        assert lake.verify().intact

    def test_while_workers_are_killed_at_random(self, evenings: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        chance, stream = random.Random(1), StringIO()
        replaying, over = threading.Event(), threading.Event()

        class Watched(Progress):
            @contextmanager
            def work(self, title: str, total: int | None = None) -> Iterator[Advance]:
                replaying.set()
                with super().work(title, total) as advance:
                    yield advance

        def killer() -> None:
            replaying.wait(PATIENCE)
            for _ in range(KILLS):
                while not over.wait(chance.uniform(0.1, 0.6)):
                    if victims := at_work():
                        chance.choice(victims).kill()
                        break

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            outcome = run(lake, load_law(), Choice(), engine=spark(), at=AT, progress=Watched(stream))
        finally:
            over.set()
            replaying.set()
            thread.join()
        assert outcome.failed == ()
        assert stream.getvalue().count("a worker was lost over") >= KILLS // 2
        assert published(lake) == by_one_machine(evenings, tmp_path)
        assert lake.verify().intact


class DeadlyAuditor(Auditor):
    def audit(self, round_: Round) -> RoundReplay:
        if round_.venue == "casino-canberra":
            os._exit(9)
        return super().audit(round_)


class Deadly(Law):
    """A law under which the process dies over the rounds of one house."""

    __slots__ = ()

    def auditor(self) -> Auditor:
        return DeadlyAuditor(self.register, self.readings)


def test_a_partition_that_kills_its_workers_fails_and_ends(evenings: Lake) -> None:
    law, stream = load_law(), StringIO()
    deadly = Deadly(register=law.register, register_sha256=law.register_sha256)
    with (
        evenings.writing(),
        evenings.staging() as folder,
        spark().crew(evenings, folder, Progress(stream)) as crew,
    ):
        plan = Plan(evenings, evenings.published(), Choice())
        chosen = (
            plan.planned[0],
            *(each for each in plan.planned if each.partition.venue != "casino-canberra"),
        )
        found = {each.partition.venue: each for each in crew.replay(Work.of(evenings, chosen[:3], deadly))}
    failed = found.pop("casino-canberra")
    assert isinstance(failed, Failed)
    assert failed.reason.startswith(f"{ATTEMPTS} workers were lost over it")
    assert stream.getvalue().count("a worker was lost over") == ATTEMPTS
    assert all(isinstance(each, Replayed) for each in found.values())
    assert found


class TestRefusal:
    """Workers that are not what runs here, a Java that is not here, and masters that are none."""

    @pytest.mark.parametrize(
        ("packages", "words"),
        [
            (
                ("audit", "expectations", "rules_replay"),
                "this Spark worker is not what runs here: code and rulebooks (SHA-256)",
            ),
            (
                (),
                "a Spark worker cannot run this program: ModuleNotFoundError: No module named",
            ),
        ],
    )
    def test_other_code(self, evenings: Lake, tmp_path: Path, packages: tuple[str, ...], words: str) -> None:
        code, python = tmp_path / "code", tmp_path / "python"
        (code / "audit").mkdir(parents=True)
        (code / "audit" / "__init__.py").touch()
        for package in packages:
            shutil.copytree(HOME / package, code / package, dirs_exist_ok=True)
            (code / package / "another.py").touch()
        python.write_text(
            f'#!/bin/sh\nPYTHONPATH="{code}:$PYTHONPATH" exec {sys.executable} "$@"\n', encoding="utf-8"
        )
        python.chmod(0o755)
        before = files_in(evenings.root)
        ran = spark_run(evenings.root, tmp_path, PYSPARK_PYTHON=str(python))
        assert (ran.returncode, ran.stdout) == (2, "")
        assert words in ran.stderr
        assert files_in(evenings.root) == before

    def test_no_java(self, evenings: Lake, tmp_path: Path) -> None:
        for name in ("bash", "dirname", "readlink", "uname", "env", "sh"):
            (tmp_path / name).symlink_to(str(shutil.which(name)))
        ran = spark_run(evenings.root, tmp_path, PATH=str(tmp_path), JAVA_HOME="")
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == (
            "pontoon-audit: --engine spark needs Java, which did not start: JAVA_HOME is not set\n"
        )


class TestEnds:
    """A Spark that is gone, and a run that is told to stop, publish nothing."""

    def test_spark_is_killed(self, evenings: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        before = files_in(lake.root)
        errors = tmp_path / "errors"
        command = begun(lake, errors)
        (java,) = (
            each for each in psutil.Process(command.pid).children(recursive=True) if each.name() == "java"
        )
        java.kill()
        assert command.wait(PATIENCE) == 3
        # PySpark tells of its own threads before.
        told = errors.read_text().splitlines()
        assert "Spark is gone; nothing was published" in told[-1]
        assert "Traceback" not in "".join(line for line in told if line.startswith("{"))
        assert files_in(lake.root) == before

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_told_to_stop(self, evenings: Lake, tmp_path: Path, number: signal.Signals, code: int) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        before = files_in(lake.root)
        errors = tmp_path / "errors"
        command = begun(lake, errors)
        command.send_signal(number)
        assert command.wait(PATIENCE) == code
        assert all(line.startswith("{") for line in errors.read_text().splitlines())
        # What a worker was at may write a little longer; the next writer clears up.
        with lake.writing():
            assert files_in(lake.root) == before
