"""Snapshots: numbered manifests, each naming every file of a lake and the object that holds it.

    objects/findings/venue=…/gaming_date=…/data.<digest>.parquet    made once, never altered
    manifests/00000042.json                                         the lake as of its 42nd publication
    lake.json                                                       says that this is a lake

Making a manifest is the publication: until then the objects are of no snapshot, and from then on
all of them are, of every table and partition at once. Of two writers that make the same number one
is told, since a manifest is made only where there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from audit.errors import LakeBusy, LakeError, StorageError
from audit.ledger import GENESIS, record_digest
from audit.remote.store import Absent, Store, Taken

MANIFESTS: Final = "manifests"
OBJECTS: Final = "objects"
MARKER: Final = "lake.json"
MARKED: Final = b'{"format": 1, "is": "a lake of pontoon-audit"}\n'

_NUMBERED = re.compile(rf"{MANIFESTS}/([0-9]{{8}})\.json")
_DIGITS: Final = 32
"""Digits of its SHA-256 in the name of an object."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a lake: its place there, the object that holds it, its SHA-256 and size in bytes."""

    path: str
    object: str
    sha256: str
    bytes: int

    def as_json(self) -> dict[str, Any]:
        """The entry in a manifest."""
        return {"path": self.path, "object": self.object, "sha256": self.sha256, "bytes": self.bytes}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A lake as of one publication, its files by place; ``previous`` is the SHA-256 of the one before."""

    number: int
    previous: str
    files: Mapping[str, Entry]

    @property
    def sha256(self) -> str:
        """SHA-256 of the snapshot, as that of a ledger record; that of nothing is what the first names."""
        return record_digest(self._body()) if self.number else GENESIS

    def _body(self) -> dict[str, Any]:
        files = [self.files[path].as_json() for path in sorted(self.files)]
        return {"format": 1, "number": self.number, "previous": self.previous, "files": files}

    def as_bytes(self) -> bytes:
        """The manifest, a file a line."""
        body = self._body()
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in body.pop("files"))
        head = json.dumps({**body, "sha256": self.sha256}, ensure_ascii=False)
        return f'{head[:-1]}, "files": [\n{lines}\n]}}\n'.encode()

    def followed_by(self, files: Mapping[str, Entry]) -> Snapshot:
        """The next snapshot."""
        return Snapshot(self.number + 1, self.sha256, files)

    def summary(self, url: str) -> dict[str, Any]:
        """Which snapshot of which lake it is, ready for JSON."""
        return {
            "lake": url,
            "number": self.number,
            "sha256": self.sha256,
            "files": len(self.files),
            "bytes": self.total_bytes,
        }

    @property
    def total_bytes(self) -> int:
        """Size of all files."""
        return sum(each.bytes for each in self.files.values())


NOTHING: Final = Snapshot(0, GENESIS, {})
"""What stands before the first snapshot."""


def manifest_key(number: int) -> str:
    """The object that a manifest is in."""
    return f"{MANIFESTS}/{number:08}.json"


def object_key(path: str, sha256: str, taken: int = 0) -> str:
    """The object that a file of a lake goes to, in the folder that it has in the lake.

    ``taken`` is how many objects are there already that it cannot be.
    """
    place = PurePosixPath(path)
    digest = sha256[:_DIGITS] + (f"-{taken}" if taken else "")
    return f"{OBJECTS}/{place.with_name(f'{place.stem}.{digest}{place.suffix}')}"


def numbers(manifests: Iterable[str]) -> list[int]:
    """The numbers of the snapshots whose manifests are listed, oldest first."""
    found = map(_NUMBERED.fullmatch, manifests)
    return sorted(int(each[1]) for each in found if each is not None)


def newest(store: Store) -> Snapshot:
    """The newest snapshot, `NOTHING` where there is none; raises `LakeError` for a damaged manifest."""
    found = numbers(store.listing(MANIFESTS))
    return snapshot(store, found[-1]) if found else NOTHING


def snapshot(store: Store, number: int) -> Snapshot:
    """A snapshot by its number; raises `LakeError` for a damaged manifest."""
    key = manifest_key(number)
    read = parsed(store.read(key))
    if read is None or read.number != number:
        raise LakeError(f"{store.url}/{key}: no longer as it was written; put back the version that was")
    return read


def parsed(content: bytes) -> Snapshot | None:
    """The snapshot that a manifest is of; None for anything that is not, byte for byte, a manifest."""
    try:
        found = json.loads(content)
        files = {each["path"]: Entry(**each) for each in found["files"]}
        read = Snapshot(found["number"], found["previous"], files)
        sound = read.as_bytes() == content and all(map(_inside, files.values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return read if sound else None


def _inside(entry: Entry) -> bool:
    """Whether an entry names a file in the lake, and an object of it."""
    places = PurePosixPath(entry.path), PurePosixPath(entry.object)
    return places[1].parts[0] == OBJECTS and not any(
        place.is_absolute() or ".." in place.parts or str(place) != text
        for place, text in zip(places, (entry.path, entry.object), strict=True)
    )


# --- publishing ------------------------------------------------------------------------------


def publish(store: Store, made: Snapshot) -> None:
    """Make a snapshot the newest, all of it at once.

    Raises `LakeBusy` where another process was first, `StorageError` where it was not made, or where
    it cannot be told.
    """
    _require_exclusive(store)
    key, content = manifest_key(made.number), made.as_bytes()
    # A number may be free because its snapshot was removed when it was old.
    if (numbers(store.listing(MANIFESTS)) or [0])[-1] >= made.number:
        raise _overtaken(store, made)
    for last in (False, True):
        try:
            store.create(key, content)
            return
        except StorageError as error:
            # An answer may be lost on its way back, and what was asked once more is then refused.
            there = _read_back(store, key, error)
            if there == content:
                return
            if there is not None:
                raise _overtaken(store, made) from None
            if last:
                raise


def _overtaken(store: Store, made: Snapshot) -> LakeBusy:
    return LakeBusy(
        f"{store.url}: another process published snapshot {made.number} meanwhile; "
        "nothing of this was published, run again"
    )


def _read_back(store: Store, key: str, error: StorageError) -> bytes | None:
    try:
        return store.read(key)
    except Absent:
        return None
    except StorageError:
        if isinstance(error, Taken):
            raise
        raise StorageError(
            f"{error}; whether it was published could not be asked any more: "
            "`pontoon-audit status` shows the number of the newest snapshot"
        ) from None


def _require_exclusive(store: Store) -> None:
    """Raise unless the store refuses to make an object that is there, which not every server does."""
    for _ in range(2):
        try:
            store.create(MARKER, MARKED)
        except Taken:
            return
    raise StorageError(
        f"{store.url}: this server writes over an object that it was told to make only where there is none "
        "(If-None-Match), so that two writers would lose what one of them published; nothing was published"
    )


def chain_problems(store: Store) -> Iterator[str]:
    """What is wrong with the manifests, from the oldest that is kept on, a line each."""
    previous: Snapshot | None = None
    before = 0
    for number in numbers(store.listing(MANIFESTS)):
        key = manifest_key(number)
        read = parsed(store.read(key))
        if before and before != number - 1:
            yield f"{manifest_key(before + 1)}: missing, and one after it is there"
        if read is None or read.number != number:
            yield f"{key}: no longer as it was written"
            read = None
        elif number == 1 and read.previous != GENESIS:
            yield f"{key}: the first one, and it names one before it"
        elif previous is not None and previous.number == number - 1 and read.previous != previous.sha256:
            yield f"{key}: does not follow {manifest_key(number - 1)}; one of the two was exchanged"
        previous, before = read, number
