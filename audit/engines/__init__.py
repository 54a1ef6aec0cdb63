"""Where the partitions of a run are replayed: in processes of this machine, or on a cluster.

What is replayed and how is one and the same (`audit.partitions.replay_partition`); an engine only
brings it to processors and what came of it back. The published bytes do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

from audit.lake import Lake
from audit.law import Law
from audit.layout import Partition
from audit.partitions import Failed, Planned, Replayed, rounds_in
from audit.progress import Advance, Progress
from audit.results import count

Outcome: TypeAlias = Replayed | Failed

FAST_FROM = 20_000
"""Rounds of a run from which on the kernel pays for the seconds that it takes to load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Partitions to replay under one law, and the rounds in each."""

    plan: Sequence[Planned]
    law: Law
    sizes: Mapping[Partition, int]

    @classmethod
    def of(cls, lake: Lake, plan: Sequence[Planned], law: Law) -> Work:
        """The work that a plan comes to; of many rounds, work for the kernel."""
        sizes = {each.partition: rounds_in(lake, each.partition) for each in plan}
        by_kernel = sum(sizes.values()) >= FAST_FROM
        return cls(plan=[replace(each, by_kernel=by_kernel) for each in plan], law=law, sizes=sizes)

    @property
    def by_kernel(self) -> bool:
        """Whether any of it is for the kernel."""
        return any(each.by_kernel for each in self.plan)

    def counted(self, progress: Progress) -> AbstractContextManager[Advance]:
        """The work as people are told of it, counted in rounds."""
        return progress.work(f"Replaying {count(len(self.plan), 'partition')}", sum(self.sizes.values()))


class Crew(Protocol):
    """Processors that stand ready for one run."""

    def replay(self, work: Work) -> Iterator[Outcome]:
        """Replay partitions and give each as it is done, in any order.

        One that fails is given as failed and the others go on. What is staged lies in the
        staging folder of the run. Raises `AuditError` where nothing more can be replayed.
        """


class Engine(Protocol):
    """A way to come by processors."""

    def crew(self, lake: Lake, folder: Path, progress: Progress) -> AbstractContextManager[Crew]:
        """Processors for a run that writes in ``folder`` of a lake; free again when the block is left.

        Raises `UsageProblem` or `AuditError` where they cannot do the work.
        """
