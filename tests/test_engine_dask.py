"""Runs on a Dask cluster of real processes: the same bytes, whoever is killed, and who is refused."""

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
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from audit.digests import files_in
from audit.engines import Work
from audit.engines.dask import TELL_EVERY, Dask
from audit.engines.remote import ATTEMPTS, ClusterLost
from audit.lake import Lake
from audit.law import Law, load_law
from audit.partitions import Choice, Failed, Plan, Replayed
from audit.progress import Progress
from audit.run import run
from data_samples.bulk import deal_original
from rules_replay.auditor import Auditor
from rules_replay.log import Round
from rules_replay.results import RoundReplay
from tests.bench.lake import write_lake
from tests.cluster import HOME, PATIENCE, Cluster, cluster, kill, published
from tests.commands import copied, pontoon

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EVENING = 120
EVENINGS = 8
KILLS = 6
COMMAND = (
    "from audit.cli import main; from audit.run import _Night; from tests.unvalidated import passed; "
    "_Night._validate = passed; main()"
)
"""The command; what is published where all goes well is looked at elsewhere, and needs no validation here."""

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unvalidated")]


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Evenings of two houses, each a partition that takes a moment to replay."""
    lake = Lake(tmp_path_factory.mktemp("dask") / "lake")
    dealt = {name: deal_original(name, EVENING, rate=0.05) for name in ("act-2018", "rws-2017")}
    write_lake(lake.root, dealt, len(dealt) * EVENING * EVENINGS, jobs=1, at=AT)
    return lake


@pytest.fixture(scope="module")
def by_one_machine(evenings: Lake, tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Lake:
    lake = Lake(copied(evenings.root, tmp_path_factory.mktemp("local") / "lake"))
    run(lake, load_law(), Choice(), jobs=1, at=AT, progress=Progress(StringIO()))
    return lake


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("scheduler") / "cluster") as made:
        yield made


@pytest.fixture
def dask(scheduler: Cluster) -> Iterator[Cluster]:
    """A cluster without workers, whose scheduler others have had before."""
    yield scheduler
    scheduler.dismiss()


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of one's own."""
    with cluster(tmp_path / "cluster") as made:
        yield made


