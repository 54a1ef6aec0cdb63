"""Lines of a file, and what became of each: a round read, or a line refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.errors import SourceFailed, os_reason
from audit.ingest import wire
from audit.ingest.wire import Rejected
from rules_replay.log import Round

CHUNK = 1024 * 1024
"""Bytes read at a time."""

BATCH_BYTES = 4 * 1024 * 1024
"""Bytes of lines decoded at a time, some 2,000 rounds."""

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Read:
    """A round as read, with its bytes and where they stood."""

    round: Round
    extra: str | None
    unknown: tuple[str, ...]
    raw: bytes
    file: str
    line: int
    offset: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that gave no round: its bytes, where they stood, and why.

    ``byte_count`` is the length of the whole line; ``raw`` is shorter only where the
    line was longer than `wire.MAX_LINE`.
    """

    raw: bytes
    byte_count: int
    file: str
    line: int
    offset: int
    field: str
    reason: str
    round_id: str | None = None
    venue: str | None = None
    started_at: datetime | None = None

    @property
    def message(self) -> str:
        """One line for people: where, which field, what."""
        where = f"{self.file}:{self.line}"
        return f"{where}: {self.field}: {self.reason}" if self.field else f"{where}: {self.reason}"


class Line(NamedTuple):
    """Bytes of one line without its line feed; ``size`` exceeds them for a line cut short."""

    data: bytes
    number: int
    offset: int
    size: int


def split_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines of a stream. Of a line longer than the maximum only the beginning is kept.

    A line feed at the very end does not begin another line.
    """
    number, offset = 1, 0
    held, size = b"", 0
    while chunk := stream.read(CHUNK):
        pieces = chunk.split(b"\n")
        for piece in pieces[:-1]:
            size += len(piece)
            data = piece if not held else (held + piece if size <= wire.MAX_LINE else held)
            yield Line(data, number, offset, size)
            number, offset = number + 1, offset + size + 1
            held, size = b"", 0
        size += len(pieces[-1])
        held = held + pieces[-1] if size <= wire.MAX_LINE else held[: wire.KEPT_OF_LONG_LINE]
    if size:
        yield Line(held, number, offset, size)


@dataclass(frozen=True, slots=True)
class Lines:
    """Whole lines of a source: their bytes, the number and byte offset of the first.

    ``overlong`` is 0, or else the size of the one line whose beginning this is: one of more
    than `wire.MAX_LINE` bytes. With a ``place`` the bytes were left there, to be `read`.
    """

    name: str
    data: bytes
    number: int
    offset: int
    overlong: int = 0
    place: Place | None = None

    def each(self) -> Iterator[Line]:
        """Each line with its place."""
        starts, stops = self.spans()
        for place, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            yield self.line(place, start, stop)

    def line(self, place: int, start: int, stop: int) -> Line:
        """One of the lines, by its place among them and `spans`."""
        data = self.data[start:stop]
        return Line(data, self.number + place, self.offset + int(start), self.overlong or len(data))

    def spans(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """From where to where each line goes in the bytes, without its line feed."""
        found, find, at = [], self.data.find, -1
        while (at := find(b"\n", at + 1)) >= 0:
            found.append(at)
        if not self.data.endswith(b"\n") and self.data:
            found.append(len(self.data))
        stops = np.array(found, np.int64)
        starts = np.zeros(len(stops), np.int64)
        starts[1:] = stops[:-1] + 1
        return starts, stops

    def marks(self, count: int) -> npt.NDArray[np.int64]:
        """The size of the byte order mark before each of so many lines: only a file's first can have one."""
        found = np.zeros(count, np.int64)
        if count and self.number == 1 and self.data.startswith(BOM):
            found[0] = len(BOM)
        return found

    def read(self) -> Lines:
        """The lines with their bytes; raises `SourceFailed` where the file is another by now."""
        return self if self.place is None else self.part(self.offset, self.place.size)

    def part(self, offset: int, size: int) -> Lines:
        """Some bytes of the lines, by their offset in the source; raises as `read` does."""
        if self.place is None:
            return replace(self, data=self.data[offset - self.offset :][:size], offset=offset)
        try:
            with self.place.path.open("rb") as file:
                file.seek(offset)
                data = file.read(size)
                same = fingerprint(file) == self.place.fingerprint
        except OSError as error:
            raise SourceFailed(self.name, os_reason(error)) from None
        if not same:
            raise SourceFailed(self.name, CHANGED)
        return replace(self, data=data, offset=offset, place=None)


CHANGED = "changed while it was read; run again when it is complete"
_LINE_FEED = ord("\n")

Fingerprint: TypeAlias = tuple[int, int, int]


