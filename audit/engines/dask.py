"""Partitions replayed by the workers of a Dask cluster.

Dask brings tasks to workers, finds out which of them are lost, and starts others in their place. Which
worker gets which task is decided here, one task at a time each: so none works that was not looked at
before, a worker that is lost is held against the one task that it had, and how often a task is begun
again does not hang on a setting of the scheduler.
"""

from __future__ import annotations

import asyncio
import json
import logging
import operator
import pickle  # nosec B403
import queue
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from audit.engines import Crew, Outcome, Work
from audit.engines.remote import (
    ATTEMPTS,
    ClusterLost,
    Seen,
    Task,
    WorkerDiffers,
    apart,
    lay_out,
    look,
    lost,
    made_here,
    received,
    tasks_of,
    unlike,
)
from audit.errors import UsageProblem
from audit.lake import Lake
from audit.partitions import partition_name
from audit.progress import Progress

try:
    from distributed import Client, Future, KilledWorker, get_worker
    from distributed.client import ClosedClientError, FutureCancelledError
    from distributed.comm.addressing import get_address_host_port
    from toolz.functoolz import thread_first
except ImportError:
    raise UsageProblem(
        "--engine dask needs Dask, which is not installed; `pip install 'pontoon-audit[dask]'` installs it"
    ) from None

PATIENCE = 60.0
"""Seconds for the scheduler to answer, and for the first worker to be there."""
ALONE = 300.0
"""Seconds to wait for a worker in the middle of a run."""
LOOK_EVERY = 2.0
"""Seconds between two looks at which workers there are."""
TELL_EVERY = 1.0
"""Seconds between two words of a task on how far it is."""
FETCH = 5.0
"""Seconds to fetch what a task gave before its worker is looked after again."""


_GONE = (OSError, ClosedClientError, FutureCancelledError, asyncio.CancelledError)
"""What calls to a scheduler that is gone end with, by what was under way."""


@dataclass(frozen=True, slots=True)
class Dask:
    """A cluster by the address of its scheduler, or by the file in which that wrote it down."""

    scheduler: str

    @contextmanager
    def crew(self, lake: Lake, folder: Path, progress: Progress) -> Iterator[Crew]:
        """The workers of the cluster; all that are there at the start must be able to do the work."""
        with _quietly(), _connected(self.scheduler) as client:
            crew = _Crew(self.scheduler, client, lake, folder, progress)
            try:
                crew.muster()
                yield crew
            finally:
                crew.dismiss()


@contextmanager
def _quietly() -> Iterator[None]:
    """Have Dask keep to itself what is said here in one line."""
    # Dask's configuration gives levels of their own to some loggers below the first.
    names = ("distributed", "distributed.client", "distributed.core", "distributed.batched", "tornado")
    loggers = [logging.getLogger(name) for name in names]
    before = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for each, level in zip(loggers, before, strict=True):
            each.setLevel(level)


@contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    address = _address(scheduler)
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError:
        raise ClusterLost(f"{scheduler}: no Dask scheduler answers there; start it and run again") from None
    try:
        yield client
    finally:
        with suppress(*_GONE):
            client.close(timeout=FETCH)


def _address(scheduler: str) -> str:
    """The address itself, or that in the file; a client of a wrong one would never end."""
    try:
        path = Path(scheduler)
        address: str = json.loads(path.read_bytes())["address"] if path.is_file() else scheduler
        get_address_host_port(address)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageProblem(
            f"--scheduler {scheduler}: {error}; expected an address such as tcp://10.0.0.7:8786, "
            "or the file that the scheduler wrote"
        ) from None
    return address


@dataclass(slots=True)
class _Attempt:
    """A task that a worker has; ``rounds`` it said are done."""

    task: Task
    worker: str
    future: Future[Any]
    rounds: int = 0


