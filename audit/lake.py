"""The lake: Hive-partitioned Parquet, published atomically, with hash-chained ledgers.

    rounds/venue=…/gaming_date=…/part-<digest>.parquet       evidence, append-only
    events/venue=…/gaming_date=…/part-<digest>.parquet       same name as its rounds
    quarantine/venue=…/gaming_date=…/part-<digest>.parquet
    archive/rounds/… archive/events/…                        evidence that was superseded
    hands, settlements, findings, coverage /…/data.parquet   derived, replaced whole
    changes/venue=…/gaming_date=…/part-<digest>.parquet      history of the findings, append-only
    surveillance/data.parquet                                results over many rounds, replaced whole
    ledger/ingests.jsonl, runs.jsonl, dispositions.jsonl, surveillance.jsonl   append-only, chained
    .staging/, .lock                                         work in hand

A bare glob over a partition of a table is right at any moment: files are written elsewhere
in the lake, made durable, and put in place by one rename, of a file or of the whole folder
(see `audit.publication`). A publication that was cut short is finished or undone by the next
writer, before it writes anything.
"""

from __future__ import annotations

import errno
import fcntl
import heapq
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from audit.clock import now
from audit.damage import Verification, damaged_files, published_files, verification_of
from audit.digests import digest_at, file_digest, files_in, folder_digest
from audit.durable import sync_folders
from audit.errors import LakeBusy, LakeError, UsageProblem, storage_error
from audit.ingest.columns import events_of, rounds_of
from audit.lake_status import status_of
from audit.layout import (
    ARCHIVE,
    EVIDENCE,
    OTHER_PLACES,
    SURVEILLANCE,
    TABLES,
    Partition,
    partition_named,
    place_of,
    venue_folder,
)
from audit.ledger import LEDGERS, Head, Ledger, LedgerName, Record
from audit.observe.log import say
from audit.premises import refuse_closed, refuse_links
from audit.publication import (
    CATALOGUE,
    INTENT,
    STAGING,
    Move,
    Unfinished,
    carry_out,
    clear,
    recover,
    unfinished,
)
from audit.staging import Staged
from audit.stopping import unstopped
from rules_replay.log import Round

if TYPE_CHECKING:
    from audit.signing import Signer

LOOK_SECONDS = 0.3
"""How long `Lake.unfinished` may hold a lake."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A round already in the lake: digest of its content and where it came from."""

    content_sha256: str
    source_file: str
    source_line: int


