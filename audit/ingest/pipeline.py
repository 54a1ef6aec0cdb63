"""Files into the lake: read, compared with what is stored, balanced, published.

One ingest is one publication: all files that could be read, or nothing. What goes
in is counted as it is decoded; what comes out is counted again by another reader
from the files about to be published, and the two must agree.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from audit.errors import Imbalance, SourceFailed, StorageError, storage_error
from audit.ingest import wire
from audit.ingest.columns import Columns, Origin, events_of, rounds_of
from audit.ingest.readers import OpenSource, Read, Refused, Source, find_sources, lasting_source, open_source
from audit.ingest.shelves import Shelves, Tables, quarantine_part, round_part
from audit.ingest.totals import CurrencyTotals, Totals
from audit.lake import Lake, Partition, Staged, Stored
from rules_replay.log import QUARANTINE
from rules_replay.venues import Register

BATCH_ROUNDS = 4096
"""Rounds compared with the store at a time."""

BATCH_BYTES = 16 * 1024 * 1024
"""Bytes of lines held at a time, whatever the number of rounds."""

Progress = Callable[[str, int], object]
"""Called with a file's name and the lines read of it so far."""


@dataclass(slots=True)
class FileReport:
    """What became of the lines of one file.

    ``quarantined`` counts the conflicts too, so that ``lines`` is always the sum of
    ``stored``, ``duplicates`` and ``quarantined``. ``superseding`` is how many of the
    stored took the place of another; ``again`` tells a file that was ingested before,
    whose refused lines are in quarantine already. ``unknown`` counts the rounds that
    had a field outside the format, by its path.
    """

    name: str
    sha256: str
    byte_count: int
    again: bool = False
    lines: int = 0
    stored: int = 0
    superseding: int = 0
    duplicates: int = 0
    conflicts: int = 0
    quarantined: int = 0
    unknown: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        """The report ready for JSON."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "bytes": self.byte_count,
            "lines": self.lines,
            "stored": self.stored,
            "superseding": self.superseding,
            "duplicates": self.duplicates,
            "conflicts": self.conflicts,
            "quarantined": self.quarantined,
            "again": self.again,
            "unknown": dict(sorted(self.unknown.items())),
        }


@dataclass(slots=True)
class IngestReport:
    """What one ingest did, file by file and in all.

    ``unchanged`` are files that the ledger knows already, nothing of which was read
    again; ``failed`` are inputs that could not be used at all. ``first_refused`` are
    the first lines quarantined, for people; all are in the ``quarantine`` table.
    ``totals_in`` covers every round decoded, ``totals_out`` what was stored.
    """

    files: list[FileReport] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: list[SourceFailed] = field(default_factory=list)
    first_refused: list[str] = field(default_factory=list)
    unregistered: set[str] = field(default_factory=set)
    totals_in: Totals = field(default_factory=Totals)
    totals_out: Totals = field(default_factory=Totals)
    partitions: list[Partition] = field(default_factory=list)
    record: str | None = None

    def count(self, name: str) -> int:
        """The sum of a count over all files, such as ``"stored"``."""
        return sum(getattr(each, name) for each in self.files)

    @property
    def complete(self) -> bool:
        """True when every input was read and no line was quarantined."""
        return not self.failed and not self.count("quarantined")

    def as_json(self) -> dict[str, Any]:
        """The report ready for JSON."""
        names = ("lines", "stored", "superseding", "duplicates", "conflicts", "quarantined")
        return {
            "complete": self.complete,
            **{name: self.count(name) for name in names},
            "files": [each.as_json() for each in self.files],
            "unchanged": self.unchanged,
            "failed": [{"name": each.source, "reason": each.reason} for each in self.failed],
            "first_refused": self.first_refused,
            "unregistered_venues": sorted(self.unregistered),
            "totals_in": self.totals_in.as_json(),
            "totals_out": self.totals_out.as_json(),
            "partitions": [each.folder for each in self.partitions],
            "record": self.record,
        }


def ingest(
    arguments: Iterable[str | Path],
    lake: Lake,
    register: Register,
    *,
    supersede: bool = False,
    at: datetime | None = None,
    progress: Progress | None = None,
) -> IngestReport:
    """Put files, folders, patterns or standard input (``-``) into a lake, made if need be.

    An input that cannot be used is listed in the report and the others go on. With
    ``supersede`` a round with other content than the stored one takes its place, also
    from a file ingested before; the part that held the old one moves into the archive.
    Raises `Imbalance`, `StorageError`, `LakeBusy` or `LakeError`, and has then published
    nothing. ``at`` is the instant written in the ledger, the present one unless given.
    """
    sources, failed = find_sources(arguments)
    if not sources:
        return IngestReport(failed=failed)
    with lake.writing(create=True), lake.staging() as kept:
        lasting: list[Source] = []
        for number, source in enumerate(sources):
            try:
                folder = kept / str(number)
                folder.mkdir()
                lasting.append(lasting_source(source, folder))
            except SourceFailed as failure:
                failed.append(failure)
            except OSError as error:
                raise storage_error(error, "write", lake.root) from None
        while True:
            with (
                lake.staging() as folder,
                closing(_Ingest(lake, register, folder, supersede, progress)) as attempt,
            ):
                try:
                    report = attempt.run(lasting)
                except _CutShort as cut:
                    # The rounds it already gave must go, so all begins again without it.
                    lasting.remove(cut.source)
                    failed.append(cut.failure)
                    continue
                report.failed = failed + report.failed
                attempt.publish(report, at)
                return report


class _CutShort(Exception):
    """An input that was whole when it was checked failed while it was read."""

    def __init__(self, source: Source, failure: SourceFailed) -> None:
        super().__init__(str(failure))
        self.source = source
        self.failure = failure


class _Ingest:
    """One attempt at an ingest, in a staging folder of its own."""

    def __init__(
        self, lake: Lake, register: Register, folder: Path, supersede: bool, progress: Progress | None
    ) -> None:
        self._lake = lake
        self._register = register
        self._folder = folder
        self._supersede = supersede
        self._progress = progress
        self._known_files = lake.known_files()
        self._taken: set[str] = set()
        self._seen = _Seen(folder / "seen.sqlite")
        self._rounds = Shelves(folder, "rounds", round_part)
        self._refused = Shelves(folder, "quarantine", quarantine_part)
        self._not_stored = Totals()
        self._superseded: dict[tuple[str, str], Stored] = {}
        self._kept_before = 0
        self._report = IngestReport()

    def close(self) -> None:
        self._seen.close()

    def run(self, sources: Sequence[Source]) -> IngestReport:
        for source in sources:
            try:
                with open_source(source) as opened:
                    self._take(opened)
            except SourceFailed as failure:
                self._report.failed.append(failure)
        return self._report

    # --- one file ---

    def _take(self, opened: OpenSource) -> None:
        again = opened.sha256 in self._known_files
        if opened.sha256 in self._taken or (again and not self._supersede):
            self._report.unchanged.append(opened.source.name)
            return
        self._taken.add(opened.sha256)
        file = FileReport(opened.source.name, opened.sha256, opened.byte_count, again=again)
        reads: list[Read] = []
        refused: list[Refused] = []
        held = 0
        try:
            for item in opened:
                file.lines += 1
                held += len(item.raw)
                if isinstance(item, Read):
                    reads.append(item)
                else:
                    refused.append(item)
                if len(reads) >= BATCH_ROUNDS or held >= BATCH_BYTES:
                    self._settle(file, reads, refused)
                    reads, refused, held = [], [], 0
        except SourceFailed as failure:
            raise _CutShort(opened.source, failure) from None
        self._settle(file, reads, refused)
        self._report.files.append(file)

    def _settle(self, file: FileReport, reads: list[Read], refused: list[Refused]) -> None:
        """Decide for each round of a batch whether it is new, a duplicate or a conflict."""
        in_lake, known = self._already_stored(reads)
        fresh: dict[tuple[str, str], Stored] = {}
        columns: dict[Partition, Columns] = {}
        for read in reads:
            round_ = read.round
            key = (round_.venue, round_.round_id)
            digest = wire.content_digest(round_, read.extra)
            self._report.totals_in.add_round(round_)
            file.unknown.update(read.unknown)
            before = known.get(key) or in_lake.get(key)
            if before is not None and before.content_sha256 == digest:
                file.duplicates += 1
                self._not_stored.add_round(round_)
                continue
            if before is not None and (key in known or not self._supersede):
                file.conflicts += 1
                self._not_stored.add_round(round_)
                refused.append(_conflict(read, before))
                continue
            if before is not None:
                file.superseding += 1
                self._superseded[key] = before
            file.stored += 1
            known[key] = fresh[key] = Stored(digest, read.file, read.line)
            origin = Origin(read.file, file.sha256, read.line, read.offset)
            partition = self._partition(round_.venue, round_.started_at)
            columns.setdefault(partition, Columns()).add(
                round_, extra=read.extra, digest=digest, origin=origin
            )
        self._seen.add(fresh)
        for partition, collected in columns.items():
            self._rounds.add(partition, collected.tables())
        self._quarantine(file, refused)
        if self._progress is not None:
            self._progress(file.name, file.lines)

    def _already_stored(self, reads: list[Read]) -> tuple[_Rounds, _Rounds]:
        """What is known of these rounds: from the lake, and from this ingest."""
        ids: dict[str, list[str]] = {}
        for read in reads:
            ids.setdefault(read.round.venue, []).append(read.round.round_id)
        in_lake: _Rounds = {}
        seen: _Rounds = {}
        for venue, round_ids in ids.items():
            if venue not in self._register.venues:
                self._report.unregistered.add(venue)
            stored = self._lake.stored(venue, round_ids)
            in_lake.update(((venue, round_id), each) for round_id, each in stored.items())
            seen.update(self._seen.find(venue, round_ids))
        return in_lake, seen

    def _partition(self, venue: str, started_at: datetime) -> Partition:
        return Partition(venue, self._register.gaming_date(venue, started_at))

    def _quarantine(self, file: FileReport, refused: list[Refused]) -> None:
        file.quarantined += len(refused)
        rows: dict[Partition, list[Refused]] = {}
        for each in refused:
            if len(self._report.first_refused) < 20:
                self._report.first_refused.append(each.message)
            if file.again:
                self._kept_before += 1
                continue
            partition = Partition(each.venue, None)
            if each.venue is not None and each.started_at is not None:
                partition = self._partition(each.venue, each.started_at)
            rows.setdefault(partition, []).append(each)
        for partition, lines in rows.items():
            self._refused.add(partition, (_quarantine_table(lines, file.sha256),))

    # --- out ---

    def publish(self, report: IngestReport, at: datetime | None) -> None:
        """Write the parts, balance them with what was read, and put them in place."""
        if not report.files:
            return
        pairs = self._rounds.parts()
        quarantine = self._refused.parts()
        with _Recount(self._folder) as recount:
            stored = sum(recount.pair(head.path, tail.path, report.totals_out) for head, tail in pairs)
            kept = sum(recount.rows(part.path) for (part,) in quarantine)
            self._balance(report, stored, kept + self._kept_before)
            retired, remaining = self._without_superseded(recount)
        staged = [each for part in (*pairs, *remaining, *quarantine) for each in part]
        report.partitions = sorted({part[0].partition for part in pairs}, key=lambda each: each.order)
        record = {
            "kind": "ingest",
            "files": [each.as_json() for each in report.files],
            "failed": [{"name": Path(each.source).name, "reason": each.reason} for each in report.failed],
            "totals": report.totals_out.as_json(),
            "superseded": [
                {"venue": venue, "round_id": round_id, "file": each.source_file, "line": each.source_line}
                for (venue, round_id), each in sorted(self._superseded.items())
            ],
        }
        sealed = self._lake.publish(self._folder, staged, "ingests", record, at, retired)
        report.record = sealed["sha256"]

    def _without_superseded(self, recount: _Recount) -> tuple[list[Path], list[tuple[Staged, ...]]]:
        """The parts that held superseded rounds, and what else they held written anew."""
        retired: list[Path] = []
        remaining: list[tuple[Staged, ...]] = []
        ids: dict[str, list[str]] = {}
        for venue, round_id in self._superseded:
            ids.setdefault(venue, []).append(round_id)
        for venue, round_ids in ids.items():
            for path, gone in self._lake.parts_with(venue, round_ids).items():
                beside = self._lake.events_beside(path)
                retired += [path, beside]
                before, after = Totals(), Totals()
                count = recount.pair(path, beside, before)
                if count > len(gone):
                    rest: Tables = tuple(_filtered(each, gone, keep=False) for each in (path, beside))
                    head, tail = round_part(self._folder, self._lake.partition_of(path), [rest])
                    count -= recount.pair(head.path, tail.path, after)
                    remaining.append((head, tail))
                after.add(_totals_of(path, beside, gone, venue))
                differences = before.differences(after)
                if count != len(gone) or differences:
                    raise _imbalance(self._lake, [f"rounds left in {path.name}", *differences])
        return retired, remaining

    def _balance(self, report: IngestReport, stored: int, kept: int) -> None:
        out = Totals()
        out.add(report.totals_out)
        out.add(self._not_stored)
        differences = report.totals_in.differences(out)
        accounted = stored + report.count("duplicates") + kept
        if report.count("lines") != accounted:
            differences.insert(0, f"lines: {report.count('lines')} in, {accounted} out")
        if differences:
            raise _imbalance(self._lake, differences)


_Rounds = dict[tuple[str, str], Stored]


def _imbalance(lake: Lake, differences: list[str]) -> Imbalance:
    return Imbalance(
        f"{lake.root}: control totals do not balance, so nothing was published; "
        f"report this as a fault of the program ({'; '.join(differences)})"
    )


def _conflict(read: Read, before: Stored) -> Refused:
    where = f"{before.source_file} line {before.source_line}"
    return Refused(
        raw=read.raw,
        byte_count=len(read.raw),
        file=read.file,
        line=read.line,
        offset=read.offset,
        field="round_id",
        reason=f"round {read.round.round_id} is already stored with other content, from {where}",
        round_id=read.round.round_id,
        venue=read.round.venue,
        started_at=read.round.started_at,
    )


def _quarantine_table(lines: list[Refused], sha256: str) -> pa.Table:
    columns: dict[str, list[Any]] = {
        "source_file": [each.file for each in lines],
        "source_sha256": [sha256] * len(lines),
        "source_line": [each.line for each in lines],
        "source_offset": [each.offset for each in lines],
        "bytes": [each.raw for each in lines],
        "byte_count": [each.byte_count for each in lines],
        "field": [each.field for each in lines],
        "reason": [each.reason for each in lines],
        "round_id": [each.round_id for each in lines],
    }
    return pa.table(columns, schema=QUARANTINE)


# --- rounds seen in this ingest ------------------------------------------------------


class _Seen:
    """The rounds stored so far by this ingest, on disk so that memory stays bounded."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._base = sqlite3.connect(path, isolation_level=None)
        self._run(
            "CREATE TABLE seen (venue TEXT, round_id TEXT, sha256 TEXT, file TEXT, line INTEGER,"
            " PRIMARY KEY (venue, round_id)) WITHOUT ROWID",
        )

    def close(self) -> None:
        self._base.close()

    def add(self, fresh: Mapping[tuple[str, str], Stored]) -> None:
        rows = [
            (venue, round_id, each.content_sha256, each.source_file, each.source_line)
            for (venue, round_id), each in fresh.items()
        ]
        self._run("BEGIN")
        try:
            self._base.executemany("INSERT INTO seen VALUES (?, ?, ?, ?, ?)", rows)
        except sqlite3.OperationalError as error:
            raise self._refusal(error) from None
        self._run("COMMIT")

    def find(self, venue: str, round_ids: Sequence[str]) -> Iterator[tuple[tuple[str, str], Stored]]:
        for start in range(0, len(round_ids), 500):
            some = round_ids[start : start + 500]
            marks = ",".join("?" * len(some))
            found = self._run(
                f"SELECT round_id, sha256, file, line FROM seen WHERE venue = ? AND round_id IN ({marks})",
                (venue, *some),
            )
            for round_id, sha256, file, line in found:
                yield (venue, round_id), Stored(sha256, file, line)

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        try:
            return self._base.execute(statement, values).fetchall()
        except sqlite3.OperationalError as error:
            raise self._refusal(error) from None

    def _refusal(self, error: sqlite3.OperationalError) -> StorageError:
        return StorageError(f"{self._path.parent}: could not write: {error}; free some space and run again")


