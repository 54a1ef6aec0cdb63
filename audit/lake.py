"""The lake: Hive-partitioned Parquet, published atomically, with hash-chained ledgers.

    rounds/venue=…/gaming_date=…/part-<digest>.parquet       evidence, append-only
    events/venue=…/gaming_date=…/part-<digest>.parquet       same name as its rounds
    quarantine/venue=…/gaming_date=…/part-<digest>.parquet
    archive/rounds/… archive/events/…                        evidence that was superseded
    hands, settlements, findings, coverage /…/data.parquet   derived, replaced whole
    ledger/ingests.jsonl, ledger/runs.jsonl                  append-only, chained
    .staging/, .lock                                         work in hand

A bare glob over a table is right at any moment: files are written elsewhere in the
lake, made durable, and renamed into place. A publication that was cut short is
finished or undone by the next writer, before it writes anything.
"""

from __future__ import annotations

import fcntl
import hashlib
import heapq
import json
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from audit.clock import now
from audit.errors import LakeBusy, LakeError, storage_error
from audit.ingest.columns import events_of, rounds_of
from audit.ingest.wire import RESERVED_VENUE
from rules_replay.log import Round

EVIDENCE = ("rounds", "events", "quarantine")
DERIVED = ("hands", "settlements", "findings", "coverage")
TABLES = EVIDENCE + DERIVED
ARCHIVE = "archive"
DATA_FILE = "data.parquet"
ROUND_ORDER = ("table", "shoe", "round_no", "round_id")
"""How rounds are sorted within a file: as they were dealt."""

UNKNOWN = RESERVED_VENUE
"""Folder value of a venue or gaming date that could not be read; Hive readers see null."""

GENESIS = "0" * 64
"""What the first record of a ledger names as the one before it."""

Ledger: TypeAlias = Literal["ingests", "runs"]
LEDGERS: tuple[Ledger, ...] = ("ingests", "runs")

_CHUNK = 1024 * 1024


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


@dataclass(frozen=True, slots=True)
class Verification:
    """What `Lake.verify` looked at and what it found, in order; no problem means intact."""

    records: int
    files: int
    problems: tuple[str, ...]

    @property
    def intact(self) -> bool:
        """True when nothing was found."""
        return not self.problems


