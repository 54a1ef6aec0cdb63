"""Files into the lake: read, compared with what is stored, balanced, published.

One ingest is one publication: all files that could be read, or nothing. What goes
in is counted as it is decoded; what comes out is counted again by another reader
from the files about to be published, and the two must agree.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from audit.errors import Imbalance, SourceFailed, storage_error
from audit.ingest.batch import Batch, batch_of_lines, batch_of_reads, get_ready
from audit.ingest.columns import Whole, events_of, events_of_table, rounds_of
from audit.ingest.crew import Crew, Pending
from audit.ingest.known import Seen, StoredKeys
from audit.ingest.lines import Lines
from audit.ingest.readers import (
    OpenSource,
    Read,
    Refused,
    Source,
    find_sources,
    is_packed,
    lasting_source,
    open_source,
)
from audit.ingest.recount import Recount
from audit.ingest.shelves import RoundShelves, Shelves, quarantine_part, round_part
from audit.ingest.totals import Totals
from audit.lake import Lake, Stored
from audit.layout import Partition
from audit.mapping.drift import Drift
from audit.mapping.history import last_seen
from audit.mapping.model import LogMapping
from audit.provenance import provenance
from audit.staging import Staged
from rules_replay.log import QUARANTINE
from rules_replay.venues import Register

BATCH_ROUNDS = 2048
"""Rounds of a CSV pair or of a vendor's file laid out at a time."""

LITTLE_BYTES = 24 * 1024 * 1024
"""Input that is read by the time several processes, and compiled code, would be ready to read it."""

_PACKED = 10
"""How often a packed log is about as large when it is unpacked."""

Progress = Callable[[str, int], object]
"""Called with a file's name and the lines read of it so far."""


