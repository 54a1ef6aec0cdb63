"""A vendor's file taken apart into records, and each record as a round or as refused.

The line of a round is the line of its record in JSON Lines, of its first row in a CSV file, and
the number of the record, from 1, in a JSON document. Rows that are less than a round are put
together by what names their round, wherever they stand in the file.
"""

from __future__ import annotations

import csv
import errno
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from audit.errors import SourceFailed
from audit.ingest import wire
from audit.ingest.lines import BOM, Line, Read, Refused, refused, split_lines, too_long
from audit.ingest.wire import Rejected
from audit.mapping.build import Builder
from audit.mapping.drift import Inventory
from audit.mapping.errors import Unmapped
from audit.mapping.json_text import NotAList, NotJson, decoded, spans
from audit.mapping.model import LogMapping
from audit.mapping.pieces import PieceReader
from audit.mapping.support import extra_of
from audit.mapping.unmapped import keyed_places

MOST_OF_A_DOCUMENT = 256 * 1024 * 1024
"""Largest JSON document in bytes: unlike the lines of JSON Lines it has to be read as a whole."""


_TOO_DEEP = "nested too deep; expected at most a few levels"


@dataclass(frozen=True, slots=True)
class Record:
    """A record, or a row, with its bytes and where they stood; ``rejected`` where it is none."""

    value: Any
    raw: bytes
    size: int
    number: int
    offset: int
    rejected: Rejected | None = None


