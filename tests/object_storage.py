"""Object stores for the tests: folders, and an S3 server of this machine; and what is in them."""

from __future__ import annotations

import logging
import os
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from audit.digests import file_digest
from audit.remote.address import FILE
from audit.remote.snapshot import Snapshot, newest
from audit.remote.store import Store, open_store
from tests.commands import Ran, pontoon

INSTANT = "1767323045"
BUCKET = "surveillance"

DERIVED = {"audit.duckdb", ".lock", ".rounds", ".staging"}
"""What of a lake's folder is of no snapshot."""


def file_url(folder: Path) -> str:
    """The ``file://`` address of a folder."""
    return FILE + quote(folder.absolute().as_posix())


@dataclass(frozen=True, slots=True)
class S3Server:
    """A server of the S3 protocol on this machine, with one bucket."""

    endpoint: str
    stop: Callable[[], None]

    def ask_for_credentials(self, *, after: int) -> None:
        """From so many requests on, refuse those of whoever the server does not know."""
        self._post("/moto-api/reset-auth", str(after).encode())

    def _post(self, path: str, content: bytes) -> None:
        plain = {"Content-Type": "text/plain"}
        with urllib.request.urlopen(urllib.request.Request(self.endpoint + path, content, plain)) as answer:
            assert answer.status == 200


@contextmanager
def s3_server(patch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """A server that is gone afterwards; the environment names it and has credentials for it."""
    # It takes a second to import.
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    set_credentials(patch, f"http://127.0.0.1:{port}")
    make_bucket(BUCKET)
    try:
        yield S3Server(f"http://127.0.0.1:{port}", server.stop)
    finally:
        server.stop()


def set_credentials(patch: pytest.MonkeyPatch, endpoint: str) -> None:
    """The environment of somebody who may use the server."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        patch.delenv(name)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "auditor",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }.items():
        patch.setenv(name, value)


def make_bucket(name: str) -> None:
    import s3fs

    # The servers of one process share their buckets.
    with suppress(FileExistsError):
        s3fs.S3FileSystem(skip_instance_cache=True).mkdir(name)


@dataclass(frozen=True, slots=True)
class Kept:
    """A lake on object storage and the folder of its working copies on one machine."""

    url: str
    cache: Path

    @classmethod
    def in_folder(cls, folder: Path) -> Kept:
        """A lake whose objects are files."""
        return cls(file_url(folder / "store"), folder / "cache")

    def on(self, machine: str) -> Kept:
        """The same lake as seen from another machine."""
        return Kept(self.url, self.cache.with_name(machine))

    def pontoon(self, *arguments: str | Path) -> Ran:
        """A command on the lake."""
        return pontoon("--cache", self.cache, *arguments, "--lake", self.url)

    @property
    def store(self) -> Store:
        return open_store(self.url)

    @property
    def newest(self) -> Snapshot:
        """The newest snapshot."""
        store = self.store
        try:
            return newest(store)
        finally:
            store.close()

    @property
    def contents(self) -> dict[str, str]:
        """The SHA-256 of every file of the lake, by place."""
        return {place: entry.sha256 for place, entry in self.newest.files.items()}

    @property
    def copy(self) -> Path:
        """The folder of the working copy."""
        (copy,) = self.cache.glob("*/lake")
        return copy

    def brought(self) -> set[str]:
        """The files of the lake that are in the working copy."""
        return set(contents(self.copy))

    def object(self, beginning: str) -> Path:
        """The file that holds an object of a lake in a folder; the first whose place begins so."""
        place = min(place for place in self.newest.files if place.startswith(beginning))
        return Path(self.url.removeprefix("file://")) / self.newest.files[place].object


def contents(lake: Path) -> dict[str, str]:
    """The SHA-256 of every file of a lake in a folder that a snapshot would have, by place."""
    return {
        path.relative_to(lake).as_posix(): file_digest(path)
        for path in lake.rglob("*")
        if path.is_file() and path.relative_to(lake).parts[0] not in DERIVED
    }
