"""Work given to processes of their own, or done at once where it is little."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from audit.errors import AuditError
from audit.workers import WorkerKilled, Workers
from rules_replay.spared import leave_out

T = TypeVar("T")
Done = TypeVar("Done", covariant=True)


class WorkerLost(AuditError):
    """A process of the crew was killed; nothing was published."""


class Pending(Protocol[Done]):
    """Work under way; `result` waits for it, and raises what it raised."""

    def result(self) -> Done: ...


class Crew:
    """So many processes, or none: with one job all work is done where it is given."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._workers = Workers(jobs, _begin) if jobs > 1 else None
        self._prepared: list[Future[object]] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._workers is not None:
            self._workers.__exit__(kind, error, trace)

    def prepare(self, work: Callable[[], object]) -> None:
        """Have each process started, and ``work()`` done in it, while there is nothing else to give.

        What it raises is raised where the result of other work is waited for.
        """
        if self._workers is not None:
            self._prepared = [self._workers.give(work) for _ in range(self.jobs)]

    def give(self, work: Callable[..., T], *arguments: Any) -> Pending[T]:
        """Have ``work(*arguments)`` done."""
        if self._workers is not None:
            return _Given(self._workers.give(work, *arguments), self._prepared)
        done: Future[T] = Future()
        done.set_result(work(*arguments))
        return done


class _Given(Pending[T]):
    def __init__(self, future: Future[T], before: Sequence[Future[object]]) -> None:
        self._future = future
        self._before = before

    def result(self) -> T:
        try:
            for each in self._before:
                each.result()
            return self._future.result()
        except WorkerKilled:
            raise WorkerLost(
                "a process that read the input was killed, perhaps for want of memory; "
                "nothing was published, run again"
            ) from None


_LEFT_OUT = ("cffi", "pandas", "scipy")
"""What Arrow and numba load only where it is there, and no process needs; it would take half a second."""


def _begin() -> None:
    """Begin a process: Arrow gives memory back to the system when it is done with it.

    Nothing that is done in one makes a cycle for the collector of garbage to find.
    """
    gc.disable()
    leave_out(*_LEFT_OUT)
    pa.set_memory_pool(pa.system_memory_pool())