class MappedFile:
    """One file under a mapping; ``inventory`` and ``left_out`` are whole once it is read."""

    def __init__(self, name: str, mapping: LogMapping) -> None:
        self._name = name
        self._mapping = mapping
        self._builder = Builder(mapping)
        self._extra = extra_of(mapping.unrecorded)
        self.inventory = Inventory(
            texts=mapping.document.format == "csv", keyed=keyed_places(mapping.document)
        )

    @property
    def left_out(self) -> int:
        """Cancelled cards, cancelled decisions and wagers not placed that are in no round."""
        return self._builder.left_out

    def rounds(self, stream: BinaryIO) -> Iterator[Read | Refused]:
        """Every record of the file in its order; raises `SourceFailed` for one that is no such file."""
        records = self._counted(self._records(stream))
        if self._mapping.document.rows == "round":
            for record in records:
                yield self._one([record])
        else:
            yield from self._grouped(records)

    def _counted(self, records: Iterable[Record]) -> Iterator[Record]:
        for record in records:
            if record.rejected is None:
                try:
                    self.inventory.add(record.value)
                except RecursionError:
                    record = replace(record, rejected=Rejected("", _TOO_DEEP))
            yield record

    def _records(self, stream: BinaryIO) -> Iterator[Record]:
        match self._mapping.document.format:
            case "csv":
                return self._csv_rows(stream)
            case "jsonl":
                return self._json_lines(stream)
            case _:
                return self._document(stream)

    # --- formats ---

    def _json_lines(self, stream: BinaryIO) -> Iterator[Record]:
        for line in split_lines(stream):
            data = line.data.removeprefix(BOM) if line.number == 1 else line.data
            yield self._decoded(data, line.data, line.size, line.number, line.offset)

    def _document(self, stream: BinaryIO) -> Iterator[Record]:
        data = stream.read(MOST_OF_A_DOCUMENT + 1)
        while len(data) <= MOST_OF_A_DOCUMENT and (more := stream.read(MOST_OF_A_DOCUMENT + 1 - len(data))):
            data += more
        if len(data) > MOST_OF_A_DOCUMENT:
            raise SourceFailed(
                self._name,
                f"a JSON document of more than {MOST_OF_A_DOCUMENT:,} bytes; have it written as JSON Lines "
                "and set format = 'jsonl'",
            )
        mark = len(BOM) if data.startswith(BOM) else 0
        try:
            text = data[mark:].decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceFailed(self._name, f"not UTF-8 at byte {error.start + mark}") from None
        offset, done = mark, 0
        try:
            places = spans(text, self._mapping.document.records_at)
        except NotJson as error:
            raise SourceFailed(
                self._name, f"{error}; nothing of it is read: have the file copied or exported anew, whole"
            ) from None
        except NotAList as error:
            raise SourceFailed(self._name, f"{error}; see records_at of the mapping") from None
        for number, (start, stop) in enumerate(places, 1):
            offset += len(text[done:start].encode())
            raw = text[start:stop].encode()
            yield self._decoded(raw, raw, len(raw), number, offset)
            offset, done = offset + len(raw), stop

    def _decoded(self, data: bytes, raw: bytes, size: int, number: int, offset: int) -> Record:
        try:
            if size > wire.MAX_LINE:
                raw = raw[: wire.KEPT_OF_LONG_LINE]
                raise too_long(size)
            return Record(decoded(data), raw, size, number, offset)
        except Rejected as rejected:
            return Record(None, raw, size, number, offset, rejected)

    def _csv_rows(self, stream: BinaryIO) -> Iterator[Record]:
        settings = self._mapping.document.csv
        delimiter = "," if settings is None else settings.delimiter
        encoding = "utf-8" if settings is None else settings.encoding
        taken: list[Line] = []

        def texts() -> Iterator[str]:
            for line in split_lines(stream):
                taken.append(line)
                if line.size > wire.MAX_LINE:
                    raise SourceFailed(self._name, f"line {line.number}: {too_long(line.size).reason}")
                data = line.data.removeprefix(BOM) if line.number == 1 else line.data
                try:
                    yield data.decode(encoding) + "\n"
                except UnicodeDecodeError as error:
                    raise SourceFailed(
                        self._name,
                        f"line {line.number}: not {encoding} at byte {error.start}; "
                        "see csv.encoding of the mapping",
                    ) from None

        reader = csv.reader(texts(), delimiter=delimiter, strict=True)
        columns: list[str] = []
        while True:
            taken.clear()
            rejected: Rejected | None = None
            cells: list[str] = []
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                rejected = Rejected("", f"not CSV: {error}")
            if not columns:
                columns = _columns(self._name, cells)
                continue
            raw = b"\n".join(line.data for line in taken)
            value = dict(zip(columns, cells, strict=False))
            if rejected is None and len(cells) != len(columns):
                found = "blank line" if not cells else f"{len(cells)} cells"
                rejected = Rejected("", f"{found}; expected {len(columns)}, as the first line has")
            if b"\0" in raw:
                rejected = Rejected("", wire.NUL_REASON)
            yield Record(value, raw, len(raw), taken[0].number, taken[0].offset, rejected)

    # --- rounds ---

    def _one(self, records: Sequence[Record]) -> Read | Refused:
        first = records[0]
        raw = b"\n".join(each.raw for each in records)
        size = sum(each.size for each in records) + len(records) - 1
        try:
            for each in records:
                if each.rejected is not None:
                    raise each.rejected
            round_ = self._builder.round_of([each.value for each in records])
        except Rejected as rejected:
            return refused(rejected, raw, size, self._name, first.number, first.offset)
        return Read(round_, self._extra, (), raw, self._name, first.number, first.offset)

    def _grouped(self, records: Iterable[Record]) -> Iterator[Read | Refused]:
        """Rounds put together from rows.

        A round of which one row is bad is refused as a whole. Raises `SourceFailed` for a row that
        cannot be told to belong to a round: any round may lack it.
        """
        reader = PieceReader(self._mapping.document)
        with tempfile.TemporaryDirectory() as folder, _rows(Path(folder) / "rows.sqlite") as base:
            for record in records:
                if not record.raw.strip():
                    yield self._one([record])
                    continue
                value = json.dumps(record.value) if self._mapping.document.format == "csv" else None
                problem = record.rejected and record.rejected.reason
                base.execute(
                    "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)",
                    (self._key(reader, record), record.number, record.offset, problem, value, record.raw),
                )
            base.execute("CREATE INDEX by_key ON row (key, number)")
            keys = base.execute("SELECT key FROM row GROUP BY key ORDER BY min(number)")
            for (key,) in keys.fetchall():
                found = base.execute(
                    "SELECT number, at, problem, value, raw FROM row WHERE key = ? ORDER BY number", (key,)
                )
                yield self._one([_stored(*row) for row in found])

    def _key(self, reader: PieceReader, record: Record) -> str:
        try:
            return reader.given("group_by", record.value)
        except Unmapped as unmapped:
            named = f"{unmapped.place} ({self._mapping.document.group_by}): {unmapped.reason}"
            reason = named if record.rejected is None else record.rejected.reason
            raise SourceFailed(
                self._name,
                f"record {record.number}: {reason}; it may belong to any round, "
                "so none of this file was taken",
            ) from None


def _stored(number: int, offset: int, problem: str | None, value: str | None, raw: bytes) -> Record:
    rejected = None if problem is None else Rejected("", f"in the record at line {number}: {problem}")
    read = decoded(raw) if value is None else json.loads(value)
    return Record(read, raw, len(raw), number, offset, rejected)


def _columns(name: str, cells: list[str]) -> list[str]:
    columns = [cell.strip() for cell in cells]
    twice = [each for each in dict.fromkeys(columns) if columns.count(each) > 1]
    if not any(columns) or twice:
        problem = f"the column {twice[0]!r} twice" if twice else "none"
        raise SourceFailed(name, f"the first line names the columns; found {problem}")
    return columns


@contextmanager
def _rows(path: Path) -> Iterator[sqlite3.Connection]:
    base = sqlite3.connect(path, isolation_level=None)
    try:
        base.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE row (key TEXT, number INTEGER, at INTEGER, problem TEXT, value TEXT, raw BLOB);"
        )
        yield base
    except sqlite3.Error as error:
        raise OSError(errno.ENOSPC if "full" in str(error) else errno.EIO, str(error)) from None
    finally:
        base.close()
