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
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq

from audit.clock import now
from audit.digests import digest_at, file_digest, files_in, folder_digest
from audit.durable import sync_folders
from audit.errors import LakeBusy, LakeError, storage_error
from audit.ingest.columns import events_of, rounds_of
from audit.ingest.wire import RESERVED_VENUE
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
    in_between,
    recover,
    unfinished,
)
from audit.stopping import unstopped
from rules_replay.log import Round

if TYPE_CHECKING:
    from audit.signing import Signer

EVIDENCE = ("rounds", "events", "quarantine")
DERIVED = ("hands", "settlements", "findings", "coverage")
HISTORY = ("changes",)
TABLES = EVIDENCE + DERIVED + HISTORY
ARCHIVE = "archive"
SURVEILLANCE = "surveillance"
"""Folder of what `audit.surveil` publishes; it is about many partitions and has none."""
_OTHER_PLACES = (ARCHIVE, SURVEILLANCE, "ledger", ".staging", ".lock", ".rounds", "report", "audit.duckdb")
DATA_FILE = "data.parquet"
ROUND_ORDER = ("table", "shoe", "round_no", "round_id")
"""How rounds are sorted within a file: as they were dealt."""

UNKNOWN = RESERVED_VENUE
"""Folder value of a venue or gaming date that could not be read; Hive readers see null."""


LOOK_SECONDS = 0.3
"""How long `Lake.unfinished` may hold a lake."""


@dataclass(frozen=True, slots=True)
class Partition:
    """One venue and gaming date; None where a quarantined line does not tell."""

    venue: str | None
    gaming_date: date | None

    @property
    def folder(self) -> str:
        """The folder below that of a table, such as ``venue=a/gaming_date=2019-03-01``."""
        day = UNKNOWN if self.gaming_date is None else self.gaming_date.isoformat()
        return f"venue={venue_folder(self.venue)}/gaming_date={day}"

    @property
    def order(self) -> tuple[str, str]:
        """Sort key: venue, then gaming date, the unknown first."""
        return self.venue or "", self.gaming_date.isoformat() if self.gaming_date else ""


def venue_folder(venue: str | None) -> str:
    """A venue as a folder value: percent-encoded outside ``A-Z a-z 0-9 . _ -``."""
    if venue is None:
        return UNKNOWN
    return quote(venue, safe="").replace("~", "%7E")


def partition_named(venue: str, day: str) -> Partition | None:
    """The partition of two folders ``venue=…`` and ``gaming_date=…``; None where that is no date."""
    text = day.removeprefix("gaming_date=")
    try:
        found = None if text == UNKNOWN else date.fromisoformat(text)
    except ValueError:
        return None
    return Partition(_venue_of(venue.removeprefix("venue=")), found)


def _venue_of(value: str) -> str | None:
    return None if value == UNKNOWN else unquote(value)


