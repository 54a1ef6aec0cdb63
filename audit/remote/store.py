"""What a lake needs of an object store: to make, read, list and remove objects.

An object is made where there is none, whole or not at all, and never altered. Of two that make the
same one, the second is told. Everything else about snapshots rests on that.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from audit.durable import sync_folders
from audit.errors import StorageError, storage_error
from audit.remote.address import S3, folder_of


class Taken(StorageError):
    """There is an object of that name."""


class Absent(StorageError):
    """There is no object of that name."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a listing shows it: how large, in bytes, and since when it is there."""

    size: int
    since: datetime


class Store(Protocol):
    """Objects below one prefix; keys are relative to it. Every method raises `StorageError`."""

    url: str
    endpoint: str
    """The server, where it is not the one that the address implies."""

    def create(self, key: str, content: bytes) -> None:
        """Make an object; raises `Taken` where there is one."""
        ...

    def upload(self, key: str, path: Path) -> None:
        """Make an object of a file; raises `Taken` where there is one."""
        ...

    def read(self, key: str) -> bytes:
        """All of an object; raises `Absent`."""
        ...

    def fetch(self, key: str, path: Path) -> None:
        """Write an object to a file; raises `Absent`."""
        ...

    def look(self, key: str) -> Listed:
        """How large an object is, and since when it is there; raises `Absent`."""
        ...

    def listing(self, folder: str) -> dict[str, Listed]:
        """Every object below a folder, by key."""
        ...

    def remove(self, key: str) -> None:
        """Remove an object; one that is gone is no error."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


def open_store(url: str, endpoint: str | None = None) -> Store:
    """The store at an address; ``endpoint`` is the URL of another S3 server than Amazon's."""
    if url.startswith(S3):
        # It takes a fifth of a second to import.
        from audit.remote.s3 import S3Store

        return S3Store(url, endpoint)
    return FolderStore(url)


ASIDE = ".aside"
"""Where in a folder an object is written before it is there."""


class FolderStore:
    """Objects as files of a folder, on a disk or on a network drive."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.endpoint = ""
        self._root = folder_of(url)

    def create(self, key: str, content: bytes) -> None:
        self._made(key, lambda aside: aside.write_bytes(content))

    def upload(self, key: str, path: Path) -> None:
        self._made(key, lambda aside: shutil.copyfile(path, aside))

    def _made(self, key: str, write: Callable[[Path], object]) -> None:
        target = self._root / key
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            aside = _new_file(self._root / ASIDE)
            try:
                write(aside)
                with aside.open("rb") as file:
                    os.fsync(file.fileno())
                # Unlike a rename, a link fails where something is, and what it shows is whole.
                os.link(aside, target)
            finally:
                aside.unlink()
            sync_folders([target.parent], self._root)
        except FileExistsError:
            raise Taken(f"{self.url}/{key}: there already") from None
        except OSError as error:
            raise storage_error(error, "write", f"{self.url}/{key}") from None

    def read(self, key: str) -> bytes:
        try:
            return (self._root / key).read_bytes()
        except OSError as error:
            raise self._not_read(error, key) from None

    def fetch(self, key: str, path: Path) -> None:
        try:
            shutil.copyfile(self._root / key, path)
        except OSError as error:
            raise self._not_read(error, key) from None

    def _not_read(self, error: OSError, key: str) -> StorageError:
        if isinstance(error, FileNotFoundError):
            return Absent(f"{self.url}/{key}: not there")
        return storage_error(error, "read", f"{self.url}/{key}")

    def look(self, key: str) -> Listed:
        try:
            return _listed(self._root / key)
        except OSError as error:
            raise self._not_read(error, key) from None

    def listing(self, folder: str) -> dict[str, Listed]:
        try:
            return {
                path.relative_to(self._root).as_posix(): _listed(path)
                for path in (self._root / folder).rglob("*")
                if path.is_file()
            }
        except OSError as error:
            raise storage_error(error, "list", f"{self.url}/{folder}") from None

    def remove(self, key: str) -> None:
        try:
            (self._root / key).unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, "remove", f"{self.url}/{key}") from None

    def close(self) -> None:
        pass


def _new_file(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder)
    os.close(handle)
    path = folder / Path(name).name
    path.chmod(0o644)
    return path


def _listed(path: Path) -> Listed:
    found = path.stat()
    return Listed(found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))
