"""Lines of a file, and what became of each: a round read, or a line refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, NamedTuple

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
    than `wire.MAX_LINE` bytes.
    """

    name: str
    data: bytes
    number: int
    offset: int
    overlong: int = 0

    def each(self) -> Iterator[Line]:
        """Each line with its place."""
        offset = self.offset
        for number, data in enumerate(self._split(), self.number):
            size = self.overlong or len(data)
            yield Line(data, number, offset, size)
            offset += size + 1

    def _split(self) -> list[bytes]:
        found = self.data.split(b"\n")
        return found if found[-1] else found[:-1]


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
            number, offset, held = number + held.count(b"\n", 0, end), offset + end, held[end:]
        elif len(held) > wire.MAX_LINE:
            more, rest = _to_line_feed(stream)
            size = len(held) + more
            yield Lines(name, held[: wire.KEPT_OF_LONG_LINE], number, offset, overlong=size)
            number, offset, held = number + 1, offset + size + 1, rest
    if held:
        yield Lines(name, held, number, offset)


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
