"""Making the objects of files, so that an object once named is never altered and never gone."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from audit.digests import file_digest
from audit.errors import StorageError
from audit.remote.snapshot import Entry, object_key
from audit.remote.store import Absent, Store, Taken

REUSED_FOR: Final = timedelta(hours=12)
"""How long after it was made an object of no snapshot is taken for a new one."""

GRACE: Final = timedelta(hours=24)
"""How long after it was made an object of no snapshot is not removed; what takes one over has to
publish in the time between the two."""


def instant() -> datetime:
    """The time of day, which objects are older or younger by; it stands in nothing that is published."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Uploads:
    """The objects made for one publication, which has to be made soon after ``begun``."""

    store: Store
    begun: datetime

    def made(self, path: str, file: Path, sha256: str) -> Entry:
        """The entry of a file of the lake, its object made unless an earlier attempt has made it."""
        size = file.stat().st_size
        taken = 0
        while True:
            key = object_key(path, sha256, taken)
            try:
                self.store.upload(key, file)
            except Taken:
                # One that is old may just be removed, and one that differs was altered or is another.
                if not self._is(key, sha256, size):
                    taken += 1
                    continue
            return Entry(path, key, sha256, size)

    def _is(self, key: str, sha256: str, size: int) -> bool:
        try:
            there = self.store.look(key)
        except Absent:
            return False
        recent = self.begun - there.since < REUSED_FOR
        return recent and there.size == size and object_digest(self.store, key) == sha256

    def require_soon(self, at: datetime) -> None:
        """Raise where so much time has gone by that an object taken over may have been removed."""
        if at - self.begun > GRACE - REUSED_FOR:
            raise StorageError(
                f"{self.store.url}: the upload took longer than {GRACE - REUSED_FOR}; nothing was published, "
                "run again: what was uploaded is taken over"
            )


def object_digest(store: Store, key: str) -> str:
    """SHA-256 of an object as it is in the store now."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "object"
        store.fetch(key, file)
        return file_digest(file)
