"""Partitions replayed on this machine, in so many processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from audit.engines import Crew, Outcome, Work
from audit.lake import Lake
from audit.law import Law
from audit.partitions import Failed, Planned, attempt
from audit.progress import Advance, Progress
from audit.workers import WorkerKilled, Workers, tell
from rules_replay.kernel.kept import is_compiled

MEMORY = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_MMAP_THRESHOLD_": str(32 * 1024 * 1024),
    "MALLOC_TRIM_THRESHOLD_": str(256 * 1024 * 1024),
}
"""Arrow and numpy take memory from one place, which keeps what is freed for the next batch. To get the same
pages again and again from the operating system takes a tenth of the time of a replay."""


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True, slots=True)
class Local:
    """So many processes, started when there is work; with one, this process itself."""

    jobs: int

    def crew(self, lake: Lake, folder: Path, progress: Progress) -> AbstractContextManager[Crew]:
        """Nothing is held before there is work, nor after."""
        return nullcontext(_Crew(self.jobs, lake, folder, progress))


@dataclass(frozen=True, slots=True)
class _Crew:
    jobs: int
    lake: Lake
    folder: Path
    progress: Progress

    def replay(self, work: Work) -> Iterator[Outcome]:
        """Replay partitions and give each as it is done."""
        to_compile = work.by_kernel and not is_compiled()
        if to_compile:
            self.progress.say("Compiling the fast engine: once for this version, a few minutes")
        with work.counted(self.progress) as advance:
            if self.jobs <= 1 or len(work.plan) <= 1:
                done = 0
                for each in work.plan:
                    yield attempt(self.lake, self.folder, each, work.law, _beyond(done, advance))
                    done += work.sizes[each.partition]
                return
            lost: list[Planned] = []
            plan, done = list(work.plan), 0
            if to_compile:
                # One process compiles for all, since a compiler holds most of a gigabyte.
                plan.sort(key=lambda each: work.sizes[each.partition])
                first = plan.pop(0)
                yield from self._in_processes([first], work.law, 1, advance, lost)
                done = work.sizes[first.partition]
            jobs = min(self.jobs, len(plan))
            yield from self._in_processes(plan, work.law, jobs, _beyond(done, advance), lost)
            done = sum(work.sizes[each.partition] for each in work.plan if each not in lost)
            for each in lost:
                # Perhaps the memory was not enough for several at a time.
                again: list[Planned] = []
                yield from self._in_processes([each], work.law, 1, _beyond(done, advance), again)
                done += work.sizes[each.partition]
                if again:
                    yield Failed(
                        partition=each.partition,
                        reason="the process replaying it was killed, perhaps for want of memory; run again",
                    )

    def _in_processes(
        self, plan: Sequence[Planned], law: Law, jobs: int, advance: Advance, lost: list[Planned]
    ) -> Iterator[Outcome]:
        """Replay in so many processes; a partition whose process was killed is added to ``lost``."""
        done = 0

        def told(rounds: int) -> None:
            nonlocal done
            done += rounds

        with Workers(jobs, told=told, environment=MEMORY) as workers:
            waiting = {
                workers.give(_task, str(self.lake.root), self.folder, each, law): each for each in plan
            }
            while waiting:
                ready, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                advance(done)
                for future in ready:
                    planned = waiting.pop(future)
                    try:
                        yield future.result()
                    except WorkerKilled:
                        lost.append(planned)


def _beyond(before: int, advance: Advance) -> Advance:
    return lambda rounds: advance(before + rounds)


def _task(root: str, folder: Path, planned: Planned, law: Law) -> Outcome:
    counted = 0

    def advance(rounds: int) -> None:
        nonlocal counted
        tell(rounds - counted)
        counted = rounds

    return attempt(Lake(root), folder, planned, law, advance)