class Lake:
    """A lake in one folder. Making the object touches nothing."""

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        self._held = False

    # --- being there ---

    def require(self) -> None:
        """Raise `LakeError` unless the folder is a lake."""
        if not (self.root / "ledger").is_dir():
            raise LakeError(f"{self.root}: no lake here; `pontoon-audit ingest FILE --lake DIR` makes one")

    @contextmanager
    def writing(self, create: bool = False) -> Iterator[None]:
        """Hold the lake for writing, after clearing up what a writer before left behind.

        Raises `LakeBusy` at once when another process holds it, `LakeError` when there
        is no lake and none is to be made, `StorageError` when the disk refuses.
        """
        if create:
            self._create()
        with self._locked(fcntl.LOCK_EX):
            try:
                self._recover()
            except OSError as error:
                raise storage_error(error, "clear up an unfinished publication", self.root) from None
            yield

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        self.require()
        if self._held:
            raise LakeBusy(f"{self.root}: this process is already writing to this lake")
        try:
            handle = os.open(self.root / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise storage_error(error, "open the lock file", self.root) from None
        try:
            try:
                fcntl.flock(handle, how | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LakeBusy(f"{self.root}: another process is using this lake; run again later") from None
            self._held = True
            yield
        finally:
            self._held = False
            os.close(handle)

    def _create(self) -> None:
        if self.root.is_dir() and not (self.root / "ledger").is_dir() and any(self.root.iterdir()):
            raise LakeError(f"{self.root}: neither empty nor a lake; name a new folder")
        try:
            for name in ("ledger", ".staging"):
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
        text = folder.name.removeprefix("gaming_date=")
        try:
            day = None if text == UNKNOWN else date.fromisoformat(text)
        except ValueError:
            raise LakeError(f"{folder}: not a gaming date; move the folder out of the lake") from None
        return Partition(_venue_of(folder.parent.name.removeprefix("venue=")), day)

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
        """A folder of the lake to write in, gone afterwards whatever happens."""
        try:
            folder = Path(tempfile.mkdtemp(dir=self._staging_root()))
        except OSError as error:
            raise storage_error(error, "make a folder to write in", self.root) from None
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _staging_root(self) -> Path:
        folder = self.root / ".staging"
        folder.mkdir(exist_ok=True)
        return folder

    def publish(
        self,
        folder: Path,
        staged: Sequence[Staged],
        ledger: Ledger,
        record: Mapping[str, Any],
        at: datetime | None = None,
        retired: Sequence[Path] = (),
    ) -> dict[str, Any]:
        """Put staged files in place and append one record naming them to a ledger.

        ``folder`` is the staging folder of the files; ``retired`` are files of the lake
        that move into its archive. The record gets ``n``, ``at``, ``published``,
        ``retired``, ``previous`` and ``sha256``, and is returned. Either all of it
        happens or, on an error, none; `StorageError` says what the disk refused. Call
        it inside `writing`.
        """
        ordered = sorted(staged, key=lambda each: (TABLES.index(each.table) * -1, each.place))
        try:
            gone = [self._retirement(path) for path in retired]
            full = {**record, "published": [each.as_json() for each in ordered], "retired": gone}
            sealed = self._sealed(ledger, full, at)
            moves = [_Move(each["path"], each["archived"], each["sha256"]) for each in gone]
            moves += [_Move(_place(each.path, self.root), each.place, each.sha256) for each in ordered]
            intent = {"ledger": ledger, "record": sealed, "moves": [move.as_json() for move in moves]}
            _write_durably(folder / _INTENT, json.dumps(intent).encode())
        except OSError as error:
            raise storage_error(error, "prepare the publication", self.root) from None
        undo: list[Callable[[], object]] = []
        try:
            for number, move in enumerate(moves):
                source, target = self.root / move.source, self.root / move.target
                target.parent.mkdir(parents=True, exist_ok=True)
                undo.append(_undo_of(source, target, folder / f"replaced-{number}"))
                source.replace(target)
            self._sync_moved(moves)
            self._append(ledger, sealed)
        except OSError as error:
            for step in reversed(undo):
                with suppress(OSError):
                    step()
            raise storage_error(error, "publish", self.root) from None
        return sealed

    def _retirement(self, path: Path) -> dict[str, str]:
        place = _place(path, self.root)
        return {"path": place, "archived": f"{ARCHIVE}/{place}", "sha256": file_digest(path)}

    def _sync_moved(self, moves: Sequence[_Move]) -> None:
        _sync_folders(
            {(self.root / place).parent for move in moves for place in (move.source, move.target)}, self.root
        )

    def _recover(self) -> None:
        for folder in sorted(self._staging_root().iterdir()):
            try:
                intent = json.loads((folder / _INTENT).read_bytes())
            except (OSError, ValueError):
                intent = None
            if intent is not None:
                self._finish(folder, intent)
            shutil.rmtree(folder, ignore_errors=True)
        for ledger in LEDGERS:
            self._cut_torn_line(ledger)

    def _finish(self, folder: Path, intent: Mapping[str, Any]) -> None:
        """Roll a publication forward whose files are all there, and back otherwise."""
        ledger, record = intent["ledger"], intent["record"]
        self._cut_torn_line(ledger)
        last = self._last(ledger)
        if last is not None and last["sha256"] == record["sha256"]:
            return
        moves = [_Move(*move) for move in intent["moves"]]
        whole = all(
            self._has(move.source, move.sha256) or self._has(move.target, move.sha256) for move in moves
        )
        if whole and record["previous"] == (GENESIS if last is None else last["sha256"]):
            for move in moves:
                if self._has(move.source, move.sha256):
                    (self.root / move.target).parent.mkdir(parents=True, exist_ok=True)
                    (self.root / move.source).replace(self.root / move.target)
            self._sync_moved(moves)
            self._append(ledger, record)
            return
        for number, move in reversed(list(enumerate(moves))):
            replaced = folder / f"replaced-{number}"
            if replaced.exists():
                replaced.replace(self.root / move.target)
            elif self._has(move.target, move.sha256) and not (self.root / move.source).exists():
                (self.root / move.source).parent.mkdir(parents=True, exist_ok=True)
                (self.root / move.target).replace(self.root / move.source)

    def _has(self, place: str, digest: str) -> bool:
        path = self.root / place
        return path.is_file() and file_digest(path) == digest

    # --- the ledgers ---

    def ledger_path(self, ledger: Ledger) -> Path:
        """The file of a ledger."""
        return self.root / "ledger" / f"{ledger}.jsonl"

    def records(self, ledger: Ledger) -> Iterator[dict[str, Any]]:
        """The records of a ledger, oldest first; raises `LakeError` for one that is not JSON."""
        path = self.ledger_path(ledger)
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    record = json.loads(line)
                except ValueError:
                    record = None
                if not isinstance(record, dict):
                    raise LakeError(f"{path}: line {number} is not a record; run `pontoon-audit verify`")
                yield record

    def append(self, ledger: Ledger, record: Mapping[str, Any], at: datetime | None = None) -> dict[str, Any]:
        """Append a record that publishes no file; see `publish`."""
        with self.staging() as folder:
            return self.publish(folder, (), ledger, record, at)

    def known_files(self) -> dict[str, str]:
        """Every file ingested so far: its SHA-256 and the name it had."""
        return {
            file["sha256"]: file["name"] for record in self.records("ingests") for file in record["files"]
        }

    def _last(self, ledger: Ledger) -> dict[str, Any] | None:
        last = deque(self.records(ledger), maxlen=1)
        return last[0] if last else None

    def _sealed(self, ledger: Ledger, record: Mapping[str, Any], at: datetime | None) -> dict[str, Any]:
        last = self._last(ledger)
        sealed = {
            "n": 1 if last is None else last["n"] + 1,
            "at": (at or now()).isoformat(timespec="seconds"),
            **record,
            "previous": GENESIS if last is None else last["sha256"],
        }
        return {**sealed, "sha256": record_digest(sealed)}

    def _append(self, ledger: Ledger, record: Mapping[str, Any]) -> None:
        path = self.ledger_path(ledger)
        with path.open("ab") as file:
            before = file.tell()
            try:
                file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.truncate(path, before)
                raise
        _sync_folders([path.parent], self.root)

    def _cut_torn_line(self, ledger: Ledger) -> None:
        """Drop the beginning of a record whose writing was cut off."""
        path = self.ledger_path(ledger)
        if not path.exists():
            return
        content = path.read_bytes()
        if not content.endswith(b"\n") and content:
            os.truncate(path, content.rfind(b"\n") + 1)

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
        """Recompute both chains and the SHA-256 of every published file.

        The first broken link of a ledger is named; records after it are not followed.
        Raises `LakeBusy` while another process is writing, since what it is about to
        record would look foreign.
        """
        with nullcontext() if self._held else self._locked(fcntl.LOCK_SH):
            return self._verified()

    def _verified(self) -> Verification:
        problems: list[str] = []
        records = 0
        if list(self.root.glob(f".staging/*/{_INTENT}")):
            problems.append(
                ".staging: a publication was cut off; the next ingest or run finishes or undoes it"
            )
        for ledger in LEDGERS:
            good, problem = self._follow_chain(ledger)
            records += good
            if problem:
                problems.append(problem)
        try:
            known = self.published()
        except (LakeError, KeyError, TypeError):
            return Verification(records, 0, tuple(problems))
        present = {
            _place(path, self.root)
            for table in (*TABLES, f"{ARCHIVE}/*")
            for path in self.root.glob(f"{table}/*/*/*.parquet")
        }
        problems += self._file_problems(known, present)
        return Verification(records, len(known), tuple(problems))

    def _follow_chain(self, ledger: Ledger) -> tuple[int, str | None]:
        path = self.ledger_path(ledger)
        previous = GENESIS
        number = 0
        lines = path.read_bytes().splitlines() if path.exists() else []
        for number, line in enumerate(lines, 1):
            where = f"ledger/{path.name}: line {number}"
            try:
                record = json.loads(line)
                claimed = record["sha256"]
                found = record_digest({name: value for name, value in record.items() if name != "sha256"})
                linked, order = record["previous"], record["n"]
            except (ValueError, KeyError, TypeError, AttributeError):
                return number - 1, f"{where}: not a ledger record; the ledger was altered or cut"
            if found != claimed:
                return number - 1, f"{where}: the record does not match its SHA-256; it was altered"
            if linked != previous or order != number:
                return (
                    number - 1,
                    f"{where}: does not follow the record before it; a record was altered or lost",
                )
            previous = claimed
        return number, None

    def _file_problems(self, known: Mapping[str, str], present: set[str]) -> list[str]:
        problems = []
        for place in sorted(known.keys() | present):
            if place not in present:
                problems.append(f"{place}: published, and now missing")
            elif place not in known:
                problems.append(f"{place}: in the lake, and in no ledger")
            elif not self._has(place, known[place]):
                problems.append(f"{place}: differs from the SHA-256 in the ledger; it was altered or damaged")
        return problems

    def status(self) -> dict[str, Any]:
        """What is in the lake, ready for JSON: per venue, per table and per ledger."""
        self.require()
        venues: dict[str, dict[str, Any]] = {}
        rows: dict[str, int] = dict.fromkeys(TABLES, 0)
        for table in TABLES:
            for partition in self.partitions(table):
                count = sum(pq.read_metadata(path).num_rows for path in self.files(table, partition))
                rows[table] += count
                if table == "rounds" and partition.gaming_date is not None:
                    self._count_venue(venues, partition, count)
        return {
            "venues": {name: venues[name] for name in sorted(venues)},
            "rows": rows,
            "ledgers": {ledger: sum(1 for _ in self.records(ledger)) for ledger in LEDGERS},
        }

    def _count_venue(self, venues: dict[str, dict[str, Any]], partition: Partition, rounds: int) -> None:
        day = str(partition.gaming_date)
        known = venues.setdefault(
            str(partition.venue),
            {"rounds": 0, "gaming_dates": 0, "first": day, "last": day, "not_replayed": 0},
        )
        known["rounds"] += rounds
        known["gaming_dates"] += 1
        known["first"] = min(known["first"], day)
        known["last"] = max(known["last"], day)
        known["not_replayed"] += not self.files("coverage", partition)


_INTENT = "intent.json"


@dataclass(frozen=True, slots=True)
class _Move:
    """A rename within the lake, both places relative to it."""

    source: str
    target: str
    sha256: str

    def as_json(self) -> tuple[str, str, str]:
        return self.source, self.target, self.sha256


def record_digest(record: Mapping[str, Any]) -> str:
    """SHA-256 of a ledger record without its own ``sha256``, keys sorted, no white space."""
    text = json.dumps(record, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stage(
    folder: Path,
    table: str,
    partition: Partition,
    batches: Iterable[pa.Table],
    schema: pa.Schema,
    name: str | None = DATA_FILE,
) -> Staged:
    """Write one Parquet file into a staging folder and make it durable.

    Each table of ``batches`` becomes a row group, so memory is bounded by the largest.
    The same rows give the same bytes. ``name`` is the file's name once published; None
    names it after the digest of its content. Raises `StorageError`.
    """
    try:
        handle, path_text = tempfile.mkstemp(dir=folder, suffix=".parquet")
        os.close(handle)
        path = folder / Path(path_text).name
        rows = 0
        with pq.ParquetWriter(path, schema, compression="zstd", write_statistics=True) as writer:
            for batch in batches:
                writer.write_table(batch, row_group_size=max(batch.num_rows, 1))
                rows += batch.num_rows
        path.chmod(0o644)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        digest = file_digest(path)
        size = path.stat().st_size
    except OSError as error:
        raise storage_error(error, f"write {table}", partition.folder) from None
    return Staged(table, partition, path, name or part_name(digest), digest, size, rows)


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


def _place(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _undo_of(source: Path, target: Path, backup: Path) -> Callable[[], object]:
    """What takes a move back; a file that stood at the target stays linked as ``backup``."""
    if target.exists():
        os.link(target, backup)
        return lambda: backup.replace(target)
    return lambda: target.replace(source)


def _write_durably(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    _sync(path.parent)


def _sync_folders(folders: Iterable[Path], root: Path) -> None:
    """Make the entries of folders and of those above them, up to the root, durable."""
    above = {each for folder in folders for each in (folder, *folder.parents) if each.is_relative_to(root)}
    for folder in sorted(above):
        _sync(folder)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