class Lake:
    """A lake in one folder. Making the object touches nothing.

    With a ``signer`` every record that is written is signed. ``written`` is called when something was,
    with the lake still held: it makes it known elsewhere, and what it raises fails the writing.
    """

    def __init__(
        self,
        root: Path | str,
        signer: Signer | None = None,
        written: Callable[[], None] | None = None,
    ) -> None:
        self.root = Path(root)
        self._signer = signer
        self._written = written
        self._held = False

    # --- being there ---

    def require(self) -> None:
        """Raise `LakeError` unless the folder is a lake, `StorageError` where part of it may not be read."""
        if not (self.root / "ledger").is_dir():
            raise LakeError(f"{self.root}: no lake here; `pontoon-audit ingest FILE --lake DIR` makes one")
        archived = [f"{ARCHIVE}/{table}" for table in EVIDENCE]
        refuse_closed(self.root, (*TABLES, *archived, SURVEILLANCE))

    @contextmanager
    def writing(self, create: bool = False) -> Iterator[None]:
        """Hold the lake for writing, after clearing up what a writer before left behind.

        Raises `LakeBusy` when another process holds it, `LakeError` when there
        is no lake and none is to be made, or a link stands where it would be written to,
        `UsageProblem` when none can be made of what is there, `StorageError` when the disk refuses.
        """
        if create:
            self._create()
        refuse_links(self.root, TABLES, OTHER_PLACES)
        with self._locked(fcntl.LOCK_EX):
            try:
                recover(self.root, self.ledger)
                for name in LEDGERS:
                    # A publication that was cut off has been finished or undone, its record with it.
                    if self.ledger(name).mend_last_line():
                        say(_lost(self.ledger_path(name), self.root), "ledger.cut", "warning")
            except OSError as error:
                raise storage_error(error, "clear up an unfinished publication", self.root) from None
            yield
            if self._written is not None:
                self._written()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep writers out, so that what is seen is whole; raises `LakeBusy` while one is at work."""
        with nullcontext() if self._held else self._locked(fcntl.LOCK_SH):
            yield

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        self.require()
        if self._held:
            raise LakeBusy(f"{self.root}: this process is already writing to this lake")
        try:
            handle = self._lock_file(how)
        except OSError as error:
            raise storage_error(error, "open the lock file", self.root) from None
        try:
            if not locked_file(handle, how):
                raise LakeBusy(f"{self.root}: another process is using this lake; run again later")
            self._held = True
            yield
        finally:
            self._held = False
            os.close(handle)

    def _lock_file(self, how: int) -> int:
        path = self.root / ".lock"
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            if how != fcntl.LOCK_SH or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                raise
            # Evidence is looked at on read-only media too; without a file to lock, the ledgers are locked.
            return os.open(path if path.exists() else self.root / "ledger", os.O_RDONLY)

    def _create(self) -> None:
        if self.root.is_dir() and not (self.root / "ledger").is_dir() and any(self.root.iterdir()):
            raise UsageProblem(f"{self.root}: neither empty nor a lake; name a new folder")
        if self.root.exists() and not self.root.is_dir():
            raise UsageProblem(f"{self.root}: a file, and a lake is a folder; name a new folder")
        try:
            for name in ("ledger", STAGING):
                (self.root / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, "make the lake", self.root) from None

    # --- what is in it ---

    def partitions(
        self,
        table: str = "rounds",
        venue: str | None = None,
        since: date | None = None,
        until: date | None = None,
    ) -> list[Partition]:
        """The partitions of a table, sorted; ``since`` and ``until`` are both included.

        With a bound, partitions of no known gaming date are left out.
        """
        found = []
        for folder in self.root.glob(f"{table}/venue=*/gaming_date=*"):
            partition = self._partition_in(folder)
            day = partition.gaming_date
            if venue is not None and partition.venue != venue:
                continue
            if since is not None and (day is None or day < since):
                continue
            if until is not None and (day is None or day > until):
                continue
            if any(folder.glob("*.parquet")):
                found.append(partition)
        return sorted(found, key=lambda each: each.order)

    def _partition_in(self, folder: Path) -> Partition:
        partition = partition_named(folder.parent.name, folder.name)
        if partition is None:
            raise LakeError(f"{folder}: not a gaming date; move the folder out of the lake")
        return partition

    def files(self, table: str, partition: Partition) -> list[Path]:
        """The Parquet files of a table's partition, sorted by name."""
        return self._parquet_in(f"{table}/{partition.folder}")

    def _parquet_in(self, folder: str) -> list[Path]:
        return sorted((self.root / folder).glob("*.parquet"))

    def read_rounds(self, partition: Partition) -> Iterator[Round]:
        """The rounds of a partition as they were logged, sorted by table, shoe and number.

        Memory is bounded by a row group of each file, not by the partition.
        """
        parts = [
            _part_rounds(path, self.events_beside(path), partition)
            for path in self.files("rounds", partition)
        ]
        return heapq.merge(*parts, key=_round_order)

    def parts_with(self, venue: str, round_ids: Iterable[str]) -> dict[Path, set[str]]:
        """The files of ``rounds`` that hold any of these rounds, and which they hold."""
        wanted = pa.array(sorted(set(round_ids)), pa.string())
        found: dict[Path, set[str]] = {}
        for path in sorted(self.root.glob(f"rounds/venue={venue_folder(venue)}/*/*.parquet")):
            held = pq.read_table(path, columns=["round_id"], partitioning=None)["round_id"]
            here = held.filter(pa.compute.is_in(held, wanted)).to_pylist()
            if here:
                found[path] = set(here)
        return found

    def events_beside(self, rounds: Path) -> Path:
        """The file of ``events`` that belongs to a file of ``rounds``."""
        return self.root / "events" / rounds.relative_to(self.root / "rounds")

    def partition_of(self, path: Path) -> Partition:
        """The partition that a file of a table belongs to."""
        return self._partition_in(path.parent)

    def stored(self, venue: str, round_ids: Sequence[str]) -> dict[str, Stored]:
        """Which of these rounds the lake has, under any gaming date of the venue."""
        paths = sorted(self.root.glob(f"rounds/venue={venue_folder(venue)}/*/*.parquet"))
        return self.stored_in(paths, round_ids)

    def stored_in(self, paths: Sequence[Path], round_ids: Sequence[str]) -> dict[str, Stored]:
        """Which of these rounds some files of ``rounds``, all of one venue, have."""
        if not paths:
            return {}
        # It imports pandas, which a replay does without.
        import pyarrow.dataset as ds

        wanted = pa.array(sorted(set(round_ids)), pa.string())
        table = ds.dataset([str(path) for path in paths], format="parquet").to_table(
            columns=["round_id", "content_sha256", "source_file", "source_line"],
            filter=ds.field("round_id").isin(wanted),
        )
        return {
            round_id: Stored(*stored) for round_id, *stored in zip(*table.to_pydict().values(), strict=True)
        }

    # --- writing ---

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder of the lake to write in, gone afterwards.

        It stays for the next writer where a publication could be neither finished nor undone.
        """
        root = self.root / STAGING
        folder: Path | None = None
        try:
            try:
                # Told to stop here, nobody would know the folder that was just made.
                with unstopped():
                    root.mkdir(exist_ok=True)
                    folder = Path(tempfile.mkdtemp(dir=root))
            except OSError as error:
                raise storage_error(error, "make a folder to write in", self.root) from None
            sync_folders([root], self.root)
            yield folder
        finally:
            if folder is not None and not (folder / INTENT).exists():
                with unstopped():
                    clear(folder)

    def publish(
        self,
        folder: Path,
        staged: Sequence[Staged],
        ledger: LedgerName,
        record: Mapping[str, Any],
        at: datetime | None = None,
        retired: Sequence[Path] = (),
        beside: Mapping[str, Path] | None = None,
    ) -> dict[str, Any]:
        """Put staged files in place and append one record naming them to a ledger.

        ``folder`` is the staging folder of the files; ``retired`` are files of the lake
        that move into its archive; ``beside`` has by place in the lake what else of the
        staging folder goes there, files and whole folders, of which ``record`` may name some as
        ``published`` by itself. The record gets ``n``, ``at``, ``published``,
        ``retired``, ``heads``, ``previous`` and ``sha256``, with a signer ``signed_by`` and
        ``signature``, and is returned. Either all of it
        happens or, on an error, none; `StorageError` says what the disk refused. Call
        it inside `writing`.
        """
        ordered = sorted(staged, key=lambda each: _place_order(each.place))
        try:
            gone = [self._retirement(path) for path in retired]
            published = [*record.get("published", ()), *(each.as_json() for each in ordered)]
            full = {**record, "published": published, "retired": gone}
            sealed = self._sealed(ledger, full, at or now())
            moves = [*self._moves(folder, ordered, gone), *self._moves_beside(beside or {})]
        except OSError as error:
            raise storage_error(error, "prepare the publication", self.root) from None
        try:
            with unstopped():
                carry_out(self.root, folder, moves, self.ledger(ledger), ledger, sealed)
        except OSError as error:
            raise storage_error(error, "publish", self.root) from None
        return sealed

    def _moves(
        self, folder: Path, staged: Sequence[Staged], retired: Sequence[Mapping[str, str]]
    ) -> Iterator[Move]:
        """The archive first, then each partition of a table in one move."""
        partitions: dict[str, tuple[list[Staged], set[str]]] = {}
        for number, each in enumerate(retired):
            kept = folder / f"retired-{number}"
            os.link(self.root / each["path"], kept)
            yield Move(place_of(kept, self.root), each["archived"], each["sha256"])
            place, _, name = each["path"].rpartition("/")
            partitions.setdefault(place, ([], set()))[1].add(name)
        for file in staged:
            partitions.setdefault(file.place.rpartition("/")[0], ([], set()))[0].append(file)
        for place, (added, gone) in sorted(partitions.items(), key=lambda each: _place_order(each[0])):
            if len(added) == 1 and not gone:
                yield Move(place_of(added[0].path, self.root), added[0].place, added[0].sha256)
            else:
                yield self._folder_move(folder / "folders" / place, place, added, gone)

    def _folder_move(self, made: Path, place: str, added: Sequence[Staged], gone: set[str]) -> Move:
        """The move of a whole partition of a table, made as it is to be, of links and staged files."""
        there = self.root / place
        if there.is_dir():
            shutil.copytree(there, made, copy_function=os.link, ignore=lambda _, names: gone & {*names})
        else:
            made.mkdir(parents=True)
        digests = files_in(made)
        for file in added:
            file.path.rename(made / file.name)
            digests[file.name] = file.sha256
        sync_folders([made, *(path for path in made.rglob("*") if path.is_dir())], self.root)
        return Move(place_of(made, self.root), place, folder_digest(digests))

    def _moves_beside(self, beside: Mapping[str, Path]) -> Iterator[Move]:
        for place, path in beside.items():
            yield Move(place_of(path, self.root), place, digest_at(path) or "")

    def _sealed(self, name: LedgerName, record: Mapping[str, Any], at: datetime) -> Record:
        """A record as it is to be appended. What it says of the other ledgers keeps them from being cut."""
        others = {other: asdict(head) for other, head in self.heads().items() if other != name}
        signed_by = {} if self._signer is None else {"signed_by": self._signer.id}
        sealed = self.ledger(name).sealed({**record, "heads": others, **signed_by}, at)
        if self._signer is not None:
            sealed["signature"] = self._signer.sign("record", sealed["sha256"])
        return sealed

    def _retirement(self, path: Path) -> dict[str, str]:
        place = place_of(path, self.root)
        return {"path": place, "archived": f"{ARCHIVE}/{place}", "sha256": file_digest(path)}

    # --- the ledgers ---

    def ledger(self, name: LedgerName) -> Ledger:
        """One of the ledgers."""
        return Ledger(self.root / "ledger" / f"{name}.jsonl")

    def ledger_path(self, name: LedgerName) -> Path:
        """The file of a ledger."""
        return self.ledger(name).path

    def records(self, name: LedgerName) -> Iterator[Record]:
        """The records of a ledger, oldest first; raises `LakeError` for one that is not JSON."""
        return self.ledger(name).records()

    def heads(self) -> dict[LedgerName, Head]:
        """The newest record of each ledger that has any."""
        found = {name: self.ledger(name).head() for name in LEDGERS}
        return {name: head for name, head in found.items() if head is not None}

    def append(
        self, ledger: LedgerName, record: Mapping[str, Any], at: datetime | None = None
    ) -> dict[str, Any]:
        """Append a record that publishes no file; see `publish`."""
        with self.staging() as folder:
            return self.publish(folder, (), ledger, record, at)

    def known_files(self) -> set[tuple[str, str | None]]:
        """Every file ingested so far: its SHA-256, and that of the mapping it was read by, if any."""
        return {
            (file["sha256"], record.get("mapping", {}).get("sha256"))
            for record in self.records("ingests")
            for file in record["files"]
        }

    def published(self) -> dict[str, str]:
        """Every file the ledgers name and its SHA-256, the latest record winning."""
        return published_files(self._ledgers().values())

    def recorded_rows(self) -> dict[str, int]:
        """The rows of every file that was ever published, by place, as the ledgers have them."""
        return {
            file["path"]: file["rows"]
            for name in LEDGERS
            for record in self.records(name)
            for file in record["published"]
        }

    def _ledgers(self) -> dict[LedgerName, Ledger]:
        return {name: self.ledger(name) for name in LEDGERS}

    # --- checking and status ---

    def damaged(
        self,
        partition: Partition,
        tables: Iterable[str] = ("rounds", "events"),
        known: Mapping[str, str] | None = None,
    ) -> list[str]:
        """What is wrong with a partition's files, one line each, before they are trusted.

        A file is wrong that is missing, differs from its SHA-256 in the ledger, or
        stands in no ledger. ``known`` is `published`, for a caller with many partitions.
        """
        known = self.published() if known is None else known
        folders = tuple(f"{table}/{partition.folder}/" for table in tables)
        wanted = {path: digest for path, digest in known.items() if path.startswith(folders)}
        present = {place_of(path, self.root) for folder in folders for path in self._parquet_in(folder)}
        return damaged_files(self.root, wanted, present)

    def verify(self) -> Verification:
        """Recompute the chains and the SHA-256 of every published file.

        The first broken link of a ledger is named; records after it are not followed.
        Raises `LakeBusy` while another process is writing, since what it is about to
        record would look foreign.
        """
        with self.reading():
            return verification_of(self.root, self._ledgers())

    def status(self, rows_of: Mapping[str, int] | None = None) -> dict[str, Any]:
        """What is in the lake, as `audit.lake_status.status_of` counts it.

        ``rows_of`` has the rows of every file of a table, by place, of a lake whose files are not here.
        """
        self.require()
        return status_of(self._rows_here() if rows_of is None else rows_of, self._ledgers())

    def _rows_here(self) -> dict[str, int]:
        return {
            place_of(path, self.root): pq.read_metadata(path).num_rows
            for table in TABLES
            for partition in self.partitions(table)
            for path in self.files(table, partition)
        }

    def unfinished(self) -> list[Unfinished] | None:
        """What killed processes left behind; None while a process is at work, whose doing that is."""
        try:
            with self._locked(fcntl.LOCK_SH):
                found = list(unfinished(self.root))
                if self.ledger("runs").head() is not None and not (self.root / CATALOGUE).is_file():
                    found.append(Unfinished("catalogue", f"{CATALOGUE}: not there; the next run builds it"))
                return found
        except LakeBusy:
            return None


def locked_file(handle: int, how: int) -> bool:
    """Lock a file, unless another process has it for longer than it takes to look into a lake."""
    until = time.monotonic() + LOOK_SECONDS
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(LOOK_SECONDS / 10)
        else:
            return True


def _part_rounds(rounds: Path, events: Path, partition: Partition) -> Iterator[Round]:
    with pq.ParquetFile(rounds) as head, pq.ParquetFile(events) as tail:
        logged = (
            event for group in range(tail.num_row_groups) for event in events_of(tail.read_row_group(group))
        )
        for group in range(head.num_row_groups):
            yield from rounds_of(head.read_row_group(group), logged, partition.venue or "")


def _round_order(round_: Round) -> tuple[str, str, int, str]:
    return round_.table, round_.shoe, round_.round_no, round_.round_id


def _lost(path: Path, root: Path) -> str:
    return (
        f"{path}: the last record was cut off, and no unfinished publication is why; what was left of it is "
        f"dropped. `pontoon-audit verify --lake {root}` names files that it alone told of"
    )


def _place_order(place: str) -> tuple[int, str]:
    """What is put in place first: findings before the evidence, events before their rounds."""
    return -TABLES.index(place.split("/")[0]), place
