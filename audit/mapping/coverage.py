"""What a run may not count as passed: checks of mapped rounds whose vendor does not record enough.

The engines do not know of it, so the verdicts on runs of rounds that leave out the same things
are counted apart, and those of the checks concerned are put where they belong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.lake import Lake
from audit.layout import Partition
from audit.mapping.support import FIELD, missing_for, unrecorded_in
from rules_replay.replay import Batch, Tally, Verdicts, coverage_table


def leaves_out(lake: Lake, partition: Partition) -> bool:
    """Whether some round of a partition says that its vendor does not record everything."""
    paths = lake.files("rounds", partition)
    return any(_names(pq.read_table(path, columns=["extra"], partitioning=None)) for path in paths)


def _names(rounds: pa.Table) -> bool:
    """Whether some of these rounds may name what is left out."""
    extra = rounds["extra"]
    return extra.null_count < len(extra) and bool(pc.any(pc.match_substring(extra, FIELD)).as_py())


def extras_in(lake: Lake, partition: Partition) -> dict[str, str]:
    """By round what the rounds of a partition carry outside the format, where they carry something."""
    found: dict[str, str] = {}
    for path in lake.files("rounds", partition):
        rounds = pq.read_table(path, columns=["round_id", "extra"], partitioning=None)
        rounds = rounds.filter(pc.is_valid(rounds["extra"]))
        found |= dict(zip(rounds["round_id"].to_pylist(), rounds["extra"].to_pylist(), strict=True))
    return found


class Withheld:
    """The verdicts that do not count as passed, found while a partition is replayed."""

    def __init__(self, coverage: Callable[[], pa.Table]) -> None:
        self._coverage = coverage
        self._moved: Counter[tuple[str, str | None, str]] = Counter()

    def batches(
        self,
        tables: Iterable[tuple[pa.Table, pa.Table]],
        replayed: Callable[[pa.Table, pa.Table], Iterable[Batch]],
    ) -> Iterator[Batch]:
        """The results of rounds with their events, replayed run by run."""
        for rounds, events in tables:
            for unrecorded, some, theirs in _runs(rounds, events):
                if not unrecorded:
                    yield from replayed(some, theirs)
                    continue
                before = _passed(self._coverage())
                yield from replayed(some, theirs)
                for (code, rulebook), passed in (_passed(self._coverage()) - before).items():
                    missing = missing_for(code, unrecorded)
                    if missing is not None:
                        self._moved[code, rulebook, missing] += passed

    def count(self, tally: Tally) -> None:
        """Correct a tally that is whole."""
        tally.checks["passed"] -= self._moved.total()
        tally.checks["not_evaluable"] += self._moved.total()

    def coverage(self) -> pa.Table:
        """The coverage of everything replayed."""
        if not self._moved:
            return self._coverage()
        verdicts: Verdicts = Counter()
        for row in self._coverage().to_pylist():
            code, rulebook, reason = row["code"], row["rulebook"], row["reason"]
            verdicts[code, rulebook, "not_evaluable", reason] += row["not_evaluable"]
            verdicts[code, rulebook, "passed", None] += row["passed"]
            verdicts[code, rulebook, "failed", None] += row["failed"]
        for (code, rulebook, missing), rounds in self._moved.items():
            verdicts[code, rulebook, "passed", None] -= rounds
            verdicts[code, rulebook, "not_evaluable", missing] += rounds
        return coverage_table(+verdicts)


def _passed(coverage: pa.Table) -> Counter[tuple[str, str | None]]:
    found: Counter[tuple[str, str | None]] = Counter()
    names = ("code", "rulebook", "passed")
    for code, rulebook, passed in zip(*(coverage[name].to_pylist() for name in names), strict=True):
        found[code, rulebook] += passed
    return found


def _runs(rounds: pa.Table, events: pa.Table) -> Iterator[tuple[tuple[str, ...], pa.Table, pa.Table]]:
    """Runs of rounds that leave out the same things, with their events."""
    if not _names(rounds):
        yield (), rounds, events
        return
    left_out = [unrecorded_in(extra) for extra in rounds["extra"].to_pylist()]
    ends = np.concatenate([[0], np.cumsum(rounds["event_count"].to_numpy(), dtype=np.int64)])
    start = 0
    for place in range(1, len(left_out) + 1):
        if place == len(left_out) or left_out[place] != left_out[start]:
            first, last = int(ends[start]), int(ends[place])
            yield left_out[start], rounds.slice(start, place - start), events.slice(first, last - first)
            start = place