def begun(lake: Lake, address: str, errors: Path) -> subprocess.Popen[bytes]:
    """The command, once it is replaying."""
    with errors.open("wb") as stream:
        command = subprocess.Popen(
            [
                *(sys.executable, "-c", COMMAND, "--log-format", "json", "run"),
                *("--lake", str(lake.root), "--engine", "dask", "--scheduler", address),
            ],
            stdout=subprocess.DEVNULL,
            stderr=stream,
            env={**os.environ, "PYTHONPATH": str(HOME)},
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

    def test_as_on_one_machine(
        self, evenings: Lake, by_one_machine: Lake, dask: Cluster, tmp_path: Path
    ) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        dask.workers(2)
        stream = StringIO()
        run(lake, load_law(), Choice(), engine=Dask(dask.address), at=AT, progress=Progress(stream))
        assert published(lake) == published(by_one_machine)
        assert list((lake.root / ".staging").iterdir()) == []
        assert lake.verify().intact

    def test_while_workers_are_killed_at_random(
        self, evenings: Lake, by_one_machine: Lake, dask: Cluster, tmp_path: Path
    ) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        crews = [dask.workers(2), dask.workers(1)]
        chance = random.Random(1)
        replaying, over, killed = threading.Event(), threading.Event(), 0

        class Watched(Progress):
            def say(self, text: str, *others: object, **more: object) -> None:
                if text.startswith("Replaying"):
                    replaying.set()

        def killer() -> None:
            nonlocal killed
            replaying.wait(PATIENCE)
            while not over.wait(chance.uniform(0.1, 0.8)):
                victims = dask.at_work(crews[0]) if killed < KILLS else []
                if victims:
                    chance.choice(victims).kill()
                    killed += 1
                if killed == KILLS // 2:
                    # This one is not replaced.
                    kill(crews[1])

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            outcome = run(
                lake, load_law(), Choice(), engine=Dask(dask.address), at=AT, progress=Watched(StringIO())
            )
        finally:
            over.set()
            thread.join()
        assert killed >= KILLS // 2
        assert outcome.failed == ()
        assert published(lake) == published(by_one_machine)
        assert lake.verify().intact


class Deadly(Law):
    """A law under which the process dies."""

    __slots__ = ()

    def auditor(self) -> Auditor:
        os._exit(9)


class SlowAuditor(Auditor):
    def audit(self, round_: Round) -> RoundReplay:
        time.sleep(0.02)
        return super().audit(round_)


class Slow(Law):
    """A law that takes its time before the first round, and over each."""

    __slots__ = ()

    def auditor(self) -> Auditor:
        time.sleep(1.5 * TELL_EVERY)
        return SlowAuditor(self.register, self.readings)


def test_progress_is_told_from_within_a_partition(
    evenings: Lake, dask: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.progress.PATIENCE", 0)
    monkeypatch.setattr("audit.progress.EVERY", 0)
    dask.workers(1)
    law, stream = load_law(), StringIO()
    slow = Slow(register=law.register, register_sha256=law.register_sha256)
    with (
        evenings.writing(),
        evenings.staging() as folder,
        Dask(dask.address).crew(evenings, folder, Progress(stream)) as crew,
    ):
        plan = Plan(evenings, evenings.published(), Choice())
        (found,) = crew.replay(Work.of(evenings, plan.planned[:1], slow))
    assert isinstance(found, Replayed)
    assert f"Replaying 1 partition: 50 of {EVENING}\n" in stream.getvalue()


def test_a_partition_that_kills_its_workers_fails_and_ends(evenings: Lake, dask: Cluster) -> None:
    dask.workers(1)
    law = load_law()
    deadly = Deadly(register=law.register, register_sha256=law.register_sha256)
    with (
        evenings.writing(),
        evenings.staging() as folder,
        Dask(dask.address).crew(evenings, folder, Progress(StringIO())) as crew,
    ):
        plan = Plan(evenings, evenings.published(), Choice())
        (found,) = crew.replay(Work.of(evenings, plan.planned[:1], deadly))
        assert isinstance(found, Failed)
        assert found.reason.startswith(f"{ATTEMPTS} workers were lost over it")
        (tried,) = folder.glob("task-*")
        assert len(list(tried.iterdir())) == ATTEMPTS


class TestRefusal:
    """A worker that is not what runs here, or not at this lake, gets no work."""

    def test_other_code(self, evenings: Lake, dask: Cluster, tmp_path: Path) -> None:
        for package in ("audit", "expectations", "rules_replay"):
            shutil.copytree(HOME / package, tmp_path / "code" / package)
        with (tmp_path / "code" / "rules_replay" / "rulebooks" / "act_2018.toml").open("a") as book:
            book.write("# another edition\n")
        before = files_in(evenings.root)
        dask.workers(code=tmp_path / "code")
        ran = pontoon("run", "--lake", evenings.root, "--engine", "dask", "--scheduler", dask.address)
        assert ran.code == 2
        assert "this Dask worker is not what runs here: code and rulebooks (SHA-256)" in ran.err
        assert files_in(evenings.root) == before

    def test_no_such_program(self, evenings: Lake, dask: Cluster, tmp_path: Path) -> None:
        (tmp_path / "code" / "audit").mkdir(parents=True)
        (tmp_path / "code" / "audit" / "__init__.py").touch()
        dask.workers(code=tmp_path / "code")
        ran = pontoon("run", "--lake", evenings.root, "--engine", "dask", "--scheduler", dask.address)
        assert ran.code == 2
        assert "cannot run this program: ModuleNotFoundError" in ran.err

    def test_another_lake_under_the_same_path(
        self, evenings: Lake, dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A path that means another folder in each process, as one that is mounted otherwise does."""
        for name in ("here", "there"):
            copied(evenings.root, tmp_path / name / "lake")
        dask.workers(inside=tmp_path / "there")
        monkeypatch.chdir(tmp_path / "here")
        ran = pontoon("run", "--lake", "/proc/self/cwd/lake", "--engine", "dask", "--scheduler", dask.address)
        assert ran.code == 2
        assert "does not see the lake in /proc/self/cwd/lake" in ran.err

    def test_more_threads_than_one(self, evenings: Lake, dask: Cluster) -> None:
        dask.workers(threads=2)
        ran = pontoon("run", "--lake", evenings.root, "--engine", "dask", "--scheduler", dask.address)
        assert ran.code == 2
        assert "runs 2 threads; start it with --nthreads 1" in ran.err

    def test_one_that_comes_later(
        self, evenings: Lake, by_one_machine: Lake, dask: Cluster, tmp_path: Path
    ) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        dask.workers(1)
        errors = tmp_path / "errors"
        command = begun(lake, dask.address, errors)
        dask.workers(threads=2)
        assert command.wait(PATIENCE) == 1
        assert '"worker.refused"' in errors.read_text()
        assert {place for place in published(lake) if place.startswith("findings/")} == {
            place for place in published(by_one_machine) if place.startswith("findings/")
        }


class TestEnds:
    """A cluster that is gone, and a run that is told to stop, publish nothing."""

    def test_no_scheduler(self, evenings: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("audit.engines.dask.PATIENCE", 1)
        ran = pontoon("run", "--lake", evenings.root, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
        assert ran.code == 3
        assert ran.err == (
            "pontoon-audit: tcp://127.0.0.1:1: no Dask scheduler answers there; start it and run again\n"
        )

    def test_no_workers(self, evenings: Lake, dask: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("audit.engines.dask.PATIENCE", 3)
        with pytest.raises(ClusterLost, match="the scheduler has no workers"):
            run(evenings, load_law(), Choice(), engine=Dask(dask.address), progress=Progress(StringIO()))

    def test_the_scheduler_is_killed(self, evenings: Lake, doomed: Cluster, tmp_path: Path) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        before = files_in(lake.root)
        doomed.workers(1)
        errors = tmp_path / "errors"
        command = begun(lake, doomed.address, errors)
        kill(doomed.scheduler)
        assert command.wait(PATIENCE) == 3
        told = errors.read_text().splitlines()
        assert "the Dask scheduler is gone; nothing was published" in told[-1]
        assert "Traceback" not in "".join(told)
        assert files_in(lake.root) == before

    @pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_told_to_stop(
        self, evenings: Lake, dask: Cluster, tmp_path: Path, number: signal.Signals, code: int
    ) -> None:
        lake = Lake(copied(evenings.root, tmp_path / "lake"))
        before = files_in(lake.root)
        dask.workers(1)
        command = begun(lake, dask.address, tmp_path / "errors")
        command.send_signal(number)
        assert command.wait(PATIENCE) == code
        # What the worker was at may write a little longer; the next writer clears up.
        with lake.writing():
            assert files_in(lake.root) == before