class _Crew:
    def __init__(self, scheduler: str, client: Client, lake: Lake, folder: Path, progress: Progress) -> None:
        self._scheduler = scheduler
        self._client = client
        self._lake = lake
        self._folder = folder
        self._progress = progress
        self._token = lay_out(folder)
        self._topic = f"pontoon-audit-{self._token}"
        self._fit: set[str] = set()
        self._unfit: set[str] = set()
        self._looked = 0.0
        self._alone_since: float | None = None
        self._attempts: dict[str, _Attempt] = {}
        self._begun: dict[str, int] = {}
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()

    # --- workers ---

    def muster(self) -> None:
        """Wait for the first worker, and look at all; raises `WorkerDiffers` or `ClusterLost`."""
        until = time.monotonic() + PATIENCE
        while not self._fit:
            self._fit, problems = self._look_at(self._there())
            for worker, problem in sorted(problems.items()):
                raise WorkerDiffers(f"{worker}: this Dask worker {problem}")
            if not self._fit and time.monotonic() >= until:
                raise ClusterLost(
                    f"{self._scheduler}: the scheduler has no workers; start some and run again"
                )
            time.sleep(LOOK_EVERY / 10)

    def _there(self) -> dict[str, int]:
        """The workers that there are now, and the threads of each."""
        try:
            threads: dict[str, int] = self._client.nthreads()
        except _GONE:
            raise self._gone() from None
        return threads

    def _gone(self) -> ClusterLost:
        return ClusterLost(
            f"{self._scheduler}: the Dask scheduler is gone; nothing was published. "
            "Start it and its workers, and run again"
        )

    def _look_at(self, threads: dict[str, int]) -> tuple[set[str], dict[str, str]]:
        """Which of some workers can do the work, and which cannot and why; neither if one has gone."""
        problems = {
            worker: f"runs {count} threads; start it with --nthreads 1, one task at a time is what fits"
            for worker, count in threads.items()
            if count != 1
        }
        made = self._on(threads, made_here)
        for worker, answer in made.items():
            if problem := _not_there(answer) if isinstance(answer, BaseException) else unlike(answer):
                problems.setdefault(worker, problem)
        seen = self._on([each for each in made if each not in problems], look, self._folder.absolute())
        for worker, answer in seen.items():
            if isinstance(answer, Seen):
                problem = apart(answer, self._folder, self._token)
            else:
                problem = _not_there(answer)
            if problem is not None:
                problems[worker] = problem
        slow = sum(isinstance(each, Seen) and not each.compiled for each in seen.values())
        if slow:
            self._progress.say(
                f"{slow} of {len(seen)} workers compile the fast engine if they need it: "
                "once for this version, a few minutes"
            )
        return seen.keys() - problems.keys(), problems

    def _on(self, workers: Any, function: Any, *arguments: Any) -> dict[str, Any]:
        """What a function gives on workers, or the error; without those that have gone meanwhile."""
        if not workers:
            return {}
        try:
            answers = self._client.run(function, *arguments, workers=[*workers], on_error="return")
        except _GONE:
            raise self._gone() from None
        return {worker: answer for worker, answer in answers.items() if not isinstance(answer, OSError)}

    def _watch(self) -> None:
        """See which workers are gone and which are new."""
        if time.monotonic() < self._looked + LOOK_EVERY:
            return
        there = self._there()
        self._fit &= there.keys()
        new = {each: threads for each, threads in there.items() if each not in self._fit | self._unfit}
        fit, problems = self._look_at(new)
        for worker, problem in sorted(problems.items()):
            self._refuse(worker, problem)
        self._fit |= fit
        self._looked = time.monotonic()

    def _refuse(self, worker: str, problem: str) -> None:
        self._unfit.add(worker)
        self._fit.discard(worker)
        self._progress.say(
            f"{worker}: gets no work: this Dask worker {problem}", "worker.refused", "warning", worker=worker
        )

    # --- work ---

    def replay(self, work: Work) -> Iterator[Outcome]:
        """Replay partitions and give each as it is done."""
        waiting = deque(tasks_of(work, self._lake, self._folder))
        self._client.subscribe_topic(self._topic, self._hear)
        done = 0
        with work.counted(self._progress) as advance:
            while waiting or self._attempts:
                self._watch()
                self._hand_out(waiting)
                over = [*self._finished()]
                waiting.extendleft(task for task, outcome in over if outcome is None)
                # Workers go on while what they gave is looked at.
                self._hand_out(waiting)
                for task, outcome in over:
                    if outcome is not None:
                        done += work.sizes[task.planned.partition]
                        yield received(task, outcome, self._lake.root)
                advance(done + sum(each.rounds for each in self._attempts.values()))

    def _hand_out(self, waiting: deque[Task]) -> None:
        """Give every worker that has none a task; raises `ClusterLost` where none is left for long."""
        for worker in sorted(self._fit - {each.worker for each in self._attempts.values()}):
            if waiting:
                self._give(waiting.popleft(), worker)
        if self._attempts or not waiting:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
            self._progress.say("No worker is left: waiting for one", "workers.awaited", "warning")
        elif time.monotonic() >= self._alone_since + ALONE:
            raise ClusterLost(f"{self._scheduler}: no worker left for {ALONE:.0f} s; nothing was published")

    def _give(self, task: Task, worker: str) -> None:
        number = self._begun[task.folder.name] = self._begun.get(task.folder.name, 0) + 1
        key = f"{self._topic}-{task.folder.name}-{number}"
        # The scheduler unpickles what it passes on: of bytes it needs to know nothing.
        errand = pickle.dumps(partial(_on_worker, task, self._topic, key))
        try:
            future = self._client.submit(
                thread_first, errand, pickle.loads, operator.call, key=key, workers=[worker], pure=False
            )
        except _GONE:
            raise self._gone() from None
        self._attempts[key] = _Attempt(task, worker, future)
        future.add_done_callback(lambda done: self._done.put(done.key))

    def _hear(self, event: tuple[float, Any]) -> None:
        key, rounds = event[1]
        if key in self._attempts:
            self._attempts[key].rounds = rounds

    def _finished(self) -> Iterator[tuple[Task, Outcome | None]]:
        """The tasks that are over, and what they gave; None for one that is to be begun again."""
        over = []
        with suppress(queue.Empty):
            over.append(self._done.get(timeout=LOOK_EVERY / 4))
            while True:
                over.append(self._done.get_nowait())
        for key in over:
            if key in self._attempts:
                yield from self._outcome(key)
        for key, each in [*self._attempts.items()]:
            if each.worker not in self._fit and not each.future.done():
                yield self._again(key)

    def _outcome(self, key: str) -> Iterator[tuple[Task, Outcome | None]]:
        each = self._attempts[key]
        if each.future.status == "cancelled":
            raise self._gone()
        try:
            outcome: Outcome = each.future.result(timeout=FETCH)
        except WorkerDiffers as error:
            self._refuse(each.worker, f"is not what runs here: {error}")
            yield self._again(key)
        except TimeoutError:
            if each.worker in self._fit:
                self._done.put(key)
            else:
                # It was lost before it could give what it had.
                yield self._again(key)
        except KilledWorker:
            yield self._again(key)
        except _GONE:
            raise self._gone() from None
        else:
            del self._attempts[key]
            yield each.task, outcome

    def _again(self, key: str) -> tuple[Task, Outcome | None]:
        each = self._attempts.pop(key)
        with suppress(*_GONE):
            each.future.cancel()
        told = f"{each.worker}: lost over {partition_name(each.task.planned.partition)}"
        self._progress.say(told, "worker.lost", "warning", worker=each.worker)
        if self._begun[each.task.folder.name] >= ATTEMPTS:
            return each.task, lost(each.task)
        return each.task, None

    def dismiss(self) -> None:
        """Take back what is not done."""
        with suppress(*_GONE):
            self._client.cancel([each.future for each in self._attempts.values()])
        self._attempts.clear()


def _not_there(error: Any) -> str:
    told = " ".join(str(error).split())
    return f"cannot run this program: {told}; install it there, best from one image"


def _on_worker(task: Task, topic: str, key: str) -> Outcome:
    """Make an attempt, and tell now and then how far it is."""
    worker = get_worker()
    told = time.monotonic()

    def advance(rounds: int) -> None:
        nonlocal told
        if time.monotonic() >= told + TELL_EVERY:
            told = time.monotonic()
            worker.log_event(topic, (key, rounds))

    return task.replay(advance)
