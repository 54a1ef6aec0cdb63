"""Work given to processes of their own, or done at once where it is little."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, TypeVar

import pyarrow as pa

from audit.errors import AuditError
from audit.workers import WorkerKilled, Workers

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
        self._workers = Workers(jobs, give_memory_back) if jobs > 1 else None

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._workers is not None:
            self._workers.__exit__(kind, error, trace)

    def give(self, work: Callable[..., T], *arguments: Any) -> Pending[T]:
        """Have ``work(*arguments)`` done."""
        if self._workers is not None:
            return _Given(self._workers.give(work, *arguments))
        done: Future[T] = Future()
        done.set_result(work(*arguments))
        return done


class _Given(Pending[T]):
    def __init__(self, future: Future[T]) -> None:
        self._future = future

    def result(self) -> T:
        try:
            return self._future.result()
        except WorkerKilled:
            raise WorkerLost(
                "a process that read the input was killed, perhaps for want of memory; "
                "nothing was published, run again"
            ) from None


def give_memory_back() -> None:
    """Have Arrow give memory back to the system when it is done with it."""
    pa.set_memory_pool(pa.system_memory_pool())
