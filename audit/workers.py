"""Processes that work is given to, each over a pipe of its own.

They share no lock and no queue, so one that is killed takes nothing with it but the task it had; the
pools of the standard library can hang when that happens.
"""

from __future__ import annotations

import gc
import os
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, TypeVar

import pyarrow as pa

from audit.stopping import end_with_parent
from rules_replay.spared import unavailable

T = TypeVar("T")
Tell = Callable[[int], None]
"""Takes so many units of work done since the last time."""


class WorkerKilled(Exception):
    """The process that had a task is gone, and said nothing."""


class _Closed(Exception):
    """Nothing more is given to these workers."""


@dataclass(frozen=True, slots=True)
class _Worker:
    process: BaseProcess
    connection: Connection


class Workers:
    """So many processes, started as work comes; ended, whatever they are at, when the block is left.

    ``begin`` is called in each before its first task, and ``environment`` has variables for those that have
    no value yet. ``told`` is called, in this process and one call
    at a time, with what tasks `tell`. A process is started anew and not as a fork, whose copies of
    Arrow's threads would hang.
    """

    def __init__(
        self,
        jobs: int,
        begin: Callable[[], None] | None = None,
        told: Tell | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._begin = begin
        self._environment = environment or {}
        self._told = told
        self._lock = threading.Lock()
        self._own = threading.local()
        self._alive: set[BaseProcess] = set()
        self._closed = False
        # A thread each, which does nothing but wait for its process.
        self._threads = ThreadPoolExecutor(jobs)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closed = True
            alive = [*self._alive]
        for process in alive:
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def give(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have ``work(*arguments)`` done; the result is its value or error, or `WorkerKilled`."""
        return self._threads.submit(self._done, work, arguments)

    def _done(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = self._started()
        try:
            worker.connection.send((work, arguments))
            while isinstance(answer := worker.connection.recv(), int):
                self._hear(answer)
        except (EOFError, OSError):
            self._own.worker = None
            self._end(worker)
            raise WorkerKilled from None
        value, failed = answer
        if failed is not None:
            raise failed
        done: T = value
        return done

    def _started(self) -> _Worker:
        context = get_context("spawn")
        here, there = context.Pipe()
        with self._lock:
            if self._closed:
                raise _Closed
            process = context.Process(target=_serve, args=(there, self._begin), daemon=True)
            with having(self._environment):
                process.start()
            self._alive.add(process)
        # With this end open here too, the death of the process would not be seen.
        there.close()
        return _Worker(process, here)

    def _end(self, worker: _Worker) -> None:
        worker.process.kill()
        worker.process.join()
        worker.connection.close()
        with self._lock:
            self._alive.discard(worker.process)

    def _hear(self, units: int) -> None:
        if self._told is not None:
            with self._lock:
                self._told(units)


@contextmanager
def having(environment: Mapping[str, str]) -> Iterator[None]:
    """Have variables of the environment that a process is started with, where they have no value."""
    missing = {name: value for name, value in environment.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


_parent: Connection | None = None


def tell(units: int) -> None:
    """In a task: tell the process that gave it of so many units of work done."""
    if _parent is not None:
        _parent.send(units)


def spare_pandas() -> None:
    """Have Arrow do without pandas in this process.

    It looks once for pandas, to know its columns where it is handed some, as here nobody does; to load
    it takes a quarter of a second. Only in processes of our own: others may want Arrow to know it.
    """
    with unavailable("pandas"):
        pa.array([0])


def settle() -> None:
    """What the first task has loaded stays: the collector of cycles need not go through it again."""
    gc.collect()
    gc.freeze()


_OBJECTS = 100_000
"""New objects after which a process looks for cycles among them."""


def _serve(connection: Connection, begin: Callable[[], None] | None) -> None:
    """In each process: do one task after another until there is nobody to give them."""
    global _parent
    end_with_parent()
    # Loading and telling make many objects and few cycles.
    gc.set_threshold(_OBJECTS)
    spare_pandas()
    if begin is not None:
        begin()
    _parent = connection
    settled = False
    while True:
        try:
            work, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Any, Exception | None] = work(*arguments), None
        except Exception as error:
            error.add_note(traceback.format_exc())
            answer = None, error
        try:
            connection.send(answer)
        except OSError:
            return
        if not settled:
            settle()
            settled = True
