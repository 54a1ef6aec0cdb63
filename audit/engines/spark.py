"""Partitions replayed by the executors of a Spark cluster.

A partition is a row of a frame, which `mapInArrow` turns into what came of it, and a job of its own: one that
kills its workers takes no other with it, and how often it is begun again is counted here.
"""

from __future__ import annotations

import os
import pickle  # nosec B403
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from audit.engines import Crew, Outcome, Work, remote
from audit.engines.remote import ClusterLost, Task, WorkerDiffers
from audit.errors import UsageProblem
from audit.lake import Lake
from audit.partitions import partition_name
from audit.progress import Progress

try:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError:
    raise UsageProblem("--engine spark needs PySpark: `pip install 'pontoon-audit[spark]'`") from None

_LOST = (Py4JError, PySparkException, OSError)


@dataclass(frozen=True, slots=True)
class Spark:
    """A cluster by its master, such as ``spark://10.0.0.7:7077``."""

    master: str

    @contextmanager
    def crew(self, lake: Lake, folder: Path, progress: Progress) -> Iterator[Crew]:
        """The executors of the cluster; those that answer at the start must be able to do the work."""
        # Pandas is not used here; Great Expectations imports PySpark as well, and that warns of it again.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        spark = _session(self.master, folder / "spark.log")
        try:
            crew = _Crew(spark, lake, folder, progress)
            crew.muster()
            yield crew
        finally:
            with suppress(*_LOST):
                spark.stop()


def _session(master: str, log: Path) -> SparkSession:
    """A session whose Java says what it says in a file; raises `UsageProblem` or `ClusterLost`."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {"spark.task.maxFailures": "1", "spark.ui.showConsoleProgress": "false"}
    handler, errors = signal.getsignal(signal.SIGINT), os.dup(2)
    try:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 2)
        return SparkSession.builder.master(master).appName("pontoon-audit").config(map=settings).getOrCreate()
    except PySparkException:
        told = log.read_text(errors="replace").partition("\n")[0]
        raise UsageProblem(f"--engine spark needs Java, which did not start: {told}") from None
    except Py4JError as error:
        raise ClusterLost(f"{master}: no Spark for this program there: {_shortly(error)}") from None
    finally:
        os.dup2(errors, 2)
        os.close(errors)
        # PySpark's own, which it puts in place, fails after the session.
        signal.signal(signal.SIGINT, handler)


def _shortly(error: Exception) -> str:
    """What went wrong in Python or Java, out of an error of Spark."""
    found = re.search(r"^(?:: )?([\w.]+(?:Error|Exception|Differs): .*)", str(error), re.MULTILINE)
    return found[1] if found else type(error).__name__


class _Crew:
    def __init__(self, spark: SparkSession, lake: Lake, folder: Path, progress: Progress) -> None:
        self._spark, self._lake, self._folder, self._progress = spark, lake, folder, progress
        self._at_once: int = spark.sparkContext.defaultParallelism

    def muster(self) -> None:
        """Look at as many workers as there are at work at a time; raises `WorkerDiffers`."""
        token = remote.lay_out(self._folder)
        try:
            answers = self._done([partial(remote.answer, self._folder.absolute())] * self._at_once)
        except _LOST as error:
            raise WorkerDiffers(f"a Spark worker cannot run this program: {_shortly(error)}") from None
        for host, made, seen in answers:
            if problem := remote.unlike(made) or remote.apart(seen, self._folder, token):
                raise WorkerDiffers(f"{host}: this Spark worker {problem}")

    def replay(self, work: Work) -> Iterator[Outcome]:
        """Replay partitions and give each as it is done."""
        pool, done = ThreadPoolExecutor(self._at_once), 0
        tasks = remote.tasks_of(work, self._lake, self._folder)
        waiting = {pool.submit(self._done, [task.replay]): (task, 1) for task in tasks}
        try:
            with work.counted(self._progress) as advance:
                while waiting:
                    future = wait(waiting, return_when=FIRST_COMPLETED).done.pop()
                    task, begun = waiting.pop(future)
                    try:
                        (outcome,) = future.result()
                    except _LOST as error:
                        self._tell_lost(task, error)
                        if begun < remote.ATTEMPTS:
                            waiting[pool.submit(self._done, [task.replay])] = task, begun + 1
                            continue
                        outcome = remote.lost(task)
                    done += work.sizes[task.planned.partition]
                    yield remote.received(task, outcome, self._lake.root)
                    advance(done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, errands: Sequence[Callable[[], Any]]) -> list[Any]:
        """What errands give, each a row and a task of Spark."""
        rows = [(pickle.dumps(each),) for each in errands]
        frame = self._spark.createDataFrame(rows, "errand binary").coalesce(len(rows))
        return [pickle.loads(row[0]) for row in frame.mapInArrow(_run, "given binary").collect()]  # nosec B301

    def _tell_lost(self, task: Task, error: Exception) -> None:
        try:
            _ = self._spark.sparkContext.defaultParallelism
        except _LOST:
            raise ClusterLost("Spark is gone; nothing was published. Start it and run again") from None
        told = f"a worker was lost over {partition_name(task.planned.partition)}: {_shortly(error)}"
        self._progress.say(told, "worker.lost", "warning")


def _run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for errand in (each for batch in batches for each in batch.column(0).to_pylist()):
        given = pickle.dumps(pickle.loads(errand)())  # nosec B301
        yield pa.record_batch({"given": pa.array([given], pa.binary())})