def fingerprint(file: BinaryIO) -> Fingerprint:
    """What differs when a file is no longer the one that was opened: inode, size, time of change."""
    state = os.fstat(file.fileno())
    return state.st_ino, state.st_size, state.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Place:
    """A file that is not packed, as it was when it was opened; ``size`` is how much of it is to be read."""

    path: Path
    fingerprint: Fingerprint
    size: int


def batches(name: str, stream: BinaryIO) -> Iterator[Lines]:
    """The lines of a stream, about `BATCH_BYTES` at a time.

    Where a batch ends depends on the bytes alone. Memory is bounded by the longest line
    that is not refused for its length.
    """
    number, offset, held = 1, 0, b""
    while chunk := _exactly(stream, BATCH_BYTES):
        held += chunk
        end = held.rfind(b"\n") + 1
        if end:
            yield Lines(name, held[:end], number, offset)
            number, offset, held = number + _line_feeds(held, end), offset + end, held[end:]
        elif len(held) > wire.MAX_LINE:
            more, rest = _to_line_feed(stream)
            size = len(held) + more
            yield Lines(name, held[: wire.KEPT_OF_LONG_LINE], number, offset, overlong=size)
            number, offset, held = number + 1, offset + size + 1, rest
    if held:
        yield Lines(name, held, number, offset)


class Cuts:
    """Where `batches` cuts a file, found as its bytes go by, so that each can be read by itself."""

    def __init__(self) -> None:
        self._found: list[tuple[int, int, int]] = []
        self._cuttable = True
        self._seen = 0
        self._start, self._number = 0, 1
        self._end, self._feeds = 0, 0

    def add(self, chunk: bytes) -> None:
        """The next bytes of the file, however many."""
        start = 0
        while start < len(chunk):
            stop = min(len(chunk), start + BATCH_BYTES - self._seen % BATCH_BYTES)
            end = chunk.rfind(b"\n", start, stop) + 1
            if end:
                self._end = self._seen + end - start
                self._feeds += _line_feeds(chunk, end, start)
            self._seen += stop - start
            start = stop
            if self._seen % BATCH_BYTES == 0:
                self._cut()

    def _cut(self) -> None:
        if self._end > self._start:
            self._found.append((self._number, self._start, self._end - self._start))
            self._number += self._feeds
            self._start, self._feeds = self._end, 0
        elif self._seen - self._start > wire.MAX_LINE:
            self._cuttable = False

    def found(self) -> list[tuple[int, int, int]] | None:
        """Of each batch the number of its first line, its offset and its size, once all bytes went by.

        None for a file that has a line of more than `wire.MAX_LINE` bytes.
        """
        self._cut()
        rest = (self._number, self._start, self._seen - self._start)
        return [*self._found, *([rest] if rest[2] else [])] if self._cuttable else None


def _line_feeds(data: bytes, end: int, start: int = 0) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8, end - start, start) == _LINE_FEED))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    """So many bytes, or what is left."""
    parts: list[bytes] = []
    while size and (chunk := stream.read(size)):
        parts.append(chunk)
        size -= len(chunk)
    return b"".join(parts)


def _to_line_feed(stream: BinaryIO) -> tuple[int, bytes]:
    """Read to the end of a line: the bytes that were left of it, and those read beyond it."""
    size = 0
    while chunk := stream.read(CHUNK):
        end = chunk.find(b"\n")
        if end >= 0:
            return size + end, chunk[end + 1 :]
        size += len(chunk)
    return size, b""


def json_lines(name: str, stream: BinaryIO) -> Iterator[Read | Refused]:
    """Every line of a stream of JSON Lines, as a round or as refused."""
    for line in split_lines(stream):
        yield read_line(name, line)


def read_line(name: str, line: Line) -> Read | Refused:
    """One line of JSON Lines, as a round or as refused."""
    raw = line.data
    text = raw.removeprefix(BOM) if line.number == 1 else raw
    try:
        if line.size > wire.MAX_LINE:
            raw = raw[: wire.KEPT_OF_LONG_LINE]
            raise too_long(line.size)
        decoded = wire.decode_line(text)
    except Rejected as rejected:
        return refused(rejected, raw, line.size, name, line.number, line.offset)
    return Read(decoded.round, decoded.extra, decoded.unknown, raw, name, line.number, line.offset)


def too_long(size: int) -> Rejected:
    """The rejection of a line of that many bytes."""
    return Rejected("", f"the line has {size:,} bytes; expected at most {wire.MAX_LINE:,}")


def refused(rejected: Rejected, raw: bytes, size: int, file: str, line: int, offset: int) -> Refused:
    """A rejection with the bytes it is about and where they stood."""
    return Refused(
        raw=raw,
        byte_count=size,
        file=file,
        line=line,
        offset=offset,
        field=rejected.field,
        reason=rejected.reason,
        round_id=rejected.round_id,
        venue=rejected.venue,
        started_at=rejected.started_at,
    )
