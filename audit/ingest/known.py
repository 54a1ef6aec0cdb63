"""Which rounds are known: those stored before, and those of this ingest.

A round is known by its key, see `audit.ingest.batch.round_key`. Both lists are kept on
disk, so that memory does not grow with them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from audit.errors import StorageError
from audit.ingest.batch import round_key
from audit.lake import Lake, Stored

_AT_ONCE = 500
"""Keys asked for in one statement."""


class _Base:
    """An SQLite file whose refusals are `StorageError`."""

    def __init__(self, path: Path, script: str) -> None:
        self._path = path
        with self._refusals():
            self._base = sqlite3.connect(path, isolation_level=None)
        try:
            with self._refusals():
                self._base.executescript(script)
        except BaseException:
            self._base.close()
            raise

    def close(self) -> None:
        self._base.close()

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            where = self._path.parent
            raise StorageError(f"{where}: could not write: {error}; free some space and run again") from None

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        with self._refusals():
            self._base.execute("BEGIN")
            yield self._base
            self._base.execute("COMMIT")

    def _found(self, statement: str, keys: Sequence[bytes]) -> Iterator[Any]:
        """The rows of a statement that asks for keys ``IN ({})``."""
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            with self._refusals():
                yield from self._base.execute(statement.format(",".join("?" * len(some))), some).fetchall()


class Seen(_Base):
    """The rounds stored so far by one ingest."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
            "CREATE TABLE seen (key BLOB PRIMARY KEY, n INTEGER, digest TEXT, file TEXT, line INTEGER)"
            " WITHOUT ROWID;",
        )
        self._count = 0

    def add(self, rounds: Sequence[tuple[bytes, Stored]]) -> dict[int, Stored]:
        """Add rounds in order. Those seen before are not added but given, by place: what was seen."""
        rows = [
            (key, n, each.content_sha256, each.source_file, each.source_line)
            for n, (key, each) in enumerate(rounds, self._count)
        ]
        with self._change() as base:
            before = base.total_changes
            base.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?)", rows)
            added = base.total_changes - before
        first, self._count = self._count, self._count + len(rows)
        if added == len(rows):
            return {}
        found = self._seen([key for key, _ in rounds])
        return {n - first: found[key][1] for key, n, *_ in rows if found[key][0] != n}

    def find(self, key: bytes) -> Stored | None:
        """What was seen of a round."""
        found = self._seen([key]).get(key)
        return None if found is None else found[1]

    def _seen(self, keys: Sequence[bytes]) -> dict[bytes, tuple[int, Stored]]:
        rows = self._found("SELECT key, n, digest, file, line FROM seen WHERE key IN ({})", keys)
        return {key: (n, Stored(*stored)) for key, n, *stored in rows}


class StoredKeys(_Base):
    """Which part of a lake's rounds holds which of them.

    The file is derived from the parts and brought up to date with them when it is opened,
    by their names, which are digests of their content. Without it, or with a damaged one,
    it is made anew.
    """

    NAME = ".rounds.sqlite"

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        path = lake.root / self.NAME
        try:
            self._open(path)
        except sqlite3.DatabaseError:
            path.unlink()
            self._open(path)

    def _open(self, path: Path) -> None:
        super().__init__(
            path,
            "CREATE TABLE IF NOT EXISTS part (id INTEGER PRIMARY KEY, place TEXT NOT NULL);"
            "CREATE TABLE IF NOT EXISTS round (key BLOB PRIMARY KEY, part INTEGER NOT NULL) WITHOUT ROWID;",
        )
        try:
            self._follow()
        except BaseException:
            self.close()
            raise

    def _follow(self) -> None:
        root = self._lake.root
        present = {path.relative_to(root).as_posix() for path in root.glob("rounds/*/*/*.parquet")}
        with self._change() as base:
            known = dict(base.execute("SELECT place, id FROM part"))
            gone = [(known[place],) for place in sorted(known.keys() - present)]
            base.executemany("DELETE FROM part WHERE id = ?", gone)
            base.executemany("DELETE FROM round WHERE part = ?", gone)
            for place in sorted(present - known.keys()):
                part = base.execute("INSERT INTO part (place) VALUES (?)", (place,)).lastrowid
                keys = self._keys_in(root / place)
                base.executemany("INSERT OR REPLACE INTO round VALUES (?, ?)", ((key, part) for key in keys))

    def _keys_in(self, path: Path) -> list[bytes]:
        venue = self._lake.partition_of(path).venue or ""
        ids = pq.read_table(path, columns=["round_id"], partitioning=None)["round_id"]
        return sorted(round_key(venue, each) for each in ids.to_pylist())

    def parts_of(self, keys: Sequence[bytes]) -> dict[bytes, Path]:
        """The file of ``rounds`` that holds each of these, for those that are stored."""
        rows = self._found("SELECT key, place FROM round JOIN part ON part = id WHERE key IN ({})", keys)
        return {key: self._lake.root / place for key, place in rows}
