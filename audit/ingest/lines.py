"""Lines of a file, and what became of each: a round read, or a line refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from audit.ingest import wire
from audit.ingest.wire import Rejected
from rules_replay.log import Round

CHUNK = 1024 * 1024
"""Bytes read at a time."""

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


@dataclass(frozen=True, slots=True)
class Line:
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


def json_lines(name: str, stream: BinaryIO) -> Iterator[Read | Refused]:
    """Every line of a stream of JSON Lines, as a round or as refused."""
    for line in split_lines(stream):
        raw = line.data
        text = raw.removeprefix(BOM) if line.number == 1 else raw
        try:
            if line.size > wire.MAX_LINE:
                raw = raw[: wire.KEPT_OF_LONG_LINE]
                raise too_long(line.size)
            decoded = wire.decode_line(text)
        except Rejected as rejected:
            yield refused(rejected, raw, line.size, name, line.number, line.offset)
        else:
            yield Read(decoded.round, decoded.extra, decoded.unknown, raw, name, line.number, line.offset)


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
