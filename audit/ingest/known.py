"""Which rounds are known: those stored before, and those of this ingest.

A round is known by its key, see `audit.ingest.batch.round_key`. Both lists are kept on
disk, so that memory does not grow with them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from audit.digests import file_digest
from audit.errors import storage_error
from audit.ingest.batch import KEY_BYTES, round_key
from audit.ingest.runs import Runs, keys_of
from audit.lake import Lake, Stored

_RECORD = np.dtype([("digest", np.uint8, 32), ("file", np.int64), ("line", np.int64)])
"""What is kept of a round seen: digest of its content, file by number, line."""

_INDEXED_ROUNDS = 1_000_000
"""About so many rounds of new parts are indexed at a time."""


class Seen:
    """The rounds stored so far by one ingest; its files lie in a new folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: list[str] = []
        self._count = 0
        try:
            folder.mkdir()
            self._runs = Runs(folder)
            self._records = (folder / "records").open("w+b")
        except OSError as error:
            raise storage_error(error, "write", folder.parent) from None

    def close(self) -> None:
        """Close the files."""
        self._records.close()

    def add(
        self,
        keys: npt.NDArray[np.uint8],
        digests: npt.NDArray[np.uint8],
        file: str,
        lines: npt.NDArray[np.int64],
    ) -> dict[int, Stored]:
        """Add rounds of a file in order. Of those seen before it gives what was seen, by place."""
        try:
            return self._added(keys, digests, file, lines)
        except OSError as error:
            raise storage_error(error, "write", self._folder.parent) from None

    def _added(
        self,
        keys: npt.NDArray[np.uint8],
        digests: npt.NDArray[np.uint8],
        file: str,
        lines: npt.NDArray[np.int64],
    ) -> dict[int, Stored]:
        halves = keys_of(keys)
        before = {place: self._stored(number) for place, number in self._runs.find(halves)}
        order = np.lexsort((halves[:, 1], halves[:, 0]))
        again = np.zeros(len(order), np.bool_)
        again[1:] = (halves[order[1:]] == halves[order[:-1]]).all(axis=1)
        first = order
        if again.any():
            # Equal keys keep their order, so the one that begins their group came first.
            first = order[np.maximum.accumulate(np.where(again, 0, np.arange(len(order))))]
        for place, one in zip(order[again].tolist(), first[again].tolist(), strict=True):
            if place not in before:
                before[place] = Stored(digests[one].tobytes().hex(), file, int(lines[one]))
        fresh = np.ones(len(order), np.bool_)
        fresh[list(before)] = False
        self._keep(halves[fresh], digests[fresh], file, lines[fresh])
        return before

    def _keep(
        self,
        halves: npt.NDArray[np.uint64],
        digests: npt.NDArray[np.uint8],
        file: str,
        lines: npt.NDArray[np.int64],
    ) -> None:
        if not self._files or self._files[-1] != file:
            self._files.append(file)
        records = np.empty(len(lines), _RECORD)
        records["digest"], records["file"], records["line"] = digests, len(self._files) - 1, lines
        self._records.seek(0, os.SEEK_END)
        self._records.write(records.tobytes())
        numbers = np.arange(self._count, self._count + len(lines))
        self._count += len(lines)
        for path in self._runs.add(halves, numbers):
            path.unlink()

    def find(self, key: bytes) -> Stored | None:
        """What was seen of a round."""
        for _, number in self._runs.find(keys_of(np.frombuffer(key, np.uint8).reshape(1, -1))):
            return self._stored(number)
        return None

    def _stored(self, number: int) -> Stored:
        self._records.seek(number * _RECORD.itemsize)
        record = np.frombuffer(self._records.read(_RECORD.itemsize), _RECORD)[0]
        return Stored(record["digest"].tobytes().hex(), self._files[record["file"]], int(record["line"]))


class StoredKeys:
    """Which part of a lake's rounds holds which of them.

    The folder is derived from the parts and brought up to date with them when it is opened,
    by their names, which are digests of their content. Without it, or with a damaged one,
    it is made anew. What ``index.json`` in it does not name is no part of it.
    """

    NAME = ".rounds"

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._folder = lake.root / self.NAME
        try:
            self._folder.mkdir(exist_ok=True)
            self._read()
            self._follow()
        except OSError as error:
            raise storage_error(error, "write", lake.root) from None

    def _read(self) -> None:
        self._parts: dict[str, int] = {}
        self._digests: dict[str, str] = {}
        self._next = 0
        try:
            index = json.loads((self._folder / "index.json").read_bytes())
            digests: dict[str, str] = index["runs"]
            # A flipped bit would let a round in twice.
            if any(file_digest(self._folder / name) != digest for name, digest in digests.items()):
                raise ValueError("a run was cut or altered")
            self._runs, self._digests = Runs(self._folder, digests), dict(digests)
            self._parts, self._next = dict(index["parts"]), int(index["next"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            shutil.rmtree(self._folder)
            self._folder.mkdir()
            self._runs, self._digests = Runs(self._folder), {}

    def _follow(self) -> None:
        root = self._lake.root
        present = {path.relative_to(root).as_posix() for path in root.glob("rounds/*/*/*.parquet")}
        if present == self._parts.keys():
            return
        self._parts = {place: number for place, number in self._parts.items() if place in present}
        unneeded: list[Path] = []
        keys: list[bytes] = []
        numbers: list[int] = []
        for place in sorted(present - self._parts.keys()):
            self._parts[place] = self._next
            mine = self._keys_in(root / place)
            keys += mine
            numbers += [self._next] * len(mine)
            self._next += 1
            if len(keys) >= _INDEXED_ROUNDS:
                unneeded += self._add(keys, numbers)
                keys, numbers = [], []
        unneeded += self._add(keys, numbers)
        self._write()
        for path in unneeded:
            path.unlink(missing_ok=True)

    def _add(self, keys: Sequence[bytes], numbers: Sequence[int]) -> list[Path]:
        data = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, KEY_BYTES)
        return self._runs.add(keys_of(data), np.array(numbers, np.int64))

    def _keys_in(self, path: Path) -> list[bytes]:
        venue = self._lake.partition_of(path).venue or ""
        ids = pq.read_table(path, columns=["round_id"], partitioning=None)["round_id"]
        return [round_key(venue, each) for each in ids.to_pylist()]

    def _write(self) -> None:
        self._digests = {
            name: self._digests.get(name) or file_digest(self._folder / name) for name in self._runs.names
        }
        index = {"next": self._next, "parts": self._parts, "runs": self._digests}
        written = self._folder / "index.new"
        written.write_text(json.dumps(index), encoding="utf-8")
        written.replace(self._folder / "index.json")

    def parts_of(self, keys: npt.NDArray[np.uint8]) -> dict[int, Path]:
        """The file of ``rounds`` that holds each of these, by place, for those that are stored."""
        if not len(self._runs):
            return {}
        place_of = {number: place for place, number in self._parts.items()}
        return {
            place: self._lake.root / place_of[number]
            for place, number in self._runs.find(keys_of(keys))
            if number in place_of
        }
