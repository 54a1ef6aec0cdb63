"""Opening an input and reading its rounds.

A file is JSON Lines or half of a CSV pair, or a vendor's that a mapping says how to read;
plain, gzip or zstd, told apart by its first bytes. Before a file's first round is given
out the whole file is read once: its digest is taken and its compression checked to the
end, so that a truncated file gives no rounds at all. Memory is bounded by the longest
line, not the file, but for a JSON document, which is read as a whole.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from audit.errors import SourceFailed, os_reason
from audit.ingest.csv_pair import csv_rounds
from audit.ingest.lines import (
    CHANGED,
    CHUNK,
    Cuts,
    Line,
    Lines,
    Place,
    Read,
    Refused,
    batches,
    fingerprint,
    json_lines,
    split_lines,
)
from audit.ingest.sources import Source, find_sources

if TYPE_CHECKING:
    from audit.mapping.read import MappedFile

__all__ = [
    "OpenSource",
    "Read",
    "Refused",
    "Source",
    "find_sources",
    "is_packed",
    "lasting_source",
    "open_source",
    "read_rounds",
    "unchecked_lines",
]

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = tuple(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16))


class OpenSource:
    """An input checked to its end: its digest is known and its rounds can be read.

    ``sha256`` is of the file's own bytes; of a CSV pair it is the SHA-256 of the two
    files' digests, one a line. ``byte_count`` is the size as stored. ``mapped`` is what was seen
    of a vendor's file, once it has been read.
    """

    def __init__(self, source: Source, files: Sequence[BinaryIO]) -> None:
        self.source = source
        self._files = files
        cuts = Cuts()
        digests = [_check(source.name, file, cuts if len(files) == 1 else None) for file in files]
        self._cuts = cuts.found() if len(files) == 1 and _packing(files[0]) is None else None
        self.sha256 = digests[0]
        if len(digests) > 1:
            self.sha256 = hashlib.sha256("".join(f"{each}\n" for each in digests).encode()).hexdigest()
        self._as_checked = [fingerprint(file) for file in files]
        self.byte_count = sum(size for _, size, _ in self._as_checked)
        self.mapped: MappedFile | None = None

    def __iter__(self) -> Iterator[Read | Refused]:
        """Every line of the input in order, as a round or as refused.

        Raises `SourceFailed` when the file changes or fails while it is read: what
        was given out before must then be dropped.
        """
        with self._streams() as streams:
            if self.source.mapping is not None:
                from audit.mapping.read import MappedFile

                self.mapped = MappedFile(self.source.name, self.source.mapping)
                yield from self.mapped.rounds(streams[0])
            elif len(streams) == 1:
                yield from json_lines(self.source.name, streams[0])
            else:
                yield from csv_rounds(self.source, streams[0], streams[1])

    def batches(self) -> Iterator[Lines]:
        """The lines of a JSON Lines input, many at a time; fails as iterating does."""
        with self._streams() as streams:
            yield from batches(self.source.name, streams[0])

    def unread(self) -> Iterator[Lines]:
        """The same `batches`, where it can be without their bytes, for others to read."""
        if self._cuts is None or self.source.path is None:
            yield from self.batches()
            return
        with self._streams():
            for number, offset, size in self._cuts:
                place = Place(self.source.path, self._as_checked[0], size)
                yield Lines(self.source.name, b"", number, offset, place=place)

    def lines(self) -> Iterator[Line]:
        """The lines of a JSON Lines input as bytes; fails as iterating does."""
        with self._streams() as streams:
            yield from split_lines(streams[0])

    @contextmanager
    def _streams(self) -> Iterator[list[BinaryIO]]:
        name = self.source.name
        try:
            yield [_unpacked(file) for file in self._files]
        except OSError as error:
            raise SourceFailed(name, f"could not be read to its end: {os_reason(error)}") from None
        if [fingerprint(file) for file in self._files] != self._as_checked:
            raise SourceFailed(name, CHANGED)


@contextmanager
def open_source(source: Source) -> Iterator[OpenSource]:
    """Open an input and check it to its end; raises `SourceFailed` with one clear line."""
    with ExitStack() as stack:
        lasting = lasting_source(source, Path(stack.enter_context(tempfile.TemporaryDirectory())))
        files: list[BinaryIO] = []
        for path in (lasting.path, lasting.events):
            if path is not None:
                try:
                    files.append(stack.enter_context(path.open("rb")))
                except OSError as error:
                    raise SourceFailed(source.name, os_reason(error)) from None
        yield OpenSource(lasting, files)


def lasting_source(source: Source, folder: Path) -> Source:
    """An input that can be read twice: standard input and named pipes are copied into ``folder``.

    Raises `SourceFailed` where there is nothing to read.
    """
    try:
        path, *events = (_lasting(path, folder / role) for path, role in _roles(source))
    except OSError as error:
        raise SourceFailed(source.name, os_reason(error)) from None
    return replace(source, path=path, events=events[0] if events else None)


def _roles(source: Source) -> list[tuple[Path | None, str]]:
    both: list[tuple[Path | None, str]] = [(source.path, "input")]
    return both if source.events is None else [*both, (source.events, "events")]


def _lasting(path: Path | None, copy: Path) -> Path:
    if path is None:
        return _copied(sys.stdin.buffer, copy)
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):
        with path.open("rb") as pipe:
            return _copied(pipe, copy)
    if not stat.S_ISREG(mode):
        raise OSError(0, "neither a file nor a pipe; expected a round log")
    return path


def _copied(stream: BinaryIO, copy: Path) -> Path:
    with copy.open("xb") as file:
        shutil.copyfileobj(stream, file, CHUNK)
    return copy


def read_rounds(source: Source) -> Iterator[Read | Refused]:
    """Every line of an input, as a round or as refused; raises `SourceFailed`."""
    with open_source(source) as opened:
        yield from opened


def unchecked_lines(source: Source) -> Iterator[Line]:
    """The lines of a JSON Lines file that was not checked to its end; raises `OSError`, maybe after some."""
    if source.path is not None:
        with source.path.open("rb") as file:
            yield from split_lines(_unpacked(file))


def is_packed(path: Path) -> bool:
    """Whether a file is compressed; false where it cannot be read."""
    try:
        with path.open("rb") as file:
            return _packing(file) is not None
    except OSError:
        return False


def _packing(file: BinaryIO) -> str | None:
    file.seek(0)
    head = file.read(4)
    file.seek(0)
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head == _ZSTD or head in _ZSTD_SKIPPABLE else None


def _unpacked(file: BinaryIO) -> BinaryIO:
    """The bytes of a file, decompressed as they are read."""
    packing = _packing(file)
    if packing is None:
        return file
    unpacked: BinaryIO = pa.CompressedInputStream(pa.PythonFile(_Unclosed(file), mode="r"), packing)
    return unpacked


class _Unclosed(io.RawIOBase):
    """Keeps the file open when Arrow closes its stream over it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._file.read(size)


def _check(name: str, file: BinaryIO, cuts: Cuts | None) -> str:
    """The digest of a file; raises `SourceFailed` unless it holds something and unpacks to its end.

    ``cuts`` are found on the way.
    """
    hasher = hashlib.sha256()
    try:
        file.seek(0)
        while chunk := file.read(CHUNK):
            hasher.update(chunk)
            if cuts is not None:
                cuts.add(chunk)
        packing = _packing(file)
    except OSError as error:
        raise SourceFailed(name, os_reason(error)) from None
    stream = _unpacked(file)
    size = 0
    try:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if packing is None:
                break
    except OSError as error:
        raise SourceFailed(name, _damage(packing, error)) from None
    if size == 0:
        raise SourceFailed(name, "the file is empty; expected at least one round")
    return hasher.hexdigest()


def _damage(packing: str | None, error: OSError) -> str:
    if error.errno:
        return os_reason(error)
    if "Truncated" in str(error):
        return f"the {packing} data ends too early; none of it was taken, fetch the whole file and run again"
    return f"the {packing} data is damaged ({error}); none of it was taken, fetch the file again"