@dataclass(frozen=True, slots=True)
class Staged:
    """A Parquet file written and made durable, not yet published."""

    table: str
    partition: Partition
    path: Path
    name: str
    sha256: str
    byte_count: int
    rows: int

    @property
    def place(self) -> str:
        """Where in the lake it belongs, relative to the lake."""
        return f"{self.table}/{self.partition.folder}/{self.name}"

    def as_json(self) -> dict[str, Any]:
        """The entry of the file in a ledger record."""
        return {"path": self.place, "sha256": self.sha256, "bytes": self.byte_count, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Stored:
    """A round already in the lake: digest of its content and where it came from."""

    content_sha256: str
    source_file: str
    source_line: int


NOT_OURS = "ledger: a record is chained and not of the form that this program writes; something else made it"


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Lake.verify` looked at and what it found; no problem means intact.

    ``sound`` has for each ledger its records before the first broken link, which ``broken``
    names, and ``damaged`` what is wrong with files.
    """

    sound: Mapping[LedgerName, int]
    files: int
    broken: Mapping[LedgerName, str]
    damaged: tuple[str, ...]
    unfinished: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that is wrong, a line each."""
        return (*self.unfinished, *self.broken.values(), *self.damaged)

    @property
    def records(self) -> int:
        """The sound records of all ledgers."""
        return sum(self.sound.values())

    @property
    def intact(self) -> bool:
        """True when nothing was found."""
        return not self.problems


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
        `StorageError` when the disk refuses.
        """
        if create:
            self._create()
        refuse_links(self.root, TABLES, _OTHER_PLACES)
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
            raise LakeError(f"{self.root}: neither empty nor a lake; name a new folder")
        if self.root.exists() and not self.root.is_dir():
            raise LakeError(f"{self.root}: a file, and a lake is a folder; name a new folder")
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
            yield Move(_place(kept, self.root), each["archived"], each["sha256"])
            place, _, name = each["path"].rpartition("/")
            partitions.setdefault(place, ([], set()))[1].add(name)
        for file in staged:
            partitions.setdefault(file.place.rpartition("/")[0], ([], set()))[0].append(file)
        for place, (added, gone) in sorted(partitions.items(), key=lambda each: _place_order(each[0])):
            if len(added) == 1 and not gone:
                yield Move(_place(added[0].path, self.root), added[0].place, added[0].sha256)
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
        return Move(_place(made, self.root), place, folder_digest(digests))

    def _moves_beside(self, beside: Mapping[str, Path]) -> Iterator[Move]:
        for place, path in beside.items():
            yield Move(_place(path, self.root), place, digest_at(path) or "")

    def _sealed(self, name: LedgerName, record: Mapping[str, Any], at: datetime) -> Record:
        """A record as it is to be appended. What it says of the other ledgers keeps them from being cut."""
        others = {other: asdict(head) for other, head in self.heads().items() if other != name}
        signed_by = {} if self._signer is None else {"signed_by": self._signer.id}
        sealed = self.ledger(name).sealed({**record, "heads": others, **signed_by}, at)
        if self._signer is not None:
            sealed["signature"] = self._signer.sign("record", sealed["sha256"])
        return sealed

    def _retirement(self, path: Path) -> dict[str, str]:
        place = _place(path, self.root)
        return {"path": place, "archived": f"{ARCHIVE}/{place}", "sha256": file_digest(path)}

    def _has(self, place: str, digest: str) -> bool:
        path = self.root / place
        return path.is_file() and file_digest(path) == digest

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

    # --- checking ---

    def published(self) -> dict[str, str]:
        """Every file the ledgers name and its SHA-256, the latest record winning."""
        files: dict[str, str] = {}
        for ledger in LEDGERS:
            for record in self.records(ledger):
                for file in record.get("retired", []):
                    files.pop(file["path"], None)
                    files[file["archived"]] = file["sha256"]
                files.update((file["path"], file["sha256"]) for file in record["published"])
        return files

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
        present = {_place(path, self.root) for folder in folders for path in self._parquet_in(folder)}
        return self._file_problems(wanted, present)

    def verify(self) -> Verification:
        """Recompute the chains and the SHA-256 of every published file.

        The first broken link of a ledger is named; records after it are not followed.
        Raises `LakeBusy` while another process is writing, since what it is about to
        record would look foreign.
        """
        with self.reading():
            return self._verified()

    def _verified(self) -> Verification:
        cut_off, soon = in_between(self.root)
        unfinished = (
            (".staging: a publication was cut off; the next ingest or run finishes or undoes it",)
            if cut_off
            else ()
        )
        sound: dict[LedgerName, int] = {}
        broken: dict[LedgerName, str] = {}
        for name in LEDGERS:
            chain = self.ledger(name).follow()
            sound[name] = chain.sound
            if chain.problem is not None:
                broken[name] = chain.problem
        try:
            known = self.published()
        except (LakeError, KeyError, TypeError, AttributeError):
            return Verification(sound, 0, broken, () if broken else (NOT_OURS,), unfinished)
        present = {
            _place(path, self.root)
            for table in (*TABLES, SURVEILLANCE, f"{ARCHIVE}/*")
            # Of the two only the first goes through linked folders, and only the second to any depth.
            for pattern in ("*/*/*.parquet", "**/*.parquet")
            for path in self.root.glob(f"{table}/{pattern}")
        }
        explained = {
            place for place, digest in soon.items() if self._is_either(place, known.get(place), digest)
        }
        damaged = self._file_problems(
            {place: digest for place, digest in known.items() if place not in explained}, present - explained
        )
        ledgers = [_place(self.ledger_path(name), self.root) for name in LEDGERS]
        linked = [_linked(place) for place in ledgers if self._is_linked(place)]
        return Verification(sound, len(known), broken, (*linked, *damaged), unfinished)

    def _file_problems(self, known: Mapping[str, str], present: set[str]) -> list[str]:
        problems = []
        for place in sorted(known.keys() | present):
            if place not in present:
                problems.append(f"{place}: published, and now missing")
            elif place not in known:
                problems.append(f"{place}: in the lake, and in no ledger")
            elif self._is_linked(place):
                problems.append(_linked(place))
            elif not self._has(place, known[place]):
                problems.append(f"{place}: differs from the SHA-256 in the ledger; it was altered or damaged")
        return problems

    def _is_either(self, place: str, *digests: str | None) -> bool:
        """Whether a place has a file of one of these SHA-256; None stands for no file."""
        return not self._is_linked(place) and digest_at(self.root / place) in digests

    def _is_linked(self, place: str) -> bool:
        path = self.root / place
        return any(
            each.is_symlink()
            for each in (path, *path.parents)
            if each.is_relative_to(self.root / place.split("/")[0])
        )

    def status(self, rows_of: Mapping[str, int] | None = None) -> dict[str, Any]:
        """What is in the lake, ready for JSON: per venue, per table and per ledger.

        A gaming date is not replayed where its newest replay read other rounds than there are now.
        ``rows_of`` has the rows of every file of a table, by place, of a lake whose files are not here.
        """
        self.require()
        venues: dict[str, dict[str, Any]] = {}
        rows: dict[str, int] = dict.fromkeys(TABLES, 0)
        rounds: Counter[Partition] = Counter()
        evidence: dict[Partition, set[str]] = {}
        replayed = set()
        for place, number in (self._rows_here() if rows_of is None else rows_of).items():
            table, venue, day = place.split("/")[:3]
            partition = partition_named(venue, day)
            rows[table] += number
            if table == "rounds" and partition is not None:
                rounds[partition] += number
                evidence.setdefault(partition, set()).add(place)
            if table == "coverage":
                replayed.add(partition)
        replayed_from = self._replayed_from()
        for partition in sorted(rounds, key=lambda each: each.order):
            if partition.gaming_date is not None:
                as_it_is = evidence[partition] == replayed_from.get(partition.folder)
                self._count_venue(venues, partition, rounds[partition], partition in replayed and as_it_is)
        return {
            "venues": {name: venues[name] for name in sorted(venues)},
            "rows": rows,
            "ledgers": {ledger: sum(1 for _ in self.records(ledger)) for ledger in LEDGERS},
        }

    def _replayed_from(self) -> dict[str, set[str]]:
        """By folder of a partition the files of ``rounds`` that its newest replay read."""
        found: dict[str, set[str]] = {}
        for record in self.records("runs"):
            read: dict[str, set[str]] = {}
            for each in record["inputs"]:
                table, _, below = each["path"].partition("/")
                if table == "rounds":
                    read.setdefault(below.rpartition("/")[0], set()).add(each["path"])
            for each in record["published"]:
                table, _, below = each["path"].partition("/")
                if table == "coverage":
                    folder = below.rpartition("/")[0]
                    found[folder] = read.get(folder, set())
        return found

    def _rows_here(self) -> dict[str, int]:
        return {
            _place(path, self.root): pq.read_metadata(path).num_rows
            for table in TABLES
            for partition in self.partitions(table)
            for path in self.files(table, partition)
        }

    def recorded_rows(self) -> dict[str, int]:
        """The rows of every file that was ever published, by place, as the ledgers have them."""
        return {
            file["path"]: file["rows"]
            for name in LEDGERS
            for record in self.records(name)
            for file in record["published"]
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

    @staticmethod
    def _count_venue(
        venues: dict[str, dict[str, Any]], partition: Partition, rounds: int, replayed: bool
    ) -> None:
        day = str(partition.gaming_date)
        known = venues.setdefault(
            str(partition.venue),
            {"rounds": 0, "gaming_dates": 0, "first": day, "last": day, "not_replayed": 0},
        )
        known["rounds"] += rounds
        known["gaming_dates"] += 1
        known["first"] = min(known["first"], day)
        known["last"] = max(known["last"], day)
        known["not_replayed"] += not replayed


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


def stage(
    folder: Path,
    table: str,
    partition: Partition,
    batches: Iterable[pa.Table],
    schema: pa.Schema,
    name: str | None = DATA_FILE,
    narrow: pa.Schema | None = None,
) -> Staged:
    """Write one Parquet file into a staging folder and make it durable.

    Each table of ``batches`` becomes a row group, so memory is bounded by the largest.
    The same rows give the same bytes. ``name`` is the file's name once published; None
    names it after the digest of its content. The tables may be ``narrow``: lists of texts
    and 64-bit amounts, which cost less to write and are read as ``schema`` all the same.
    Raises `StorageError`.
    """
    with Writing(folder, table, partition, schema, narrow) as writing:
        for batch in batches:
            writing.add(batch)
        return writing.staged(name)


class Writing:
    """A Parquet file under way in a staging folder, for callers that write several side by side.

    Raises `StorageError`, as `stage` does.
    """

    def __init__(
        self,
        folder: Path,
        table: str,
        partition: Partition,
        schema: pa.Schema,
        narrow: pa.Schema | None = None,
    ) -> None:
        self._table = table
        self._partition = partition
        self._rows = 0
        with self._storing():
            handle, path = tempfile.mkstemp(dir=folder, suffix=".parquet")
            os.close(handle)
            self._path = folder / Path(path).name
            self._writer = _writer(self._path, table, schema, narrow)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._storing():
            self._writer.close()

    def add(self, rows: pa.Table) -> None:
        """Write some rows as a row group."""
        with self._storing():
            self._writer.write_table(rows, row_group_size=max(rows.num_rows, 1))
        self._rows += rows.num_rows

    def staged(self, name: str | None = DATA_FILE) -> Staged:
        """The file, durable, once all rows are written."""
        with self._storing():
            self._writer.close()
            self._path.chmod(0o644)
            with self._path.open("rb") as file:
                os.fsync(file.fileno())
            digest = file_digest(self._path)
            size = self._path.stat().st_size
        return Staged(
            self._table, self._partition, self._path, name or part_name(digest), digest, size, self._rows
        )

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise storage_error(error, f"write {self._table}", self._partition.folder) from None


_BATCH_ROWS = 16_384
"""Rows that are handed on to the encoder of a column at a time."""

_PAGE_ROWS = 1_000_000
"""Rows of a page, instead of the 20,000 of Arrow: each page of a column is compressed and opened by
itself, and nobody looks for rows in one."""

_SOUGHT = {"hands": ["round_id"], "settlements": ["round_id", "delta"]}
"""Columns whose least and greatest values are kept; nobody looks for those of the others."""

_SELDOM = {"events": ["from", "reason", "scope", "code"]}
"""Columns of text that often hold nothing in a whole row group: a reader that knows may pass over them."""


def _writer(path: Path, table: str, schema: pa.Schema, narrow: pa.Schema | None) -> pq.ParquetWriter:
    if narrow is None:
        return pq.ParquetWriter(path, schema, compression="zstd", write_statistics=True)
    numbers = [each.name for each in narrow if not pa.types.is_dictionary(each.type)]
    writer = pq.ParquetWriter(
        path,
        narrow,
        compression="zstd",
        # Texts that a narrow schema leaves as they are do not repeat.
        use_dictionary=[each.name for each in narrow if each.type != pa.string()],
        write_batch_size=_BATCH_ROWS,
        max_rows_per_page=_PAGE_ROWS,
        write_statistics=_SOUGHT.get(table, numbers + _SELDOM.get(table, [])),
        store_decimal_as_integer=True,
        store_schema=False,
    )
    # What Arrow itself would write of the narrow one: types as they are read, and comments.
    writer.add_key_value_metadata({"ARROW:schema": b64encode(schema.serialize()).decode()})
    return writer


def part_name(digest: str) -> str:
    """The name of an evidence file, after the digest of its content."""
    return f"part-{digest[:16]}.parquet"


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


def _linked(place: str) -> str:
    return f"{place}: a symbolic link stands for it; what it leads to can be exchanged"


def _place(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _place_order(place: str) -> tuple[int, str]:
    """What is put in place first: findings before the evidence, events before their rounds."""
    return -TABLES.index(place.split("/")[0]), place
