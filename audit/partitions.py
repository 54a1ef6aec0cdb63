"""Partitions of a night: which to replay, whether their evidence is sound, and the replay itself.

Partitions do not depend on one another, so an engine (`audit.engines`) may replay each anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from audit.behind import Behind
from audit.errors import AuditError, NothingChosen
from audit.ingest.columns import events_of, rounds_of
from audit.lake import Lake
from audit.law import Law
from audit.layout import Partition
from audit.mapping.coverage import Withheld, leaves_out
from audit.progress import Advance
from audit.rows import earlier_tables, round_tables
from audit.staging import Staged, Writing, stage
from rules_replay.auditor import Auditor
from rules_replay.errors import EnginesDisagree, ReplayFailed, RulebookError
from rules_replay.log import COVERAGE, FINDINGS, HANDS, SETTLEMENTS, Round
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS, narrow
from rules_replay.replay import Batch, Replay, Tally

if TYPE_CHECKING:
    from expectations.census import Census
    from expectations.quick import Evidence

REPLAYED_FROM = ("rounds", "events")
"""The evidence that a replay reads."""

_GROUPED = {
    "hands": (HANDS, NARROW_HANDS),
    "settlements": (SETTLEMENTS, NARROW_SETTLEMENTS),
    "findings": (FINDINGS, None),
}
"""The tables that are written while a partition is replayed: as they are read, and as they are written."""

_TICK_ROUNDS = 50
_GROUP_ROWS = 100_000
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which partitions a run is about: of these venues (all, if empty), both days included."""

    venues: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def of(self, lake: Lake, table: str = "rounds") -> list[Partition]:
        """The partitions of a table that are chosen, sorted."""
        return [each for each in lake.partitions(table) if self.has(each)]

    def has(self, partition: Partition) -> bool:
        """Whether a partition is chosen; with a bound, one of no known date is not."""
        day = partition.gaming_date
        if self.venues and partition.venue not in self.venues:
            return False
        if self.since is not None and (day is None or day < self.since):
            return False
        return self.until is None or (day is not None and day <= self.until)

    @property
    def words(self) -> str:
        """The choice in words: ``venue casino-canberra, since 2019-03-01``."""
        parts = [f"venue {' or '.join(self.venues)}"] if self.venues else []
        if self.since is not None and self.since == self.until:
            parts.append(f"gaming date {self.since}")
        else:
            parts += [f"since {self.since}"] if self.since else []
            parts += [f"until {self.until}"] if self.until else []
        return ", ".join(parts) or "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A partition to replay, and those before it from which its shoes run on, oldest first.

    ``by_kernel`` chooses the engine; the published bytes do not depend on it.
    """

    partition: Partition
    before: tuple[Partition, ...] = ()
    by_kernel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A partition that was not replayed, and why; ``disagreed`` is on how many rounds two engines did."""

    partition: Partition
    reason: str
    disagreed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A partition replayed: its staged tables, and what its rounds came to.

    ``compared`` counts the rounds that both engines replayed and agreed on. ``behind`` is where it was
    kept aside what a report takes of its rounds (`audit.behind`), if it was; ``behind_sha256`` is the
    digest of that folder, of what comes from another machine.
    """

    partition: Partition
    staged: tuple[Staged, ...]
    tally: Tally
    compared: int
    census: Census
    behind: Path | None = None
    behind_sha256: str | None = None


def partition_name(partition: Partition) -> str:
    """A partition as people say it."""
    return f"{partition.venue or 'unknown venue'} {partition.gaming_date or 'without a date'}"


# --- planning ----------------------------------------------------------------------------

Shoe = tuple[str, str]
"""A table and a shoe of it."""


class Plan:
    """The partitions chosen, parted into those whose evidence is sound and those that fail.

    A partition all of whose rounds were superseded under another gaming date is planned too, so
    that nothing of them stays. Evidence is compared with its SHA-256 in the ledger before it is read. Raises
    `NothingChosen` where nothing is stored under the choice.
    """

    def __init__(self, lake: Lake, known: Mapping[str, str], choice: Choice) -> None:
        self._lake = lake
        self._known: dict[str, dict[str, str]] = {}
        for path, digest in known.items():
            self._known.setdefault(path.rpartition("/")[0], {})[path] = digest
        self._problems: dict[Partition, list[str]] = {}
        self.planned: list[Planned] = []
        self.failed: list[Failed] = []
        self.quarantine: list[Partition] = []
        chosen = {*choice.of(lake), *choice.of(lake, "coverage")}
        for partition in choice.of(lake, "quarantine"):
            problems = self._damaged(partition, ("quarantine",))
            if problems:
                self.failed.append(Failed(partition=partition, reason=_shortly(problems)))
            else:
                self.quarantine.append(partition)
        if not chosen and not self.quarantine and not self.failed:
            raise nothing_chosen(str(lake.root), lake.partitions(), choice)
        for partition in sorted(chosen, key=lambda each: each.order):
            self._plan(partition)

    def _plan(self, partition: Partition) -> None:
        if self._problems_of(partition):
            self._fail(partition, partition)
            return
        before: list[Partition] = []
        running_on = _running_on(_shoes(self._lake, partition), None)
        day = partition
        while running_on and day.gaming_date is not None:
            day = Partition(partition.venue, day.gaming_date - _DAY)
            if not self._lake.files("rounds", day):
                break
            if self._problems_of(day):
                self._fail(partition, day)
                return
            shoes = _shoes(self._lake, day)
            if not running_on & shoes.keys():
                break
            before.insert(0, day)
            running_on = _running_on(shoes, running_on)
        self.planned.append(Planned(partition=partition, before=tuple(before)))

    def _problems_of(self, partition: Partition) -> list[str]:
        if partition not in self._problems:
            self._problems[partition] = self._damaged(partition, REPLAYED_FROM)
        return self._problems[partition]

    def _damaged(self, partition: Partition, tables: Sequence[str]) -> list[str]:
        # Of its own folders only, since going through all files for each partition grows as the square.
        known: dict[str, str] = {}
        for table in tables:
            known |= self._known.get(f"{table}/{partition.folder}", {})
        return self._lake.damaged(partition, tables, known)

    def _fail(self, partition: Partition, damaged: Partition) -> None:
        reason = _shortly(self._problems_of(damaged))
        if damaged != partition:
            reason = f"shoes run on from the gaming date before, and there {reason}"
        self.failed.append(Failed(partition=partition, reason=reason))


def _shortly(problems: Sequence[str]) -> str:
    more = len(problems) - 1
    return problems[0] if not more else f"{problems[0]}; and {more} more: run `pontoon-audit verify`"


def nothing_chosen(where: str, stored: Sequence[Partition], choice: Choice) -> NothingChosen:
    """The error for a choice that none of the partitions stored in a lake is of."""
    if not stored:
        return NothingChosen(f"{where}: no rounds are stored; ingest some first")
    venues = ", ".join(sorted({str(each.venue) for each in stored}))
    days = [str(each.gaming_date) for each in stored]
    return NothingChosen(
        f"{where}: nothing is stored for {choice.words}; the lake holds {venues} "
        f"from {min(days)} to {max(days)}"
    )


def _shoes(lake: Lake, partition: Partition) -> dict[Shoe, tuple[int, bool]]:
    """The first round of each shoe in a partition, and whether a continuous shuffler dealt it."""
    some = []
    for path in lake.files("rounds", partition):
        with pq.ParquetFile(path) as file:
            some.append(file.read(["table", "shoe", "round_no", "shuffler"], use_threads=False))
    if not some:
        return {}
    rows = pa.concat_tables(some)
    first = rows.group_by(["table", "shoe"]).aggregate([("round_no", "min"), ("shuffler", "max")])
    return {
        (row["table"], row["shoe"]): (row["round_no_min"], row["shuffler_max"] == "continuous")
        for row in first.to_pylist()
    }


def _running_on(shoes: Mapping[Shoe, tuple[int, bool]], wanted: set[Shoe] | None) -> set[Shoe]:
    """The shoes that began before a partition, out of those wanted from it (None: all).

    Of a continuous shuffler the day before says all there is to know: its cards go back.
    """
    return {
        shoe
        for shoe, (first, continuous) in shoes.items()
        if first > 1 and (wanted is None or (shoe in wanted and not continuous))
    }


# --- replaying ---------------------------------------------------------------------------


def replay_partition(lake: Lake, folder: Path, planned: Planned, law: Law, advance: Advance) -> Replayed:
    """Replay one partition and stage its four tables in ``folder``.

    ``advance`` is called now and then with the rounds done. Memory is bounded by a batch
    of rounds. Raises `ReplayFailed`, `RulebookError` or `AuditError`.
    """
    with ExitStack() as stack:
        if planned.by_kernel:
            behind = Behind(folder, planned.partition, law.register)
            stack.callback(behind.close)
            replaying = _by_kernel(lake, planned, law, advance, behind)
        else:
            behind, replaying = None, _readably(lake, planned, law, advance)
        tables = {
            table: _Grouped(
                stack.enter_context(Writing(folder, table, planned.partition, schema, narrowed)), narrowed
            )
            for table, (schema, narrowed) in _GROUPED.items()
        }
        for batch in replaying.batches:
            for table, grouped in tables.items():
                grouped.add(getattr(batch, table))
        staged = [grouped.staged() for grouped in tables.values()]
        if behind is not None:
            behind.finish()
    staged.append(stage(folder, "coverage", planned.partition, [replaying.coverage()], COVERAGE))
    return Replayed(
        partition=planned.partition,
        staged=tuple(staged),
        tally=replaying.tally,
        compared=replaying.compared(),
        census=census_of(lake, folder, planned.partition, staged, replaying.evidence),
        behind=None if behind is None else behind.folder,
    )


def rounds_in(lake: Lake, partition: Partition) -> int:
    """The rounds stored in a partition."""
    return sum(pq.read_metadata(path).num_rows for path in lake.files("rounds", partition))


@dataclass(frozen=True, slots=True)
class _Replaying:
    """A replay under way; all but ``batches`` holds once these are exhausted."""

    batches: Iterator[Batch]
    tally: Tally
    coverage: Callable[[], pa.Table]
    compared: Callable[[], int]
    evidence: Evidence | None = None


def _readably(lake: Lake, planned: Planned, law: Law, advance: Advance) -> _Replaying:
    """A partition of a small run through the readable engine alone."""
    replay = Replay(auditor_so_far(lake, planned, law))
    if leaves_out(lake, planned.partition):
        return _mapped(lake, planned, replay, advance)
    batches = replay.batches(_counted(lake.read_rounds(planned.partition), advance))
    return _Replaying(batches, replay.tally, replay.coverage, lambda: 0)


def _mapped(lake: Lake, planned: Planned, replay: Replay, advance: Advance) -> _Replaying:
    """A partition through the readable engine, with rounds whose vendor does not record everything."""
    venue, withheld = planned.partition.venue or "", Withheld(replay.coverage)

    def replayed(some: pa.Table, theirs: pa.Table) -> Iterator[Batch]:
        yield from replay.batches(rounds_of(some, events_of(theirs), venue))
        advance(replay.tally.rounds)

    def batches() -> Iterator[Batch]:
        yield from withheld.batches(round_tables(lake, planned.partition), replayed)
        withheld.count(replay.tally)

    return _Replaying(batches(), replay.tally, withheld.coverage, lambda: 0)


def _by_kernel(lake: Lake, planned: Planned, law: Law, advance: Advance, behind: Behind) -> _Replaying:
    """A partition through the kernel, what it finds told and confirmed by the readable engine."""
    # It loads numba, which a night of few rounds does without.
    from expectations.quick import Evidence
    from rules_replay.fast import FastReplay

    evidence = Evidence()
    venue = planned.partition.venue or ""
    replay = FastReplay(
        law.auditor(), venue, lambda some, theirs: [*rounds_of(some, events_of(theirs), venue)]
    )

    withheld = Withheld(replay.coverage)

    def replayed(some: pa.Table, theirs: pa.Table) -> Iterator[Batch]:
        evidence.add(some, theirs.to_batches())
        batch = replay.batch(some, theirs)
        behind.add(some, theirs, batch)
        yield batch
        advance(replay.tally.rounds)

    def batches() -> Iterator[Batch]:
        for partition in planned.before:
            for some, theirs in earlier_tables(lake, partition, _first_rounds(lake, planned.partition)):
                replay.follow(some, theirs)
        yield from withheld.batches(round_tables(lake, planned.partition), replayed)
        replay.finish()
        withheld.count(replay.tally)

    return _Replaying(batches(), replay.tally, withheld.coverage, lambda: replay.compared, evidence)


def census_of(
    lake: Lake, folder: Path, partition: Partition, staged: Iterable[Staged], evidence: Evidence | None
) -> Census:
    """The counts by which a partition's tables are validated: its evidence, and what was staged of it.

    What was staged is read back from its files; the evidence only where it was not read already.
    """
    # `run --help` does without DuckDB.
    from expectations.census import take_census

    files = {table: lake.files(table, partition) for table in REPLAYED_FROM}
    files |= {each.table: [each.path] for each in staged}
    where = (str(partition.venue), str(partition.gaming_date))
    return take_census(where, files, folder / "spill", evidence)


def auditor_so_far(lake: Lake, planned: Planned, law: Law) -> Auditor:
    """An auditor that knows the earlier rounds of the shoes that run on into a partition."""
    auditor = law.auditor()
    if planned.before:
        first = _first_rounds(lake, planned.partition)
        for partition in planned.before:
            for round_ in lake.read_rounds(partition):
                if round_.round_no < first.get((round_.table, round_.shoe), 0):
                    auditor.follow(round_)
    return auditor


def _first_rounds(lake: Lake, partition: Partition) -> dict[Shoe, int]:
    return {shoe: number for shoe, (number, _) in _shoes(lake, partition).items()}


def _counted(rounds: Iterable[Round], advance: Advance) -> Iterator[Round]:
    done = 0
    for done, round_ in enumerate(rounds, 1):
        if done % _TICK_ROUNDS == 0:
            advance(done)
        yield round_
    advance(done)


class _Grouped:
    """A table written in groups of so many rows, however they are batched."""

    def __init__(self, writing: Writing, narrowed: pa.Schema | None) -> None:
        self._writing = writing
        self._narrowed = narrowed
        self._waiting: list[pa.Table] = []

    def add(self, rows: pa.Table) -> None:
        """Add rows to those before."""
        self._waiting.append(rows)
        while sum(each.num_rows for each in self._waiting) >= _GROUP_ROWS:
            held = pa.concat_tables(self._waiting)
            self._write(held.slice(0, _GROUP_ROWS))
            self._waiting = [held.slice(_GROUP_ROWS)]

    def staged(self) -> Staged:
        """The file, once all rows are added."""
        if any(each.num_rows for each in self._waiting):
            self._write(pa.concat_tables(self._waiting))
        return self._writing.staged()

    def _write(self, group: pa.Table) -> None:
        whole = group.combine_chunks() if self._narrowed is None else narrow(group, self._narrowed)
        self._writing.add(whole)


def attempt(lake: Lake, folder: Path, planned: Planned, law: Law, advance: Advance) -> Replayed | Failed:
    """Replay one partition as `replay_partition` does; what is wrong with it makes it a failed one."""
    try:
        return replay_partition(lake, folder, planned, law, advance)
    except EnginesDisagree as error:
        return Failed(partition=planned.partition, reason=str(error), disagreed=error.rounds)
    except (AuditError, ReplayFailed, RulebookError) as error:
        return Failed(partition=planned.partition, reason=str(error))
    except (OSError, pa.ArrowException, ValueError) as error:
        return Failed(partition=planned.partition, reason=f"{type(error).__name__}: {error}")
