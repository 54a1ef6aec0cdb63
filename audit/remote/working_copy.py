"""The copy of a lake on object storage on which commands work as on any other lake.

    CACHE/<name>/lake/       the lake, files as of one snapshot
    CACHE/<name>/copy.json   which snapshot, and how each file looked when its SHA-256 was computed
    CACHE/<name>/.lock

Before a command the copy is made to be the newest snapshot: what is missing or differs is fetched and
compared with its SHA-256, what is of no snapshot is removed, so that nothing stays of a command that
was killed. What is derived from the rest, the catalogue and the index of stored rounds, is no part of
a snapshot and stays.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from audit.digests import file_digest
from audit.durable import write_durably
from audit.errors import LakeBusy, LakeError, UsageProblem, storage_error
from audit.lake import locked_file
from audit.progress import Progress
from audit.publication import BUILDING, CATALOGUE, WRITING, remove, staging_folders
from audit.remote.parallel import each_of
from audit.remote.snapshot import NOTHING, Entry, newest, publish
from audit.remote.store import Absent, Store
from audit.remote.uploads import Uploads, instant
from audit.remote.vouched import require_vouched
from audit.remote.wanted import EVERYTHING, Wanted
from audit.results import count
from audit.stopping import unstopped

RUNS: Final = "ledger/runs.jsonl"


@dataclass(frozen=True, slots=True)
class Look:
    """A file as it looked when its SHA-256 was computed; one that looks so is not read again."""

    sha256: str
    size: int
    changed: int
    inode: int

    def is_of(self, found: os.stat_result) -> bool:
        """Whether a file looks so."""
        return (self.size, self.changed, self.inode) == _looks(found)


@dataclass(frozen=True, slots=True)
class _State:
    """``copy.json``: the looks of files by place, and what the catalogue was built of."""

    looks: Mapping[str, Look]
    catalogued: str = ""

    def as_bytes(self) -> bytes:
        looks = {path: astuple(look) for path, look in sorted(self.looks.items())}
        return json.dumps({"catalogued": self.catalogued, "looks": looks}).encode()

    @classmethod
    def read(cls, path: Path) -> _State:
        """What was written down; without it every file is read again."""
        try:
            found = json.loads(path.read_bytes())
            return cls({place: Look(*look) for place, look in found["looks"].items()}, found["catalogued"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return cls({})


@dataclass(frozen=True, slots=True)
class _Difference:
    """What the copy differs in from a snapshot, so that it has to be written to."""

    missing: tuple[Entry, ...]
    foreign: tuple[Path, ...]
    forgotten: bool
    uncatalogued: bool

    def __bool__(self) -> bool:
        return bool(self.missing or self.foreign or self.forgotten or self.uncatalogued)


class WorkingCopy:
    """A lake on object storage as a folder. Making the object touches nothing; use `held`."""

    def __init__(self, store: Store, folder: Path, progress: Progress | None = None) -> None:
        self.store = store
        self.root = folder / "lake"
        self.snapshot = NOTHING
        self._folder = folder
        self._noted = folder / "copy.json"
        self._progress = progress or Progress()
        self._state = _State({})

    @contextmanager
    def held(
        self, wanted: Wanted = EVERYTHING, *, writing: bool = False, damaged_too: bool = False
    ) -> Iterator[None]:
        """Have the copy be the newest snapshot, as far as is wanted, and stay so.

        Others on this machine may read it meanwhile, unless it is held for ``writing``. With
        ``damaged_too`` a file whose object is gone or differs is left out; otherwise that is a
        `LakeError`. Raises `LakeBusy` where another process holds the copy.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise storage_error(error, "make the working copy", self._folder) from None
        try:
            self._lock(handle, fcntl.LOCK_EX if writing else fcntl.LOCK_SH)
            self.snapshot = newest(self.store)
            if self._look(wanted):
                if not writing:
                    self._lock(handle, fcntl.LOCK_EX)
                self.bring(wanted, damaged_too=damaged_too)
                if not writing:
                    # Not in one step: another process may have had it in between.
                    self._lock(handle, fcntl.LOCK_SH)
                    if _State.read(self._noted) != self._state:
                        raise self._busy()
            yield
        finally:
            os.close(handle)

    def _lock(self, handle: int, how: int) -> None:
        if not locked_file(handle, how):
            raise self._busy()

    def _busy(self) -> LakeBusy:
        return LakeBusy(
            f"{self.store.url}: another process is using the working copy {self.root}; run again later, or "
            "name another folder with `pontoon-audit --cache DIR`"
        )

    # --- bringing ---

    def _look(self, wanted: Wanted) -> _Difference:
        """Compare the copy with the snapshot. The state then has the files that are as they are there."""
        known = _State.read(self._noted)
        there = self._files()
        looks: dict[str, Look] = {}
        missing: list[Entry] = []
        for path, entry in self.snapshot.files.items():
            look = self._look_at(path, there[path], known.looks.get(path)) if path in there else None
            if look is not None and look.sha256 == entry.sha256:
                looks[path] = look
            elif wanted.has(path):
                missing.append(entry)
        self._state = _State(looks, known.catalogued)
        foreign = [self.root / path for path in there.keys() - looks.keys()]
        if not self.snapshot.number:
            foreign = [*self.root.iterdir()]
        return _Difference(
            missing=tuple(missing),
            foreign=(*foreign, *_left_behind(self.root)),
            forgotten=self._state != known,
            uncatalogued=not self._catalogued(self._catalogue_of(wanted)),
        )

    def _files(self) -> dict[str, os.stat_result]:
        """The files in the copy that a snapshot would have, by place."""
        found: dict[str, os.stat_result] = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            below = Path(folder).relative_to(self.root)
            for name in names:
                if not name.startswith(".") and (below / name).as_posix() != CATALOGUE:
                    found[(below / name).as_posix()] = (self.root / below / name).lstat()
        return found

    def _look_at(self, path: str, found: os.stat_result, known: Look | None) -> Look | None:
        if known is not None and known.is_of(found):
            return known
        if not stat.S_ISREG(found.st_mode):
            return None
        return Look(file_digest(self.root / path), *_looks(found))

    def _catalogue_of(self, wanted: Wanted) -> str | None:
        """What a catalogue is to be built of; None where none is needed, or the lake had no run yet."""
        if wanted.catalogue is None or RUNS not in self.snapshot.files:
            return None
        return f"{self.snapshot.sha256} {wanted.catalogue}"

    def _catalogued(self, of: str | None) -> bool:
        return of is None or (self._state.catalogued == of and (self.root / CATALOGUE).is_file())

    def bring(self, wanted: Wanted, *, damaged_too: bool = False) -> None:
        """Make the copy be the snapshot, as far as is wanted; hold it for writing."""
        difference = self._look(wanted)
        try:
            for path in difference.foreign:
                remove(path)
            self._fetch(difference.missing, damaged_too)
            if self.snapshot.number:
                (self.root / "ledger").mkdir(exist_ok=True)
            of = self._catalogue_of(wanted)
            if of is not None and not self._catalogued(of):
                self._build_catalogue(of)
            write_durably(self._noted, self._state.as_bytes())
        except OSError as error:
            raise storage_error(error, "write the working copy", self._folder) from None

    def _fetch(self, missing: Sequence[Entry], damaged_too: bool) -> None:
        aside = self._folder / "incoming"
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        size = sum(each.bytes for each in missing)
        title = f"Fetching {count(len(missing), 'file')}, {size:,} bytes"
        looks = dict(self._state.looks)
        with self._progress.work(title, len(missing)) if missing else nullcontext(_unseen) as advance:
            for entry, look in each_of(lambda each: self._fetched(each, aside), missing, advance).items():
                if isinstance(look, Look):
                    looks[entry.path] = look
                elif not damaged_too:
                    raise LakeError(f"{self.store.url}: {look}; run `pontoon-audit verify`")
        shutil.rmtree(aside)
        self._state = _State(looks, self._state.catalogued)

    def _fetched(self, entry: Entry, aside: Path) -> Look | str:
        """Fetch a file and put it in place; what is wrong with its object instead, where it is."""
        file = aside / hashlib.sha256(entry.path.encode()).hexdigest()
        try:
            self.store.fetch(entry.object, file)
        except Absent:
            return missing_object(entry)
        if file_digest(file) != entry.sha256:
            file.unlink()
            return differing_object(entry)
        target = self.root / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
        return Look(entry.sha256, *_looks(target.stat()))

    def _build_catalogue(self, of: str) -> None:
        # DuckDB takes its time to import.
        from audit.catalog import build_catalog

        try:
            build_catalog(self.root)
        except ValueError as error:
            raise UsageProblem(f"{error}, or name another folder with `pontoon-audit --cache DIR`") from None
        self._state = _State(self._state.looks, of)

    # --- publishing ---

    def publish(self) -> None:
        """Publish the copy as it is now as the next snapshot, if anything differs.

        Hold it for writing. Raises `LakeBusy` where another process has published meanwhile, and
        `StorageError`; nothing is published then, and the next command begins at the snapshot before.
        """
        try:
            files, looks, fresh = self._as_it_is()
        except OSError as error:
            raise storage_error(error, "read the working copy", self._folder) from None
        digests = {path: looks[path].sha256 for path in fresh}
        gone = {path for path in self._state.looks if path not in looks}
        require_vouched(self.root, self.snapshot.files, digests, gone)
        uploads = Uploads(self.store, instant())
        if fresh:
            title = (
                f"Uploading {count(len(fresh), 'file')}, {sum(looks[path].size for path in fresh):,} bytes"
            )
            with self._progress.work(title, len(fresh)) as advance:
                files |= each_of(
                    lambda path: uploads.made(path, self.root / path, digests[path]), fresh, advance
                )
        if files == self.snapshot.files:
            return
        following = self.snapshot.followed_by(files)
        uploads.require_soon(instant())
        with unstopped():
            publish(self.store, following)
            self.snapshot = following
            self._state = _State(looks)
            with suppress(OSError):
                write_durably(self._noted, self._state.as_bytes())
        self._progress.say(
            f"{self.store.url}: published as snapshot {following.number}",
            "snapshot.published",
            number=following.number,
        )

    def _as_it_is(self) -> tuple[dict[str, Entry], dict[str, Look], list[str]]:
        """The entries that stay, the looks of all files that are here, and which files are new."""
        before = self.snapshot.files
        files = {path: entry for path, entry in before.items() if path not in self._state.looks}
        looks: dict[str, Look] = {}
        fresh = []
        for path, found in sorted(self._files().items()):
            look = self._look_at(path, found, self._state.looks.get(path))
            if look is None:
                raise LakeError(f"{self.root / path}: not a file; nothing was published")
            looks[path] = look
            if path in before and before[path].sha256 == look.sha256:
                files[path] = before[path]
            else:
                files.pop(path, None)
                fresh.append(path)
        return files, looks, fresh


def missing_object(entry: Entry) -> str:
    """What is said of a file whose object is gone."""
    return f"{entry.path}: its object {entry.object} is missing"


def differing_object(entry: Entry) -> str:
    """What is said of a file whose object is another."""
    return f"{entry.path}: its object {entry.object} differs from the SHA-256 in the manifest"


def _looks(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _left_behind(root: Path) -> list[Path]:
    """What a killed process left in the copy, beside files in the place of others."""
    return [*staging_folders(root), *root.glob(BUILDING), *root.glob(WRITING)]


def _unseen(done: int) -> None:
    """Tell nobody."""