@dataclass(slots=True)
class FileReport:
    """What became of the lines of one file.

    ``quarantined`` counts the conflicts too, so that ``lines`` is always the sum of
    ``stored``, ``duplicates`` and ``quarantined``. ``superseding`` is how many of the
    stored took the place of another; ``again`` tells a file that was ingested before,
    whose refused lines are in quarantine already. ``unknown`` counts the rounds that
    had a field outside the format, by its path. Of a vendor's file ``fields`` are those it has,
    ``drift`` what changed about them since the last file of its mapping, and ``left_out`` counts
    what was cancelled and is in no round.
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
    fields: dict[str, list[str]] | None = None
    drift: Drift | None = None
    left_out: int = 0

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
        } | self._of_mapping()

    def _of_mapping(self) -> dict[str, Any]:
        if self.fields is None:
            return {}
        return {
            "fields": self.fields,
            "drift": None if self.drift is None else self.drift.as_json(),
            "left_out": self.left_out,
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
    mapping: LogMapping | None = None

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
        } | ({} if self.mapping is None else {"mapping": self.mapping.as_json()})


def ingest(
    arguments: Iterable[str | Path],
    lake: Lake,
    register: Register,
    *,
    supersede: bool = False,
    register_sha256: str | None = None,
    at: datetime | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
    mapping: LogMapping | None = None,
) -> IngestReport:
    """Put files, folders, patterns or standard input (``-``) into a lake, made if need be.

    An input that cannot be used is listed in the report and the others go on. With
    ``supersede`` a round with other content than the stored one takes its place, also
    from a file ingested before; the part that held the old one moves into the archive.
    Raises `Imbalance`, `StorageError`, `LakeBusy` or `LakeError`, and has then published
    nothing. ``register_sha256`` is that of the register's file, and ``at`` the instant,
    as written in the ledger, the present one unless given;
    ``jobs`` the number of processes that read an input of more than `LITTLE_BYTES`, one a
    processor unless given. What is published does not depend on it. With a ``mapping`` the
    inputs are a vendor's files. Raises `UsageProblem` where the lake knows its version as
    another text, or no lake can be made of what is there.
    """
    sources, failed = find_sources(arguments, mapping)
    if not sources:
        return IngestReport(failed=failed, mapping=mapping)
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
            much = _is_much(lasting)
            with (
                lake.staging() as folder,
                Crew((jobs or len(os.sched_getaffinity(0))) if much else 1) as crew,
                closing(_Ingest(lake, register, folder, crew, supersede, progress, mapping)) as attempt,
            ):
                attempt.bulk = much
                if any(each.events is None and each.mapping is None for each in lasting):
                    crew.prepare(get_ready)
                attempt.register_sha256 = register_sha256
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


def _is_much(sources: Sequence[Source]) -> bool:
    """Whether some sources are worth compiled code and several processes."""
    size = 0
    for source in sources:
        for path in (source.path, source.events):
            if path is not None and path.is_file():
                size += path.stat().st_size * (_PACKED if is_packed(path) else 1)
    return size > LITTLE_BYTES


class _CutShort(Exception):
    """An input that was whole when it was checked failed while it was read."""

    def __init__(self, source: Source, failure: SourceFailed) -> None:
        super().__init__(str(failure))
        self.source = source
        self.failure = failure


class _Ingest:
    """One attempt at an ingest, in a staging folder of its own."""

    def __init__(
        self,
        lake: Lake,
        register: Register,
        folder: Path,
        crew: Crew,
        supersede: bool,
        progress: Progress | None,
        mapping: LogMapping | None,
    ) -> None:
        self._lake = lake
        self._register = register
        self._folder = folder
        self._crew = crew
        self._supersede = supersede
        self._progress = progress
        self._known_files = lake.known_files()
        self._last_seen = None if mapping is None else last_seen(lake.records("ingests"), mapping)
        self._mapping = mapping
        self._taken: set[str] = set()
        self._batches = 0
        self._stored = StoredKeys(lake)
        self._seen = Seen(folder / "seen")
        self._rounds = RoundShelves(folder, crew)
        self._refused = Shelves(folder, "quarantine", quarantine_part)
        self._not_stored = Totals()
        self._superseded: dict[tuple[str, str], Stored] = {}
        self._kept_before = 0
        self._report = IngestReport(mapping=mapping)
        self.bulk = False
        self.register_sha256: str | None = None

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
        again = (opened.sha256, self._mapping and self._mapping.sha256) in self._known_files
        if opened.sha256 in self._taken or (again and not self._supersede):
            self._report.unchanged.append(opened.source.name)
            return
        self._taken.add(opened.sha256)
        file = FileReport(opened.source.name, opened.sha256, opened.byte_count, again=again)
        try:
            for batch, data in self._laid_out(opened):
                self._settle(file, batch, data)
        except SourceFailed as failure:
            raise _CutShort(opened.source, failure) from None
        if opened.mapped is not None and self._last_seen is not None:
            file.fields, file.left_out = opened.mapped.inventory.as_json(), opened.mapped.left_out
            file.drift = self._last_seen.next(file.name, file.fields)
        self._report.files.append(file)

    def _laid_out(self, opened: OpenSource) -> Iterator[tuple[Batch, _Raw]]:
        """The batches of a file in their order, each with the means to see a line of it."""
        if opened.source.events is not None or opened.source.mapping is not None:
            yield from self._laid_out_reads(opened)
            return
        under_way: deque[tuple[Pending[Batch], Lines]] = deque()
        for lines in opened.unread() if self._crew.jobs > 1 else opened.batches():
            given = (lines, opened.sha256, self._register, self._new_path(), self.bulk)
            under_way.append((self._crew.give(batch_of_lines, *given), lines))
            if len(under_way) > 2 * self._crew.jobs - 2:
                pending, first = under_way.popleft()
                yield pending.result(), _raw_of(first)
        for pending, lines in under_way:
            yield pending.result(), _raw_of(lines)

    def _laid_out_reads(self, opened: OpenSource) -> Iterator[tuple[Batch, _Raw]]:
        items = iter(opened)
        while reads := list(islice(items, BATCH_ROUNDS)):
            given = (opened.source.name, opened.sha256, self._register, self._new_path())
            yield batch_of_reads(reads, *given), _raw_among(reads)

    def _new_path(self) -> Path:
        self._batches += 1
        return self._folder / f"batch-{self._batches}"

    def _settle(self, file: FileReport, batch: Batch, raw: _Raw) -> None:
        """Decide for each round of a batch whether it is new, a duplicate or a conflict."""
        file.lines += batch.lines
        file.unknown.update(batch.unknown)
        self._report.unregistered |= batch.venues - self._register.venues.keys()
        self._report.totals_in.add(batch.total)
        keep = np.ones(len(batch), np.bool_)
        for place, before in self._known_before(file, batch):
            keep[place] = False
            if before.content_sha256 == batch.digests[place].tobytes().hex():
                file.duplicates += 1
                continue
            file.conflicts += 1
            line = raw(int(batch.rows["offset"][place]), int(batch.rows["size"][place]))
            partition = batch.layers[batch.rows["layer"][place]].partition
            batch.refused.append((partition, _conflict(batch, place, line, file.name, before)))
        file.stored += int(keep.sum())
        self._not_stored.add(batch.totals(np.flatnonzero(~keep)))
        self._rounds.add(batch, keep)
        self._quarantine(file, batch.refused)
        if self._progress is not None:
            self._progress(file.name, file.lines)

    def _known_before(self, file: FileReport, batch: Batch) -> list[tuple[int, Stored]]:
        """The rounds of a batch that are not to be stored, in order, and what each was compared with.

        All others are noted as seen.
        """
        if not len(batch):
            return []
        known: dict[int, Stored] = {}
        fresh = np.ones(len(batch), np.bool_)
        for place, before in sorted(self._in_lake(batch).items()):
            fresh[place] = False
            seen = self._seen.find(batch.keys[place].tobytes()) if self._supersede else None
            same = before.content_sha256 == batch.digests[place].tobytes().hex()
            if seen is not None or not self._supersede or same:
                known[place] = seen or before
                continue
            file.superseding += 1
            venue = batch.layers[batch.rows["layer"][place]].partition.venue
            self._superseded[venue or "", batch.round_ids[place].as_py()] = before
            self._see(file, batch, np.array([place]))
        places = np.flatnonzero(fresh)
        again = self._see(file, batch, places)
        known |= {int(places[place]): before for place, before in again.items()}
        return sorted(known.items())

    def _see(self, file: FileReport, batch: Batch, places: Whole) -> dict[int, Stored]:
        return self._seen.add(
            batch.keys[places], batch.digests[places], file.name, batch.rows["number"][places]
        )

    def _in_lake(self, batch: Batch) -> dict[int, Stored]:
        """What the lake has stored of the rounds of a batch, by place."""
        wanted: dict[Path, dict[str, list[int]]] = {}
        for place, path in self._stored.parts_of(batch.keys).items():
            wanted.setdefault(path, {}).setdefault(batch.round_ids[place].as_py(), []).append(place)
        found: dict[int, Stored] = {}
        for path, places in wanted.items():
            stored = self._lake.stored_in([path], list(places))
            found.update((place, each) for round_id, each in stored.items() for place in places[round_id])
        return found

    def _quarantine(self, file: FileReport, refused: Sequence[tuple[Partition, Refused]]) -> None:
        file.quarantined += len(refused)
        rows: dict[Partition, list[Refused]] = {}
        for partition, each in refused:
            if len(self._report.first_refused) < 20:
                self._report.first_refused.append(each.message)
            if file.again:
                self._kept_before += 1
                continue
            rows.setdefault(partition, []).append(each)
        for partition, lines in rows.items():
            self._refused.add(partition, (_quarantine_table(lines, file.sha256),))

    # --- out ---

    def publish(self, report: IngestReport, at: datetime | None) -> None:
        """Write the parts, balance them with what was read, and put them in place."""
        if not report.files:
            return
        parts = self._rounds.parts()
        quarantine = self._refused.parts()
        for part in parts:
            report.totals_out.add(part.totals)
        with Recount(self._folder) as recount:
            kept = sum(recount.rows(file.path) for (file,) in quarantine)
            self._balance(report, sum(part.count for part in parts), kept + self._kept_before)
            retired, remaining = self._without_superseded(recount)
        pairs = [(part.rounds, part.events) for part in parts]
        staged = [each for files in (*pairs, *remaining, *quarantine) for each in files]
        report.partitions = sorted({part.rounds.partition for part in parts}, key=lambda each: each.order)
        record = {
            "kind": "ingest",
            **provenance(),
            "register_sha256": self.register_sha256,
            "files": [each.as_json() for each in report.files],
            "failed": [{"name": Path(each.source).name, "reason": each.reason} for each in report.failed],
            "totals": report.totals_out.as_json(),
            "superseded": [
                {"venue": venue, "round_id": round_id, "file": each.source_file, "line": each.source_line}
                for (venue, round_id), each in sorted(self._superseded.items())
            ],
        }
        if self._mapping is not None:
            record["mapping"] = self._mapping.as_json()
        sealed = self._lake.publish(self._folder, staged, "ingests", record, at, retired)
        report.record = sealed["sha256"]

    def _without_superseded(self, recount: Recount) -> tuple[list[Path], list[tuple[Staged, ...]]]:
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
                    rounds, events = (_filtered(each, gone, keep=False) for each in (path, beside))
                    rest = rounds, events_of_table(events, rounds["event_count"])
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


_Raw: TypeAlias = Callable[[int, int], bytes]
"""Gives the bytes of a line, by its offset in the source and its size."""


def _raw_among(reads: Sequence[Read | Refused]) -> _Raw:
    raws = {each.offset: each.raw for each in reads if isinstance(each, Read)}
    return lambda offset, size: raws[offset]


def _raw_of(lines: Lines) -> _Raw:
    return lambda offset, size: lines.part(offset, size).data


def _imbalance(lake: Lake, differences: list[str]) -> Imbalance:
    return Imbalance(
        f"{lake.root}: control totals do not balance, so nothing was published; "
        f"report this as a fault of the program ({'; '.join(differences)})"
    )


def _conflict(batch: Batch, place: int, raw: bytes, file: str, before: Stored) -> Refused:
    where = f"{before.source_file} line {before.source_line}"
    round_id = batch.round_ids[place].as_py()
    return Refused(
        raw=raw,
        byte_count=len(raw),
        file=file,
        line=int(batch.rows["number"][place]),
        offset=int(batch.rows["offset"][place]),
        field="round_id",
        reason=f"round {round_id} is already stored with other content, from {where}",
        round_id=round_id,
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