# --- counting again --------------------------------------------------------------------

_COUNT_ROUNDS = "SELECT currency, count(*) FROM read_parquet(?) GROUP BY currency"
_COUNT_EVENTS = """
SELECT r.currency, count(*), count(*) FILTER (l.e = 'wager'),
       CAST(coalesce(sum(l.amount), 0) * 1000 AS HUGEINT),
       CAST(coalesce(sum(l.paid), 0) * 1000 AS HUGEINT),
       CAST(coalesce(sum(l.taken), 0) * 1000 AS HUGEINT)
FROM read_parquet(?) AS l JOIN read_parquet(?) AS r USING (round_id)
GROUP BY r.currency
"""


class _Recount:
    """Counts the rows of files about to be published.

    DuckDB reads what Arrow wrote, so that neither is taken at its word.
    """

    def __init__(self, folder: Path) -> None:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": "256MB",
            "threads": 2,
            "temp_directory": str(folder / "duckdb"),
        }
        self._base = duckdb.connect(config=settings)

    def __enter__(self) -> _Recount:
        return self

    def __exit__(self, *_: object) -> None:
        self._base.close()

    def pair(self, rounds: Path, events: Path, totals: Totals) -> int:
        """Add a part of rounds and its events to the totals; gives the number of rounds."""
        stored = 0
        for currency, count in self._base.execute(_COUNT_ROUNDS, [str(rounds)]).fetchall():
            totals.of(currency).rounds += count
            stored += count
        counted = self._base.execute(_COUNT_EVENTS, [str(events), str(rounds)]).fetchall()
        for currency, count, wagers, stakes, paid, taken in counted:
            found = CurrencyTotals(events=count, wagers=wagers, stakes=stakes, paid=paid, taken=taken)
            totals.of(currency).add(found)
        return stored

    def rows(self, path: Path) -> int:
        """The number of rows of a file."""
        return int(self._base.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchall()[0][0])


# --- superseding -----------------------------------------------------------------------


def _totals_of(rounds: Path, events: Path, gone: set[str], venue: str) -> Totals:
    totals = Totals()
    logged = events_of(_filtered(events, gone, keep=True))
    for round_ in rounds_of(_filtered(rounds, gone, keep=True), logged, venue):
        totals.add_round(round_)
    return totals


def _filtered(path: Path, round_ids: set[str], *, keep: bool) -> pa.Table:
    table = pq.read_table(path, partitioning=None)
    named = pa.compute.is_in(table["round_id"], pa.array(sorted(round_ids), pa.string()))
    return table.filter(named if keep else pa.compute.invert(named))
